"""Measures of Li, Wang, Pavlu & Aslam: comparisons of methods, convergence of EM, exact search, and one example."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, MeasureData, Repeated, Settings, Sources, Value, only, seed_from
from textmix.experiment.trial import Trial
from textmix.metrics.multilabel import document_f
from textmix.metrics.significance import bootstrap_interval, sign_test
from textmix.models.cbm import mixture_kernels
from textmix.models.cbm.estimator import SEARCH_LIMIT, CBMClassifier
from textmix.models.label_sets.estimators import BinaryRelevance, PowerSet

#: Methods in the rows "LR" and "linear" of the table in the slides.
LINEAR = (
    "binrel_lr",
    "powset_lr",
    "cc_lr",
    "pcc_lr",
    "ecc_label_lr",
    "ecc_subset_lr",
    "cdn_lr",
    "paircrf",
    "cbm_lr",
)


def comparisons(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare every method with CBM with logistic regression on the test documents of every data set.

    Data: the predictions of the methods.
    Settings: ``reference``, the method with which every method is compared; ``resamples`` of the bootstrap.
    Result: the table ``methods`` has subset accuracy and sample-averaged F1 with 95 % intervals, the difference in
    subset accuracy from the reference with its interval, and the p-value of the sign test over documents.
    """
    rows: list[dict[str, Any]] = []
    for role, source in sources.items():
        rows += _comparison_rows(role, source, settings, generator)
    wins = sum(_wins(rows, role, settings["reference"]) for role in sources)
    return Measure({"cbm_lr_wins": wins, "data_sets": len(sources)}, {"methods": rows})


def _wins(rows: list[dict[str, Any]], role: str, reference: str) -> bool:
    """Check whether the reference has the highest subset accuracy of all methods in `LINEAR` on a data set."""
    linear_rows = [row for row in rows if row["role"] == role and row["method"] in LINEAR]
    values = {row["method"]: row["subset_accuracy"] for row in linear_rows}
    return bool(values[reference] == max(values.values()))


def _comparison_rows(
    role: str, source: MeasureData, settings: Settings, generator: Generator
) -> Iterator[dict[str, Any]]:
    """Yield one row of the table ``methods`` per method, for its first variant on the first split."""
    documents = source.splits.test_place(0)
    true = source.first("indicators").test.y
    sets = {
        name: predictions.label_sets(0, documents, true.shape[1]) for name, predictions in source.predictions.items()
    }
    best = exactly_right(true, sets[settings["reference"]])
    for name, predicted in sets.items():
        right = exactly_right(true, predicted)
        draws = settings["resamples"]
        row: dict[str, Any] = {"role": role, "method": name}
        measured = {
            "subset_accuracy": right,
            "sample_f": document_f(true, predicted),
            "difference": right - best,
        }
        for key, values in measured.items():
            mean, low, high = bootstrap_interval(values, generator, resamples=draws)
            row[key] = mean
            row[f"{key}_low"] = low
            row[f"{key}_high"] = high
        row["sign_test"] = sign_test(right, best)
        yield row


