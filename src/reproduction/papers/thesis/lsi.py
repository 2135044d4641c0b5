"""Latent semantic indexing: grid search, vocabulary pruning by sensitivity, and fusion of words with tags.

For the fusion (claim T2) the features of a document are concatenated before the decomposition, [x ; b t], with
L2-normalised weighted words x, L2-normalised weighted tags and pairs of tags t, and the binding coefficient b. The
coefficient (except for words alone), the number of components and the width of the probabilistic neural network are
tuned by cross-validation on the training documents.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import sparse
from sklearn import preprocessing

from reproduction.flow.measures import Measure, MeasureData, Settings, Sources, interval
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents, Trial
from textmix.metrics.significance import Estimate, resampled_difference
from textmix.models.common.term_weights import inverse_frequency
from textmix.models.lsi.classifiers import ProbabilisticNeuralNetwork
from textmix.models.lsi.scores import SCORES, document_frequency, kept_words
from textmix.models.lsi.transformer import LSITransformer, unit_cells, unit_length

#: Number of LSI components, and width of the probabilistic neural network.
GridPoint = tuple[int, float]


def lsi_errors(
    train: Documents, test: Documents, points: Sequence[GridPoint], seed: int = 0, weighting: str = "log_tfidf"
) -> np.ndarray:
    """Compute the test error of the LSI classifier for each grid point, float64 (n_points,)."""
    max_components = max(k for k, _ in points)
    space = LSITransformer(n_components=max_components, weighting=weighting, unit_length=False, random_state=seed)
    Z = space.fit_transform(train.X)
    Z_test = space.transform(test.X)
    errors = np.empty(len(points))
    for number, (k, width) in enumerate(points):
        coordinates = Documents(unit_length(Z[:, :k]), train.y)
        network = coordinates.fitted(ProbabilisticNeuralNetwork(width=width))
        errors[number] = Documents(unit_length(Z_test[:, :k]), test.y).error(network)
    return errors


def lsi_point(
    train: Documents, grid: Mapping[str, Sequence[Any]], n_folds: int, generator: Generator, seed: int
) -> dict[str, Any]:
    """Find the grid point with the lowest error in stratified cross-validation on the training documents."""
    points = list(itertools.product(grid["n_components"], grid["width"]))
    folds = halves_of(fold_numbers(len(train), n_folds, generator, train.y))
    errors = [lsi_errors(train[inside], train[outside], points, seed) for inside, outside in folds]
    k, width = points[int(np.argmin(np.mean(errors, axis=0)))]
    return {"n_components": k, "width": width}


#: Score that the thesis suggests.
SUGGESTED = "sensitivity"
#: Name of the vocabulary without pruning.
WHOLE = "none"


class Errors(NamedTuple):
    """Errors of the LSI classifier with one vocabulary, on test documents and on held-out training documents."""

    test: float
    held_out: float


def pruning(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Measure the error of the LSI classifier against the proportion of the vocabulary that is kept.

    The number of components and the width of the probabilistic neural network are tuned on training documents for each
    vocabulary. The proportion for ``<role>_gain`` is selected from ``small`` by cross-validation on the training
    documents.

    Settings: ``proportions``, decreasing, below 1; ``small``, proportions with "a major fraction removed";
    ``components``, ``widths`` and ``folds`` of the tuning.
    Result: ``<role>_gain``, the reduction of the error by pruning the full vocabulary, with its interval (``_ci_low``,
    ``_ci_high``), ``<role>_over_<score>`` for all other scores, ``<role>_share`` (mean of the selected proportions),
    and the tables ``errors`` (one row per split and vocabulary) and ``gains``.
    """
    values: dict[str, float] = {}
    errors: list[dict[str, Any]] = []
    gains: list[dict[str, Any]] = []
    for role, source in sources.items():
        trials = [_vocabularies(trial, settings, rng) for trial in source.trials()]
        for number, errors_of in enumerate(trials):
            for (score, share), error in errors_of.items():
                row = {"role": role, "trial": number, "score": score}
                errors.append({**row, "share": share, "error": error.test})
        compared = _gains_of_pruning(trials, settings["small"], source.test_ratio)
        for name, estimate in compared.items():
            key = f"{role}_gain" if name == WHOLE else f"{role}_over_{name}"
            values |= {key: estimate.value, f"{key}_ci_low": estimate.low, f"{key}_ci_high": estimate.high}
            gains.append({"role": role, "beside": name, **estimate._asdict()})
        proportions = [_best_proportion(vocabularies, SUGGESTED, settings["small"]) for vocabularies in trials]
        values[f"{role}_share"] = float(np.mean(proportions))
    return Measure(values, {"errors": errors, "gains": gains})


