"""Diagnostics of the chosen model: errors, confusions, suspicious labels, calibration, and warnings about the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from textmix.compare.choice import Chosen
from textmix.compare.documents import LabelledTexts
from textmix.compare.metrics import Answer
from textmix.compare.search import Search
from textmix.compare.standings import has_scores
from textmix.data.corpus import Corpus, Ragged
from textmix.metrics.per_label import by_label, calibration

#: Columns of predictions.csv, and the label separator within a cell.
PREDICTION_COLUMNS = ("id", "true", "predicted", "right", "probability")
LABEL_SEPARATOR = " | "
MAX_CONFUSION_LABELS = 25
MAX_CONFUSED_PAIRS = 6
MAX_ERRORS = 12
MAX_SUSPICIOUS_LABELS = 12
MAX_LISTED_LABELS = 40
MAX_TEXT_CHARACTERS = 400
N_EXAMPLES = 3
#: Maximum number of texts in which words are counted.
MAX_COUNTED_TEXTS = 20_000
#: A label with fewer test documents is too rare for a reliable evaluation.
MIN_TEST_DOCUMENTS = 10
#: A label is suspicious if its cross-validated probability is below this threshold.
MAX_SUSPICIOUS_PROBABILITY = 0.1
#: Labels that represent missing values in exported tables.
MISSING_MARKERS = {"nan", "none", "null", "na", "n/a", "#n/a", "nil", "undefined"}
#: Candidate label separators within a cell.
CELL_SEPARATORS = (", ", ";", "|")
MIN_JOINED_LABELS = 2
#: Above this proportion of the majority class, accuracy is uninformative.
MAX_MAJORITY = 0.8


def names_of(labels: np.ndarray, names: Sequence[str]) -> list[list[str]]:
    """Convert class indices or label indicators to label names.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,) or (n_documents, n_labels)
        Class indices or label indicators.
    names : sequence of str
        Label names.

    Returns
    -------
    list of list of str
        Label names of each document.
    """
    if labels.ndim == 1:
        return [[names[label]] for label in labels.tolist()]
    return [[names[label] for label in np.flatnonzero(row).tolist()] for row in labels]


def predicted_probabilities(answer: Answer) -> list[list[float]]:
    """Return the probabilities of the predicted labels of each document."""
    if answer.labels.ndim == 1:
        probability = answer.probability[np.arange(len(answer.labels)), answer.labels]
        return [[value] for value in probability.tolist()]
    rows = zip(answer.labels, answer.probability, strict=True)
    return [[float(value) for value in probability[labels > 0]] for labels, probability in rows]


def prediction_rows(
    ids: Sequence[str], truth: np.ndarray, answer: Answer, names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Generate the rows of predictions.csv, one per test document."""
    true_names = names_of(truth, names)
    predicted_names = names_of(answer.labels, names)
    rows = zip(ids, true_names, predicted_names, predicted_probabilities(answer), strict=True)
    for identifier, true, predicted, probabilities in rows:
        yield {
            "id": identifier,
            "true": LABEL_SEPARATOR.join(true),
            "predicted": LABEL_SEPARATOR.join(predicted),
            "right": true == predicted,
            "probability": LABEL_SEPARATOR.join(f"{probability:.6g}" for probability in probabilities),
        }


def inspect(ids: Sequence[str], test: LabelledTexts, answer: Answer, names: Sequence[str]) -> dict[str, Any]:
    """Describe the predictions of the test documents for the report.

    Parameters
    ----------
    ids : sequence of str
        Identifiers of the test documents.
    test : LabelledTexts
        Test documents.
    answer : Answer
        Predictions.
    names : sequence of str
        Names of the labels.

    Returns
    -------
    dict
        ``labels`` with support, precision, recall and F1; ``rare``, labels with few test documents; ``confusion`` and
        ``pairs`` for single-label data; ``calibration``; ``errors`` in order of decreasing confidence.
    """
    is_single = test.task == "single"
    true = _indicators(test.y, len(names))
    predicted = _indicators(answer.labels, len(names))
    is_correct = (true == predicted).all(axis=1)
    confidence = np.array([min(row, default=0.0) for row in predicted_probabilities(answer)])
    labels = by_label(true, predicted, names)
    errors = _errors(ids, test, answer, names, is_correct=is_correct, confidence=confidence)
    rare = [row["label"] for row in labels if row["support"] < MIN_TEST_DOCUMENTS]
    result: dict[str, Any] = {"labels": labels, "rare": rare, "errors": errors, "confusion": None, "pairs": []}
    if not is_single:
        result["calibration"] = calibration(answer.probability, true)
        return result
    result["calibration"] = calibration(confidence, is_correct)
    result["confusion"] = _confusion(test.y, answer.labels, names)
    result["pairs"] = _confused_pairs(test.y, answer.labels, names)
    return result


