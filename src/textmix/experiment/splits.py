"""Training and test splits of a data set, on which all methods are compared."""

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
    """Training and test documents of T trials.

    Parameters
    ----------
    train, test : Ragged
        Rows of the corpus in each trial, int64, in increasing order.
    """

    train: Ragged
    test: Ragged

    @classmethod
    def of(cls, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> Splits:
        """Create splits from the training and test rows of each trial, in any order."""
        train = _join([train for train, _ in pairs])
        test = _join([test for _, test in pairs])
        return cls(train, test)

    def __len__(self) -> int:
        return len(self.train)

    def test_place(self, trial: int) -> slice:
        """Return the slice of one trial in an array of the test documents of all trials."""
        offsets = self.test.offsets
        return slice(int(offsets[trial]), int(offsets[trial + 1]))

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the splits to a new result folder (`textmix.core.io.new_folder`)."""
        with io.new_folder(folder, meta) as target:
            for name, rows in (("train", self.train), ("test", self.test)):
                arrays = {name: rows.values, f"{name}_offsets": rows.offsets}
                io.save_arrays(target, **arrays)

    @classmethod
    def load(cls, folder: str | Path) -> Splits:
        """Read splits from a result folder.

        Raises
        ------
        IntegrityError
            If a file is missing or was modified.
        MissingResult
            If the job recorded a reason instead of a result.
        """
        io.check_result(folder)
        rows = {}
        for name in ("train", "test"):
            values = io.load_array(folder, name, mmap=False)
            offsets = io.load_array(folder, f"{name}_offsets", mmap=False)
            rows[name] = Ragged(values, offsets)
        return cls(**rows)


def make_splits(corpus: Corpus, spec: Mapping[str, Any], seed: int, name: str, max_trials: int | None) -> Splits:
    """Split a corpus according to the ``splits`` entry of a paper.

    - ``kind: given`` is the split of the source, repeated with another seed in each of ``trials``.
    - ``kind: first`` is one trial: the first ``train`` documents (number or proportion) in the order of the source are
      training documents, all others test documents.
    - ``kind: random`` has ``train`` and ``test``, numbers of documents (int) or proportions (float; ``test`` defaults
      to the remaining documents), ``trials`` (a single one from ``single_split_min_documents`` documents),
      ``stratified`` and ``order``. With ``fixed_training``, all trials have the training documents of the first trial.
    - ``kind: folds`` has ``folds``, ``stratified`` and ``order``; every document is a test document of one fold.
    - ``kind: groups`` tests on one group per trial; the group of a document is its id up to the first ``/``, and
      groups in ``train_only`` are always training groups.

    Seed, data set, trial and ``order`` determine the permutation of the documents.  Random splits with the same
    ``order`` that differ only in ``train`` have the same test documents and nested training documents, except for
    stratified splits of multi-label documents.

    Parameters
    ----------
    corpus : Corpus
    spec : mapping of str to object
        The entry.
    seed : int
        Seed of the run.
    name : str
        Name of the entry, the default of ``order``.
    max_trials : int or None
        Largest number of trials.

    Returns
    -------
    splits : Splits

    Raises
    ------
    ConfigError
        If the corpus cannot be split in this way.
    """
    if spec["kind"] == "given":
        trials = spec.get("trials", 1)
        n_trials = min(trials, max_trials or trials)
        pairs = [_given(corpus, name)] * n_trials
    elif spec["kind"] == "first":
        pairs = [_first(corpus, spec["train"], name)]
    elif spec["kind"] == "groups":
        pairs = _groups(corpus, spec.get("train_only", []), name)[:max_trials]
    elif spec["kind"] == "folds":
        generator = rng(seed, corpus.name, spec.get("order", name), "folds")
        pairs = _folds(corpus, spec, generator, name)[:max_trials]
    else:
        has_single_split = corpus.n_documents >= spec.get("single_split_min_documents", np.inf)
        trials = 1 if has_single_split else spec["trials"]
        order = spec.get("order", name)
        generators = [rng(seed, corpus.name, order, trial, "split") for trial in range(trials)[:max_trials]]
        pairs = [_random(corpus, spec, generator, name) for generator in generators]
        if spec.get("fixed_training", False):
            pairs = _fix_training(pairs, corpus.n_documents, generators)
    return Splits.of(pairs)


def _join(trials: Sequence[np.ndarray]) -> Ragged:
    """Sort the rows of each trial and join them in a ragged array of int64."""
    sizes = [len(rows) for rows in trials]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    values = np.concatenate([np.sort(rows) for rows in trials]).astype(np.int64)
    return Ragged(values, offsets)


def _given(corpus: Corpus, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return training and test rows of the split of the source."""
    if corpus.split is None:
        raise ConfigError(f"split {name}: {corpus.name} has no split of the source; choose kind: random")
    train = np.flatnonzero(corpus.split == TRAIN)
    test = np.flatnonzero(corpus.split == TEST)
    if not len(train) or not len(test):
        raise ConfigError(
            f"split {name}: {corpus.name} gives {len(train)} training, {len(test)} test documents; choose kind: random"
        )
    return train, test


def _first(corpus: Corpus, train: float, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the first documents as training, all others as test rows."""
    total = len(corpus.ids)
    size = _size(train, total)
    if not 0 < size < total:
        raise ConfigError(
            f"split {name}: train: {train} of the {total} documents of {corpus.name} leaves no training or no test "
            "documents; change it"
        )
    return np.arange(size), np.arange(size, total)


def _size(size: float, total: int) -> int:
    """Convert a number of documents (int) or a proportion of the total (float) to a number of documents."""
    return size if isinstance(size, int) else round(size * total)


def _random(
    corpus: Corpus, spec: Mapping[str, Any], generator: np.random.Generator, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the training and test rows of one random split.

    Test documents come first in the permutation, so that training sets of different sizes are nested and have the same
    test documents.
    """
    total = corpus.n_documents
    n_train = _size(spec["train"], total)
    n_test = _size(spec["test"], total) if "test" in spec else total - n_train
    if n_train < 1 or n_test < 1 or n_train + n_test > total:
        requested = f"{n_train} training and {n_test} test documents"
        raise ConfigError(f"split {name}: {requested} are not possible with the {total} of {corpus.name}; change them")
    order = generator.permutation(total)
    if spec.get("stratified", False):
        if np.any(corpus.label_counts != 1):
            sizes = np.array([n_test, n_train, total - n_test - n_train])
            subsets = stratify(corpus.labels, sizes / total, generator)
            return np.flatnonzero(subsets == 1), np.flatnonzero(subsets == 0)
        order = evenly(order, corpus.classes())
    return order[n_test : n_test + n_train], order[:n_test]


def _fix_training(
    pairs: Sequence[tuple[np.ndarray, np.ndarray]], n_documents: int, generators: Sequence[np.random.Generator]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Give all trials the training rows of the first; draw the test rows of the others from the remaining rows."""
    train, first_test = pairs[0]
    remaining = np.setdiff1d(np.arange(n_documents), train)
    fixed = [(train, first_test)]
    for generator in generators[1:]:
        test = generator.permutation(remaining)[: len(first_test)]
        fixed.append((train, test))
    return fixed


def _folds(
    corpus: Corpus, spec: Mapping[str, Any], generator: np.random.Generator, name: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test rows of each fold."""
    total = corpus.n_documents
    n_folds = spec["folds"]
    if total < n_folds:
        raise ConfigError(f"split {name}: folds: {n_folds} exceeds the {total} documents of {corpus.name}; lower it")
    stratified = spec.get("stratified", False)
    if stratified and np.any(corpus.label_counts != 1):
        proportions = np.full(n_folds, 1 / n_folds)
        numbers = stratify(corpus.labels, proportions, generator)
    else:
        classes = corpus.classes() if stratified else None
        numbers = fold_numbers(total, n_folds, generator, classes)
    return list(halves_of(numbers))


def _groups(corpus: Corpus, train_only: Sequence[str], name: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test rows, with each group as test group, in alphabetical order."""
    groups = np.array([str(document).partition("/")[0] for document in corpus.ids])
    distinct = np.unique(groups)
    tested = [group for group in distinct if group not in train_only]
    absent = sorted(set(train_only) - set(groups))
    if absent or len(distinct) < 2 or not tested:
        names = ", ".join(distinct[:10])
        excluded = ", ".join(train_only) or "none"
        raise ConfigError(
            f"split {name}: {corpus.name} has the groups {names}, and train_only contains {excluded}; "
            "hold out at least one of two or more groups"
        )
    pairs = []
    for group in tested:
        is_test = groups == group
        pairs.append((np.flatnonzero(~is_test), np.flatnonzero(is_test)))
    return pairs


def stratify(labels: sparse.csr_array, proportions: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Assign multi-label documents to subsets with nearly the same label proportions (iterative stratification).

    The label with the fewest unassigned documents comes first.  Each of its documents is assigned to the subset with
    the largest deficit of documents of this label; ties are resolved by the deficit of documents, then randomly.

    Parameters
    ----------
    labels : csr_array of shape (N, L)
        Label indicators.
    proportions : ndarray of shape (P,)
        Proportions of the subsets, with sum 1.
    generator : Generator
        Random generator for the order of the documents and for ties.

    Returns
    -------
    subsets : ndarray of shape (N,), dtype=int64
        Number of the subset of each document.

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas, On the stratification of multi-label data, ECML PKDD 2011, algorithm 1.
    """
    n_documents = labels.shape[0]
    order = generator.permutation(n_documents)
    by_label = sparse.csc_array(labels[order])
    counts = np.diff(by_label.indptr)
    deficits = proportions * n_documents
    label_deficits = proportions[:, np.newaxis] * counts  # (P, L)
    subsets = np.full(n_documents, -1, dtype=np.int64)
    unassigned = counts.copy()
    while unassigned.any():
        priority = np.where(unassigned > 0, unassigned, n_documents + 1)
        label = int(np.argmin(priority))
        start = by_label.indptr[label]
        stop = by_label.indptr[label + 1]
        rows = by_label.indices[start:stop]
        for document in order[rows]:
            if subsets[document] >= 0:
                continue
            subset = _neediest(label_deficits[:, label], deficits, proportions, generator)
            start = labels.indptr[document]
            stop = labels.indptr[document + 1]
            document_labels = labels.indices[start:stop]
            subsets[document] = subset
            deficits[subset] -= 1
            label_deficits[subset, document_labels] -= 1
            unassigned[document_labels] -= 1
    for document in order[subsets[order] < 0]:
        subset = _neediest(deficits, deficits, proportions, generator)
        subsets[document] = subset
        deficits[subset] -= 1
    return subsets


def _neediest(first: np.ndarray, second: np.ndarray, proportions: np.ndarray, generator: np.random.Generator) -> int:
    """Return the index of the subset with the largest ``first``, float (P,), among subsets of positive proportion.

    Ties are resolved by ``second``, then randomly.
    """
    first = np.where(proportions > 0, first, -np.inf)
    best = np.flatnonzero(first >= first.max() - 1e-9)
    best = best[second[best] >= second[best].max() - 1e-9]
    if len(best) == 1:
        return int(best[0])
    return int(generator.choice(best))
