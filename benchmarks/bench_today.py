"""What a person would take today, fitted and tested on one split: time beside the share of right labels.

The passes and epochs of Vowpal Wabbit and fastText are the best of three on a random fifth of 20 Newsgroups; the other
settings are usual ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from documents import counts, split
from roofline import reading
from scipy import sparse
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import get_tags

from textmix import PMM1, EDCMClassifier, LinearSVM, MultinomialClassifier, SVMRelevance, TermWeighting
from textmix.experiment.methods import Method, load_methods

VOWPAL = {"arguments": "--loss_function logistic -b 20 -l 0.5", "passes": 5}
FASTTEXT: dict[str, Any] = {"dim": 20, "epoch": 10, "lr": 0.5, "thread": 1, "verbose": 0}
LIGHTGBM: dict[str, Any] = {"n_estimators": 30, "num_leaves": 15, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
#: Most documents of LightGBM and of LIBSVM with a Gaussian kernel, which takes time by their square.
FEW = 2000


def lines_of(X: sparse.csr_array) -> list[str]:
    """Return documents of counts as lines of invented words, each as often as it was counted."""
    words = np.array([f"w{column}" for column in range(X.shape[1])], dtype=object)
    ends = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
    return [" ".join(np.repeat(words[X.indices[a:b]], X.data[a:b].astype(int)).tolist()) for a, b in ends]


def vowpal(X: Any, y: np.ndarray, X_test: Any) -> np.ndarray:
    """Return the classes of Vowpal Wabbit."""
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
    """Return the classes of fastText; a document without known words gets none."""
    package = pytest.importorskip("fasttext")
    with TemporaryDirectory() as place:
        path = Path(place) / "train.txt"
        lines = zip(y, lines_of(X), strict=True)
        path.write_text("".join(f"__label__{label} {line}\n" for label, line in lines), encoding="utf-8")
        found, _ = package.train_supervised(str(path), **FASTTEXT).predict(lines_of(X_test))
    return np.array([int(labels[0].removeprefix("__label__")) if labels else -1 for labels in found])


def lightgbm(X: Any, y: np.ndarray, X_test: Any) -> np.ndarray:
    """Return the classes of LightGBM's trees."""
    model = pytest.importorskip("lightgbm").LGBMClassifier(**LIGHTGBM)
    train, test = (sparse.csr_matrix(part, dtype=np.float32) for part in (X[:FEW], X_test))
    return np.asarray(model.fit(train, y[:FEW]).predict(test))


def by(make: Callable[[], Any], most: int | None = None) -> Callable[[Any, np.ndarray, Any], np.ndarray]:
    """Return a function that fits an estimator to the first documents and predicts the others."""
    return lambda X, y, X_test: np.asarray(make().fit(X[:most], y[:most]).predict(X_test))


LIBLINEAR = "LIBLINEAR on TF-IDF"
ONE: dict[str, Callable[[Any, np.ndarray, Any], np.ndarray]] = {
    "textmix, naive Bayes": by(MultinomialClassifier),
    "textmix, EDCM": by(EDCMClassifier),
    "textmix, LinearSVM on TF-IDF": by(lambda: make_pipeline(TermWeighting(), LinearSVM(tolerance=0.01))),
    "scikit-learn, ComplementNB": by(ComplementNB),
    "Vowpal Wabbit": vowpal,
    "fastText": fasttext,
    f"LightGBM, {FEW} documents": lightgbm,
    f"LIBSVM, Gaussian kernel, {FEW} documents": by(lambda: make_pipeline(TermWeighting(), SVC(C=10.0)), FEW),
    LIBLINEAR: by(lambda: make_pipeline(TermWeighting(), LinearSVC(random_state=0))),
}


@pytest.mark.benchmark(group="one label a document")
@pytest.mark.parametrize("name", ONE)
def bench_one_label(name: str, share: float, timed: Any) -> None:
    X, y, X_test, y_test = split(*counts("newsgroups", share))
    score = lambda found: ("accuracy", float((found == y_test).mean()))
    facts = {"target": 1.0} if "LinearSVM" in name else {}
    timed(lambda: ONE[name](X, y, X_test), size=len(y), peer=LIBLINEAR, work=reading(X, X_test), score=score, **facts)


