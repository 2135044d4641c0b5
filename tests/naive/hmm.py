"""A hidden Markov model in plain loops in log space, and by the sum over all paths of states."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp


def all_paths(
    tokens: Sequence[int], start: np.ndarray, transitions: np.ndarray, emissions: np.ndarray
) -> tuple[float, tuple[int, ...]]:
    """Return log p(d), the sum over all paths, and the likeliest path; ``emissions`` is (V, S)."""
    found = {}
    for path in itertools.product(range(len(start)), repeat=len(tokens)):
        p = start[path[0]] * emissions[tokens[0], path[0]]
        for before, state, word in zip(path, path[1:], tokens[1:], strict=False):
            p *= transitions[before, state] * emissions[word, state]
        found[path] = p
    return math.log(sum(found.values())), max(found, key=found.__getitem__)


def log_forward(tokens: Sequence[int], start: np.ndarray, transitions: np.ndarray, emissions: np.ndarray) -> np.ndarray:
    """Return log p(w_1..w_t, state at t), (T, S)."""
    log_a, log_b = np.log(transitions), np.log(emissions)
    rows = [np.log(start) + log_b[tokens[0]]]
    for word in tokens[1:]:
        rows.append(logsumexp(rows[-1][:, np.newaxis] + log_a, axis=0) + log_b[word])
    return np.array(rows)


def log_backward(tokens: Sequence[int], transitions: np.ndarray, emissions: np.ndarray) -> np.ndarray:
    """Return log p(w_{t+1}..w_T | state at t), (T, S)."""
    log_a, log_b = np.log(transitions), np.log(emissions)
    rows = [np.zeros(transitions.shape[0])]
    for word in tokens[:0:-1]:
        rows.insert(0, logsumexp(log_a + log_b[word] + rows[0], axis=1))
    return np.array(rows)


def expected(
    documents: Sequence[Sequence[int]], start: np.ndarray, transitions: np.ndarray, emissions: np.ndarray
) -> tuple[list[float], np.ndarray, np.ndarray, np.ndarray]:
    """Return log p(d), and expected counts of first states (S,), transitions (S, S) and words (V, S)."""
    found = []
    first, pairs, words = np.zeros_like(start), np.zeros_like(transitions), np.zeros_like(emissions)
    for tokens in documents:
        if not tokens:
            found.append(0.0)
            continue
        ahead, behind = log_forward(tokens, start, transitions, emissions), log_backward(tokens, transitions, emissions)
        total = logsumexp(ahead[-1])
        found.append(total)
        posterior = np.exp(ahead + behind - total)
        first += posterior[0]
        for t, word in enumerate(tokens):
            words[word] += posterior[t]
            if t:
                step = np.log(transitions) + np.log(emissions[word]) + behind[t] + ahead[t - 1][:, np.newaxis]
                pairs += np.exp(step - total)
    return found, first, pairs, words


def log_likelihood_of_two(tokens: Sequence[int], start: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Return log p(d) for two states, in log space with plain numbers, fast enough for long documents."""
    (a00, a01), (a10, a11) = np.log(a).tolist()
    log_b = np.log(b).tolist()
    one, two = (np.log(start) + np.log(b[tokens[0]])).tolist()

    def add(x: float, y: float) -> float:
        return max(x, y) + math.log1p(math.exp(-abs(x - y)))

    for word in tokens[1:]:
        b0, b1 = log_b[word]
        one, two = add(one + a00, two + a10) + b0, add(one + a01, two + a11) + b1
    return add(one, two)
