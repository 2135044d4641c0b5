"""Stages of millions of documents by other programs, on the file that `reproduction.bench.by_blocks` reads.

Each program has the setting that was best among a few on 20,000 made documents, by accuracy on the real documents that
are held out.  A program in a format of its own gets a copy of the file, whose making is a stage of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier

from reproduction.bench.by_blocks import TESTS, TRAIN, blocks_of, classes_of, rows_of
from textmix.core import io

#: Program -> the package that it needs; None where textmix needs it itself.
PACKAGES = {"vowpal_wabbit": "vowpalwabbit", "fasttext": "fasttext", "hashing_sgd": None}
VW = "--loss_function logistic -b 20"
FASTTEXT: dict[str, Any] = {"dim": 10, "epoch": 1, "lr": 0.5, "minCount": 2, "thread": 1, "verbose": 0}
HASHING: dict[str, Any] = {"n_features": 2**20, "alternate_sign": False}
SGD: dict[str, Any] = {"loss": "hinge", "alpha": 1e-5, "random_state": 0}
#: Documents that scikit-learn takes at a time.
BLOCK = 10_000


def _converted(name: str, line: Callable[[str, list[str], bytes], bytes]) -> Callable[[Path], None]:
    """Return a stage that copies the training table to the lines of a program."""

    def convert(folder: Path) -> None:
        """Copy the table."""
        classes = classes_of(folder)
        with (folder / name).open("wb") as stream:
            stream.writelines(line(label, classes, text) for label, text in rows_of(folder / TRAIN))

    return convert


def _vw_line(label: str, classes: list[str], text: bytes) -> bytes:
    """Return a line of Vowpal Wabbit; its classes are numbered from 1."""
    return f"{classes.index(label) + 1} | ".encode() + text + b"\n"


def _fasttext_line(label: str, classes: list[str], text: bytes) -> bytes:
    """Return a line of fastText."""
    return f"__label__{label} ".encode() + text + b"\n"


def _vw(arguments: str) -> None:
    """Run Vowpal Wabbit over the file that its arguments name."""
    importlib.import_module("vowpalwabbit").Workspace(f"{arguments} --quiet").finish()


def fit_vw(folder: Path) -> None:
    """Learn in one pass, one machine a class."""
    _vw(f"--oaa {len(classes_of(folder))} {VW} -d {folder / 'train.vw'} -f {folder / 'model.vw'}")
    (folder / "train.vw").unlink()


def predict_vw(folder: Path) -> None:
    """Label the held-out files; the lines are made on the way."""
    classes = classes_of(folder)
    for file in TESTS.values():
        given, answers = folder / f"{file}.vw", folder / f"{file}.numbers"
        with given.open("wb") as stream:
            stream.writelines(b"| " + text + b"\n" for _, text in rows_of(folder / file))
        _vw(f"-t -i {folder / 'model.vw'} -d {given} -p {answers}")
        numbers = answers.read_text(encoding="utf-8").split()
        _answer(folder, "vowpal_wabbit", file, (classes[int(float(number)) - 1] for number in numbers))


def fit_fasttext(folder: Path) -> None:
    """Learn in one pass, one thread."""
    fasttext = importlib.import_module("fasttext")
    fasttext.train_supervised(str(folder / "train.fasttext"), **FASTTEXT).save_model(str(folder / "model.fasttext"))
    (folder / "train.fasttext").unlink()


def predict_fasttext(folder: Path) -> None:
    """Label the held-out files, block by block."""
    model = importlib.import_module("fasttext").load_model(str(folder / "model.fasttext"))
    for file in TESTS.values():
        found = (model.predict([text.decode() for text in texts])[0] for _, texts in blocks_of(folder / file, BLOCK))
        _answer(folder, "fasttext", file, (label.removeprefix("__label__") for block in found for (label,) in block))


def fit_sgd(folder: Path) -> None:
    """Learn in one pass by stochastic gradient descent on hashed words."""
    vectorizer, model, classes = HashingVectorizer(**HASHING), SGDClassifier(**SGD), classes_of(folder)
    for labels, texts in blocks_of(folder / TRAIN, BLOCK):
        model.partial_fit(vectorizer.transform(texts), labels, classes=classes)
    np.savez(folder / "sgd.npz", coef=model.coef_, intercept=model.intercept_, classes=model.classes_)


def predict_sgd(folder: Path) -> None:
    """Label the held-out files, block by block."""
    vectorizer, model = HashingVectorizer(**HASHING), SGDClassifier(**SGD)
    with np.load(folder / "sgd.npz") as kept:
        model.coef_, model.intercept_, model.classes_ = kept["coef"], kept["intercept"], kept["classes"]
    for file in TESTS.values():
        found = (model.predict(vectorizer.transform(texts)) for _, texts in blocks_of(folder / file, BLOCK))
        _answer(folder, "hashing_sgd", file, (str(label) for block in found for label in block))


def _answer(folder: Path, name: str, file: str, labels: Iterable[str]) -> None:
    """Write the labels of a file as the command ``textmix predict`` writes them."""
    io.write_text(folder / f"{name}_{file}", io.format_csv(({"label": label} for label in labels), ("label",)))


#: Program -> its stages in order.
STAGES: dict[str, dict[str, Callable[[Path], None]]] = {
    "vowpal_wabbit": {
        "convert": _converted("train.vw", _vw_line),
        "fit": fit_vw,
        "predict": predict_vw,
    },
    "fasttext": {
        "convert": _converted("train.fasttext", _fasttext_line),
        "fit": fit_fasttext,
        "predict": predict_fasttext,
    },
    "hashing_sgd": {"fit": fit_sgd, "predict": predict_sgd},
}
