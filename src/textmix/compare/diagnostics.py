"""What a comparison tells of the chosen method beside its score: errors, confusions, doubted labels, calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from textmix.compare.metrics import Answer
from textmix.compare.search import Chosen, LabelledTexts, Search
from textmix.data.corpus import Corpus
from textmix.metrics.per_label import by_label, calibration

#: Columns of predictions.csv; several labels are joined by " | ".
PREDICTIONS = ("id", "true", "predicted", "right", "probability")
BETWEEN = " | "
#: Most labels of the confusion matrix, pairs, errors and doubts that are shown, and characters of a text.
MOST_LABELS, MOST_PAIRS, MOST_ERRORS, MOST_DOUBTS, CHARACTERS = 25, 6, 12, 12, 400
#: With fewer test documents a label is too rare to be judged.
FEW = 10
#: Probability of the given label below which it is doubted.
DOUBTED = 0.1
#: Labels by which exports of tables write that there is none, and marks between several labels of one cell.
NOTHING, MARKS = {"nan", "none", "null", "na", "n/a", "#n/a", "nil", "undefined"}, (", ", ";", "|")


def names_of(labels: np.ndarray, names: Sequence[str]) -> list[list[str]]:
    """Return the names of the labels of each document, of classes (N,) or indicators (N, L)."""
    if labels.ndim == 1:
        return [[names[label]] for label in labels.tolist()]
    return [[names[label] for label in np.flatnonzero(row).tolist()] for row in labels]


def stated(answer: Answer) -> list[list[float]]:
    """Return the probability of each predicted label of each document."""
    if answer.labels.ndim == 1:
        return [[value] for value in answer.probability[np.arange(len(answer.labels)), answer.labels].tolist()]
    pairs = zip(answer.labels, answer.probability, strict=True)
    return [[float(value) for value in row[labels > 0]] for labels, row in pairs]


def prediction_rows(
    ids: Sequence[str], truth: np.ndarray, answer: Answer, names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield a row of `PREDICTIONS` for each test document."""
    rows = zip(ids, names_of(truth, names), names_of(answer.labels, names), stated(answer), strict=True)
    for identifier, true, predicted, shares in rows:
        yield {
            **{"id": identifier, "true": BETWEEN.join(true), "predicted": BETWEEN.join(predicted)},
            **{"right": true == predicted, "probability": BETWEEN.join(f"{share:.6g}" for share in shares)},
        }


def inspect(ids: Sequence[str], test: LabelledTexts, answer: Answer, names: Sequence[str]) -> dict[str, Any]:
    """Return what the page shows of the answer to the test documents, ready for JSON.

    ``labels``, each with support, precision, recall and F; ``few``, those with few test documents; ``confusion`` and
    ``pairs`` of classes, of one label a document; ``calibration``; ``errors``, the surest first.
    """
    truth, single = test.y, test.task == "single"
    true, predicted = (
        (np.eye(len(names), dtype=np.int8)[each] if single else each.astype(np.int8)) for each in (truth, answer.labels)
    )
    shares = stated(answer)
    right = (true == predicted).all(axis=1)
    sure = np.array([min(each, default=0.0) for each in shares])
    probability = sure if single else answer.probability
    wrong = np.flatnonzero(~right)
    given, predicted_names = names_of(truth, names), names_of(answer.labels, names)
    errors = [
        {
            "id": ids[row],
            "true": given[row],
            "predicted": predicted_names[row],
            "stated": shares[row],
            "text": beginning(test.texts[row]),
        }
        for row in wrong[np.argsort(-sure[wrong], kind="stable")][:MOST_ERRORS].tolist()
    ]
    labels = by_label(true, predicted, names)
    return {
        **{"labels": labels, "few": [row["label"] for row in labels if row["support"] < FEW]},
        "confusion": _confusion(truth, answer.labels, names) if single else None,
        "pairs": _pairs(truth, answer.labels, names) if single else [],
        "calibration": calibration(probability, right if single else true),
        "errors": errors,
    }


def _confusion(true: np.ndarray, predicted: np.ndarray, names: Sequence[str]) -> dict[str, Any]:
    """Return ``labels`` and ``counts``, a row a true class, of the most frequent classes, and ``of`` how many."""
    shown = np.sort(np.argsort(-np.bincount(true, minlength=len(names)), kind="stable")[:MOST_LABELS])
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(counts, (true, predicted), 1)
    return {"labels": [names[i] for i in shown], "counts": counts[np.ix_(shown, shown)].tolist(), "of": len(names)}


