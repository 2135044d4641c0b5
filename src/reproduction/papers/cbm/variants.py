"""Variants of the chains and of boosting: which readings of the authors' tools give the printed numbers."""

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

#: Label sets that MEKA's PCC scores for a document, at most; it lets the first labels vary first.
MEKA_LIMIT = 1_000_000
#: Least threshold of votes, as in MEKA.
LEAST_THRESHOLD = 1e-5

Predicted = Iterable[tuple[str, np.ndarray]]


def chain_variants(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare inferences in chains of several orders, and votes of several ensembles.

    Settings: ``params``, role -> parameters of `ClassifierChain`; ``orders`` and ``ensembles``, role -> number of
    chains and of ensembles; ``samples`` of the Monte-Carlo inference; ``beam_width``.
    Result: the table ``runs`` (role, variant, run, subset_accuracy); the value ``<role>_<variant>`` is the mean over
    the runs with its deviation, and ``<role>_reach`` the share of test documents whose true set MEKA's PCC scores.
    """
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for role, source in sources.items():
        trial = source.first("indicators")
        params = settings["params"][role]
        for run in range(settings["orders"][role]):
            rows += _score_rows(role, run, trial, _inferences(trial, params, settings, seed_from(generator)))
        for run in range(settings["ensembles"][role]):
            rows += _score_rows(role, run, trial, _ensemble_votes(trial, params, seed_from(generator)))
        values[f"{role}_reach"] = float(within_reach(trial.test.y).mean())
    return Measure({**values, **_accuracies_of_runs(rows)}, {"runs": rows})


def boosting_variants(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare the boosted power set with both kinds of trees after several numbers of rounds.

    Settings: ``rounds``, increasing; ``leaves`` of a tree; ``tree_methods``, see `BoostedPowerSet`.
    Result: the table ``runs`` and the values ``<role>_<tree method>_<n>`` after n rounds, see `chain_variants`.
    """
    rows: list[dict[str, Any]] = []
    size = {"trees": settings["rounds"][-1], "leaves": settings["leaves"]}
    for role, source in sources.items():
        trial = source.first("indicators")
        for method in settings["tree_methods"]:
            model = trial.train.fitted(BoostedPowerSet(**size, tree_method=method))
            predictions = predict_after(model, trial.test.X, settings["rounds"])
            rows += _score_rows(role, 0, trial, ((f"{method}_{rounds}", sets) for rounds, sets in predictions))
    return Measure(_accuracies_of_runs(rows), {"runs": rows})


def predict_after(model: BoostedPowerSet, X: Any, rounds: Iterable[int]) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each number of rounds and the label sets (N, L) that a fitted model predicts from its first rounds."""
    trees = model._gate.trees
    forest = trees.forest
    for number in rounds:
        trees.forest = forest._replace(root=forest.root[: number * trees.outputs])
        yield number, model.predict(X)
    trees.forest = forest


def sampler_seeds(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Predict from one dependency network with several seeds of its sampler.

    Settings: ``params`` of `DependencyNetwork`; ``runs``, number of seeds.
    Result: the table ``runs`` and the value ``<role>_network``, see `chain_variants`; the values ``<role>_least`` and
    ``<role>_most`` are the ends over the seeds.
    """
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for role, source in sources.items():
        trial = source.first("indicators")
        network = trial.train.fitted(DependencyNetwork(**settings["params"], random_state=seed_from(generator)))
        for run in range(settings["runs"]):
            network.seed_ = seed_from(generator)
            rows += _score_rows(role, run, trial, [("network", network.predict(trial.test.X))])
        accuracies = [row["subset_accuracy"] for row in rows if row["role"] == role]
        values |= {f"{role}_least": min(accuracies), f"{role}_most": max(accuracies)}
    return Measure({**values, **_accuracies_of_runs(rows)}, {"runs": rows})


def restored_parent(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Compare methods on the labels as they are, with one that the public form has lost, and without one at the test.

    The lost label is made of its children.  A label that the test documents lack is one that a raw file has there in
    another column: models of all labels are scored against label sets without it.

    Settings: ``children``, numbers from 1 of the labels whose union the lost one is; ``missed``, the number of the
    label that test documents lack; ``params`` of all methods.
    Result: the table ``runs``, the values ``<role>_<method>``, ``<role>_<method>_restored`` and
    ``<role>_<method>_missed`` of ``binrel``, ``powset`` and ``paircrf``, see `chain_variants`, and the numbers of label
    sets, ``<role>_sets``, ``<role>_sets_restored`` and ``<role>_sets_missed``.
    """
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    kinds = {"binrel": BinaryRelevance, "powset": PowerSet, "paircrf": PairwiseCRF}
    children = np.asarray(settings["children"]) - 1
    for role, source in sources.items():
        trial = source.first("indicators")
        for end, change in (("", lambda Y: Y), ("_restored", lambda Y: with_parent(Y, children))):
            train, test = (Documents(part.X, change(part.y)) for part in (trial.train, trial.test))
            made = [(name, kind(**settings["params"]).fit(train.X, train.y)) for name, kind in kinds.items()]
            predicted = [(name + end, model.predict(test.X)) for name, model in made]
            rows += _score_rows(role, 0, Trial(0, train, test), predicted)
            values[f"{role}_sets{end}"] = _number_of_sets(train.y, test.y)
            if not end:
                lacking = Documents(test.X, without(test.y, settings["missed"] - 1))
                missed = [(f"{name}_missed", sets) for name, sets in predicted]
                rows += _score_rows(role, 0, Trial(0, train, lacking), missed)
                values[f"{role}_sets_missed"] = _number_of_sets(train.y, lacking.y)
    return Measure({**values, **_accuracies_of_runs(rows)}, {"runs": rows})


def without(Y: np.ndarray, label: int) -> np.ndarray:
    """Return label indicators Y (N, L) with nothing in one column."""
    return np.where(np.arange(Y.shape[1]) == label, 0, Y)


def _number_of_sets(*parts: np.ndarray) -> float:
    return float(len(np.unique(np.vstack(parts), axis=0)))


def with_parent(Y: np.ndarray, children: np.ndarray) -> np.ndarray:
    """Return label indicators Y (N, L) with one more column, 1 where a document has one of some labels, (N, L + 1)."""
    return np.column_stack([Y, Y[:, children].any(axis=1)])


def _score_rows(role: str, run: int, trial: Trial, predictions: Predicted) -> Iterator[dict[str, Any]]:
    """Yield a row for each variant and the label sets that it predicts, int64 (N, L)."""
    for variant, predicted in predictions:
        accuracy = subset_accuracy(trial.test.y, predicted)
        yield {"role": role, "variant": variant, "run": run, "subset_accuracy": accuracy}


def _accuracies_of_runs(rows: Iterable[Mapping[str, Any]]) -> dict[str, Repeated]:
    """Return the accuracy of each run of each variant on each data set."""
    accuracies: dict[str, list[float]] = {}
    for row in rows:
        accuracies.setdefault(f"{row['role']}_{row['variant']}", []).append(row["subset_accuracy"])
    return {name: Repeated(values) for name, values in accuracies.items()}


def _inferences(trial: Trial, params: Mapping[str, Any], settings: Settings, seed: int) -> Predicted:
    """Yield what one chain predicts: greedily, by Monte-Carlo samples, by a beam, and as the exact mode."""
    chain = trial.train.fitted(ProbabilisticChain(**params, random_state=seed))
    Z, V = chain.feature_odds(trial.test.X), np.ascontiguousarray(chain.links_)
    for width, name in ((1, "greedy"), (settings["beam_width"], "beam")):
        yield name, search(Z, chain.order_, chain.links_, width)
    sampled = np.zeros(trial.test.y.shape, dtype=np.int64)
    sampled[:, chain.order_] = search_samples(Z, V, settings["samples"], seed)
    yield "monte_carlo", sampled
    yield "exact", chain.predict(trial.test.X)


def _ensemble_votes(trial: Trial, params: Mapping[str, Any], seed: int) -> Predicted:
    """Yield the predictions of one ensemble: labels above half or a calibrated share of the votes, and the mode."""
    model = trial.train.fitted(ChainEnsemble(**params, random_state=seed))
    shares = model.predict_proba(trial.test.X)
    yield "label_half", (shares >= 0.5).astype(np.int64)
    threshold = calibrated_threshold(shares, float(trial.train.y.sum(axis=1).mean()))
    yield "label_calibrated", (shares >= threshold).astype(np.int64)
    yield "subset", model.set_params(vote="subset").predict(trial.test.X)


def calibrated_threshold(shares: np.ndarray, cardinality: float) -> float:
    """Return the threshold of the shares of votes (N, L) at which documents have a given mean number of labels, as
    MEKA's ThresholdUtils sets it: it looks at the predictions for all test documents, though not at their labels.
    """
    ordered = np.sort(shares, axis=None)
    index = min(max(ordered.size - round(cardinality * len(shares)), 0), ordered.size - 1)
    return max(float(ordered[index] + ordered[max(index - 1, 0)]) / 2.0, LEAST_THRESHOLD)


def within_reach(Y: np.ndarray, limit: int = MEKA_LIMIT) -> np.ndarray:
    """Return whether each label set is among the first that MEKA's PCC scores, bool (N,).  They are counted up like a
    binary number whose lowest digit is the first label.
    """
    digits = min(Y.shape[1], limit.bit_length())
    number = Y[:, :digits].astype(np.int64) @ (1 << np.arange(digits, dtype=np.int64))
    return np.asarray((number < limit) & ~Y[:, digits:].any(axis=1))
