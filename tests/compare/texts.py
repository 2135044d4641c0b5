"""Small texts with labels that words decide, for tests of a comparison."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

#: Label -> words that speak for it.
TOPICS = {"sport": "goal match team player score league", "art": "paint stage opera museum colour sculpture"}
TOPICS |= {"law": "court judge statute appeal verdict clause"}
COMMON = "the a of and is in this that with for it was on as by".split()


def drawn(n: int, seed: int = 0, labels: int = 3) -> tuple[list[str], list[str]]:
    """Return N texts and the label of each; a tenth of the texts have words of another label only."""
    generator, names = np.random.default_rng(seed), list(TOPICS)[:labels]
    texts, given = [], []
    for _ in range(n):
        label = names[generator.integers(len(names))]
        topic = names[generator.integers(len(names))] if generator.random() < 0.1 else label
        words = [*generator.choice(TOPICS[topic].split(), 3), *generator.choice(COMMON, 8)]
        texts.append(" ".join(generator.permutation(words)))
        given.append(label)
    return texts, given


def drawn_sets(n: int, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Return N texts and the one or two labels of each."""
    generator, names = np.random.default_rng(seed), list(TOPICS)
    texts, given = [], []
    for _ in range(n):
        labels = sorted(generator.choice(names, size=1 + int(generator.random() < 0.4), replace=False).tolist())
        words = [word for label in labels for word in generator.choice(TOPICS[label].split(), 3)]
        texts.append(" ".join(generator.permutation([*words, *generator.choice(COMMON, 6)])))
        given.append(labels)
    return texts, given


def write_shop(path: Path, n: int = 150, seed: int = 0) -> Path:
    """Write a csv whose label is told by a price and a shop, and by its text on few rows only."""
    generator, names = np.random.default_rng(seed), list(TOPICS)
    rows = []
    for _ in range(n):
        label = names[generator.integers(len(names))]
        words = [*generator.choice(COMMON, 8), *generator.choice(TOPICS[label].split(), int(generator.random() < 0.2))]
        price = "" if generator.random() < 0.05 else f"{names.index(label) + generator.normal(0.0, 0.2):.2f}"
        rows.append((" ".join(words), price, "north" if label == "law" else "south", label))
    with open(path, "w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([("text", "price", "shop", "label"), *rows])
    return path


def write_table(path: Path, n: int = 120, seed: int = 0, several: bool = False) -> Path:
    """Write a csv with the columns text and label; several labels are joined by a semicolon."""
    texts, labels = drawn_sets(n, seed) if several else drawn(n, seed)
    joined = [";".join(label) if several else label for label in labels]
    with open(path, "w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([("text", "label"), *zip(texts, joined, strict=True)])
    return path
