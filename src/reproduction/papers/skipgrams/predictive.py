"""Most predictive skip-grams of a model, with example sentences from the training reviews."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from reproduction.flow.measures import MeasureData, Settings
from reproduction.papers.skipgrams.feature_sets import TrainTest
from textmix.data.corpus import Corpus
from textmix.models.linear.margin_problem import Columns, MarginSolution
from textmix.text.skipgrams import position_patterns
from textmix.text.stoplists import stop_words
from textmix.text.treebank import lemmas, treebank_words

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|<br */?>\s*")
#: Maximum number of reviews that are searched for an example sentence.
MAX_EXAMPLE_REVIEWS = 40
#: Example sentences have more words than this.
MIN_EXAMPLE_WORDS = 5


def predictive_skipgrams(
    source: MeasureData, data: TrainTest, solution: MarginSolution, settings: Settings
) -> list[dict[str, Any]]:
    """Find the skip-grams with the largest effect on the scores, positive ones first.

    The effect is the weight times the standard deviation of the feature.  Skip-grams that consist only of stop words
    and punctuation marks are skipped, because they are frequent but not informative.

    Parameters
    ----------
    source : MeasureData
        Skip-gram features with the text.
    data : TrainTest
        Documents of the source, with all columns.
    solution : MarginSolution
        Model.
    settings : mapping
        ``number`` of skip-grams per class, ``least_n``, their minimum number of words, and ``stop_list``.

    Returns
    -------
    rows : list of dict
        ``skipgram``, ``weight``, ``effect``, training ``documents``, ``positive_proportion`` and ``example``.
    """
    names: Sequence[str] = source.corpus.feature_names or ()
    effect = solution.w * standard_deviations(data.train)
    for block in data.kinds:
        if block.n < settings["least_n"]:
            effect[block.low : block.high] = 0.0
    order = np.argsort(effect, kind="stable")
    stops = stop_words(settings["stop_list"])
    columns: list[int] = []
    for ranking in (order[::-1], order):
        with_content = (column for column in ranking if _has_content_word(_words_of(names[column]), stops))
        columns += islice(with_content, settings["number"])
    return [_row(source, data, solution, int(column), effect) for column in columns]


def standard_deviations(X: Columns) -> np.ndarray:
    """Compute the standard deviation of every column, float64 (P,)."""
    moments = np.zeros((2, len(X.indptr) - 1))
    documents: np.ndarray = np.diff(X.indptr)
    if len(X.data) == 0:
        moments[:] = documents / X.n_rows
    else:
        used = np.flatnonzero(documents)
        for power, moment in enumerate(moments, start=1):
            sums = np.add.reduceat(X.data**power, X.indptr[used], dtype=np.float64)
            moment[used] = sums / X.n_rows
    mean, mean_square = moments
    return np.sqrt(np.maximum(mean_square - mean**2, 0.0))


def _row(
    source: MeasureData, data: TrainTest, solution: MarginSolution, column: int, effect: np.ndarray
) -> dict[str, Any]:
    start, end = data.train.indptr[column : column + 2]
    rows = data.train.indices[start:end]
    is_positive = data.y[rows] > 0
    weight = float(solution.w[column])
    matching = source.splits.train[0][rows[is_positive == (weight > 0)]]
    name = source.corpus.feature_names[column]  # type: ignore[index]
    row: dict[str, Any] = {"skipgram": name, "weight": weight}
    row["effect"] = float(effect[column])
    row["documents"] = len(rows)
    row["positive_proportion"] = float(np.mean(is_positive))
    row["example"] = _example(source.corpus, matching, name)
    return row


def _words_of(name: str) -> list[str]:
    """Return the words of a skip-gram in text format, such as "waste time ~1"."""
    return name.partition(" ~")[0].split(" ")


def _has_content_word(words: Sequence[str], stops: frozenset[str]) -> bool:
    """Check whether any word is neither a stop word nor punctuation; 's and 't count as stop words."""
    return any(word.lower().strip("'") not in stops and any(letter.isalpha() for letter in word) for word in words)


def _example(corpus: Corpus, documents: np.ndarray, name: str) -> str:
    """Find the shortest sentence in the first documents that contains a skip-gram; return "" if none is found.

    Sentences with gaps of exactly ``slop`` words are preferred to smaller gaps.  Pairs of successive sentences are
    considered only if no single sentence contains the skip-gram.
    """
    words = _words_of(name)
    slop = int(name.partition(" ~")[2] or 0)
    for n_sentences in (1, 2):
        passages: list[tuple[bool, int, str]] = []
        for row in documents[:MAX_EXAMPLE_REVIEWS]:
            sentences = _SENTENCE_END.split(corpus.text.text(int(row)))  # type: ignore[union-attr]
            for start in range(len(sentences)):
                passage = " ".join(sentences[start : start + n_sentences]).strip()
                tokens = lemmas([word.lower() for word in treebank_words(passage)])
                gap = _largest_gap(tokens, words, slop)
                if gap is not None and len(tokens) > MIN_EXAMPLE_WORDS:
                    passages.append((gap < slop, len(tokens), passage))
        if passages:
            return min(passages)[2]
    return ""


def _largest_gap(tokens: Sequence[str], words: Sequence[str], slop: int) -> int | None:
    """Find the largest gap, at most ``slop`` words, with which ``words`` occur in order; None if they do not occur."""
    for offsets in reversed(position_patterns(len(words), slop)):
        for start in range(len(tokens) - offsets[-1]):
            if all(tokens[start + offset] == word for offset, word in zip(offsets, words, strict=True)):
                return offsets[-1] - len(words) + 1
    return None