def _vocabularies(trial: Trial, settings: Settings, rng: Generator) -> dict[tuple[str, float], Errors]:
    """Compute the errors on one split by score and proportion of the vocabulary."""
    X = trial.train.X
    folds = fold_numbers(len(trial.train), settings["folds"], rng)
    frequency = document_frequency(X)
    errors = {(WHOLE, 1.0): errors_of(trial, kept_words(frequency, frequency, 1.0), folds, settings)}
    for name, score in SCORES.items():
        scores = score(X, trial.train.y, rng)
        for share in settings["proportions"]:
            errors[name, share] = errors_of(trial, kept_words(scores, frequency, share), folds, settings)
    return errors


def errors_of(trial: Trial, words: np.ndarray, folds: np.ndarray, settings: Settings) -> Errors:
    """Compute the errors of the LSI classifier with a vocabulary, tuned on folds of the training documents."""
    train = trial.train.columns(words)
    test = trial.test.columns(words)
    points = list(itertools.product(settings["components"], settings["widths"]))
    of_folds = [lsi_errors(train[inside], train[outside], points) for inside, outside in halves_of(folds)]
    held_out = np.sum(of_folds, axis=0)
    best = int(np.argmin(held_out))
    (test_error,) = lsi_errors(train, test, [points[best]])
    return Errors(float(test_error), float(held_out[best] / len(of_folds)))


def _best_proportion(vocabularies: Mapping[tuple[str, float], Errors], score: str, shares: Sequence[float]) -> float:
    """Return the first proportion with the lowest cross-validation error."""
    return min(shares, key=lambda share: vocabularies[score, share].held_out)


def _gains_of_pruning(
    trials: Sequence[Mapping[tuple[str, float], Errors]], shares: Sequence[float], ratio: float
) -> dict[str, Estimate]:
    """Estimate the excess error of every other vocabulary over the suggested one, across splits."""

    def errors(score: str) -> list[float]:
        """Return the test errors of a vocabulary over the splits."""
        test_errors = []
        for vocabularies in trials:
            proportion = 1.0 if score == WHOLE else _best_proportion(vocabularies, score, shares)
            test_errors.append(vocabularies[score, proportion].test)
        return test_errors

    suggested = errors(SUGGESTED)
    baselines = [WHOLE, *(name for name in SCORES if name != SUGGESTED)]
    return {name: resampled_difference(errors(name), suggested, ratio) for name in baselines}


class Blocks(NamedTuple):
    """Word counts (N, V), tag counts (N, T) and class indices (N,) of the same documents."""

    words: sparse.csr_array
    tags: sparse.csr_array
    y: np.ndarray

    def rows(self, rows: np.ndarray) -> Blocks:
        """Select documents."""
        return Blocks(self.words[rows], self.tags[rows], self.y[rows])


class LearningCurve(NamedTuple):
    """Errors on one split by training documents per class, for words alone and with tags, and tuned coefficients."""

    words: list[float]
    fused: list[float]
    binding: list[float]


