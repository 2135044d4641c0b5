"""Measures of Vilar, Castro & Sanchis on Reuters-21578: Table 1, single-label error, Figures 1 and 2, alternatives.

Each measure uses one data set with its predefined split. Documents have zero, one or several labels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse, special

from reproduction.flow.measures import Measure, Settings, Sources, only
from reproduction.papers.multinomial.documents import (
    LENGTHS,
    Rules,
    mentions,
    params_of,
    stack,
    sweep_of,
    thresholds_of,
    validation,
)
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents
from textmix.metrics.threshold import (
    CRITERIA,
    Sweep,
    accumulated_sweep,
    class_thresholds,
    threshold_sets,
    threshold_sweep,
)
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier
from textmix.models.naive_bayes.discounting_weights import RULES

METHODS = ("accumulated", "binary")


def table1(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count training and test documents with no label, one label and several labels (Table 1)."""
    source = only(sources)
    n_labels = np.minimum(mentions(source), 2)
    values: dict[str, float] = {}
    for part, rows in (("train", source.splits.train[0]), ("test", source.splits.test[0])):
        for number, name in enumerate(("no_label", "unilabel", "multilabel")):
            matches = n_labels[rows] == number
            values[f"{part}_{name}"] = float(np.sum(matches))
            values[f"{part}_{name}_share"] = float(np.mean(matches))
    return Measure(values)


@dataclass(frozen=True)
class _SingleLabel:
    """Single-label problem.

    Parameters
    ----------
    train, test : Documents
        Training and test documents with one label.
    unlabelled : Documents
        Training documents without a label.
    """

    train: Documents
    test: Documents
    unlabelled: Documents

    @classmethod
    def of(cls, sources: Sources) -> _SingleLabel:
        """Select the documents of a data set."""
        source = only(sources)
        trial = source.first("labels")
        n_labels = mentions(source)
        n_labels_train = n_labels[source.splits.train[0]]
        n_labels_test = n_labels[source.splits.test[0]]
        train = trial.train[n_labels_train == 1]
        test = trial.test[n_labels_test == 1]
        unlabelled = trial.train[n_labels_train == 0]
        return cls(train, test, unlabelled)

    def test_errors(self, params: Mapping[str, Any]) -> np.ndarray:
        """Return which test documents are misclassified, bool (N,), after training with the unlabelled documents."""
        train = stack(self.train, self.unlabelled)
        return _errors_of(train, self.test, params)

    def count_cross_validation_errors(self, folds: int, params: Mapping[str, Any]) -> int:
        """Count the training documents that are misclassified in cross-validation.

        Fold k has the documents k, k + ``folds``, ..., for every tokenisation.
        """
        n_errors = 0
        for fit, fold in halves_of(fold_numbers(len(self.train), folds)):
            errors = _errors_of(self.train[fit], self.train[fold], params)
            n_errors += int(errors.sum())
        return n_errors


def _errors_of(train: Documents, test: Documents, params: Mapping[str, Any]) -> np.ndarray:
    """Return which single-label test documents are misclassified, bool (N,)."""
    model = train.fitted(AbsoluteDiscountingClassifier(**params))
    predicted = np.argmax(model.predict_log_proba(test.X), axis=1)
    return predicted != test.y.indices


