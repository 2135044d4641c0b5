"""The files that the targets of the workflow ask for, and wrong names of targets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from reproduction.plan.graph import graph, long_waits
from reproduction.plan.plan import Plan
from reproduction.plan.request import USAGE
from reproduction.plan.stages import (
    ACCEPT_PAPER,
    FIGURE,
    MODEL,
    OWN_PAGE,
    OWN_PEERS,
    OWN_SUMMARY,
    PAPER_PAGE,
    PARSE,
    PART,
    STAGES,
    TABLE,
    benchmark_of,
)
from textmix.core.errors import ConfigError, suggest


@dataclass(frozen=True)
class Targets:
    """The targets of a plan; every path is relative to the folder in which the workflow runs."""

    plan: Plan

    def paper(self, paper: str) -> list[str]:
        """Return the files of a paper's target."""
        pages = [PAPER_PAGE.path(output, paper=paper) for output in PAPER_PAGE.outputs]
        return [*pages, ACCEPT_PAPER.path(paper=paper)]

    def datasets_of(self, papers: Iterable[str]) -> list[str]:
        """Return the parsed data sets of some papers, each once."""
        names = {name for paper in papers for name in self.plan.datasets(paper)}
        return [PARSE.path(dataset=name) for name in sorted(names)]

    def tables_of(self, paper: str) -> list[str]:
        """Return the tables of a paper, which one job writes."""
        return [TABLE.path(paper=paper, table=name) for name in self.plan.papers[paper]["tables"]]

    def figures_of(self, paper: str) -> list[str]:
        """Return the figures of a paper, which one job draws."""
        return [FIGURE.path(paper=paper, figure=name) for name in self.plan.drawable(paper)]

    def tables(self) -> list[str]:
        """Return the tables of all papers that the configuration asks for."""
        return [path for paper in self.plan.chosen() for path in self.tables_of(paper)]

    def figures(self) -> list[str]:
        """Return the figures of all papers that the configuration asks for."""
        return [path for paper in self.plan.chosen() for path in self.figures_of(paper)]

    def datasets(self) -> list[str]:
        """Return the parsed data sets of all papers that the configuration asks for."""
        return self.datasets_of(self.plan.chosen())

    def benchmarks(self) -> list[str]:
        """Return the files to which Snakemake writes the seconds of the long jobs of all papers that are asked for."""
        return [benchmark_of(name) for name in long_waits(graph(self.plan))]

    def results(self) -> dict[str, list[str]]:
        """Return stage -> a path for each of its jobs, of all papers that are asked for, in order of work.

        Single fits are left out, for they are deleted once they are joined.
        """
        paths: dict[str, list[str]] = {name: [] for name in STAGES if name != PART.name}
        for node in graph(self.plan).values():
            if node.stage in paths:
                paths[node.stage].append(node.path)
        return paths

    def peers(self) -> str:
        """Return the file of the target ``peers``; raise ConfigError where the run names no data of the user's own."""
        self.own()
        assert self.plan.own is not None  # noqa: S101 - else own() ended
        return OWN_PEERS.path(dataset=self.plan.own.name)

    def own(self) -> list[str]:
        """Return the files of the target ``own``, but for its pages.

        Raises
        ------
        ConfigError : the run names no data, or a file that is not there; the message says how to name them.
        """
        if self.plan.own is None:
            raise ConfigError(
                "own: name the description of your data: snakemake --cores 2 own --config data=my.yaml; "
                "an example is config/own.example.yaml"
            )
        self.plan.own.check_files()
        name = self.plan.own.name
        tables = [OWN_PAGE.path(output, dataset=name, part="") for output in ("scores", "costs")]
        models = [MODEL.path(dataset=name, method="best")] if "keep" in self.plan.own.raw else []
        return [*tables, OWN_SUMMARY.path(dataset=name), *models]

    def model(self) -> str:
        """Return the folder of the target ``model``.

        Raises
        ------
        ConfigError : the run names no model; the message says how to name one.
        """
        if self.plan.model is None:
            raise ConfigError(f"model: name a data set and a method: {USAGE}")
        return MODEL.path(dataset=self.plan.model.dataset, method=self.plan.model.method)

    def said(self, paper: str) -> str:
        """Return the sentence with which a paper's target ends."""
        page = PAPER_PAGE.path(paper=paper)
        if self.plan.papers[paper]["status"] == "built":
            return f"{paper}: rebuilt: {page}"
        return f"{paper}: NOT BUILT YET; only the statistics of its data stand in {page}"


def check_target(target: str, rules: Collection[str], made: Mapping[str, str] | None, plan: Plan) -> None:
    """Check one target of the command line that is no rule and no file at hand.

    Parameters
    ----------
    target : the target, a path or a misspelt name.
    rules : the names of the target rules.
    made : the wildcards with which a rule makes this path; None if no rule makes it.
    plan : the plan.

    Raises
    ------
    ConfigError : nothing makes the target; the message gives the nearest name.
    """
    if made is not None:
        check_wildcards(target, made, plan)
    elif "/" in target:
        targets = Targets(plan)
        paths = [
            *(path for paths in targets.results().values() for path in paths),
            *targets.tables(),
            *targets.figures(),
        ]
        raise ConfigError(f"target {target}: no rule makes this file; {_nearest(target, paths)}")
    else:
        raise ConfigError(f"target {target}: there is none; {suggest(target, sorted(rules))}")


def check_wildcards(target: str, wildcards: Mapping[str, str], plan: Plan) -> None:
    """Check that the names in the path of a target exist.

    Parameters
    ----------
    target : the path.
    wildcards : kind of name (``dataset``, ``features``, ``split``, ``measure`` ...) -> the name in the path.
    plan : the plan.

    Raises
    ------
    ConfigError : a name does not exist; the message gives the nearest one.
    """
    known = _known(wildcards, plan)
    for kind, name in wildcards.items():
        if kind in known and name not in known[kind]:
            raise ConfigError(f"target {target}: no {kind} '{name}'; {suggest(name, known[kind])}")


def _known(wildcards: Mapping[str, str], plan: Plan) -> dict[str, list[str]]:
    """Return kind of name -> the names that exist, for a path with these wildcards."""
    own = [plan.own.name] if plan.own else []
    known = {
        "dataset": sorted([*plan.registry, *own]),
        "features": sorted(plan.features),
        "split": sorted(plan.splits),
        "paper": list(plan.studies),
    }
    study = plan.studies.get(wildcards.get("paper", ""), {})
    for kind in ("experiment", "measure"):
        known[kind] = list(study.get(f"{kind}s", ()))
    experiment = study.get("experiments", {}).get(wildcards.get("experiment", ""), {})
    known["method"] = list(experiment.get("methods", ()))
    return known


def _nearest(word: str, allowed: Iterable[str]) -> str:
    """Return the remedy for a wrong path: the nearest path, or the place to look; all paths are too many to list."""
    found = suggest(word, allowed).partition("? ")
    return f"{found[0]}?" if found[1] else "snakemake --list-target-rules names the targets"
