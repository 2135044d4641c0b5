"""Stages of millions of documents by textmix: one block of documents is in memory at a time.

A stage reads and writes files of one folder.  ``train.csv`` is the made file; ``counts/`` holds its counts block by
block, ``models/`` what was fitted.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline

import textmix
from textmix.core import io
from textmix.data import tables
from textmix.data.corpus import Ragged
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.linear.machines import LinearSVM
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.text.term_weighting import TermWeighting
from textmix.text.word_vectorizer import WordVectorizer

#: Documents of a block, and blocks that PMM1 takes at a time: each of its calls fits anew to the sums of all.
BLOCK, TOGETHER = 50_000, 4
#: The files that are labelled, apart from the one of training documents.
TESTS = {"made": "held_out_made.csv", "real": "held_out_real.csv"}
TRAIN = "train_made.csv"
#: The support vector machines: cost, largest duality gap as a share of the objective, and most sweeps.
MACHINES: dict[str, Any] = {"C": 1.0, "tolerance": 0.05, "max_iter": 12}


def rows_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield label and text, UTF-8, of each row of a table."""
    with path.open("rb") as stream:
        lines = tables.Lines(str(path), iter(stream), "utf-8")
        for _, (label, text) in tables.read_rows("csv", lines, ["label", "text"]):
            yield str(label), str(text).encode()


def blocks_of(path: Path, size: int = BLOCK) -> Iterator[tuple[list[str], list[bytes]]]:
    """Yield the labels and the texts of each block of rows of a table."""
    labels, texts = list[str](), list[bytes]()
    for label, text in rows_of(path):
        labels.append(label)
        texts.append(text)
        if len(labels) == size:
            yield labels, texts
            labels, texts = [], []
    if labels:
        yield labels, texts


def read(folder: Path) -> None:
    """Read all rows and keep none."""
    for _ in rows_of(folder / TRAIN):
        pass


def count(folder: Path) -> None:
    """Count words: the first block names the words, and the counts of each block go to the disk."""
    vectorizer = WordVectorizer(tokenizer="letters", min_length=2, min_count=2)
    for number, (labels, texts) in enumerate(blocks_of(folder / TRAIN)):
        text = Ragged.from_texts(texts)
        counts = vectorizer.transform(text) if number else vectorizer.fit([t.decode() for t in texts]).transform(text)
        place = folder / f"counts/{number:04d}"
        place.mkdir(parents=True)
        for name in ("data", "indices", "indptr"):
            np.save(place / f"{name}.npy", getattr(counts, name))
        np.save(place / "labels.npy", np.array(labels))
    io.write_json(folder / "words.json", list(vectorizer.vocabulary_))


def counted(folder: Path) -> Iterator[tuple[sparse.csr_array, np.ndarray]]:
    """Yield counts (n, V) and labels (n,) of each block."""
    n_words = len(io.read_json(folder / "words.json"))
    for place in sorted((folder / "counts").iterdir()):
        parts = [np.load(place / f"{name}.npy") for name in ("data", "indices", "indptr")]
        yield (
            sparse.csr_array(tuple(parts), shape=(len(parts[2]) - 1, n_words)),
            np.load(place / "labels.npy"),
        )


def classes_of(folder: Path) -> list[str]:
    """Return the names of the classes."""
    names: list[str] = io.read_json(folder / "classes.json")
    return names


def parts_of(labels: Any) -> list[list[str]]:
    """Return the parts of the names of classes, the labels of PMM1: ``rec.autos`` gives ``rec`` and ``autos``."""
    return [str(label).split(".") for label in labels]


def _kept(folder: Path, name: str, *steps: Any) -> None:
    """Save a pipeline that begins with the counting of words."""
    words = io.read_json(folder / "words.json")
    spec = {"tokenizer": "letters", "min_length": 2}
    textmix.save(make_pipeline(WordVectorizer.of(spec, words), *steps), folder / f"models/{name}")


