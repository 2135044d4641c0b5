"""Bench: the 22 SGML files of Reuters-21578 to stories, against BeautifulSoup and lxml's HTML parser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from reproduction.bench.roofline import Work
from reproduction.bench.timing import compare, judge
from textmix.data.archives import iter_members
from textmix.data.readers import reuters_sgml

OURS, LXML, BEAUTIFUL_SOUP = "textmix", "lxml.html alone", "BeautifulSoup, lxml-html"


def by_lxml(archive: Path) -> list[tuple[str, list[str], str]]:
    """Return the LEWISSPLIT attribute, the topics and the text of every story, parsed by lxml's lenient HTML parser."""
    import lxml.html  # type: ignore[import-untyped]

    stories = []
    for _, data in iter_members(archive, ["*.sgm"]):
        for story in lxml.html.document_fromstring(data.decode("latin-1").encode("utf-8")).iter("reuters"):
            topics = [topic.text_content() for topic in story.findall(".//topics/d")]
            stories.append(
                (story.get("lewissplit"), topics, "".join(t.text_content() for t in story.findall(".//text")))
            )
    return stories


def by_beautiful_soup(archive: Path) -> list[tuple[str, list[str], str]]:
    """Return the list that `by_lxml` returns, parsed by BeautifulSoup over lxml."""
    from bs4 import BeautifulSoup

    stories = []
    for _, data in iter_members(archive, ["*.sgm"]):
        for story in BeautifulSoup(data, "lxml", from_encoding="latin-1").find_all("reuters"):
            topics = [topic.get_text() for topic in story.select("topics > d")]
            stories.append(
                (str(story["lewissplit"]), topics, "".join(text.get_text() for text in story.find_all("text")))
            )
    return stories


def bench_sgml(files: Mapping[str, Path], repeats: int = 5) -> list[dict[str, Any]]:
    """Time reading all stories, with our checks of every count included.

    Parameters
    ----------
    files : ``archive``: the tar archive of the distribution.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    the rows of `reproduction.bench.timing.judge`, against BeautifulSoup; lxml's parser alone stands beside it.
    """
    archive = files["archive"]
    candidates: dict[str, Callable[[], object]] = {
        OURS: lambda: reuters_sgml.read({"archive": archive}, {"name": "reuters"}),
        LXML: lambda: by_lxml(archive),
        BEAUTIFUL_SOUP: lambda: by_beautiful_soup(archive),
    }
    read = Work(bytes=float(archive.stat().st_size))
    return judge("reuters_sgml", compare(candidates, repeats), BEAUTIFUL_SOUP, {OURS: 0.3}, read)
