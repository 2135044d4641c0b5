"""Synthetic data sets with the format and shape of data sets that are not available everywhere.

A data set has a number of documents and features, a density, labels and distinct label sets.  The labels of a document
determine its most frequent features, so that classifiers have something to learn.  All files depend on the seed alone.
"""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

#: Label popularity and label set frequency fall with these powers of the rank.
LABEL_POWER = 0.8
SET_POWER = 1.0
#: Word frequency falls with this power of the rank (Zipf's law).
WORD_POWER = 1.0
#: Proportion of the words or of the feature variance of a document that its labels determine.
LABEL_PROPORTION = 0.3
#: Number of features that each label prefers.
FEATURES_OF_LABEL = 200
#: Number of phrases from which texts are composed, and the most words of one.
N_PHRASES = 60_000
MAX_PHRASE = 6
#: Number of documents that are formatted at a time.
CHUNK = 5000

Writer = Callable[[Path, "Shape", float, np.random.Generator], dict[str, Any]]


@dataclass(frozen=True)
class Shape:
    """Shape of a data set.

    Parameters
    ----------
    documents : int
        Number of documents.
    labels : int
        Number of labels.
    write : callable
        Writes the files of a proportion of the documents into a folder and returns the counts that a reader finds, as
        under ``expect`` in config/datasets.yaml.
    features : int, default=0
        Number of features; 0 for texts.
    mean : float, default=1.0
        Mean number of distinct features of a document, or of words of a text.
    label_sets : int, default=0
        Number of distinct label sets; 0 for a single label per document.
    cardinality : float, default=1.0
        Mean number of labels of a label set.
    train : float, default=0.0
        Proportion of training documents; 0 for a data set without a predefined split.
    """

    documents: int
    labels: int
    write: Writer
    features: int = 0
    mean: float = 1.0
    label_sets: int = 0
    cardinality: float = 1.0
    train: float = 0.0

    def n_documents(self, proportion: float) -> int:
        """Return the number of documents of a proportion, at least two for each label."""
        return max(round(proportion * self.documents), 2 * self.labels)


def zipf(n: int, power: float) -> np.ndarray:
    """Compute probabilities that fall with a power of the rank, float64 (n,)."""
    weights = 1.0 / np.arange(1, n + 1) ** power
    return weights / weights.sum()


