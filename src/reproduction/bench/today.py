"""Bench: what a person would take today, fitted and tested on one split: time beside the share of right labels.

The share of right labels stands beside the time, so that what is faster and worse does not count as faster.  The
passes and epochs of Vowpal Wabbit and fastText are the best of three on a random fifth of 20 Newsgroups; the other
settings are usual ones.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from reproduction.bench.roofline import Work, reading
from reproduction.bench.timing import compare, judge
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.label_sets.margins import SVMRelevance
from textmix.models.linear.machines import LinearSVM
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.text.term_weighting import TermWeighting

SVM, MACHINES = "textmix, LinearSVM on TF-IDF", "textmix, SVMRelevance on TF-IDF"
LIBLINEAR, LABELS = "LIBLINEAR on TF-IDF", "LIBLINEAR a label, TF-IDF"
VOWPAL = {"arguments": "--loss_function logistic -b 20 -l 0.5", "passes": 5}
FASTTEXT: dict[str, Any] = {"dim": 20, "epoch": 10, "lr": 0.5, "thread": 1, "verbose": 0}
LIGHTGBM: dict[str, Any] = {"n_estimators": 30, "num_leaves": 15, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
NAPKIN: dict[str, Any] = {"threads": 1, "verbose": 0}
#: Documents to which LIBSVM with a Gaussian kernel and LightGBM are fitted: the first takes time by their square.
MOST = 2000

Split = tuple[sparse.csr_array, Any, sparse.csr_array, Any]
#: Name of a bench -> the meaning of the note of a row.
SCORES = {"one label": "accuracy", "label sets": "micro F"}


def bench_today(X: Any, Y: Any, X_test: Any, Y_test: Any, repeats: int = 3) -> list[dict[str, Any]]:
    """Time fit and prediction of one label a document, beside LIBLINEAR.

    Parameters
    ----------
    X, Y, X_test, Y_test : counts and label indicators, CSR, of training and of test documents; one label each.
    repeats : rounds, at most 2; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`; the note of each is its share of right labels.
    """
    split = X, Y.toarray().argmax(axis=1), X_test, Y_test.toarray().argmax(axis=1)
    every = np.unique(np.linspace(0, X.shape[0] - 1, min(MOST, X.shape[0])).astype(int))
    small = X[every], split[1][every], X_test, split[3]
    part = f", {len(every)} documents"
    ours = {
        "textmix, naive Bayes": MultinomialClassifier(),
        "textmix, EDCM": EDCMClassifier(),
        SVM: make_pipeline(TermWeighting(), LinearSVM(tolerance=0.01)),
    }
    calls: dict[str, Callable[[], np.ndarray]] = {name: _fitted(model, split) for name, model in ours.items()}
    calls |= {
        "Vowpal Wabbit": lambda: vowpal(*split),
        "fastText": lambda: fasttext(*split),
        f"LightGBM{part}": lambda: lightgbm(*small),
        f"LIBSVM, Gaussian kernel{part}": _fitted(make_pipeline(TermWeighting(), SVC(C=10.0)), small),
        LIBLINEAR: _fitted(make_pipeline(TermWeighting(), LinearSVC(random_state=0)), split),
    }
    C, words = Y.shape[1], float(X.sum())
    work = dict.fromkeys(calls, _least(X, X_test, 0.0, 2.0 * C)) | {
        f"LightGBM{part}": _least(small[0], X_test, 0.0, 0.0),
        f"LIBSVM, Gaussian kernel{part}": _least(small[0], X_test, 0.0, 0.0),
        # Single precision counts half; a step scores and moves each class, and fastText a row for each word.
        "Vowpal Wabbit": _least(X, X_test, 2.0 * C * VOWPAL["passes"], C),
        "fastText": reading(X, X_test, operations=FASTTEXT["epoch"] * FASTTEXT["dim"] * words),
    }
    work |= dict.fromkeys((SVM, LIBLINEAR), _least(X, X_test, 2.0 * C, 2.0 * C))
    right = partial(_share_right, split[3])
    return _judged("one label", calls, work, right, (SVM, LIBLINEAR), repeats=repeats)


def _share_right(true: np.ndarray, found: np.ndarray) -> float:
    """Return the share of right classes."""
    return float((found == true).mean())


def _least(X: sparse.csr_array, X_test: sparse.csr_array, training: float, labelling: float) -> Work:
    """Return the work of reading all documents once, with some operations a stored cell of each part."""
    return reading(X, X_test, operations=training * X.nnz + labelling * X_test.nnz)


def bench_sets_today(X: Any, Y: Any, X_test: Any, Y_test: Any, repeats: int = 3) -> list[dict[str, Any]]:
    """Time fit and prediction of label sets, beside LIBLINEAR a label; parameters as for `bench_today`.

    The note of each is the micro-averaged F of its labels.
    """
    train, test = Y.toarray().astype(np.int8), Y_test.toarray().astype(bool)
    kept = np.flatnonzero(train.any(axis=1))
    split = X[kept], train[kept], X_test, test
    calls: dict[str, Callable[[], np.ndarray]] = {
        "textmix, PMM1": _fitted(PMM1(), split),
        MACHINES: _fitted(make_pipeline(TermWeighting(), SVMRelevance()), split),
        "napkinXC": lambda: napkin(*split),
        LABELS: lambda: one_by_one(*split),
    }

    def micro_f(found: np.ndarray) -> float:
        """Return the micro-averaged F of label indicators (N, L)."""
        return float(2 * (found.astype(bool) & test).sum() / max(1, found.astype(bool).sum() + test.sum()))

    linear = _least(split[0], X_test, 2.0 * train.shape[1], 2.0 * train.shape[1])
    work = dict.fromkeys((MACHINES, LABELS), linear) | {
        "textmix, PMM1": _least(split[0], X_test, 0.0, 2.0 * train.shape[1]),
        "napkinXC": _least(split[0], X_test, 2.0 * train.shape[1], train.shape[1]),  # single precision
    }
    return _judged("label sets", calls, work, micro_f, (MACHINES, LABELS), repeats=repeats)


def _judged(
    bench: str,
    calls: Mapping[str, Callable[[], np.ndarray]],
    work: Mapping[str, Work],
    score: Callable[[np.ndarray], float],
    judged: tuple[str, str],
    *,
    repeats: int,
) -> list[dict[str, Any]]:
    """Return the rows of candidates that return predictions, beside the second of ``judged``; the notes are scores."""
    found: dict[str, float] = {}

    def candidate(name: str) -> Callable[[], None]:
        """Return a call that keeps the score."""

        def run() -> None:
            """Fit, predict and keep the score."""
            found[name] = score(calls[name]())

        return run

    timed = compare({name: candidate(name) for name in calls}, min(repeats, 2))
    rows = judge(bench, timed, judged[1], {judged[0]: 1.0}, work)
    return [
        {**row, "note": f"{SCORES[bench]} {found[row['candidate']]:.1%}" if row["candidate"] in found else row["note"]}
        for row in rows
    ]


def _fitted(model: Any, split: Split) -> Callable[[], np.ndarray]:
    """Return a call that fits a model and predicts the test documents."""
    X, y, X_test, _ = split
    return lambda: np.asarray(model.fit(X, y).predict(X_test))


def lines_of(X: sparse.csr_array) -> list[str]:
    """Return the documents of counts (N, V) as lines of invented words, each as often as it was counted."""
    words = np.array([f"w{column}" for column in range(X.shape[1])], dtype=object)
    parts = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
    return [" ".join(np.repeat(words[X.indices[a:b]], X.data[a:b].astype(int)).tolist()) for a, b in parts]


def vowpal(X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> np.ndarray:
    """Return the classes that Vowpal Wabbit gives to the test documents, int (N,)."""
    workspace = importlib.import_module("vowpalwabbit").Workspace
    with TemporaryDirectory() as place:
        folder = Path(place)
        train = (f"{label + 1} | {line}\n" for label, line in zip(y, lines_of(X), strict=True))
        (folder / "train").write_text("".join(train), encoding="utf-8")
        (folder / "test").write_text("".join(f"| {line}\n" for line in lines_of(X_test)), encoding="utf-8")
        order = f"--passes {VOWPAL['passes']} -k --cache_file {folder / 'cache'} --holdout_off"
        fit = f"--oaa {int(y.max()) + 1} {VOWPAL['arguments']} {order} -d {folder / 'train'} -f {folder / 'model'}"
        workspace(f"{fit} --quiet").finish()
        workspace(f"-t -i {folder / 'model'} -d {folder / 'test'} -p {folder / 'answers'} --quiet").finish()
        return np.array([int(float(answer)) - 1 for answer in (folder / "answers").read_text("utf-8").split()])


def fasttext(X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> np.ndarray:
    """Return the classes that fastText gives to the test documents, int (N,)."""
    package = importlib.import_module("fasttext")
    with TemporaryDirectory() as place:
        path = Path(place) / "train.txt"
        lines = zip(y, lines_of(X), strict=True)
        path.write_text("".join(f"__label__{label} {line}\n" for label, line in lines), encoding="utf-8")
        model = package.train_supervised(str(path), **FASTTEXT)
    # A document without known words gets no label.
    found, _ = model.predict(lines_of(X_test))
    return np.array([int(labels[0].removeprefix("__label__")) if labels else -1 for labels in found])


def lightgbm(X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> np.ndarray:
    """Return the classes that LightGBM's trees give to the test documents, int (N,)."""
    model = importlib.import_module("lightgbm").LGBMClassifier(**LIGHTGBM)
    train, test = (sparse.csr_matrix(part, dtype=np.float32) for part in (X, X_test))
    return np.asarray(model.fit(train, y).predict(test))


def napkin(X: Any, Y: np.ndarray, X_test: Any, Y_test: np.ndarray) -> np.ndarray:
    """Return the label indicators (N, L) that napkinXC's binary relevance gives to the test documents."""
    models = importlib.import_module("napkinxc.models")
    weighting = TermWeighting().fit(X)
    train, test = (sparse.csr_matrix(weighting.transform(part), dtype=np.float32) for part in (X, X_test))
    with TemporaryDirectory() as place:
        model = models.BR(place, **NAPKIN)
        model.fit(train, [np.flatnonzero(row).tolist() for row in Y])
        sets = model.predict(test, top_k=0, threshold=0.5)
    found = np.zeros((X_test.shape[0], Y.shape[1]), dtype=np.int8)
    for row, labels in enumerate(sets):
        found[row, list(labels)] = 1
    return found


def one_by_one(X: Any, Y: np.ndarray, X_test: Any, Y_test: np.ndarray) -> np.ndarray:
    """Return label indicators (N, L) by LIBLINEAR, a machine for each label that some documents have and some lack."""
    weighting = TermWeighting().fit(X)
    train, test = weighting.transform(X), weighting.transform(X_test)
    found = np.tile(Y.all(axis=0).astype(np.int8), (X_test.shape[0], 1))
    for label in np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0)):
        found[:, label] = LinearSVC(random_state=0).fit(train, Y[:, label]).predict(test)
    return found
