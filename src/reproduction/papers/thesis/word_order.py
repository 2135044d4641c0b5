"""Test whether hidden Markov models capture differences in word order between classes (claims T3 to T5).

Models for each data set and random split, trained on a sample of the training documents:

- one HMM per class on word clusters (``small``), on all words with topics as fixed emissions (``whole``), on all words
  with class-specific emissions (``own``), and with emissions common to all classes (``shared``);
- the first two models on documents with shuffled words (``*_shuffled``);
- LSI with the probabilistic neural network, and multinomial naive Bayes.

Three quantities measure the effect of word order: ``*_order``, the log-likelihood ratio (nats per word) of true to
random word order of test documents under the model of their class; ``*_apart``, the distance between the transition
matrices of the classes, compared with the distance for random groups of the same sizes, ``*_random``; and the
accuracies with true and random word order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Quantities, Settings, Sources, Value, seed_from
from reproduction.papers.thesis.generative import samples
from reproduction.papers.thesis.lsi import lsi_point
from textmix.experiment.trial import Documents, Trial, documents_of
from textmix.models.hmm.estimator import HMMClassifier, WordClusters
from textmix.models.lsi.classifiers import LSIDensityClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.text.sequences import TokenSequences

#: Pairs of quantities whose difference must be positive, by claim.
PAIRS = {
    "small_order_gain": ("small_order", ""),
    "whole_order_gain": ("whole_order", ""),
    "small_apart_gain": ("small_apart", "small_random"),
    "whole_apart_gain": ("whole_apart", "whole_random"),
    "small_accuracy_gain": ("small", "small_shuffled"),
    "whole_accuracy_gain": ("whole", "whole_shuffled"),
    "lsi_above_small": ("lsi", "small"),
    "lsi_above_whole": ("lsi", "whole"),
    "lsi_above_own": ("lsi", "own"),
    "lsi_above_shared": ("lsi", "shared"),
    "common_above_small": ("shared", "small"),
    "common_above_whole": ("shared", "whole"),
    "common_above_own": ("shared", "own"),
}


def word_order(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure all quantities of this module.

    Settings: ``documents``, maximum numbers of training and of test documents per trial; ``clusters``, number of word
    clusters; ``states``, number of states by model (small, whole, own, shared); ``max_iter`` of training.
    Result: values ``<role>_<name>``, differences of `PAIRS` with intervals, and the table ``trials``.
    """
    quantities = Quantities({role: source.test_ratio for role, source in sources.items()})
    for role, source in sources.items():
        corpus = source.corpus
        words = TokenSequences.of(corpus.tokens, len(corpus.feature_names or ()))
        documents = documents_of(corpus, X=words)
        for trial in samples(documents, source.splits, settings["documents"], generator):
            quantities.add(role, _trial(trial, settings, generator))
    values: dict[str, Value] = {**quantities.means(), **quantities.differences(PAIRS, list(sources))}
    return Measure(values, {"trials": quantities.rows()})


def _trial(trial: Trial, settings: Settings, rng: Generator) -> dict[str, float]:
    """Compute the quantities of one trial."""
    seed = seed_from(rng)
    clusters = WordClusters(n_clusters=settings["clusters"], random_state=seed).fit(trial.train.X)
    small = _map_features(trial, clusters.transform)
    counted = _map_features(trial, TokenSequences.counts)
    numbers = _numbers_of_form("small", ("own", "shared"), small, settings, seed)
    numbers |= _numbers_of_form("whole", ("topics", "topics"), trial, settings, seed)
    for form in ("own", "shared"):
        numbers[form] = trial.accuracy(_model(form, form, settings, seed))
    generator = np.random.default_rng(seed)
    point = lsi_point(counted.train, settings["lsi"], 3, generator, seed)
    numbers["lsi"] = counted.accuracy(LSIDensityClassifier(**point, random_state=seed))
    numbers["multinomial"] = counted.accuracy(MultinomialClassifier(smoothing=0.01))
    return numbers


def _map_features(trial: Trial, change: Callable[[Any], Any]) -> Trial:
    """Transform the features of training and test documents."""
    train = Documents(change(trial.train.X), trial.train.y)
    test = Documents(change(trial.test.X), trial.test.y)
    return Trial(trial.number, train, test)


def _model(form: str, emissions: Any, settings: Settings, seed: int) -> HMMClassifier:
    """Construct an unfitted model."""
    return HMMClassifier(
        n_states=settings["states"][form],
        emissions=emissions,
        smoothing=settings["smoothing"],
        max_iter=settings["max_iter"],
        random_state=seed,
    )


def _numbers_of_form(
    form: str, emissions: tuple[str, str], trial: Trial, settings: Settings, seed: int
) -> dict[str, float]:
    """Compute accuracy, gain from the true word order, and distance between transition matrices for one model."""
    rng = np.random.default_rng(seed)
    mixed = _map_features(trial, lambda words: words.shuffled(rng))
    of_classes, compared = emissions
    model = trial.train.fitted(_model(form, of_classes, settings, seed))
    groups = Documents(trial.train.X, rng.permutation(trial.train.y))
    if of_classes == "topics":
        # The order of words does not change their topics.
        topics = model.emissionprob_[0]
        of_shuffled = _model(form, topics, settings, seed)
        of_groups = _model(form, topics, settings, seed)
        of_true_classes = model
    else:
        of_shuffled = _model(form, of_classes, settings, seed)
        of_groups = _model(form, compared, settings, seed)
        of_true_classes = trial.train.fitted(_model(form, compared, settings, seed))
    numbers = {form: trial.test.accuracy(model)}
    numbers[f"{form}_shuffled"] = mixed.accuracy(of_shuffled)
    numbers[f"{form}_order"] = _order_gain(model, trial.test, mixed.test.X)
    numbers[f"{form}_apart"] = transitions_apart(of_true_classes.transmat_)
    numbers[f"{form}_random"] = transitions_apart(groups.fitted(of_groups).transmat_)
    return numbers


def _order_gain(model: HMMClassifier, test: Documents, mixed: TokenSequences) -> float:
    """Compute the log-likelihood ratio of true to shuffled documents under their class models, in nats per word."""
    in_training = np.isin(test.y, model.classes_)
    y = test.y[in_training]
    true_order = model.own_log_likelihood(test.X[in_training], y).sum()
    random_order = model.own_log_likelihood(mixed[in_training], y).sum()
    n_words = test.X.lengths[in_training].sum()
    return float((true_order - random_order) / n_words)


def transitions_apart(transitions: np.ndarray) -> float:
    """Compute the distance between positive transition matrices (C, S, S) of C classes, in nats per step.

    The distance is the Kullback-Leibler divergence of the rows of each class from the rows of the mean matrix, weighted
    by the stationary distribution of the mean matrix and averaged over the classes.
    """
    mean = transitions.mean(axis=0)
    visits = np.linalg.matrix_power(mean, 4096)[0]
    rows = (transitions * np.log(transitions / mean)).sum(axis=2)
    return float((rows * visits).sum(axis=1).mean())
