"""Captions and legends say only what is drawn: no claim without data, no mark without a word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.pages.drawings import assert_explained
from textmix.metrics.significance import wilson
from textmix.pages.marks import Printed, legend, published_line
from textmix.pages.style import panels, style

PAPERS = Path(__file__).parents[2] / "config/papers"


CAPTIONS = {
    f"{path.parent.name}.{name}": f"{figure['title']} {figure['caption']}"
    for path in sorted(PAPERS.glob("*/paper.yaml"))
    for name, figure in yaml.load(path.read_bytes(), yaml.CSafeLoader).get("figures", {}).items()
}


#: Words about a mark that may be absent, and words that state a result; both are notes, which come from the data.
LOOKS = r"dashed|dotted|diamond|black bar|\bband\b|stroke|\bdots?\b"


CLAIMS = (
    r"\bhelps?\b|nearer|\bbetter\b|\bworse\b|\bfewer\b|\bhardly\b|increases?\b|decreases?\b|\bfar (too|more|less)\b|"
    r"\breaches\b|\blarger than\b|\bno number of\b"
)


@pytest.mark.parametrize("name", CAPTIONS)
def test_no_caption_states_a_result_or_a_mark_that_may_be_absent(name: str) -> None:
    match = re.search(f"{LOOKS}|{CLAIMS}", CAPTIONS[name], re.IGNORECASE)
    assert not match, f"{name}: '{match[0] if match else ''}' belongs into a note of the figure's function"


@pytest.mark.parametrize("lie", ["The dashed line is the published value.", "A learnt prior helps.", "It increases."])
def test_the_lies_of_old_captions_would_be_found(lie: str) -> None:
    assert re.search(f"{LOOKS}|{CLAIMS}", lie, re.IGNORECASE)


def test_wilson_by_hand() -> None:
    low, high = wilson(0.5, 100)
    assert (low, high) == pytest.approx((0.40383, 0.59617), abs=1e-5)
    assert wilson(0.0, 10)[0] == pytest.approx(0.0) and wilson(1.0, 10)[1] == pytest.approx(1.0)


def test_a_line_without_a_word_is_found() -> None:
    with style():
        figure, (axes,) = panels(1)
        published_line(axes, Printed(0.5))
        legend(figure)
        assert_explained(figure)
        axes.axhline(0.25, linestyle="--")
        with pytest.raises(AssertionError, match="has no word"):
            assert_explained(figure)
