"""Colours and styles of drawings: each method has one colour, which stands out on light and on dark paper."""

from __future__ import annotations

import itertools
from pathlib import Path

import matplotlib
import yaml

from reproduction.figures.style import COLOURS, INK, figure_style, method_colour, placeholder
from reproduction.figures.svg_postprocess import DARK
from reproduction.papers.edcm import study_figures
from reproduction.papers.thesis import figures

#: The colours of a vision without one kind of cone, on linear RGB (Machado, Oliveira and Fernandes, 2009, severity 1).
WITHOUT_CONES = {
    "green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}


def linear(colour: str) -> list[float]:
    """Return the linear RGB parts of a colour."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def lab(rgb: list[float]) -> tuple[float, float, float]:
    """Return the CIE L*a*b* coordinates of linear RGB (white D65)."""
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.95047, 1.0, 1.08883)
    x, y, z = (
        part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116
        for row, full in zip(rows, white, strict=True)
        for part in [sum(a * b for a, b in zip(row, rgb, strict=True)) / full]
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour: str, cones: str) -> tuple[float, float, float]:
    """Return a colour as a vision without the cones for red or green sees it, in L*a*b*."""
    mixed = (sum(a * b for a, b in zip(row, linear(colour), strict=True)) for row in WITHOUT_CONES[cones])
    return lab([min(max(part, 0.0), 1.0) for part in mixed])


def apart(first: str, second: str, cones: str) -> float:
    """Return the distance of two colours for a vision without cones of one kind."""
    return sum((a - b) ** 2 for a, b in zip(seen(first, cones), seen(second, cones), strict=True)) ** 0.5


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


def test_series_stand_apart_with_any_colour_vision_on_light_and_on_dark_paper() -> None:
    with figure_style():
        light = [*matplotlib.rcParams["axes.prop_cycle"].by_key()["color"], INK]
    light = [f"#{colour.lower().lstrip('#')}" for colour in light]
    for cones in WITHOUT_CONES:
        for first, second in itertools.combinations(light, 2):
            assert apart(first, second, cones) > 15, (first, second, cones)
            assert apart(DARK[first], DARK[second], cones) > 15, (DARK[first], DARK[second], cones)


PAPERS = Path(__file__).parents[2] / "config/papers"
METHODS = {
    method
    for path in PAPERS.glob("*/paper.yaml")
    for figure in yaml.load(path.read_bytes(), yaml.CSafeLoader).get("figures", {}).values()
    for method in figure.get("methods", ())
}


def test_every_method_of_a_figure_has_a_colour() -> None:
    drawn = METHODS | {*study_figures.MODELS, *figures.NAMES, *figures.MODELS, "lda10", "lda40"}
    assert len(drawn) > 40
    assert all(method_colour(method) for method in drawn)


def test_variants_have_the_colour_of_their_method_and_the_models_of_the_documents_differ() -> None:
    assert method_colour("dcm_fixed_point") == method_colour("dcm") == method_colour("knn_fisher_dcm")
    assert method_colour("lda10") == COLOURS["lda"]
    assert (
        len({method_colour(model) for model in ("multinomial", "dcm", "edcm", "lda", "knn", "linear_svm", "hmm")}) == 7
    )


def test_a_placeholder_says_why_in_text_that_can_be_found() -> None:
    svg = placeholder("One example", "no data set for 'scene': is in no package").decode()
    assert "Not drawn: One example" in svg and "no data set for 'scene': is in no package" in svg
    assert svg == placeholder("One example", "no data set for 'scene': is in no package").decode()
