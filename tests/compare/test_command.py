"""The command ``textmix compare``, from a table to a model that labels new texts."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.compare.texts import drawn, write_shop, write_table
from textmix.__main__ import main
from textmix.compare.arguments import RENAMED_OPTIONS
from textmix.compare.choice import FoldCount, LeaderboardRow
from textmix.compare.search import Progress
from textmix.compare.terminal import encodable, progress_line, table_lines


def run(*arguments: str | Path) -> int:
    return main([*map(str, arguments)])


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def test_a_table_becomes_a_model_that_labels_new_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line is the command for new texts, and it works on the table itself."""
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "news.csv", 60)
    assert run("compare", "news.csv", "--time", "all", "--quiet") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and "accuracy" in lines[1] and lines[2] == "textmix predict news-compared/model new.csv"
    assert run("predict", "news-compared/model", "news.csv", "--output", "labelled.csv", "--quiet") == 0
    given, told = rows_of(tmp_path / "news.csv"), rows_of(tmp_path / "labelled.csv")
    assert sum(a["label"] == b["label"] for a, b in zip(given, told, strict=True)) > 0.8 * len(given)
    board = rows_of(tmp_path / "news-compared" / "leaderboard.csv")
    assert {row["method"] for row in board} >= {"linear_svm", "logistic_regression"}
    assert all(0.0 <= float(row["validation"]) <= 1.0 for row in board)


def test_several_labels_of_a_cell_are_predicted(tmp_path: Path) -> None:
    table = write_table(tmp_path / "sets.csv", several=True)
    options = (
        "--separator",
        ";",
        "--metric",
        "micro_f",
        "--never-empty",
        "--time",
        "1",
        "--output-dir",
        tmp_path / "kept",
    )
    assert run("compare", table, *options, "--quiet") == 0
    assert run("predict", tmp_path / "kept" / "model", table, "--output", tmp_path / "out.csv", "--quiet") == 0
    assert all(json.loads(row["labels"]) for row in rows_of(tmp_path / "out.csv"))


def test_columns_of_zero_and_one_are_labels(tmp_path: Path) -> None:
    texts, labels = drawn(120)
    with open(tmp_path / "flags.csv", "w", encoding="utf-8", newline="") as table:
        cells = [(text, int(label == "art"), int(label == "law")) for text, label in zip(texts, labels, strict=True)]
        csv.writer(table).writerows([("text", "art", "law"), *cells])
    options = ("--label", "art,law", "--time", "1", "--output-dir", tmp_path / "kept", "--quiet")
    assert run("compare", tmp_path / "flags.csv", *options) == 0
    told = rows_of(tmp_path / "kept" / "predictions.csv")
    assert {row["predicted"] for row in told} <= {"art", "law", "", "art | law"}