def em_path(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Record penalised log-likelihood of the training data and subset accuracy on the test data per EM iteration.

    Settings: ``params`` of `CBMClassifier`; ``runs``, number of random initialisations by role.
    Result: the table ``path``; ``largest_fall`` is the largest decrease of the objective in one iteration.
    """
    rows = []
    cases = ((role, run) for role in sources for run in range(settings["runs"][role]))
    for role, run in cases:
        trial = sources[role].first("indicators")

        def note(model: CBMClassifier, role: str = role, run: int = run, trial: Trial = trial) -> None:
            accuracy = trial.test.accuracy(model)
            row = {
                "role": role,
                "run": run,
                "iteration": model.n_iter_,
                "objective": model.objective_path_[-1],
                "subset_accuracy": accuracy,
            }
            rows.append(row)

        seed = seed_from(generator)
        model = CBMClassifier(**settings["params"], tol=0.0, random_state=seed, callback=note)
        trial.train.fitted(model)
    return Measure({"largest_fall": _largest_fall(rows)}, {"path": rows})


def _largest_fall(rows: list[dict[str, Any]]) -> float:
    """Compute the largest decrease of the objective in one EM iteration; 0 if it never decreases."""
    largest = 0.0
    for before, after in itertools.pairwise(rows):
        is_same_run = (before["role"], before["run"]) == (after["role"], after["run"])
        if is_same_run:
            largest = max(largest, before["objective"] - after["objective"])
    return largest


def components(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the accuracy of CBM with several numbers of components, and of baselines.

    Data: the predictions of the baselines.
    Settings: ``params``, parameters of `CBMClassifier` by role; ``components``, values of K by role; ``runs``, number
    of random initialisations by role; ``baselines``, methods.
    Result: the tables ``runs`` (role, components, run, subset accuracy on the test data, final objective) and
    ``baselines`` (role, method, subset accuracy), and the values ``<role>_k<K>``.
    """
    rows: list[dict[str, Any]] = []
    baselines: list[dict[str, Any]] = []
    values: dict[str, Value] = {}
    for role, source in sources.items():
        trial = source.first("indicators")
        for n_components in settings["components"][role]:
            params = {**settings["params"][role], "n_components": n_components}
            fits = [_random_start(trial, params, generator) for _ in range(settings["runs"][role])]
            for run, fit in enumerate(fits):
                rows.append({"role": role, "components": n_components, "run": run, **fit})
            accuracies = [fit["subset_accuracy"] for fit in fits]
            values[f"{role}_k{n_components}"] = Repeated(accuracies)
        documents = source.splits.test_place(0)
        for method in settings["baselines"]:
            if method in source.predictions:
                predictions = source.predictions[method]
                predicted = predictions.label_sets(0, documents, trial.test.y.shape[1])
                accuracy = float(exactly_right(trial.test.y, predicted).mean())
                baselines.append({"role": role, "method": method, "subset_accuracy": accuracy})
    return Measure(values, {"runs": rows, "baselines": baselines})


def _random_start(trial: Trial, params: Mapping[str, Any], generator: Generator) -> dict[str, float]:
    """Fit CBM from one random initialisation; return subset accuracy on the test data and the final objective."""
    seed = seed_from(generator)
    model = trial.train.fitted(CBMClassifier(**params, random_state=seed))
    accuracy = trial.test.accuracy(model)
    return {"subset_accuracy": accuracy, "objective": float(model.objective_path_[-1])}


def exact_search(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Count the label sets that the exact search scores, and check its mode by enumeration for small L.

    Smaller problems use the first labels of each data set.

    Settings: ``params`` of `CBMClassifier`; ``components``, values of K; ``labels``, values of L in addition to the
    total number of labels; ``enumerated``, the largest L for which all label sets are enumerated; ``documents``, number
    of test documents.
    Result: the number of searches with a mode that is less probable than the best of all label sets, the mean number of
    scored label sets, and the table ``evaluations``.  A set is counted once for each component that generates it
    (`mixture_kernels.search_modes`), so that the number may exceed 2^L.
    """
    rows: list[dict[str, Any]] = []
    mismatches = 0
    counted = []
    for role, source in sources.items():
        trial = source.first("indicators")
        X = trial.test.X[: settings["documents"]]
        n_labels = trial.train.y.shape[1]
        sizes = sorted({n for n in settings["labels"] if n < n_labels} | {n_labels})
        for n_components in settings["components"]:
            params = {**settings["params"], "n_components": n_components}
            model = CBMClassifier(**params, random_state=seed_from(generator))
            pi, b = trial.train.fitted(model).components(X)
            tiny = np.finfo(np.float64).tiny
            log_complement = np.log1p(-np.minimum(b, 1.0 - 2.0**-53))
            odds = np.log(np.maximum(b, tiny)) - log_complement
            log_pi = np.log(np.maximum(pi, tiny))
            for size in sizes:
                z = np.ascontiguousarray(odds[:, :, :size].swapaxes(0, 1))
                _, value, tried, exact = mixture_kernels.search_modes(log_pi, z, True, SEARCH_LIMIT)
                if size <= settings["enumerated"]:
                    is_better = _best_by_enumeration(log_pi, z) > value + 1e-9
                    mismatches += int(np.sum(is_better))
                counted.append(tried)
                row = {
                    "role": role,
                    "components": n_components,
                    "labels": size,
                    "evaluations": tried.mean(),
                    "largest": int(tried.max()),
                    "exact": float(exact.mean()),
                }
                rows.append(row)
    mean = float(np.concatenate(counted).mean())
    values: dict[str, Value] = {
        "mismatches_with_enumeration": mismatches,
        "mean_evaluations": mean,
    }
    return Measure(values, {"evaluations": rows})


def _best_by_enumeration(log_pi: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Compute the largest log probability of the 2^L label sets, float64 (N,)."""
    best = np.full(len(log_pi), -np.inf)
    base = log_pi.T - np.logaddexp(0.0, Z).sum(axis=2)
    for labels in itertools.product((0.0, 1.0), repeat=Z.shape[2]):
        log_joint = base + Z @ np.array(labels)
        best = np.maximum(best, np.logaddexp.reduce(log_joint, axis=0))
    return best


def special_cases(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare CBM with one component to BinRel, and CBM with one hard component per label set to PowSet.

    Settings: ``variance`` of both; ``steps``, maximum number of solver iterations; ``tol``, tolerance of the solvers of
    PowSet and of CBM with one component per label set, see `textmix.models.linear.solvers.minimise`.
    """
    trial = only(sources).first("indicators")
    shared = {
        "variance": settings["variance"],
        "max_iter": 1,
        "floor": 0.0,
        "steps": settings["steps"],
    }
    mixture = CBMClassifier(n_components=1, constant=0.0, step_tol=1e-16, **shared)
    solved = {"variance": settings["variance"], "max_iter": settings["steps"]}
    single = BinaryRelevance(tol=1e-16, **solved)
    hard = CBMClassifier(init="label_sets", step_tol=settings["tol"], **shared)
    powerset = PowerSet(tol=settings["tol"], **solved)
    X = trial.test.X
    marginals = [trial.train.fitted(model).predict_proba(X) for model in (mixture, single)]
    sets = [trial.train.fitted(model).predict(X) for model in (hard, powerset)]
    values: dict[str, Value] = {
        "largest_difference_from_binrel": np.abs(marginals[0] - marginals[1]).max(),
        "largest_difference_from_powset": np.abs(sets[0] - sets[1]).max(),
    }
    return Measure(values)


def illustration(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Illustrate one test document, preferably with a correct mode that contains a label with a marginal below 1/2.

    Data: the data set with the most labels.
    Settings: ``params`` of `CBMClassifier`; ``components``, number of components with the largest weights to show.
    Result: the tables ``components`` (label probabilities of the components), ``labels`` (marginals, mode and true
    labels) and ``correlations``, for labels that are true, in the mode, or probable.
    """
    source = max(sources.values(), key=lambda source: len(source.corpus.label_names))
    trial = source.first("indicators")
    label_names = source.corpus.label_names
    seed = seed_from(generator)
    model = trial.train.fitted(CBMClassifier(**settings["params"], random_state=seed))
    modes, log_mode, _ = model.search(trial.test.X)
    marginals = model.predict_proba(trial.test.X)
    is_improbable = (modes == 1) & (marginals < 0.5)
    is_probable = (modes == 1) & (marginals >= 0.5)
    has_improbable = is_improbable.any(axis=1)
    has_pair = has_improbable & is_probable.any(axis=1)
    is_correct = exactly_right(trial.test.y, modes)
    document = _document_to_show(has_improbable, has_pair, is_correct, np.exp(log_mode))
    X = trial.test.X[[document]]
    mode = modes[document]
    marginal = marginals[document]
    true = trial.test.y[document]
    pi, b = model.components(X)
    heavy = np.argsort(-pi[0], kind="stable")[: settings["components"]]
    is_probable_in_component = b[0, heavy].max(axis=0) > 0.3
    is_shown = (mode == 1) | (true == 1) | (marginal > 0.1) | is_probable_in_component
    labels = np.flatnonzero(is_shown)
    names = [label_names[int(label)] for label in labels]
    marginal_set = mode & (marginal >= 0.5).astype(np.int8)
    correlation = model.label_correlations(X)[0]
    log_proba = model.set_log_proba(X, marginal_set[np.newaxis])
    marginals_of_improbable = marginal[is_improbable[document]]
    values: dict[str, Value] = {}
    values["mode_holds_a_label_below_one_half"] = float(has_improbable[document])
    values["documents_with_such_a_label"] = float(has_improbable.mean())
    values["document"] = float(document)
    values["labels"] = float(len(label_names))
    values["probability_of_mode"] = float(np.exp(log_mode[document]))
    values["probability_of_marginal_set"] = float(np.exp(log_proba[0]))
    values["marginal_of_label"] = float(marginals_of_improbable.min(initial=1.0))
    label_rows = []
    for name, label in zip(names, labels, strict=True):
        row = {
            "label": name,
            "marginal": marginal[label],
            "mode": int(mode[label]),
            "true": int(true[label]),
        }
        label_rows.append(row)
    correlations = []
    for i, j in itertools.product(labels, labels):
        first = label_names[int(i)]
        second = label_names[int(j)]
        correlations.append({"first": first, "second": second, "correlation": correlation[i, j]})
    tables = {
        "components": _component_rows(heavy, pi[0], b[0], labels, names),
        "labels": label_rows,
        "correlations": correlations,
    }
    return Measure(values, tables)


def _component_rows(
    components: np.ndarray, weights: np.ndarray, probabilities: np.ndarray, labels: np.ndarray, names: list[str]
) -> list[dict[str, Any]]:
    """Return one row per component, in order of decreasing weight, and label, from weights (K,) and (K, L)."""
    rows: list[dict[str, Any]] = []
    for rank, component in enumerate(components):
        for name, label in zip(names, labels, strict=True):
            row = {
                "component": rank,
                "weight": weights[component],
                "label": name,
                "probability": probabilities[component, label],
            }
            rows.append(row)
    return rows


def _document_to_show(
    has_improbable: np.ndarray, has_pair: np.ndarray, is_correct: np.ndarray, probability: np.ndarray
) -> int:
    """Select the test document to show.

    Ranking criteria in decreasing priority: the mode contains labels with marginals both below and above 1/2; it
    contains a label with a marginal below 1/2; it equals the true label set; its probability.
    """
    rank = 8.0 * has_pair + 4.0 * has_improbable + 2.0 * is_correct + probability
    return int(np.argmax(rank))


def exactly_right(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return 1 for each predicted label set that equals the true one, otherwise 0, float64 (N,)."""
    return np.asarray((true == predicted).all(axis=1), dtype=np.float64)
