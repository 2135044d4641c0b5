"""A workflow parsed within the process of a test: its recipes, and the results that they call stale."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, Quietness, ResourceSettings

from reproduction.flow.recipe import Recipe
from reproduction.plan import recipes
from reproduction.plan.recipes import Recipes


class Wildcards(SimpleNamespace):
    """Names and values in the form in which Snakemake gives them."""

    def items(self) -> Iterator[tuple[str, str]]:
        """Return names and values."""
        yield from vars(self).items()


@contextmanager
def workflow_of(folder: Path, config: Mapping[str, Any] | None = None) -> Iterator[Any]:
    """Parse the Snakefile of a folder and give Snakemake's object ``workflow`` of it, with its graph of jobs."""
    recipes._state.cache_clear()
    before = Path.cwd()
    try:
        with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
            workflow = api.workflow(
                resource_settings=ResourceSettings(cores=1),
                config_settings=ConfigSettings(config=dict(config or {})),
                snakefile=folder / "Snakefile",
                workdir=folder,
            )
            workflow.dag(dag_settings=DAGSettings())
            yield workflow._workflow
    finally:
        os.chdir(before)


def parsed(folder: Path, config: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Parse the Snakefile of a folder and return its names, such as ``PLAN`` and ``RECIPES``."""
    with workflow_of(folder, config) as workflow:
        return dict(workflow.globals)


#: Folder or file of a result -> its script; of the report, all files that are not named here are the script page's.
STAGES = {
    **{"datasets": "parse", "features": "features", "splits": "split", "predictions": "fit", "timings": "fit"},
    **{"scores": "score", "measures": "measure", "tables": "table", "figures": "figure"},
    **dict.fromkeys(("comparison.csv", "origins.csv", "causes.csv"), "compare"),
    **{"report": "page", "accepted.json": "accept"},
}
REPORT = {
    **{"accepted.json": "accept", "provenance.html": "provenance"},
    **dict.fromkeys(("config.json", "README.md", "source", "ro-crate-metadata.json"), "crate"),
}


def stale_scripts(folder: Path) -> set[str]:
    """Return the scripts whose results in a folder are not what their jobs would make today."""
    return set().union(*stale_by_reason(folder).values())


def stale_by_reason(folder: Path) -> dict[str, set[str]]:
    """Return what changed, in the words of `verify` -> the scripts whose results are stale for that."""
    found: Recipes = parsed(folder)["RECIPES"]
    before, reasons = Path.cwd(), dict[str, set[str]]()
    os.chdir(folder)
    try:
        for sentence in found.stale_below(Path("results"), Path("resources")):
            path, _, why = sentence.partition(": is stale, for the ")
            reasons.setdefault(why.partition(" changed;")[0], set()).add(script_of(path))
    finally:
        os.chdir(before)
    return reasons


def stale_by_record(folder: Path, config: Mapping[str, Any]) -> set[str]:
    """Return what `stale_scripts` does, for all targets: the scripts are those that the results' records name."""
    found: Recipes = parsed(folder, config)["RECIPES"]
    before = Path.cwd()
    os.chdir(folder)
    try:
        sentences = found.stale_below(Path("results"), Path("resources"))
        return {str(recipes._record(Path(sentence.split(":")[0]))["script"]) for sentence in sentences}
    finally:
        os.chdir(before)


def script_of(path: str) -> str:
    """Return the script that makes a result of the tiny workflow."""
    parts = Path(path).parts
    if parts[0] == "resources":
        return "fetch"
    if parts[1] == "report":
        return REPORT.get(parts[2], "page")
    return STAGES[parts[3] if parts[1] == "papers" else parts[1]]


def all_recipes(names: Mapping[str, Any]) -> Iterator[Recipe]:
    """Yield a recipe for each way in which a job of the whole workflow can reach code."""
    plan, known = names["PLAN"], names["RECIPES"]._known
    runs = [run for study in plan.studies for run in plan.runs(study)]
    some = vars(runs[0])
    split, features = next(iter(plan.splits)), next(iter(plan.features))
    given: dict[str, list[dict[str, Any]]] = {
        "fetch": [],
        "parse": [{"dataset": name} for name in plan.registry],
        "features": [{"dataset": some["dataset"], "features": features}],
        "split": [{"dataset": some["dataset"], "split": split}],
        "fit": [vars(run) for run in runs],
        "score": [some],
        "measure": [{"paper": paper, "measure": name} for paper in plan.papers for name in plan.measures(paper)],
        "compare": [{"paper": paper} for paper in plan.papers],
        "table": [{"paper": paper} for paper in plan.papers],
        "figure": [{"paper": paper} for paper in plan.papers if plan.drawable(paper)],
        "readings": [{"paper": paper} for paper in plan.papers if plan.readings[paper].specifications],
        **{key: [{}, *({"paper": paper} for paper in plan.papers)] for key in ("accept", "page")},
    }
    for script, make in known.items():
        for wildcards in given.get(script, [{}]):
            yield make(Wildcards(**wildcards))
