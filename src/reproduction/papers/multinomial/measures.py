"""Vilar, Castro & Sanchis on Reuters-21578: Table 1, the single-label error, Figures 1 and 2, and the open choices.

Every measure takes one data set with the split of its source: documents with one label, several, or none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
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
    """Count training and test documents with no label, one label and several labels, and their shares (Table 1)."""
    source = only(sources)
    values: dict[str, float] = {}
    for part, rows in (("train", source.splits.train[0]), ("test", source.splits.test[0])):
        number = np.minimum(mentions(source)[rows], 2)
        for kind, name in enumerate(("no_label", "unilabel", "multilabel")):
            values[f"{part}_{name}"] = float(np.sum(number == kind))
            values[f"{part}_{name}_share"] = float(np.mean(number == kind))
    return Measure(values)


@dataclass(frozen=True)
class _SingleLabel:
    """The single-label problem: training and test documents with one label, and training documents without a label."""

    train: Documents
    test: Documents
    unlabelled: Documents

    @classmethod
    def of(cls, sources: Sources) -> _SingleLabel:
        """Return the problem of a data set."""
        source = only(sources)
        trial, number = only(sources).first("labels"), mentions(source)
        of_train, of_test = number[source.splits.train[0]], number[source.splits.test[0]]
        return cls(trial.train[of_train == 1], trial.test[of_test == 1], trial.train[of_train == 0])

    def wrong(self, params: Mapping[str, Any]) -> np.ndarray:
        """Return which test documents get a wrong label, bool (N,), after training on `train` and `unlabelled`."""
        return _errors_of(stack(self.train, self.unlabelled), self.test, params)

    def cross_validated(self, folds: int, params: Mapping[str, Any]) -> int:
        """Return the number of errors on `train`, each document predicted by a model of the folds without it.  Fold k
        has the documents k, k + ``folds``, ..., the same for every way to count words.
        """
        parts = halves_of(fold_numbers(len(self.train), folds))
        return sum(int(_errors_of(self.train[fit], self.train[fold], params).sum()) for fit, fold in parts)


def _errors_of(train: Documents, test: Documents, params: Mapping[str, Any]) -> np.ndarray:
    """Return which single-label test documents a trained classifier gives a wrong label, bool (N,)."""
    model = train.fitted(AbsoluteDiscountingClassifier(**params))
    return np.argmax(model.predict_log_proba(test.X), axis=1) != test.y.indices


def single_label(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the error of the single-label problem (section 4.2) for the choice of the settings, and for every choice.

    Settings: ``discount``, ``discount_counts``, ``length``, the choice of the main values, see
    `AbsoluteDiscountingClassifier` (``length: none`` for None); ``folds``, parts of the training documents for
    cross-validation.
    Result: the table ``choices`` has the errors of every choice; keys with ``with_unlabelled`` train on the unlabelled
    documents too, and ``chance_of_gain_with_unlabelled`` is a p-value.
    """
    problem = _SingleLabel.of(sources)
    wrong = problem.wrong(params_of(settings, unlabelled="ignore"))
    helped = problem.wrong(params_of(settings))
    n_train, n_test = problem.train.X.shape[0], problem.test.X.shape[0]
    seen = problem.train.y.sum(axis=0) > 0
    values = {
        "training_documents": n_train,
        "classes": np.count_nonzero(seen),
        "test_documents": n_test,
        "test_documents_of_unseen_classes": np.count_nonzero(~seen[problem.test.y.indices]),
        "errors": wrong.sum(),
        "error_rate": wrong.mean(),
        "error_rate_with_unlabelled": helped.mean(),
        "change_of_error_with_unlabelled": helped.mean() - wrong.mean(),
        "chance_of_gain_with_unlabelled": _chance_of_gain(wrong, helped),
        "cross_validated_error_rate": problem.cross_validated(settings["folds"], params_of(settings)) / n_train,
    }
    rows = _choices(problem, settings["folds"])
    for row in rows:
        if (row["discount_counts"], row["length"]) == (settings["discount_counts"], settings["length"]):
            values[f"error_rate_{row['discount']}"] = row["errors"] / n_test
    return Measure(values, {"choices": rows})


def _choices(problem: _SingleLabel, folds: int) -> list[dict[str, Any]]:
    """Return the errors of every rule for b, pooling of counts and length normalisation."""
    rows = []
    for discount, pooling, length in itertools.product(RULES, ("pooled", "per_class"), LENGTHS):
        params = {"discount": discount, "discount_counts": pooling, "length": LENGTHS[length]}
        rows.append(
            {
                "discount": discount,
                "discount_counts": pooling,
                "length": length,
                "training_documents": problem.train.X.shape[0],
                "cross_validated_errors": problem.cross_validated(folds, params),
                "test_documents": problem.test.X.shape[0],
                "errors": int(problem.wrong({**params, "unlabelled": "ignore"}).sum()),
                "errors_with_unlabelled": int(problem.wrong(params).sum()),
            }
        )
    return rows


