"""Figures of the study: generative methods against others by size, and the confidence of whole label sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from textmix.contest.decided import Stated
from textmix.contest.sizes import Size
from textmix.metrics.calibration import BINS
from textmix.metrics.selective import coverage_curve, selective_accuracy
from textmix.metrics.table import main_metric
from textmix.pages.marks import legend, log_axis
from textmix.pages.style import DASHES, GREY, MARKERS, SMALL, grid_of_panels, panels, style, svg_bytes

#: Most lines of a panel, as many as there are dash patterns.
LINES = len(DASHES)


def gap_by_size(sizes: Sequence[Size], title: str) -> bytes:
    """Draw the lead of the best generative method over the best other against the number of training documents.

    Parameters
    ----------
    sizes : the sizes of one task, at least two, smallest first.
    title : of the figure.
    """
    with style():
        figure, (axes,) = panels(1)
        gaps = [size.gaps() for size in sizes]
        train = [float(np.sqrt(size.train[0] * size.train[1])) for size in sizes]
        for number, dataset in enumerate(dict.fromkeys(name for gap in gaps for name in gap.index)):
            values = [gap.get(dataset, np.nan) for gap in gaps]
            look = {"linestyle": DASHES[number % LINES], "marker": MARKERS[number % len(MARKERS)]}
            axes.plot(train, values, color=f"C{number % LINES}", label=dataset.replace("_", " "), **look)
        axes.axhline(0.0, color=GREY, linewidth=0.8)
        log_axis(axes.xaxis, min(train), max(train))
        axes.set_xlabel("training documents (log scale)")
        axes.set_ylabel(f"best generative − best other\n({main_metric(sizes[0].task).replace('_', ' ')})")
        legend(figure, axes)
        return svg_bytes(figure, title)


def set_calibration(stated: Sequence[Stated], title: str) -> bytes:
    """Draw the accuracy of whole label sets against their confidence, a panel a method, all data sets together.

    Parameters
    ----------
    stated : of one method or more.
    title : of the figure.
    """
    methods = list(dict.fromkeys(fit.method for fit in stated))
    with style():
        figure, axes = grid_of_panels(len(methods), 3, 1.7, sharex=True, sharey=True)
        for panel, method in enumerate(methods):
            confidence, right = _pooled(stated, method)
            bin_of = np.minimum((np.clip(confidence, 0.0, 1.0) * BINS).astype(np.int64), BINS - 1)
            count = np.bincount(bin_of, minlength=BINS)
            used = count > 0
            mean = np.bincount(bin_of, confidence, BINS)[used] / count[used]
            share = np.bincount(bin_of, right, BINS)[used] / count[used]
            axes[panel].plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
            axes[panel].plot(mean, share, marker="o", markersize=3)
            axes[panel].set_title(method.replace("_", " "), fontsize=SMALL)
        figure.supxlabel("confidence", fontsize=SMALL)
        figure.supylabel("share of right label sets", fontsize=SMALL)
        return svg_bytes(figure, title)


def coverage(stated: Sequence[Stated], title: str) -> bytes:
    """Draw accuracy against coverage of the methods with the best mean accuracy over coverages.

    Parameters
    ----------
    stated : of one method or more.
    title : of the figure.
    """
    pooled = {fit.method: _pooled(stated, fit.method) for fit in stated}
    best = sorted(pooled, key=lambda method: -selective_accuracy(*pooled[method]))[:LINES]
    with style():
        figure, (axes,) = panels(1)
        for number, method in enumerate(best):
            curve = coverage_curve(*pooled[method])
            share = np.arange(1, len(curve) + 1) / len(curve)
            shown = share >= 0.02
            look = {"linestyle": DASHES[number], "label": method.replace("_", " ")}
            axes.plot(share[shown], curve[shown], color=f"C{number}", **look)
        axes.set_xlabel("coverage: share of documents with the largest confidence")
        axes.set_ylabel("share of right label sets")
        legend(figure, axes)
        figure.note(f"The {len(best)} methods with the largest mean over all coverages are drawn, of {len(pooled)}.")
        return svg_bytes(figure, title)


def _pooled(stated: Sequence[Stated], method: str) -> tuple[np.ndarray, np.ndarray]:
    """Return confidence and whether it is right, float64 (N,) each, of a method on all data sets together."""
    fits = [fit for fit in stated if fit.method == method and not np.isnan(fit.confidence).any()]
    confidence = np.concatenate([fit.confidence for fit in fits]).astype(np.float64)
    return confidence, np.concatenate([fit.right for fit in fits]).astype(np.float64)