def draw_label_sets(shape: Shape, n: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Draw the label sets of n documents, sorted label numbers; every label and every distinct set occurs."""
    sets = [(label,) for label in range(shape.labels)]
    known = set(sets)
    n_sets = min(max(shape.label_sets, shape.labels), n)
    popularity = zipf(shape.labels, LABEL_POWER)
    while len(sets) < n_sets:
        size = 2 + rng.poisson(max(shape.cardinality - 1.0, 0.5))
        chosen = tuple(sorted(set(rng.choice(shape.labels, size=min(size, shape.labels), p=popularity).tolist())))
        if chosen not in known:
            known.add(chosen)
            sets.append(chosen)
    order = rng.permutation(len(sets))
    numbers = np.concatenate([np.arange(len(sets)), rng.choice(len(sets), n - len(sets), p=zipf(len(sets), SET_POWER))])
    return [np.array(sets[order[number]]) for number in rng.permutation(numbers)]


def sparse_rows(
    shape: Shape, label_sets: Sequence[np.ndarray], rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the features, increasing, and the counts of each document."""
    frequency = np.cumsum(zipf(shape.features, WORD_POWER))
    preferred = rng.integers(shape.features, size=(shape.labels, FEATURES_OF_LABEL))
    for labels in label_sets:
        n_words = 1 + rng.poisson(2.0 * shape.mean * rng.gamma(4.0, 0.25))
        words = np.searchsorted(frequency, rng.random(n_words))
        own = rng.random(n_words) < LABEL_PROPORTION
        n_own = int(own.sum())
        words[own] = preferred[rng.choice(labels, n_own), rng.integers(FEATURES_OF_LABEL, size=n_own)]
        yield np.unique(np.minimum(words, shape.features - 1), return_counts=True)


def dense_rows(shape: Shape, label_sets: Sequence[np.ndarray], rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield the features of each document, float64 (features,)."""
    centres = rng.normal(scale=LABEL_PROPORTION, size=(shape.labels, shape.features))
    for labels in label_sets:
        yield centres[labels].sum(axis=0) + rng.normal(size=shape.features)


def arff_labels(folder: Path, name: str, n_labels: int) -> None:
    """Write MULAN's label file."""
    labels = "".join(f'<label name="Label{label + 1}"> </label>\n' for label in range(n_labels))
    text = f'<?xml version="1.0" ?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n{labels}</labels>\n'
    (folder / name).write_text(text, encoding="ascii")


def arff_header(shape: Shape, identifier: bool) -> str:
    """Return the header of an ARFF file: features, then labels."""
    first = ["@attribute Image_id numeric"] if identifier else []
    features = [f"@attribute Att{feature + 1} numeric" for feature in range(shape.features)]
    labels = [f"@attribute Label{label + 1} {{0,1}}" for label in range(shape.labels)]
    return "\n".join(["@relation rehearsal", "", *first, *features, *labels, "", "@data\n"])


def arff(dense: bool, identifier: bool = False) -> Writer:
    """Return a writer of one ARFF file, or of two for a predefined split, with a label file."""

    def write(folder: Path, shape: Shape, proportion: float, rng: np.random.Generator) -> dict[str, Any]:
        n = shape.n_documents(proportion)
        label_sets = draw_label_sets(shape, n, rng)
        rows = _dense_lines(shape, label_sets, identifier, rng) if dense else _sparse_lines(shape, label_sets, rng)
        parts = {"data": n}
        if shape.train:
            parts = {"train": round(shape.train * n)}
            parts["test"] = n - parts["train"]
        for role, size in parts.items():
            with open(folder / role, "w", encoding="ascii") as file:
                file.write(arff_header(shape, identifier))
                for _ in range(size):
                    file.write(next(rows))
        arff_labels(folder, "labels", shape.labels)
        n_sets = len({tuple(labels.tolist()) for labels in label_sets})
        counts = {"documents": n, "features": shape.features, "labels": shape.labels, "label_sets": n_sets}
        return counts | ({} if "data" in parts else parts)

    return write


def _sparse_lines(shape: Shape, label_sets: Sequence[np.ndarray], rng: np.random.Generator) -> Iterator[str]:
    for labels, (features, counts) in zip(label_sets, sparse_rows(shape, label_sets, rng), strict=True):
        cells = [f"{feature} {count}" for feature, count in zip(features.tolist(), counts.tolist(), strict=True)]
        cells += [f"{shape.features + label} 1" for label in labels.tolist()]
        yield "{" + ",".join(cells) + "}\n"


def _dense_lines(
    shape: Shape, label_sets: Sequence[np.ndarray], identifier: bool, rng: np.random.Generator
) -> Iterator[str]:
    for number, (labels, values) in enumerate(zip(label_sets, dense_rows(shape, label_sets, rng), strict=True)):
        member = np.zeros(shape.labels, dtype=int)
        member[labels] = 1
        first = [str(number)] if identifier else []
        yield ",".join([*first, *[f"{value:.6f}" for value in values.tolist()], *map(str, member.tolist())]) + "\n"


def libsvm(folder: Path, shape: Shape, proportion: float, rng: np.random.Generator) -> dict[str, Any]:
    """Write two bzip2 files in LIBSVM format with one label per document, numbered from 1."""
    n = shape.n_documents(proportion)
    label_sets = draw_label_sets(shape, n, rng)
    n_train = round(shape.train * n)
    rows = sparse_rows(shape, label_sets, rng)
    for role, part in (("train", label_sets[:n_train]), ("test", label_sets[n_train:])):
        with bz2.open(folder / role, "wt", encoding="ascii") as file:
            for labels in part:
                features, counts = next(rows)
                pairs = zip((features + 1).tolist(), counts.tolist(), strict=True)
                file.write(f"{labels[0] + 1} " + " ".join(f"{feature}:{count}" for feature, count in pairs) + "\n")
    counts = {"documents": n, "features": shape.features, "labels": shape.labels}
    return counts | {"train": n_train, "test": n - n_train}


class Phrases:
    """Random texts: sequences of phrases, each label with its own preferences.

    Texts of independent words would have almost no frequent n-grams of more than two words.
    """

    def __init__(self, n_labels: int, rng: np.random.Generator) -> None:
        n_words = 40_000
        syllables = ["ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu"]
        self.words = [
            syllables[word % 10] + syllables[word // 10 % 10] + syllables[word // 100 % 10] + _letters(word)
            for word in range(n_words)
        ]
        frequency = np.cumsum(zipf(n_words, WORD_POWER))
        lengths = rng.integers(1, MAX_PHRASE + 1, size=N_PHRASES)
        ids = np.minimum(np.searchsorted(frequency, rng.random(lengths.sum())), n_words - 1)
        ends = np.cumsum(lengths)
        self.phrases = [
            " ".join(self.words[word] for word in ids[end - length : end].tolist())
            for length, end in zip(lengths.tolist(), ends.tolist(), strict=True)
        ]
        self.frequency = np.cumsum(zipf(N_PHRASES, WORD_POWER))
        self.preferred = rng.integers(N_PHRASES, size=(n_labels, 5 * FEATURES_OF_LABEL))
        self.rng = rng

    def text(self, label: int, mean: float) -> str:
        """Compose a text of about ``mean`` words."""
        rng = self.rng
        n_phrases = 1 + rng.poisson(mean * rng.gamma(2.0, 0.5) / (0.5 * (1 + MAX_PHRASE)))
        chosen = np.searchsorted(self.frequency, rng.random(n_phrases))
        own = rng.random(n_phrases) < LABEL_PROPORTION
        chosen[own] = rng.choice(self.preferred[label], int(own.sum()))
        sentences = [self.phrases[min(phrase, N_PHRASES - 1)] for phrase in chosen.tolist()]
        return ", ".join(sentences) + "."


def _letters(number: int) -> str:
    """Return the word number in base 26, so that every word differs."""
    text = ""
    while number:
        number, digit = divmod(number, 26)
        text += chr(ord("a") + digit)
    return text


def snap_reviews(negative: float) -> Writer:
    """Return a writer of reviews in SNAP's format, gzip; an additional tenth has three stars, which readers skip."""

    def write(folder: Path, shape: Shape, proportion: float, rng: np.random.Generator) -> dict[str, Any]:
        n = shape.n_documents(proportion)
        phrases = Phrases(2, rng)
        is_neutral = np.zeros(n + n // 10, dtype=bool)
        is_neutral[rng.permutation(len(is_neutral))[: n // 10]] = True
        with gzip.open(folder / "data", "wt", encoding="latin-1", compresslevel=5) as file:
            for number, neutral in enumerate(is_neutral.tolist()):
                is_negative = rng.random() < negative
                stars = int(rng.choice([1, 2] if is_negative else [4, 5]))
                score = f"{3 if neutral else stars}.0"
                fields = {
                    "product/productId": f"B{number % 997:09d}",
                    "product/title": "unknown",
                    "product/price": "unknown",
                    "review/userId": f"A{number:013d}",
                    "review/profileName": "rehearsal",
                    "review/helpfulness": "0/0",
                    "review/score": score,
                    "review/time": str(1_200_000_000 + number),
                    "review/summary": "rehearsal",
                    "review/text": phrases.text(int(not is_negative), shape.mean),
                }
                file.write("".join(f"{key}: {value}\n" for key, value in fields.items()) + "\n")
        return {"documents": n, "labels": 2}

    return write


def web_pages(folder: Path, shape: Shape, proportion: float, rng: np.random.Generator) -> dict[str, Any]:
    """Write a tar.gz archive of web pages in one folder per class."""
    n = shape.n_documents(proportion)
    phrases = Phrases(shape.labels, rng)
    labels = [int(label_set[0]) for label_set in draw_label_sets(shape, n, rng)]
    with tarfile.open(folder / "archive", "w:gz", compresslevel=5) as archive:
        for number, label in enumerate(labels):
            text = phrases.text(label, shape.mean)
            page = f"<html><head><title>rehearsal</title></head><body>{text}</body></html>\n".encode("latin-1")
            member = tarfile.TarInfo(f"sector/S{label % 12}.sector/I{label}.industry/page{number}.html")
            member.size = len(page)
            archive.addfile(member, io.BytesIO(page))
    return {"documents": n, "labels": shape.labels}


def yahoo(documents: int, features: int, labels: int, label_sets: int) -> Shape:
    """Return the shape of a Yahoo problem; a page has about 130 distinct words."""
    sparse_arff = arff(dense=False)
    return Shape(documents, labels, sparse_arff, features, mean=130.0, label_sets=label_sets, cardinality=1.5)


#: Data set of config/datasets.yaml -> its shape. Numbers of label sets of Social and Society are estimates.
SHAPES: dict[str, Shape] = {
    "yahoo_computers": yahoo(12_444, 34_096, 33, 428),
    "yahoo_entertainment": yahoo(12_730, 32_001, 21, 337),
    "yahoo_recreation": yahoo(12_828, 30_324, 22, 530),
    "yahoo_social": yahoo(12_111, 52_350, 39, 361),
    "yahoo_society": yahoo(14_512, 31_802, 27, 1054),
    "tmc2007": Shape(28_596, 22, arff(dense=False), 49_060, 100.0, 1341, 2.2, train=0.7525),
    "mediamill": Shape(43_907, 101, arff(dense=True), 120, 120.0, 6555, 4.4, train=0.7069),
    "nus_wide": Shape(269_648, 81, arff(dense=True, identifier=True), 128, 128.0, 18_000, 1.9),
    "amazon_baby": Shape(169_411, 2, snap_reviews(32_950 / 169_411), mean=90.0),
    "amazon_phone": Shape(70_211, 2, snap_reviews(22_241 / 70_211), mean=90.0),
    "industry_sector_pages": Shape(9570, 104, web_pages, mean=250.0),
    "industry_sector": Shape(9619, 105, libsvm, 55_197, mean=110.0, train=0.6666),
}
