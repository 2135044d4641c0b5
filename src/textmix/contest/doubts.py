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
    likely statement counts: that a label stands, or that it does not.

    Parameters
    ----------
    refit : the method at its point.
    corpus : the parsed documents.

    Returns
    -------
    ``number`` of documents whose given label has a probability below `DOUBTED`, ``of`` how many, ``below``, and the
    least likely ones as ``shown``: ``id``, the ``given`` labels, the ``likelier`` label, its ``probability``, that of
    what is ``stated``, and the ``text``.  Empty where the method gives no probabilities, or a fold lacks a class.
    """
    rows = np.sort(refit.splits.train[0])
    truth = refit.truth
    single = truth.ndim == 1
    numbers = fold_numbers(len(rows), FOLDS, rng(refit.seed, corpus.name, "doubts"), truth[rows] if single else None)
    n_labels = len(corpus.label_names)
    probability = np.zeros((len(rows), n_labels))
    for fit, held in halves_of(numbers):
        estimator = refit.fitted(rows[fit])
        if not hasattr(estimator, "predict_proba"):
            return {}
        found = estimator.predict_proba(views_of(refit.corpora, refit.entry)[rows[held]])
        columns = np.asarray(estimator.classes_) if found.shape[1] != n_labels else np.arange(n_labels)
        probability[np.ix_(held, columns)] = np.nan_to_num(found)
    return doubts_of(probability, truth[rows], rows, corpus)


def doubts_of(probability: np.ndarray, truth: np.ndarray, rows: np.ndarray, corpus: Corpus) -> dict[str, Any]:
    """Return what `doubts` returns, of probabilities that fits to other documents gave.

    Parameters
    ----------
    probability : of each label, float64 (n, L).
    truth : classes (n,) or label indicators (n, L).
    rows : of the n documents in the corpus.
    corpus : the parsed documents.
    """
    single, n_labels = truth.ndim == 1, len(corpus.label_names)
    given = np.eye(n_labels, dtype=bool)[truth] if single else truth.astype(bool)
    stated = np.where(given, probability, np.inf if single else 1.0 - probability)
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
    return {"number": int(np.sum(least < DOUBTED)), "of": len(rows), "below": DOUBTED, "shown": shown}
