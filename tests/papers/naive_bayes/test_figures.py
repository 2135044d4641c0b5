"""The figure of both measures of Zhai's lecture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reproduction.flow.results import Results, RoleEntry
from reproduction.papers.figures import FigureData, draw
from reproduction.papers.naive_bayes.figures import FIGURES
from reproduction.papers.style import style
from tests.pages.drawings import assert_explained, assert_sound
from tests.papers.naive_bayes.example import SPEC
from tests.verdict.reporting import META


def test_the_figure_of_both_is_sound_and_explained(measured: dict[str, Any], tmp_path: Path) -> None:
    for name, measure in measured.items():
        measure.save(tmp_path / "papers/naive_bayes/measures" / name, META)
    data = FigureData(
        Results(tmp_path, "naive_bayes", {"newsgroups": RoleEntry("made")}, SPEC), {}, SPEC["figures"]["reasons"]
    )
    assert_sound(draw("naive_bayes", "reasons", data))
    with style():
        assert_explained(FIGURES["reasons"](data))
