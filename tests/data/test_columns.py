"""The columns of text and labels of a table that nobody described, and the sentences where they are not found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from textmix.core.errors import TextmixError
from textmix.data.user_table import Layout, read_table

TEXTS = [f"a text with some words, number {row}" for row in range(12)]


def found(path: Path, text: str | None = None, labels: str | None = None) -> Layout:
    """Return how a table is read."""
    return read_table(path, text=text, labels=labels).layout


def table(
    path: Path, header: list[str] | None, rows: list[list[Any]], delimiter: str = ",", encoding: str = "utf-8"
) -> Path:
    lines = [*([header] if header else []), *rows]
    quoted = [delimiter.join(f'"{cell}"' for cell in row) for row in lines]
    path.write_bytes("".join(f"{line}\r\n" for line in quoted).encode(encoding))
    return path


def rows(*more: Any) -> list[list[Any]]:
    """Return id, text and label of twelve rows, and further columns by functions of the row."""
    return [[row, TEXTS[row], "pos" if row % 2 else "neg", *(each(row) for each in more)] for row in range(12)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_delimiter_and_encoding_are_found(tmp_path: Path, delimiter: str, encoding: str) -> None:
    lines = [[number, f"{text} café", label] for number, text, label in rows()]
    layout = found(table(tmp_path / "a.csv", ["id", "body", "class"], lines, delimiter, encoding))
    assert layout == ("csv", ("body",), ("class",), False, None, True)


def test_commas_in_texts_do_not_hide_a_semicolon(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text;label\n" + "".join(f"one, two, three, {row}, and more;{row % 2}\n" for row in range(12)))
    assert found(path)[1:3] == (("text",), ("label",))


@pytest.mark.parametrize(
    ("header", "text", "label"),
    [
        (["id", "review", "sentiment"], "review", "sentiment"),
        (["label", "text", "x"], "text", "x"),  # the numbers are all different, so that they are no labels
        (["number", "what they say", "kind"], "what they say", "kind"),
    ],
)
def test_columns_are_found_by_name_and_by_content(tmp_path: Path, header: list[str], text: str, label: str) -> None:
    assert found(table(tmp_path / "a.csv", header, rows()))[1:3] == ((text,), (label,))


def test_a_table_without_a_header_has_numbers(tmp_path: Path) -> None:
    lines = [[text, label] for _, text, label in rows()]
    layout = found(table(tmp_path / "a.csv", None, lines))
    assert (layout.text, layout.labels, layout.header) == ((1,), (2,), False)
    assert found(table(tmp_path / "b.csv", None, lines), "1", "2") == layout


def test_json_lines_may_hold_lists_of_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        "".join(json.dumps({"say": text, "kinds": ["a", "b"][: row % 3]}) + "\n" for row, text in enumerate(TEXTS))
    )
    assert found(path) == ("jsonl", ("say",), ("kinds",), True, None, True)


@pytest.mark.parametrize(
    ("header", "more", "options", "sentence"),
    [
        (
            ["id", "words said", "colour", "shape"],
            [lambda row: "round" if row % 3 else "square"],
            (None, None),
            "a.csv: more than one column could be the labels; name it by --labels: colour, shape",
        ),
        (
            ["id", "first", "kind", "second"],
            [lambda row: TEXTS[-row]],
            (None, None),
            "a.csv: more than one column could be the text; name it by --text: first, second",
        ),
        (
            ["id", "text", "kind"],
            [],
            (None, "kin"),
            "a.csv: --labels: there is no column 'kin'; did you mean 'kind'? allowed: id, text, kind",
        ),
    ],
)
def test_an_error_names_the_candidates(
    tmp_path: Path, header: list[str], more: list[Any], options: tuple[str | None, str | None], sentence: str
) -> None:
    path = table(tmp_path / "a.csv", header, rows(*more))
    with pytest.raises(TextmixError) as error:
        found(path, *options)
    assert str(error.value) == sentence


def test_a_name_decides_between_candidates(tmp_path: Path) -> None:
    lines = rows(lambda row: TEXTS[-row], lambda row: row % 3)
    layout = found(table(tmp_path / "a.csv", ["id", "title", "label", "body", "stars"], lines))
    assert (layout.text, layout.labels) == (("body",), ("label",))
