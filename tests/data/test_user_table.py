"""Tables as people have them: each kind is read as it is meant, or refused in a sentence that leads out."""

from __future__ import annotations

import codecs
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textmix.core.errors import ConfigError, DataFormatError, TextmixError
from textmix.data.corpus import TableTexts
from textmix.data.extra_columns import infer_column_kinds
from textmix.data.labels import label_name, parse_labels
from textmix.data.user_table import Table, columns_from_card, read_table, read_texts

TEXTS = [f"a text with some words and the number {row}" for row in range(12)]
KINDS = ["garden" if row % 2 else "engine" for row in range(12)]
PAIRS = list(zip(TEXTS, KINDS, strict=True))


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines(*head: str, row: str = "{text},{kind}", end: str = "\n") -> str:
    """Return a table: lines of its head, and a row for each pair."""
    body = [row.format(n=n, text=text, kind=kind) for n, (text, kind) in enumerate(PAIRS)]
    return "".join(line + end for line in [*head, *body])


def pairs(table: Table) -> list[tuple[str, str]]:
    corpus = table.corpus
    assert corpus.text is not None
    names = [corpus.label_names[i] for i in corpus.classes()]
    return [(corpus.text.text(row), name) for row, name in enumerate(names)]


def sets(table: Table) -> list[set[str]]:
    rows = table.corpus.indicators()
    return [{table.corpus.label_names[i] for i in np.flatnonzero(row)} for row in rows]


AS_THEY_COME: dict[str, tuple[str, str | bytes]] = {
    "index of pandas": ("a.csv", lines(",text,label", row="{n},{text},{kind}")),
    "index of R": ("a.csv", lines('"text","label"', row='"{n}","{text}","{kind}"')),
    "an empty column at the end": ("a.csv", lines("text,label,", row="{text},{kind},")),
    "two names alike": ("a.csv", lines("text,note,note,label", row="{text},{n},{n},{kind}")),
    "two tables joined": ("a.csv", lines("text,label") + "text,label\n"),
    "two tables with marks joined": ("a.csv", "\ufefftext,label\n" + lines("\ufefftext,label")),
    "line of the delimiter": ("a.csv", lines("sep=;", "text;label", row="{text};{kind}", end="\r\n")),
    "returns alone": ("a.csv", lines("text,label", end="\r")),
    "a mark and quotes": ("a.csv", codecs.BOM_UTF8 + lines('"text","label"', row='"{text}","{kind}"').encode()),
    "UTF-16": ("a.csv", lines("text,label").encode("utf-16")),
    "UTF-16 without a mark": ("a.csv", lines("text,label").encode("utf-16-le")),
    "UTF-16, big end first, without a mark": ("a.csv", lines("text,label").encode("utf-16-be")),
    "UTF-32": ("a.csv", lines("text,label").encode("utf-32")),
    "UTF-16 with returns alone": ("a.csv", lines("text,label", end="\r").encode("utf-16")),
    "tabs with quotes": ("a.tsv", lines("text\tlabel", row='"{text}"\t"{kind}"')),
    "a tsv of commas": ("a.tsv", lines("text,label")),
    "packed": ("a.csv.gz", gzip.compress(lines("text,label").encode())),
    "quotes of a spreadsheet": ("a.csv", lines("text,label", row='{text},"""{kind}"""')),
    "labels as formulas": ("a.csv", lines("text,label", row='{text},"=""{kind}"""')),
    "labels after an apostrophe": ("a.csv", lines("text,label", row="{text},'{kind}")),
    "labels with blanks nobody sees": ("a.csv", lines("text,label", row="{text},\u200b{kind}\u00a0\ufeff")),
    "lists of NumPy": ("a.csv", lines("text,label", row="{text},[np.str_('{kind}')]")),
    "JSON in a cell": ("a.csv", lines("text,label", row='{text},"[""{kind}""]"')),
    "mappings": ("a.csv", lines("text,label", row="{text},\"{{'{kind}': 1, 'other': 0}}\"")),
    "a JSON array": ("a.json", json.dumps([{"text": a, "label": b} for a, b in PAIRS], indent=1)),
    "a JSON array of a line each": ("a.json", json.dumps([{"text": a, "label": b} for a, b in PAIRS])),
    "JSON by columns": ("a.json", json.dumps({"text": TEXTS, "label": KINDS})),
    "JSON by columns and rows": (
        "a.json",
        json.dumps({"text": dict(enumerate(TEXTS)), "label": dict(enumerate(KINDS))}),
    ),
    "JSON of objects under a key": (
        "a.json",
        json.dumps({"data": [{"text": a, "label": b} for a, b in PAIRS]}, indent=1),
    ),
    "JSON of rows and names": (
        "a.json",
        json.dumps({"columns": ["text", "label"], "index": [*range(12)], "data": PAIRS}),
    ),
    "a title above the header": ("a.csv", lines("Export of 2024,", "text,label")),
    "blank lines above the header": ("a.csv", lines("", "", "text,label")),
    "the end of a file in DOS": ("a.csv", lines("text,label") + "\x1a"),
    "a question as a name": ("a.csv", lines("What did you like about the product that you bought?,label")),
    "lists with nothing in them": ("a.csv", lines("text,label", row="{text},\"['{kind}', None]\"")),
    "labels of fastText": ("a.txt", lines(row="__label__{kind} {text}")),
    "labels of fastText at the end": ("a.txt", lines(row="{text} __label__{kind}")),
}


