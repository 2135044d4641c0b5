"""The marks of figures: published values, trials, scales, legends and numbers, also in texts of pages."""

from __future__ import annotations

import pytest

from reproduction.figures.figure_elements import (
    PublishedValue,
    add_legend,
    add_trials_legend,
    draw_published_line,
    draw_published_point,
    draw_trials,
    format_number,
    with_sample_size,
)
from reproduction.figures.style import Sheet, figure_style, panels
from textmix.pages.rendering import with_minus


def labels(figure: Sheet) -> list[str]:
    return [text.get_text() for key in figure.legends for text in key.get_texts()]


def test_a_published_value_enters_the_legend_only_where_it_is_drawn() -> None:
    with figure_style():
        figure, (first, second) = panels(2)
        draw_published_point(first, 0, 0, None)
        draw_published_line(second, None)
        add_legend(figure)
        assert labels(figure) == []
        draw_published_point(first, 0, 0, PublishedValue(0.5, 0.1))
        draw_published_line(second, PublishedValue(0.25))
        add_legend(figure)
    assert labels(figure) == ["published ± standard deviation", "published, 0.25"]


def test_the_band_of_a_printed_deviation_is_explained_where_it_is_drawn() -> None:
    with figure_style():
        figure, (axes,) = panels(1)
        draw_published_line(axes, PublishedValue(0.5))
        assert figure.notes == []
        draw_published_line(axes, PublishedValue(0.5, 0.1))
    (note,) = figure.notes
    assert note.startswith("Grey bands show")


def test_a_row_of_trials_says_what_its_bar_is() -> None:
    with figure_style():
        figure, (axes,) = panels(1)
        draw_trials(axes, 0, [0.1, 0.3], "C0", "split")
        draw_trials(axes, 1, [0.1], "C0", "split")
    assert figure.notes == [
        "Bars show one standard deviation over the splits.",
        "Values of a single split have no bars.",
    ]
    (bar,) = [segment for collection in axes.collections for segment in collection.get_segments()]
    assert list(bar[:, 0]) == pytest.approx([0.2 - 0.02**0.5, 0.2 + 0.02**0.5])


def test_panels_of_one_quantity_say_that_their_scales_differ() -> None:
    for share, notes in ((False, ["The panels have different vertical scales."]), (True, [])):
        with figure_style():
            figure, axes = panels(2, sharey=share)
            for top, panel in zip((1, 5), axes, strict=True):
                panel.plot([0, 1], [0, top], label="a")
            axes[0].set_ylabel("accuracy")
            add_legend(figure)
        assert figure.notes == notes


def test_a_legend_is_never_wider_than_its_figure() -> None:
    with figure_style():
        figure, (axes,) = panels(1)
        for number in range(5):
            axes.plot([0], [number], label=f"a long label of the series {number}")
        add_legend(figure)
        assert figure.legends[0].get_window_extent().x1 <= figure.bbox.x1


def test_numbers_of_axes_are_readable() -> None:
    texts = [format_number(value) for value in (0, 0.001, 10000, 1e5, 1e-8, -2.5, 3e6)]
    assert texts == ["0", "0.001", "10,000", "10⁵", "10⁻⁸", "−2.5", "3·10⁶"]
    assert [with_sample_size("split", sizes) for sizes in ([10, 10], [2, 10])] == [
        "split (n = 10)",
        "split (n = 2 to 10)",
    ]


def test_a_row_of_single_trials_is_not_called_a_mean() -> None:
    _, (axes,) = panels(1)
    draw_trials(axes, 0, [0.5], "C0", "split")
    add_trials_legend(axes, "split", iter([1, 1]))
    assert axes.get_legend_handles_labels()[1] == ["one split (n = 1)", "reproduced"]


def test_negative_numbers_have_a_minus_sign_and_names_keep_their_hyphens() -> None:
    text = "-0.5 to -.25, off by -3 in RCV1-v2, 2-3 and k-NN"
    assert with_minus(text) == "−0.5 to −.25, off by −3 in RCV1-v2, 2-3 and k-NN"
