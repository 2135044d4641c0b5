"""Tables of four kinds of texts from the mirror, on which `reproduction.bench.race` sets both ways side by side.

The kinds are reviews (IMDB, two classes), news (20 Newsgroups with their headers, twenty classes), short texts (titles
of Reuters-21578 with one topic, a class a topic) and several labels (Reuters-21578, its topics).  A seed draws the
documents of each table, so that another seed gives other documents.  Make the tables by

    TEXTMIX_MIRROR=... python -m reproduction.bench.kinds FOLDER --most 2500 --seed 1

``--test 1500`` draws as many documents besides for the test and marks them in the column part, so that few training
documents, which are quick, are judged by many.
"""

from __future__ import annotations

import argparse
import csv
import html
import os
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from textmix.core.errors import ConfigError
from textmix.numerics.determinism import rng

#: A document: its text, and its label or labels.
Row = tuple[str, str]
#: Between two labels of a document.
SEPARATOR = ";"


def members(path: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the files of an archive whose names match a pattern."""
    with tarfile.open(path) as archive:
        for member in archive:
            opened = archive.extractfile(member) if re.search(pattern, member.name) else None
            if opened is not None:
                yield member.name, opened.read()


def reviews(mirror: Path) -> list[Row]:
    """Return the training reviews of IMDB, positive or negative."""
    files = members(mirror / "imdb" / "aclImdb_train.tar.xz", r"/(pos|neg)/\d+_\d+\.txt$")
    return [(content.decode("utf-8"), name.split("/")[-2]) for name, content in files]


def news(mirror: Path) -> list[Row]:
    """Return the messages of 20 Newsgroups, with From and Subject."""
    files = members(mirror / "newsgroups" / "20news-18828.tar.xz", r"/\d+$")
    return [(content.decode("latin-1").replace("\0", " "), name.split("/")[-2]) for name, content in files]


def reuters(mirror: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield title, body and topics of the documents of Reuters-21578 with a title and a topic."""
    for _, content in members(mirror / "reuters21578" / "reuters21578.tar.xz", r"\.sgm$"):
        for document in re.findall(r"<REUTERS.*?</REUTERS>", content.decode("latin-1"), re.S):
            parts = {tag: re.search(f"<{tag}>(.*?)</{tag}>", document, re.S) for tag in ("TITLE", "BODY", "TOPICS")}
            said = {tag: html.unescape(found[1]).strip() if found else "" for tag, found in parts.items()}
            topics = sorted(set(re.findall("<D>(.*?)</D>", parts["TOPICS"][1]))) if parts["TOPICS"] else []
            if said["TITLE"] and topics:
                yield said["TITLE"], said["BODY"], topics


def titles(mirror: Path) -> list[Row]:
    """Return the titles of Reuters-21578 with one topic."""
    return [(title, topics[0]) for title, _, topics in reuters(mirror) if len(topics) == 1]


def topics_of(mirror: Path) -> list[Row]:
    """Return the documents of Reuters-21578 with all their topics."""
    return [(f"{title}\n{body}", SEPARATOR.join(topics)) for title, body, topics in reuters(mirror)]


KINDS: Mapping[str, Callable[[Path], Sequence[Row]]] = {
    "reviews": reviews,
    "news": news,
    "titles": titles,
    "topics": topics_of,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables and print the size of each.

    Raises
    ------
    ConfigError : TEXTMIX_MIRROR names no folder.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the tables are written")
    parser.add_argument("--most", type=int, default=2500, help="documents of a table")
    parser.add_argument("--test", type=int, default=0, help="documents besides for the test; by default a fifth is it")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS), help="which tables are made")
    parser.add_argument("--seed", type=int, default=1, help="draws the documents")
    asked = parser.parse_args(arguments)
    mirror = Path(os.environ.get("TEXTMIX_MIRROR", ""))
    if not (mirror / "reuters21578").is_dir():
        raise ConfigError("TEXTMIX_MIRROR: names no folder with reuters21578; set it to that of the mirror")
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name in asked.kinds:
        rows = KINDS[name](mirror)
        order = rng(asked.seed, name, "kinds").permutation(len(rows))[: asked.most + asked.test]
        drawn = [(*rows[row], "train" if at < asked.most else "test") for at, row in enumerate(order)]
        columns = ("text", "label", "part")[: 3 if asked.test else 2]
        with open(asked.folder / f"{name}.csv", "w", encoding="utf-8", newline="") as table:
            csv.writer(table).writerows([columns, *(row[: len(columns)] for row in drawn)])
        labels = {label for _, joined, _ in drawn for label in joined.split(SEPARATOR)}
        print(f"{name}: {len(drawn)} documents, {len(labels)} labels")


if __name__ == "__main__":
    main()
