"""A results folder made by hand, and published rows, for the tests of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reproduction.flow.results import UNREAD_ROLES, Results, RoleEntry
from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.published import Published
from textmix.core import io
from textmix.core.errors import MissingResult

META = {"rule": "test"}
ROLES = {
    "news": RoleEntry("news_set"),
    "near": RoleEntry("near_set", "nearly", "seven documents fewer"),
    "other": RoleEntry("other_set", "not", "another collection"),
    "gone": RoleEntry(None, "fully", "was never public"),
}
SETTINGS: dict[str, Any] = {
    "status": "built",
    "features": {"words": {}},
    "splits": {"halves": {"train": 0.5, "trials": 10, "kind": "random"}},
    "experiments": {
        "table1": {
            "roles": dict.fromkeys(ROLES, "halves"),
            "methods": {"dcm": {}, "edcm": {}, "grid": {}, "absent": {}},
        }
    },
    "measures": {"own": {"roles": {"news": "halves"}}, "lost": {"roles": {"gone": "halves"}}, "free": {"roles": {}}},
}


class Made:
    """Writes results below a folder in the forms of the pipeline."""

    def __init__(self, root: Path, settings: Mapping[str, Any] = SETTINGS) -> None:
        self.root = root
        self.results = Results(root, "paper", ROLES, settings)

    def scores(
        self,
        method: str,
        values: Mapping[str, Sequence[float]],
        dataset: str = "news_set",
        metric: str = "accuracy",
        experiment: str = "table1",
    ) -> None:
        """Write a metric of every trial by variant."""
        rows = [
            {"variant": variant, "trial": trial, "metric": metric, "value": value}
            for variant, trials in values.items()
            for trial, value in enumerate(trials)
        ]
        text = io.format_csv(rows, ("variant", "trial", "metric", "value"))
        io.write_result(self.root / f"scores/paper/{experiment}/{dataset}/{method}.csv", text, META)

    def seconds(self, method: str, values: Sequence[float]) -> None:
        rows = [{"variant": "", "trial": i, "fit_seconds": v, "predict_seconds": 1.0} for i, v in enumerate(values)]
        text = io.format_csv(rows, ("variant", "trial", "fit_seconds", "predict_seconds"))
        io.write_result(self.root / f"timings/paper/table1/news_set/{method}.csv", text, META)

    def measure(
        self,
        name: str,
        values: Mapping[str, float],
        unread_roles: Sequence[str] = (),
        **tables: Sequence[Mapping[str, Any]],
    ) -> None:
        rows = [{"key": key, "value": value, "spread": ""} for key, value in values.items()]
        record = {**META, UNREAD_ROLES: list(unread_roles)}
        with io.new_folder(self.root / f"papers/paper/measures/{name}", record) as folder:
            io.write_text(folder / "values.csv", io.format_csv(rows, ("key", "value", "spread")))
            for table, lines in tables.items():
                io.write_text(folder / f"{table}.csv", io.format_csv(lines, tuple(lines[0])))

    def fits(self, place: str, text: str) -> None:
        """Write the convergence of fits as ``fits.csv`` in a folder of predictions."""
        with io.new_folder(self.root / "predictions" / place, META) as folder:
            io.write_text(folder / "fits.csv", text)

    def data(self, dataset: str, statistics: Mapping[str, Any], features: str | None = None) -> None:
        place = f"datasets/{dataset}" if features is None else f"features/{dataset}/{features}"
        with io.new_folder(self.root / place, META) as folder:
            io.write_json(folder / "corpus.json", {"statistics": dict(statistics)})

    def missing(self, place: str, reason: str = "no source answered") -> None:
        io.write_missing(self.root / place, MissingResult(reason), META)


def row(**cells: Any) -> Published:
    """Return a published row; a number judged as near within 0.01 unless said otherwise."""
    fields = {
        **{"id": "p.x", "artefact": "p.t1", "kind": "number", "dataset": "", "method": "DCM", "metric": "accuracy"},
        **{
            "unit": "fraction",
            "value": "0.8",
            "spread": "",
            "trials": "",
            "where": "001:L1",
            "tolerance": "near",
            "margin": "0.01",
        },
        **{"source": "score:table1/news/dcm/accuracy", "note": "", "line": 2},
    }
    return Published(**{**fields, **cells})


def comparison_row(**cells: Any) -> ComparisonRow:
    """Return a row of a comparison; a published number of a method that was reproduced unless said otherwise."""
    fields = {
        "id": "p.x",
        "paper": "p",
        "artefact": "p.t1",
        "kind": "number",
        "dataset": "",
        "method": "DCM",
        "metric": "accuracy",
        "unit": "fraction",
        "published": "0.8",
        "published_sd": "",
        "tolerance": "near",
        "verdict": "reproduced",
        "where": "001:L1",
        "note": "",
    }
    return ComparisonRow(**{**fields, **cells})
