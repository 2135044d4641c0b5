"""Synthetic data sampled from a conditional Bernoulli mixture (Li et al. 2016, section 3.3 and table 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import log_expit, log_softmax, logsumexp

from reproduction.flow.measures import Measure, Repeated, Settings, Sources, seed_from
from textmix.metrics.multilabel import subset_accuracy
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.common.multilabel import MultiLabelClassifier
from textmix.models.label_sets.estimators import BinaryRelevance, PowerSet


@dataclass(frozen=True)
class TrueMixture:
    """Conditional Bernoulli mixture with linear scores.

    Parameters
    ----------
    gate : ndarray of shape (D, K)
        Weights of the gate.
    experts : ndarray of shape (K, D, L)
        Weights of the experts.
    gate_intercepts : ndarray of shape (K,)
        Intercepts of the gate.
    expert_intercepts : ndarray of shape (K, L)
        Intercepts of the experts.
    sets : ndarray of shape (2^L, L), dtype int64
        All label sets.
    """

    gate: np.ndarray
    experts: np.ndarray
    gate_intercepts: np.ndarray
    expert_intercepts: np.ndarray
    sets: np.ndarray

    @classmethod
    def random(cls, generator: Generator, settings: Settings) -> TrueMixture:
        """Draw Gaussian weights and intercepts."""
        n_components = settings["components"]
        n_features = settings["features"]
        n_labels = settings["labels"]
        deviation = settings["weight_deviation"]
        gate = generator.normal(scale=deviation, size=(n_features, n_components))
        experts = generator.normal(scale=deviation, size=(n_components, n_features, n_labels))
        gate_intercepts = np.zeros(n_components)
        expert_intercepts = np.zeros((n_components, n_labels))
        # Without intercepts, none are drawn, so that the features are those of the first record.
        if settings["intercept_deviation"]:
            gate_intercepts = generator.normal(scale=settings["intercept_deviation"], size=gate_intercepts.shape)
            expert_intercepts = generator.normal(scale=settings["intercept_deviation"], size=expert_intercepts.shape)
        numbers = np.arange(2**n_labels)[:, np.newaxis]
        sets = (numbers >> np.arange(n_labels)) & 1
        return cls(gate, experts, gate_intercepts, expert_intercepts, sets)

    def set_log_proba(self, X: np.ndarray, noise: float, generator: Generator) -> np.ndarray:
        """Compute log p(y|x) of all label sets, float64 (N, 2^L), with Gaussian noise added to all scores."""
        gate = X @ self.gate + self.gate_intercepts
        log_weights = log_softmax(gate + noise * generator.normal(size=gate.shape), axis=1)
        joint = []
        for weights, intercepts, log_weight in zip(self.experts, self.expert_intercepts, log_weights.T, strict=True):
            scores = X @ weights + intercepts
            scores += noise * generator.normal(size=scores.shape)
            positive = log_expit(scores) @ self.sets.T
            negative = log_expit(-scores) @ (1 - self.sets.T)
            joint.append(log_weight[:, np.newaxis] + positive + negative)
        return np.asarray(logsumexp(joint, axis=0))

    def most_probable(self, log_proba: np.ndarray) -> np.ndarray:
        """Return the most probable label set of each instance, int64 (N, L)."""
        return np.asarray(self.sets[np.argmax(log_proba, axis=1)])

    def sample(self, log_proba: np.ndarray, generator: Generator) -> np.ndarray:
        """Draw a label set for each instance, int64 (N, L)."""
        gumbel = generator.gumbel(size=log_proba.shape)
        return np.asarray(self.sets[np.argmax(log_proba + gumbel, axis=1)])


def synthetic_study(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare methods on most probable or sampled label sets of a true mixture, without and with noise.

    The sources are not used.

    Settings: ``components``, ``features``, ``labels``, ``weight_deviation``, ``intercept_deviation`` (0 for no
    intercepts) and ``noise_deviation`` of the true mixture; ``documents``, number of training documents and of test
    documents; ``variance`` of all methods; ``max_iter`` of CBM; ``runs``, number of true mixtures.
    Result: the table ``runs`` (labels, method, run, subset_accuracy), and the values ``<labels>_<method>``.  The upper
    bound predicts the most probable label set of the true mixture without noise.
    """
    rows: list[dict[str, Any]] = []
    accuracies: dict[str, list[float]] = {}
    for run in range(settings["runs"]):
        mixture = TrueMixture.random(generator, settings)
        for labels, method, accuracy in _run(mixture, settings, generator):
            rows.append({"labels": labels, "method": method, "run": run, "subset_accuracy": accuracy})
            accuracies.setdefault(f"{labels}_{method}", []).append(accuracy)
    return Measure({name: Repeated(values) for name, values in accuracies.items()}, {"runs": rows})


def _run(mixture: TrueMixture, settings: Settings, generator: Generator) -> Iterator[tuple[str, str, float]]:
    """Yield the type of label sets, the method and its subset accuracy for one true mixture."""
    shape = (2 * settings["documents"], settings["features"])
    X = generator.normal(size=shape)
    train = slice(settings["documents"])
    test = slice(settings["documents"], None)
    clean = mixture.set_log_proba(X, 0.0, generator)
    noisy = mixture.set_log_proba(X, settings["noise_deviation"], generator)
    label_sets = {
        "argmax": mixture.most_probable(clean),
        "argmax_noise": mixture.most_probable(noisy),
        "sample": mixture.sample(clean, generator),
        "sample_noise": mixture.sample(noisy, generator),
    }
    upper_bound = mixture.most_probable(clean[test])
    for labels, Y in label_sets.items():
        yield labels, "upper_bound", subset_accuracy(Y[test], upper_bound)
        for method, model in _models(settings, seed_from(generator)):
            model.fit(X[train], Y[train])
            predicted = np.asarray(model.predict(X[test]))
            yield labels, method, subset_accuracy(Y[test], predicted)


def _models(settings: Settings, seed: int) -> Iterator[tuple[str, MultiLabelClassifier]]:
    """Yield the unfitted methods of Table 1 of the paper."""
    variance = settings["variance"]
    for n_components in (2, 3):
        mixture = CBMClassifier(
            n_components=n_components, variance=variance, max_iter=settings["max_iter"], random_state=seed
        )
        yield f"cbm{n_components}", mixture
    yield "binrel", BinaryRelevance(variance=variance)
    yield "powset", PowerSet(variance=variance)
