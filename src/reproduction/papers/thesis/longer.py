"""Whether the Dirichlet compound multinomial gains as documents become longer.

Documents of a class are joined, or long documents keep a part of their words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from reproduction.flow.measures import Measure, MeasureData, Quantities
from reproduction.papers.thesis.latent_topics import chosen, nats
from textmix.experiment.trial import Documents
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier

MODELS = {"multinomial": MultinomialClassifier, "dcm": DCMClassifier, "edcm": EDCMClassifier}


def longer(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], rng: np.random.Generator) -> Measure:
    """Measure likelihood and accuracy as 1, 2, 4 and 8 documents of a class are joined to one.

    Training and test documents are joined alike, so that all lengths have the same words.

    Parameters
    ----------
    sources : role -> data set.
    settings : ``joined``, numbers of documents that are joined, increasing from 1; ``smoothing``, values to choose from
        by held-out training documents.
    rng : draws which documents are joined.

    Returns
    -------
    a measure with ``<role>_<model>_<m>_nats`` (multinomial and DCM: log perplexity, nats a word) and
    ``<role>_<model>_<m>_accuracy`` (with the EDCM, which has no normalised likelihood) for m joined documents;
    ``<role>_dcm_nats_growth``, ``<role>_dcm_accuracy_growth`` and ``<role>_edcm_accuracy_growth``: the gain over the
    multinomial at the largest m less that at 1, with intervals over the splits; and the table ``trials``.
    """

    def of_length(documents: Documents, m: int) -> Documents:
        """Return documents of which each m are one."""
        return Documents(*joined(documents.X, documents.y, m))

    return _measured(sources, settings["joined"], of_length, settings["smoothing"], rng)


def thinned(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], rng: np.random.Generator) -> Measure:
    """Measure likelihood and accuracy as long documents keep a part of their words, drawn at random.

    A document keeps the burstiness of its one author at every length, which joined documents do not have.

    Parameters
    ----------
    sources : role -> data set.
    settings : ``percent`` of the words that are kept, increasing to 100; ``words``, least number of words of a document
        that is used; ``smoothing``, as of `longer`.
    rng : draws the words that are kept.

    Returns
    -------
    a measure with the values and the table of `longer`, the percentage in the place of m.
    """

    def of_length(documents: Documents, percent: int) -> Documents:
        """Return long documents with a part of their words; one that keeps no word is left out."""
        long = documents[np.flatnonzero(documents.lengths >= settings["words"])]
        thinned = Documents(thin(long.X, percent / 100.0, rng), long.y)
        return thinned[np.flatnonzero(thinned.lengths > 0)]

    return _measured(sources, settings["percent"], of_length, settings["smoothing"], rng)


def _measured(
    sources: Mapping[str, MeasureData],
    lengths: Sequence[int],
    of_length: Callable[[Documents, int], Documents],
    smoothing: Sequence[float],
    rng: np.random.Generator,
) -> Measure:
    """Return the measure over documents of each length, which ``of_length`` makes of documents."""
    sizes = [len(part[0]) for source in sources.values() for part in (source.splits.test, source.splits.train)]
    quantities = Quantities(sizes[0] / sizes[1])
    for role, source in sources.items():
        documents = source.documents()
        for trial in range(len(source.splits)):
            rows = [rng.permutation(part[trial]) for part in (source.splits.train, source.splits.test)]
            by_length = {m: [of_length(documents[part_rows], m) for part_rows in rows] for m in lengths}
            quantities.add(role, _trial(by_length, smoothing))
    grown = ("dcm_nats_growth", "dcm_accuracy_growth", "edcm_accuracy_growth")
    growth = quantities.differences({name: (name, "") for name in grown}, list(sources))
    return Measure({**quantities.means(), **growth}, {"trials": quantities.rows()})


def _trial(by_length: Mapping[int, Sequence[Documents]], smoothing: Sequence[float]) -> dict[str, float]:
    """Return the numbers of one trial, from each length's training and test documents, the shortest first."""
    points, numbers = [{"smoothing": value} for value in smoothing], dict[str, float]()
    for m, (train, test) in by_length.items():
        for name, kind in MODELS.items():
            model = train.fitted(kind(smoothing=0.01)) if name == "edcm" else chosen(kind, points, train)
            numbers[f"{name}_{m}_accuracy"] = test.accuracy(model)
            if name != "edcm":
                numbers[f"{name}_{m}_nats"] = nats(model, test)

    def gain(name: str, m: int, of: str, sign: float) -> float:
        """Return by how much a model is better than the multinomial at length m."""
        return sign * (numbers[f"{name}_{m}_{of}"] - numbers[f"multinomial_{m}_{of}"])

    least, *_, most = by_length
    for name, of, sign in (("dcm", "nats", -1.0), ("dcm", "accuracy", 1.0), ("edcm", "accuracy", 1.0)):
        numbers[f"{name}_{of}_growth"] = gain(name, most, of, sign) - gain(name, least, of, sign)
    return numbers


def thin(X: sparse.csr_array, share: float, rng: np.random.Generator) -> sparse.csr_array:
    """Return documents (N, V) that keep each occurrence of a word with the chance ``share``."""
    documents = X.copy()
    documents.data = rng.binomial(X.data.astype(np.int64), share).astype(X.dtype)
    documents.eliminate_zeros()
    return documents


def joined(X: sparse.csr_array, y: np.ndarray, m: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Return documents (N, V) of which each m of a class, in order, are one, and their classes.

    Fewer than m that remain of a class are one document too.
    """
    number = np.empty(len(y), dtype=np.int64)
    for label in np.unique(y):
        of_class = np.flatnonzero(y == label)
        number[of_class] = np.arange(len(of_class)) // m
    _, first, group = np.unique(np.column_stack([y, number]), axis=0, return_index=True, return_inverse=True)
    ones = np.ones(len(y), dtype=X.dtype)
    sums = sparse.csr_array((ones, (group.ravel(), np.arange(len(y)))), shape=(len(first), len(y))) @ X
    return sparse.csr_array(sums), y[first]
