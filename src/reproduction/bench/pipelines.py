"""Bench: from texts to predicted classes, by our pipelines and by those that people would pick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from reproduction.bench.roofline import Work
from reproduction.bench.timing import compare, judge
from textmix.data.corpus import Corpus
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.text.word_vectorizer import WordVectorizer

PEER = "CountVectorizer and MultinomialNB"


def pipelines() -> dict[str, Any]:
    """Return the pipelines by name, not fitted, the peer last."""
    return {
        "textmix, naive Bayes": make_pipeline(WordVectorizer(), MultinomialClassifier()),
        "textmix, EDCM": make_pipeline(WordVectorizer(), EDCMClassifier()),
        "TfidfVectorizer and LogisticRegression": make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=200)),
        "HashingVectorizer and MultinomialNB": make_pipeline(
            HashingVectorizer(alternate_sign=False, norm=None), MultinomialNB()
        ),
        PEER: make_pipeline(CountVectorizer(), MultinomialNB()),
    }


def bench_pipelines(corpus: Corpus, repeats: int = 3) -> list[dict[str, Any]]:
    """Time fit and predict from texts; ours are to take at most half the time of scikit-learn's naive Bayes.

    Parameters
    ----------
    corpus : texts of one class each.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`; the note of each is its share of right predictions.
    """
    if corpus.text is None:
        raise ValueError("the bench of pipelines takes texts")
    texts, y = np.array([corpus.text.text(row) for row in range(len(corpus.text))], dtype=object), corpus.classes()
    # Pairs of neighbours in turns, so that each half has all classes, whether texts are sorted by class or alternate.
    second = np.arange(len(y)) // 2 % 2 == 1
    halves = [(texts[part], y[part]) for part in (~second, second)]
    right: dict[str, float] = {}

    def candidate(name: str, pipeline: Any) -> Callable[[], object]:
        """Return a call that fits a pipeline to one half and predicts the other one."""

        def run() -> object:
            """Fit and predict; keep the accuracy."""
            right[name] = float((pipeline.fit(*halves[0]).predict(halves[1][0]) == halves[1][1]).mean())
            return right[name]

        return run

    rows = compare({name: candidate(name, pipeline) for name, pipeline in pipelines().items()}, repeats)
    targets, read = dict.fromkeys(("textmix, naive Bayes", "textmix, EDCM"), 0.5), float(corpus.text.values.nbytes)
    judged = judge("pipelines", rows, PEER, targets, Work(bytes=read))
    return [{**row, "note": f"{right[row['candidate']]:.1%} right"} for row in judged]
