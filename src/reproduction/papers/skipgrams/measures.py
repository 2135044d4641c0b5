"""Measures of Li et al. 2016: numbers of skip-grams, examples of the paper, and accuracy along regularisation paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, only
from reproduction.papers.skipgrams.feature_sets import TrainTest, column_ranges, corpus_kinds, first_split
from textmix.core.progress import progress
from textmix.data.corpus import Ragged
from textmix.models.linear.margin_problem import MarginProblem, MarginSolution
from textmix.models.linear.nested import n_columns
from textmix.models.linear.path import cross_validate, penalty_grid, regularisation_path
from textmix.models.linear.subspace import Subspace
from textmix.text.skipgrams import position_patterns
from textmix.text.treebank import lemmas, treebank_words


def skipgram_counts(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the skip-grams for every pair of maximum n and maximum slop.

    ``n3_s1`` is the number of skip-grams of at most 3 words and a slop of at most 1.  ``most_dropped`` is one less than
    the minimum training document frequency of the features.

    Data: skip-grams.
    Settings: ``kinds``, pairs of n and slop.
    """
    source = only(sources)
    kinds = corpus_kinds(source.corpus)
    values: dict[str, float] = {}
    for n, slop in settings["kinds"]:
        ranges = column_ranges(kinds, n, slop)
        values[f"n{n}_s{slop}"] = float(n_columns(ranges))
    train = source.first().train.X
    document_frequency = np.bincount(train.indices, minlength=train.shape[1])
    values["most_dropped"] = float(document_frequency.min()) - 1.0
    return Measure(dict(values))


