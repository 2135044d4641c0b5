"""``textmix predict``: the pipeline's labels for new texts, streamed, and one sentence for what is wrong."""

from __future__ import annotations

import csv
import io as streams
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import textmix
from tests.serve.test_persisted_model import LABELS, corpus, fitted
from textmix import __main__ as command
from textmix.core import io
from textmix.data.user_table import NewText
from textmix.serve import predict
from textmix.serve.model import PersistedModel
from textmix.serve.outputs import DelimitedRows, JsonRows
from textmix.serve.terminal import report_progress

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name in ("edcm", "binary_relevance"):
        fitted(name)[0].save(folder / name, {})
    return folder


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Return a csv file of the texts that the models were fitted to."""
    stream = streams.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["key", "body"])
    text = corpus(False).text
    writer.writerows([f"d,{row}", text.text(row)] for row in range(len(text)))  # type: ignore[union-attr, arg-type]
    path = tmp_path / "new.csv"
    path.write_text("\ufeff" + stream.getvalue())
    return path


def run(*arguments: object) -> int:
    return command.main(["predict", *map(str, arguments)])


def test_labels_are_those_of_the_pipeline(models: Path, texts: Path, tmp_path: Path) -> None:
    model, _, counts = fitted("edcm")
    output = tmp_path / "out.csv"
    assert run(models / "edcm", texts, "--text", "body", "--id", "key", "--all", "--output", output) == 0
    rows = io.read_csv(output)
    predicted = model.estimator.predict(counts.features)
    assert [row["id"] for row in rows] == [f"d,{number}" for number in range(len(predicted))]
    assert [row["label"] for row in rows] == [LABELS[label] for label in predicted]
    proba = model.estimator.predict_proba(counts.features)
    np.testing.assert_allclose([float(row["probability"]) for row in rows], proba.max(axis=1), rtol=1e-5)
    found = [[float(row[f"p:{name}"]) for name in LABELS[:4]] for row in rows]
    np.testing.assert_allclose(found, proba, rtol=1e-5)
    assert {row["p:unused"] for row in rows} == {""}


def test_label_sets_are_those_of_the_pipeline(models: Path, tmp_path: Path) -> None:
    model, text, counts = fitted("binary_relevance")
    source, output = tmp_path / "new.txt", tmp_path / "out.jsonl"
    source.write_bytes(b"".join(bytes(text.text[row]) + b"\n" for row in range(len(text.text))))  # type: ignore[index, arg-type]
    assert run(models / "binary_relevance", source, "--all", "--output", output) == 0
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    sets = model.estimator.predict(counts.features)
    proba = model.estimator.predict_proba(counts.features)
    assert [row["labels"] for row in rows] == [[LABELS[k] for k in np.flatnonzero(row)] for row in sets]
    for row, chosen, values in zip(rows, sets, proba, strict=True):
        np.testing.assert_allclose(row["probabilities"], values[chosen > 0], rtol=1e-5)
        np.testing.assert_allclose([row["all"][name] for name in LABELS], values, rtol=1e-5)


def test_label_sets_in_csv_are_json_lists(models: Path, tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "new.txt"
    source.write_text("wört00 wört10 wört01 wört11\nwört20 wört21\n")
    assert run(models / "binary_relevance", source) == 0
    rows = list(csv.DictReader(streams.StringIO(capsys.readouterr().out)))
    found = [json.loads(row["labels"]) for row in rows]
    assert found == [LABELS[:2], LABELS[2:3]]
    assert [len(json.loads(row["probabilities"])) for row in rows] == [2, 1]


def test_blocks_change_nothing(models: Path, texts: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    found = []
    for size in (1, 7, 4096):
        monkeypatch.setattr(predict, "MAX_BLOCK_TEXTS", size)
        assert run(models / "edcm", texts, "--text", "body", "--all") == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1] == found[2]


def test_a_block_ends_at_its_number_of_texts_or_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "MAX_BLOCK_TEXTS", 3)
    monkeypatch.setattr(predict, "MAX_BLOCK_BYTES", 10)
    texts = [NewText(str(n), n, b"x" * size) for n, size in enumerate((1, 1, 1, 1, 20, 1))]
    assert [[len(text.text) for text in block] for block in predict.split_into_blocks(texts)] == [
        [1, 1, 1],
        [1, 20],
        [1],
    ]


def test_the_module_runs_and_reads_standard_input(models: Path) -> None:
    command_line = [sys.executable, "-m", "textmix", "predict", models / "edcm", "-", "--format", "text"]
    done = subprocess.run(command_line, input="wört30 wört31\n\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [line.split(",")[:2] for line in done.stdout.splitlines()[:2]] == [["id", "label"], ["1", "öffentlich"]]
    assert len(done.stdout.splitlines()) == 3 and "predicted 2 texts with EDCMClassifier" in done.stderr


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"body\nx\n", ("--text", "text"), "new.csv: --text: unknown column 'text'; allowed: body"),
        (b"text\nf\xfcr\n", ("--encoding", "utf-8"), "new.csv, line 2: is not utf-8 text"),
        (b"text\na\0\n", (), "new.csv, line 2: contains a NUL byte"),
        (b"text\na\n", ("--encoding", "nope"), "unknown encoding 'nope'"),
        (b"", (), "new.csv: is empty"),
    ],
)
def test_an_error_is_one_sentence_and_leaves_no_output(
    models: Path, tmp_path: Path, capsys: Capture, content: bytes, options: tuple[str, ...], message: str
) -> None:
    (tmp_path / "new.csv").write_bytes(content)
    output = tmp_path / "out.csv"
    output.write_text("older")
    assert run(models / "edcm", tmp_path / "new.csv", "--output", output, *options) == 1
    error = capsys.readouterr().err
    assert message in error and len(error.splitlines()) == 1
    assert output.read_text() == "older" and sorted(p.name for p in tmp_path.iterdir()) == ["new.csv", "out.csv"]


def test_missing_files_unknown_forms_and_tampered_models_are_told(
    models: Path, texts: Path, tmp_path: Path, capsys: Capture
) -> None:
    fitted("edcm")[0].save(tmp_path / "model", {})
    (tmp_path / "model/labels.json").write_text("[]")
    (tmp_path / "new.dat").write_text("x")
    for arguments, message in (
        ((models / "edcm", tmp_path / "none.csv"), "No such file"),
        ((models / "edcm", tmp_path / "new.dat"), "unknown file extension; specify --format (csv, tab, jsonl, text)"),
        ((models / "none", texts), "none: no model found"),
        ((tmp_path / "model", texts), "labels.json changed since it was made"),
    ):
        assert run(*arguments) == 1
        assert message in capsys.readouterr().err


def test_an_unreadable_file_gives_not_even_a_header(models: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "new.csv").write_text("text,x\nbody\n")
    assert run(models / "edcm", tmp_path / "new.csv") == 1
    assert capsys.readouterr().out == ""


def test_no_text_gives_a_header_alone(models: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "new.txt").write_bytes(b"")
    assert run(models / "edcm", tmp_path / "new.txt") == 0
    assert capsys.readouterr().out == "id,label,probability\n"


def test_a_method_without_probabilities_leaves_them_out(tmp_path: Path, capsys: Capture) -> None:
    model, _, _ = fitted("svm_relevance")
    model.save(tmp_path / "model", {})
    (tmp_path / "new.txt").write_text("wört20 wört21\n")
    assert run(tmp_path / "model", tmp_path / "new.txt", "--output-format", "jsonl", "--all") == 0
    assert json.loads(capsys.readouterr().out) == {"id": "1", "labels": [LABELS[2]], "probabilities": None}
    assert not hasattr(PersistedModel.load(tmp_path / "model").estimator, "predict_proba")


def test_rows_have_a_cell_for_each_column_where_the_model_gives_no_probability() -> None:
    model = SimpleNamespace(label_names=["a", "b"], task="single")
    stream = streams.StringIO()
    options = predict.Options(all_probabilities=True)
    writer = predict.Writer(DelimitedRows(stream, "csv"), model, options)  # type: ignore[arg-type]
    writer.begin()
    writer.write([NewText("1", 1, b"words")], np.array([1]), None)
    assert stream.getvalue() == "id,label,probability,p:a,p:b\n1,b,,,\n"


def test_labels_that_a_spreadsheet_would_run_are_quoted_by_choice() -> None:
    model = SimpleNamespace(label_names=["=1+1", "-b"], task="single")
    for spreadsheet, expected in ((False, "@1,=1+1,\n2,-b,\n"), (True, "'@1,'=1+1,\n2,'-b,\n")):
        stream = streams.StringIO()
        options = predict.Options(spreadsheet=spreadsheet)
        writer = predict.Writer(DelimitedRows(stream, "csv"), model, options)  # type: ignore[arg-type]
        writer.write([NewText("@1", 1, b"words"), NewText("2", 2, b"words")], np.array([0, 1]), None)
        assert stream.getvalue() == expected


def test_the_model_is_described(models: Path, capsys: Capture) -> None:
    assert command.main(["info", str(models / "edcm")]) == 0
    message = capsys.readouterr().out
    assert "EDCMClassifier(" in message and "WordVectorizer(" in message and "öffentlich" in message
    assert command.main(["info", str(models / "edcm"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["labels"] == LABELS and found["task"] == "single" and found["dataset"] == "made"
    assert command.main(["info", str(models / "none")]) == 1 and "no model found" in capsys.readouterr().err


def test_methods_and_data_sets_are_listed(capsys: Capture) -> None:
    assert command.main(["list", "methods"]) == command.main(["list", "datasets"]) == 0
    message = capsys.readouterr().out
    assert "pmm1" in message and "PMM1, parametric mixture, multi-label\n" in message and "yeast_wheel" in message


def test_version_and_help(capsys: Capture) -> None:
    for option, expected in (("--version", f"textmix {textmix.__version__}"), ("--help", "predict")):
        with pytest.raises(SystemExit) as ended:
            command.main([option])
        assert ended.value.code == 0 and expected in capsys.readouterr().out


def test_quiet_says_nothing(models: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "new.txt").write_text("wört20 wört21\n")
    assert run(models / "edcm", tmp_path / "new.txt", "--quiet") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_tells_the_time_left(terminal: bool, caplog: pytest.LogCaptureFixture) -> None:
    source, screen = streams.BytesIO(b"x" * 100), streams.StringIO()
    times = iter(range(0, 10_000, 30))

    def items() -> Iterator[int]:
        for number in range(4):
            source.seek(25 * (number + 1))
            yield number

    with caplog.at_level("INFO", logger="textmix"):
        found = list(report_progress(items(), source, 100, screen if terminal else None, lambda: float(next(times))))
    assert found == [0, 1, 2, 3]
    message = screen.getvalue() if terminal else caplog.text
    assert ("1 texts, 25%, 0:01:30 left" in message) == terminal
    assert "2 texts, 50%, 0:01:00 left" in message


def test_progress_of_a_pipe_tells_the_texts() -> None:
    screen, times = streams.StringIO(), iter(range(100))
    assert list(report_progress("ab", streams.BytesIO(), None, screen, lambda: float(next(times)))) == ["a", "b"]
    assert "2 texts  " in screen.getvalue()


# --- where the rows go ------------------------------------------------------------------------------------------------


def command_line(*arguments: object) -> list[str]:
    """Return the command that labels texts in a process of its own."""
    return [sys.executable, "-m", "textmix", "predict", *map(str, arguments)]


@pytest.mark.parametrize("device", ["null", "full"])
def test_a_device_is_written_through_and_stays_a_device(
    models: Path, tmp_path: Path, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a device was about to be replaced")

    monkeypatch.setattr(os, "replace", refuse)
    (tmp_path / "new.txt").write_text("wört20\n")
    code = run(models / "edcm", tmp_path / "new.txt", "--output", f"/dev/{device}")
    assert code == (device == "full")
    assert Path(f"/dev/{device}").is_char_device()


def test_a_folder_that_is_not_there_is_not_made(models: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "new.txt").write_text("wört20\n")
    assert run(models / "edcm", tmp_path / "new.txt", "--output", tmp_path / "no/out.csv") == 1
    assert f"folder {tmp_path}/no does not exist" in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


def test_a_half_made_file_beside_the_output_belongs_to_another_process(models: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("wört20\n")
    (tmp_path / ".out.csv.other.tmp").write_text("half")
    assert run(models / "edcm", tmp_path / "new.txt", "--output", tmp_path / "out.csv") == 0
    assert (tmp_path / ".out.csv.other.tmp").read_text() == "half"


@pytest.mark.parametrize(("command", "buffered"), [("predict", True), ("list", False)])
def test_a_full_standard_output_is_named(models: Path, tmp_path: Path, command: str, buffered: bool) -> None:
    (tmp_path / "new.txt").write_text("wört20\n")
    line = command_line(models / "edcm", tmp_path / "new.txt", "--quiet")
    line = line if command == "predict" else [*line[:3], "list", "methods"]
    # With a buffer the write fails at the end, and the interpreter would complain as it closes the stream.
    environment = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (1, "standard output: No space left on device\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_process_that_is_asked_to_end_leaves_nothing_half_made(models: Path, tmp_path: Path, number: int) -> None:
    line = command_line(models / "edcm", "-", "--format", "text", "--output", tmp_path / "out.csv")
    # A child of `nohup` ignores SIGHUP from its start, and the command leaves that as it is.
    heard = partial(signal.signal, number, signal.SIG_DFL)
    running = subprocess.Popen(line, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=heard)  # noqa: PLW1509
    running.stdin.write(b"w\xc3\xb6rt20\n" * 5000)  # type: ignore[union-attr]
    running.stdin.flush()  # type: ignore[union-attr]
    end = time.monotonic() + 60
    while not os.listdir(tmp_path) and time.monotonic() < end:
        time.sleep(0.02)
    assert os.listdir(tmp_path)
    running.send_signal(number)
    assert running.wait(timeout=60) == 128 + number
    assert os.listdir(tmp_path) == []


def test_signal_handlers_are_restored_after_the_command(models: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    assert run(models / "edcm", models / "missing.txt") == 1
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


def test_empty_texts_are_counted_and_can_be_left_without_a_label(models: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "new.txt").write_text("wört20\n\n \t\n")
    assert run(models / "edcm", tmp_path / "new.txt") == 0
    message = capsys.readouterr()
    assert "predicted 3 texts with EDCMClassifier, 2 of them empty\n" in message.err
    assert "" not in {row.split(",")[1] for row in message.out.splitlines()}
    assert run(models / "edcm", tmp_path / "new.txt", "--empty", "leave", "--all") == 0
    message = capsys.readouterr()
    assert "2 of them empty (left unlabelled)" in message.err
    assert {row.strip(",") for row in message.out.splitlines()[2:]} == {"2", "3"}
    assert run(models / "binary_relevance", tmp_path / "new.txt", "--empty", "leave", "--output-format", "jsonl") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0]["labels"] is not None and rows[2] == {"id": "3", "labels": None, "probabilities": None}


# --- models of a comparison ------------------------------------------------------------------------------------------


def saved(folder: Path, **card: object) -> Path:
    """Save a model that tells ball games from painting, and return its folder."""
    words = textmix.WordVectorizer(tokenizer="scripts").fit(["ball goal café", "paint stage"])
    counts = words.transform(["ball goal café", "paint stage"] * 3)
    steps = [("words", words), ("model", textmix.MultinomialClassifier().fit(counts, [0, 1] * 3))]
    PersistedModel(steps, "single", ["sport", "art"], card=card).save(folder / "model", {})
    return folder / "model"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_model_of_a_comparison_finds_the_encoding_as_the_comparison_did(
    tmp_path: Path, capsys: Capture, encoding: str
) -> None:
    card = {"text column": ["title", "body"], "delimiter": ";", "encoding": "found"}
    model = saved(tmp_path, **card)
    (tmp_path / "new.csv").write_bytes("id;title;body\n1;the;café\n2;paint;\n".encode(encoding))
    assert run(model, tmp_path / "new.csv") == 0
    message = capsys.readouterr()
    assert [line.split(",")[1] for line in message.out.splitlines()] == ["label", "sport", "art"]
    assert ("1 lines decoded as Windows-1252" in message.err) == (encoding == "cp1252")


def test_a_table_of_parquet_is_labelled(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd

    pd.DataFrame({"text": ["ball", None]}).to_parquet(tmp_path / "new.parquet")
    assert run(saved(tmp_path), tmp_path / "new.parquet", "--quiet") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


class _Sure:
    """A model of two labels that is sure of no label of the second text."""

    task = "multi"
    label_names = ("art", "sport")
    extra_columns = ()
    is_numeric = False

    def label(self, text: object) -> tuple[np.ndarray, np.ndarray]:
        return np.array([[1, 0], [0, 0]]), np.array([[0.9, 0.1], [0.2, 0.4]])


def test_no_text_is_without_a_label_where_the_user_says_so() -> None:
    texts = [NewText("1", 1, b"a"), NewText("2", 2, b"b")]
    message = []
    for never_empty in (False, True):
        stream = streams.StringIO()
        writer = predict.Writer(JsonRows(stream), _Sure(), predict.Options(never_empty=never_empty))  # type: ignore[arg-type]
        predict.predict(_Sure(), texts, writer)
        message.append([json.loads(line)["labels"] for line in stream.getvalue().splitlines()])
    assert message == [[["art"], []], [["art"], ["sport"]]]


def test_never_empty_is_refused_of_one_label(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "new.txt").write_text("ball\n")
    assert run(saved(tmp_path), tmp_path / "new.txt", "--never-empty") == 1
    assert "--never-empty: requires a multi-label model" in capsys.readouterr().err
