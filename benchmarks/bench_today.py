"""Comparison with popular libraries, fitted and tested on one split: time and accuracy.

The passes and epochs of Vowpal Wabbit and fastText are the best of three on a random fifth of 20 Newsgroups; other
settings are common choices.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from documents import accuracy, counts, indicators, line, micro_f, split
from roofline import reading
from scipy import sparse
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import get_tags

from textmix import PMM1, EDCMClassifier, LinearSVM, MultinomialClassifier, SVMRelevance, TermWeighting
from textmix.experiment.methods import load_methods

VOWPAL = {"arguments": "--loss_function logistic -b 20 -l 0.5", "passes": 5}
FASTTEXT: dict[str, Any] = {"dim": 20, "epoch": 10, "lr": 0.5, "thread": 1, "verbose": 0}
LIGHTGBM: dict[str, Any] = {"n_estimators": 30, "num_leaves": 15, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
#: Maximum number of documents for LightGBM and for LIBSVM with an RBF kernel, which has quadratic complexity.
FEW = 2000


def lines_of(X: sparse.csr_array) -> list[str]:
    """Convert counts to lines of made-up words, each repeated according to its count."""
    words = np.array([f"w{column}" for column in range(X.shape[1])], dtype=object)
    ends = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
    return [" ".join(np.repeat(words[X.indices[a:b]], X.data[a:b].astype(int)).tolist()) for a, b in ends]


def vowpal(X: Any, y: np.ndarray, X_test: Any) -> np.ndarray:
    """Predict classes with Vowpal Wabbit."""
    workspace = pytest.importorskip("vowpalwabbit").Workspace
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


def fasttext(X: Any, y: np.ndarray, X_test: Any) -> np.ndarray:
    """Predict classes with fastText; a document without words in the vocabulary is unlabelled."""
    package = pytest.importorskip("fasttext")
    with TemporaryDirectory() as place:
        path = Path(place) / "train.txt"
        lines = zip(y, lines_of(X), strict=True)
        path.write_text("".join(f"__label__{label} {line}\n" for label, line in lines), encoding="utf-8")
        found, _ = package.train_supervised(str(path), **FASTTEXT).predict(lines_of(X_test))
    return np.array([int(labels[0].removeprefix("__label__")) if labels else -1 for labels in found])


def lightgbm(X: Any, y: np.ndarray, X_test: Any) -> np.ndarray:
    """Predict classes with LightGBM."""
    model = pytest.importorskip("lightgbm").LGBMClassifier(**LIGHTGBM)
    train, test = (sparse.csr_matrix(part, dtype=np.float32) for part in (X[:FEW], X_test))
    return np.asarray(model.fit(train, y[:FEW]).predict(test))


def by(make: Callable[[], Any], most: int | None = None) -> Callable[[Any, np.ndarray, Any], np.ndarray]:
    """Return a function that fits an estimator to the first documents and predicts the test documents."""
    return lambda X, y, X_test: np.asarray(make().fit(X[:most], y[:most]).predict(X_test))


ONE: dict[str, Callable[[Any, np.ndarray, Any], np.ndarray]] = {
    "textmix, naive Bayes": by(MultinomialClassifier),
    "textmix, EDCM": by(EDCMClassifier),
    "textmix, LinearSVM on TF-IDF": by(lambda: make_pipeline(TermWeighting(), LinearSVM(tol=0.01))),
    "scikit-learn, ComplementNB": by(ComplementNB),
    "Vowpal Wabbit": vowpal,
    "fastText": fasttext,
    f"LightGBM, {FEW} documents": lightgbm,
    f"LIBSVM, Gaussian kernel, {FEW} documents": by(lambda: make_pipeline(TermWeighting(), SVC(C=10.0)), FEW),
    "LIBLINEAR on TF-IDF": by(lambda: make_pipeline(TermWeighting(), LinearSVC(random_state=0))),
}


@line("one label a document", *ONE)
def bench_one_label(name: str, share: float, timed: Any) -> None:
    X, y, X_test, y_test = split(*counts("newsgroups", share))
    most = {"target": 1.0} if "LinearSVM" in name else {}
    call, score = lambda: ONE[name](X, y, X_test), accuracy(y_test)
    timed(call, size=len(y), work=reading(X, X_test), score=score, **most)


def napkin(X: Any, Y: np.ndarray, X_test: Any) -> np.ndarray:
    """Predict label indicators with napkinXC's binary relevance."""
    models, weighting = pytest.importorskip("napkinxc.models"), TermWeighting().fit(X)
    train, test = (sparse.csr_matrix(weighting.transform(part), dtype=np.float32) for part in (X, X_test))
    found = np.zeros((X_test.shape[0], Y.shape[1]), dtype=np.int8)
    with TemporaryDirectory() as place:
        model = models.BR(place, threads=1, verbose=0)
        model.fit(train, [np.flatnonzero(row).tolist() for row in Y])
        for row, labels in enumerate(model.predict(test, top_k=0, threshold=0.5)):
            found[row, list(labels)] = 1
    return found