def test_numbers_and_categories_join_the_text_and_the_model_asks_for_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They tell the label where the text does not; the model reads the same columns, and names one that is missing."""
    table, kept = write_shop(tmp_path / "shop.csv"), tmp_path / "kept"
    options = ("--text", "text", "--label", "label", "--features", "price,shop", "--time", "all", "--output-dir", kept)
    assert run("compare", table, *options, "--quiet") == 0
    assert json.loads((kept / "choice.json").read_text())["value"] > 0.85
    page = (kept / "index.html").read_text(encoding="utf-8")
    assert "Additional features: price (number), shop (category)." in page and "shop: north" in page
    assert run("predict", kept / "model", table, "--output", tmp_path / "out.csv", "--explain", "--quiet") == 0
    given, told = rows_of(table), rows_of(tmp_path / "out.csv")
    assert sum(a["label"] == b["label"] for a, b in zip(given, told, strict=True)) > 0.9 * len(given)
    capsys.readouterr()
    assert run("evaluate", kept / "model", table) == 0
    assert float(capsys.readouterr().out.split("accuracy")[1].split()[0]) > 0.9
    (tmp_path / "bare.csv").write_text("text,shop\nthe a of and,north\n", encoding="utf-8")
    assert run("predict", kept / "model", tmp_path / "bare.csv") == 1
    assert "unknown column 'price'" in capsys.readouterr().err


def test_the_latest_texts_are_the_test(tmp_path: Path) -> None:
    texts, labels = drawn(100)
    with open(tmp_path / "dated.csv", "w", encoding="utf-8", newline="") as table:
        cells = zip(texts, labels, [f"2024-01-{1 + row % 28:02}" for row in range(100)], strict=True)
        csv.writer(table).writerows([("text", "label", "day"), *cells])
    options = ("--date", "day", "--time", "1", "--output-dir", tmp_path / "kept", "--quiet")
    assert run("compare", tmp_path / "dated.csv", *options) == 0
    tested = {int(row["id"]) for row in rows_of(tmp_path / "kept" / "predictions.csv")}
    assert min((row - 1) % 28 for row in tested) >= max((row - 1) % 28 for row in {*range(1, 101)} - tested)


def test_a_folder_of_classes_is_compared(tmp_path: Path) -> None:
    for row, (text, label) in enumerate(zip(*drawn(60), strict=True)):
        (tmp_path / "mail" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mail" / label / f"{row}.txt").write_text(text, encoding="utf-8")
    assert run("compare", tmp_path / "mail", "--time", "1", "--output-dir", tmp_path / "kept", "--quiet") == 0


def test_an_encoder_of_the_user_joins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "WORDS = 'goal match team player score league paint stage opera museum court judge statute verdict'.split()\n"
        "def encode(texts):\n    return np.array([[text.split().count(word) for word in WORDS] for text in texts])\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    write_table(tmp_path / "a.csv", 60)
    assert run("compare", "a.csv", "--encoder", "mine:encode", "--time", "all", "--quiet") == 0
    board = rows_of(tmp_path / "a-compared" / "leaderboard.csv")
    assert any(row["parameters"].startswith("encoder vectors") for row in board)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--time", "soon"), "is not a time"),
        (("--workers", "0"), "threads"),
        (("--metric", "micro_f"), "metric"),
        (("--metric", "f:nothing"), "unknown label 'nothing'"),
        (("--split", "a", "--date", "b"), "give one"),
        (("--separator", ""), "is empty"),
        (("--never-empty",), "several labels"),
        (("--text", "missing"), "missing"),
        (("--features", "price"), "unknown column 'price'"),
        (("--features", "label", "--label", "label"), "--label and --f"),
        (("--test", "nowhere.csv"), "no such file"),
    ],
)
def test_a_wrong_option_is_one_sentence_and_leaves_nothing(
    more: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write_table(tmp_path / "a.csv", 40)
    assert run("compare", table, "--output-dir", tmp_path / "kept", *more) == 1
    assert message in capsys.readouterr().err and not (tmp_path / "kept").exists()


def test_labels_that_look_like_several_are_remarked_on(tmp_path: Path) -> None:
    texts, labels = drawn(90)
    pairs = [f"{label}, art" if row % 3 == 0 and label != "art" else label for row, label in enumerate(labels)]
    with open(tmp_path / "a.csv", "w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([("text", "label"), *zip(texts, pairs, strict=True)])
    assert run("compare", tmp_path / "a.csv", "--time", "1", "--output-dir", tmp_path / "kept", "--quiet") == 0
    assert "look like several labels" in (tmp_path / "kept" / "index.html").read_text(encoding="utf-8")


def started(tmp_path: Path, n: int = 400, *more: str) -> subprocess.Popen[str]:
    """Return a command that runs on its own, as soon as its pipeline has a score."""
    write_table(tmp_path / "a.csv", n)
    command = [sys.executable, "-m", "textmix", "compare", "a.csv", "--time", "600", *more]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts what it runs in the background with this signal ignored, and a process inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no other thread runs
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "· best: " in line:
            return process
    raise AssertionError(f"it ended with {process.wait()}")


def test_an_interrupt_keeps_what_is_known(tmp_path: Path) -> None:
    process = started(tmp_path)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "(ended early)" in out.splitlines()[0]
    assert {"leaderboard.csv", "model", "index.html"} <= {path.name for path in (tmp_path / "a-compared").iterdir()}


def test_an_interrupt_before_the_first_score_says_how_long_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    table = write_table(tmp_path / "a.csv", 60)
    for place, message in (
        ("textmix.compare.command.read_table", "before any candidate had a score"),
        ("textmix.compare.features.Features.matrix", "before any candidate had a score"),
        ("textmix.compare.finish.fit_final_model", "while the best method was tested"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, interrupt)
            assert run("compare", table, "--time", "all", "--output-dir", tmp_path / "kept") == 1
        error = capsys.readouterr().err
        assert re.search(r"interrupted after \d+ s", error) and message in error, place


def test_a_kill_leaves_no_process_and_no_temporary_file(tmp_path: Path) -> None:
    process = started(tmp_path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    known = children.read_text().split() if children.exists() else []
    process.kill()
    process.communicate(timeout=60)
    time.sleep(0.5)
    assert not [child for child in known if Path(f"/proc/{child}").exists()]
    assert not list((tmp_path / "tmp").iterdir())
    assert not (tmp_path / "a-compared").exists()


def test_the_table_of_the_terminal_marks_the_baseline() -> None:
    rows = [
        LeaderboardRow("nbsvm", "word TF-IDF, C=1", 0.9, FoldCount(5, 5), 1.0, None),
        LeaderboardRow("linear_svm", "word TF-IDF", 0.8, FoldCount(5, 5), 1.0, None, True),
    ]
    progress = Progress("baseline", 61.0, rows, "accuracy")
    lines = table_lines("a.csv", progress, 60)
    assert lines[0] == "a.csv: baseline · 1:01 left" and "*" in lines[3] and "*" not in lines[2]
    assert all(len(line) < 60 for line in lines)
    assert progress_line(progress) == "baseline · best: NBSVM (word TF-IDF, C=1), accuracy 0.900 · 1:01 left"


def test_a_score_of_some_folds_says_so() -> None:
    row = LeaderboardRow("nbsvm", "word TF-IDF", 0.9, FoldCount(2, 5), 1.0, None)
    assert progress_line(Progress("baseline", None, [row], "accuracy")).endswith("accuracy 0.900 on 2 of 5 folds")


def test_a_terminal_that_cannot_encode_a_character_gets_another() -> None:
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert encodable("0.8–0.9 · “café”", terminal) == '0.8-0.9 - "caf\\xe9"'


@pytest.mark.parametrize(("former", "new"), RENAMED_OPTIONS.items())
def test_former_options_are_rejected_with_their_new_names(
    former: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run("compare", "a.csv", former, "x")
    assert f"{former} has been renamed; use {new}" in capsys.readouterr().err


def test_warnings_are_on_the_terminal_and_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also with --quiet: they change what the scores mean."""
    texts, labels = drawn(60)
    rows = [*zip(texts, labels, strict=True)]
    with open(tmp_path / "twice.csv", "w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([("text", "label"), *rows, *rows])
    options = ("--time", "0.001", "--output-dir", tmp_path / "kept", "--quiet")
    assert run("compare", tmp_path / "twice.csv", *options) == 0
    output = capsys.readouterr()
    page = (tmp_path / "kept" / "index.html").read_text(encoding="utf-8")
    for warning in ("duplicates of training documents", "1 of 5 folds"):
        assert warning in output.err and warning in page
    assert "1 of 5 folds" in output.out
    assert len(rows_of(tmp_path / "kept" / "leaderboard.csv")) == 1
    assert "<circle" in page, "the reliability diagram"


def test_an_earlier_comparison_is_replaced_only_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write_table(tmp_path / "a.csv", 60)
    options = ("--time", "1", "--output-dir", tmp_path / "kept", "--quiet")
    assert run("compare", table, *options) == 0
    before = (tmp_path / "kept" / "choice.json").stat().st_mtime_ns
    assert run("compare", table, *options) == 1
    assert "--overwrite" in capsys.readouterr().err
    assert (tmp_path / "kept" / "choice.json").stat().st_mtime_ns == before
    assert run("compare", table, *options, "--overwrite") == 0
    assert (tmp_path / "kept" / "choice.json").stat().st_mtime_ns != before
