"""Bench of what the PMM paper says of times: the mixtures beside the network in training, beside k-NN in prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from reproduction.bench.roofline import Work, products, reading
from reproduction.bench.timing import compare, judge
from textmix.models.neighbors.labels import LabelNeighbors
from textmix.models.network.label_network import LabelNetwork
from textmix.models.pmm.estimator import PMM1, PMM2

#: Candidates with the settings of Table 1 (paper.yaml); tuning is left out, on both sides.
NETWORK: dict[str, Any] = {"hidden": 50, "decays": [1.0], "scale": "sum"}
NEIGHBORS: dict[str, Any] = {"neighbors": [10], "votes": "share", "threshold": 0.5}


def bench_claims(X: sparse.csr_array, Y: sparse.csr_array, repeats: int = 5) -> list[dict[str, Any]]:
    """Time training on 2,000 and prediction of 3,000 pages of one problem.

    Parameters
    ----------
    X, Y : CSR counts (N, V) and label indicators (N, L) of pages, at least one label each; where there are fewer than
        5,000 pages, the same shares of them.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`; the checks of the paper read their ratios.
    """
    order = np.random.default_rng(0).permutation(X.shape[0])[:5000]
    test, train = np.split(order, [len(order) * 3 // 5])
    models: dict[str, Any] = {"nn": LabelNetwork(**NETWORK), "knn": LabelNeighbors(**NEIGHBORS)}
    models |= {"pmm1": PMM1(xi=2.0), "pmm2": PMM2(xi=2.0, zeta=2.0)}
    fits = compare({name: _call(models[name].fit, X[train], Y[train]) for name in ("nn", "pmm1", "pmm2")}, repeats)
    models["knn"].fit(X[train], Y[train])
    told = compare({name: _call(models[name].predict, X[test]) for name in ("knn", "pmm1", "pmm2")}, repeats)
    work = {
        "training": reading(X[train], Y[train]),
        "prediction": reading(X[test], operations=min(2.0 * X[test].nnz * Y.shape[1], products(X[train], X[test]))),
    }
    return [
        *_beside("pmm_training", fits, "nn", "pmm1", work["training"]),
        *_beside("pmm2_training", fits, "nn", "pmm2", work["training"]),
        *_beside("pmm_prediction", told, "knn", "pmm1", work["prediction"]),
        *_beside("pmm2_prediction", told, "knn", "pmm2", work["prediction"]),
    ]


def _beside(bench: str, rows: list[dict[str, Any]], candidate: str, peer: str, work: Work) -> list[dict[str, Any]]:
    """Return the rows of a candidate and of its peer, judged."""
    return judge(bench, [row for row in rows if row["candidate"] in (candidate, peer)], peer, {}, work)


def _call(function: Any, *data: Any) -> Any:
    """Return a call without arguments."""
    return lambda: function(*data)
