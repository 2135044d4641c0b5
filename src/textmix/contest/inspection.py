"""A look into the predictions of one method: each label, the confusions, the errors, and the calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from textmix.contest.description import beginning
from textmix.data.corpus import Corpus
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.metrics.details import by_label, calibration
from textmix.metrics.significance import wilson

#: Columns of predictions.csv; several labels are joined by " | ".
PREDICTIONS = ("id", "trial", "true", "predicted", "right", "probability")
#: Largest numbers of labels of the confusion matrix, of errors, and of characters of a text that are shown.
MOST_LABELS, MOST_ERRORS, CHARACTERS = 25, 20, 400
#: Largest number of confused pairs that are shown, and of texts of each; fewest confusions of a pair.
MOST_PAIRS, TEXTS, TWICE = 6, 2, 2
#: With fewer test documents than these a label is too rare to be judged.
FEW = 10


def confusion(true: np.ndarray, predicted: np.ndarray, names: Sequence[str]) -> dict[str, Any]:
    """Return the confusion matrix of the most frequent classes: ``labels`` and ``counts``, a row a true class.

    Parameters
    ----------
    true, predicted : classes (T,).
    names : L names.
    """
    support = np.bincount(true, minlength=len(names))
    shown = np.sort(np.argsort(-support, kind="stable")[:MOST_LABELS])
    position = np.full(len(names), -1)
    position[shown] = np.arange(len(shown))
    inside = (position[true] >= 0) & (position[predicted] >= 0)
    counts = np.zeros((len(shown), len(shown)), dtype=np.int64)
    np.add.at(counts, (position[true[inside]], position[predicted[inside]]), 1)
    return {"labels": [str(names[i]) for i in shown], "counts": counts.tolist(), "of": len(names)}


def confused_pairs(predictions: Predictions, corpus: Corpus, splits: Splits) -> list[dict[str, Any]]:
    """Return the pairs of classes that are taken for each other most, over all trials, each with texts.

    Each has the class that is ``true``, the one that is ``predicted``, their ``number`` of test documents, and ``id``
    and ``text`` of some of them as ``texts``.  A pair that stands once is left out, and so are label sets.

    Parameters
    ----------
    predictions, corpus, splits : see `inspect`.
    """
    if predictions.classes is None or corpus.text is None:
        return []
    rows, names = splits.test.values, corpus.label_names
    pairs = np.column_stack([corpus.classes()[rows], predictions.classes[0]])
    wrong = np.flatnonzero(pairs[:, 0] != pairs[:, 1])
    found, numbers = np.unique(pairs[wrong], axis=0, return_counts=True)
    shown = []
    for k in np.argsort(-numbers, kind="stable")[:MOST_PAIRS]:
        if numbers[k] < TWICE:
            break
        of_pair = dict.fromkeys(rows[wrong[(pairs[wrong] == found[k]).all(axis=1)]].tolist())
        texts = [
            {"id": corpus.ids[row], "text": beginning(bytes(corpus.text[row]), CHARACTERS)}
            for row in list(of_pair)[:TEXTS]
        ]
        true, predicted = (str(names[label]) for label in found[k])
        shown.append({"true": true, "predicted": predicted, "number": int(numbers[k]), "texts": texts})
    return shown


def inspect(predictions: Predictions, corpus: Corpus, splits: Splits) -> dict[str, Any]:
    """Return what the page shows of one method, ready for JSON.

    Parameters
    ----------
    predictions : of one method; its first variant is taken.
    corpus : the parsed data set.
    splits : the trials.

    Returns
    -------
    ``labels``, ``confusion`` and ``calibration``; ``confused``, pairs of classes with texts; and ``few``, the labels
    with fewer than `FEW` test documents.
    """
    rows, names = splits.test.values, list(corpus.label_names)
    if predictions.classes is None:
        true, predicted = corpus.indicators()[rows], predictions.label_sets(0, slice(None), len(names))
        happened: np.ndarray = true
        single: dict[str, Any] | None = None
    else:
        classes, classified = corpus.classes()[rows], predictions.classes[0]
        happened, single = classes == classified, confusion(classes, classified, names)
        true, predicted = (np.eye(len(names), dtype=np.int8)[indices] for indices in (classes, classified))
    marginals = None if predictions.marginals is None else predictions.marginals[0]
    bins = [] if marginals is None else calibration(marginals, happened)
    labels = by_label(true, predicted, names)
    return {
        **{"labels": labels, "confusion": single, "calibration": bins},
        "confused": confused_pairs(predictions, corpus, splits),
        "few": [row["label"] for row in labels if row["support"] < FEW],
    }


def copy_sentences(copied: np.ndarray, right: np.ndarray) -> list[str]:
    """Return a sentence on test documents that are copies of training documents; none where there are none.

    Parameters
    ----------
    copied : of `copies`.
    right : whether the prediction of each test document is right as a whole, bool (T,).
    """
    number, of = int(copied.sum()), len(copied)
    if not number:
        return []
    head = f"{number:,} of {of:,} test documents have the text of a training document"
    if number == of:
        return [f"{head}: the score says nothing about new documents."]
    accuracy = float(right[~copied].mean())
    low, high = wilson(accuracy, of - number)
    return [
        f"{head}; of the {of - number:,} further ones {accuracy:.3f} are right, 95 % interval {low:.3f} to {high:.3f}."
    ]


def prediction_rows(predictions: Predictions, corpus: Corpus, splits: Splits) -> Iterator[dict[str, Any]]:
    """Yield a row of `PREDICTIONS` for each test document of each trial; the parameters are those of `inspect`."""
    names = [str(name) for name in corpus.label_names]
    for trial in range(len(splits)):
        test = splits.test_place(trial)
        for row, at in zip(splits.test[trial].tolist(), range(test.start, test.stop), strict=True):
            true = [names[i] for i in corpus.labels.indices[slice(*corpus.labels.indptr[row : row + 2])]]
            predicted = predicted_names(predictions, at, names)
            yield {
                **{"id": corpus.ids[row], "trial": trial, "true": " | ".join(true)},
                **{"predicted": " | ".join(predicted), "right": true == predicted},
                "probability": _probability(predictions, at),
            }


def predicted_names(predictions: Predictions, at: int, names: Sequence[str]) -> list[str]:
    """Return the names of the predicted labels of the test document at a place of the predictions."""
    if predictions.classes is not None:
        return [names[int(predictions.classes[0, at])]]
    labels = predictions.label_sets(0, slice(at, at + 1), len(names))[0]
    return [names[i] for i in np.flatnonzero(labels).tolist()]


def _probability(predictions: Predictions, at: int) -> str:
    """Return the probability of the predicted class, or of each predicted label joined by " | "; else empty."""
    if predictions.marginals is None:
        return ""
    marginals = predictions.marginals[0, at]
    if predictions.classes is not None:
        return f"{marginals:.6g}"
    shown = np.flatnonzero(predictions.label_sets(0, slice(at, at + 1), len(marginals))[0])
    return " | ".join(f"{value:.6g}" for value in marginals[shown])


def errors(
    predictions: Predictions, corpus: Corpus, splits: Splits, confidence: np.ndarray | None
) -> list[dict[str, Any]]:
    """Return the wrong predictions of the first trial with their texts, the most confident first.

    Each has ``id``, the labels that are ``true`` and ``predicted``, the probability ``stated`` for the predicted class
    or for each predicted label (empty where the method gives none), and the beginning of the ``text``.

    Parameters
    ----------
    predictions, corpus, splits : see `inspect`.
    confidence : of each prediction of the first trial, float (n,); larger is surer.  None keeps the order.  The
        probability that is stated for a class takes its place.
    """
    names, rows = [str(name) for name in corpus.label_names], splits.test[0]
    sure = np.zeros(len(rows)) if confidence is None else confidence
    if predictions.classes is not None and predictions.marginals is not None:
        sure = predictions.marginals[0, splits.test_place(0)]
    wrong: list[dict[str, Any]] = []
    for at in np.argsort(-sure, kind="stable").tolist():
        row = int(rows[at])
        true = [names[i] for i in corpus.labels.indices[slice(*corpus.labels.indptr[row : row + 2])]]
        predicted = predicted_names(predictions, splits.test_place(0).start + at, names)
        if true == predicted:
            continue
        text = "" if corpus.text is None else beginning(bytes(corpus.text[row]), CHARACTERS)
        stated = _probability(predictions, splits.test_place(0).start + at)
        shares = [float(part) for part in stated.split(" | ") if part]
        wrong.append({"id": corpus.ids[row], "true": true, "predicted": predicted, "stated": shares, "text": text})
        if len(wrong) == MOST_ERRORS:
            break
    return wrong
