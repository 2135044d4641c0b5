"""Variants of chains and boosting: interpretations of the authors' tools compared with the published values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Repeated, Settings, Sources, seed_from
from textmix.experiment.trial import Documents, Trial
from textmix.metrics.multilabel import subset_accuracy
from textmix.models.label_sets.chain_kernels import search_samples
from textmix.models.label_sets.chains import ChainEnsemble, DependencyNetwork, ProbabilisticChain, search
from textmix.models.label_sets.estimators import BinaryRelevance, BoostedPowerSet, PairwiseCRF, PowerSet

#: Maximum number of label sets that MEKA's PCC scores per document; its enumeration varies the first labels fastest.
MEKA_LIMIT = 1_000_000
#: Minimum threshold on votes, as in MEKA.
LEAST_THRESHOLD = 1e-5

Predicted = Iterable[tuple[str, np.ndarray]]


def chain_variants(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare inference methods for chains with several label orders, and voting rules for several ensembles.

    Settings: ``params``, parameters of `ClassifierChain` by role; ``orders`` and ``ensembles``, numbers of chains and
    of ensembles by role; ``samples``, number of samples of the Monte Carlo inference; ``beam_width``.
    Result: the table ``runs`` (role, variant, run, subset_accuracy). ``<role>_<variant>`` is the mean over the runs
    with its standard deviation, and ``<role>_reach`` the proportion of test documents for which MEKA's PCC scores the
    true label set.
    """
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for role, source in sources.items():
        trial = source.first("indicators")
        params = settings["params"][role]
        for run in range(settings["orders"][role]):
            predictions = _inferences(trial, params, settings, seed_from(generator))
            rows += _score_rows(role, run, trial, predictions)
        for run in range(settings["ensembles"][role]):
            predictions = _ensemble_votes(trial, params, seed_from(generator))
            rows += _score_rows(role, run, trial, predictions)
        values[f"{role}_reach"] = float(within_reach(trial.test.y).mean())
    return Measure({**values, **_accuracies_of_runs(rows)}, {"runs": rows})


