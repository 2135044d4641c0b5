"""Li et al. 2016: counts of skip-grams, the slides' examples, accuracy and size along regularisation paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, MeasureData, Settings, Sources, only
from textmix.core.progress import progress
from textmix.data.corpus import Corpus, Ragged
from textmix.models.linear.margin_problem import Columns, MarginProblem, MarginSolution
from textmix.models.linear.path import cross_validate, penalty_grid, regularisation_path
from textmix.models.linear.subspace import Subspace
from textmix.text.skipgrams import position_patterns
from textmix.text.stoplists import stop_words
from textmix.text.treebank import lemmas, treebank_words

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|<br */?>\s*")


def _kinds(corpus: Corpus) -> list[tuple[int, int, int, int]]:
    """Return n, slop, first column and the column after the last of each kind of skip-gram."""
    sizes = corpus.info["features"]["skipgrams"]
    ends = np.cumsum([size for _, _, size in sizes]).tolist()
    return [(n, slop, end - size, end) for (n, slop, size), end in zip(sizes, ends, strict=True)]


def _column_ranges(corpus: Corpus, n: int, slop: int) -> list[tuple[int, int]]:
    """Return the ranges of columns (first, after last) of the skip-grams of at most n words and at most this slop."""
    return [(low, high) for own_n, own_slop, low, high in _kinds(corpus) if own_n <= n and own_slop <= slop]


def skipgram_counts(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the skip-grams of every pair of largest n and largest slop.

    ``n3_s1`` is the number of skip-grams of at most 3 words and slop at most 1.  ``most_dropped`` is one less than the
    smallest training document frequency among the features.

    Data: skip-grams.
    Settings: ``kinds``, pairs of n and slop.
    """
    source = only(sources)
    corpus = source.corpus
    values = {
        f"n{n}_s{s}": float(sum(high - low for low, high in _column_ranges(corpus, n, s))) for n, s in settings["kinds"]
    }
    train = source.first().train.X
    values["most_dropped"] = float(np.bincount(train.indices, minlength=train.shape[1]).min()) - 1.0
    return Measure(values)


def classes(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the positive and the negative reviews.

    Data: two labels, negative before positive.
    """
    negative, positive = np.bincount(only(sources).corpus.classes(), minlength=2)
    return Measure({"negative": float(negative), "positive": float(positive)})


def matching_documents(tokens: Ragged, words: Sequence[int], max_slop: int) -> np.ndarray:
    """Return the documents that hold words in order with at most ``max_slop`` other words in all gaps together:
    increasing indices, int (M,).  The word id -1 stands for a word that no document holds.
    """
    values, ends = np.asarray(tokens.values), np.asarray(tokens.offsets[1:])
    first = np.flatnonzero(values == words[0])
    document = np.searchsorted(ends, first, side="right")
    matches = []
    for offsets in position_patterns(len(words), max_slop):
        inside = first + offsets[-1] < ends[document]
        start, row = first[inside], document[inside]
        same = [values[start + offset] == word for offset, word in zip(offsets, words, strict=True)]
        matches.append(row[np.all(same, axis=0)])
    return np.unique(np.concatenate(matches))


def examples(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the documents of skip-grams and of n-grams that they match (slides "Skip-gram Examples").

    Data: the stream of lemmas.
    Settings: ``phrases``, key -> [phrase, slop]; the phrases are brought to lemmas as the reviews were.
    """
    corpus = only(sources).corpus
    ids = {name: row for row, name in enumerate(corpus.feature_names or ())}
    values = {}
    for key, (phrase, slop) in settings["phrases"].items():
        words = [ids.get(word, -1) for word in lemmas([word.lower() for word in treebank_words(phrase)])]
        values[key] = float(len(matching_documents(corpus.tokens, words, slop)))  # type: ignore[arg-type]
    return Measure(values)


@dataclass(frozen=True)
class _Halves:
    """Training and test part by columns: features (N, P), classes -1 and 1, float64 (N,)."""

    train: Columns
    y: np.ndarray
    test: Columns
    y_test: np.ndarray

    @classmethod
    def of(cls, source: MeasureData) -> _Halves:
        """Return the first split."""
        trial = source.first()
        signs = [2.0 * part.y - 1.0 for part in (trial.train, trial.test)]
        return cls(Columns.of(trial.train.X), signs[0], Columns.of(trial.test.X), signs[1])

    def take(self, blocks: list[tuple[int, int]]) -> _Halves:
        """Return both parts with the columns of some ranges alone."""
        return _Halves(self.train.take(blocks), self.y, self.test.take(blocks), self.y_test)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.train.indptr) - 1

    def accuracy(self, solution: MarginSolution) -> float:
        """Return the share of test documents that a model classifies rightly."""
        return float(np.mean((self.test.scores(solution.w) + solution.b > 0) == (self.y_test > 0)))


