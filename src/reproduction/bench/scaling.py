"""How time and memory grow: stages measured on synthetic documents with the statistics of a real collection.

The words of a synthetic document are drawn independently by their real shares, and its length and class are those of a
real document drawn at random.  So lengths, classes and the shares of words are the collection's; the vocabulary does
not grow beyond it.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy import sparse

from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.cost import measured
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.numerics.determinism import rng
from textmix.text.features import build_features

#: Documents that are drawn at a time, and those that a fitted model labels.
BLOCK, NEW = 20_000, 2_000
#: Documents where labels grow, and their words, the most frequent ones: PMM1 holds a number for each word and label.
FEW, FREQUENT = 3_000, 2_000


@dataclass(frozen=True)
class Source:
    """A real collection.

    Parameters
    ----------
    lengths : words of each document, int64 (N,), and ``classes`` its class, int (N,).
    words : the vocabulary, V words, and ``shares`` of all occurrences, float (V,).
    """

    lengths: np.ndarray
    classes: np.ndarray
    words: Sequence[str]
    shares: np.ndarray

    @classmethod
    def of(cls, corpus: Corpus) -> Source:
        """Return the statistics of a corpus of counts with one class a document."""
        counts: Any = corpus.features
        total = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        lengths = np.asarray(counts.sum(axis=1), dtype=np.int64).ravel()
        return cls(lengths, corpus.classes(), list(corpus.feature_names or ()), total / total.sum())

    def draw(self, size: int, generator: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield blocks of documents: their lengths, the indices of their words one after the other, and classes."""
        ends = np.cumsum(self.shares)
        for start in range(0, size, BLOCK):
            rows = generator.integers(len(self.lengths), size=min(BLOCK, size - start))
            drawn = np.searchsorted(ends, generator.random(int(self.lengths[rows].sum())) * ends[-1], side="right")
            yield self.lengths[rows], np.minimum(drawn, len(ends) - 1).astype(np.int32), self.classes[rows]

    def counts(self, size: int, generator: np.random.Generator) -> tuple[sparse.csr_array, np.ndarray]:
        """Return counts CSR (size, V), int32, and classes (size,)."""
        blocks, classes = [], []
        for lengths, words, kinds in self.draw(size, generator):
            offsets = np.concatenate([[0], np.cumsum(lengths)])
            block = sparse.csr_array((np.ones(len(words), np.int32), words, offsets), (len(lengths), len(self.words)))
            block.sum_duplicates()
            blocks.append(block)
            classes.append(kinds)
        return sparse.csr_array(sparse.vstack(blocks, format="csr")), np.concatenate(classes)

    def texts(self, size: int, generator: np.random.Generator) -> Corpus:
        """Return a corpus of texts."""
        spellings, texts, classes = np.array(self.words, dtype=object), [], []
        for lengths, words, kinds in self.draw(size, generator):
            spelt, end = spellings[words], np.cumsum(lengths)
            texts += [" ".join(spelt[a:b]).encode() for a, b in zip(end - lengths, end, strict=True)]
            classes.append(kinds)
        labels = label_matrix([[int(label)] for label in np.concatenate(classes)], int(self.classes.max()) + 1)
        names = [str(label) for label in range(labels.shape[1])]
        return Corpus("synthetic", [str(row) for row in range(size)], names, labels, text=Ragged.from_texts(texts))


def label_sets(n_documents: int, n_labels: int, generator: np.random.Generator) -> np.ndarray:
    """Return label indicators, int8 (N, L): one or two labels a document, of shares that fall as Zipf's law says.

    Each label stands alone in at least one document where there are enough documents.
    """
    shares = 1.0 / np.arange(1, n_labels + 1)
    sets = np.zeros((n_documents, n_labels), dtype=np.int8)
    rows = np.arange(n_documents)
    for _ in range(2):
        sets[rows, generator.choice(n_labels, n_documents, p=shares / shares.sum())] = 1
    few = rows[: min(n_documents, n_labels)]
    sets[few] = 0
    sets[few, few] = 1
    return sets


Steps = dict[str, Callable[[], Any]]


def _counted(**spec: Any) -> Callable[[Source, int, np.random.Generator], Steps]:
    """Return a case that counts texts by a features entry."""

    def case(source: Source, size: int, generator: np.random.Generator) -> Steps:
        """Return the step: texts to counts."""
        corpus = source.texts(size, generator)
        return {"count": lambda: build_features(corpus, {"tokenizer": "letters", **spec})}

    return case


