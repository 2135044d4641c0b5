"""Twins of the PMM kernels: the paper's equations as dense loops, and every label set scored afresh."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

#: Relative difference of two scores below which they tie, as the library has it.
TIE = 1e-12


def corpus(seed: int, n: int = 14, n_words: int = 11, n_labels: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return counts and labels with a page without words, one without labels, and a label without pages."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.9, (n, n_words)) * rng.choice([1, 1, 1, 7], (n, n_words))
    Y = (rng.random((n, n_labels)) < 0.45).astype(int)
    X[0], Y[1], Y[:, -1] = 0, 0, 0
    Y[2, :2] = 1
    return X, Y


def parameters(seed: int, n_words: int, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return word distributions (V, L) and a bias with alpha_lm + alpha_ml = 1."""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.ones(n_words), n_labels).T
    alpha = np.tril(rng.uniform(0.05, 0.95, (n_labels, n_labels)), -1)
    return theta, alpha + np.triu(1 - alpha.T, 1) + 0.5 * np.eye(n_labels)


def word_probabilities(labels: Sequence[int], theta: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return phi(y) by equation (4): the mean over pairs of labels; theta is (V, L)."""
    phi = np.zeros(len(theta))
    for a in labels:
        for b in labels:
            phi += (alpha[a, b] * theta[:, a] + alpha[b, a] * theta[:, b]) / len(labels) ** 2
    return phi


def log_likelihood(x: np.ndarray, labels: Sequence[int], theta: np.ndarray, alpha: np.ndarray) -> float:
    """Return sum_i x_i log phi_i(y) of one page (equations 3 and 5)."""
    phi = word_probabilities(labels, theta, alpha)
    return float(sum(x[i] * np.log(phi[i]) for i in range(len(x)) if x[i] > 0))


def objective(
    X: np.ndarray, Y: np.ndarray, theta: np.ndarray, alpha: np.ndarray, xi: float = 2, zeta: float = 2
) -> float:
    """Return J, equation (6); zeta = 1 for PMM1."""
    likelihood = sum(log_likelihood(x, np.flatnonzero(y), theta, alpha) for x, y in zip(X, Y, strict=True) if y.any())
    return float(likelihood + (xi - 1) * np.log(theta).sum() + (zeta - 1) * np.log(alpha).sum())


def literal_step(
    X: np.ndarray, Y: np.ndarray, theta: np.ndarray, alpha: np.ndarray, xi: float = 2, zeta: float = 2
) -> tuple[np.ndarray, np.ndarray]:
    """Return theta and alpha after equations (16) and (17), with g (9) and lambda (10) as the paper defines them."""
    n_words, n_labels = theta.shape
    numerator = np.full((n_words, n_labels), xi - 1.0)
    above = np.full((n_labels, n_labels), (zeta - 1) / 2)
    below = np.full((n_labels, n_labels), zeta - 1.0)
    for x, y in zip(X, Y, strict=True):
        if not y.any():
            continue
        h = y / y.sum()
        for i in range(n_words):
            pair = np.empty((n_labels, n_labels))
            for a, b in itertools.product(range(n_labels), repeat=2):
                pair[a, b] = alpha[a, b] * theta[i, a] + alpha[b, a] * theta[i, b]
            g = np.outer(h, h) * pair
            g /= g.sum()
            for a, b in itertools.product(range(n_labels), repeat=2):
                lam = alpha[a, b] * theta[i, a] / pair[a, b]
                numerator[i, a] += 2 * x[i] * g[a, b] * lam
                above[a, b] += x[i] * g[a, b] * lam
                below[a, b] += x[i] * g[a, b]
    new_alpha = above / below
    np.fill_diagonal(new_alpha, 0.5)
    return numerator / numerator.sum(axis=0), new_alpha


def auxiliary(
    X: np.ndarray, Y: np.ndarray, new: tuple[np.ndarray, np.ndarray], old: tuple[np.ndarray, np.ndarray]
) -> tuple[float, float]:
    """Return U (12) and T (13) of new parameters (theta, alpha), with g (9) and lambda (10) of the old ones."""
    upper = lower = 0.0
    for x, y in zip(X, Y, strict=True):
        labels = np.flatnonzero(y)
        for i, (a, b) in itertools.product(np.flatnonzero(x), itertools.product(labels, repeat=2)):
            share = 1.0 / len(labels) ** 2
            first, second = (theta[i, a] * alpha[a, b] for theta, alpha in (new, old))
            other, before = (theta[i, b] * alpha[b, a] for theta, alpha in (new, old))
            g = share * (second + before) / word_probabilities(labels, *old)[i]
            g_new = share * (first + other) / word_probabilities(labels, *new)[i]
            lam, lam_new = second / (second + before), first / (first + other)
            upper += x[i] * g * (lam * np.log(share * first) + (1 - lam) * np.log(share * other))
            entropy = lam * np.log(lam_new) + (1 - lam) * np.log(1 - lam_new)
            lower += x[i] * g * (np.log(g_new) + entropy)
    return float(upper), float(lower)


def pmm1_step(X: np.ndarray, Y: np.ndarray, theta: np.ndarray, xi: float = 2) -> np.ndarray:
    """Return theta after equation (21)."""
    numerator = np.full(theta.shape, xi - 1.0)
    for x, y in zip(X, Y, strict=True):
        for i in range(len(theta)):
            if y.any():
                share = y * theta[i]
                numerator[i] += x[i] * share / share.sum()
    return numerator / numerator.sum(axis=0)


def curvature(X: np.ndarray, Y: np.ndarray, theta: np.ndarray, direction: np.ndarray, xi: float = 2) -> float:
    """Return d^2 J(theta + tau direction) / d tau^2 at tau = 0, equation (22)."""
    total = -(xi - 1) * ((direction / theta) ** 2).sum()
    for x, y in zip(X, Y, strict=True):
        if y.any():
            h = y / y.sum()
            total -= (x * ((direction @ h) / (theta @ h)) ** 2).sum()
    return float(total)


def label_sets(n_labels: int) -> Iterator[tuple[int, ...]]:
    """Yield every label set that is not empty, in the order of the binary numbers."""
    for code in range(1, 2**n_labels):
        yield tuple(k for k in range(n_labels) if code >> k & 1)


def better(score: float, than: float) -> bool:
    """Return whether a score is above another by more than rounding."""
    return score > than and score - than > TIE * abs(score)


def exhaustive(x: np.ndarray, theta: np.ndarray, alpha: np.ndarray) -> tuple[tuple[int, ...], np.ndarray]:
    """Return the likeliest label set and the posterior probability of each label, by scoring all sets."""
    sets = list(label_sets(theta.shape[1]))
    scores = np.array([log_likelihood(x, labels, theta, alpha) for labels in sets])
    best = 0
    for place in range(len(sets)):
        if better(scores[place], scores[best]):
            best = place
    posterior = np.exp(scores - scores.max())
    marginal = np.zeros(theta.shape[1])
    for labels, share in zip(sets, posterior / posterior.sum(), strict=True):
        marginal[list(labels)] += share
    return sets[best], marginal


def greedy(x: np.ndarray, theta: np.ndarray, alpha: np.ndarray) -> tuple[list[int], list[tuple[list[int], float]]]:
    """Return the labels in the order in which they are added, and every set tried with its score."""
    chosen: list[int] = []
    reached, tried = -np.inf, []
    while len(chosen) < theta.shape[1]:
        best, best_score = -1, -np.inf
        for label in range(theta.shape[1]):
            if label in chosen:
                continue
            score = log_likelihood(x, [*chosen, label], theta, alpha)
            tried.append(([*chosen, label], score))
            if better(score, best_score):
                best, best_score = label, score
        if not better(best_score, reached):
            break
        chosen.append(best)
        reached = best_score
    return chosen, tried
