"""The page and the tables of a comparison on the user's own data, made from the files of its methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textmix.contest.findings import findings
from textmix.contest.pages import Account, Study, own_lead, render_study, said, score_table
from textmix.contest.rows import TRIALS, read_costs, read_scores, read_trials
from textmix.contest.tuned import at_the_end, chosen_points, unconverged
from textmix.core.io import format_csv, write_result
from textmix.experiment.methods import Method

#: Paths of scores, timings and predictions of one method; the first ends with its name.
Files = tuple[str | Path, str | Path, str | Path]


@dataclass(frozen=True)
class About:
    """Facts of the comparison that the page of own data states.

    Parameters
    ----------
    source, title : where the data are described, and the heading.
    metric : the task -> the metric by which methods are compared.
    methods : method -> its registry entry.
    grids : method -> the grid over which it is tuned.
    provenance : heading -> name -> value.
    further : number of methods that are only on the page on all methods.
    model : path of the model that was kept; empty where there is none.
    encoder : of the user's that the model needs; empty where it needs none.
    """

    source: str
    title: str
    metric: Mapping[str, str]
    methods: Mapping[str, Method]
    grids: Mapping[str, Mapping[str, list[Any]]]
    provenance: Mapping[str, Mapping[str, str]]
    further: int = 0
    model: str = ""
    encoder: str = ""


@dataclass(frozen=True)
class Tables:
    """Rows of the tables scores.csv, costs.csv and trials.csv (`textmix.contest.rows`) of all methods."""

    scores: Sequence[Mapping[str, Any]]
    costs: Sequence[Mapping[str, Any]]
    trials: Sequence[Mapping[str, Any]]


def own_tables(files: Sequence[Files], dataset: str, methods: Mapping[str, Method]) -> Tables:
    """Return the tables of a comparison.

    Parameters
    ----------
    files : of each method; a missing result gives its reason.
    dataset : name of the data.
    methods : method -> its registry entry.
    """
    scores, costs, trials = [], [], []
    for scored, timed, _ in files:
        name = Path(scored).stem
        scores += read_scores(Path(scored), dataset, methods[name], name)
        costs += read_costs(Path(timed), dataset, name)
        trials += read_trials(Path(scored), Path(timed), dataset, methods[name], name)
    return Tables(scores, costs, trials)


def own_page(
    files: Sequence[Files],
    tables: Tables,
    summary: Mapping[str, Any],
    choice: Mapping[str, Any] | None,
    *,
    about: About,
    trials: tuple[str | Path, Mapping[str, Any]],
) -> str:
    """Return the page as HTML; the table of trials, which its conclusions are read from, is written first.

    Parameters
    ----------
    files, tables : of each method, and of `own_tables`.
    summary : of `textmix.contest.description.describe`.
    choice : of `textmix.contest.choice.choose`, or None where no method has a score.
    about : the comparison.
    trials : place and record of trials.csv.
    """
    place, record = trials
    write_result(place, format_csv(tables.trials, TRIALS), record)
    chosen = {Path(scored).stem: chosen_points(Path(predicted)) for scored, _, predicted in files}
    stopped = {Path(scored).stem: unconverged(Path(predicted)) for scored, _, predicted in files}
    facts: dict[str, Any] = dict(summary["splits"][0])
    if summary["text"] and summary["lengths"]:
        facts["mean_length"] = dict(summary["lengths"])["mean"]
    dataset = summary["name"]
    missing = [str(cell["reason"]) for cell in tables.scores if not cell.get("metric")]
    return render_study(
        Study(
            kicker=f"data of your own · {about.source}",
            title=about.title,
            lead=own_lead(len(files), len(summary["splits"]), about.further, missing),
            tables={dataset: score_table(tables.scores, dataset, tables.costs)},
            facts={dataset: {"title": "Scores", "said": said(summary["statistics"])}},
            tasks={},
            methods={},
            findings=findings(Path(place), {dataset: facts}, about.metric),
            provenance=about.provenance,
            account=Account(
                summary,
                {name: points for name, points in chosen.items() if points},
                {name: at_the_end(points, about.grids[name]) for name, points in chosen.items()},
                choice,
                {name: number for name, number in stopped.items() if number},
                about.model,
                about.encoder,
            ),
        )
    )