def _chance_of_gain(before: np.ndarray, after: np.ndarray) -> float:
    """Return the one-sided p-value of the sign test that `after` is no better than `before`; 1 without a change."""
    from scipy import stats  # here, for it takes a second to import and most measures need no test

    gained, lost = int(np.sum(before & ~after)), int(np.sum(~before & after))
    return float(stats.binomtest(gained, gained + lost, alternative="greater").pvalue) if gained + lost else 1.0


def threshold_curves(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure precision, recall and exact-set error against the threshold (Figures 1 and 2), and validated thresholds.

    To validate a threshold, models are trained on a part of the training documents.  The threshold with the fewest
    wrong label sets on the labelled documents of the other part is chosen.  Its scores on the test documents come from
    models that are trained on all training documents.

    Settings: ``discount``, ``discount_counts``, ``length``; ``low``, ``high``, ``steps`` and ``powers`` of the
    thresholds, see `thresholds_of`; ``standard``, the usual threshold (section 2.2); ``validation``, the share of
    training documents left out to choose a threshold; ``least``, the fewest of these documents for which a class gets a
    threshold of its own (section 2.2).
    Result: the table ``curves`` has a row for each method, test set and threshold.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    thresholds, params = thresholds_of(settings), params_of(settings)
    scores = Rules(train, params).scores(test.X)
    fit, left_out = validation(train, settings["validation"], generator)
    left_scores = Rules(fit, params).scores(left_out.X)
    values: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    for method in METHODS:
        validated = sweep_of(method, left_scores[method], left_out.y, thresholds).lowest_set_error()
        sweeps = {
            name: sweep_of(method, scores[method][rows_of], test.y[rows_of], thresholds)
            for name, rows_of in (("all", np.ones_like(test.labelled)), ("labelled", test.labelled))
        }
        values |= _curve_values(method, sweeps, validated, (0.1, settings["standard"], 0.9))
        rows += _curve_rows(method, sweeps, validated)
        if not test.labelled.all():
            lost = sweep_of(method, scores[method][~test.labelled], test.y[~test.labelled], thresholds)
            values[f"{method}_set_error_on_unlabelled"] = lost.set_error.min()
    choose = {"default": special.logit(values["binary_threshold"]), "least": settings["least"]}
    values |= _per_class(left_scores["binary"], left_out.y, scores["binary"], test.y, choose)
    values["largest_ratio_of_ranges"] = _largest_ratio_of_ranges(rows)
    return Measure(values, {"curves": rows})


def _largest_ratio_of_ranges(curves: Iterable[Mapping[str, Any]]) -> float:
    """Return how many times wider the wider of the two methods' ranges is, on the axis where this is largest."""
    points = [row for row in curves if row["test"] == "all"]
    widths = np.array(
        [
            [np.ptp([row[axis] for row in points if row["method"] == method]) for method in METHODS]
            for axis in ("precision", "recall")
        ]
    )
    return float(np.max(widths.max(axis=1) / widths.min(axis=1)))


def _curve_values(method: str, sweeps: Mapping[str, Sweep], validated: int, shown: Iterable[float]) -> dict[str, float]:
    """Return the values of a method's curves; without a suffix at the validated threshold on all test documents."""
    sweep, labelled = sweeps["all"], sweeps["labelled"]
    thresholds = sweep.thresholds
    values = {
        f"{method}_threshold": thresholds[validated],
        f"{method}_best_threshold": thresholds[sweep.lowest_set_error()],
        f"{method}_lowest_set_error": sweep.set_error.min(),
        f"{method}_lowest_set_error_without_unlabelled": labelled.set_error.min(),
        f"{method}_set_error_near_0": sweep.set_error[0],
        f"{method}_set_error_near_0_without_unlabelled": labelled.set_error[0],
        f"{method}_set_error_near_1": sweep.set_error[-1],
    }
    for name in ("precision", "recall", "f1", "set_error"):
        values[f"{method}_{name}"] = getattr(sweep, name)[validated]
        values[f"{method}_{name}_without_unlabelled"] = getattr(labelled, name)[validated]
    values[f"{method}_wrong_share"] = 1.0 - sweep.precision[validated]
    values[f"{method}_gain_without_unlabelled"] = labelled.precision[validated] - sweep.precision[validated]
    for at in shown:
        values[f"{method}_set_error_at_{at:g}"] = sweep.set_error[np.argmin(np.abs(thresholds - at))]
    return values


def _curve_rows(method: str, sweeps: Mapping[str, Sweep], validated: int) -> Iterable[dict[str, Any]]:
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


def _per_class(
    left_scores: np.ndarray, left_Y: sparse.csr_array, scores: np.ndarray, Y: sparse.csr_array, choose: dict[str, Any]
) -> dict[str, float]:
    """Return the test scores with one validated threshold a class, for each criterion of validation."""
    values = {}
    for criterion in CRITERIA:
        limits = class_thresholds(left_scores, left_Y, criterion=criterion, **choose)
        sets = threshold_sets(scores, limits)
        sweep = threshold_sweep(sets, Y, [0.5])
        for name in ("precision", "recall", "f1", "set_error"):
            values[f"binary_{name}_per_class_{criterion}"] = getattr(sweep, name)[0]
    return values


def expectation_maximisation(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the errors for each use of the unlabelled training documents: none, in smoothing, and EM (Nigam et al.).

    Settings: as for `threshold_curves`, and ``tol``, ``max_iter`` of EM.
    Result: the single-label error rate, and the exact-set error and F1 of the accumulated rule, for each use (keys end
    in ``ignore``, ``smoothing``, ``em``), and the table ``path``, the log-likelihood at each step of EM.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    problem, thresholds = _SingleLabel.of(sources), thresholds_of(settings)
    fit, left_out = validation(train, settings["validation"], generator)
    values: dict[str, float] = {}
    paths: list[dict[str, Any]] = []
    for use in ("ignore", "smoothing", "em"):
        params = params_of(settings, unlabelled=use, tol=settings["tol"], max_iter=settings["max_iter"])
        values[f"error_rate_{use}"] = problem.wrong(params).mean()
        proba = _posteriors(fit, left_out, params)[1]
        validated = accumulated_sweep(proba, left_out.y, thresholds).lowest_set_error()
        model, proba = _posteriors(train, test, params)
        sweep = accumulated_sweep(proba, test.y, thresholds[validated : validated + 1])
        values[f"set_error_{use}"], values[f"f1_{use}"] = sweep.set_error[0], sweep.f1[0]
        paths += [{"step": k, "log_likelihood": value} for k, value in enumerate(model.objective_path_)]
    values["steps"] = len(paths)
    return Measure(values, {"path": paths})


def _posteriors(
    train: Documents, test: Documents, params: Mapping[str, Any]
) -> tuple[AbsoluteDiscountingClassifier, np.ndarray]:
    model = train.fitted(AbsoluteDiscountingClassifier(**params))
    return model, model.predict_proba(test.X)


def document_lengths(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure both rules with the counts of each test document scaled to one sum, for several sums.

    Settings: as for `threshold_curves`, and ``sums``, of the scaled counts; null for counts as they are.  Result: the
    table ``sums`` has a row for each sum and rule: the best threshold on the test documents with its exact-set error,
    and error, precision and recall at the ``standard`` threshold; its values are the ratio of the errors of both rules
    for counts as they are, at the best thresholds and at ``standard``.
    """
    trial = only(sources).first("labels")
    train, test = trial.train, trial.test
    thresholds, params = thresholds_of(settings), params_of(settings)
    rules = Rules(train, params)
    at = int(np.argmin(np.abs(thresholds - settings["standard"])))
    rows: list[dict[str, Any]] = []
    for total in settings["sums"]:
        for rule, scores in rules.scores(scale_rows(test.X, total)).items():
            sweep = sweep_of(rule, scores, test.y, thresholds)
            best = sweep.lowest_set_error()
            errors = {"lowest": sweep.set_error[best], "set_error": sweep.set_error[at]}
            shares = {"precision": sweep.precision[at], "recall": sweep.recall[at]}
            rows.append({"sum": total or 0, "rule": rule, "best": thresholds[best], **errors, **shares})
    whole = {row["rule"]: row for row in rows if row["sum"] == 0}
    ratios = {
        f"ratio_{name}": whole["binary"][key] / whole["accumulated"][key]
        for name, key in (("at_best", "lowest"), ("at_standard", "set_error"))
    }
    return Measure({name: float(value) for name, value in ratios.items()}, {"sums": rows})


def binary_readings(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Find the best threshold of the binary classifiers by each rule for b, each prior and each use of unlabelled ones.

    Settings: as for `threshold_curves`, and ``discounts``, numbers or rules; ``priors`` and ``unlabelled``, as of
    `AbsoluteDiscountingBinary`.  Result: the table ``readings`` has a row for each reading: the best threshold on the
    test documents with its exact-set error; ``best_least`` and ``best_most`` are the ends of the best thresholds.
    """
    trial, thresholds = only(sources).first("labels"), thresholds_of(settings)
    rows: list[dict[str, Any]] = []
    names = ("discount", "priors", "unlabelled")
    for reading in itertools.product(settings["discounts"], settings["priors"], settings["unlabelled"]):
        chosen = dict(zip(names, reading, strict=True))
        model = trial.train.fitted(AbsoluteDiscountingBinary(**chosen, length=params_of(settings)["length"]))
        sweep = sweep_of("binary", model.decision_function(trial.test.X), trial.test.y, thresholds)
        best = sweep.lowest_set_error()
        rows.append({**chosen, "best": thresholds[best], "lowest": sweep.set_error[best]})
    ends = [float(row["best"]) for row in rows]
    return Measure({"best_least": min(ends), "best_most": max(ends)}, {"readings": rows})


def scale_rows(X: sparse.csr_array, total: float | None) -> sparse.csr_array:
    """Return counts X (N, V) with each row scaled to a sum, CSR; unchanged for None.  An empty row stays empty."""
    if total is None:
        return X
    sums = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    return sparse.csr_array(sparse.diags_array(total / np.maximum(sums, 1.0)) @ X)
