"""Labels that are likely wrong: those to which a method gives little probability, fitted to other documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from textmix.contest.description import beginning
from textmix.data.corpus import Corpus
from textmix.experiment.compared import views_of
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.refit import Refit
from textmix.numerics.determinism import rng

#: Number of folds, and the probability of the given label below which it is doubted.
FOLDS, DOUBTED = 3, 0.1
#: Most documents that are shown, and characters of each.
SHOWN, CHARACTERS = 12, 400


def doubts(refit: Refit, corpus: Corpus) -> dict[str, Any]:
    """Return the training documents of the first trial whose label is likely wrong, ready for JSON.

    The probabilities of a document are those of the method fitted to the other folds.  Of several labels the least
    likely statement counts: that a label stands, or that it does not.  A label that a fit did not know is not doubted,
    for its probability says nothing of the document.

    Parameters
    ----------
    refit : the method at its point.
    corpus : the parsed documents.

    Returns
    -------
    ``number`` of documents whose given label has a probability below `DOUBTED`, ``of`` how many, ``below``, how many
    are ``left_out`` since no fit knew their label, and the least likely ones as ``shown``: ``id``, the ``given``
    labels, the ``likelier`` label, its ``probability``, that of what is ``stated``, and the ``text``.  Empty where the
    method gives no probabilities.
    """
    rows = np.sort(refit.splits.train[0])
    truth = refit.truth
    single = truth.ndim == 1
    numbers = fold_numbers(len(rows), FOLDS, rng(refit.seed, corpus.name, "doubts"), truth[rows] if single else None)
    n_labels = len(corpus.label_names)
    probability, known = np.zeros((len(rows), n_labels)), np.zeros((len(rows), n_labels), dtype=bool)
    for fit, held in halves_of(numbers):
        if single and len(np.unique(truth[rows[fit]])) < 2:
            continue
        known[held] = known_labels(truth[rows[fit]], n_labels)
        estimator = refit.fitted(rows[fit])
        if not hasattr(estimator, "predict_proba"):
            return {}
        found = estimator.predict_proba(views_of(refit.corpora, refit.entry)[rows[held]])
        columns = np.asarray(estimator.classes_) if found.shape[1] != n_labels else np.arange(n_labels)
        probability[np.ix_(held, columns)] = np.nan_to_num(found)
    return doubts_of(probability, known, truth[rows], rows, corpus)


def known_labels(truth: np.ndarray, n_labels: int) -> np.ndarray:
    """Return whether a fit to some documents knows each label, bool (L,).

    Parameters
    ----------
    truth : classes (n,), known where a document has them, or label indicators (n, L), known where a document has the
        label and another one lacks it.
    n_labels : L.
    """
    if truth.ndim == 1:
        return np.bincount(truth, minlength=n_labels) > 0
    return np.asarray(truth.any(axis=0) & ~truth.all(axis=0))


def doubts_of(
    probability: np.ndarray, known: np.ndarray, truth: np.ndarray, rows: np.ndarray, corpus: Corpus
) -> dict[str, Any]:
    """Return what `doubts` returns, of probabilities that fits to other documents gave.

    Parameters
    ----------
    probability : of each label, float64 (n, L).
    known : whether the fit that gave it knew the label (`known_labels`), bool (n, L).
    truth : classes (n,) or label indicators (n, L).
    rows : of the n documents in the corpus.
    corpus : the parsed documents.
    """
    single, n_labels = truth.ndim == 1, len(corpus.label_names)
    given = np.eye(n_labels, dtype=bool)[truth] if single else truth.astype(bool)
    stated = np.where(given, probability, np.inf if single else 1.0 - probability)
    stated = np.where(known, stated, np.inf)
    doubted = stated.argmin(axis=1)
    least = stated[np.arange(len(rows)), doubted]
    order = np.argsort(least, kind="stable")
    names = [str(name) for name in corpus.label_names]
    shown = []
    for at in order[: min(SHOWN, int(np.sum(least < DOUBTED)))].tolist():
        likelier = int(probability[at].argmax()) if single else int(doubted[at])
        text = "" if corpus.text is None else beginning(bytes(corpus.text[rows[at]]), CHARACTERS)
        shown.append(
            {
                **{"id": corpus.ids[rows[at]], "given": [names[i] for i in np.flatnonzero(given[at])]},
                **{"likelier": names[likelier], "probability": float(probability[at, likelier])},
                **{"stated": float(least[at]), "text": text},
            }
        )
    judged = int(np.isfinite(least).sum())
    return {
        **{"number": int(np.sum(least < DOUBTED)), "of": judged, "below": DOUBTED},
        **{"left_out": len(rows) - judged, "shown": shown},
    }
