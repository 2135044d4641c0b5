"""The graph of the plan holds the jobs that Snakemake runs, and their benchmark files make the table of costs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reproduction.plan.costs import Costs
from reproduction.plan.graph import graph, measured_costs
from reproduction.plan.schedule import known_seconds
from tests.workflow.asking import parsed
from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow


def ran(clone: Clone) -> set[str]:
    """Return the names of the benchmark files of a clone."""
    folder = clone.folder / "results/benchmarks"
    return {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.tsv")}


def test_the_graph_holds_the_jobs_that_ran(clean: Clone, everything: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["snakemake"])
    nodes, cut = (graph(parsed(clone.folder)["PLAN"]) for clone in (clean, everything))
    assert set(nodes) == ran(clean)
    assert set(cut) < ran(everything), "which also ran the matrix, own data, the bench and a model"
    assert {node.stage for node in cut.values()} - {node.stage for node in nodes.values()} == {"part"}
    rows = measured_costs(cut, Path(everything.folder))
    assert {row.stage for row in rows} == {node.stage for node in nodes.values()}
    known = known_seconds(cut, Path(everything.folder), Costs())
    assert known.measured == set(cut)