def _classified(make: Callable[[], Any]) -> Callable[[Source, int, np.random.Generator], Steps]:
    """Return a case that fits a classifier of one class a document, and labels `NEW` documents."""

    def case(source: Source, size: int, generator: np.random.Generator) -> Steps:
        """Return the steps: a fit to documents, and the labels of new ones."""
        (X, y), (new, _), model = source.counts(size, generator), source.counts(NEW, generator), make()
        return {"fit": lambda: model.fit(X, y), "predict": lambda: model.predict(new)}

    return case


def _pmm_by_documents(source: Source, size: int, generator: np.random.Generator) -> Steps:
    """Return the steps of PMM1: a fit to documents of 20 labels, and the labels of new ones."""
    X, new, model = source.counts(size, generator)[0], source.counts(NEW, generator)[0], PMM1()
    return {"fit": lambda: model.fit(X, label_sets(size, 20, generator)), "predict": lambda: model.predict(new)}


def _pmm_by_labels(source: Source, size: int, generator: np.random.Generator) -> Steps:
    """Return the steps of PMM1: a fit to `FEW` documents, or one a label, of many labels, and labels of new ones."""
    documents = max(FEW, size)
    words = np.argsort(-source.shares, kind="stable")[:FREQUENT]
    X, new = (source.counts(number, generator)[0][:, words] for number in (documents, 100))
    model = PMM1(max_iter=20)
    sets = label_sets(documents, size, generator)
    return {"fit": lambda: model.fit(X, sets), "predict": lambda: model.predict(new)}


#: Name -> maker of the steps to measure, in order, from a source, a size and a generator.
CASES: Mapping[str, Callable[[Source, int, np.random.Generator], Steps]] = {
    "words": _counted(min_count=2),
    "skipgrams": _counted(max_n=2, max_slop=1, min_documents=5),
    "multinomial": _classified(MultinomialClassifier),
    "edcm": _classified(EDCMClassifier),
    "knn": _classified(KNNClassifier),
    "pmm1": _pmm_by_documents,
    "pmm1_labels": _pmm_by_labels,
}


def measure_case(case: str, axis: str, sizes: Sequence[int], corpus: Corpus, repeats: int = 3) -> list[dict[str, Any]]:
    """Measure the steps of a case at every size.

    Parameters
    ----------
    case : name in `CASES`.
    axis : what grows: ``documents`` or ``labels``.
    sizes : its values, in increasing order.
    corpus : the collection whose statistics the documents have.
    repeats : times that each size is measured, each on documents of its own.

    Returns
    -------
    rows of `reproduction.bench.growth.COLUMNS`.  The smallest size is run once before, so that no time contains the
    compilation of kernels.
    """
    source = Source.of(corpus)
    _measured(case, axis, source, (sizes[0], -1))
    once = functools.partial(_measured, case, axis, source)
    places = [(size, repeat) for size in sizes for repeat in range(repeats)]
    return [row for at in places for row in _apart(once, at)]


def _apart(call: Callable[[tuple[int, int]], list[dict[str, Any]]], at: tuple[int, int]) -> list[dict[str, Any]]:
    """Return what a call gives in a process of its own.

    Such a process has no memory that an earlier measurement gave back to it, and has the compiled kernels.  A pool that
    renews its only process after each task can wait for ever at its end: the new process is forked from a thread.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        return pool.submit(call, at).result()


def _measured(case: str, axis: str, source: Source, at: tuple[int, int]) -> list[dict[str, Any]]:
    """Return the rows of all steps of a case at a size and a repeat."""
    rows = []
    for step, call in CASES[case](source, at[0], rng(0, case, *at, "scaling")).items():
        start = time.process_time()
        result, cost = measured(call)
        spent = {"seconds": time.process_time() - start, "bytes": cost["bytes"], "stored": stored_cells(result)}
        rows.append({"case": case, "step": step, "axis": axis, "size": at[0], "repeat": at[1], **spent})
    return rows


def stored_cells(result: Any) -> int | None:
    """Return how many cells the features of a corpus store; None of any other result."""
    return int(result.features.nnz) if isinstance(result, Corpus) and result.features is not None else None
