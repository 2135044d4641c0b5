"""Checks of every drawing, for the tests of all papers."""

from __future__ import annotations

import importlib
import re

import defusedxml.ElementTree as SafeTree
from matplotlib.figure import Figure

from reproduction.figures.drawing import FigureData, draw
from reproduction.figures.style import GREY, PALE, figure_style, render_svg
from reproduction.figures.svg_postprocess import DARK


def assert_sound(svg: bytes) -> None:
    """Assert that a drawing has real text, colours that have a dark form, its title, and nothing from outside."""
    text = svg.decode()
    colours = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{3,8})"', text))
    assert colours <= set(DARK), f"no dark form of {colours - set(DARK)}"
    root = SafeTree.fromstring(svg)
    words = [element.text or "" for element in root.iterfind(".//{*}text")]
    assert words and not any("$" in word for word in words)
    # The page shows a figure over the whole width of a phone: 390 px.
    width = float(str(root.get("viewBox")).split()[2])
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)px"', text)}
    assert 390 / width * min(sizes) >= 9, f"text of {min(sizes)} points is less than 9 px at 390 px"
    assert root.findtext("{*}title") and root.find("{*}desc") is not None
    assert "prefers-color-scheme:dark" in text and ' style="' not in text and "<image" not in text
    assert not re.search(r"<dc:date|<metadata|/tmp/|/work/|href=\"(?!#)", text)


def assert_drawn(paper: str, name: str, data: FigureData) -> bytes:
    """Draw a figure of a paper twice, assert that it is alike, sound and explained, and return it as SVG."""
    svg = draw(paper, name, data)
    with figure_style():
        again = importlib.import_module(f"reproduction.papers.{paper}.figures").FIGURES[name](data)
        assert_explained(again)
        assert render_svg(again, str(data.options.get("title", name))) == svg
    assert_sound(svg)
    return svg


def assert_explained(figure: Figure) -> None:
    """Assert that each line across a whole panel is named in a legend of the figure."""
    named = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    named |= {text.get_text() for axes in figure.axes if axes.get_legend() for text in axes.get_legend().get_texts()}
    for axes in figure.axes:
        for line in axes.lines:
            across = list(line.get_xdata()) == [0, 1] or list(line.get_ydata()) == [0, 1]
            if across and line.get_transform() is not axes.transData and line.get_color() not in (PALE, GREY):
                assert line.get_label() in named, f"a line at {line.get_xydata()} has no word"
