"""Data as people have them: each gets a comparison or one sentence, and the command says what to do next."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from textmix.__main__ import main
from textmix.core.errors import ConfigError, DataFormatError, TextmixError
from textmix.core.io import new_folder
from textmix.data.corpus import TEST, Corpus
from textmix.race import comparison
from textmix.race.command import Asked, last_lines, read_asked
from textmix.race.comparison import check, corpus_of
from textmix.race.state import Outcome, Row, State
from textmix.race.terminal import Table, table_lines

TEXTS = [f"a text with some words, number {row}" for row in range(40)]
LABELS = ["pos" if row % 2 else "neg" for row in range(40)]


def csv_file(path: Path, lines: list[tuple[str, str]], delimiter: str = ",", encoding: str = "utf-8") -> Path:
    written = "".join(f'"{text}"{delimiter}{label}\r\n' for text, label in [("text", "label"), *lines])
    path.write_bytes(written.encode(encoding))
    return path


def json_file(path: Path, lines: list[tuple[Any, Any]]) -> Path:
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in lines))
    return path


def read(path: Path, **asked: Any) -> Corpus:
    corpus, _ = read_asked(path, Asked(str(path), **asked))
    check(corpus)
    return corpus


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_an_export_of_a_spreadsheet_is_read(tmp_path: Path, delimiter: str, encoding: str) -> None:
    lines = [(f"{text}, café", label) for text, label in zip(TEXTS, LABELS, strict=True)]
    corpus = read(csv_file(tmp_path / "a.csv", lines, delimiter, encoding))
    assert corpus.text is not None
    assert corpus.text.text(3) == f"{TEXTS[3]}, café"
    assert list(corpus.label_names) == ["neg", "pos"]


@pytest.mark.parametrize(
    ("changed", "documents", "remark"),
    [
        ({3: (TEXTS[3], "")}, 39, "1 rows without a label were left out."),
        ({3: (TEXTS[3], None), 4: (TEXTS[4], None)}, 38, "2 rows without a label were left out."),
        ({3: (None, "pos")}, 39, "1 rows without a text were left out."),
    ],
)
def test_rows_without_a_label_or_text_are_left_out_and_counted(
    tmp_path: Path, changed: dict[int, tuple[Any, Any]], documents: int, remark: str
) -> None:
    lines: list[tuple[Any, Any]] = [changed.get(row, (TEXTS[row], LABELS[row])) for row in range(40)]
    corpus = read(json_file(tmp_path / "a.jsonl", lines))
    assert corpus.n_documents == documents
    assert remark in corpus.info["remarks"]


def test_test_documents_are_those_of_a_column_or_of_a_second_table(tmp_path: Path) -> None:
    words = ["test" if row < 10 else "train" for row in range(40)]
    lines = [(text, f"{label},{word}") for text, label, word in zip(TEXTS, LABELS, words, strict=True)]
    path = tmp_path / "a.csv"
    path.write_text("text,label,part\n" + "".join(f'"{text}",{rest}\n' for text, rest in lines))
    by_column = read(path, parts="part")
    assert by_column.split is not None
    assert int((by_column.split == TEST).sum()) == 10
    train = csv_file(tmp_path / "train.csv", list(zip(TEXTS[:30], LABELS[:30], strict=True)))
    test = csv_file(tmp_path / "test.csv", list(zip(TEXTS[30:], LABELS[30:], strict=True)))
    by_file = read(train, test=str(test))
    assert by_file.split is not None
    assert int((by_file.split == TEST).sum()) == 10


def table_of(path: Path, **columns: Any) -> Path:
    head = {"text": lambda row: TEXTS[row], "label": lambda row: LABELS[row], **columns}
    lines = [",".join(str(column(row)) for column in head.values()) for row in range(40)]
    return csv_lines(path, [",".join(head), *lines])


def csv_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line.replace(', number', ' number')}\n" for line in lines))
    return path


def test_the_latest_dates_are_the_test_documents(tmp_path: Path) -> None:
    corpus = read(table_of(tmp_path / "a.csv", day=lambda row: f"2024-01-{1 + (7 * row) % 31:02}"), dates="day")
    days = [1 + (7 * row) % 31 for row in range(40)]
    assert corpus.split is not None
    tested = corpus.split == TEST
    assert 4 <= tested.sum() <= 8
    assert min(day for day, later in zip(days, tested, strict=True) if later) > max(
        day for day, later in zip(days, tested, strict=True) if not later
    )
    assert any("with a date after 2024-01-" in remark for remark in corpus.info["remarks"])


def test_plain_numbers_are_dates_too(tmp_path: Path) -> None:
    corpus = read(table_of(tmp_path / "a.csv", year=lambda row: 1990.5 + row), dates="year")
    assert corpus.split is not None
    assert (corpus.split == TEST).nonzero()[0].tolist() == [*range(32, 40)]


def test_a_group_is_in_one_part(tmp_path: Path) -> None:
    corpus = read(table_of(tmp_path / "a.csv", author=lambda row: f"author {row % 11}"), groups="author")
    assert corpus.split is not None
    parts = {row % 11: {int(corpus.split[other]) for other in range(row % 11, 40, 11)} for row in range(40)}
    assert all(len(found) == 1 for found in parts.values())
    assert 8 <= (corpus.split == TEST).sum() <= 12


@pytest.mark.parametrize(
    ("column", "asked", "sentence"),
    [
        (
            lambda row: "5/6/2024",
            {"dates": "mark"},
            "a.csv, line 2: nothing tells whether '5/6/2024' has the day or the month first; write 2024-05-31",
        ),
        *(
            (lambda row, mark=mark: mark if row == 5 else row, {"dates": "mark"}, f"a.csv, line 7: {mark!r} is no date")
            for mark in ("nan", "inf", "-Infinity", "1e999")
        ),
        (
            lambda row: "2024" if row == 5 else f"2022-02-{1 + row % 28:02}",
            {"dates": "mark"},
            "a.csv, line 7: '2024' is a number and '2022-02-01', in line 2, a date; write all as dates, such as 2024-",
        ),
        (
            lambda row: "2022-02-02" if row == 5 else 2000 + row,
            {"dates": "mark"},
            "a.csv, line 7: '2022-02-02' is a date and '2000', in line 2, a number; write all as dates, such as 2024-",
        ),
        (lambda row: 2024, {"dates": "mark"}, "a.csv: the latest date, 2024, is that of more than a fifth of the rows"),
        (lambda row: "x", {"groups": "mark"}, "a.csv: has 1 group, each with more than a fifth of the rows"),
        (lambda row: "", {"groups": "mark"}, "a.csv, line 2: has no group, so that its part is unknown"),
    ],
)
def test_marks_that_give_no_parts_get_a_sentence(
    tmp_path: Path, column: Any, asked: dict[str, str], sentence: str
) -> None:
    with pytest.raises(DataFormatError) as error:
        read(table_of(tmp_path / "a.csv", mark=column), text="text", labels="label", **asked)
    assert str(error.value).startswith(sentence)


def test_texts_of_several_columns_are_joined_and_what_is_not_read_is_said(tmp_path: Path) -> None:
    path = table_of(tmp_path / "a.csv", title=lambda row: f"title {row}" if row else "", price=lambda row: row)
    corpus, options = read_asked(path, Asked(str(path), text="title,text"))
    assert corpus.text is not None
    assert (corpus.text.text(0), corpus.text.text(3)) == (
        "a text with some words number 0",
        "title 3\na text with some words number 3",
    )
    assert options.about["text column"] == ["title", "text"]
    assert corpus.info["remarks"] == [
        "The text is the columns title, text, and the label the column label.",
        "Not read: price.",
    ]


@pytest.mark.parametrize(
    "changed", [{5: (TEXTS[5], "rare")}, {row: (TEXTS[0], LABELS[0]) for row in range(0, 20, 2)}, {7: ("", "pos")}]
)
def test_a_rare_label_equal_rows_and_an_empty_text_are_no_faults(tmp_path: Path, changed: dict[int, Any]) -> None:
    lines = [changed.get(row, (TEXTS[row], LABELS[row])) for row in range(40)]
    assert read(csv_file(tmp_path / "a.csv", lines)).n_documents == 40


@pytest.mark.parametrize(
    ("lines", "asked", "sentence"),
    [
        (
            [(text, "pos") for text in TEXTS],
            {},
            "a: all 40 documents have the one label 'pos'; a classifier needs two or more",
        ),
        (
            [(text, f"id{row}") for row, text in enumerate(TEXTS)],
            {"labels": "label"},
            "a: has 40 labels on 40 documents, and fewer than two of them stand on two documents; "
            "name the column of the labels by --labels",
        ),
        ([(text, "") for text in TEXTS], {"labels": "label"}, "a.csv: holds no documents"),
        (
            [("", label) for label in LABELS],
            {},
            "a: all 40 texts are empty; name the column of the text by --text",
        ),
        (
            list(zip(TEXTS[:6], LABELS, strict=False)),
            {},
            "a: has 6 documents with a label; a comparison needs ten or more",
        ),
    ],
)
def test_data_that_teach_nothing_get_a_sentence(
    tmp_path: Path, lines: list[tuple[str, str]], asked: dict[str, str], sentence: str
) -> None:
    with pytest.raises(DataFormatError) as error:
        read(csv_file(tmp_path / "a.csv", lines), **asked)
    assert str(error.value).startswith(sentence)


def test_a_hundred_thousand_classes_get_a_sentence_where_memory_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "free_memory", lambda: 2**34)
    texts = [f"text {row}" for row in range(200_000)]
    corpus, _ = corpus_of(texts, [f"class {row % 100_000}" for row in range(200_000)])
    with pytest.raises(DataFormatError) as error:
        check(corpus)
    assert str(error.value) == (
        "texts: the probabilities of 100,000 labels for 200,000 documents need 149.0 GiB, and 16.0 are free; "
        "join rare labels into one"
    )


@pytest.mark.parametrize(
    ("name", "content", "options", "sentence"),
    [
        ("a.csv", None, [], "there is no such file; name a table or a folder of texts"),
        ("a.csv", "text,label\n", ["--time", "10 minuts"], "'10 minuts' is no time; write a number and s, min or h"),
        ("a.csv", "text,label\n", ["--time", "0"], "time: '0' is no time; give seconds, such as 60, or 10min"),
        ("a.csv", "text,label\n", ["--workers", "-1"], "workers: -1 is no number of processes; give 1 or more"),
        ("a.csv", "text,label\n", ["--separator", ""], "--separator: is empty; give the text between two labels"),
        ("a.csv", "text,label\n", ["--parts", "p", "--dates", "d"], "--parts and --dates both say which documents"),
        ("a.csv", "text,label\na b c,x\n", ["--text", "text", "--labels", "text"], "name the column 'text' both"),
        ("a.csv", "x,y\n" + "0.123,1\n0.5,2\n" * 20, [], "all columns that could be the text hold numbers"),
        ("a.jsonl", '{"text": {"a": "b"}, "label": "x"}\n' * 12, [], "the label is 'b', neither 0 nor 1"),
        ("a.json", '{\n"text": "a", "label": "x"}\n', [], "write an object a line, or an array of objects"),
        ("a.csv", "text,label\n" + "a b c,pos\n" * 30 + "a b c,pos,more\n", [], "line 32: has 3 cells, expected 2"),
    ],
)
def test_a_wrong_option_is_one_sentence_and_no_traceback(
    tmp_path: Path, capsys: Any, name: str, content: str | None, options: list[str], sentence: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    assert main(["compare", str(tmp_path / name), *options]) == 1
    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("name", ["thesis.tex", "model/my_weights.bin", "index.html"])
def test_a_folder_that_holds_something_else_is_not_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / "kept/.git").mkdir(parents=True)
    (tmp_path / "kept" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "kept" / name).write_text("mine")
    with pytest.raises(TextmixError, match="no folder of a comparison"):
        comparison.race(lambda: pytest.fail("it was read"), tmp_path / "kept", number=1, began=0.0)
    assert (tmp_path / "kept" / name).read_text() == "mine"


def raced(folder: Path, said: str = "old") -> Path:
    """Return a folder as a race leaves it, with a text in each file, and hidden files of its user."""
    folder.mkdir()
    for name in comparison.KEPT[:-1]:
        (folder / name).write_text(said)
    with new_folder(folder / "model", {}) as model:
        (model / "step0").mkdir()
        (model / "step0/coef.npy").write_text(said)
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("mine")
    return folder


def test_the_folder_of_a_race_may_be_replaced_and_a_new_or_empty_one_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "new", raced(tmp_path / "raced")):
        comparison.check_folder(folder)


@pytest.mark.parametrize("left", [["model"], ["model", "index.html"], ["model", "choice.json", "scores.csv"]])
def test_a_folder_that_lacks_what_a_race_always_leaves_is_not_replaced(tmp_path: Path, left: list[str]) -> None:
    folder = raced(tmp_path / "kept")
    for name in {*comparison.KEPT[:-1]} - {*left}:
        (folder / name).unlink()
    with pytest.raises(ConfigError, match="kept: is there and is no folder of a comparison; name a new one by --keep"):
        comparison.check_folder(folder)


def test_files_that_no_race_wrote_into_the_model_are_not_deleted(tmp_path: Path) -> None:
    folder = raced(tmp_path / "kept")
    (folder / "model/step0/my_weights.bin").write_text("mine")
    with pytest.raises(ConfigError, match=r"model: step0/my_weights.bin is no file of the model .*; move it elsewhere"):
        comparison.check_folder(folder)
    (folder / "model/meta.json").unlink()
    with pytest.raises(ConfigError, match="model: is no model of a comparison; move it elsewhere, or name a"):
        comparison.check_folder(folder)


def contents(folder: Path) -> dict[str, str]:
    """Return the text of each file below a folder, without the record of the model."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "meta.json"]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_the_files_of_an_earlier_race_are_replaced_and_hidden_ones_stay(tmp_path: Path) -> None:
    kept, work = raced(tmp_path / "kept"), raced(tmp_path / "work", "new")
    (work / "costs.csv").unlink()
    comparison.replace_files(work, kept)
    found = contents(kept)
    assert found.pop(".git/config") == "mine"
    assert found == dict.fromkeys({*comparison.KEPT[:-1], "model/step0/coef.npy"} - {"costs.csv"}, "new")


