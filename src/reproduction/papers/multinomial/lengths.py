"""How the length of a document in the decision moves the best thresholds of both rules.

The document normalises no length; a sister paper of its authors (Vilar, Ney, Juan & Vidal 2004) names length
normalisation.  Counts of a short sum leave posteriors that are far from 0 and 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from reproduction.flow.measures import Measure, MeasureData
from reproduction.papers.multinomial.documents import first, params_of, sweep_of, thresholds_of
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier


def document_lengths(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator
) -> Measure:
    """Measure both rules with the counts of each test document scaled to one sum, for several sums.

    Parameters
    ----------
    sources : role -> data set, one.
    settings : as for `reproduction.papers.multinomial.measures.threshold_curves`, and ``sums``, of the scaled counts;
        null for counts as they are.

    Returns
    -------
    a measure whose table ``sums`` has a row for each sum and rule: the best threshold on the test documents with its
    exact-set error, and error, precision and recall at the ``standard`` threshold; its values are the ratio of the
    errors of both rules for counts as they are, at the best thresholds and at ``standard``.
    """
    trial = first(sources)
    train, test = trial.train, trial.test
    thresholds, params = thresholds_of(settings), params_of(settings)
    accumulated = train.fitted(AbsoluteDiscountingClassifier(**params))
    binary = train.fitted(AbsoluteDiscountingBinary(discount=params["discount"], length=params["length"]))
    at = int(np.argmin(np.abs(thresholds - settings["standard"])))
    rows: list[dict[str, Any]] = []
    for total in settings["sums"]:
        X = scaled(test.X, total)
        for rule, scores in (("accumulated", accumulated.predict_proba(X)), ("binary", binary.decision_function(X))):
            sweep = sweep_of(rule, scores, test.y, thresholds)
            best = sweep.lowest_set_error()
            errors = {"lowest": sweep.set_error[best], "set_error": sweep.set_error[at]}
            shares = {"precision": sweep.precision[at], "recall": sweep.recall[at]}
            rows.append({"sum": total or 0, "rule": rule, "best": thresholds[best], **errors, **shares})
    whole = {row["rule"]: row for row in rows if row["sum"] == 0}
    ratios = {f"ratio_{name}": whole["binary"][key] / whole["accumulated"][key] for name, key in _RATIOS.items()}
    return Measure({name: float(value) for name, value in ratios.items()}, {"sums": rows})


def binary_readings(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Find the best threshold of the binary classifiers by each rule for b, each prior and each use of unlabelled ones.

    Parameters
    ----------
    sources : role -> data set, one.
    settings : as for `reproduction.papers.multinomial.measures.threshold_curves`, and ``discounts``, numbers or rules;
        ``priors`` and ``unlabelled``, as of `AbsoluteDiscountingBinary`.

    Returns
    -------
    a measure whose table ``readings`` has a row for each reading: the best threshold on the test documents with its
    exact-set error; ``best_least`` and ``best_most`` are the ends of the best thresholds.
    """
    trial, thresholds = first(sources), thresholds_of(settings)
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


_RATIOS = {"at_best": "lowest", "at_standard": "set_error"}


def scaled(X: sparse.csr_array, total: float | None) -> sparse.csr_array:
    """Return counts X (N, V) with each row scaled to a sum, CSR; unchanged for None.  An empty row stays empty."""
    if total is None:
        return X
    sums = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    return sparse.csr_array(sparse.diags_array(total / np.maximum(sums, 1.0)) @ X)