@pytest.mark.parametrize("kind", AS_THEY_COME)
def test_a_table_is_read_as_it_is_meant(kind: str, tmp_path: Path) -> None:
    name, content = AS_THEY_COME[kind]
    table = read_table(write(tmp_path / name, content), multi_label=False)
    assert pairs(table) == PAIRS
    schema = read_table(tmp_path / name, multi_label=False, text=table.schema.text, labels=table.schema.labels).schema
    assert schema == table.schema


def test_columns_that_are_asked_for_by_name_are_found_below_any_header(tmp_path: Path) -> None:
    for kind in ("index of pandas", "two tables joined", "line of the delimiter", "two names alike"):
        name, content = AS_THEY_COME[kind]
        assert pairs(read_table(write(tmp_path / name, content), text="text", labels="label")) == PAIRS


# --- which column is which ------------------------------------------------------------------------------------------


def table_of(path: Path, header: list[str], *more: Callable[[int], Any]) -> Path:
    """Write a number, text and label of each row, and further columns by functions of the row, below a header."""
    rows = [header, *([n, *pair, *(each(n) for each in more)] for n, pair in enumerate(PAIRS))]
    return write(path, "".join(",".join(f'"{cell}"' for cell in row) + "\r\n" for row in rows))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_delimiter_and_encoding_are_found(tmp_path: Path, delimiter: str, encoding: str) -> None:
    cells = ['"{n}"', '"{text} café"', '"{kind}"']
    content = lines(delimiter.join(["id", "body", "class"]), row=delimiter.join(cells), end="\r\n")
    schema = read_table(write(tmp_path / "a.csv", content.encode(encoding))).schema
    assert schema == ("csv", ("body",), ("class",), False, None, True)