def one_by_one(X: Any, Y: np.ndarray, X_test: Any) -> np.ndarray:
    """Predict label indicators with LIBLINEAR, one SVM per label."""
    weighting = TermWeighting().fit(X)
    train, test = weighting.transform(X), weighting.transform(X_test)
    return np.column_stack([LinearSVC(random_state=0).fit(train, y).predict(test) for y in Y.T])


def by_lightgbm(X: Any, Y: np.ndarray, X_test: Any) -> np.ndarray:
    """Predict label indicators with LightGBM, ten boosting rounds per label."""
    return np.column_stack([lightgbm(X, y, X_test) for y in Y.T])


SETS: dict[str, Callable[[Any, np.ndarray, Any], np.ndarray]] = {
    "textmix, PMM1": by(PMM1),
    "textmix, SVMRelevance on TF-IDF": by(lambda: make_pipeline(TermWeighting(), SVMRelevance())),
    "napkinXC": napkin,
    f"LightGBM a label, {FEW} documents": by_lightgbm,
    "LIBLINEAR a label, TF-IDF": one_by_one,
}


@line("label sets", *SETS)
def bench_sets(name: str, share: float, timed: Any) -> None:
    X, Y, X_test, Y_test = set_parts("reuters", share)
    most = {"target": 1.0} if "SVMRelevance" in name else {}
    call = lambda: SETS[name](X, Y, X_test).astype(np.int8)
    timed(call, size=len(Y), work=reading(X, X_test), score=micro_f(Y_test), **most)


def set_parts(name: str, share: float) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Return training and test parts of counts and label indicators, for labelled documents and non-constant labels."""
    X, Y, X_test, Y_test = split(*indicators(name, share))
    rows = np.flatnonzero(Y.any(axis=1))
    mixed = Y[rows].any(axis=0) & ~Y[rows].all(axis=0)
    return X[rows], np.ascontiguousarray(Y[rows][:, mixed]), X_test, Y_test[:, mixed]


def registered(task: str) -> list[str]:
    """Return the registered methods of a task that accept counts or numbers, and more than two classes."""
    taken = {name: one for name, one in load_methods().items() if one.task == task and one.input != "sequences"}
    tags = {name: get_tags(one.make(one.params)).classifier_tags for name, one in taken.items()}
    return [name for name in taken if task == "multi" or tags[name].multi_class]


def run_method(name: str, parts: tuple[Any, np.ndarray, Any, np.ndarray], score: Any, timed: Any) -> None:
    """Time a registered method with its default parameters, without tuning."""
    method, (X, y, X_test, y_test) = load_methods()[name], parts
    if method.input == "reals":
        weighting = TermWeighting().fit(X)
        X, X_test = weighting.transform(X), weighting.transform(X_test)
    estimator = method.make(method.params)
    call = lambda: np.asarray(estimator.fit(X, y).predict(X_test))
    timed(call, size=len(y), work=reading(X, X_test), score=lambda found: score(y_test)(found.astype(y.dtype)))


@line("methods of one label", *registered("single"), peer="complement")
def bench_method(name: str, share: float, timed: Any) -> None:
    """Use a tenth of 20 Newsgroups."""
    run_method(name, split(*counts("newsgroups", share / 10)), accuracy, timed)


@line("methods of label sets", *registered("multi"), peer="binary_relevance")
def bench_set_method(name: str, share: float, timed: Any) -> None:
    """Use a tenth of 20 Newsgroups, with the parts of the group names as labels."""
    run_method(name, set_parts("parts", share / 10), micro_f, timed)