def boosting_variants(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare the boosted label powerset with both tree implementations after several numbers of boosting rounds.

    Settings: ``rounds``, increasing; ``leaves`` per tree; ``tree_methods``, see `BoostedPowerSet`.
    Result: the table ``runs`` and the values ``<role>_<tree method>_<n>`` after n rounds, see `chain_variants`.
    """
    rows: list[dict[str, Any]] = []
    size = {"trees": settings["rounds"][-1], "leaves": settings["leaves"]}
    for role, source in sources.items():
        trial = source.first("indicators")
        for method in settings["tree_methods"]:
            model = trial.train.fitted(BoostedPowerSet(**size, tree_method=method))
            for rounds, sets in predict_after(model, trial.test.X, settings["rounds"]):
                rows += _score_rows(role, 0, trial, [(f"{method}_{rounds}", sets)])
    return Measure(_accuracies_of_runs(rows), {"runs": rows})


def predict_after(model: BoostedPowerSet, X: Any, rounds: Iterable[int]) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each number of rounds and the label sets (N, L) predicted by the first rounds of a fitted model."""
    trees = model._gate.trees
    forest = trees.forest
    for number in rounds:
        trees.forest = forest._replace(root=forest.root[: number * trees.outputs])
        yield number, model.predict(X)
    trees.forest = forest


def sampler_seeds(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the accuracy of one dependency network with several seeds of its Gibbs sampler.

    Settings: ``params`` of `DependencyNetwork`; ``runs``, number of seeds.
    Result: the table ``runs`` and the value ``<role>_network``, see `chain_variants`. ``<role>_least`` and
    ``<role>_most`` are the minimum and maximum over the seeds.
    """
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for role, source in sources.items():
        trial = source.first("indicators")
        network = DependencyNetwork(**settings["params"], random_state=seed_from(generator))
        trial.train.fitted(network)
        for run in range(settings["runs"]):
            network.seed_ = seed_from(generator)
            predicted = network.predict(trial.test.X)
            rows += _score_rows(role, run, trial, [("network", predicted)])
        accuracies = [row["subset_accuracy"] for row in rows if row["role"] == role]
        values[f"{role}_least"] = min(accuracies)
        values[f"{role}_most"] = max(accuracies)
    return Measure({**values, **_accuracies_of_runs(rows)}, {"runs": rows})


def restored_parent(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Compare methods on the public labels, with a restored parent label, and with a label missing in the test data.

    The parent label, which the public version of the data set lost, is restored as the union of its child labels.  The
    label missing in the test data is in a different column of the raw file there: models trained on all labels are
    evaluated against label sets without it.

    Settings: ``children``, 1-based indices of the child labels; ``missed``, 1-based index of the label that is missing
    in the test documents; ``params`` of all methods.
    Result: the table ``runs``, the values ``<role>_<method>``, ``<role>_<method>_restored`` and
    ``<role>_<method>_missed`` of ``binrel``, ``powset`` and ``paircrf``, see `chain_variants`, and the numbers of label
    sets, ``<role>_sets``, ``<role>_sets_restored`` and ``<role>_sets_missed``.
    """
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    estimator_classes = {"binrel": BinaryRelevance, "powset": PowerSet, "paircrf": PairwiseCRF}
    children = np.asarray(settings["children"]) - 1
    for role, source in sources.items():
        trial = source.first("indicators")
        for end, change in (("", lambda Y: Y), ("_restored", lambda Y: with_parent(Y, children))):
            train = Documents(trial.train.X, change(trial.train.y))
            test = Documents(trial.test.X, change(trial.test.y))
            predicted = []
            for name, estimator_class in estimator_classes.items():
                model = estimator_class(**settings["params"]).fit(train.X, train.y)
                predicted.append((name + end, model.predict(test.X)))
            rows += _score_rows(role, 0, Trial(0, train, test), predicted)
            values[f"{role}_sets{end}"] = _number_of_sets(train.y, test.y)
            if not end:
                lacking = Documents(test.X, without(test.y, settings["missed"] - 1))
                missed = [(f"{name}_missed", sets) for name, sets in predicted]
                rows += _score_rows(role, 0, Trial(0, train, lacking), missed)
                values[f"{role}_sets_missed"] = _number_of_sets(train.y, lacking.y)
    return Measure({**values, **_accuracies_of_runs(rows)}, {"runs": rows})


def without(Y: np.ndarray, label: int) -> np.ndarray:
    """Return label indicators Y (N, L) with one column set to 0."""
    return np.where(np.arange(Y.shape[1]) == label, 0, Y)


def _number_of_sets(*parts: np.ndarray) -> float:
    return float(len(np.unique(np.vstack(parts), axis=0)))


def with_parent(Y: np.ndarray, children: np.ndarray) -> np.ndarray:
    """Append a column to label indicators Y (N, L) that is 1 if a document has any of the child labels."""
    return np.column_stack([Y, Y[:, children].any(axis=1)])


def _score_rows(role: str, run: int, trial: Trial, predictions: Predicted) -> Iterator[dict[str, Any]]:
    """Yield a row with the subset accuracy of each variant, from its predicted label sets, int64 (N, L)."""
    for variant, predicted in predictions:
        accuracy = subset_accuracy(trial.test.y, predicted)
        yield {"role": role, "variant": variant, "run": run, "subset_accuracy": accuracy}


def _accuracies_of_runs(rows: Iterable[Mapping[str, Any]]) -> dict[str, Repeated]:
    """Group the accuracies of the runs by data set and variant."""
    accuracies: dict[str, list[float]] = {}
    for row in rows:
        key = f"{row['role']}_{row['variant']}"
        accuracies.setdefault(key, []).append(row["subset_accuracy"])
    return {name: Repeated(values) for name, values in accuracies.items()}


def _inferences(trial: Trial, params: Mapping[str, Any], settings: Settings, seed: int) -> Predicted:
    """Yield the predictions of a chain by greedy, Monte Carlo, beam-search and exact inference."""
    chain = trial.train.fitted(ProbabilisticChain(**params, random_state=seed))
    Z = chain.feature_odds(trial.test.X)
    V = np.ascontiguousarray(chain.links_)
    for width, name in ((1, "greedy"), (settings["beam_width"], "beam")):
        yield name, search(Z, chain.order_, chain.links_, width)
    sampled = np.zeros(trial.test.y.shape, dtype=np.int64)
    sampled[:, chain.order_] = search_samples(Z, V, settings["samples"], seed)
    yield "monte_carlo", sampled
    yield "exact", chain.predict(trial.test.X)


def _ensemble_votes(trial: Trial, params: Mapping[str, Any], seed: int) -> Predicted:
    """Yield the predictions of an ensemble: labels above 1/2 or a calibrated threshold of the votes, and the mode."""
    model = trial.train.fitted(ChainEnsemble(**params, random_state=seed))
    shares = model.predict_proba(trial.test.X)
    yield "label_half", (shares >= 0.5).astype(np.int64)
    cardinality = float(trial.train.y.sum(axis=1).mean())
    threshold = calibrated_threshold(shares, cardinality)
    yield "label_calibrated", (shares >= threshold).astype(np.int64)
    yield "subset", model.set_params(vote="subset").predict(trial.test.X)


def calibrated_threshold(shares: np.ndarray, cardinality: float) -> float:
    """Calibrate the threshold on proportions of votes (N, L) to a label cardinality, like MEKA's ThresholdUtils.

    The calibration uses the predictions for all test documents, but not their labels.
    """
    ordered = np.sort(shares, axis=None)
    n_labels = round(cardinality * len(shares))
    index = min(max(ordered.size - n_labels, 0), ordered.size - 1)
    previous = max(index - 1, 0)
    midpoint = float(ordered[index] + ordered[previous]) / 2.0
    return max(midpoint, LEAST_THRESHOLD)


def within_reach(Y: np.ndarray, limit: int = MEKA_LIMIT) -> np.ndarray:
    """Check whether each label set is among the first ``limit`` sets that MEKA's PCC scores, bool (N,).

    The sets are enumerated as binary numbers; the first label is the least significant bit.
    """
    digits = min(Y.shape[1], limit.bit_length())
    powers = 1 << np.arange(digits, dtype=np.int64)
    number = Y[:, :digits].astype(np.int64) @ powers
    has_later_label = Y[:, digits:].any(axis=1)
    return np.asarray((number < limit) & ~has_later_label)
