"""Figures of the latent-topic EDCM: known topics found again, and the topics of 20 Newsgroups as words and groups."""

from __future__ import annotations

import statistics
from typing import Any

from matplotlib.figure import Figure

from textmix.pages.figures import FigureData
from textmix.pages.style import DASHES, MARKERS, panels

#: Shares of at least this are written into their cells.
WRITTEN = 0.1
_METHODS = {"likelihood": "maximum likelihood", "mean_field": "variational mean field"}


def latent_topics(data: FigureData) -> Figure:
    """Draw how far the topics found are from the true ones, against the number of documents.

    Reads ``latent_topics/distances.csv``: method, documents (their number), topic, distance (of its word shares),
    shares (mean distance of the documents' topic shares).
    """
    rows = data.results.measure_table("latent_topics", "distances")
    figure, (left, right) = panels(2, sharey=True)
    for place, (method, label) in enumerate(_METHODS.items()):
        topics: dict[float, list[float]] = {}
        shares: dict[float, float] = {}
        for row in (row for row in rows if row["method"] == method):
            topics.setdefault(float(row["documents"]), []).append(float(row["distance"]))
            shares[float(row["documents"])] = float(row["shares"])
        style: dict[str, Any] = {
            "color": f"C{place}",
            "linestyle": DASHES[place],
            "marker": MARKERS[place],
            "markersize": 4,
        }
        low, high = ([end(values) for values in topics.values()] for end in (min, max))
        left.fill_between(list(topics), low, high, color=f"C{place}", alpha=0.15, linewidth=0)
        left.plot(list(topics), [statistics.fmean(values) for values in topics.values()], label=label, **style)
        right.plot(list(shares), list(shares.values()), **style)
    for axes, title in ((left, "words of a topic"), (right, "topics of a document")):
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.set_title(title)
        axes.set_xlabel("documents (logarithmic)")
    left.set_ylabel("total-variation distance to the truth")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return figure


def newsgroup_topics(data: FigureData) -> Figure:
    """Draw the topics as their most typical words, and their share in the words of every newsgroup.

    Reads ``newsgroup_topics/topics.csv``: topic, share, s, words; ``groups.csv``: topic, group, share.
    """
    topics = data.results.measure_table("newsgroup_topics", "topics")
    rows = data.results.measure_table("newsgroup_topics", "groups")
    groups = list(dict.fromkeys(row["group"] for row in rows))
    share = {(row["topic"], row["group"]): float(row["share"]) for row in rows}

    def first_group(topic: str) -> int:
        """Return the index of the newsgroup in which a topic has its largest share, the first of equals."""
        return max(range(len(groups)), key=lambda g: (share[topic, groups[g]], -g))

    ordered = sorted(topics, key=lambda row: (first_group(row["topic"]), -share[row["topic"], groups[0]]))
    figure, (axes,) = panels(1, height=5.6)
    image = [[share[row["topic"], group] for group in groups] for row in ordered]
    axes.pcolormesh(image, cmap="Greys", vmin=0, edgecolors="white", linewidth=0.5)
    axes.invert_yaxis()
    middle = [place + 0.5 for place in range(max(len(ordered), len(groups)))]
    axes.set_yticks(middle[: len(ordered)], [row["words"] for row in ordered], fontsize=7.5)
    axes.set_xticks(middle[: len(groups)], groups, rotation=90, fontsize=7.5)
    axes.grid(visible=False)
    for y, row in enumerate(image):
        for x, value in enumerate(row):
            if value >= WRITTEN:
                colour = "white" if value > 0.5 * max(map(max, image)) else "#1b1b1b"
                axes.text(x + 0.5, y + 0.5, f"{100 * value:.0f}", ha="center", va="center", fontsize=6.5, color=colour)
    axes.set_xlabel("newsgroup; share of its words, percent")
    axes.set_ylabel("topic, by its most typical words")
    return figure