def single_label(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the error of the single-label problem (section 4.2), for the settings and for each alternative.

    Settings: ``discount``, ``discount_counts`` and ``length`` of the main values, see `AbsoluteDiscountingClassifier`
    (``length: none`` for None); ``folds``, the number of folds for cross-validation.
    Result: the table ``choices`` has the errors of each alternative. Keys with ``with_unlabelled`` are for training
    with the unlabelled documents, and ``chance_of_gain_with_unlabelled`` is a p-value.
    """
    problem = _SingleLabel.of(sources)
    n_train = len(problem.train)
    n_test = len(problem.test)
    params = params_of(settings)
    errors = problem.test_errors(params_of(settings, unlabelled="ignore"))
    errors_with_unlabelled = problem.test_errors(params)
    has_training_documents = problem.train.y.sum(axis=0) > 0
    is_class_seen = has_training_documents[problem.test.y.indices]
    n_cross_validation_errors = problem.count_cross_validation_errors(settings["folds"], params)
    error_rate = errors.mean()
    error_rate_with_unlabelled = errors_with_unlabelled.mean()
    values = {
        "training_documents": n_train,
        "classes": np.count_nonzero(has_training_documents),
        "test_documents": n_test,
        "test_documents_of_unseen_classes": np.count_nonzero(~is_class_seen),
        "errors": errors.sum(),
    }
    values["error_rate"] = error_rate
    values["error_rate_with_unlabelled"] = error_rate_with_unlabelled
    values["change_of_error_with_unlabelled"] = error_rate_with_unlabelled - error_rate
    values["chance_of_gain_with_unlabelled"] = _sign_test(errors, errors_with_unlabelled)
    values["cross_validated_error_rate"] = n_cross_validation_errors / n_train
    rows = _alternatives(problem, settings["folds"])
    for row in rows:
        if (row["discount_counts"], row["length"]) == (settings["discount_counts"], settings["length"]):
            values[f"error_rate_{row['discount']}"] = row["errors"] / n_test
    return Measure(values, {"choices": rows})


def _alternatives(problem: _SingleLabel, folds: int) -> list[dict[str, Any]]:
    """Count the errors for each combination of rule for b, pooling of counts and length normalisation."""
    rows = []
    for discount, pooling, length in itertools.product(RULES, ("pooled", "per_class"), LENGTHS):
        params = {"discount": discount, "discount_counts": pooling, "length": LENGTHS[length]}
        errors = problem.test_errors({**params, "unlabelled": "ignore"})
        errors_with_unlabelled = problem.test_errors(params)
        n_cross_validation_errors = problem.count_cross_validation_errors(folds, params)
        row = {
            "discount": discount,
            "discount_counts": pooling,
            "length": length,
            "training_documents": len(problem.train),
            "cross_validated_errors": n_cross_validation_errors,
            "test_documents": len(problem.test),
            "errors": int(errors.sum()),
            "errors_with_unlabelled": int(errors_with_unlabelled.sum()),
        }
        rows.append(row)
    return rows


def discounts(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the error of the single-label problem against the discounting constant b (section 3).

    ``<rule>_<pooling>`` is the error rate with b by a rule, pooled over the classes or separately for each class.
    ``range`` is the difference between the largest and the smallest error rate over the constants. ``best`` is the
    constant with the fewest errors in cross-validation, and ``cross_validated`` its error rate on the test documents.

    Settings: ``constants``, increasing values of b; ``length``, see `single_label`; ``folds``, the number of folds for
    cross-validation.
    Result: the table ``errors`` has the errors for each constant and each rule, with the median of b over the classes.
    """
    problem = _SingleLabel.of(sources)
    n_test = len(problem.test)
    length = LENGTHS[settings["length"]]
    rows = [_count_errors(problem, b, "pooled", length, settings["folds"]) for b in settings["constants"]]
    errors = [row["errors"] for row in rows]
    cross_validated_errors = [row["cross_validated_errors"] for row in rows]
    best = int(np.argmin(cross_validated_errors))
    values = {
        "smallest": min(errors) / n_test,
        "largest": max(errors) / n_test,
        "range": (max(errors) - min(errors)) / n_test,
        "best": settings["constants"][best],
        "cross_validated": errors[best] / n_test,
    }
    for rule, pooling in itertools.product(RULES, ("pooled", "per_class")):
        row = _count_errors(problem, rule, pooling, length, settings["folds"])
        values[f"{rule}_{pooling}"] = row["errors"] / n_test
        rows.append(row)
    return Measure(values, {"errors": rows})


def _count_errors(
    problem: _SingleLabel, discount: str | float, pooling: str, length: str | None, folds: int
) -> dict[str, Any]:
    """Count the errors with a constant or a rule for b, on test documents and in cross-validation."""
    params: dict[str, Any] = {"discount": discount, "discount_counts": pooling, "length": length}
    train = stack(problem.train, problem.unlabelled)
    constants = train.fitted(AbsoluteDiscountingClassifier(**params)).discount_
    return {
        "discount": str(discount) if isinstance(discount, str) else "constant",
        "discount_counts": pooling,
        "b": float(np.median(constants)),
        "smallest_b": float(constants.min()),
        "largest_b": float(constants.max()),
        "training_documents": len(problem.train),
        "cross_validated_errors": problem.count_cross_validation_errors(folds, params),
        "test_documents": len(problem.test),
        "errors": int(problem.test_errors({**params, "unlabelled": "ignore"}).sum()),
    }


def _sign_test(before: np.ndarray, after: np.ndarray) -> float:
    """Compute the one-sided p-value of the sign test that the errors ``after`` are not fewer than those ``before``."""
    from scipy import stats  # slow import that most measures do not require

    n_fixed = int(np.sum(before & ~after))
    n_new = int(np.sum(~before & after))
    if n_fixed + n_new == 0:
        return 1.0
    result = stats.binomtest(n_fixed, n_fixed + n_new, alternative="greater")
    return float(result.pvalue)


def threshold_curves(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure precision, recall and exact-set error against the threshold (Figures 1 and 2), and validate thresholds.

    The validated threshold minimises the number of wrong label sets on the labelled documents of a validation part of
    the training documents. Test scores are computed with models trained on all training documents.

    Settings: ``discount``, ``discount_counts``, ``length``; ``low``, ``high``, ``steps`` and ``powers`` of the
    thresholds, see `thresholds_of`; ``standard``, the usual threshold (section 2.2); ``validation``, the proportion of
    training documents in the validation set; ``min_class_documents``, the minimum number of validation documents for a
    class-specific threshold (section 2.2).
    Result: the table ``curves`` has a row for each method, set of test documents and threshold.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    thresholds = thresholds_of(settings)
    params = params_of(settings)
    scores = Rules(train, params).scores(test.X)
    fit, held_out = validation(train, settings["validation"], generator)
    held_out_scores = Rules(fit, params).scores(held_out.X)
    subsets = {"all": np.ones_like(test.labelled), "labelled": test.labelled}
    values: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    for method in METHODS:
        validated = sweep_of(method, held_out_scores[method], held_out.y, thresholds).lowest_set_error()
        sweeps = {}
        for name, subset in subsets.items():
            sweeps[name] = sweep_of(method, scores[method][subset], test.y[subset], thresholds)
        values |= _curve_values(method, sweeps, validated, (0.1, settings["standard"], 0.9))
        rows += _curve_rows(method, sweeps, validated)
        if not test.labelled.all():
            is_unlabelled = ~test.labelled
            unlabelled = sweep_of(method, scores[method][is_unlabelled], test.y[is_unlabelled], thresholds)
            values[f"{method}_set_error_on_unlabelled"] = unlabelled.set_error.min()
    options = {
        "default": special.logit(values["binary_threshold"]),
        "least": settings["min_class_documents"],
    }
    for criterion in CRITERIA:
        limits = class_thresholds(held_out_scores["binary"], held_out.y, criterion=criterion, **options)
        values |= _values_with_class_thresholds(criterion, scores["binary"], test.y, limits)
    values["largest_ratio_of_ranges"] = _largest_ratio_of_ranges(rows)
    ratio = values["binary_lowest_set_error"] / values["accumulated_lowest_set_error"]
    values["binary_over_accumulated_lowest_set_error"] = ratio
    return Measure(values, {"curves": rows})


def _largest_ratio_of_ranges(curves: Iterable[Mapping[str, Any]]) -> float:
    """Compute the ratio of the wider to the narrower range of the two methods, on the axis where it is largest."""
    points = [row for row in curves if row["test"] == "all"]
    ratios = []
    for axis in ("precision", "recall"):
        widths = [np.ptp([row[axis] for row in points if row["method"] == method]) for method in METHODS]
        ratios.append(np.max(widths) / np.min(widths))
    return float(np.max(ratios))


def _curve_values(method: str, sweeps: Mapping[str, Sweep], validated: int, shown: Iterable[float]) -> dict[str, float]:
    """Summarise the curves of a method.

    Keys without a suffix refer to the validated threshold, specified by its index, on all test documents.
    """
    sweep, labelled = sweeps["all"], sweeps["labelled"]
    thresholds = sweep.thresholds
    values = {f"{method}_threshold": thresholds[validated]}
    values[f"{method}_best_threshold"] = thresholds[sweep.lowest_set_error()]
    values[f"{method}_lowest_set_error"] = sweep.set_error.min()
    values[f"{method}_lowest_set_error_without_unlabelled"] = labelled.set_error.min()
    values[f"{method}_set_error_near_0"] = sweep.set_error[0]
    values[f"{method}_set_error_near_0_without_unlabelled"] = labelled.set_error[0]
    values[f"{method}_set_error_near_1"] = sweep.set_error[-1]
    for name in ("precision", "recall", "f1", "set_error"):
        values[f"{method}_{name}"] = getattr(sweep, name)[validated]
        values[f"{method}_{name}_without_unlabelled"] = getattr(labelled, name)[validated]
    values[f"{method}_wrong_share"] = 1.0 - sweep.precision[validated]
    values[f"{method}_gain_without_unlabelled"] = labelled.precision[validated] - sweep.precision[validated]
    for threshold in shown:
        nearest = np.argmin(np.abs(thresholds - threshold))
        values[f"{method}_set_error_at_{threshold:g}"] = sweep.set_error[nearest]
    return values


def _curve_rows(method: str, sweeps: Mapping[str, Sweep], validated: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table ``curves``."""
    for test, sweep in sweeps.items():
        for k, threshold in enumerate(sweep.thresholds):
            yield {
                "method": method,
                "test": test,
                "threshold": threshold,
                "precision": sweep.precision[k],
                "recall": sweep.recall[k],
                "set_error": sweep.set_error[k],
                "validated": int(k == validated),
            }


def _values_with_class_thresholds(
    criterion: str, scores: np.ndarray, Y: sparse.csr_array, limits: np.ndarray
) -> dict[str, float]:
    """Compute the test scores with a validated threshold for each class."""
    sets = threshold_sets(scores, limits)
    sweep = threshold_sweep(sets, Y, [0.5])
    metrics = ("precision", "recall", "f1", "set_error")
    return {f"binary_{name}_per_class_{criterion}": getattr(sweep, name)[0] for name in metrics}


def expectation_maximisation(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure errors for each use of the unlabelled training documents: none, in smoothing, and EM (Nigam et al.).

    Settings: see `threshold_curves`, and ``tol`` and ``max_iter`` of EM.
    Result: the single-label error rate, and the exact-set error and F1 of the accumulated rule for each use (keys end
    in ``ignore``, ``smoothing``, ``em``). The table ``path`` has the log-likelihood of each step of EM.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    problem = _SingleLabel.of(sources)
    thresholds = thresholds_of(settings)
    fit, held_out = validation(train, settings["validation"], generator)
    values: dict[str, float] = {}
    path: list[dict[str, Any]] = []
    for use in ("ignore", "smoothing", "em"):
        params = params_of(settings, unlabelled=use, tol=settings["tol"], max_iter=settings["max_iter"])
        values[f"error_rate_{use}"] = problem.test_errors(params).mean()
        model = fit.fitted(AbsoluteDiscountingClassifier(**params))
        held_out_proba = model.predict_proba(held_out.X)
        validated = accumulated_sweep(held_out_proba, held_out.y, thresholds).lowest_set_error()
        model = train.fitted(AbsoluteDiscountingClassifier(**params))
        threshold = thresholds[validated : validated + 1]
        sweep = accumulated_sweep(model.predict_proba(test.X), test.y, threshold)
        values[f"set_error_{use}"] = sweep.set_error[0]
        values[f"f1_{use}"] = sweep.f1[0]
        for step, log_likelihood in enumerate(model.objective_path_):
            path.append({"step": step, "log_likelihood": log_likelihood})
    values["steps"] = len(path)
    return Measure(values, {"path": path})


def document_lengths(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure both rules with the counts of each test document scaled to the same sum, for several sums.

    Settings: see `threshold_curves`, and ``sums`` of the scaled counts; null for unscaled counts.
    Result: the table ``sums`` has a row for each sum and rule: the best threshold on the test documents with its
    exact-set error, and error, precision and recall at the ``standard`` threshold. The values are the ratios of the
    errors of both rules for unscaled counts, at the best thresholds and at ``standard``.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    thresholds = thresholds_of(settings)
    rules = Rules(train, params_of(settings))
    standard = int(np.argmin(np.abs(thresholds - settings["standard"])))
    rows: list[dict[str, Any]] = []
    for total in settings["sums"]:
        X_scaled = scale_rows(test.X, total)
        for rule, scores in rules.scores(X_scaled).items():
            sweep = sweep_of(rule, scores, test.y, thresholds)
            best = sweep.lowest_set_error()
            row = {
                "sum": total or 0,
                "rule": rule,
                "best": thresholds[best],
                "lowest": sweep.set_error[best],
                "set_error": sweep.set_error[standard],
                "precision": sweep.precision[standard],
                "recall": sweep.recall[standard],
            }
            rows.append(row)
    unscaled = {row["rule"]: row for row in rows if row["sum"] == 0}
    values = {}
    for name, column in (("at_best", "lowest"), ("at_standard", "set_error")):
        ratio = unscaled["binary"][column] / unscaled["accumulated"][column]
        values[f"ratio_{name}"] = float(ratio)
    return Measure(values, {"sums": rows})


def binary_readings(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Find the best threshold of the binary classifiers for each rule for b, prior and use of unlabelled documents.

    Settings: see `threshold_curves`, and ``discounts`` (numbers or identifiers of rules), ``priors`` and ``unlabelled``
    (see `AbsoluteDiscountingBinary`).
    Result: the table ``readings`` has a row for each combination: the best threshold on the test documents with its
    exact-set error. ``best_least`` and ``best_most`` are the smallest and the largest of these thresholds.
    """
    trial = only(sources).first("labels")
    thresholds = thresholds_of(settings)
    length = params_of(settings)["length"]
    rows: list[dict[str, Any]] = []
    names = ("discount", "priors", "unlabelled")
    for combination in itertools.product(settings["discounts"], settings["priors"], settings["unlabelled"]):
        params = dict(zip(names, combination, strict=True))
        model = trial.train.fitted(AbsoluteDiscountingBinary(**params, length=length))
        sweep = sweep_of("binary", model.decision_function(trial.test.X), trial.test.y, thresholds)
        best = sweep.lowest_set_error()
        rows.append({**params, "best": thresholds[best], "lowest": sweep.set_error[best]})
    best_thresholds = [float(row["best"]) for row in rows]
    values = {"best_least": min(best_thresholds), "best_most": max(best_thresholds)}
    return Measure(values, {"readings": rows})


def scale_rows(X: sparse.csr_array, total: float | None) -> sparse.csr_array:
    """Scale each row of a matrix of counts to the same sum.

    Parameters
    ----------
    X : csr_array of shape (n_documents, n_words)
    total : float or None
        Return X unchanged if None.

    Returns
    -------
    csr_array of shape (n_documents, n_words)
        Empty rows remain empty.
    """
    if total is None:
        return X
    sums = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    factors = total / np.maximum(sums, 1.0)
    return sparse.csr_array(sparse.diags_array(factors) @ X)
