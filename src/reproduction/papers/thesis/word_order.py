"""Whether hidden Markov models capture word order that differs between classes (claims T3 to T5).

For each data set and random split, from a sample of the training part:

- a model a class over clusters of words (``small``), over all words with topics as fixed emissions (``whole``), over
  all words with emissions of its own (``own``), and with emissions shared by the classes (``shared``);
- the same two models of the claim after the words of each document were put in random order (``*_shuffled``);
- LSI with the probabilistic neural network, and multinomial naive Bayes.

Three numbers tell about order.  ``*_order``: by how many nats a word the true order of test documents is likelier than
a random one under the model of their class.  ``*_apart``: how far the transitions of the classes lie apart, against
``*_random``, the same for random groups of documents of the same sizes.  The accuracy with the true order, beside that
with shuffled documents.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import model_selection

from reproduction.papers.thesis.trials import Found, samples
from reproduction.stored.measures import Measure, MeasureData
from textmix.models.hmm.estimator import HMMClassifier
from textmix.models.hmm.sequences import TokenSequences
from textmix.models.hmm.topics import WordClusters
from textmix.models.lsi.classifiers import LSIDensityClassifier
from textmix.models.lsi.network import ProbabilisticNeuralNetwork
from textmix.models.lsi.transformer import LSITransformer, unit_length
from textmix.models.naive_bayes.multinomial import MultinomialClassifier

#: Claim -> the two numbers whose difference must be above 0.
PAIRS = {
    **{f"{form}_order_gain": (f"{form}_order", "") for form in ("small", "whole")},
    **{f"{form}_apart_gain": (f"{form}_apart", f"{form}_random") for form in ("small", "whole")},
    **{f"{form}_accuracy_gain": (f"{form}", f"{form}_shuffled") for form in ("small", "whole")},
    **{f"lsi_above_{form}": ("lsi", form) for form in ("small", "whole", "own", "shared")},
    **{f"common_above_{form}": ("shared", form) for form in ("small", "whole", "own")},
}


def word_order(
    sources: Mapping[str, MeasureData], settings: Mapping[str, Any], generator: np.random.Generator
) -> Measure:
    """Measure all numbers of this module.

    Parameters
    ----------
    sources : role -> documents with tokens, and splits.
    settings : ``documents``: most training and most test documents of a trial; ``clusters``: of words; ``states``: form
        (small, whole, own, shared) -> number of states; ``max_iter``: most steps of training.
    generator : chooses documents, orders and starts.

    Returns
    -------
    values ``<role>_<name>``, differences of `PAIRS` with intervals, and the table ``trials``.
    """
    found = Found(1.0)
    for role, source in sources.items():
        y = source.corpus.classes()
        X = TokenSequences.of(source.corpus.tokens, len(source.corpus.feature_names or ()))
        for train, test in samples(source, settings["documents"], generator):
            parts = (X[train], y[train]), (X[test], y[test])
            found.add(role, _trial(parts, settings, generator))
    return Measure({**found.means(), **found.differences(PAIRS, list(sources))}, {"trials": found.rows()})


Part = tuple[TokenSequences, np.ndarray]


def _trial(parts: tuple[Part, Part], settings: Mapping[str, Any], generator: np.random.Generator) -> dict[str, float]:
    """Return the numbers of one trial."""
    (X, y), (X_test, y_test) = parts
    seed = int(generator.integers(2**31))
    clusters = WordClusters(n_clusters=settings["clusters"], random_state=seed).fit(X)
    small = [(clusters.transform(part), labels) for part, labels in parts]
    numbers = _of_form("small", ("own", "shared"), small, settings, seed)
    numbers |= _of_form("whole", ("topics", "topics"), parts, settings, seed)
    for form in ("own", "shared"):
        numbers[form] = _model(form, form, settings, seed).fit(X, y).score(X_test, y_test)
    counts, test_counts = X.counts(), X_test.counts()
    best = _lsi_point(counts, y, settings["lsi"], seed)
    numbers["lsi"] = float(LSIDensityClassifier(**best, random_state=seed).fit(counts, y).score(test_counts, y_test))
    numbers["multinomial"] = MultinomialClassifier(smoothing=0.01).fit(counts, y).score(test_counts, y_test)
    return numbers


def _lsi_point(X: sparse.csr_array, y: np.ndarray, grid: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the point of the grid with the best accuracy on three folds; points of a fold share its decomposition.

    Parameters
    ----------
    X, y : counts (N, V) and class labels (N,).
    grid : ``n_components`` and ``width``, values to choose from.
    seed : of the folds and the decompositions.
    """
    points = list(itertools.product(grid["n_components"], grid["width"]))
    folds = model_selection.StratifiedKFold(3, shuffle=True, random_state=seed)
    scores = np.zeros((folds.n_splits, len(points)))
    for row, (inside, outside) in zip(scores, folds.split(X, y), strict=True):
        space = LSITransformer(n_components=max(grid["n_components"]), unit_length=False, random_state=seed)
        known, unknown = space.fit_transform(X[inside]), space.transform(X[outside])
        for place, (k, width) in enumerate(points):
            network = ProbabilisticNeuralNetwork(width=width).fit(unit_length(known[:, :k]), y[inside])
            row[place] = network.score(unit_length(unknown[:, :k]), y[outside])
    k, width = points[int(np.argmax(scores.mean(axis=0)))]
    return {"n_components": k, "width": width}


