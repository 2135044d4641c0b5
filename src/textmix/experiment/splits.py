"""Training and test splits, made once for a data set, so that all methods are compared on the same documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core import io
from textmix.core.errors import ConfigError
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged
from textmix.experiment.folds import evenly, fold_numbers, halves_of
from textmix.numerics.seeding import rng


@dataclass(frozen=True)
class Splits:
    """Training and test documents of T trials, each as rows of the corpus, int64, in increasing order."""

    train: Ragged
    test: Ragged

    @classmethod
    def of(cls, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> Splits:
        """Return the splits of some trials, each given by its training and its test rows in any order."""
        return cls(_join([train for train, _ in pairs]), _join([test for _, test in pairs]))

    def __len__(self) -> int:
        return len(self.train)

    def test_place(self, trial: int) -> slice:
        """Return the slice of one trial in an array that holds the test documents of all trials one after the other."""
        return slice(int(self.test.offsets[trial]), int(self.test.offsets[trial + 1]))

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the splits to a result folder, see `textmix.core.io.new_folder`."""
        with io.new_folder(folder, meta) as target:
            for name, part in (("train", self.train), ("test", self.test)):
                io.save_arrays(target, **{name: part.values, f"{name}_offsets": part.offsets})

    @classmethod
    def load(cls, folder: str | Path) -> Splits:
        """Read splits from a result folder; raises IntegrityError, or MissingResult with its reason."""
        io.check_result(folder)
        parts = {
            name: Ragged(io.load_array(folder, name, mmap=False), io.load_array(folder, f"{name}_offsets", mmap=False))
            for name in ("train", "test")
        }
        return cls(**parts)


def make_splits(corpus: Corpus, spec: Mapping[str, Any], seed: int, name: str, max_trials: int | None) -> Splits:
    """Split a corpus as a paper's ``splits`` entry says, into at most ``max_trials`` random splits or folds.

    - ``kind: given`` is the source's own split, of which each of ``trials`` has another seed.
    - ``kind: first`` trains on the first ``train`` documents (number or share) in the order of the source and tests on
      the rest, one trial.
    - ``kind: random`` has ``train`` and ``test``, numbers of documents (int) or shares (float; ``test`` is by default
      the rest), ``trials`` (one of ``enough`` documents or more), ``stratified`` and ``order``.
    - ``kind: folds`` has ``folds``, ``stratified`` and ``order``; every document is in the test part of one fold.
    - ``kind: groups`` leaves one group out in each trial; the group of a document is its id up to the first ``/``, and
      the groups ``train_only`` are never left out.

    The seed of the run, the data set, the trial and the scheme's ``order``, by default its ``name``, fix the
    permutation of the documents.  Random schemes of one order that differ in ``train`` alone have the same test
    documents and nested training parts, but for stratified splits of documents with several labels.
    """
    if spec["kind"] == "given":
        trials = spec.get("trials", 1)
        pairs = [_given(corpus, name)] * min(trials, max_trials or trials)
    elif spec["kind"] == "first":
        pairs = [_first(corpus, spec["train"], name)]
    elif spec["kind"] == "groups":
        pairs = _groups(corpus, spec.get("train_only", []), name)[:max_trials]
    elif spec["kind"] == "folds":
        pairs = _folds(corpus, spec, rng(seed, corpus.name, spec.get("order", name), "folds"), name)[:max_trials]
    else:
        several = corpus.n_documents < spec.get("single_split_min_documents", np.inf)
        trials = min(spec["trials"] if several else 1, max_trials or spec["trials"])
        order = spec.get("order", name)
        pairs = [_random(corpus, spec, rng(seed, corpus.name, order, trial, "split"), name) for trial in range(trials)]
    return Splits.of(pairs)


def _join(parts: Sequence[np.ndarray]) -> Ragged:
    """Return arrays of rows as one ragged array, int64, each sorted."""
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return Ragged(np.concatenate([np.sort(part) for part in parts]).astype(np.int64), offsets)


