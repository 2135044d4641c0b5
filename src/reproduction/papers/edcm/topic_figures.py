"""Figures of the latent-topic EDCM: known topics recovered, and the topics of 20 Newsgroups as words and groups."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Rectangle

from reproduction.pages.figures import FigureData
from textmix.pages.marks import legend, log_axis, marked, spread_of, with_bars, write_at
from textmix.pages.style import DASHES, INK, MARKERS, PAPER, SMALL, WIDTH, Sheet, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Shares of at least this are written into their cells.
WRITTEN = 0.1
_METHODS = {"likelihood": "maximum likelihood", "mean_field": "variational mean field"}


def latent_topics(data: FigureData) -> Sheet:
    """Draw the distance of estimated from true topics against the number of documents.

    Reads ``latent_topics/distances.csv``: method, documents (their number), topic, distance (of its word shares),
    shares (mean distance of the documents' topic shares).
    """
    rows = data.results.measure_table("latent_topics", "distances")
    figure, (of_words, of_shares) = panels(2, height=3.0, sharex=True, sharey=True)
    for series, (method, label) in enumerate(_METHODS.items()):
        topics: dict[float, list[float]] = {}
        shares: dict[float, float] = {}
        for row in (row for row in rows if row["method"] == method):
            topics.setdefault(float(row["documents"]), []).append(float(row["distance"]))
            shares[float(row["documents"])] = float(row["shares"])
        means, bars = [[of(values) for values in topics.values()] for of in (statistics.fmean, spread_of)]
        with_bars(of_words, [x * 1.04 ** (2 * series - 1) for x in topics], means, bars, series, label=label)
        look: dict[str, Any] = {"color": f"C{series}", "linestyle": DASHES[series], "marker": MARKERS[series]}
        of_shares.plot(list(shares), list(shares.values()), markersize=4, **look)
        last = f"with {max(topics):,.0f} documents the mean distance of the topics is {means[-1]:.3f}"
        figure.note(f"By {label}, {last}.")
    for axes, title in (
        (of_words, f"words of a topic (n = {len(topics[min(topics)])} topics)"),
        (of_shares, "topics of a document"),
    ):
        log_axis(axes.xaxis, min(topics), max(topics))
        marked(axes.xaxis, list(topics))
        axes.set_ylim(bottom=0)
        axes.set_title(title)
        axes.set_xlabel("documents (log scale)")
    of_words.set_ylabel("total-variation distance to the truth")
    figure.note(
        "A bar reaches one standard deviation over the topics to each side of the mean; documents have no bars."
    )
    legend(figure, of_words)
    return figure


def newsgroup_topics(data: FigureData) -> Sheet:
    """Draw the topics as their most typical words, and their share in the words of every newsgroup.

    Reads ``newsgroup_topics/topics.csv``: topic, share, s, words; ``groups.csv``: topic, group, share.
    """
    topics = data.results.measure_table("newsgroup_topics", "topics")
    rows = data.results.measure_table("newsgroup_topics", "groups")
    groups = list(dict.fromkeys(row["group"] for row in rows))
    share = {(row["topic"], row["group"]): float(row["share"]) for row in rows}

    def home(row: dict[str, str]) -> tuple[int, float]:
        """Return the index of the newsgroup in which a topic has its largest share, and minus that share."""
        largest = max(range(len(groups)), key=lambda g: (share[row["topic"], groups[g]], -g))
        return largest, -share[row["topic"], groups[largest]]

    ordered = sorted(topics, key=home)
    figure = Sheet(figsize=(WIDTH, 1.6 + 0.2 * len(ordered)))
    axes = figure.subplots()
    shading(axes, [[share[row["topic"], group] for group in groups] for row in ordered])
    axes.set_yticks([number + 0.5 for number in range(len(ordered))], [_shortened(row["words"]) for row in ordered])
    axes.set_xticks([number + 0.5 for number in range(len(groups))], groups, rotation=90)
    axes.set_xlabel("newsgroup")
    axes.set_ylabel("topic, by its most typical words")
    return figure


def shading(axes: Axes, shares: Sequence[Sequence[float]]) -> None:
    """Draw a matrix of shares as shades from white (0) to ink (the largest); a share from `WRITTEN` on is written."""
    top = max(map(max, shares))
    for y, row in enumerate(shares):
        for x, value in enumerate(row):
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=INK, alpha=value / top, edgecolor="none"))
            if value >= WRITTEN:
                colour = PAPER if value > 0.45 * top else INK
                write_at(axes, f"{100 * value:.0f}", (x + 0.5, y + 0.5), up=0, color=colour)
    axes.set_xlim(0, len(shares[0]))
    axes.set_ylim(len(shares), 0)
    axes.grid(visible=False)
    axes.tick_params(length=0, labelsize=SMALL)


def _shortened(words: str, most: int = 4) -> str:
    """Return the first words of a topic's name."""
    return " ".join(words.split()[:most])