def test_commas_in_texts_do_not_hide_a_semicolon(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", lines("text;label", row="one, two, three, {n}, and more;{kind}"))
    assert read_table(path).schema[1:3] == (("text",), ("label",))


@pytest.mark.parametrize(
    ("header", "text", "label"),
    [
        (["id", "review", "sentiment"], "review", "sentiment"),
        (["label", "text", "x"], "text", "x"),  # the numbers are all different, so that they are no labels
        (["number", "what they say", "kind"], "what they say", "kind"),
    ],
)
def test_columns_are_found_by_name_and_by_content(tmp_path: Path, header: list[str], text: str, label: str) -> None:
    assert read_table(table_of(tmp_path / "a.csv", header)).schema[1:3] == ((text,), (label,))


def test_a_name_decides_between_candidates(tmp_path: Path) -> None:
    path = table_of(tmp_path / "a.csv", ["id", "title", "label", "body", "stars"], lambda n: TEXTS[-n], lambda n: n % 3)
    assert read_table(path).schema[1:3] == (("body",), ("label",))


def test_a_table_without_a_header_has_numbers(tmp_path: Path) -> None:
    schema = read_table(write(tmp_path / "a.csv", lines())).schema
    assert (schema.text, schema.labels, schema.header) == ((1,), (2,), False)
    assert read_table(tmp_path / "a.csv", text="1", labels="2").schema == schema


@pytest.mark.parametrize(
    ("header", "more", "asked", "sentence"),
    [
        (
            ["id", "words said", "colour", "shape"],
            [lambda n: "round" if n % 3 else "square"],
            {},
            "a.csv: more than one column could be the labels; name it by --label: colour, shape",
        ),
        (
            ["id", "first", "kind", "second"],
            [lambda n: TEXTS[-n]],
            {},
            "a.csv: more than one column could be the text; name it by --text: first, second",
        ),
        (["id", "text", "kind"], [], {"labels": "kin"}, "a.csv: --label: unknown column 'kin'; did you mean"),
    ],
)
def test_an_error_names_the_candidates(
    tmp_path: Path, header: list[str], more: list[Any], asked: dict[str, str], sentence: str
) -> None:
    with pytest.raises(TextmixError, match=f"^{sentence}"):
        read_table(table_of(tmp_path / "a.csv", header, *more), **asked)


def test_what_was_taken_for_something_else_is_said(tmp_path: Path) -> None:
    joined = read_table(write(tmp_path / "a.csv", lines("text,label") + "text,label\n" * 2))
    assert "2 rows repeat the header and were skipped." in joined.corpus.info["remarks"]
    bare = read_table(write(tmp_path / "b.csv", lines()))
    assert "b.csv has no header; columns are counted from 1." in bare.corpus.info["remarks"]
    assert pairs(bare) == PAIRS


@pytest.mark.parametrize("word", ["NA", "None", "null", "N/A", "NaN"])
def test_a_word_that_programs_write_for_nothing_is_a_label_and_remarked_on(word: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", lines("text,label").replace("garden", word))
    table = read_table(path)
    assert table.corpus.label_names == sorted([word, "engine"])
    assert any(f"6 rows have the label {word!r}" in remark for remark in table.corpus.info["remarks"])


def test_a_cell_in_quotes_between_tabs_may_go_on_in_the_next_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", lines("text\tlabel", row="{text}\t{kind}") + '"two\nlines ""here"""\tgarden\n')
    assert pairs(read_table(path))[-1] == ('two\nlines "here"', "garden")
    late = lines("text\tlabel", row="{text}\t{kind}") * 300 + '"two\nlines"\tgarden\n'
    with pytest.raises(DataFormatError, match="has 1 cells, expected 2; if a cell in quotes continues"):
        read_table(write(tmp_path / "b.tsv", late))


def test_quotes_behind_a_backslash_are_letters_of_the_cell(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", lines("text,label", row='"{text}",{kind}') + '"say \\"hi\\", twice",garden\n')
    assert pairs(read_table(path))[-1] == ('say "hi", twice', "garden")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("\"['a', 'b']\"", {"a", "b"}),
        ("['a' 'b']", {"a", "b"}),
        ("\"('a', 'b')\"", {"a", "b"}),
        ("\"{'a', 'b'}\"", {"a", "b"}),
        ("\"frozenset({'a', 'b'})\"", {"a", "b"}),
        ("\"array(['a', 'b'], dtype=object)\"", {"a", "b"}),
        ('"[a, b]"', {"a", "b"}),
        ('"[""a"", ""b""]"', {"a", "b"}),
        ("\"{'a': True, 'b': 1, 'c': 0}\"", {"a", "b"}),
        ('"{""a"": 1.0, ""b"": 1, ""c"": false}"', {"a", "b"}),
        ("[]", set()),
        ("{}", set()),
    ],
)
def test_lists_and_mappings_in_cells_are_sets_of_labels(row: str, expected: set[str], tmp_path: Path) -> None:
    plain = "".join(f"some words of row {n},\"['a', 'c']\"\n" for n in range(4))
    table = read_table(write(tmp_path / "a.csv", f"text,labels\n{plain}other words here,{row}\n"))
    assert table.schema.multi_label
    assert sets(table) == [*[{"a", "c"}] * 4, expected]


def test_one_name_in_brackets_is_a_name(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "a.csv", lines("text,label").replace("garden", "[deleted]")))
    assert table.corpus.label_names == ["[deleted]", "engine"]


def test_an_empty_list_is_kept_and_null_is_left_out(tmp_path: Path) -> None:
    rows = [["a"], [], None, float("nan"), ["b", "a"]]
    written = "".join(json.dumps({"say": TEXTS[n], "kinds": row}) + "\n" for n, row in enumerate(rows))
    table = read_table(write(tmp_path / "a.jsonl", written))
    assert table.schema == ("jsonl", ("say",), ("kinds",), True, None, True)
    assert sets(table) == [{"a"}, set(), {"a", "b"}]
    assert "2 rows without a label were dropped." in table.corpus.info["remarks"]


def test_labels_of_json_that_are_equal_are_one_label(tmp_path: Path) -> None:
    rows = [1, 1.0, "1", 2, True, "caf\u00e9", "cafe\u0301", "gar\u00adden", "garden"]
    written = "".join(json.dumps({"text": TEXTS[n], "label": row}) + "\n" for n, row in enumerate(rows))
    table = read_table(write(tmp_path / "a.jsonl", written), text="text", labels="label")
    assert table.corpus.label_names == ["1", "2", "caf\u00e9", "garden", "true"]


def test_columns_of_0_and_1_are_labels(tmp_path: Path) -> None:
    marks = [("1", "0"), ("0", "0"), ("true", "False"), ("1.0", "1"), ("", "1"), ("", "")]
    body = "".join(f"{TEXTS[n]},{a},{b},x\n" for n, (a, b) in enumerate(marks))
    path = write(tmp_path / "a.csv", f"text,toxic,rude,note\n{body}")
    table = read_table(path, labels="toxic,rude")
    assert sets(table) == [{"toxic"}, set(), {"toxic"}, {"toxic", "rude"}, {"rude"}]
    assert "1 rows without a label were dropped." in table.corpus.info["remarks"]
    again = read_table(path, labels=table.schema.card()["label column"])
    assert again.corpus.content_digest() == table.corpus.content_digest()
    with pytest.raises(DataFormatError, match="line 2: the label is '-1', neither 0 nor 1"):
        read_table(write(tmp_path / "b.csv", "text,a,b\nsome words here,-1,0\nmore words here,1,0\n"), labels="a,b")


def test_crosses_and_blanks_are_labels_and_none(tmp_path: Path) -> None:
    body = "".join(f"{TEXTS[n]},{mark}\n" for n, mark in enumerate(["x,", ",x", "x,x", ","]))
    table = read_table(write(tmp_path / "a.csv", f"text,a,b\n{body}"), labels="a,b")
    assert sets(table) == [{"a"}, {"b"}, {"a", "b"}, set()]


def test_columns_that_may_be_labels_together_are_named_together(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", lines("text,toxic,rude", row="{text},1,0").replace("0,1,0", "0,0,1"))
    with pytest.raises(ConfigError, match=r"or name all indicator columns .*: --label toxic,rude"):
        read_table(path)


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ('"[1, 0, 0, 1]"', "row of 0 and 1; give each label a column of its own"),
        ("[1 0 0 1]", "row of 0 and 1; give each label a column of its own"),
        ("\"{'a': 0.7, 'b': 0.3}\"", "'0.7', neither 0 nor 1"),
        ("\"[('a', 1), ('b', 2)]\"", "a list that cannot be read"),
    ],
)
def test_lists_that_hold_no_names_are_refused(cell: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=what):
        read_table(write(tmp_path / "a.csv", "text,labels\n" + f"some words here,{cell}\n" * 5))


def test_labels_that_may_be_several_or_are_alike_are_remarked_on(tmp_path: Path) -> None:
    kinds = ["joy, anger", "joy", "anger", "Joy", "fear", "fear, joy"] * 2
    body = "".join(f'{TEXTS[n]},"{kind}"\n' for n, kind in enumerate(kinds))
    remarks = read_table(write(tmp_path / "a.csv", f"text,label\n{body}")).corpus.info["remarks"]
    assert "Labels such as 'fear, joy' may be lists; if so, give --separator ','." in remarks
    assert "The labels 'Joy', 'joy' are similar, but count as different labels." in remarks


WRONG: dict[str, tuple[str, str | bytes, str]] = {
    "UTF-16 cut in a character": ("a.csv", lines("text,label").encode("utf-16")[:-1], "is not valid utf-16 text"),
    "another order of the names": (
        "a.csv",
        lines("text,label") + lines("label,text", row="{kind},{text}"),
        "line 14: has the column names in another order",
    ),
    "one column": ("a.csv", lines("text", row="{text}"), "no column is left for the labels: it has only text"),
    "a text in a list": (
        "a.jsonl",
        '{"text": ["some words"], "label": "a"}\n{"text": ["more words"], "label": "b"}\n' * 3,
        "line 1: the text is list, not text",
    ),
    "tokens": ("a.jsonl", '{"tokens": ["some", "words"], "label": "a"}\n' * 5, "no column looks like text"),
    "half a pair": ("a.csv", lines("text,label").encode("utf-16") + b"\x00\xd8", "is not valid utf-16 text"),
    "cut gzip": ("a.csv.gz", gzip.compress(lines("text,label").encode())[:-20], "is truncated or damaged"),
    "a zip that is none": ("a.csv.zip", b"PK\x03\x04 not a zip", "is truncated or damaged"),
    "deep JSON": ("a.jsonl", '{"text": ' + "[" * 100_000 + "\n", "line 1: is not JSON"),
    "deep JSON array": ("a.json", "[" * 100_000 + "\n", "is not JSON"),
    "infinite label": ("a.jsonl", '{"text": "some words", "label": Infinity}\n', "line 1: is not JSON"),
    "list in a list": ("a.jsonl", '{"text": "some words", "labels": [["a"]]}\n' * 2, "nested list"),
    "array without its end": ("a.json", '[{"text": "some words", "label": "a"},\n', "does not end with its bracket"),
    "plain lines": ("a.txt", "some words\n" * 5, "plain lines have no labels"),
    "a bare prefix": ("a.txt", "__label__a some words\n__label__ words\n", "line 2: has no label after '__label__'"),
    "nothing": ("a.csv", "", "contains no documents"),
    "blank lines": ("a.csv", "\n\n", "contains no documents"),
    "a header alone": ("a.csv", "text,label\n", "contains no documents"),
    "no form": ("a.doc", "x", "cannot infer the format"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_cannot_be_read_gets_a_sentence(kind: str, tmp_path: Path) -> None:
    name, content, what = WRONG[kind]
    with pytest.raises(TextmixError, match=what) as caught:
        read_table(write(tmp_path / name, content))
    assert str(caught.value).startswith("a.")
    assert len(str(caught.value).splitlines()) == 1
    if kind not in ("list in a list", "a header alone", "one column") and name != "a.txt":
        with pytest.raises(TextmixError):
            list(read_texts(tmp_path / name, text="text")[0])


def test_separators_that_are_written_or_stand_nowhere(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", lines("text,labels", row="{text},{kind}\tother"))
    assert sets(read_table(path, label_separator="\\t")) == [{kind, "other"} for kind in KINDS]
    remarks = read_table(path, label_separator=";").corpus.info["remarks"]
    assert "No text has two labels; is ';' the label separator?" in remarks


def test_new_texts_are_read_as_the_card_says(tmp_path: Path) -> None:
    for kind in ("index of pandas", "two tables joined", "line of the delimiter", "JSON by columns"):
        name, content = AS_THEY_COME[kind]
        path = write(tmp_path / name, content)
        card = read_table(path).schema.card()
        assert json.loads(json.dumps(card)) == card
        with open(path, "rb") as stream:
            texts, _ = read_texts(path, stream=stream, **columns_from_card(card, None))
            assert [text.text.decode() for text in texts] == TEXTS


def test_a_new_table_without_a_header_loses_no_row(tmp_path: Path) -> None:
    card = read_table(write(tmp_path / "a.csv", lines())).schema.card()
    path = write(tmp_path / "new.csv", "one single text with words,unknown\n")
    texts, _ = read_texts(path, **columns_from_card(card, None))
    assert [text.text for text in texts] == [b"one single text with words"]


def test_labels_of_fasttext_are_no_words_of_new_texts(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", lines(row="__label__{kind} {text}"))
    card = read_table(path).schema.card()
    for form in (None, "text"):
        assert [
            text.text.decode() for text in read_texts(path, format=form, **columns_from_card(card, None))[0]
        ] == TEXTS
    plain = write(tmp_path / "b.txt", "".join(f"{text}\n" for text in TEXTS))
    assert [text.text.decode() for text in read_texts(plain, **columns_from_card(card, None))[0]] == TEXTS


def test_cells_of_further_columns_come_with_the_texts(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", lines(",text,label,price,colour", row="{n},{text},{kind},{n}.5,{kind}ish"))
    table = read_table(path, features="price,colour")
    text = table.corpus.text
    assert isinstance(text, TableTexts) and [text.text(row) for row in range(len(text))] == TEXTS
    assert text.cells["price"][2] == "2.5" and text.cells["colour"] == [f"{kind}ish" for kind in KINDS]
    assert infer_column_kinds(text.cells) == {"price": "number", "colour": "category"}
    assert "Not read: price" not in " ".join(table.corpus.info["remarks"])
    assert not isinstance(read_table(path).corpus.text, TableTexts)
    new, _ = read_texts(path, text="text", features=("colour", "price"))
    assert [each.cells for each in new][2] == (f"{KINDS[2]}ish", "2.5")
    assert table.corpus.content_digest() != read_table(path).corpus.content_digest()


@pytest.mark.parametrize(
    ("further", "message"), [("prise", "price"), ("text", "--text and --features"), ("9", "unknown column")]
)
def test_a_further_column_that_is_not_there_or_is_the_text_is_named(further: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", lines(",text,label,price", row="{n},{text},{kind},{n}.5"))
    with pytest.raises((ConfigError, DataFormatError), match=message):
        read_table(path, text="text", features=further)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["x"] * 9, "one value only"),
        (["", "x"] * 9, "one value only"),
        ([str(row) for row in range(9)], "numbers the rows"),
        ([f"remark {row}" for row in range(9)], "neither numbers nor recurring categories"),
        (["a long text on the matter of the label, " * 3 + str(row % 2) for row in range(9)], "join it to the text"),
    ],
)
def test_a_further_column_without_use_is_refused(cells: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        infer_column_kinds({"a": cells})


def dated(folder: Path, days: list[str]) -> np.ndarray | None:
    """Return the parts of a table whose texts have these days."""
    body = "".join(f"{TEXTS[n]},{KINDS[n]},{day}\n" for n, day in enumerate(days))
    path = write(folder / "a.csv", f"text,label,day\n{body}")
    return read_table(path, text="text", labels="label", roles={"dates": "day"}).corpus.split


@pytest.mark.parametrize(
    ("dates", "first"),
    [
        (["31/05/2024", "01/06/2024", "2/7/2024"], "day"),
        (["31.05.24", "1.6.24", "2.7.24"], "day"),
        (["05/31/2024", "06/01/2024", "7/2/2024"], "month"),
        (["31-05-2024 10:00", "01-06-2024 09:00", "02-07-2024 08:00"], "day"),
        (["2024-05-31", "2024-06-01T10:00", "2024-07-02T10:00:00+02:00"], "year"),
    ],
)
def test_dates_of_other_countries_are_in_order(dates: list[str], first: str, tmp_path: Path) -> None:
    split = dated(tmp_path, [dates[min(n // 5, 2)] for n in range(12)])
    assert split is not None and split.tolist() == [0] * 10 + [1] * 2


def test_dates_of_two_orders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="line 3: cannot infer whether '05/31/2024'"):
        dated(tmp_path, ["31/05/2024", "05/31/2024", "1/2/2024"])


@pytest.mark.parametrize("mark", ["\u0662\u0660\u0662\u0664", "1_000"])
def test_digits_of_other_scripts_are_no_dates(mark: str, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=r"line 5: .* is not a date"):
        dated(tmp_path, [mark if n == 3 else str(2000 + n) for n in range(12)])


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ('"a"', "a"),
        ("“a b”", "a b"),
        ('="007"', "007"),
        ("'1", "1"),
        ('say "hi"', 'say "hi"'),
        ("'n' roll'", "'n' roll'"),
    ],
)
def test_a_name_keeps_what_belongs_to_it(value: str, name: str) -> None:
    assert label_name(value) == name


def test_a_separator_cuts_lists_in_brackets_too() -> None:
    assert parse_labels("[a; b]", ";") == ["a", "b"]
    assert parse_labels(" ; ", ";") is None


def test_a_stream_that_cannot_go_back_is_read(tmp_path: Path) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    texts, _ = read_texts("standard input", stream=Pipe(lines("text,label").encode()), format="csv", text="text")
    assert [text.text.decode() for text in texts] == TEXTS


def write_pair(folder: Path, training: list[str], test: list[str]) -> dict[str, Path]:
    """Write a training table and a test table."""
    paths = {"train": folder / "training.csv", "test": folder / "test.csv"}
    for path, lines in zip(paths.values(), (training, test), strict=True):
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return paths


ROWS = [
    f"the {'engine' if row % 2 else 'garden'} of the house number {row},{'car' if row % 2 else 'rose'}"
    for row in range(12)
]


def test_the_header_of_a_second_table_decides_its_columns(tmp_path: Path) -> None:
    reverse = [",".join(row.split(",")[::-1]) for row in ROWS]
    corpus = read_table(write_pair(tmp_path, ROWS, ["label,text", *reverse])).corpus
    assert corpus.n_documents == 24
    assert list(corpus.label_names) == ["car", "rose"]
    assert corpus.text.text(12) == corpus.text.text(0)


def test_columns_of_a_second_table_may_differ_in_case(tmp_path: Path) -> None:
    corpus = read_table(write_pair(tmp_path, ["text,label", *ROWS], ["Text,LABEL", *ROWS])).corpus
    assert corpus.n_documents == 24


def test_labels_that_the_training_table_lacks_are_reported(tmp_path: Path) -> None:
    header = "text,label"
    some = [header, *ROWS, "a new kind of text in the test table,tree"]
    corpus = read_table(write_pair(tmp_path, [header, *ROWS], some)).corpus
    assert any("'tree'" in note and "do not occur" in note for note in corpus.info["remarks"])
    other = [header, *(row.replace(",car", ",bus").replace(",rose", ",tree") for row in ROWS)]
    with pytest.raises(DataFormatError, match="no label of the test table"):
        read_table(write_pair(tmp_path, [header, *ROWS], other))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["set()", "\"{'a', 'b'}\""], [[], ["a", "b"]]),
        (["character(0)", '"c(""a"", ""b"")"'], [[], ["a", "b"]]),
        (["[3.]", "[3. 10.]"], [["3"], ["10", "3"]]),
    ],
    ids=["empty Python set", "empty R vector", "floats"],
)
def test_printed_collections_are_label_sets(cells: list[str], expected: list[list[str]], tmp_path: Path) -> None:
    lines = [f"the text of the document number {row},{cells[row % 2]}" for row in range(12)]
    (tmp_path / "table.csv").write_text("\n".join(["text,label", *lines, ""]), encoding="utf-8")
    table = read_table(tmp_path / "table.csv")
    assert table.schema.multi_label
    rows = np.split(table.corpus.labels.indices, table.corpus.labels.indptr[1:-1])[:2]
    assert [sorted(table.corpus.label_names[label] for label in row) for row in rows] == expected


def test_check_boxes_of_a_survey_are_indicators(tmp_path: Path) -> None:
    lines = [
        f"the text of the document number {row},{'☑' if row % 2 else '☐'},{'☐' if row % 3 else '☑'}"
        for row in range(12)
    ]
    (tmp_path / "survey.csv").write_text("\n".join(["comment,noise,price", *lines, ""]), encoding="utf-8")
    corpus = read_table(tmp_path / "survey.csv", labels="noise,price").corpus
    assert np.asarray(corpus.labels.sum(axis=0)).ravel().tolist() == [6, 4]
