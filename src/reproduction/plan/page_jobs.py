"""The inputs and settings of the two jobs that write a report: that of a run, and that of one paper, by its target."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reproduction.plan.plan import Plan
from reproduction.plan.stages import COMPARE
from reproduction.plan.targets import Targets
from textmix.data.registry import DatasetEntry

#: Files of a paper's folder that its pages read; a paper without claims, choices or changes lacks their file.
_RECORDS = ("published.csv", "checks.yaml", "choices.yaml", "paper.yaml", "history.md")


@dataclass(frozen=True)
class PageJobs:
    """The reports of a plan; wildcards without ``paper`` are those of the report of the run.

    Parameters
    ----------
    plan : the plan.
    """

    plan: Plan

    def papers(self, wildcards: Any) -> dict[str, Mapping[str, Any]]:
        """Return the ``paper.yaml`` of each paper that a report shows, by name."""
        paper = dict(wildcards.items()).get("paper")
        return {paper: self.plan.papers[paper]} if paper else dict(self.plan.papers)

    def chosen(self, wildcards: Any) -> list[str]:
        """Return the papers of a report whose results it shows; of the others it shows the published rows."""
        paper = dict(wildcards.items()).get("paper")
        return [paper] if paper else self.plan.chosen()

    def home(self, wildcards: Any) -> str:
        """Return the folder of the workflow as seen from the pages."""
        return "../" * (4 if self.alone(wildcards) else 2)

    def alone(self, wildcards: Any) -> bool:
        """Return whether a report is that of one paper."""
        return "paper" in dict(wildcards.items())

    # --- what the job reads ---

    def comparisons(self, wildcards: Any) -> list[str]:
        """Return the comparisons of the papers."""
        return [COMPARE.path(paper=paper) for paper in self.chosen(wildcards)]

    def origins(self, wildcards: Any) -> list[str]:
        """Return the origins of the papers' values."""
        return [COMPARE.path("origins", paper=paper) for paper in self.chosen(wildcards)]

    def causes(self, wildcards: Any) -> list[str]:
        """Return the values of the results that the papers' causes name."""
        return [COMPARE.path("causes", paper=paper) for paper in self.chosen(wildcards)]

    def tables(self, wildcards: Any) -> list[str]:
        """Return the tables of the papers."""
        return [path for paper in self.chosen(wildcards) for path in Targets(self.plan).tables_of(paper)]

    def figures(self, wildcards: Any) -> list[str]:
        """Return the figures of the papers."""
        return [path for paper in self.chosen(wildcards) for path in Targets(self.plan).figures_of(paper)]

    def datasets(self, wildcards: Any) -> list[str]:
        """Return the parsed data sets of the papers."""
        return Targets(self.plan).datasets_of(self.chosen(wildcards))

    def records(self, wildcards: Any) -> list[str]:
        """Return the files with published numbers, checks, choices, lists of roles, and history."""
        paths = [self.plan.folders[paper] / name for paper in self.papers(wildcards) for name in _RECORDS]
        return [os.path.relpath(path) for path in paths if path.is_file()]

    def recorded(self, wildcards: Any) -> list[str]:
        """Return the files of the recorded run that there are."""
        folders = (self.plan.folders[paper] for paper in self.papers(wildcards))
        paths = (folder / "recorded" / name for folder in folders for name in ("run.json", "rows.csv"))
        return [os.path.relpath(path) for path in paths if path.is_file()]

    # --- what it knows ---

    def _roles(self, wildcards: Any) -> set[str]:
        """Return the roles of a report: those of its paper, or all that the configuration names."""
        paper = dict(wildcards.items()).get("paper")
        return set(self.plan.papers[paper]["roles"] if paper else self.plan.settings["roles"])

    def roles(self, wildcards: Any) -> dict[str, Any]:
        """Return role -> the data set that stands for it."""
        known, asked = self.plan.settings["roles"], self._roles(wildcards)
        return {role: entry for role, entry in known.items() if role in asked}

    def titles_of(self, datasets: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return title, terms of use and the reason for an unknown sha256 of data sets, by name."""
        entries = {name: self.plan.registry[name] for name in datasets}
        keys = ("title", "terms", "no_digest")
        return {name: {key: getattr(entry, key) for key in keys} for name, entry in entries.items()}

    def titles(self, wildcards: Any) -> dict[str, dict[str, str]]:
        """Return title and terms of use of the data sets that may stand for a role."""
        asked = self._roles(wildcards)
        entries = [entry for role, entry in self.plan.wanted.items() if role in asked]
        found = {one["dataset"] for entry in entries for one in (entry, *entry.get("stand_ins", ()))}
        return self.titles_of(sorted(found - {None}))

    def remedies(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return role -> its own data set, with title, kinds of sources, files and size."""
        asked = self._roles(wildcards)
        wanted = {role: entry for role, entry in self.plan.wanted.items() if role in asked}
        found = {role: self.plan.registry.get(entry["dataset"]) for role, entry in wanted.items()}
        return {
            role: {
                "dataset": entry.id,
                "title": entry.title,
                "sources": list(dict.fromkeys(source.kind for source in entry.sources)),
                "files": sorted(entry.files.values()),
                "bytes": _size(entry),
            }
            for role, entry in found.items()
            if entry is not None
        }


def _size(entry: DatasetEntry) -> int | None:
    """Return the bytes of the files of the first source of a data set whose sizes are known; None where none are."""
    sizes = [[file.bytes for file in source.files.values()] for source in entry.sources]
    return next((sum(found) for found in sizes if None not in found), None)  # type: ignore[arg-type]
