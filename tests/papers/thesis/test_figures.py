"""Figures of fusion, topics and joined documents: they draw the rows of their measures, a panel a data set at hand."""

from __future__ import annotations

from typing import Any, cast

import pytest

from reproduction.figures.drawing import FigureData
from reproduction.flow.results import MeasuredValue, Results
from reproduction.papers.thesis.figures import FIGURES, NAMES, comparison
from tests.papers.thesis.example import SPEC
from textmix.core.errors import MissingResult

OPTIONS = {"labels": {"bbc": "BBC News", "webkb": "WebKB"}}


SIZES = (5, 10, 20)


MODELS = ("multinomial", "dcm", "edcm")


JOINED = [f"{name}_{m}_{of}" for name in MODELS for m in (1, 2) for of in ("nats", "accuracy")]


TOPICS = [
    *(f"{name}_accuracy" for name in (*MODELS, "pmm1", "lda10")),
    *("multinomial_nats", "dcm_nats", "lda10_nats", "lda10_bound_nats"),
]


class Made:
    """Results of which one measure of each kind is at hand; its rows and values are made."""

    paper = "thesis"

    def __init__(self, *names: str) -> None:
        self.names = names

    def measure_roles(self, measure: str) -> list[str]:
        """Return the role of a measure."""
        return [measure.partition("_")[2] or "bbc"]

    def measure_table(self, measure: str, table: str) -> list[dict[str, str]]:
        """Return made rows, two trials of each number."""
        if measure not in self.names:
            raise MissingResult(f"{measure} was not made")
        (role,) = self.measure_roles(measure)
        rows: list[dict[str, Any]] = []
        if table == "curves":
            rows = [
                {"size": n, "words": 0.5 - n / 100 - trial / 50, "fused": 0.4 - n / 100, "binding": 0.2, "trial": trial}
                for n in SIZES
                for trial in range(2)
            ]
        else:
            numbers = JOINED if measure in ("longer", "thinned") else TOPICS
            rows = [{"name": name, "value": len(name) / 20 + trial / 10} for name in numbers for trial in range(2)]
        return [{key: str(value) for key, value in {"role": role, **row}.items()} for row in rows]

    def measure(self, measure: str) -> dict[str, MeasuredValue]:
        """Return the gains of a fusion."""
        (role,) = self.measure_roles(measure)
        ends = {"": 0.02, "_ci_low": -0.01, "_ci_high": 0.05}
        names = ("gain", "few_gain", "few_above_many")
        return {f"{role}_{name}{end}": MeasuredValue(value, None) for name in names for end, value in ends.items()}


def drawn(name: str, *measures: str) -> Any:
    """Return a figure of made results."""
    return FIGURES[name](FigureData(cast("Results", Made(*measures)), {}, OPTIONS))


def test_learning_curves_and_gains_have_a_panel_a_data_set() -> None:
    curves = drawn("fusion", "fusion", "fusion_webkb")
    assert [axes.get_title() for axes in curves.axes] == ["BBC News, 2 splits", "WebKB, 2 splits"]
    words = curves.axes[0].lines[0]
    assert list(words.get_ydata()) == pytest.approx([0.49 - n / 100 for n in SIZES])
    gains = drawn("fusion_gains", "fusion", "fusion_webkb")
    assert [label.get_text() for label in gains.axes[0].get_yticklabels()] == [
        *("all sizes", "small sizes", "small − large sizes"),
    ]


def test_topics_and_joined_documents_have_two_panels_a_data_set() -> None:
    topics = drawn("latent_topics", "latent_topics")
    assert [axes.get_xlabel() for axes in topics.axes] == ["perplexity", "accuracy (fraction)"]
    assert [label.get_text() for label in topics.axes[0].get_yticklabels()] == ["multinomial", "DCM", "LDA, 10 topics"]
    for name, axis in (("longer", "documents joined into one"), ("thinned", "words kept (percent)")):
        assert [axes.get_xlabel() for axes in drawn(name, name).axes] == [axis, axis]


def test_nothing_at_hand_is_a_missing_result() -> None:
    with pytest.raises(MissingResult):
        drawn("fusion")


def test_every_method_of_the_figure_has_a_name() -> None:
    compared = SPEC["measures"]["comparison"]["methods"]
    assert set(NAMES) == set(compared)


class Compared:
    """Results of all methods on one data set, at two sizes in some splits."""

    def __init__(self, trials: int = 3) -> None:
        self.trials = trials

    def measure_table(self, measure: str, table: str) -> list[dict[str, Any]]:
        """Return a row a split."""
        return [
            {"role": "bbc", "method": method, "size": size, "accuracy": 0.5 + size / 2000 + place / 100 + trial / 50}
            for place, method in enumerate(NAMES)
            for size in (50, 500)
            for trial in range(self.trials)
        ]


def test_every_method_has_a_row_with_bars_and_every_size_an_entry_in_the_legend() -> None:
    figure = comparison(FigureData(cast("Results", Compared()), {}, {"labels": {"bbc": "BBC News"}}))
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(NAMES.values())
    entries = [text.get_text() for text in figure.legends[0].get_texts()]
    assert entries == ["50 training documents, mean of the splits", "500 training documents, mean of the splits"]
    bars = [segment for collection in axes.collections for segment in collection.get_segments() if len(segment)]
    assert len(bars) == 2 * len(NAMES)
    assert bars[0][1][0] - bars[0][0][0] == pytest.approx(2 * 0.02)


def test_the_accuracies_of_one_split_are_called_no_means() -> None:
    figure = comparison(FigureData(cast("Results", Compared(trials=1)), {}, {"labels": {"bbc": "BBC News"}}))
    entries = [text.get_text() for text in figure.legends[0].get_texts()]
    assert entries == ["50 training documents, one split", "500 training documents, one split"]
    assert not [segment for one in figure.axes[0].collections for segment in one.get_segments() if len(segment)]
