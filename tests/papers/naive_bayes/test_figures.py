"""The figure of both measures of Zhai's lecture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reproduction.figures.drawing import FigureData
from tests.pages.drawings import assert_drawn
from tests.papers.files import results_of
from tests.papers.naive_bayes.example import SPEC
from tests.verdict.reporting import META


def test_the_figure_of_both_is_sound_and_explained(measured: dict[str, Any], tmp_path: Path) -> None:
    for name, measure in measured.items():
        measure.save(tmp_path / "papers/naive_bayes/measures" / name, META)
    data = FigureData(results_of("naive_bayes", tmp_path), {}, SPEC["figures"]["reasons"])
    assert_drawn("naive_bayes", "reasons", data)