def napkin(X: Any, Y: np.ndarray, X_test: Any) -> np.ndarray:
    """Return the label indicators of napkinXC's binary relevance."""
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
    """Return label indicators by LIBLINEAR, a machine a label."""
    weighting = TermWeighting().fit(X)
    train, test = weighting.transform(X), weighting.transform(X_test)
    return np.column_stack([LinearSVC(random_state=0).fit(train, y).predict(test) for y in Y.T])


def by_lightgbm(X: Any, Y: np.ndarray, X_test: Any) -> np.ndarray:
    """Return label indicators by LightGBM, ten rounds a label."""
    return np.column_stack([lightgbm(X, y, X_test) for y in Y.T])


LABELS = "LIBLINEAR a label, TF-IDF"
SETS: dict[str, Callable[[Any, np.ndarray, Any], np.ndarray]] = {
    "textmix, PMM1": by(PMM1),
    "textmix, SVMRelevance on TF-IDF": by(lambda: make_pipeline(TermWeighting(), SVMRelevance())),
    "napkinXC": napkin,
    f"LightGBM a label, {FEW} documents": by_lightgbm,
    LABELS: one_by_one,
}


def micro_f(true: np.ndarray) -> Callable[[Any], tuple[str, float]]:
    """Return a score: the micro-averaged F of label indicators (N, L)."""
    return lambda found: ("micro F", 2.0 * float((found & true).sum()) / max(1, int(found.sum() + true.sum())))


@pytest.mark.benchmark(group="label sets")
@pytest.mark.parametrize("name", SETS)
def bench_sets(name: str, share: float, timed: Any) -> None:
    X, Y, X_test, Y_test = set_parts("reuters", share)
    facts = {"target": 1.0} if "SVMRelevance" in name else {}
    call = lambda: SETS[name](X, Y, X_test).astype(np.int8)
    timed(call, size=len(Y), peer=LABELS, work=reading(X, X_test), score=micro_f(Y_test), **facts)


def set_parts(name: str, share: float) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Return the parts of counts and label indicators: training documents with a label, labels that some lack."""
    X, target = counts(name, share)
    Y = np.eye(target.max() + 1, dtype=np.int8)[target] if target.ndim == 1 else np.asarray(target, dtype=np.int8)
    X, Y, X_test, Y_test = split(X, Y)
    rows = np.flatnonzero(Y.any(axis=1))
    mixed = Y[rows].any(axis=0) & ~Y[rows].all(axis=0)
    return X[rows], np.ascontiguousarray(Y[rows][:, mixed]), X_test, Y_test[:, mixed]


def registered(task: str) -> list[str]:
    """Return the methods of the registry of a task that take counts or numbers, and more classes than two."""
    taken = {name: one for name, one in load_methods().items() if one.task == task and one.takes != "sequences"}
    tags = {name: get_tags(one.make(one.params)).classifier_tags for name, one in taken.items()}
    return [name for name in taken if task == "multi" or tags[name].multi_class]


def fitted(method: Method, X: Any) -> tuple[Any, Any]:
    """Return the estimator of a method as the registry has it, and the documents in the form that it takes."""
    weighed = TermWeighting().fit_transform(X) if method.takes == "reals" else X
    return method.make(method.params), weighed


@pytest.mark.benchmark(group="methods of one label")
@pytest.mark.parametrize("name", registered("single"))
def bench_method(name: str, share: float, timed: Any) -> None:
    """Every method of the registry as it stands there, untuned, on a tenth of 20 Newsgroups."""
    X, y = counts("newsgroups", share / 10)
    estimator, documents = fitted(load_methods()[name], X)
    documents, y, new, y_new = split(documents, y)
    score = lambda found: ("accuracy", float((found == y_new).mean()))
    work = reading(documents, new)
    timed(lambda: estimator.fit(documents, y).predict(new), size=len(y), peer="complement", work=work, score=score)


@pytest.mark.benchmark(group="methods of label sets")
@pytest.mark.parametrize("name", registered("multi"))
def bench_set_method(name: str, share: float, timed: Any) -> None:
    """Every method of the registry as it stands there, untuned, on a tenth of the parts of the newsgroups' names."""
    X, Y, X_test, Y_test = set_parts("parts", share / 10)
    estimator, documents = fitted(load_methods()[name], sparse.vstack([X, X_test], format="csr"))
    documents, new = documents[: len(Y)], documents[len(Y) :]
    call = lambda: np.asarray(estimator.fit(documents, Y).predict(new)).astype(np.int8)
    timed(call, size=len(Y), peer="binary_relevance", work=reading(documents, new), score=micro_f(Y_test))