def _indicators(labels: np.ndarray, n_labels: int) -> np.ndarray:
    """Convert class indices to label indicators, int8 (n_documents, n_labels)."""
    return np.eye(n_labels, dtype=np.int8)[labels] if labels.ndim == 1 else labels.astype(np.int8)


def _errors(
    ids: Sequence[str],
    test: LabelledTexts,
    answer: Answer,
    names: Sequence[str],
    *,
    is_correct: np.ndarray,
    confidence: np.ndarray,
) -> list[dict[str, Any]]:
    """Return the wrong predictions with the highest probabilities."""
    wrong = np.flatnonzero(~is_correct)
    true_names = names_of(test.y, names)
    predicted_names = names_of(answer.labels, names)
    probabilities = predicted_probabilities(answer)
    most_confident = wrong[np.argsort(-confidence[wrong], kind="stable")][:MAX_ERRORS]
    errors = []
    for row in most_confident.tolist():
        error = {"id": ids[row], "true": true_names[row], "predicted": predicted_names[row]}
        error["probabilities"] = probabilities[row]
        error["text"] = excerpt(test.texts.text(row))
        errors.append(error)
    return errors


def _confusion(true: np.ndarray, predicted: np.ndarray, names: Sequence[str]) -> dict[str, Any]:
    """Compute the confusion matrix of the most frequent classes, with one row per true class."""
    frequency = np.bincount(true, minlength=len(names))
    frequent = np.sort(np.argsort(-frequency, kind="stable")[:MAX_CONFUSION_LABELS])
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(counts, (true, predicted), 1)
    return {
        "labels": [names[label] for label in frequent],
        "counts": counts[np.ix_(frequent, frequent)].tolist(),
        "n_labels": len(names),
    }


