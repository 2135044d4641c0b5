"""What `textmix predict` reads of a model of a comparison, and what it does with empty texts and answers."""

from __future__ import annotations

import io as streams
import json
from pathlib import Path

import numpy as np
import pytest

import textmix
from tests.serve.test_predict import Capture, run
from textmix.data.user_table import NewText
from textmix.serve import predict
from textmix.serve.model import PersistedModel


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
    assert ("1 lines read as Windows-1252" in message.err) == (encoding == "cp1252")


def test_a_table_of_parquet_is_labelled(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("pyarrow")
    import pandas as pd

    pd.DataFrame({"text": ["ball", None]}).to_parquet(tmp_path / "new.parquet")
    assert run(saved(tmp_path), tmp_path / "new.parquet", "--quiet") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


class _Sure:
    """A model of two labels that is sure of no label of the second text."""

    task, label_names, beside = "multi", ["art", "sport"], ()

    def label(self, text: object) -> tuple[np.ndarray, np.ndarray]:
        return np.array([[1, 0], [0, 0]]), np.array([[0.9, 0.1], [0.2, 0.4]])


def test_no_text_is_without_a_label_where_the_user_says_so() -> None:
    texts = [NewText("1", 1, b"a"), NewText("2", 2, b"b")]
    message = []
    for never_empty in (False, True):
        stream = streams.StringIO()
        writer = predict.Writer(stream, _Sure(), "jsonl", False, never_empty=never_empty)
        predict.predict(_Sure(), texts, writer)
        message.append([json.loads(line)["labels"] for line in stream.getvalue().splitlines()])
    assert message == [[["art"], []], [["art"], ["sport"]]]


def test_never_empty_is_refused_of_one_label(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "new.txt").write_text("ball\n")
    assert run(saved(tmp_path), tmp_path / "new.txt", "--never-empty") == 1
    assert "--never-empty: goes with a model for several labels" in capsys.readouterr().err
