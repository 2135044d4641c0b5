"""Exports of annotation tools, survey forms and databases, nested JSON, and tables without a telling file extension."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textmix.core.errors import ConfigError, DataFormatError, TextmixError
from textmix.data.labels import match_variants, parse_labels
from textmix.data.user_table import Table, columns_from_card, read_table, read_texts

TEXTS = [f"the ferry number {row} leaves at noon" for row in range(12)]
KINDS = [("harbour", "island", "bridge")[row % 3] for row in range(12)]
PAIRS = list(zip(TEXTS, KINDS, strict=True))


def label_sets(table: Table) -> list[set[str]]:
    names = table.corpus.label_names
    return [{names[label] for label in np.flatnonzero(row)} for row in table.corpus.indicators()]


def texts_of(table: Table) -> list[str]:
    assert table.corpus.text is not None
    return [table.corpus.text.text(row) for row in range(len(table.corpus.text))]


def write_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def write_lines(path: Path, values: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def task(number: int, *answers: list[str], **more: Any) -> dict[str, Any]:
    """Return a task of Label Studio with the choices of some annotators."""
    annotations = [
        {"result": [{"type": "choices", "from_name": "kind", "value": {"choices": answer}}], "was_cancelled": False}
        for answer in answers
    ]
    return {"id": number, "annotations": annotations, "data": {"text": TEXTS[number], "city": "Oslo"}, **more}


# --- Label Studio --------------------------------------------------------------------------------------------------


def test_tasks_of_label_studio_are_texts_with_choices(tmp_path: Path) -> None:
    tasks = [task(row, [KINDS[row]]) for row in range(6)]
    tasks += [task(6, ["harbour", "island"]), task(7), task(8, ["island"], ["bridge"]), task(9, ["island"], ["island"])]
    tasks[1]["annotations"].append({"result": [], "was_cancelled": True})
    table = read_table(write_json(tmp_path / "a.json", tasks))
    assert table.schema.labels == ("kind",) and table.schema.multi_label
    assert label_sets(table) == [*({kind} for kind in KINDS[:6]), {"harbour", "island"}, {"island"}]
    assert "1 texts with contradictory annotations were dropped" in " ".join(table.corpus.info["remarks"])


def test_tasks_with_one_choice_each_have_one_label(tmp_path: Path) -> None:
    table = read_table(write_json(tmp_path / "a.json", [task(row, [KINDS[row]]) for row in range(12)]))
    assert not table.schema.multi_label
    assert (texts_of(table), label_sets(table)) == (TEXTS, [{kind} for kind in KINDS])


def test_tasks_with_spans_alone_are_rejected(tmp_path: Path) -> None:
    spans = [{"type": "labels", "from_name": "kind", "value": {"start": 0, "end": 3, "labels": ["x"]}}]
    tasks = [{"id": row, "data": {"text": TEXTS[row]}, "annotations": [{"result": spans}]} for row in range(4)]
    with pytest.raises(DataFormatError, match="type 'labels', but no choices"):
        read_table(write_json(tmp_path / "a.json", tasks))


@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_short_exports_of_label_studio_ignore_the_columns_of_the_tool(name: str, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for number, (text, kind) in enumerate(PAIRS):
        choice: Any = {"choices": [kind, "harbour"]} if number == 1 else kind
        rows.append({"id": number, "text": text, "feeling": choice, "annotator": 1, "annotation_id": number})
        rows[-1] |= {"created_at": "2024-05-01T10:00", "updated_at": "2024-05-01T10:00", "lead_time": 2.5}
    if name == "a.json":
        path = write_json(tmp_path / name, rows)
    else:
        cells = [[json.dumps(cell) if isinstance(cell, dict) else str(cell) for cell in row.values()] for row in rows]
        body = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [list(rows[0]), *cells]]
        path = tmp_path / name
        path.write_text("\n".join(body) + "\n")
    table = read_table(path)
    assert table.schema.labels == ("feeling",)
    assert label_sets(table)[:3] == [{"harbour"}, {"island", "harbour"}, {"bridge"}]


# --- doccano and Prodigy -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["label", "labels"])
def test_lists_of_doccano_with_one_label_each_are_single_labels(key: str, tmp_path: Path) -> None:
    rows = [{"id": row, "text": text, key: [kind], "Comments": []} for row, (text, kind) in enumerate(PAIRS)]
    table = read_table(write_lines(tmp_path / "a.jsonl", rows))
    assert not table.schema.multi_label
    assert label_sets(table) == [{kind} for kind in KINDS]
    rows[3][key] = ["harbour", "bridge"]
    table = read_table(write_lines(tmp_path / "a.jsonl", rows))
    assert table.schema.multi_label and label_sets(table)[3] == {"harbour", "bridge"}


def test_spans_of_doccano_are_rejected(tmp_path: Path) -> None:
    rows = [{"text": text, "label": [[0, 3, kind]]} for text, kind in PAIRS]
    with pytest.raises(DataFormatError, match="line 1: the label contains spans"):
        read_table(write_lines(tmp_path / "a.jsonl", rows))


def test_answers_about_one_label_are_two_classes(tmp_path: Path) -> None:
    answers = ["accept", "reject", "accept", "reject", "ignore", "accept"]
    rows = [{"text": TEXTS[n], "label": "SPAM", "_task_hash": n, "answer": a} for n, a in enumerate(answers)]
    table = read_table(write_lines(tmp_path / "a.jsonl", rows))
    assert label_sets(table) == [{"SPAM"}, {"not SPAM"}, {"SPAM"}, {"not SPAM"}, {"SPAM"}]
    assert "3 accept, 2 reject and 1 ignore" in " ".join(table.corpus.info["remarks"])


def test_answers_about_several_labels_are_combined_by_text(tmp_path: Path) -> None:
    asked = [
        (0, "a", "accept"), (0, "b", "accept"), (1, "a", "reject"), (1, "b", "accept"), (2, "a", "reject"),
        (2, "b", "reject"),
    ]  # fmt: skip
    rows = [{"text": TEXTS[n], "label": label, "answer": answer, "_view_id": "x"} for n, label, answer in asked]
    assert label_sets(read_table(write_lines(tmp_path / "a.jsonl", rows))) == [{"a", "b"}, {"b"}, set()]
    table = read_table(write_lines(tmp_path / "b.jsonl", rows[:5]))  # nothing says whether b applies to the last text
    assert label_sets(table) == [{"a", "b"}, {"b"}]


def test_accepted_options_are_labels(tmp_path: Path) -> None:
    options = [{"id": kind, "text": kind} for kind in sorted(set(KINDS))]
    rows = [
        {"text": text, "options": options, "accept": [kind], "answer": "accept", "_view_id": "choice"}
        for text, kind in PAIRS
    ]
    assert label_sets(read_table(write_lines(tmp_path / "a.jsonl", rows))) == [{kind} for kind in KINDS]


# --- surveys, databases and printed lists --------------------------------------------------------------------------


@pytest.mark.parametrize(("yes", "no"), [("Yes", "No"), ("ja", "nein"), ("Noise", ""), ("selected", "not selected")])
def test_columns_of_a_survey_are_labels(yes: str, no: str, tmp_path: Path) -> None:
    cells = [(yes, no), (no, "Rude" if yes == "Noise" else yes), (no, no)]
    body = "".join(f"{TEXTS[n]},{a},{b}\n" for n, (a, b) in enumerate(cells * 3))
    (tmp_path / "a.csv").write_text(f"comment,Noise,Rude\n{body}")
    table = read_table(tmp_path / "a.csv", labels="Noise,Rude")
    assert label_sets(table)[:3] == [{"Noise"}, {"Rude"}, set()]
    with pytest.raises(ConfigError, match=r"--label Noise,Rude"):
        read_table(tmp_path / "a.csv")


@pytest.mark.parametrize("quoted", [True, False])
def test_null_of_a_database_is_missing(quoted: bool, tmp_path: Path) -> None:
    row = '"{}, he said \\"{}\\"",{}' if quoted else "{}-{},{}"
    body = "\n".join(row.format(text, n, "\\N" if n == 2 else f'"{kind}"') for n, (text, kind) in enumerate(PAIRS))
    (tmp_path / "a.csv").write_text(f"text,label\n{body}\n")
    table = read_table(tmp_path / "a.csv")
    assert table.corpus.label_names == ["bridge", "harbour", "island"]
    assert "1 rows without a label were dropped." in table.corpus.info["remarks"]


@pytest.mark.parametrize(
    ("cell", "labels"),
    [
        ("[ 3 10]", ["3", "10"]),
        ("[3. 10.]", ["3", "10"]),
        ("array([3, 10])", ["3", "10"]),
        ("[3, 10]", ["3", "10"]),
        ("['a'\n 'b c']", ["a", "b c"]),
        ('c("a", "b")', ["a", "b"]),
        ("{a,b}", ["a", "b"]),
        ('{"choices": ["a", "b"]}', ["a", "b"]),
    ],
)
def test_printed_lists_are_parsed(cell: str, labels: list[str]) -> None:
    assert parse_labels(cell, printed=True) == labels


@pytest.mark.parametrize("cell", ["\"['harbour', 'island']\"", "[]", '"[""island""]"'])
def test_lists_that_occur_late_are_lists(cell: str, tmp_path: Path) -> None:
    body = "".join(f"{text},{kind}\n" for text, kind in PAIRS * 200)
    (tmp_path / "a.csv").write_text(f"text,label\n{body}one more ferry,{cell}\n")
    assert read_table(tmp_path / "a.csv").corpus.label_names == ["bridge", "harbour", "island"]
    rows = [{"text": text, "label": kind} for text, kind in PAIRS * 200]
    table = read_table(write_lines(tmp_path / "a.jsonl", [*rows, {"text": "x y z", "label": ["harbour", "island"]}]))
    assert table.schema.multi_label and label_sets(table)[-1] == {"harbour", "island"}


def test_labels_of_two_tables_are_matched(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\n" + "".join(f"{text},{kind}\n" for text, kind in PAIRS))
    (tmp_path / "b.csv").write_text("text,label\n" + "".join(f"new {text},{kind.title()} \n" for text, kind in PAIRS))
    table = read_table({"train": tmp_path / "a.csv", "test": tmp_path / "b.csv"})
    assert label_sets(table) == [{kind} for kind in KINDS] * 2
    assert "'Bridge' of the test table is read as 'bridge'" in " ".join(table.corpus.info["remarks"])
    assert match_variants(["1.0", "2", "x"], ["1", "2", "X", "x "]) == {"1.0": "1"}


# --- nested JSON ---------------------------------------------------------------------------------------------------

OBJECTS = [{"text": text, "label": kind} for text, kind in PAIRS]
NESTED: dict[str, Any] = {
    "parts": {"train": OBJECTS[:8], "test": OBJECTS[8:]},
    "parts of pairs": {"train": PAIRS[:5], "dev": PAIRS[5:8], "test": PAIRS[8:]},
    "parts below a key": {"version": 2, "splits": {"train": OBJECTS[:8], "test": OBJECTS[8:]}},
    "pairs": PAIRS,
    "examples below keys": {"data": {"examples": OBJECTS, "synonyms": [{"value": "x"}]}, "version": "1"},
    "objects in objects": [{"doc": {"text": text}, "gold": {"label": kind}} for text, kind in PAIRS],
}


@pytest.mark.parametrize("kind", NESTED)
def test_rows_are_found_within_json(kind: str, tmp_path: Path) -> None:
    table = read_table(write_json(tmp_path / "a.json", NESTED[kind]))
    assert (texts_of(table), label_sets(table)) == (TEXTS, [{kind} for kind in KINDS])
    if "parts" in kind:
        assert table.corpus.split is not None and table.corpus.split.tolist() == [0] * 8 + [1] * 4


def test_objects_over_several_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(row, indent=2) for row in OBJECTS))
    assert texts_of(read_table(tmp_path / "a.jsonl")) == TEXTS
    (tmp_path / "b.jsonl").write_text(json.dumps(OBJECTS[0], indent=2) + '\n{"text": \n"x", oops}\n')
    with pytest.raises(DataFormatError, match="line 5: is not JSON"):
        read_table(tmp_path / "b.jsonl")


def test_json_without_rows_is_rejected_without_advice_about_delimiters(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", {"settings": {"depth": 3}, "name": "x"})
    with pytest.raises(TextmixError) as caught:
        read_table(path)
    assert "delimiter" not in str(caught.value)


# --- tables without a telling name, encodings, headers -------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.txt", "SMSCollection", "a.data"])
def test_a_table_is_read_whatever_its_extension(name: str, tmp_path: Path) -> None:
    for content in (
        "".join(f"{kind}\t{text}\n" for text, kind in PAIRS),
        "text;label\n" + "".join(f"{text};{kind}\n" for text, kind in PAIRS),
        "".join(json.dumps(row) + "\n" for row in OBJECTS),
    ):
        (tmp_path / name).write_text(content)
        table = read_table(tmp_path / name)
        assert (texts_of(table), label_sets(table)) == (TEXTS, [{kind} for kind in KINDS])
        new, _ = read_texts(tmp_path / name, **columns_from_card(table.schema.card(), None))
        assert [text.text.decode() for text in new] == TEXTS


def test_a_lock_file_of_excel_is_named(tmp_path: Path) -> None:
    (tmp_path / "~$a.xlsx").write_bytes(b"\x05owner")
    with pytest.raises(ConfigError, match=r"lock file.*use a\.xlsx"):
        read_table(tmp_path / "~$a.xlsx")


@pytest.mark.parametrize(
    ("word", "encoding"),
    [
        ("\u043f\u0430\u0440\u043e\u043c", "cp1251"),
        ("\u8f6e\u6e21\u8239", "gb18030"),
        ("\u30d5\u30a7\u30ea\u30fc", "shift_jis"),
    ],
)
def test_another_encoding_has_to_be_given(word: str, encoding: str, tmp_path: Path) -> None:
    content = "text,label\n" + "".join(f"{word} {word} {n},{kind}\n" for n, kind in enumerate(KINDS))
    (tmp_path / "a.csv").write_bytes(content.encode(encoding))
    with pytest.raises(DataFormatError, match=f"line 2: is neither UTF-8 nor Windows-1252.*{encoding}"):
        read_table(tmp_path / "a.csv")
    assert texts_of(read_table(tmp_path / "a.csv", encoding=encoding))[0] == f"{word} {word} 0"


def test_accents_of_dos_are_not_read_as_quotes(tmp_path: Path) -> None:
    content = "text,label\n" + "".join(
        f"le caf\u00e9 tr\u00e8s \u00e9l\u00e9gant {n},{kind}\n" for n, kind in enumerate(KINDS)
    )
    (tmp_path / "a.csv").write_bytes(content.encode("cp850"))
    with pytest.raises(DataFormatError, match="for example cp850"):
        read_table(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_bytes(content.replace(" 3,", " \u2013 3,").encode("cp1252"))
    assert "12 lines are not UTF-8" in " ".join(read_table(tmp_path / "a.csv").corpus.info["remarks"])


@pytest.mark.parametrize("train", ["fasttext", "csv"])
def test_columns_below_a_header_are_matched_by_name(train: str, tmp_path: Path) -> None:
    row = "__label__{kind} {text}\n" if train == "fasttext" else "{text},{kind}\n"
    path = tmp_path / ("a.txt" if train == "fasttext" else "a.csv")
    path.write_text("".join(row.format(text=text, kind=kind) for text, kind in PAIRS))
    card = read_table(path).schema.card()
    for header, order in (("text,label", (0, 1)), ("label,text", (1, 0)), ("kind,what they say", (1, 0))):
        body = "".join(",".join(pair[place] for place in order) + "\n" for pair in PAIRS)
        (tmp_path / "new.csv").write_text(f"{header}\n{body}")
        new, _ = read_texts(tmp_path / "new.csv", **columns_from_card(card, None))
        assert [text.text.decode() for text in new] == TEXTS
