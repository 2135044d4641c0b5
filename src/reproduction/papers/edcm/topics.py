"""The latent-topic EDCM (thesis, chapter 8): known topics of synthetic documents, and topics of newsgroups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from scipy import optimize, sparse

from reproduction.flow.measures import Measure, Rows, Settings, Sources, Values, only, seed_from
from textmix.models.dirichlet.edcm import draw
from textmix.models.dirichlet.latent_edcm import LatentTopicEDCM

METHODS: tuple[Literal["likelihood", "mean_field"], ...] = ("likelihood", "mean_field")


@dataclass(frozen=True)
class _Collection:
    """Documents drawn from known topics: counts X (N, V), topics' parameters beta (K, V), topic shares theta (N, K)."""

    X: sparse.csr_array
    beta: np.ndarray
    theta: np.ndarray

    @classmethod
    def of(cls, settings: Settings, generator: Generator) -> _Collection:
        """Draw topics, shares and documents: as many documents as the largest number of the settings."""
        n_components, n_documents = settings["topics"], settings["documents"][-1]
        shape = generator.dirichlet(np.full(settings["words"], settings["word_spread"]), size=n_components)
        beta = settings["concentration"] * shape
        theta = generator.dirichlet(np.full(n_components, settings["share_spread"]), size=n_documents)
        drawn = [draw(shares @ beta, settings["length"], generator) for shares in theta]
        rows = np.repeat(np.arange(n_documents), [len(words) for words, _ in drawn])
        words, counts = (np.concatenate([pair[part] for pair in drawn]) for part in (0, 1))
        X = sparse.coo_array((counts, (rows, words)), shape=(n_documents, settings["words"])).tocsr()
        return cls(X, beta, theta)

    def distances(self, model: LatentTopicEDCM) -> tuple[np.ndarray, float, np.ndarray]:
        """Match estimated topics to true ones: distances of words (K,), mean distance of shares, ratios of s (K,)."""
        fitted = model.beta_ / model.concentration_[:, np.newaxis]
        true = self.beta / self.beta.sum(axis=1, keepdims=True)
        pairs = 0.5 * np.abs(fitted[:, np.newaxis] - true).sum(axis=2)
        matched, true_topics = optimize.linear_sum_assignment(pairs)
        shares = model.mixture_[:, matched] - self.theta[: len(model.mixture_), true_topics]
        ratios = model.concentration_[matched] / self.beta.sum(axis=1)[true_topics]
        return pairs[matched, true_topics], float(0.5 * np.abs(shares).sum(axis=1).mean()), ratios


def latent_topics(_: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the distance of estimated from true topics on synthetic documents, against the number of documents.

    Distances are total variations between the word shares of an estimated topic and of the true topic matched to it.
    Values are at the largest number of documents; their standard deviation is over the topics.

    Settings: ``documents``, an increasing list; ``words``, ``topics``, ``length``; ``concentration``, s of each topic;
    ``word_spread`` and ``share_spread``, the Dirichlet's parameter from which topics and shares are drawn (the latter
    is the mean field's prior too); ``starts`` and ``max_iter`` of each fit.
    """
    collection = _Collection.of(settings, generator)
    shape = {"n_components": settings["topics"], "prior": settings["share_spread"], "max_iter": settings["max_iter"]}
    values: Values = {}
    rows: Rows = []
    for number in settings["documents"]:
        for method in METHODS:
            seed = seed_from(generator)
            model = LatentTopicEDCM(method=method, n_init=settings["starts"], random_state=seed, **shape)
            model.fit(collection.X[:number])
            topics, shares, ratios = collection.distances(model)
            values[f"{method}_mean_distance"] = (float(topics.mean()), float(topics.std(ddof=1)))
            values[f"{method}_largest_distance"] = float(topics.max())
            values[f"{method}_share_distance"] = shares
            values[f"{method}_ratio_of_s"] = float(ratios.mean())
            values[f"{method}_sweeps"] = model.n_iter_
            rows += [
                {"method": method, "documents": number, "topic": k, "distance": float(distance), "shares": shares}
                for k, distance in enumerate(topics)
            ]
    return Measure(values, {"distances": rows})


def newsgroup_topics(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Find latent topics of 20 Newsgroups without the groups, and describe each by its words and its share of groups.

    Settings: ``topics``, their number; ``least``, the fewest documents of a word that is used; ``max_iter``; ``shown``,
    number of words that describe a topic.
    Result: the tables ``topics`` (mean share of the documents' words, s, typical words) and ``groups`` (mean share of
    each topic in the words of each newsgroup); ``information`` is that of `_information`.
    """
    source = only(sources)
    train = source.first().train
    frequency = np.bincount(train.X.indices, minlength=train.X.shape[1])
    columns = np.flatnonzero(frequency >= settings["least"])
    model = LatentTopicEDCM(
        n_components=settings["topics"], max_iter=settings["max_iter"], random_state=seed_from(generator)
    ).fit(train.X[:, columns])
    names = [source.corpus.feature_names[int(w)] for w in columns]  # type: ignore[index]
    # A document's parameters are the sum of mixture x s x word shares over the topics: a topic's share of the words is
    # its part of that sum, not its part of the mixture.
    weights = model.mixture_ * model.concentration_
    weights /= weights.sum(axis=1, keepdims=True)
    groups = np.array([weights[train.y == c].mean(axis=0) for c in np.unique(train.y)])
    shares = model.beta_ / model.concentration_[:, np.newaxis]
    words = [_typical(shares, k, names, settings["shown"]) for k in range(settings["topics"])]
    share = weights.mean(axis=0)
    topics: Rows = [
        {"topic": k, "share": float(share[k]), "s": float(model.concentration_[k]), "words": " ".join(words[k])}
        for k in range(settings["topics"])
    ]
    table: Rows = [
        {"topic": k, "group": source.corpus.label_names[c], "share": float(groups[c, k])}
        for k in range(settings["topics"])
        for c in range(len(groups))
    ]
    likeliest = np.argmax(weights, axis=1)
    values: Values = {"information": _information(train.y, likeliest), "sweeps": model.n_iter_}
    return Measure(values, {"topics": topics, "groups": table})


def _typical(shares: np.ndarray, topic: int, names: Sequence[str], number: int) -> list[str]:
    """Return the words that distinguish a topic most from the mean of all topics: largest p_kw log(p_kw / p_w)."""
    mean = shares.mean(axis=0)
    p = shares[topic]
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(p > 0, p * np.log(p / mean), 0.0)
    return [names[w] for w in np.argsort(-weight, kind="stable")[:number]]


def _information(classes: np.ndarray, topics: np.ndarray) -> float:
    """Return the mutual information of class and likeliest topic over the mean of both entropies, 0 to 1."""
    joint = np.histogram2d(classes, topics, bins=(classes.max() + 1, topics.max() + 1))[0] / len(classes)

    def entropy(p: np.ndarray) -> float:
        p = p[p > 0]
        return float(-np.sum(p * np.log(p)))

    rows, columns = entropy(joint.sum(axis=1)), entropy(joint.sum(axis=0))
    return 2.0 * (rows + columns - entropy(joint.ravel())) / (rows + columns)
