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

#: Claim -> the two numbers whose difference must be above 0.
PAIRS = {
    **{f"{form}_order_gain": (f"{form}_order", "") for form in ("small", "whole")},
    **{f"{form}_apart_gain": (f"{form}_apart", f"{form}_random") for form in ("small", "whole")},
    **{f"{form}_accuracy_gain": (f"{form}", f"{form}_shuffled") for form in ("small", "whole")},
    **{f"lsi_above_{form}": ("lsi", form) for form in ("small", "whole", "own", "shared")},
    **{f"common_above_{form}": ("shared", form) for form in ("small", "whole", "own")},
}


def word_order(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure all numbers of this module.

    Settings: ``documents``: most training and most test documents of a trial; ``clusters``: of words; ``states``: form
    (small, whole, own, shared) -> number of states; ``max_iter``: most steps of training.
    Result: values ``<role>_<name>``, differences of `PAIRS` with intervals, and the table ``trials``.
    """
    quantities = Quantities({role: source.test_ratio for role, source in sources.items()})
    for role, source in sources.items():
        words = TokenSequences.of(source.corpus.tokens, len(source.corpus.feature_names or ()))
        documents = documents_of(source.corpus, X=words)
        for trial in samples(documents, source.splits, settings["documents"], generator):
            quantities.add(role, _trial(trial, settings, generator))
    values: dict[str, Value] = {**quantities.means(), **quantities.differences(PAIRS, list(sources))}
    return Measure(values, {"trials": quantities.rows()})


def _trial(trial: Trial, settings: Settings, generator: Generator) -> dict[str, float]:
    seed = seed_from(generator)
    clusters = WordClusters(n_clusters=settings["clusters"], random_state=seed).fit(trial.train.X)
    small, counted = _map_features(trial, clusters.transform), _map_features(trial, TokenSequences.counts)
    numbers = _numbers_of_form("small", ("own", "shared"), small, settings, seed)
    numbers |= _numbers_of_form("whole", ("topics", "topics"), trial, settings, seed)
    for form in ("own", "shared"):
        numbers[form] = trial.accuracy(_model(form, form, settings, seed))
    point = lsi_point(counted.train, settings["lsi"], 3, generator=np.random.default_rng(seed), seed=seed)
    numbers["lsi"] = counted.accuracy(LSIDensityClassifier(**point, random_state=seed))
    numbers["multinomial"] = counted.accuracy(MultinomialClassifier(smoothing=0.01))
    return numbers


def _map_features(trial: Trial, change: Callable[[Any], Any]) -> Trial:
    train, test = (Documents(change(part.X), part.y) for part in (trial.train, trial.test))
    return Trial(trial.number, train, test)


def _model(form: str, emissions: Any, settings: Settings, seed: int) -> HMMClassifier:
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
    """Return accuracy, gain of the true order, and distance of the transitions, of one form of model."""
    rng = np.random.default_rng(seed)
    mixed = _map_features(trial, lambda words: words.shuffled(rng))
    model = trial.train.fitted(_model(form, emissions[0], settings, seed))
    # The order of words does not change their topics.
    topics = emissions[0] == "topics"
    for_classes, compared = (model.emissionprob_[0] if topics else kind for kind in emissions)
    groups = Documents(trial.train.X, rng.permutation(trial.train.y))
    fits = {
        "apart": model if topics else trial.train.fitted(_model(form, compared, settings, seed)),
        "random": groups.fitted(_model(form, compared, settings, seed)),
    }
    return {
        form: trial.test.accuracy(model),
        f"{form}_shuffled": mixed.accuracy(_model(form, for_classes, settings, seed)),
        f"{form}_order": _order_gain(model, trial.test, mixed.test.X),
        **{f"{form}_{name}": transitions_apart(fit.transmat_) for name, fit in fits.items()},
    }


def _order_gain(model: HMMClassifier, test: Documents, mixed: TokenSequences) -> float:
    """Return by how much documents are likelier than their shuffled forms under their class, nats a word."""
    in_training = np.isin(test.y, model.classes_)
    true, random = (
        model.own_log_likelihood(words[in_training], test.y[in_training]).sum() for words in (test.X, mixed)
    )
    return float((true - random) / test.X.lengths[in_training].sum())


def transitions_apart(transitions: np.ndarray) -> float:
    """Return how far transitions (C, S, S) of C classes lie apart, nats a step; they are positive, and rows sum to 1.

    It is the mean Kullback-Leibler divergence of a class's row from the row of the mean of all classes, weighted by how
    often the mean chain visits the state of the row.
    """
    mean = transitions.mean(axis=0)
    visits = np.linalg.matrix_power(mean, 4096)[0]
    rows = (transitions * np.log(transitions / mean)).sum(axis=2)
    return float((rows * visits).sum(axis=1).mean())