def _given(corpus: Corpus, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the source's own split."""
    if corpus.split is None:
        raise ConfigError(f"split {name}: {corpus.name} has no given split; choose kind: random")
    train, test = np.flatnonzero(corpus.split == TRAIN), np.flatnonzero(corpus.split == TEST)
    if not len(train) or not len(test):
        raise ConfigError(
            f"split {name}: {corpus.name} gives {len(train)} training, {len(test)} test documents; choose kind: random"
        )
    return train, test


def _first(corpus: Corpus, train: float, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the first documents, and of all later ones."""
    total = len(corpus.ids)
    size = _size(train, total)
    if not 0 < size < total:
        raise ConfigError(
            f"split {name}: train: {train} of the {total} documents of {corpus.name} leaves a part empty; change it"
        )
    return np.arange(size), np.arange(size, total)


def _size(share: float, total: int) -> int:
    """Return a number of documents, given as this number (int) or as a share of the total (float)."""
    return share if isinstance(share, int) else round(share * total)


def _random(
    corpus: Corpus, spec: Mapping[str, Any], generator: np.random.Generator, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of one random training and test part.

    Test documents come first in the permutation, so that training parts of different size in the same order are nested
    and have the same test documents.
    """
    total = corpus.n_documents
    n_train = _size(spec["train"], total)
    n_test = _size(spec["test"], total) if "test" in spec else total - n_train
    if n_train < 1 or n_test < 1 or n_train + n_test > total:
        raise ConfigError(f"split {name}: {n_train} + {n_test} documents asked of {corpus.name}'s {total}; lower them")
    order = generator.permutation(total)
    if spec.get("stratified", False):
        if np.any(corpus.label_counts != 1):
            sizes = np.array([n_test, n_train, total - n_test - n_train])
            part = stratify(corpus.labels, sizes / total, generator)
            return np.flatnonzero(part == 1), np.flatnonzero(part == 0)
        order = evenly(order, corpus.classes())
    return order[n_test : n_test + n_train], order[:n_test]


def _folds(
    corpus: Corpus, spec: Mapping[str, Any], generator: np.random.Generator, name: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each fold its training rows, which lie outside the fold, and its test rows, which lie in it."""
    total, n_folds = corpus.n_documents, spec["folds"]
    if total < n_folds:
        raise ConfigError(f"split {name}: {corpus.name}'s {total} documents make no {n_folds} folds; lower folds")
    stratified = spec.get("stratified", False)
    if stratified and np.any(corpus.label_counts != 1):
        part = stratify(corpus.labels, np.full(n_folds, 1 / n_folds), generator)
    else:
        part = fold_numbers(total, n_folds, generator, corpus.classes() if stratified else None)
    return list(halves_of(part))


def _groups(corpus: Corpus, train_only: Sequence[str], name: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each group, in alphabetical order, the rows outside the group and those in it."""
    groups = np.array([str(document).partition("/")[0] for document in corpus.ids])
    tested = [group for group in np.unique(groups) if group not in train_only]
    absent = sorted(set(train_only) - set(groups))
    if absent or len(np.unique(groups)) < 2 or not tested:
        raise ConfigError(
            f"split {name}: {corpus.name} has the groups {', '.join(np.unique(groups)[:10])}, and train_only names "
            f"{', '.join(train_only) or 'none'}; leave one of at least two groups to be tested"
        )
    return [(np.flatnonzero(groups != group), np.flatnonzero(groups == group)) for group in tested]


def stratify(labels: sparse.csr_array, shares: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return the part of each document, int64 (N,), so that each holds nearly its share of the documents of each label.

    Iterative stratification: the label with the fewest unassigned documents comes first.  Each of its documents goes to
    the part that lacks most documents of this label.  Ties go to the part that lacks most documents of any kind, and
    the remaining ties are drawn at random.  ``labels`` is CSR (N, L) of ones; ``shares`` (P,) of the parts have the sum
    1.

    Source: Sechidis, Tsoumakas and Vlahavas, On the stratification of multi-label data, ECML PKDD 2011, algorithm 1.
    """
    n_documents = labels.shape[0]
    order = generator.permutation(n_documents)
    by_label = sparse.csc_array(labels[order])  # rows of each label, in the random order
    counts = np.diff(by_label.indptr)
    lacking = shares * n_documents
    lacking_label = shares[:, np.newaxis] * counts  # (P, L)
    part = np.full(n_documents, -1, dtype=np.int64)
    unassigned = counts.copy()
    while unassigned.any():
        label = int(np.argmin(np.where(unassigned > 0, unassigned, n_documents + 1)))
        rows = by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]
        for document in order[rows]:
            if part[document] >= 0:
                continue
            chosen = _neediest(lacking_label[:, label], lacking, shares, generator)
            its_labels = labels.indices[labels.indptr[document] : labels.indptr[document + 1]]
            part[document] = chosen
            lacking[chosen] -= 1
            lacking_label[chosen, its_labels] -= 1
            unassigned[its_labels] -= 1
    for document in order[part[order] < 0]:
        part[document] = _neediest(lacking, lacking, shares, generator)
        lacking[part[document]] -= 1
    return part


def _neediest(first: np.ndarray, second: np.ndarray, shares: np.ndarray, generator: np.random.Generator) -> int:
    """Return the index of the part, of a positive share, that lacks most documents by ``first``, float (P,).

    ``second`` decides where ``first`` ties, and ``generator`` where both tie.
    """
    first = np.where(shares > 0, first, -np.inf)
    best = np.flatnonzero(first >= first.max() - 1e-9)
    best = best[second[best] >= second[best].max() - 1e-9]
    return int(best[0] if len(best) == 1 else generator.choice(best))
