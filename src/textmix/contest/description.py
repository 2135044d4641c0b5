"""Description of a data set: facts that the tests of methods need, and an account of the data for their user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from textmix.core.errors import MissingResult
from textmix.data.corpus import Corpus, Ragged
from textmix.experiment.splits import Splits
from textmix.models.common.count_kernels import row_sums

#: Largest number of labels, of examples, and of characters of an example that a description holds.
LABELS, EXAMPLES, CHARACTERS = 40, 3, 240
#: Labels, in lower case, by which exports of tables write that there is none.
NOTHING = {"nan", "none", "null", "na", "n/a", "#n/a", "nil", "undefined"}


def corpus_facts(features: Path, splits: Path) -> dict[str, float]:
    """Return the facts about a data set that the tests use and that decide its kind of data.

    Parameters
    ----------
    features, splits : folders of its features corpus and of its splits.

    Returns
    -------
    ``train`` and ``test``, numbers of documents in the first trial; ``counts``, 1 where features are whole numbers,
    else 0; for texts also ``mean_length``, words a text.  Empty where a folder records a missing result.

    Raises
    ------
    IntegrityError : a file of the folders was changed or is missing.
    """
    try:
        corpus, parts = Corpus.load(features), Splits.load(splits)
    except MissingResult:
        return {}
    facts = {"train": float(len(parts.train[0])), "test": float(len(parts.test[0]))}
    if corpus.features is not None:
        facts["counts"] = float(corpus.features.dtype.kind in "iu")
    is_text = "features" in corpus.info
    return {**facts, "mean_length": corpus.statistics()["mean_length"]} if is_text else facts


def describe(parsed: Corpus, counted: Corpus, splits: Splits) -> dict[str, Any]:
    """Return the description of a user's data as they were read, ready for JSON.

    Parameters
    ----------
    parsed : the corpus as read, with its text if it is text.
    counted : the corpus of features.
    splits : its splits.

    Returns
    -------
    ``name``, ``text`` (whether it is text), ``statistics`` (of `Corpus.statistics`), ``vocabulary``, ``lengths``
    (quantiles of the number of words; empty where features are no counts), ``labels`` (the most frequent, with their
    documents), ``labels_a_document`` (number of labels, number of documents), ``splits`` (documents of each trial),
    ``examples`` and ``remarks``.  Parts with an order are lists, because the JSON file sorts the keys of a mapping.
    """
    label_counts = np.asarray(parsed.labels.sum(axis=0)).ravel()
    order = np.argsort(-label_counts, kind="stable")
    lengths = _lengths(counted)
    sizes, numbers = np.unique(parsed.label_counts, return_counts=True)
    return {
        "name": parsed.name,
        "text": parsed.text is not None,
        "statistics": counted.statistics(),
        "vocabulary": len(counted.feature_names or ()),
        "lengths": _quantiles(lengths),
        "labels": [[str(parsed.label_names[i]), int(label_counts[i])] for i in order[:LABELS].tolist()],
        "labels_a_document": [[int(size), int(number)] for size, number in zip(sizes, numbers, strict=True)],
        "splits": [{"train": len(splits.train[i]), "test": len(splits.test[i])} for i in range(len(splits))],
        "examples": [_example(parsed, counted, row) for row in range(min(EXAMPLES, parsed.n_documents))],
        "remarks": [*parsed.info.get("remarks", ()), *_remarks(parsed, label_counts, lengths, splits)],
    }


def copies(corpus: Corpus, splits: Splits) -> np.ndarray:
    """Return whether a training document of its trial has the same text as each test document, bool (T,).

    Parameters
    ----------
    corpus : the parsed data set; without text no document counts as a copy.
    splits : the trials, with T test documents in all.
    """
    if corpus.text is None:
        return np.zeros(len(splits.test.values), dtype=bool)
    texts = [corpus.text[row].tobytes() for row in range(corpus.n_documents)]
    train_texts = [{texts[row] for row in splits.train[trial].tolist()} for trial in range(len(splits))]
    copied = [texts[row] in train_texts[trial] for trial in range(len(splits)) for row in splits.test[trial].tolist()]
    return np.array(copied, dtype=bool)


def _lengths(counted: Corpus) -> np.ndarray | None:
    """Return the number of words of each document, float (N,), or None where the features are no counts."""
    if counted.features is None or counted.features.dtype.kind not in "iu":
        return None
    return row_sums(counted.features.indptr, counted.features.data)


def _quantiles(lengths: np.ndarray | None) -> list[list[Any]]:
    """Return pairs of name and value: minimum, quartiles, maximum and mean of the lengths, float (N,)."""
    if lengths is None:
        return []
    names = ("least", "lower quartile", "median", "upper quartile", "most")
    values = np.quantile(lengths, (0.0, 0.25, 0.5, 0.75, 1.0))
    return [*([name, float(value)] for name, value in zip(names, values, strict=True)), ["mean", float(lengths.mean())]]


def _example(parsed: Corpus, counted: Corpus, row: int) -> dict[str, Any]:
    """Return id, labels and beginning of the document in a row: its text, or its first ten features."""
    labels = [str(parsed.label_names[i]) for i in parsed.labels.indices[slice(*parsed.labels.indptr[row : row + 2])]]
    if parsed.text is not None:
        return {"id": parsed.ids[row], "labels": labels, "text": beginning(bytes(parsed.text[row]), CHARACTERS)}
    features = counted.features[[row]]  # type: ignore[index]
    names = counted.feature_names or ()
    pairs = zip(features.indices[:10].tolist(), features.data[:10].tolist(), strict=True)
    return {"id": parsed.ids[row], "labels": labels, "text": ", ".join(f"{names[i]}: {value:g}" for i, value in pairs)}


def beginning(text: bytes, characters: int) -> str:
    """Return the first characters of a text in UTF-8 on one line; an ellipsis says that it goes on."""
    start = " ".join(text[: 4 * characters].decode("utf-8", "ignore").split())
    return f"{start[:characters]}…" if len(start) > characters or len(text) > 4 * characters else start


def _remarks(parsed: Corpus, label_counts: np.ndarray, lengths: np.ndarray | None, splits: Splits) -> list[str]:
    """Return the properties of the data that may mislead a reader of the scores, one sentence each.

    Parameters
    ----------
    parsed : the corpus as read, N documents.
    label_counts : documents of each label, int (L,).
    lengths : words of each document, float (N,), or None where the features are no counts.
    splits : the trials.
    """
    remarks = []
    nothing = [str(name) for name in parsed.label_names if str(name).strip().lower() in NOTHING]
    if nothing:
        remarks.append(
            f"{', '.join(f'“{name}”' for name in nothing)} count as labels; empty these cells if they mean that there "
            "is none."
        )
    unused, once = int(np.sum(label_counts == 0)), int(np.sum(label_counts == 1))
    if unused:
        remarks.append(f"{_of(unused, len(label_counts), 'labels')} occur in no document.")
    if once:
        remarks.append(
            f"{_of(once, len(label_counts), 'labels')} occur in one document only, which is in training or in the test."
        )
    largest = int(np.argmax(label_counts))
    share = float(label_counts[largest]) / max(parsed.n_documents, 1)
    if share > 0.8:
        remarks.append(
            f"{100 * share:.0f} % of the documents have the label “{parsed.label_names[largest]}”: always "
            "predicting it is right as often; look at macro F rather than accuracy."
        )
    bare = int(np.sum(parsed.label_counts == 0))
    if bare:
        remarks.append(f"{_of(bare, parsed.n_documents, 'documents')} have no label.")
    wordless = 0 if lengths is None else int(np.sum(lengths == 0))
    if wordless:
        remarks.append(f"{_of(wordless, parsed.n_documents, 'documents')} have no word of the vocabulary.")
    twins = 0 if parsed.text is None else _repeated(parsed.text)
    if twins:
        copied = copies(parsed, splits)
        both = f"{_of(int(copied.sum()), len(copied), 'test documents')} have the text of a training document"
        remarks.append(
            f"{_of(twins, parsed.n_documents, 'documents')} repeat the text of an earlier one; "
            f"{both}{', which flatters every method' if copied.any() else ''}."
        )
    return remarks


def _of(number: int, total: int, noun: str) -> str:
    """Return a number out of a total in words, such as "3 of 40 labels"."""
    return f"{number:,} of {total:,} {noun}"


def _repeated(text: Ragged) -> int:
    """Return the number of documents with the same text as an earlier one."""
    hashes = {hash(text[row].tobytes()) for row in range(len(text))}
    return len(text) - len(hashes)