def _model(form: str, emissions: Any, settings: Mapping[str, Any], seed: int) -> HMMClassifier:
    """Return a new classifier of a form."""
    return HMMClassifier(
        n_states=settings["states"][form],
        emissions=emissions,
        smoothing=settings["smoothing"],
        max_iter=settings["max_iter"],
        random_state=seed,
    )


def _of_form(
    form: str, emissions: tuple[str, str], parts: Any, settings: Mapping[str, Any], seed: int
) -> dict[str, float]:
    """Return accuracy, gain of the true order, and distance of the transitions, of one form of model.

    Parameters
    ----------
    form : small or whole.
    emissions : of the classifier, and of the models whose transitions are compared: there a state is the same in all
        classes; topics, if any, are those of both.
    parts, settings, seed : the trial.
    """
    (X, y), (X_test, y_test) = parts
    rng = np.random.default_rng(seed)
    mixed, mixed_test = X.shuffled(rng), X_test.shuffled(rng)
    model = _model(form, emissions[0], settings, seed).fit(X, y)
    # The order of words does not change their topics.
    topics = emissions[0] == "topics"
    own, compared = (model.emissionprob_[0] if topics else each for each in emissions)
    shuffled = _model(form, own, settings, seed).fit(mixed, y)
    fits = {
        "apart": model if topics else _model(form, compared, settings, seed).fit(X, y),
        "random": _model(form, compared, settings, seed).fit(X, rng.permutation(y)),
    }
    return {
        form: model.score(X_test, y_test),
        f"{form}_shuffled": shuffled.score(mixed_test, y_test),
        f"{form}_order": _order_gain(model, X_test, mixed_test, y_test),
        **{f"{form}_{name}": transitions_apart(fit.transmat_) for name, fit in fits.items()},
    }


def _order_gain(model: HMMClassifier, X: TokenSequences, mixed: TokenSequences, y: np.ndarray) -> float:
    """Return by how much documents are likelier than their shuffled forms under their class, nats a word."""
    known = np.isin(y, model.classes_)
    true, random = (model.own_log_likelihood(part[known], y[known]).sum() for part in (X, mixed))
    return float((true - random) / X.lengths[known].sum())


def transitions_apart(transitions: np.ndarray) -> float:
    """Return how far transitions of C classes lie apart, nats a step.

    The measure is the mean Kullback-Leibler divergence of a class's row from the row of the mean of all classes; rows
    are weighted by how often the mean chain visits their state.

    Parameters
    ----------
    transitions : float64 (C, S, S), positive; rows sum to 1.
    """
    mean = transitions.mean(axis=0)
    visits = np.linalg.matrix_power(mean, 4096)[0]
    rows = (transitions * np.log(transitions / mean)).sum(axis=2)
    return float((rows * visits).sum(axis=1).mean())