@pytest.mark.parametrize("step", [*range(0, 24, 3), 23])
def test_a_swap_that_fails_leaves_the_earlier_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Whether a new file cannot be moved beside the old ones, or a name cannot be changed."""
    kept, work = raced(tmp_path / "kept"), raced(tmp_path / "work", "new")
    (kept / "trials.csv").unlink()
    before, steps = contents(kept), iter(range(24))

    def failing(move: Any) -> Any:
        """Return a function that moves, and fails once, at its step."""

        def moved(*paths: Any) -> None:
            if next(steps, None) == step:
                raise OSError("no space left")
            move(*paths)

        return moved

    monkeypatch.setattr(comparison.shutil, "move", failing(comparison.shutil.move))
    monkeypatch.setattr(comparison, "_move", failing(comparison._move))
    with pytest.raises(OSError, match="no space left"):
        comparison.replace_files(work, kept)
    assert contents(kept) == before


def test_texts_and_labels_of_different_numbers_are_an_error() -> None:
    with pytest.raises(TextmixError, match="3 texts and 2 labels"):
        corpus_of(["a", "b", "c"], ["x", "y"])


def test_labels_keep_their_types() -> None:
    corpus, originals = corpus_of(["a", "b", None, "d"], [1, 2, 1, float("nan")])
    assert originals == {"1": 1, "2": 2}
    assert (corpus.n_documents, corpus.info["remarks"]) == (2, ["2 rows without a text or a label were left out."])


@pytest.mark.parametrize("kind", ["string", "float32", "Int64", "category", "object"])
def test_what_pandas_takes_as_missing_is_left_out(kind: str) -> None:
    given = ["x", None, "y", "x"] if kind in ("string", "category", "object") else [1, None, 2, 1]
    corpus, originals = corpus_of(["a", "b", "c", "d"], pd.Series(given, dtype=kind))
    assert len(originals) == 2
    assert corpus.ids == ["1", "3", "4"]
    corpus, _ = corpus_of(pd.Series(["a", None, "c", "d"], dtype="string"), ["x", "y", "y", "x"])
    assert corpus.ids == ["1", "3", "4"]


def test_a_missing_one_of_several_labels_is_no_label() -> None:
    corpus, originals = corpus_of(["a", "b", "c"], [["x", None], ("y", pd.NA, "x"), [float("nan")]])
    assert corpus.indicators().tolist() == [[1, 0], [1, 1], [0, 0]]
    assert originals == {"x": "x", "y": "y"}


@pytest.mark.parametrize("labels", [[1, "1", 2], [["1"], ["2", "x"], [np.int64(2)]], ["True", True, "x"]])
def test_two_labels_of_one_text_are_refused(labels: list[Any]) -> None:
    with pytest.raises(ConfigError, match=r"of text [12] has the same text as .*; give all labels as strings"):
        corpus_of(["a", "b", "c"], labels)


def test_equal_labels_of_two_types_are_one_label() -> None:
    assert corpus_of(["a", "b", "c"], [1, np.int64(1), np.int8(2)])[1] == {"1": 1, "2": 2}


# --- what is shown ---------------------------------------------------------------------------------------------------

ROWS = [
    Row("linear_svm", "view=bigrams;weighting=tfidf;C=1.0", 0.8712, 5, 3.2),
    Row("majority", "view=words;weighting=binary", 0.5, 0, 0.1),
]


def test_the_end_is_three_lines() -> None:
    choice = {
        "method": "linear_svm",
        "point": {"view": "bigrams", "weighting": "tfidf", "C": 1.0},
        "validation": 0.8712,
    }
    choice |= {"value": 0.88, "low": 0.85, "high": 0.91, "metric": "accuracy"}
    outcome = Outcome(
        Path("reviews-compared"), choice, ROWS, {}, interrupted=False, cpu_seconds=1.0, fit_seconds=0.5, took={}
    )
    assert last_lines(outcome) == [
        "linear_svm (bigrams, tfidf, C=1.0): 0.871 in cross-validation over 5 folds",
        "accuracy 0.880 on the test documents, 95 % interval 0.850 to 0.910; page: reviews-compared/index.html",
        "textmix predict reviews-compared/model new.csv",
    ]


def test_the_table_shows_method_score_folds_and_time_left() -> None:
    assert table_lines("reviews.csv", State("cross-validation", 42.0, ROWS), 80) == [
        "reviews.csv: cross-validation, 0:42 left",
        "method                       validation folds    time",
        "linear_svm                        0.871     5    3.2s  bigrams, tfidf, C=1.0",
        "majority                          0.500   try    0.1s  words, binary",
    ]


def test_on_a_terminal_the_table_is_written_over() -> None:
    terminal, now = io.StringIO(), iter([0.0, 0.0, 0.1, 1.0, 1.0])
    table = Table("a.csv", terminal, clock=lambda: next(now))
    for left in (3.0, 2.0, 1.0):
        table(State("cross-validation", left, ROWS))
    table.close()
    assert terminal.getvalue().count("a.csv: cross-validation") == 2
    assert terminal.getvalue().endswith("\x1b[4F\x1b[J")


def test_elsewhere_there_is_a_line_for_each_news(caplog: pytest.LogCaptureFixture) -> None:
    table = Table("a.csv", None)
    with caplog.at_level("INFO", logger="textmix"):
        for left in (9.0, 8.0):
            table(State("cross-validation", left, ROWS))
        table(State("testing the best methods", 2.0, ROWS))
    assert caplog.messages == [
        "cross-validation; best so far: linear_svm (bigrams, tfidf, C=1.0), 0.871 in 5 folds; 0:09 left",
        "testing the best methods; best so far: linear_svm (bigrams, tfidf, C=1.0), 0.871 in 5 folds; 0:02 left",
    ]
