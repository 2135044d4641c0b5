"""Measures of the latent-topic EDCM (thesis, chapter 8): recovery of true topics, and topics of newsgroups."""

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
    """Synthetic documents: counts X (N, V), topic parameters beta (K, V), topic proportions theta (N, K)."""

    X: sparse.csr_array
    beta: np.ndarray
    theta: np.ndarray

    @classmethod
    def of(cls, settings: Settings, generator: Generator) -> _Collection:
        """Draw topics, topic proportions and the largest number of documents in the settings."""
        n_components = settings["topics"]
        n_documents = settings["documents"][-1]
        prior_of_words = np.full(settings["words"], settings["word_spread"])
        shape = generator.dirichlet(prior_of_words, size=n_components)
        beta = settings["concentration"] * shape
        prior_of_topics = np.full(n_components, settings["proportion_spread"])
        theta = generator.dirichlet(prior_of_topics, size=n_documents)
        length = settings["length"]
        drawn = [draw(proportions @ beta, length, generator) for proportions in theta]
        n_distinct = [len(words) for words, _ in drawn]
        rows = np.repeat(np.arange(n_documents), n_distinct)
        words = np.concatenate([words_of_document for words_of_document, _ in drawn])
        counts = np.concatenate([counts_of_document for _, counts_of_document in drawn])
        X = sparse.coo_array((counts, (rows, words)), shape=(n_documents, settings["words"])).tocsr()
        return cls(X, beta, theta)

    def distances(self, model: LatentTopicEDCM) -> tuple[np.ndarray, float, np.ndarray]:
        """Match estimated to true topics; return word distances (K,), mean distance of proportions, s ratios (K,)."""
        fitted = model.beta_ / model.concentration_[:, np.newaxis]
        true = self.beta / self.beta.sum(axis=1, keepdims=True)
        differences_of_words = np.abs(fitted[:, np.newaxis] - true)
        pairs = 0.5 * differences_of_words.sum(axis=2)
        matched, true_topics = optimize.linear_sum_assignment(pairs)
        true_proportions = self.theta[: len(model.mixture_), true_topics]
        differences = np.abs(model.mixture_[:, matched] - true_proportions)
        mean_distance = float(0.5 * differences.sum(axis=1).mean())
        true_concentration = self.beta.sum(axis=1)
        ratios = model.concentration_[matched] / true_concentration[true_topics]
        return pairs[matched, true_topics], mean_distance, ratios


def latent_topics(_: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the distance of estimated from true topics on synthetic documents, against the number of documents.

    Distances are total-variation distances between the word distributions of matched estimated and true topics. Values
    refer to the largest number of documents, with standard deviations over the topics.

    Settings: ``documents``, an increasing list; ``words``, ``topics``, ``length``; ``concentration``, s of each topic;
    ``word_spread`` and ``proportion_spread``, the parameters of the Dirichlet distributions of words and topic
    proportions (the latter is also the prior of the mean field); ``starts`` and ``max_iter`` of each fit.
    """
    collection = _Collection.of(settings, generator)
    shape = {
        "n_components": settings["topics"],
        "prior": settings["proportion_spread"],
        "max_iter": settings["max_iter"],
    }
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
            for k, distance in enumerate(topics):
                row = {
                    "method": method,
                    "documents": number,
                    "topic": k,
                    "distance": float(distance),
                    "shares": shares,
                }
                rows.append(row)
    return Measure(values, {"distances": rows})


def newsgroup_topics(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Find latent topics of 20 Newsgroups without using the groups, and describe them by typical words and groups.

    Settings: ``topics``, their number; ``min_df``, the minimum document frequency; ``max_iter``; ``n_words``, number of
    words that describe a topic.
    Result: the tables ``topics`` (mean proportion of the words, s, typical words) and ``groups`` (mean proportion of
    each topic in the words of each newsgroup), and ``information``, see `_information`.
    """
    source = only(sources)
    train = source.first().train
    frequency = np.bincount(train.X.indices, minlength=train.X.shape[1])
    columns = np.flatnonzero(frequency >= settings["min_df"])
    n_topics = settings["topics"]
    seed = seed_from(generator)
    model = LatentTopicEDCM(n_components=n_topics, max_iter=settings["max_iter"], random_state=seed)
    model.fit(train.X[:, columns])
    names = [source.corpus.feature_names[int(w)] for w in columns]  # type: ignore[index]
    # The parameters of a document are the sum of mixture x s x word distribution over the topics. Therefore, the
    # proportion of a topic in its words is proportional to mixture x s, not to the mixture weight alone.
    weights = model.mixture_ * model.concentration_
    weights /= weights.sum(axis=1, keepdims=True)
    groups = np.array([weights[train.y == c].mean(axis=0) for c in np.unique(train.y)])
    shares = model.beta_ / model.concentration_[:, np.newaxis]
    share = weights.mean(axis=0)
    topics: Rows = []
    table: Rows = []
    for k in range(n_topics):
        words = _typical(shares, k, names, settings["n_words"])
        s = float(model.concentration_[k])
        topics.append({"topic": k, "share": float(share[k]), "s": s, "words": " ".join(words)})
        for c, share_of_topics in enumerate(groups):
            group = source.corpus.label_names[c]
            table.append({"topic": k, "group": group, "share": float(share_of_topics[k])})
    main_topic = np.argmax(weights, axis=1)
    values: Values = {"information": _information(train.y, main_topic), "sweeps": model.n_iter_}
    return Measure(values, {"topics": topics, "groups": table})


def _typical(shares: np.ndarray, topic: int, names: Sequence[str], number: int) -> list[str]:
    """Return the most typical words of a topic, those with the largest p_kw log(p_kw / p_w)."""
    mean = shares.mean(axis=0)
    p = shares[topic]
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(p > 0, p * np.log(p / mean), 0.0)
    order = np.argsort(-weight, kind="stable")
    return [names[w] for w in order[:number]]


def _information(classes: np.ndarray, topics: np.ndarray) -> float:
    """Compute the normalised mutual information of class and main topic (mean of both entropies)."""
    n_bins = (classes.max() + 1, topics.max() + 1)
    counts, _, _ = np.histogram2d(classes, topics, bins=n_bins)
    joint = counts / len(classes)

    def entropy(p: np.ndarray) -> float:
        p = p[p > 0]
        return float(-np.sum(p * np.log(p)))

    rows = entropy(joint.sum(axis=1))
    columns = entropy(joint.sum(axis=0))
    information = rows + columns - entropy(joint.ravel())
    return 2.0 * information / (rows + columns)