def classes(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the positive and the negative reviews.

    Data: two labels, negative before positive.
    """
    negative, positive = np.bincount(only(sources).corpus.classes(), minlength=2)
    return Measure({"negative": float(negative), "positive": float(positive)})


def matching_documents(tokens: Ragged, words: Sequence[int], max_slop: int) -> np.ndarray:
    """Find the documents that contain words in order, with at most ``max_slop`` other words between them in total.

    Parameters
    ----------
    tokens : Ragged
        Word ids of the documents.
    words : sequence of int
        Word ids; -1 for out-of-vocabulary words.
    max_slop : int
        Maximum total number of words in the gaps.

    Returns
    -------
    documents : ndarray of shape (n_matching,), dtype int
        Document indices in increasing order.
    """
    values = np.asarray(tokens.values)
    ends = np.asarray(tokens.offsets[1:])
    first = np.flatnonzero(values == words[0])
    document = np.searchsorted(ends, first, side="right")
    matches = []
    for offsets in position_patterns(len(words), max_slop):
        inside = first + offsets[-1] < ends[document]
        start = first[inside]
        same = [values[start + offset] == word for offset, word in zip(offsets, words, strict=True)]
        matches.append(document[inside][np.all(same, axis=0)])
    return np.unique(np.concatenate(matches))


def examples(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the documents that match skip-grams, and the n-grams that they cover.

    Data: the stream of lemmas.
    Settings: ``phrases``, [phrase, slop] by key; the phrases are lemmatised like the reviews.
    """
    corpus = only(sources).corpus
    tokens: Any = corpus.tokens
    ids = {name: row for row, name in enumerate(corpus.feature_names or ())}
    values: dict[str, float] = {}
    for key, (phrase, slop) in settings["phrases"].items():
        words = lemmas([word.lower() for word in treebank_words(phrase)])
        word_ids = [ids.get(word, -1) for word in words]
        values[key] = float(len(matching_documents(tokens, word_ids, slop)))
    return Measure(dict(values))


@dataclass(frozen=True)
class _Path:
    """Models along a path of decreasing penalties, up to early stopping by validation accuracy.

    Attributes
    ----------
    lambdas, held_out : ndarray of shape (n_lambdas,)
        Penalties, and cross-validation accuracies.
    solutions : list of MarginSolution
        Models trained on all training documents.
    best : int
        Index of the penalty with the best cross-validation accuracy.
    """

    lambdas: np.ndarray
    held_out: np.ndarray
    solutions: list[MarginSolution]
    best: int


def _path(data: TrainTest, settings: Settings, fold: np.ndarray) -> _Path:
    """Fit the path to all training documents; select the penalty by cross-validation."""
    problem = MarginProblem.of(data.train, data.y, settings["loss"])
    ratio = settings["l1_ratio"]
    lambdas = penalty_grid(problem, ratio, settings["n_lambdas"], settings["largest"], settings["smallest"])
    space = Subspace(data.train)
    held_out = cross_validate(
        data.train,
        data.y,
        fold,
        loss=settings["loss"],
        lambdas=lambdas,
        l1_ratio=ratio,
        tol=settings["tol"],
        patience=settings["patience"],
        space=space,
    )
    n_fitted = int(np.sum(~np.isnan(held_out)))
    lambdas = lambdas[:n_fitted]
    report = progress(f"path on {data.n_features} features", n_fitted)
    solutions: list[MarginSolution] = []
    for solution in regularisation_path(problem, lambdas, ratio, settings["tol"], space):
        solutions.append(solution)
        report(len(solutions), solution.total_objective)
    return _Path(lambdas, held_out[:n_fitted], solutions, int(np.nanargmax(held_out)))


def curves(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure accuracy and number of nonzero weights along the regularisation path of a learner per feature set.

    Data: skip-grams.
    Settings: ``kinds``, pairs of maximum n and maximum slop, the largest pair last; ``folds``, number of folds, all of
    which are used for the last pair, but only the first one for all other pairs; ``loss``, ``l1_ratio``, ``n_lambdas``,
    ``largest`` and ``smallest`` of `penalty_grid`, ``tol`` and ``patience``.
    Result: the table ``path`` has one row per pair and penalty. Values for each pair: ``n5_s2``, test accuracy at the
    penalty selected by cross-validation; ``.._best``, test accuracy at the best penalty for the test documents;
    ``.._used`` and ``.._most_used``, number of nonzero weights at the selected penalty, and its maximum over the path.
    """
    split = first_split(only(sources))
    values: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    folds = generator.permutation(len(split.y)) % settings["folds"]
    first_fold = np.where(folds == 0, 0, -1)
    report = progress("feature sets", len(settings["kinds"]))
    for done, (n, slop) in enumerate(settings["kinds"], start=1):
        data = split.take(column_ranges(split.kinds, n, slop))
        is_last = done == len(settings["kinds"])
        path = _path(data, settings, folds if is_last else first_fold)
        accuracies = [data.accuracy(solution) for solution in path.solutions]
        used = [int(np.count_nonzero(solution.w)) for solution in path.solutions]
        key = f"n{n}_s{slop}"
        values[key] = accuracies[path.best]
        values[f"{key}_best"] = max(accuracies)
        values[f"{key}_used"] = float(used[path.best])
        values[f"{key}_most_used"] = float(max(used))
        rows += _path_rows((n, slop), path, accuracies, used)
        report(done, None)
    values["largest_relative_gap"] = max(float(row["gap"] / row["objective"]) for row in rows)
    return Measure(dict(values), {"path": rows})


def _path_rows(largest: tuple[int, int], path: _Path, accuracies: list[float], used: list[int]) -> list[dict[str, Any]]:
    """Return one row for each penalty of a path."""
    n, slop = largest
    rows = []
    for index, solution in enumerate(path.solutions):
        row: dict[str, Any] = {"n": n, "slop": slop}
        row["lambda"] = float(path.lambdas[index])
        row["chosen"] = int(index == path.best)
        row["features"] = used[index]
        row["held_out_accuracy"] = float(path.held_out[index])
        row["test_accuracy"] = accuracies[index]
        row["objective"] = solution.total_objective
        row["gap"] = solution.gap
        rows.append(row)
    return rows