@dataclass(frozen=True)
class _Path:
    """Solutions along a path of R lambdas, decreasing (R,), which ends where held-out accuracy (R,) no longer
    increases; ``solutions`` are on all training documents, ``chosen`` is the index of the best held-out accuracy.
    """

    lambdas: np.ndarray
    held_out: np.ndarray
    solutions: list[MarginSolution]
    chosen: int


def _path(data: _Halves, settings: Settings, fold: np.ndarray) -> _Path:
    """Return the path on all training documents, with the lambda that is best on held-out training documents."""
    problem = MarginProblem.of(data.train, data.y, settings["loss"])
    ratio = settings["l1_ratio"]
    lambdas = penalty_grid(problem, ratio, settings["n_lambdas"], settings["largest"], settings["smallest"])
    search = {"loss": settings["loss"], "lambdas": lambdas, "l1_ratio": ratio, "patience": settings["patience"]}
    fit = {"tol": settings["tol"], "space": Subspace(data.train)}
    held_out = cross_validate(data.train, data.y, fold, **search, **fit)
    tried = int(np.sum(~np.isnan(held_out)))
    report, solutions = progress(f"path on {data.n_features} features", tried), []
    for solution in regularisation_path(problem, lambdas[:tried], ratio, **fit):
        solutions.append(solution)
        report(len(solutions), solution.total_objective)
    return _Path(lambdas[:tried], held_out[:tried], solutions, int(np.nanargmax(held_out)))


