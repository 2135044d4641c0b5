"""A small corpus of three labels, and what the measures of the CBM slides give on it."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import MeasureData, run_measure
from tests.early_stops import stops_early
from tests.models.test_cbm import documents
from tests.papers.files import spec_of
from tests.verdict.reporting import META
from textmix.data.corpus import TEST, TRAIN, Corpus
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.splits import make_splits

SPEC = spec_of("cbm")


PARAMS = {"n_components": 3, "max_iter": 3}


SETTINGS: dict[str, Any] = {
    "reference": "cbm_lr",
    "resamples": 50,
    "params": PARAMS,
    "runs": {"scene": 2},
    "tol": 1e-4,
    "components": [1, 3],
    "labels": [2],
    "enumerated": 3,
    "documents": 20,
    "variance": 1.0,
    "steps": 2000,
}


#: Settings of measures that do not use `SETTINGS`.
OWN: dict[str, Any] = {
    "components": {
        "baselines": ["binrel_lr", "powset_lr"],
        "params": {"scene": {"max_iter": 3}, "tmc2007": {"max_iter": 1}},
        "components": {"scene": [1, 20], "tmc2007": [30, 60]},
        "runs": {"scene": 2, "tmc2007": 1},
    },
    "boosting_variants": {"rounds": [2, 4], "leaves": 2, "tree_methods": ["lightgbm", "equal_width"]},
    "sampler_seeds": {"params": {"sweeps": 20, "kept": 10}, "runs": 3},
    "restored_parent": {"params": {"tol": 1e-4}, "children": [1, 3], "missed": 2},
    "early_stopping": {
        "variance": 1e6,
        "variances": {"paircrf": 1.0},
        "max_iter": [2, 60],
        "tolerances": [1e-3],
        "cbm": {"n_components": 3, "max_iter": 2, "steps": [2, 4]},
    },
    "first_m_steps": {
        "params": {"scene": {"n_components": 3, "max_iter": 3}},
        "solvers": {
            "scene": {"plain": {"solver": "plain_lbfgs", "steps": 50}, "scaled": {"solver": "lbfgs", "steps": 1}}
        },
    },
    "synthetic_study": {
        "components": 3,
        "documents": 400,
        "features": 4,
        "labels": 3,
        "weight_deviation": 3.0,
        "intercept_deviation": 0.0,
        "noise_deviation": 1.0,
        "variance": 100.0,
        "max_iter": 5,
        "runs": 1,
    },
    "chain_variants": {
        "params": {"scene": {"tol": 1e-4}},
        "orders": {"scene": 2},
        "ensembles": {"scene": 2},
        "samples": 10,
        "beam_width": 8,
    },
}


@pytest.fixture(scope="package")
def source() -> MeasureData:
    """Return a corpus of three dependent labels and what two methods predict: all right, and always one set."""
    X, Y = documents(1, n=120)
    split = np.where(np.arange(120) < 80, TRAIN, TEST).astype(np.int8)
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(120)],
        label_names=["lake", "water", "sky"],
        labels=sparse.csr_array(Y),
        split=split,
        features=sparse.csr_array(np.column_stack([X, np.arange(120) >= 80])),
        feature_names=[*(f"x{k}" for k in range(5)), "of test documents alone"],
    )
    splits = make_splits(corpus, {"kind": "given"}, 1, "given", None)
    true, first = Y[80:], np.tile(Y[80], (40, 1))
    predictions = {
        name: Predictions([""], [], np.zeros((1, 40)), sets=pack_sets(sets)[np.newaxis])
        for name, sets in (("cbm_lr", true), ("binrel_lr", first))
    }
    return MeasureData(corpus, splits, predictions)


@pytest.fixture(scope="package")
def measured(source, tmp_path_factory) -> tuple[dict[str, Any], Path]:
    """Run every measure of paper.yaml, and save them where the report looks."""
    root = tmp_path_factory.mktemp("results")
    measures = {}
    for name in SPEC["measures"]:
        function = SPEC["measures"][name]["function"]
        settings = OWN.get(function.partition(".")[2], SETTINGS)
        if name.startswith("illustration"):
            settings = {**SETTINGS, "components": 2}
        roles = ["scene"]
        if function == "measures.components":
            roles = [role for role in ("scene", "tmc2007") if role in SPEC["measures"][name]["roles"]]
        sources = dict.fromkeys(roles, source)
        with stops_early() if function == "synthetic.synthetic_study" else nullcontext():
            measures[name] = run_measure("cbm", function, sources, settings, np.random.default_rng(3))
        measures[name].save(root / "papers/cbm/measures" / name, META)
    return measures, root
