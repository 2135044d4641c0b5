"""The page of the study: lessons first, then ranks, costs, smoothing, decisions, confidence, and the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from textmix.contest import study_figures as figures
from textmix.contest.characteristics import MEANINGS
from textmix.contest.decided import SUITS, Stated, suited
from textmix.contest.lessons import Facts, lessons
from textmix.contest.pages import figure, memory, seconds
from textmix.contest.sizes import GENERATIVE, Size, documents_of, sizes, summaries
from textmix.metrics.significance import LEVEL
from textmix.metrics.table import main_metric
from textmix.pages.drawing import Drawing, inline_svg, notes_of
from textmix.pages.rendering import environment, style

#: Task -> metrics of the table of costs.
METRICS = {
    "single": ("accuracy", "macro_f1", "log_loss", "calibration_error"),
    "multi": ("subset_accuracy", "sample_f", "set_log_loss", "set_calibration_error"),
}
TASKS = {"single": "one label a document", "multi": "several labels a document"}


@dataclass(frozen=True)
class Table:
    """A table of the page: the first cell of a row is its heading, and numbers are texts already."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Content:
    """The content of the page.

    Parameters
    ----------
    table : rows of `textmix.contest.sizes.STUDY`.
    left_out : of `textmix.contest.sizes.without_score`.
    decided : rows of `textmix.contest.decided.read_decided`; stated : its confidences.
    facts : (study, data set) -> characteristics.
    titles : data set -> its title.
    seed : of the run.
    provenance : heading -> name -> value.
    """

    table: pd.DataFrame
    left_out: Sequence[Mapping[str, str]]
    decided: Sequence[Mapping[str, Any]]
    stated: Sequence[Stated]
    facts: Facts
    titles: Mapping[str, str]
    seed: int
    provenance: Mapping[str, Mapping[str, str]]


def render(content: Content) -> str:
    """Return the page as HTML."""
    all_sizes = sizes(content.table)
    sentences = lessons(content.table, all_sizes, content.facts, content.seed)
    sections = [
        {
            "task": task,
            "title": TASKS[task].capitalize(),
            "lessons": sentences[task],
            "tables": [
                *(_ranks(size) for size in all_sizes if size.task == task),
                _costs(content.table, task),
                *(_smoothing(content.table) if task == "single" else ()),
                *(_decisions(content) if task == "multi" else ()),
            ],
            "figures": list(_figures(content, [size for size in all_sizes if size.task == task], task)),
        }
        for task in sentences
    ]
    return (
        environment()
        .get_template("sizes.html")
        .render(
            style=style("page.css", "study.css"),
            sections=sections,
            data=_data(content),
            left_out=_left_out(content),
            generative=", ".join(GENERATIVE),
            provenance=content.provenance,
        )
    )


def _ranks(size: Size) -> Table:
    """Return the table of mean ranks with Nemenyi's intervals."""
    n, metric = size.scores.shape[0], main_metric(size.task).replace("_", " ")
    tested = f"two methods whose intervals do not overlap are distinguishable (Nemenyi, {LEVEL})"
    caption = f"Mean rank by {metric} on {n} data sets, {size.in_words}; {tested}."
    if n == 1:
        caption = f"Rank by {metric} on one data set, {size.in_words}; one data set allows no test."
    for kind, names in zip(("data sets", "methods"), size.without, strict=True):
        if names:
            caption += f" Left out, for they lack scores, are the {kind} {', '.join(map(_plain, names))}."
    rows = [
        [_plain(row["method"]), row["family"], f"{row['rank']:.2f}", f"{row['low']:.2f} to {row['high']:.2f}"]
        for row in size.ranks()
    ]
    return Table(caption, ("Method", "Family", "Mean rank", "Interval"), rows)


def _costs(table: pd.DataFrame, task: str) -> Table:
    """Return the table of likelihood, calibration, seconds and memory."""
    of_task, metrics = table[table["task"] == task], METRICS[task]
    documents = documents_of(of_task)
    caption = (
        "Medians over the data sets on which a method has a score, so that methods with fewer of them cannot be "
        "compared by these numbers: score, likelihood (log loss in nats), calibration, seconds to fit and predict, "
        "and memory of the fit. A dash: the method gives no probability, or an infinite loss."
    )
    rows = [
        [
            *(_plain(row["method"]), documents.get(row["study"], "–"), str(row["datasets"])),
            *(figure(row[name]) or "–" for name in metrics),
            *(seconds(row["seconds"]), memory(row["bytes"])),
        ]
        for row in summaries(of_task, metrics)
    ]
    return Table(caption, ("Method", "Documents", "Data sets", *map(_plain, metrics), "Seconds", "Memory"), rows)