def curves(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure accuracy and features used along the path of one learner, for every pair of largest n and largest slop.

    Keys of the values, for each pair: ``n5_s2``, test accuracy at the lambda chosen on training documents; ``.._best``,
    at the best lambda for the test documents, as the authors chose it; ``.._used`` and ``.._most_used``, features with
    weight at the chosen lambda and at most.  ``share_used`` is the share of all features with weight at the chosen
    lambda of the last pair; ``all_``, ``selected_`` and ``weight_n5_s2_share`` are the shares
    of one n and slop in all features, in the features with weight, and in the sum of |weights|.

    Data: skip-grams.
    Settings: ``kinds``, pairs of largest n and largest slop, the largest pair last; ``folds``, their number: all folds
    are held out in turn for the last pair, the first fold alone for every other pair; and the settings of `_path`.
    Result: the tables ``path`` (a row for each pair and lambda) and ``shares`` (a row for each n and slop, at the
    chosen lambda of the last pair).
    """
    source = only(sources)
    whole, values, rows = _Halves.of(source), {}, []
    folds = generator.permutation(len(whole.y)) % settings["folds"]
    report = progress("curves of pairs of n and slop", len(settings["kinds"]))
    for done, (n, slop) in enumerate(settings["kinds"], start=1):
        data = whole.take(_column_ranges(source.corpus, n, slop))
        path = _path(data, settings, folds if done == len(settings["kinds"]) else np.where(folds == 0, 0, -1))
        accuracy = [data.accuracy(solution) for solution in path.solutions]
        used = [int(np.count_nonzero(solution.w)) for solution in path.solutions]
        key = f"n{n}_s{slop}"
        values[key], values[f"{key}_best"] = accuracy[path.chosen], max(accuracy)
        values[f"{key}_used"], values[f"{key}_most_used"] = float(used[path.chosen]), float(max(used))
        rows += _rows((n, slop), path, accuracy, used)
        report(done, None)
    values["share_used"] = values[f"{key}_used"] / whole.n_features
    if "n1_s0" in values:
        values["gain_n1_to_n2"] = values["n2_s0"] - values["n1_s0"]
    values["largest_relative_gap"] = max(float(row["gap"] / row["objective"]) for row in rows)
    shares = list(_shares(source.corpus, path.solutions[path.chosen].w))
    for row in shares:
        for part in ("all", "selected", "weight"):
            values[f"{part}_n{row['n']}_s{row['slop']}_share"] = row[part]
    values["weight_slop0_share"] = sum(row["weight"] for row in shares if row["slop"] == 0)
    values["weight_slop12_share"] = sum(row["weight"] for row in shares if row["slop"] > 0)
    return Measure(values, {"path": rows, "shares": shares})


def _rows(kind: tuple[int, int], path: _Path, accuracy: list[float], used: list[int]) -> list[dict[str, Any]]:
    """Return one row for each lambda of a path."""
    return [
        {
            **{"n": kind[0], "slop": kind[1], "lambda": float(path.lambdas[i]), "chosen": int(i == path.chosen)},
            **{"features": used[i], "held_out_accuracy": float(path.held_out[i]), "test_accuracy": accuracy[i]},
            **{"objective": solution.total_objective, "gap": solution.gap},
        }
        for i, solution in enumerate(path.solutions)
    ]


def _shares(corpus: Corpus, w: np.ndarray) -> Iterator[dict[str, Any]]:
    """Yield for each n and slop its share of all features, of those with weight, and of the sum of |weights|."""
    n_used, total = max(int(np.count_nonzero(w)), 1), max(float(np.abs(w).sum()), np.finfo(float).tiny)
    for n, slop, low, high in _kinds(corpus):
        part = w[low:high]
        shares = (high - low) / len(w), int(np.count_nonzero(part)) / n_used, float(np.abs(part).sum()) / total
        yield {"n": n, "slop": slop, **dict(zip(("all", "selected", "weight"), map(float, shares), strict=True))}


def speaking(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Name the skip-grams with the largest effect for each class, each with a sentence that holds it.

    The effect is |weight| times the standard deviation of the feature.  Skip-grams of stop words and punctuation marks
    alone are left out, for they are many and carry no meaning.

    Data: skip-grams, and the text.
    Settings: ``number``, how many skip-grams are named for each class; ``least_n``, the fewest words of a named
    skip-gram; ``stop_list``; ``folds``, the number of folds, which are held out in turn; and the settings of `_path`.
    Result: the table ``skipgrams``: name, weight, effect (``pull``, positive for the positive class), training
    documents, share of positive ones, and an example.
    """
    source = only(sources)
    data = _Halves.of(source)
    path = _path(data, settings, generator.permutation(len(data.y)) % settings["folds"])
    best = path.solutions[path.chosen]
    documents: np.ndarray = np.diff(data.train.indptr)
    share = documents / data.train.n_rows
    pull = best.w * np.sqrt(share * (1 - share))
    for n, _slop, low, high in _kinds(source.corpus):
        if n < settings["least_n"]:
            pull[low:high] = 0.0
    order, stops = np.argsort(pull, kind="stable"), stop_words(settings["stop_list"])
    telling = [
        (column for column in side if _has_content_word(_words_of(source.corpus.feature_names[column]), stops))  # type: ignore[index]
        for side in (order[::-1], order)
    ]
    chosen = [column for side in telling for column in islice(side, settings["number"])]
    rows = []
    for column in chosen:
        rows_of = data.train.indices[data.train.indptr[column] : data.train.indptr[column + 1]]
        positive = float(np.mean(data.y[rows_of] > 0))
        matching = rows_of[(data.y[rows_of] > 0) == (best.w[column] > 0)]
        name = source.corpus.feature_names[column]  # type: ignore[index]
        sentence = _example(source.corpus, source.splits.train[0][matching], name)
        rows.append(
            {
                **{"skipgram": name, "weight": float(best.w[column]), "pull": float(pull[column])},
                **{"documents": int(documents[column]), "positive_share": positive, "example": sentence},
            }
        )
    values = {"accuracy": data.accuracy(best), "used": float(np.count_nonzero(best.w))}
    return Measure({**values, "relative_gap": best.gap / best.total_objective}, {"skipgrams": rows})


def _words_of(name: str) -> list[str]:
    """Return the words of a skip-gram's name, "waste time ~1"."""
    return name.partition(" ~")[0].split(" ")


def _has_content_word(words: Sequence[str], stops: frozenset[str]) -> bool:
    """Return whether one of the words is neither a stop word nor a punctuation mark; 's and 't count as stop words."""
    return any(word.lower().strip("'") not in stops and any(letter.isalpha() for letter in word) for word in words)


def _example(corpus: Corpus, documents: np.ndarray, name: str, most: int = 40) -> str:
    """Return the shortest sentence of the first ``most`` documents that holds a skip-gram; "" if none does.

    A sentence in which the gaps have as many words as the slop goes before one in which they have fewer; two successive
    sentences are taken where no single one holds the skip-gram.
    """
    words, slop = _words_of(name), int(name.partition(" ~")[2] or 0)
    for n_sentences in (1, 2):
        passages: list[tuple[bool, int, str]] = []
        for row in documents[:most]:
            sentences = _SENTENCE_END.split(corpus.text.text(int(row)))  # type: ignore[union-attr]
            for start in range(len(sentences)):
                passage = " ".join(sentences[start : start + n_sentences]).strip()
                tokens = lemmas([word.lower() for word in treebank_words(passage)])
                gap = _gap_in(tokens, words, slop)
                if gap is not None and len(tokens) > 5:
                    passages.append((gap < slop, len(tokens), passage))
        if passages:
            return min(passages)[2]
    return ""


def _gap_in(tokens: Sequence[str], words: Sequence[str], slop: int) -> int | None:
    """Return the largest number of words, up to ``slop``, between words in order; None if they do not occur."""
    for offsets in reversed(position_patterns(len(words), slop)):
        for start in range(len(tokens) - offsets[-1]):
            if all(tokens[start + offset] == word for offset, word in zip(offsets, words, strict=True)):
                return offsets[-1] - len(words) + 1
    return None