def _fitted_in_parts(make: Callable[[], Any]) -> Callable[[Path], Any]:
    """Return a function that fits a classifier of one class a document by ``partial_fit`` and returns it."""

    def fit(folder: Path) -> Any:
        """Return the fitted classifier."""
        model, classes = make(), classes_of(folder)
        for X, y in counted(folder):
            model.partial_fit(X, y, classes=classes)
        return model

    return fit


def multinomial(folder: Path) -> None:
    """Fit multinomial naive Bayes in parts; the model is that of all documents at once."""
    _kept(folder, "multinomial", _fitted_in_parts(MultinomialClassifier)(folder))


def edcm(folder: Path) -> None:
    """Fit the EDCM in parts; the model is that of all documents at once."""
    _kept(folder, "edcm", _fitted_in_parts(EDCMClassifier)(folder))


def pmm1(folder: Path) -> None:
    """Fit PMM1 in a few large parts; the model is that of all documents at once."""
    model, classes = (
        PMM1(set_prior="training"),
        sorted({part for name in classes_of(folder) for part in name.split(".")}),
    )
    waiting: list[tuple[sparse.csr_array, np.ndarray]] = []
    for block in counted(folder):
        waiting.append(block)
        if len(waiting) == TOGETHER:
            _add(model, waiting, classes)
            waiting = []
    if waiting:
        _add(model, waiting, classes)
    _kept(folder, "pmm1", model)


def _add(model: PMM1, blocks: list[tuple[sparse.csr_array, np.ndarray]], classes: list[str]) -> None:
    """Add blocks of counts and labels to a model."""
    X = sparse.csr_array(sparse.vstack([counts for counts, _ in blocks], format="csr"))
    model.partial_fit(X, parts_of(np.concatenate([labels for _, labels in blocks])), classes=classes)


class _Weighted:
    """The blocks of counts as TF-IDF; each loop reads them from the disk."""

    def __init__(self, folder: Path, weighting: TermWeighting) -> None:
        self.folder, self.weighting = folder, weighting

    def __iter__(self) -> Iterator[tuple[sparse.csr_array, np.ndarray]]:
        """Yield weighted counts and labels of each block."""
        for X, y in counted(self.folder):
            yield self.weighting.transform(X), y


def linear_svm(folder: Path) -> None:
    """Fit support vector machines by blocks; the document frequencies of TF-IDF are those of the first block."""
    weighting = TermWeighting().fit(next(counted(folder))[0])
    model = LinearSVM(**MACHINES).fit_blocks(_Weighted(folder, weighting), classes_of(folder))
    sys.stdout.write(f"gap {model.gap_:.3f} after {model.n_iter_} sweeps\n")
    _kept(folder, "linear_svm", weighting, model)


def labelled(name: str, *files: str) -> Callable[[Path], None]:
    """Return a stage that labels files by the command ``textmix predict`` with a model."""

    def predict(folder: Path) -> None:
        """Label the files."""
        for file in files:
            answers = folder / f"{name}_{file}"
            asked = [str(folder / f"models/{name}"), str(folder / file), "--column", "text", "--output", str(answers)]
            _textmix("predict", *asked)

    return predict


def _textmix(*arguments: str) -> None:
    """Run the command ``textmix`` in this process, as ``python -m textmix`` does.

    Raises
    ------
    RuntimeError : it ended with an error.
    """
    before, sys.argv = sys.argv, ["textmix", *arguments]
    try:
        runpy.run_module("textmix", run_name="__main__")
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"textmix {' '.join(arguments)} ended with {ended.code}") from ended
    finally:
        sys.argv = before


def answers_of(folder: Path, name: str, file: str) -> list[str]:
    """Return the labels that `labelled` wrote; several labels are joined as in the names of classes."""
    key = "labels" if name == "pmm1" else "label"
    return [row[key] for row in io.read_csv(folder / f"{name}_{file}")]
