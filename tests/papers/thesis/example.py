"""Parts that several tests of the thesis share: its paper.yaml, and a small corpus of several classes."""

from __future__ import annotations

from pathlib import Path

from reproduction.flow.measures import MeasureData
from tests.bench.test_running import corpus
from textmix.core.config import load_yaml_strict
from textmix.experiment.splits import make_splits

SPEC = load_yaml_strict(Path(__file__).parents[3] / "config/papers/thesis/paper.yaml")


def source() -> MeasureData:
    """Return made documents in two random halves."""
    counted = corpus(2, several=False)
    return MeasureData(counted, make_splits(counted, {"kind": "random", "train": 0.5, "trials": 2}, 0, "half", None))
