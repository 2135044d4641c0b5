"""The findings of a comparison of methods, one a kind of data: conclusions in sentences, and two figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup

from textmix.contest.comparison import MAIN, Comparison, Facts, comparisons
from textmix.contest.conclusions import Paragraph, summarise
from textmix.contest.figures import Point, accuracy_against_time, critical_difference
from textmix.core import io
from textmix.metrics.significance import resampled_difference
from textmix.metrics.table import METRICS
from textmix.pages.drawing import Drawing, inline_svg


@dataclass(frozen=True)
class Finding:
    """Conclusions and figures of one kind of data.

    Parameters
    ----------
    paragraph : the conclusions in sentences.
    figures : the diagram of mean ranks, where Friedman's test applies, and the score against time, where times exist.
    """

    paragraph: Paragraph
    figures: Sequence[Drawing]


def findings(trials: Path, facts: Facts, metrics: Mapping[str, str] = MAIN) -> list[Finding]:
    """Return a finding for each kind of data.

    Parameters
    ----------
    trials : path of a trials.csv.
    facts : data set -> its `textmix.contest.description.corpus_facts`.
    metrics : task -> the metric by which methods are compared.

    Raises
    ------
    DataFormatError : see `textmix.contest.comparison.comparisons`.
    """
    results = comparisons(io.read_csv(trials), facts, metrics)
    return [Finding(summarise(comparison), _figures(comparison, number)) for number, comparison in enumerate(results)]


def _figures(comparison: Comparison, number: int) -> list[Drawing]:
    """Return the figures of a comparison; ``number`` makes their names unique on a page."""
    drawn = []
    metric = comparison.metric.replace("_", " ")
    where = f"{comparison.kind}, {metric}"
    if comparison.friedman is not None:
        names = [name.replace("_", " ") for name in comparison.methods]
        groups = comparison.groups if comparison.differ else [tuple(np.argsort(comparison.ranks).tolist())]
        svg = critical_difference(names, comparison.ranks.tolist(), groups, comparison.difference, where.capitalize())
        caption = (
            "Mean rank of each method over the data sets, the best at the left; a bar joins methods that are not "
            "statistically distinguishable."
        )
        drawn.append(_drawing(svg, f"ranks-{number}", f"Mean ranks, {where}", caption))
    points = _points(comparison)
    if points:
        caption = (
            "Mean score against the median of the seconds to fit and predict one trial; a disc is filled where no "
            f"other method is both as good and as fast. {_bars(comparison, points)}"
        )
        svg = accuracy_against_time(points, metric, comparison.kind, loss=METRICS[comparison.metric].loss)
        drawn.append(_drawing(svg, f"time-{number}", f"{metric.capitalize()} against time, {comparison.kind}", caption))
    return drawn


def _bars(comparison: Comparison, points: Sequence[Point]) -> str:
    """Return the sentence on the bars of a figure of score against time."""
    single = len(comparison.datasets) == 1
    if single and len(comparison.trials[comparison.datasets[0], comparison.methods[0]]) == 1:
        return "A single split gives no interval."
    over = "its trials, by the corrected resampled t-test" if single else "the data sets"
    bounded = np.isfinite([point.high - point.low for point in points]).all()
    rest = "" if bounded else " A method whose scores are all equal has none."
    return f"Bars are 95 % intervals of the mean over {over}.{rest}"


def _points(comparison: Comparison) -> list[Point]:
    """Return the methods as points of score against time; no point where any seconds are unknown or not positive."""
    if np.isnan(comparison.seconds).any() or (comparison.seconds <= 0).any():
        return []
    single = len(comparison.datasets) == 1
    points = []
    for k, method in enumerate(comparison.methods):
        values = comparison.trials[comparison.datasets[0], method] if single else comparison.scores[:, k]
        # Training parts of the trials of one data set overlap; data sets do not.
        ratio = comparison.test_ratio.get(comparison.datasets[0], 1.0) if single else 0.0
        mean, half = float(np.mean(values)), _half_width(values, ratio)
        seconds = float(np.median(comparison.seconds[:, k]))
        points.append(Point(method.replace("_", " "), mean, mean - half, mean + half, seconds))
    return points


def _half_width(values: np.ndarray, test_ratio: float) -> float:
    """Return half the length of the 95 % interval of the mean of values; infinite where all of them are equal.

    Parameters
    ----------
    values : float (n,).
    test_ratio : see `textmix.metrics.significance.resampled_difference`.
    """
    if np.ptp(values) == 0.0:
        return float("inf")
    estimate = resampled_difference(values, np.zeros(len(values)), test_ratio)
    return estimate.high - estimate.value


def _drawing(svg: bytes, name: str, title: str, caption: str) -> Drawing:
    """Return a figure as the page embeds it."""
    drawing: Markup = inline_svg(svg, f"f-study-{name}", name)
    return Drawing(name, title, caption, drawing)
