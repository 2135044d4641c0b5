"""Paragraph vectors by the distributed bag of words, written down as plainly as possible, and Huffman's tree."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np


class Splitmix:
    """The generator splitmix64."""

    def __init__(self, state: int) -> None:
        self.state = state

    def uniform(self) -> float:
        """Return a random number in [0, 1)."""
        most = 2**64
        self.state = (self.state + 0x9E3779B97F4A7C15) % most
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % most
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % most
        return ((z ^ (z >> 31)) >> 11) / 2**53


def huffman_codes(counts: Any) -> list[list[tuple[int, int]]]:
    """Return for each word the inner nodes and branches from the word to the root; node i is the i-th that is made."""
    heap = [(int(count), word, [word]) for word, count in enumerate(counts)]
    codes: list[list[tuple[int, int]]] = [[] for _ in counts]
    heapq.heapify(heap)
    for made in range(len(counts) - 1):
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        for branch, (_, _, words) in enumerate((first, second)):
            for word in words:
                codes[word].append((made, branch))
        heapq.heappush(heap, (first[0] + second[0], len(counts) + made, first[2] + second[2]))
    return codes


def train(
    documents: Any, order: Any, kept: Any, rate: float, passes: int, targets: Any, vectors: Any, outputs: Any, draw: Any
) -> None:
    """Train vectors (N, D) and outputs in place; ``targets(word)`` gives (row, wanted) pairs for one occurrence."""
    total, seen = passes * sum(map(len, documents)), 0
    for _ in range(passes):
        for d in order:
            now = max(rate * (1 - seen / total), rate * 1e-4 / 0.025)
            seen += len(documents[d])
            for word in documents[d]:
                if draw.uniform() >= kept[word]:
                    continue
                pairs = targets(word)
                steps = [now * (y - 1 / (1 + np.exp(-float(outputs[row] @ vectors[d])))) for row, y in pairs]
                change = sum(step * outputs[row] for step, (row, _) in zip(steps, pairs, strict=True))
                for step, (row, _) in zip(steps, pairs, strict=True):
                    outputs[row] += step * vectors[d]
                vectors[d] += change


def train_words(
    documents: Any,
    order: Any,
    kept: Any,
    rate: float,
    passes: int,
    window: int,
    targets: Any,
    vectors: Any,
    words: Any,
    outputs: Any,
    draw: Any,
) -> None:
    """Train vectors of documents and of words in turns, in place; the parameters are those of `train`."""

    def learn(vector: Any, pairs: Any, now: float) -> None:
        """Move a vector and the outputs."""
        steps = [now * (y - 1 / (1 + np.exp(-float(outputs[row] @ vector)))) for row, y in pairs]
        change = sum(step * outputs[row] for step, (row, _) in zip(steps, pairs, strict=True))
        for step, (row, _) in zip(steps, pairs, strict=True):
            outputs[row] += step * vector
        vector += change

    total, seen = passes * sum(map(len, documents)), 0
    for _ in range(passes):
        for d in order:
            now = max(rate * (1 - seen / total), rate * 1e-4 / 0.025)
            seen += len(documents[d])
            words_kept = [word for word in documents[d] if draw.uniform() < kept[word]]
            for i, word in enumerate(words_kept):
                reach = 1 + int(draw.uniform() * window)
                for j, other in enumerate(words_kept):
                    if j != i and abs(j - i) <= reach:
                        learn(words[other], targets(word), now)
                learn(vectors[d], targets(word), now)