def _pairs(true: np.ndarray, predicted: np.ndarray, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the pairs of classes that are confused most, more often than once."""
    wrong = true != predicted
    counted = Counter(zip(true[wrong].tolist(), predicted[wrong].tolist(), strict=True)).most_common(MOST_PAIRS)
    return [{"true": names[a], "predicted": names[b], "number": number} for (a, b), number in counted if number > 1]


def doubts(search: Search, chosen: Chosen, ids: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Return the documents of a search whose label is likely wrong, by fits to other documents, ready for JSON.  Of
    several labels the least likely statement counts: that a label stands, or that it does not.
    """
    documents = search.documents
    scores = [search.trials[part].scores[0] for part in chosen.parts]
    known = np.ones(len(documents.y), dtype=bool)
    for each in scores:
        known &= np.isfinite(each).any(axis=1)
    rows: np.ndarray = np.flatnonzero(known)
    probability = chosen.decision.probabilities([each[rows] for each in scores], documents.task)
    y = documents.y[rows]
    given = np.equal.outer(y, np.arange(len(names))) if y.ndim == 1 else y.astype(bool)
    likely = np.where(given, probability, np.inf if y.ndim == 1 else 1.0 - probability)
    doubted = likely.argmin(axis=1)
    least = likely[np.arange(len(rows)), doubted]
    order = np.argsort(least, kind="stable")[: min(MOST_DOUBTS, int(np.sum(least < DOUBTED)))]
    shown = []
    for at in order.tolist():
        row, likelier = int(rows[at]), int(probability[at].argmax() if y.ndim == 1 else doubted[at])
        shown.append(
            {
                **{"id": ids[row], "given": [names[label] for label in np.flatnonzero(given[at]).tolist()]},
                **{"likelier": names[likelier], "probability": float(probability[at, likelier])},
                **{"stated": float(least[at]), "text": beginning(documents.texts[row])},
            }
        )
    return {"number": int(np.sum(least < DOUBTED)), "of": len(rows), "below": DOUBTED, "shown": shown}


def remarks_of(corpus: Corpus, texts: Sequence[str], parts: tuple[np.ndarray, np.ndarray]) -> list[str]:
    """Return the properties of the data that may mislead a reader of the scores, one sentence each."""
    counts, n = np.asarray(corpus.labels.sum(axis=0)).ravel(), corpus.n_documents
    names = [str(name) for name in corpus.label_names]
    remarks = list(corpus.info.get("remarks", ()))
    nothing = [name for name in names if name.strip().lower() in NOTHING]
    if nothing:
        quoted = ", ".join(f"“{name}”" for name in nothing)
        remarks.append(f"{quoted} count as labels; empty these cells if they mean that there is none.")
    for mark in MARKS:
        joined = [name for name in names if mark in name]
        pieces = {piece.strip() for name in joined for piece in name.split(mark)}
        if len(joined) >= 2 and len(pieces & set(names)) >= 2:
            remarks.append(
                f"Labels such as “{joined[0]}” look like several labels of one cell; if so, give --separator '{mark}'."
            )
            break
    once = int(np.sum(counts == 1))
    if once:
        remarks.append(f"{once:,} of {len(names):,} labels occur in one document only.")
    largest = int(np.argmax(counts))
    if counts[largest] > 0.8 * n:
        remarks.append(
            f"{100 * counts[largest] / n:.0f} % of the documents have the label “{names[largest]}”: always predicting "
            "it is right as often; look at macro F rather than accuracy."
        )
    bare = int(np.sum(corpus.label_counts == 0))
    if bare:
        remarks.append(f"{bare:,} of {n:,} documents have no label.")
    train = {texts[row] for row in parts[0].tolist()}
    copied = sum(texts[row] in train for row in parts[1].tolist())
    if copied:
        remarks.append(
            f"{copied:,} of {len(parts[1]):,} test documents have the text of a training document, which flatters "
            "every method."
        )
    return remarks


def summary_of(corpus: Corpus, texts: Sequence[str], parts: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:
    """Return the data as they were read, for the page: numbers, labels, examples and remarks."""
    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    order = np.argsort(-counts, kind="stable")[:40]
    words = np.array([len(text.split()) for text in texts[:20000]])
    examples = [
        {"id": corpus.ids[row], "labels": _labels(corpus, row), "text": beginning(texts[row])}
        for row in range(min(3, corpus.n_documents))
    ]
    return {
        **{"documents": corpus.n_documents, "train": len(parts[0]), "test": len(parts[1])},
        **{"n_labels": len(corpus.label_names), "words": [int(each) for each in np.quantile(words, (0.0, 0.5, 1.0))]},
        "labels": [[str(corpus.label_names[label]), int(counts[label])] for label in order.tolist()],
        "examples": examples,
        "remarks": remarks_of(corpus, texts, parts),
    }


def _labels(corpus: Corpus, row: int) -> list[str]:
    """Return the names of the labels of a document."""
    places = corpus.labels.indices[slice(*corpus.labels.indptr[row : row + 2])]
    return [str(corpus.label_names[label]) for label in places]


def beginning(text: str, characters: int = CHARACTERS) -> str:
    """Return the first characters of a text on one line; an ellipsis says that it goes on."""
    start = " ".join(text[: 4 * characters].split())
    return f"{start[:characters]}…" if len(start) > characters or len(text) > 4 * characters else start
