"""Bench: the path of own data from texts to predictions, against scikit-learn's pipeline with a search of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from reproduction.bench.roofline import Work
from reproduction.bench.timing import compare, judge
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged
from textmix.experiment.compared import run_compared
from textmix.experiment.entries import TEXT_VIEWS, compared
from textmix.experiment.methods import load_methods
from textmix.experiment.splits import Splits
from textmix.text.features import build_features

PEER = "sklearn TfidfVectorizer and LinearSVC, GridSearchCV"
#: The peer's choices: the same views, weights and costs as ours.
GRID = [
    {"tfidf__analyzer": ["word"], "tfidf__ngram_range": [(1, 1), (1, 2)], "svm__C": [0.1, 1.0, 10.0]},
    {"tfidf__analyzer": ["char"], "tfidf__ngram_range": [(1, 4)], "tfidf__min_df": [2], "svm__C": [0.1, 1.0, 10.0]},
]
#: Largest number of documents of each part.
MOST = 1500
#: Most rounds; a call before them and one that measures memory are two more.
MOST_ROUNDS = 1


def parts_of(corpus: Corpus, most: int = MOST) -> Splits:
    """Return one trial: the given split, or every fifth document for the test; evenly thinned to ``most`` documents."""
    test = corpus.split == TEST if corpus.split is not None else np.arange(corpus.n_documents) % 5 == 4
    train = corpus.split == TRAIN if corpus.split is not None else ~test
    rows = [np.flatnonzero(part) for part in (train, test)]
    thinned = [part[np.unique(np.linspace(0, len(part) - 1, min(most, len(part))).astype(int))] for part in rows]
    return Splits(*(Ragged(part, np.array([0, len(part)])) for part in thinned))


def ours(corpus: Corpus, splits: Splits, name: str = "linear_svm") -> float:
    """Return the accuracy of a method of the registry on a text corpus: count all views, search, fit and predict."""
    method = load_methods()[name]
    entry = compared(method, None, TEXT_VIEWS)
    views = [build_features(corpus, TEXT_VIEWS[view]) for view in entry["views"]]
    predictions, _ = run_compared(views, splits, method, entry, 1)
    if predictions.classes is None:
        raise ValueError(f"{name} predicts label sets; the peer predicts classes")
    return float(np.mean(predictions.classes[0] == corpus.classes()[splits.test[0]]))


def peers(corpus: Corpus, splits: Splits, grid: list[dict[str, Any]] | None = None) -> float:
    """Return the accuracy of scikit-learn's pipeline with its own search, on the same documents."""
    if corpus.text is None:
        raise ValueError("the bench of own data takes texts")
    train, test = ([corpus.text.text(row) for row in rows] for rows in (splits.train[0], splits.test[0]))
    pipeline = Pipeline([("tfidf", TfidfVectorizer(sublinear_tf=True)), ("svm", LinearSVC(random_state=0))])
    search = GridSearchCV(pipeline, grid or GRID, cv=3).fit(train, corpus.classes()[splits.train[0]])
    return float(search.score(test, corpus.classes()[splits.test[0]]))


def bench_own(corpus: Corpus, repeats: int = 1) -> list[dict[str, Any]]:
    """Time both paths; ours is to take at most 2 x the peer's processor time, and the note gives both accuracies.

    Parameters
    ----------
    corpus : texts of one class each.
    repeats : rounds; in each, both run once.  There are at most `MOST_ROUNDS`, for a round takes more than a minute.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`.
    """
    splits, accuracy = parts_of(corpus), dict[str, float]()

    def recorded(name: str, call: Callable[..., float]) -> Callable[[], None]:
        """Return a call that stores its accuracy."""

        def run() -> None:
            """Run the call and store its accuracy."""
            accuracy[name] = call(corpus, splits)

        return run

    candidates: Mapping[str, Callable[[], object]] = {"textmix": recorded("textmix", ours), PEER: recorded(PEER, peers)}
    used = np.concatenate([splits.train[0], splits.test[0]])
    read = Work(bytes=float(np.diff(corpus.text.offsets)[used].sum()))  # type: ignore[union-attr]
    timed = compare(candidates, min(repeats, MOST_ROUNDS), clock=time.process_time)
    rows = judge("own", timed, PEER, {"textmix": 2.0}, read)
    note = f"accuracy {accuracy['textmix']:.4f}, peer {accuracy[PEER]:.4f}"
    return [{**row, "note": note} for row in rows]
