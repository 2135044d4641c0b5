"""The Conditional Bernoulli Mixture, its search and the linear classifiers written down as plainly as possible."""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any

import numpy as np
from scipy.optimize import minimize

from tests.naive.vectors import Splitmix


def logistic_objective(X: Any, y: Any, weight: Any, variance: float, w: Any) -> float:
    """Return one weighted logistic regression's loss, with penalty; w holds the bias last."""
    total = 0.0
    for x, label, share in zip(X, y, weight, strict=True):
        z = float(np.dot(x, w[:-1]) + w[-1])
        total += share * (math.log1p(math.exp(-abs(z))) + max(z, 0.0) - label * z)
    return total + float(np.dot(w[:-1], w[:-1])) / (2.0 * variance)


def multinomial_objective(X: Any, target: Any, weight: Any, variance: float, W: Any) -> float:
    """Return the multinomial regression's loss with soft targets (N, C), with penalty; W is (V + 1, C)."""
    total = 0.0
    for x, share, size in zip(X, target, weight, strict=True):
        z = x @ W[:-1] + W[-1]
        total += size * (math.log(sum(math.exp(v - z.max()) for v in z)) + z.max() - float(np.dot(share, z)))
    return total + float(np.sum(W[:-1] ** 2)) / (2.0 * variance)


def best(objective: Any, size: int) -> float:
    """Return the least value that a general optimiser finds from zero."""
    return float(minimize(objective, np.zeros(size), method="BFGS", options={"gtol": 1e-8}).fun)


def mixture_probability(pi: Any, b: Any, y: Any) -> float:
    """Return p(y) of a mixture of Bernoulli labels: pi (K,), b (K, L), y (L,)."""
    total = 0.0
    for weight, row in zip(pi, b, strict=True):
        term = weight
        for p, on in zip(row, y, strict=True):
            term *= p if on else 1.0 - p
        total += term
    return total


def mode(pi: Any, b: Any, allow_empty: bool = True) -> tuple[tuple[int, ...], float]:
    """Return the likeliest of all label sets, and its probability."""
    sets = [y for y in itertools.product((0, 1), repeat=len(b[0])) if allow_empty or any(y)]
    return max(((y, mixture_probability(pi, b, y)) for y in sets), key=lambda pair: pair[1])


def expected_f(pi: Any, b: Any, z: Any) -> float:
    """Return the expected F of a predicted set under the mixture; F of two empty sets is 1."""
    total = 0.0
    for y in itertools.product((0, 1), repeat=len(z)):
        size = sum(y) + sum(z)
        f = 2.0 * sum(p * q for p, q in zip(y, z, strict=True)) / size if size else 1.0
        total += mixture_probability(pi, b, y) * f
    return total


def heap_mode(pi: Any, b: Any) -> tuple[float, int]:
    """Return the probability of the mode and the sets scored, by the best-first search with Python's heap.

    One heap of sets a component; every set pushes its one-label flips that were not seen before.
    """
    heaps, seen, best_value, scored = [], [], -1.0, 0
    for row in b:
        first = tuple(int(p >= 0.5) for p in row)
        heaps.append([(-_component(row, first), first)])
        seen.append({first})
    while any(heaps):
        bounds = [weight * -heap[0][0] if heap else 0.0 for weight, heap in zip(pi, heaps, strict=True)]
        if sum(bounds) <= best_value:
            break
        k = bounds.index(max(bounds))
        _, y = heapq.heappop(heaps[k])
        best_value = max(best_value, mixture_probability(pi, b, y))
        scored += 1
        for label in range(len(y)):
            other = (*y[:label], 1 - y[label], *y[label + 1 :])
            if other not in seen[k]:
                seen[k].add(other)
                heapq.heappush(heaps[k], (-_component(b[k], other), other))
    return best_value, scored


def _component(row: Any, y: Any) -> float:
    """Return the probability of a set under one component."""
    value = 1.0
    for p, on in zip(row, y, strict=True):
        value *= p if on else 1.0 - p
    return value


def chain_log_probability(Z: Any, V: Any, y: Any) -> float:
    """Return log p(y) of a chain: Z (L,) log odds of the features, V (L, L) links from earlier labels."""
    total = 0.0
    for label, on in enumerate(y):
        z = Z[label] + sum(V[j][label] for j in range(label) if y[j])
        total -= math.log1p(math.exp(-z)) if on else math.log1p(math.exp(z))
    return total


def chain_beam(Z: Any, V: Any, width: int) -> tuple[tuple[int, ...], float]:
    """Return the set of a beam through a chain, and log p of it; Z, V as for `chain_log_probability`."""
    beam: list[tuple[int, ...]] = [()]
    for label in range(len(Z)):
        grown = [(*y, on) for on in (1, 0) for y in beam]
        beam = sorted(grown, key=lambda y: -chain_log_probability(Z[: label + 1], V, y))[:width]
    return beam[0], chain_log_probability(Z, V, beam[0])


def chain_draws(Z: Any, V: Any, samples: int, seed: int) -> tuple[list[list[int]], Any]:
    """Return label sets drawn from a chain, label after label, and the mean of the probabilities that were met."""
    numbers, drawn, met = Splitmix(seed), [], np.zeros(len(Z))
    for _ in range(samples):
        y: list[int] = []
        for label in range(len(Z)):
            z = Z[label] + sum(V[j][label] for j in range(label) if y[j])
            p = 1 / (1 + math.exp(-z))
            met[label] += p / samples
            y.append(int(numbers.uniform() < p))
        drawn.append(y)
    return drawn, met


def listed_expected_f(p: Any, sets: Any, z: Any) -> float:
    """Return the expected F of a predicted set (L,) where listed sets (S, L) alone have probability p (S,)."""
    total = 0.0
    for weight, y in zip(p, sets, strict=True):
        size = int(sum(y)) + int(sum(z))
        total += weight * (2.0 * sum(int(a and b) for a, b in zip(y, z, strict=True)) / size if size else 1.0)
    return float(total)


def listed_best_f(p: Any, sets: Any) -> tuple[float, np.ndarray]:
    """Return the largest expected F over all label sets, and a set that has it."""
    every = [np.array(z) for z in itertools.product((0, 1), repeat=sets.shape[1])]
    values = [listed_expected_f(p, sets, z) for z in every]
    return max(values), every[int(np.argmax(values))]


def chain_nodes_above_mode(Z: Any, V: Any) -> int:
    """Return how many partial label sets, the empty start included, are likelier than the mode of a chain."""
    every = itertools.product((0, 1), repeat=len(Z))
    mode = max(chain_log_probability(Z, V, y) for y in every)
    partial = [y for size in range(len(Z)) for y in itertools.product((0, 1), repeat=size)]
    return sum(chain_log_probability(Z, V, y) > mode for y in partial)
