"""Reference implementation of line vectors: skip-grams with hierarchical softmax, then lines with frozen outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tests.naive.vectors import Splitmix

Path = Sequence[tuple[int, int]]


def learning_rate(first: float, smallest: float, seen: int, total: int) -> float:
    """Return the learning rate after ``seen`` of ``total`` words."""
    return max(smallest, first * (1 - seen / total))


def windows(line: Sequence[int], window: int, draw: Splitmix) -> Iterator[tuple[int, list[int]]]:
    """Yield the position of each word, and the positions within the window that is drawn for it, itself included."""
    for position in range(len(line)):
        span = 1 + int(draw.uniform() * window)
        yield position, [other for other in range(len(line)) if abs(other - position) <= span]


def gradients(vector: np.ndarray, outputs: np.ndarray, path: Path) -> list[float]:
    """Return the gradient of the log-likelihood of each branch in the score of its node."""
    return [branch - 1 / (1 + np.exp(-float(outputs[node] @ vector))) for node, branch in path]


def train_words(
    lines: Sequence[Sequence[int]],
    paths: Sequence[Path],
    rates: tuple[float, float],
    window: int,
    words: np.ndarray,
    outputs: np.ndarray,
    draw: Splitmix,
) -> None:
    """Train the vectors of words (V, D) and of inner nodes in place."""
    total = sum(map(len, lines))
    seen = 0
    for number, line in enumerate(lines):
        if number % 100 == 0:
            rate = learning_rate(*rates, seen, total)
        seen += len(line)
        for position, others in windows(line, window, draw):
            path = paths[line[position]]
            for other in others:
                if other != position:
                    vector = words[line[other]].copy()
                    change = np.zeros_like(vector)
                    for (node, _), gradient in zip(path, gradients(vector, outputs, path), strict=True):
                        change += rate * gradient * outputs[node]
                        outputs[node] += rate * gradient * vector
                    words[line[other]] += change


def train_lines(
    lines: Sequence[Sequence[int]],
    order: Sequence[int],
    paths: Sequence[Path],
    rates: tuple[float, float],
    window: int,
    vectors: np.ndarray,
    outputs: np.ndarray,
    draw: Splitmix,
) -> None:
    """Train the vectors of lines (N, D) in place."""
    total = sum(map(len, lines))
    seen = 0
    for place, number in enumerate(order):
        line = lines[number]
        if place % 100 == 0:
            rate = learning_rate(*rates, seen, total)
        seen += len(line)
        for _, others in windows(line, window, draw):
            for other in others:
                path = paths[line[other]]
                steps = gradients(vectors[number], outputs, path)
                vectors[number] += sum(rate * step * outputs[node] for step, (node, _) in zip(steps, path, strict=True))
