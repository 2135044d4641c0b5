"""``textmix predict`` writes the format of the file extension, ranks labels, and works on every terminal."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sklearn.pipeline import make_pipeline

import textmix
from tests.serve.test_persisted_model import forge
from textmix.__main__ import RENAMED_OPTIONS, main
from textmix.core.errors import DataFormatError
from textmix.serve.model import FORMAT, MODEL_FILE

Capture = pytest.CaptureFixture[str]
TEXTS = ["goal ball team", "paint stage art", "soup salt oven"]
LABELS = ["=sport", "ärt", "food"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs") / "compared" / "model"
    folder.parent.mkdir()
    textmix.save(make_pipeline(textmix.WordVectorizer(), textmix.MultinomialClassifier()).fit(TEXTS, LABELS), folder)
    return folder


@pytest.fixture
def new(tmp_path: Path) -> Path:
    path = tmp_path / "new.csv"
    path.write_text("text\n" + "".join(f"{text}\n" for text in TEXTS), encoding="utf-8")
    return path


def predict(*arguments: object) -> int:
    return main(["predict", *map(str, arguments), "--quiet"])


@pytest.mark.parametrize(
    ("name", "opened"), [("a.csv.gz", gzip.open), ("a.csv.bz2", bz2.open), ("a.csv.xz", lzma.open), ("a.csv", open)]
)
def test_a_compressed_file_has_the_content_of_the_plain_one(
    name: str, opened: Callable[..., Any], model: Path, new: Path, tmp_path: Path
) -> None:
    assert predict(model, new, "--output", tmp_path / name) == 0
    with opened(tmp_path / name, "rt", encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    assert lines[0] == "id,label,probability" and [line.split(",")[1] for line in lines[1:]] == LABELS


def test_tsv_and_json_lines_follow_the_file_extension(model: Path, new: Path, tmp_path: Path) -> None:
    assert predict(model, new, "--output", tmp_path / "a.tsv") == 0
    assert (tmp_path / "a.tsv").read_text(encoding="utf-8").startswith("id\tlabel\tprobability\n1\t=sport\t")
    assert predict(model, new, "--output", tmp_path / "a.jsonl.gz") == 0
    with gzip.open(tmp_path / "a.jsonl.gz", "rt", encoding="utf-8") as stream:
        assert [json.loads(line)["label"] for line in stream] == LABELS


@pytest.mark.parametrize(("name", "package"), [("a.xlsx", "openpyxl"), ("a.parquet", "pyarrow")])
def test_workbooks_and_parquet_are_what_their_names_say(
    name: str, package: str, model: Path, new: Path, tmp_path: Path
) -> None:
    pytest.importorskip(package)
    pandas = pytest.importorskip("pandas")
    assert predict(model, new, "--all", "--output", tmp_path / name) == 0
    read = pandas.read_excel if name.endswith("xlsx") else pandas.read_parquet
    table = read(tmp_path / name)
    # A label that begins with "=" is text, not a formula.
    assert table["label"].tolist() == LABELS
    assert table["probability"].dtype.kind == table["p:food"].dtype.kind == "f"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.xls", "cannot write .xls files; choose one of .csv, .tsv, .jsonl, .xlsx, .parquet"),
        ("a.zip", "cannot write .zip files"),
        ("a.xlsx.gz", "xlsx files are already compressed; drop .gz"),
        ("no/a.csv", "no does not exist"),
    ],
)
def test_a_format_that_cannot_be_written_is_rejected(
    name: str, message: str, model: Path, new: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert predict(model, new, "--output", tmp_path / name) == 1
    error = capsys.readouterr().err
    assert message in error and len(error.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv"]


def test_the_most_probable_labels_are_ranked(model: Path, new: Path, capsys: Capture) -> None:
    assert predict(model, new, "--top", "2") == 0
    header, first, *_ = capsys.readouterr().out.splitlines()
    assert header == "id,label,probability,label_1,probability_1,label_2,probability_2"
    cells = first.split(",")
    assert cells[1] == cells[3] == "=sport" and float(cells[2]) == float(cells[4]) > float(cells[6])
    assert predict(model, new, "--top", "9", "--output-format", "jsonl") == 0
    top = json.loads(capsys.readouterr().out.splitlines()[1])["top"]
    assert top[0]["label"] == "ärt" and len(top) == 3
    assert sum(entry["probability"] for entry in top) == pytest.approx(1.0, abs=1e-5)
    assert predict(model, new, "--top", "0") == 1 and "--top: 0 is below 1" in capsys.readouterr().err


def test_the_options_of_the_documentation_run(model: Path, new: Path, capsys: Capture) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/how-to/keep-a-model.md").read_text(encoding="utf-8")
    options = re.findall(r"^\| `(--[^`]+)` \|", page, re.MULTILINE)
    assert {"--top 3", "--explain"} <= set(options)
    for option in options:
        code = predict(model, new, *option.split())
        output = capsys.readouterr()
        is_multi_label = option == "--never-empty"
        assert code == int(is_multi_label), output.err
        if option == "--top 3":
            assert output.out.startswith("id,label,probability,label_1,probability_1,label_2,probability_2,label_3,")
    assert {option.split()[0] for option in options} <= set(re.findall(r"--[a-z-]+", _predict_help(capsys)))


def test_the_python_code_of_the_documentation_explains(model: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/how-to/keep-a-model.md").read_text(encoding="utf-8")
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "textmix.explain(" in block)
    names = {"textmix": textmix, "model": textmix.load(model)}
    exec(compile(code.replace('label="sport"', 'label="=sport"'), "keep-a-model.md", "exec"), names)
    assert len(names["explanation"].supporting) <= 3


def _predict_help(capsys: Capture) -> str:
    with pytest.raises(SystemExit):
        main(["predict", "--help"])
    return capsys.readouterr().out


def test_the_output_directory_of_a_comparison_stands_for_its_model(model: Path, new: Path, capsys: Capture) -> None:
    assert predict(model.parent, new) == 0
    assert [line.split(",")[1] for line in capsys.readouterr().out.splitlines()[1:]] == LABELS


@pytest.mark.parametrize("command", ["info", "evaluate"])
def test_a_terminal_that_is_not_in_utf8_shows_escapes(command: str, model: Path, tmp_path: Path) -> None:
    rows = "".join(f"{text},{label}\n" for text, label in zip(TEXTS, LABELS, strict=True))
    (tmp_path / "labelled.csv").write_text(f"text,label\n{rows}", encoding="utf-8")
    line = [sys.executable, "-m", "textmix", command, str(model)]
    line += [str(tmp_path / "labelled.csv")] if command == "evaluate" else []
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(line, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert b"\\xe4rt" in done.stdout


def test_former_options_are_rejected_with_the_new_name(capsys: Capture) -> None:
    for command, options in RENAMED_OPTIONS.items():
        for option, name in options.items():
            with pytest.raises(SystemExit):
                main([command, "model", "file.csv", option, "value"])
            assert f"{option} has been renamed; use {name}" in capsys.readouterr().err


def test_a_model_of_version_0_2_is_rejected_in_one_sentence(model: Path, tmp_path: Path) -> None:
    def rewrite(folder: Path) -> None:
        head = json.loads((folder / MODEL_FILE).read_text())
        head["steps"][-1]["parameters"]["tolerance"] = 1e-4
        (folder / MODEL_FILE).write_text(json.dumps({**head, "format": 4, "numbers": False}))

    with pytest.raises(DataFormatError, match=f"format 4, .* reads format {FORMAT}.*save it again"):
        textmix.load(forge(model, tmp_path / "old", rewrite))


def test_an_explanation_names_words_and_pairs_for_and_against() -> None:
    texts = ["good film", "not good film", "bad film", "not bad film"] * 5
    labels = ["yes", "no", "no", "yes"] * 5
    vectoriser = textmix.WordVectorizer(ngram_range=(1, 2))
    fitted = make_pipeline(vectoriser, textmix.SoftmaxClassifier(C=100.0)).fit(texts, labels)
    explanation = textmix.explain(fitted, "a film that is not good", "no")
    assert explanation.supporting[0][0] == "not good" and explanation.log_odds > 0
    assert textmix.explain(fitted, "not good film").label == "no"
    assert all(" " not in feature for feature, _ in textmix.explain(fitted, "not good", bigrams=False).supporting)
    against = textmix.explain(fitted, "not good", "yes")
    assert "not good" in dict(against.opposing) and max(weight for _, weight in against.opposing) < 0
    with pytest.raises(ValueError, match="label: 'maybe' is not one of 'no', 'yes'"):
        textmix.explain(fitted, "not good", "maybe")
    with pytest.raises(ValueError, match="pass a single string"):
        textmix.explain(fitted, ["not good"])  # type: ignore[arg-type]
