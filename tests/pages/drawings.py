"""What every drawing must be, for the tests of all papers."""

from __future__ import annotations

import re

import defusedxml.ElementTree as SafeTree

from textmix.pages.svg import DARK


def assert_sound(svg: bytes) -> None:
    """Assert that a drawing has real text, colours that have a dark form, its title, and nothing from outside."""
    text = svg.decode()
    colours = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{3,8})"', text))
    assert colours <= set(DARK), f"no dark form of {colours - set(DARK)}"
    root = SafeTree.fromstring(svg)
    words = [element.text or "" for element in root.iterfind(".//{*}text")]
    assert words and not any("$" in word for word in words)
    assert root.findtext("{*}title") and root.find("{*}desc") is not None
    assert "prefers-color-scheme:dark" in text and ' style="' not in text and "<image" not in text
    assert not re.search(r"<dc:date|<metadata|/tmp/|/work/|href=\"(?!#)", text)
