"""The study: the comparison of all methods at several numbers of training documents, as one table and its summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from textmix.contest.rows import read_costs, read_scores
from textmix.experiment.methods import Method
from textmix.metrics import ranking
from textmix.metrics.significance import LEVEL
from textmix.metrics.table import METRICS, main_metric

#: Columns of study.csv: mean of a metric over the trials; seconds to fit and predict one trial, and memory of the fit
#: in bytes, both medians over the trials.
STUDY = ("study", "train", "dataset", "task", "method", "family", "metric", "value", "seconds", "bytes")
#: Families of methods that model the documents given their labels; the remaining ones model the labels.
GENERATIVE = ("naive Bayes", "Dirichlet compound multinomial", "parametric mixture", "topics", "hidden Markov model")


def study_rows(scores: Path, timings: Path, method: Method, train: float | None) -> list[dict[str, Any]]:
    """Return the rows of `STUDY` of one method on one data set; none for a missing result.

    Parameters
    ----------
    scores, timings : ``results/scores/<study>/<experiment>/<data set>/<method>.csv`` and its timing file.
    method : the registry entry.
    train : number of training documents of the first trial, or None.
    """
    study, _, dataset = scores.parts[-4:-1]
    (cost,) = read_costs(timings, dataset, method.name) or [{}]
    parts = [cost.get("fit_seconds"), cost.get("predict_seconds")]
    spent = None if None in parts else float(sum(part for part in parts if part is not None))
    head = {"study": study, "train": train, "dataset": dataset, "task": method.task, "method": method.name}
    return [
        {**head, "family": method.family, **{key: cell[key] for key in ("metric", "value")}, "seconds": spent}
        | {"bytes": cost.get("fit_bytes")}
        for cell in read_scores(scores, dataset, method)
        if cell.get("value") is not None
    ]


def without_score(scores: Path, method: Method) -> dict[str, str] | None:
    """Return study, data set, method and reason of a fit without any score; None where there is one."""
    (first, *_) = read_scores(scores, scores.parts[-2], method)
    if "metric" in first:
        return None
    return {"study": scores.parts[-4], "dataset": scores.parts[-2], "method": method.name, "reason": first["reason"]}


@dataclass(frozen=True)
class Size:
    """The main metric of methods of a task at one number of documents, on data sets where each of them has a score.

    Parameters
    ----------
    study, task : names.
    train : smallest and largest number of training documents.
    scores : float, a row a data set and a column a method; larger is better.  See `complete`.
    families : method -> family.
    without : data sets and methods that have a score but stay out of ``scores``.
    """

    study: str
    task: str
    train: tuple[float, float]
    scores: pd.DataFrame
    families: Mapping[str, str]
    without: tuple[Sequence[str], Sequence[str]] = ((), ())

    @property
    def in_words(self) -> str:
        """The number of training documents in words."""
        return f"{_span(*self.train)} training documents"

    def ranks(self) -> list[dict[str, Any]]:
        """Return name, family, mean rank and Nemenyi's interval of every method, the best first.

        Two methods whose intervals do not overlap are distinguishable at `LEVEL`; with one data set the interval is
        infinite.
        """
        rank = ranking.mean_ranks(self.scores.to_numpy())
        half = np.inf
        if self.scores.shape[0] > 1 and self.scores.shape[1] > 1:
            half = ranking.critical_difference(self.scores.shape[1], self.scores.shape[0], LEVEL) / 2.0
        return [
            {"method": name, "family": self.families[name], "rank": r, "low": max(1.0, r - half)}
            | {"high": min(float(self.scores.shape[1]), r + half)}
            for r, name in sorted(zip(rank.tolist(), self.scores.columns, strict=True))
        ]

    def gaps(self) -> pd.Series:
        """Return the score of the best generative method minus that of the best other method, by data set."""
        generative = [name for name in self.scores if self.families[name] in GENERATIVE]
        others = [name for name in self.scores if name not in generative]
        if not generative or not others:
            return pd.Series(dtype=float)
        return self.scores[generative].max(axis=1) - self.scores[others].max(axis=1)


def sizes(table: pd.DataFrame) -> list[Size]:
    """Return the studies of each task, the smallest number of training documents first.

    Parameters
    ----------
    table : rows of `STUDY`.
    """
    results = []
    for (task, study), rows in table.groupby(["task", "study"], sort=False):
        metric = main_metric(task)
        main = rows[rows["metric"] == metric]
        if main.empty:
            continue
        sign = -1.0 if METRICS[metric].loss else 1.0
        scores = sign * main.pivot(index="dataset", columns="method", values="value")
        block = complete(scores)
        families = dict(zip(main["method"], main["family"], strict=True))
        train = main.loc[main["dataset"].isin(block.index), "train"].dropna()
        span = (float(train.min()), float(train.max())) if len(train) else (np.nan, np.nan)
        without = [*scores.index.difference(block.index)], [*scores.columns.difference(block.columns)]
        results.append(Size(str(study), str(task), span, block, families, without))
    return sorted(results, key=lambda size: (size.task != "single", size.train))


def complete(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the part of a table without a missing score that is left when rows and columns are taken out in turn.

    Ranks over data sets need every score.  The row or column with the largest share of missing scores is taken out
    first; of equal ones a column, and of these the first.  No score decides, only that it is missing.

    Parameters
    ----------
    scores : float, a row a data set and a column a method; nan where there is none.
    """
    scored = scores.notna()
    while not scored.to_numpy().all():
        rows, columns = scored.mean(axis=1), scored.mean(axis=0)
        if columns.min() <= rows.min():
            scored = scored.drop(columns=columns.idxmin())
        else:
            scored = scored.drop(index=rows.idxmin())
    return scores.loc[scored.index, scored.columns]


def documents_of(table: pd.DataFrame) -> dict[str, str]:
    """Return study -> its number of training documents in words, over all its data sets.

    Parameters
    ----------
    table : rows of `STUDY`.
    """
    spans = table.groupby("study", sort=False)["train"].agg(["min", "max"])
    return {str(study): _span(low, high) for study, low, high in spans.itertuples() if not np.isnan(low)}


def _span(low: float, high: float) -> str:
    """Return a smallest and a largest number of documents in words."""
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def summaries(table: pd.DataFrame, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return for each task, study and method the medians over its data sets, and their number ``datasets``.

    Parameters
    ----------
    table : rows of `STUDY`.
    metrics : names of metrics; a method that lacks one has None.
    """
    rows = []
    for (task, study, method), cells in table.groupby(["task", "study", "method"], sort=False):
        medians = cells.groupby("metric")["value"].median()
        spent = cells.drop_duplicates("dataset")[["seconds", "bytes"]].median()
        row: dict[str, Any] = {"task": task, "study": study, "method": method, "datasets": cells["dataset"].nunique()}
        row |= {name: float(medians[name]) if name in medians else None for name in metrics}
        rows.append(row | {key: None if np.isnan(value) else float(value) for key, value in spent.items()})
    return rows
