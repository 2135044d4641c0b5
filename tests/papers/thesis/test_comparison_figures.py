"""The figures of the comparison of methods."""

from __future__ import annotations

from typing import Any, cast

import pytest

from reproduction.flow.results import Results
from reproduction.pages.figures import FigureData
from reproduction.papers.thesis.comparison_figures import NAMES, comparison
from tests.papers.thesis.example import SPEC


def test_every_method_of_the_figure_has_a_name() -> None:
    compared = SPEC["measures"]["comparison"]["methods"]
    assert set(NAMES) == set(compared)


class Made:
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
    figure = comparison(FigureData(cast("Results", Made()), {}, {"labels": {"bbc": "BBC News"}}))
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(NAMES.values())
    entries = [text.get_text() for text in figure.legends[0].get_texts()]
    assert entries == ["50 training documents, mean of the splits", "500 training documents, mean of the splits"]
    bars = [segment for collection in axes.collections for segment in collection.get_segments() if len(segment)]
    assert len(bars) == 2 * len(NAMES)
    assert bars[0][1][0] - bars[0][0][0] == pytest.approx(2 * 0.02)


def test_the_accuracies_of_one_split_are_called_no_means() -> None:
    figure = comparison(FigureData(cast("Results", Made(trials=1)), {}, {"labels": {"bbc": "BBC News"}}))
    entries = [text.get_text() for text in figure.legends[0].get_texts()]
    assert entries == ["50 training documents, one split", "500 training documents, one split"]
    assert not [segment for one in figure.axes[0].collections for segment in one.get_segments() if len(segment)]
