"""Term scores for vocabulary pruning: sensitivities of an ensemble of networks, and standard feature selection scores.

Sources: S. Sigurdsson, J. Larsen, L. K. Hansen et al., sensitivity maps of neural networks, in: R. E. Madsen, S.
Sigurdsson, L. K. Hansen and J. Larsen, Pruning the vocabulary for better context recognition, ICPR 2004; Y. Yang and J.
O. Pedersen, A comparative study on feature selection in text categorization, ICML 1997.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import softmax, xlogy
from sklearn import feature_selection, neural_network
from sklearn.exceptions import ConvergenceWarning

from textmix.models.lsi.transformer import LSITransformer

#: Number of networks in the ensemble, hidden units, weight penalty, and maximum number of L-BFGS iterations.
NETWORKS = 10
HIDDEN = 20
PENALTY = 0.1
ITERATIONS = 100
#: Number of LSI coordinates used as network inputs.
COMPONENTS = 50


def sensitivity(X: sparse.csr_array, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Compute the mean of each word's sensitivity divided by its standard deviation in the ensemble, float64 (V,)."""
    maps = sensitivities(X, codes, rng)
    mean = maps.mean(axis=0)
    deviation = maps.std(axis=0, ddof=1)
    return np.divide(mean, deviation, out=np.zeros_like(mean), where=deviation > 0)


def sensitivities(
    X: sparse.csr_array, codes: np.ndarray, rng: np.random.Generator, networks: int = NETWORKS
) -> np.ndarray:
    """Compute the sensitivities of the words in each network, float64 (B, V).

    Each resample splits the documents into halves. The LSI space and a network in it are fitted to one half; the
    sensitivity of a word is the mean over the other half of |d p(c|x) / d x_w|, where c is the class of the document
    and x_w its weighted count, computed by the chain rule through the space.
    """
    maps = np.zeros((networks, X.shape[1]))
    for number in range(networks):
        order = rng.permutation(len(codes))
        inside = order[: (len(codes) + 1) // 2]
        outside = order[(len(codes) + 1) // 2 :]
        seed = int(rng.integers(2**31))
        space = LSITransformer(n_components=COMPONENTS, unit_length=False, random_state=seed).fit(X[inside])
        Z = space.transform(X[inside])
        scale = 1.0 / max(float(np.sqrt(np.mean(Z**2))), np.finfo(float).tiny)
        model = trained(Z * scale, codes[inside], seed)
        slopes = gradients(model, space.transform(X[outside]) * scale, codes[outside]) * scale
        seen = np.flatnonzero(space.components_.any(axis=0))  # a small subset of the words if documents are few
        maps[number, seen] = np.abs(slopes @ np.ascontiguousarray(space.components_[:, seen])).mean(axis=0)
    return maps


def trained(Z: np.ndarray, codes: np.ndarray, seed: int) -> neural_network.MLPClassifier:
    """Train a network with one hidden layer on coordinates (N, K) and class indices (N,)."""
    settings = {"activation": "tanh", "solver": "lbfgs", "alpha": PENALTY, "max_iter": ITERATIONS}
    model = neural_network.MLPClassifier((HIDDEN,), **settings)
    with warnings.catch_warnings():
        # Early stopping acts as additional regularisation; the ensemble's deviation reflects the remaining uncertainty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.set_params(random_state=seed).fit(Z, codes)


def gradients(model: neural_network.MLPClassifier, Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Compute d p(c|z) / d z for the class c of each document, float64 (N, K); 0 for a class without training data."""
    first, second = model.coefs_
    hidden = np.tanh(Z @ first + model.intercepts_[0])
    output = hidden @ second + model.intercepts_[1]
    if output.shape[1] == 1:  # two classes: log odds of the second one
        second = np.hstack([np.zeros_like(second), second])
        output = np.hstack([np.zeros_like(output), output])
    proba = softmax(output, axis=1)
    place = np.minimum(np.searchsorted(model.classes_, codes), len(model.classes_) - 1)
    known = model.classes_[place] == codes
    own = proba[np.arange(len(codes)), place] * known
    back = own[:, np.newaxis] * (second.T[place] - proba @ second.T)
    return np.asarray((back * (1.0 - hidden**2)) @ first.T)


def information_gain(X: sparse.csr_array, codes: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """Compute the mutual information of each word's presence and the class, in nats, float64 (V,)."""
    present = sparse.csr_array((np.ones_like(X.data, dtype=np.float64), X.indices, X.indptr), shape=X.shape)
    classes = np.bincount(codes)
    member = sparse.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))
    joint = np.stack([with_word := (member @ present).toarray(), classes[:, np.newaxis] - with_word]) / len(codes)
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    ratio = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
    return np.asarray(xlogy(joint, ratio).sum(axis=(0, 1)))


def chi_square(X: sparse.csr_array, codes: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """Compute the chi-squared statistic between each term and the class (`sklearn.feature_selection.chi2`), (V,)."""
    return np.nan_to_num(feature_selection.chi2(X, codes)[0])


def document_frequency(X: sparse.csr_array, *_: Any) -> np.ndarray:
    """Compute the document frequency of each word, float64 (V,)."""
    return np.bincount(X.indices, minlength=X.shape[1]).astype(np.float64)


def at_random(X: sparse.csr_array, _: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw random scores, float64 (V,)."""
    return rng.random(X.shape[1])


#: Name of a score -> function (X, codes, rng) that scores each word; the words with the largest scores are kept.
SCORES: dict[str, Callable[[sparse.csr_array, np.ndarray, np.random.Generator], np.ndarray]] = {
    "sensitivity": sensitivity,
    "information_gain": information_gain,
    "chi_square": chi_square,
    "document_frequency": document_frequency,
    "random": at_random,
}


def kept_words(scores: np.ndarray, frequency: np.ndarray, share: float) -> np.ndarray:
    """Return the columns of the best words in increasing order, int64; ties are resolved towards the first column."""
    seen = np.flatnonzero(frequency)
    order = seen[np.argsort(-scores[seen], kind="stable")]
    return np.sort(order[: max(1, round(share * len(seen)))])