def fusion(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Measure the errors of the LSI classifier with words alone and with tags, by training documents per class.

    Data: words, with tags as additional features.
    Settings: ``sizes``, increasing numbers of training documents per class (the first half counts as "few");
    ``bindings``, ``components``, ``widths`` and ``folds`` of the tuning.
    Result: ``<role>_gain``, the mean reduction of the error by tags over all sizes, ``<role>_few_gain``, the mean over
    the small sizes, and ``<role>_few_above_many``, the difference between the means over small and large sizes, with
    95 % intervals over the splits (``_ci_low``, ``_ci_high``), and the table ``curves``.
    """
    values: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    sizes = settings["sizes"]
    for role, source in sources.items():
        curves = [_curve(source, trial, settings, rng) for trial in range(len(source.splits))]
        for trial, curve in enumerate(curves):
            for size, words, fused, binding in zip(sizes, *curve, strict=True):
                row = {"role": role, "trial": trial, "size": size}
                rows.append({**row, "words": words, "fused": fused, "binding": binding})
        gains = gains_by_tags(curves, len(sizes) // 2, source.test_ratio)
        values |= {f"{role}_{name}": value for name, value in gains.items()}
    return Measure(values, {"curves": rows})


def gains_by_tags(curves: Sequence[LearningCurve], few: int, ratio: float) -> dict[str, float]:
    """Compute the mean gain over all sizes and over small sizes, and their interaction with size, with intervals."""
    gain = np.array([np.subtract(curve.words, curve.fused) for curve in curves])
    none = np.zeros(len(gain))
    gain_at_few = gain[:, :few].mean(axis=1)
    gain_at_many = gain[:, few:].mean(axis=1)
    pairs = {
        "gain": (gain.mean(axis=1), none),
        "few_gain": (gain_at_few, none),
        "few_above_many": (gain_at_few, gain_at_many),
    }
    values: dict[str, float] = {}
    for name, (first, second) in pairs.items():
        values |= interval(name, first, second, ratio)
    return values


def _curve(source: MeasureData, trial: int, settings: Settings, rng: Generator) -> LearningCurve:
    if source.extra_features is None:
        raise ValueError("measure fusion needs tags as extra features; set extra_features in paper.yaml")
    words = source.corpus.features.astype(np.float64)  # type: ignore[union-attr]
    tags = source.extra_features.features.astype(np.float64)  # type: ignore[union-attr]
    blocks = Blocks(words, tags, source.corpus.classes().astype(np.int64))
    test = blocks.rows(source.splits.test[trial])
    order = rng.permutation(source.splits.train[trial])
    labels = np.unique(blocks.y)
    curve = LearningCurve([], [], [])
    for size in settings["sizes"]:
        rows = [order[blocks.y[order] == label][:size] for label in labels]
        train = blocks.rows(np.concatenate(rows))
        fold_of = fold_numbers(len(train.y), settings["folds"], rng, train.y)
        folds = list(halves_of(fold_of))
        for errors, bindings in ((curve.words, [0.0]), (curve.fused, settings["bindings"])):
            binding, k, width = _tuned_fusion(train, folds, bindings, settings)
            (error,) = _fused_errors(train, test, binding, [(k, width)])
            errors.append(float(error))
        curve.binding.append(binding)
    return curve


def _tuned_fusion(
    train: Blocks,
    folds: Sequence[tuple[np.ndarray, np.ndarray]],
    bindings: Sequence[float],
    settings: Settings,
) -> tuple[float, int, float]:
    """Find the coefficient, number of components and width with the lowest cross-validation error."""
    points = list(itertools.product(settings["components"], settings["widths"]))
    errors: dict[tuple[float, int, float], float] = {}
    for binding in bindings:
        of_folds = []
        for inside, outside in folds:
            of_folds.append(_fused_errors(train.rows(inside), train.rows(outside), binding, points))
        for point, error in zip(points, np.mean(of_folds, axis=0), strict=True):
            errors[binding, *point] = error
    return min(errors, key=errors.__getitem__)


def _fused_errors(train: Blocks, test: Blocks, binding: float, points: Sequence[GridPoint]) -> np.ndarray:
    """Compute the error for each grid point, float64 (n_points,), with a single decomposition."""
    fused, fused_unknown = fuse(train, test, binding)
    return lsi_errors(Documents(fused, train.y), Documents(fused_unknown, test.y), points, weighting="none")


def fuse(train: Blocks, test: Blocks, binding: float) -> Iterator[sparse.csr_array]:
    """Yield the fused features of training and test documents, float64 CSR (N, V + T), or (N, V) if binding is 0.

    Words are weighted by log(1 + count) log(N / df) of the training documents. Tags are weighted by log(1 + count),
    because common tags occur in all documents. Both blocks are L2-normalised.
    """
    weights = inverse_frequency(train.words)
    for documents in (train, test):
        counts = documents.words
        words = unit_cells(counts, np.log1p(counts.data) * weights[counts.indices])
        if not binding:
            yield words
            continue
        tags = binding * preprocessing.normalize(documents.tags.log1p())
        yield sparse.csr_array(sparse.hstack([words, tags], format="csr"))
