"""Comparisons on feature vectors: matrices, numeric columns, ARFF with MULAN's label file, and LIBSVM."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import textmix
from textmix.__main__ import main
from textmix.compare import compare
from textmix.core.errors import ConfigError

NAMES = ("length", "width", "height", "weight")
MULAN_LABELS = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels"><label name="big"></label><label name="heavy"></label></labels>
"""


def draw_matrix(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return features, some of them much larger than others, and two binary labels that they determine."""
    X = np.random.default_rng(seed).normal(size=(n, 4)) * [1.0, 100.0, 0.01, 1.0]
    y = np.column_stack([X[:, 0] + X[:, 1] / 100.0 > 0.0, X[:, 3] > 0.0])
    return X.round(4), y.astype(int)


def write_csv(path: Path, X: np.ndarray, labels: list[str] | None = None, *, reverse: bool = False) -> Path:
    """Write a table of numeric columns, perhaps in reverse order, and labels."""
    header = [*NAMES]
    rows = X.tolist()
    if reverse:
        header = header[::-1]
        rows = [row[::-1] for row in rows]
    if labels is not None:
        header.append("class")
        rows = [[*row, label] for row, label in zip(rows, labels, strict=True)]
    with open(path, "w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([header, *rows])
    return path


def write_mulan(folder: Path, part: str, X: np.ndarray, y: np.ndarray) -> Path:
    """Write an ARFF file with two label attributes, and MULAN's label file."""
    (folder / "boxes.xml").write_text(MULAN_LABELS, encoding="utf-8")
    attributes = [f"@attribute {name} numeric" for name in NAMES] + [
        f"@attribute {name} {{0,1}}" for name in ("big", "heavy")
    ]
    rows = [",".join([*map(str, row), *map(str, labels)]) for row, labels in zip(X.tolist(), y.tolist(), strict=True)]
    path = folder / f"boxes-{part}.arff"
    path.write_text("\n".join(["@relation boxes", *attributes, "@data", *rows, ""]), encoding="utf-8")
    return path


def read_column(path: Path, column: str) -> list[str]:
    """Return a column of a CSV file."""
    with open(path, encoding="utf-8", newline="") as table:
        return [row[column] for row in csv.DictReader(table)]


def test_a_model_of_a_matrix_is_saved_and_predicts_matrices(tmp_path: Path) -> None:
    X, y = draw_matrix()
    comparison = compare(sparse.csr_array(X), y[:, 1], 3, output_dir=tmp_path / "out")
    model = textmix.load(tmp_path / "out")
    assert model.score(X, y[:, 1]) > 0.9
    np.testing.assert_array_equal(model.predict(X), comparison.predict(X))
    with pytest.raises(ValueError, match="3 features"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="numeric matrix"):
        model.predict(["a text"])


def test_columns_of_a_frame_are_matched_by_name() -> None:
    pd = pytest.importorskip("pandas")
    X, y = draw_matrix()
    frame = pd.DataFrame(X, columns=NAMES)
    labels = [[name for name, value in zip(("big", "heavy"), row, strict=True) if value] for row in y]
    model = compare(frame, labels, 3).best_
    assert model.score(frame[list(NAMES[::-1])], labels) == model.score(frame, labels) > 0.8
    with pytest.raises(ConfigError, match=r"'width'.*missing"):
        model.predict(frame.drop(columns="width"))


def test_a_table_of_numbers_is_compared_and_labelled_by_column_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = draw_matrix()
    labels = ["heavy" if value else "light" for value in y[:, 1]]
    write_csv(tmp_path / "boxes.csv", X, labels)
    write_csv(tmp_path / "new.csv", X, reverse=True)
    assert main(["compare", "boxes.csv", "--time", "4", "--quiet"]) == 0
    assert main(["predict", "boxes-compared", "new.csv", "--output", "labels.csv"]) == 0
    assert np.mean(np.array(read_column(tmp_path / "labels.csv", "label")) == labels) > 0.9
    assert main(["evaluate", "boxes-compared", "boxes.csv"]) == 0


def test_mulan_files_with_their_label_file_are_compared_and_labelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = draw_matrix(160)
    write_mulan(tmp_path, "train", X[:120], y[:120])
    write_mulan(tmp_path, "test", X[120:], y[120:])
    command = [
        "compare",
        "boxes-train.arff",
        "--test",
        "boxes-test.arff",
        "--time",
        "4",
        "--output-dir",
        "out",
        "--quiet",
    ]
    assert main(command) == 0
    assert main(["predict", "out", "boxes-test.arff", "--output", "labels.csv"]) == 0
    assert len(read_column(tmp_path / "labels.csv", "labels")) == 40
    assert main(["evaluate", "out", "boxes-test.arff"]) == 0
    assert main(["compare", "boxes-train.arff", "--text", "length"]) == 1


def test_libsvm_files_are_compared_and_labelled_with_fewer_features(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = draw_matrix()
    rows = [" ".join(f"{column + 1}:{abs(value):g}" for column, value in enumerate(row)) for row in X.tolist()]
    lines = [f"{label + 7} {row}" for label, row in zip(y[:, 1].tolist(), rows, strict=True)]
    (tmp_path / "boxes.svm").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (tmp_path / "new.svm").write_text(
        "\n".join(line.rsplit(" ", 1)[0] for line in [*lines, ""] if line) + "\n", encoding="utf-8"
    )
    assert main(["compare", "boxes.svm", "--time", "4", "--quiet"]) == 0
    assert main(["predict", "boxes-compared", "new.svm", "--output", "labels.csv"]) == 0
    assert set(read_column(tmp_path / "labels.csv", "label")) <= {"7", "8"}
    assert len(read_column(tmp_path / "labels.csv", "label")) == 120


def test_the_code_of_the_report_runs_on_matrices(tmp_path: Path) -> None:
    X, y = draw_matrix()
    comparison = compare(X, y[:, 1], 3, output_dir=tmp_path / "out")
    code = comparison.report().split("<pre", 1)[1].split("<code>")[1].split("</code>")[0]
    namespace = {"texts": X[:100], "labels": y[:100, 1], "new_texts": X[100:]}
    exec(code.replace("&#39;", "'").replace("&#34;", '"').replace("&gt;", ">"), namespace)
    assert np.mean(namespace["predicted"] == y[100:, 1]) > 0.8
