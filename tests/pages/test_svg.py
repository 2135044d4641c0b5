"""Colours on light and on dark paper."""

from __future__ import annotations

from textmix.pages.svg import DARK


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