def _smoothing(table: pd.DataFrame) -> list[Table]:
    """Return the table of the generative methods: accuracy, perplexity and calibration on the same splits."""
    of_matrix = table[(table["study"] == "matrix") & table["family"].isin(GENERATIVE) & (table["task"] == "single")]
    names = ("accuracy", "perplexity", "calibration_error")
    wide = of_matrix.pivot_table(index=["dataset", "method"], columns="metric", values="value").reindex(
        columns=list(names)
    )
    if wide["perplexity"].isna().all():
        return []
    caption = (
        "Smoothing and mixtures: accuracy, perplexity of the test texts in their true classes, and calibration. The "
        "EDCM's distribution does not sum to 1 over texts, so that its perplexity and that of its mixtures cannot be "
        "compared with the rest; complement naive Bayes models no texts."
    )
    rows = [
        [_plain(method), _plain(dataset), *(_number(value) for value in values)]
        for (dataset, method), values in zip(wide.index, wide.to_numpy(), strict=True)
    ]
    return [Table(caption, ("Method", "Data", *map(_plain, names)), rows)]


def _decisions(content: Content) -> list[Table]:
    """Return the table of decisions by metrics; none where no method decides."""
    if not content.decided:
        return []
    caption = f"Metric and decision, all three from one fit. {suited(content.decided)}"
    rows = [
        [
            _plain(row["method"]),
            _plain(row["dataset"]),
            _plain(row["metric"]),
            *(figure(row[column]) for column in SUITS),
        ]
        for row in content.decided
    ]
    return [Table(caption, ("Method", "Data", "Metric", *map(_plain, SUITS)), rows)]


def _figures(content: Content, of_task: Sequence[Size], task: str) -> Sequence[Drawing]:
    """Return the figures of a task."""
    drawn: list[tuple[str, str, str, bytes]] = []
    if len(of_task) > 1 and len(of_task[0].gaps()):
        caption = "Above 0 a generative method has the best score. The number of documents is the geometric mean."
        title = f"Generative methods against others, {TASKS[task]}"
        drawn.append((f"gap-{task}", title, caption, figures.gap_by_size(of_task, title)))
    if task == "multi" and content.stated:
        title = "Calibration of whole label sets"
        caption = (
            "On the grey line the stated confidence is the share of right label sets; first trial of each data set."
        )
        drawn.append(("calibration", title, caption, figures.set_calibration(content.stated, title)))
        title = "Selective prediction"
        caption = "Accuracy of the label sets of largest confidence; a method may refuse the rest."
        drawn.append(("coverage", title, caption, figures.coverage(content.stated, title)))
    return [
        Drawing(name, title, f"{caption} {notes_of(svg)}".strip(), inline_svg(svg, f"f-sizes-{name}", name))
        for name, title, caption, svg in drawn
    ]


def _data(content: Content) -> Table:
    """Return the table of the characteristics of the data sets."""
    rows = [
        [content.titles[dataset], *(_number(characteristics.get(key)) for key in MEANINGS)]
        for (study, dataset), characteristics in content.facts.items()
        if characteristics
    ]
    return Table("Characteristics of the data sets.", ("Data", *MEANINGS.values()), rows)


def _left_out(content: Content) -> list[Table]:
    """Return the table of the methods without a score; none where each has one."""
    if not content.left_out:
        return []
    caption = "Methods without a score on a data set, with the training documents of all data sets at that size."
    documents = documents_of(content.table)
    cells = [
        [_plain(row["method"]), _plain(row["dataset"]), documents.get(row["study"], "–"), row["reason"]]
        for row in content.left_out
    ]
    return [Table(caption, ("Method", "Data", "Documents", "Reason"), cells)]


def _number(value: float | None) -> str:
    """Return a number with three digits that count, thousands apart; a dash for none."""
    if value is None or not np.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _plain(name: str) -> str:
    """Return a name in words."""
    return name.replace("_", " ")
