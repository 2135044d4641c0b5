"""Captions and legends say only what is drawn: no claim without data, no mark without a word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.pages.drawings import assert_explained
from textmix.metrics.significance import wilson
from textmix.pages.marks import Printed, counted, legend, published_line, published_point, readable, trials_row
from textmix.pages.style import Sheet, panels, placeholder, style
from textmix.pages.svg import DARK

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


def labels(figure: Sheet) -> list[str]:
    """Return the texts of the legend."""
    return [text.get_text() for key in figure.legends for text in key.get_texts()]


def test_a_published_value_enters_the_legend_only_where_it_is_drawn() -> None:
    with style():
        figure, (first, second) = panels(2)
        published_point(first, 0, 0, None)
        published_line(second, None)
        legend(figure)
        assert labels(figure) == []
        published_point(first, 0, 0, Printed(0.5, 0.1))
        published_line(second, Printed(0.25))
        legend(figure)
    assert labels(figure) == ["published ± standard deviation", "published, 0.25"]


def test_a_row_of_trials_says_what_its_bar_is() -> None:
    with style():
        figure, (axes,) = panels(1)
        trials_row(axes, 0, [0.1, 0.3], "C0", "split")
        trials_row(axes, 1, [0.1], "C0", "split")
    assert figure.notes == [
        "A bar reaches one standard deviation over the splits to each side of the mean.",
        "A mean over a single split has no bar.",
    ]
    (bar,) = [segment for collection in axes.collections for segment in collection.get_segments()]
    assert list(bar[:, 0]) == pytest.approx([0.2 - 0.02**0.5, 0.2 + 0.02**0.5])


def test_panels_of_one_quantity_say_that_their_scales_differ() -> None:
    for share, notes in ((False, ["Each panel has a vertical scale of its own."]), (True, [])):
        with style():
            figure, axes = panels(2, sharey=share)
            for top, panel in zip((1, 5), axes, strict=True):
                panel.plot([0, 1], [0, top], label="a")
            axes[0].set_ylabel("accuracy")
            legend(figure)
        assert figure.notes == notes


def test_a_legend_is_never_wider_than_its_figure() -> None:
    with style():
        figure, (axes,) = panels(1)
        for number in range(5):
            axes.plot([0], [number], label=f"a long label of the series {number}")
        legend(figure)
        assert figure.legends[0].get_window_extent().x1 <= figure.bbox.x1


def test_a_placeholder_says_why_in_text_that_can_be_found() -> None:
    svg = placeholder("One example", "no data set for 'scene': is in no package").decode()
    assert "Not drawn: One example" in svg and "no data set for 'scene': is in no package" in svg
    assert svg == placeholder("One example", "no data set for 'scene': is in no package").decode()


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours (WCAG 2.2)."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_colours_stand_out_on_light_and_on_dark_paper() -> None:
    background = {"#ffffff", "#e4e4e0", "#c9c9c4"}
    for light, dark in DARK.items():
        if light not in background:
            assert contrast(light, "#ffffff") > 3, light
            assert contrast(dark, DARK["#ffffff"]) > 4.5, dark
    for text in ("#1b1b1b", "#3c3c3c"):
        assert contrast(text, "#ffffff") > 7 and contrast(DARK[text], DARK["#ffffff"]) > 7


def test_numbers_of_axes_are_readable() -> None:
    texts = [readable(value) for value in (0, 0.001, 10000, 1e5, 1e-8, -2.5, 3e6)]
    assert texts == ["0", "0.001", "10,000", "10⁵", "10⁻⁸", "−2.5", "3·10⁶"]
    assert [counted("split", sizes) for sizes in ([10, 10], [2, 10])] == ["split (n = 10)", "split (n = 2 to 10)"]


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
