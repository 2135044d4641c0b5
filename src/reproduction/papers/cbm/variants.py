"""Variants of the chains and of boosting: which readings of the authors' tools give the printed numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from reproduction.papers.cbm.boosting import ClippedPowerSet, predicted_after
from reproduction.papers.cbm.parts import Parts, deviation_of, exactly_right, seed_from
from reproduction.stored.measures import Measure, MeasureData
from textmix.models.label_sets.boosted import BoostedPowerSet
from textmix.models.label_sets.chain_sampling_kernels import search_samples
from textmix.models.label_sets.chains import ChainEnsemble, search
from textmix.models.label_sets.dependency_network import DependencyNetwork
from textmix.models.label_sets.exact_chain import ProbabilisticChain

#: Label sets that MEKA's PCC scores for a document, at most; it lets the first labels vary first.
MEKA_LIMIT = 1_000_000
#: Least threshold of votes, as in MEKA.
LEAST_THRESHOLD = 1e-5

Found = Iterable[tuple[str, np.ndarray]]


def chain_variants(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Compare inferences in chains of several orders, and votes of several ensembles.

    Parameters
    ----------
    sources : role -> data set, one or more.
    settings : ``params``, role -> parameters of `ClassifierChain`; ``orders`` and ``ensembles``, role -> number of
        chains and of ensembles; ``samples`` of the Monte-Carlo inference; ``beam_width``.
    generator : seeds the models.

    Returns
    -------
    a measure with the table ``runs`` (role, variant, run, subset_accuracy); the value ``<role>_<variant>`` is the mean
    over the runs with its deviation, and ``<role>_reach`` the share of test documents whose true set MEKA's PCC scores.
    """
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for role, source in sources.items():
        parts = Parts(source)
        params = settings["params"][role]
        for run in range(settings["orders"][role]):
            rows += _scored(role, run, parts, _inferences(parts, params, settings, seed_from(generator)))
        for run in range(settings["ensembles"][role]):
            rows += _scored(role, run, parts, _votes(parts, params, seed_from(generator)))
        values[f"{role}_reach"] = float(within_reach(parts.Y_test).mean())
    return Measure({**values, **_means(rows)}, {"runs": rows})


def boosting_variants(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Compare the power set by our boosted trees and by trees of the authors' kind, after several numbers of rounds.

    Parameters
    ----------
    sources : role -> data set, one or more.
    settings : ``rounds``, increasing; ``leaves`` of both.
    generator : unused, for nothing is drawn.

    Returns
    -------
    a measure with the table ``runs`` and the values ``<role>_ours_<n>`` and ``<role>_authors_<n>`` after n rounds, see
    `chain_variants`.
    """
    rows: list[dict[str, Any]] = []
    size = {"trees": settings["rounds"][-1], "leaves": settings["leaves"]}
    for role, source in sources.items():
        parts = Parts(source)
        for name, kind in (("ours", BoostedPowerSet), ("authors", ClippedPowerSet)):
            found = predicted_after(kind(**size).fit(parts.X, parts.Y), parts.X_test, settings["rounds"])
            rows += _scored(role, 0, parts, ((f"{name}_{rounds}", sets) for rounds, sets in found))
    return Measure(_means(rows), {"runs": rows})


def sampler_seeds(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Predict from one dependency network with several seeds of its sampler.

    Parameters
    ----------
    sources : role -> data set, one or more.
    settings : ``params`` of `DependencyNetwork`; ``runs``, number of seeds.
    generator : draws the seeds.

    Returns
    -------
    a measure with the table ``runs`` and the value ``<role>_network``, see `chain_variants`; the values
    ``<role>_least`` and ``<role>_most`` are the ends over the seeds.
    """
    rows: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for role, source in sources.items():
        parts = Parts(source)
        network = DependencyNetwork(**settings["params"], random_state=seed_from(generator)).fit(parts.X, parts.Y)
        for run in range(settings["runs"]):
            network.seed_ = seed_from(generator)
            rows += _scored(role, run, parts, [("network", network.predict(parts.X_test))])
        found = [row["subset_accuracy"] for row in rows if row["role"] == role]
        values |= {f"{role}_least": min(found), f"{role}_most": max(found)}
    return Measure({**values, **_means(rows)}, {"runs": rows})


def _scored(role: str, run: int, parts: Parts, found: Found) -> Iterator[dict[str, Any]]:
    """Yield a row for each variant and the label sets that it predicts, int64 (N, L)."""
    for variant, predicted in found:
        accuracy = float(exactly_right(parts.Y_test, predicted).mean())
        yield {"role": role, "variant": variant, "run": run, "subset_accuracy": accuracy}


def _means(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """Return the mean and the deviation over the runs of each variant on each data set."""
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(f"{row['role']}_{row['variant']}", []).append(row["subset_accuracy"])
    return {name: (float(np.mean(values)), deviation_of(values)) for name, values in found.items()}


def _inferences(parts: Parts, params: Mapping[str, Any], settings: Mapping[str, Any], seed: int) -> Found:
    """Yield what one chain predicts: greedily, by Monte-Carlo samples, by a beam, and as the exact mode."""
    chain = ProbabilisticChain(**params, random_state=seed).fit(parts.X, parts.Y)
    Z, V = chain.feature_odds(parts.X_test), np.ascontiguousarray(chain.links_)
    for width, name in ((1, "greedy"), (settings["beam_width"], "beam")):
        yield name, search(Z, chain.order_, chain.links_, width)
    sampled = np.zeros(parts.Y_test.shape, dtype=np.int64)
    sampled[:, chain.order_] = search_samples(Z, V, settings["samples"], seed)
    yield "monte_carlo", sampled
    yield "exact", chain.predict(parts.X_test)


def _votes(parts: Parts, params: Mapping[str, Any], seed: int) -> Found:
    """Yield what one ensemble predicts: labels of half the votes or of calibrated many, and the most frequent set."""
    model = ChainEnsemble(**params, random_state=seed).fit(parts.X, parts.Y)
    shares = model.predict_proba(parts.X_test)
    yield "label_half", (shares >= 0.5).astype(np.int64)
    threshold = calibrated_threshold(shares, float(parts.Y.sum(axis=1).mean()))
    yield "label_calibrated", (shares >= threshold).astype(np.int64)
    yield "subset", model.set_params(vote="subset").predict(parts.X_test)


def calibrated_threshold(shares: np.ndarray, cardinality: float) -> float:
    """Return the threshold at which documents have a given mean number of labels, as MEKA's ThresholdUtils sets it.

    It looks at the predictions for all test documents, though not at their labels.

    Parameters
    ----------
    shares : of the votes, float64 (N, L).
    cardinality : mean number of labels of the training documents.
    """
    ordered = np.sort(shares, axis=None)
    place = min(max(ordered.size - round(cardinality * len(shares)), 0), ordered.size - 1)
    return max(float(ordered[place] + ordered[max(place - 1, 0)]) / 2.0, LEAST_THRESHOLD)


def within_reach(Y: np.ndarray, limit: int = MEKA_LIMIT) -> np.ndarray:
    """Return whether each label set is among the first that MEKA's PCC scores, bool (N,).

    They are counted up like a binary number whose lowest digit is the first label.

    Parameters
    ----------
    Y : label indicators (N, L).
    limit : number of sets that are scored.
    """
    digits = min(Y.shape[1], limit.bit_length())
    number = Y[:, :digits].astype(np.int64) @ (1 << np.arange(digits, dtype=np.int64))
    return np.asarray((number < limit) & ~Y[:, digits:].any(axis=1))