def _confused_pairs(true: np.ndarray, predicted: np.ndarray, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the most frequently confused pairs of classes with more than one error."""
    wrong = true != predicted
    pairs = Counter(zip(true[wrong].tolist(), predicted[wrong].tolist(), strict=True))
    return [
        {"true": names[true_label], "predicted": names[predicted_label], "number": number}
        for (true_label, predicted_label), number in pairs.most_common(MAX_CONFUSED_PAIRS)
        if number > 1
    ]


def suspicious_labels(search: Search, winner: Chosen, ids: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Detect training documents with a label that is improbable according to cross-validation.

    For multi-label data, use the least probable decision: either that a label applies or that it does not.

    Parameters
    ----------
    search : Search
        The search, which provides the cross-validated scores.
    winner : Chosen
        The chosen candidate or ensemble.
    ids : sequence of str
        Identifiers of the documents of the search.
    names : sequence of str
        Names of the labels.

    Returns
    -------
    dict
        ``number`` of suspicious documents, ``of`` the number of all documents, ``below`` the probability threshold,
        and ``shown``, the most suspicious ones.
    """
    documents = search.documents
    scores = [search.standings.results[member].scores[0] for member in winner.members]
    rows = np.flatnonzero(has_scores(scores))
    y = documents.y[rows]
    is_single = y.ndim == 1
    probability = winner.decision.probabilities([member[rows] for member in scores], documents.task)
    is_given = np.equal.outer(y, np.arange(len(names))) if is_single else y.astype(bool)
    of_decision = np.where(is_given, probability, np.inf if is_single else 1.0 - probability)
    label = of_decision.argmin(axis=1)
    lowest = of_decision[np.arange(len(rows)), label]
    n_suspicious = int(np.sum(lowest < MAX_SUSPICIOUS_PROBABILITY))
    suggested = probability.argmax(axis=1) if is_single else label
    order = np.argsort(lowest, kind="stable")[: min(MAX_SUSPICIOUS_LABELS, n_suspicious)]
    rows_shown = []
    for number in order.tolist():
        suggestion = suggested[number]
        given_labels = [names[label] for label in np.flatnonzero(is_given[number]).tolist()]
        row = int(rows[number])
        text = excerpt(documents.texts.text(row))
        row_shown: dict[str, Any] = {"id": ids[row], "given": given_labels, "text": text}
        row_shown["given_probability"] = float(lowest[number])
        row_shown["suggested"] = names[suggestion]
        row_shown["suggested_probability"] = float(probability[number, suggestion])
        rows_shown.append(row_shown)
    return {"number": n_suspicious, "of": len(rows), "below": MAX_SUSPICIOUS_PROBABILITY, "shown": rows_shown}


def data_warnings(corpus: Corpus, training: np.ndarray, test: np.ndarray) -> list[str]:
    """Check the data for properties that may make the scores misleading.

    Parameters
    ----------
    corpus : Corpus
        The data.
    training, test : ndarray of int
        Rows of the training and of the test documents.

    Returns
    -------
    list of str
        One sentence per warning.
    """
    names = [str(name) for name in corpus.label_names]
    warnings = [
        *corpus.info.get("remarks", ()),
        *_label_name_warnings(names),
        *_label_count_warnings(corpus, names),
        *_duplicate_warnings(corpus.text, training, test),
    ]
    return [str(warning) for warning in warnings]


def _label_name_warnings(names: Sequence[str]) -> Iterator[str]:
    missing = [name for name in names if name.strip().lower() in MISSING_MARKERS]
    if missing:
        quoted = ", ".join(f"“{name}”" for name in missing)
        yield f"{quoted} are treated as labels; empty these cells if they mean that the label is missing."
    for separator in CELL_SEPARATORS:
        joined = [name for name in names if separator in name]
        pieces = {piece.strip() for name in joined for piece in name.split(separator)}
        if len(joined) >= MIN_JOINED_LABELS and len(pieces & set(names)) >= MIN_JOINED_LABELS:
            yield (
                f"Labels such as “{joined[0]}” look like several labels in one cell; if so, use --separator "
                f"'{separator}'."
            )
            return


def _label_count_warnings(corpus: Corpus, names: Sequence[str]) -> Iterator[str]:
    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    n_documents = corpus.n_documents
    n_single = int(np.sum(counts == 1))
    if n_single:
        yield f"{n_single:,} of {len(names):,} labels occur in one document only."
    largest = int(np.argmax(counts))
    if counts[largest] > MAX_MAJORITY * n_documents:
        yield (
            f"{100 * counts[largest] / n_documents:.0f} % of the documents have the label “{names[largest]}”; always "
            "predicting it has the same accuracy. Consider macro F1 (--metric macro_f1)."
        )
    n_unlabelled = int(np.sum(corpus.label_counts == 0))
    if n_unlabelled:
        yield f"{n_unlabelled:,} of {n_documents:,} documents have no label."


def _duplicate_warnings(texts: Ragged | None, training: np.ndarray, test: np.ndarray) -> Iterator[str]:
    if texts is None:
        return
    training_texts = {texts[row].tobytes() for row in training.tolist()}
    n_duplicates = sum(texts[row].tobytes() in training_texts for row in test.tolist())
    if n_duplicates:
        yield (
            f"{n_duplicates:,} of {len(test):,} test documents are duplicates of training documents, so that the test "
            "scores are too optimistic."
        )


def summarise(corpus: Corpus, training: np.ndarray, test: np.ndarray) -> dict[str, Any]:
    """Summarise the data for the report: sizes, label frequencies and examples.

    Parameters
    ----------
    corpus : Corpus
        The data; it must have texts.
    training, test : ndarray of int
        Rows of the training and of the test documents.

    Returns
    -------
    dict
        The summary, as JSON values.
    """
    texts = corpus.text
    assert texts is not None  # noqa: S101 - checked
    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    order = np.argsort(-counts, kind="stable")[:MAX_LISTED_LABELS]
    n_words = np.array([len(texts.text(row).split()) for row in range(min(MAX_COUNTED_TEXTS, corpus.n_documents))])
    quantiles = [int(quantile) for quantile in np.quantile(n_words, (0.0, 0.5, 1.0))]
    label_counts = [[str(corpus.label_names[label]), int(counts[label])] for label in order.tolist()]
    examples = [_example(corpus, texts, row) for row in range(min(N_EXAMPLES, corpus.n_documents))]
    return {
        "documents": corpus.n_documents,
        "train": len(training),
        "test": len(test),
        "n_labels": len(corpus.label_names),
        "words": quantiles,
        "labels": label_counts,
        "examples": examples,
    }


def _example(corpus: Corpus, texts: Ragged, row: int) -> dict[str, Any]:
    """Return an example document with its label names."""
    labels = corpus.labels.indices[corpus.labels.indptr[row] : corpus.labels.indptr[row + 1]]
    return {
        "id": corpus.ids[row],
        "labels": [str(corpus.label_names[label]) for label in labels],
        "text": excerpt(texts.text(row)),
    }


def excerpt(text: str, max_characters: int = MAX_TEXT_CHARACTERS) -> str:
    """Truncate a text to a single line with an ellipsis.

    Parameters
    ----------
    text : str
        The text.
    max_characters : int, default=MAX_TEXT_CHARACTERS
        Maximum number of characters.

    Returns
    -------
    str
        The excerpt.
    """
    line = " ".join(text[: 4 * max_characters].split())
    is_cut = len(line) > max_characters or len(text) > 4 * max_characters
    return f"{line[:max_characters]}…" if is_cut else line
