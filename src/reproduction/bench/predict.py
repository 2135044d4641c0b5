"""Bench: labelling short new texts with persisted models, from the bytes of a file to the rows of the answer."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from reproduction.bench.roofline import Known, Work
from reproduction.bench.timing import compare, judge
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.data.new_texts import NewTexts
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.serve.model import PersistedModel
from textmix.serve.predict import Writer, predict
from textmix.text.features import build_features

#: Words of a short text, and texts that are labelled in one call.
WORDS, TEXTS = 20, 20_000
#: The target rate, texts a second on one core.
RATE = 150_000
SPEC = {"tokenizer": "unicode", "min_count": 2}
PEER = "CountVectorizer and MultinomialNB"


def short_texts(corpus: Corpus, several: bool) -> Corpus:
    """Cut a single-label text corpus into short texts and draw at most `TEXTS` of them.

    Parameters
    ----------
    corpus : documents with their text and one label each.
    several : False: a text is a piece of at most `WORDS` words of one document, with its label; True: a text is two
        pieces of at most `WORDS` / 2 words, drawn from all documents, with the labels of both.
    """
    text, label = corpus.text, corpus.classes()
    assert text is not None  # noqa: S101 - the suite's data set is text
    length = WORDS // (1 + several)
    words = [text.text(row).split() for row in range(len(text))]
    pieces = [(d, words[d][i : i + length]) for d in range(len(words)) for i in range(0, len(words[d]), length)]
    order = np.random.default_rng(0).permutation(len(pieces))[: TEXTS * (1 + several)]
    groups = order.reshape(-1, 1 + several)
    rows = [[int(label[pieces[number][0]]) for number in group] for group in groups]
    texts = (" ".join(word for number in group for word in pieces[number][1]).encode() for group in groups)
    labels = label_matrix(rows, len(corpus.label_names))
    return Corpus("short", list(map(str, range(len(rows)))), corpus.label_names, labels, text=Ragged.from_texts(texts))


def fitted(estimator: Any, task: str, corpus: Corpus) -> PersistedModel:
    """Fit an estimator to all texts of a corpus and return it as a model that labels texts.

    Parameters
    ----------
    estimator : not fitted.
    task : "single" or "multi".
    corpus : texts with labels; their words are counted by `SPEC`.
    """
    counts = build_features(corpus, SPEC)
    y = counts.classes() if task == "single" else counts.indicators()
    estimator.fit(counts.features, y)
    return PersistedModel.of_words(
        estimator, task, counts.label_names, counts.feature_names or [], SPEC, dataset=corpus.name
    )


def _labelling(model: PersistedModel, form: str, data: bytes) -> Callable[[], object]:
    """Return a call that reads a file, labels its texts with probabilities, and writes the rows."""

    def run() -> object:
        """Return the stream to which the rows were written."""
        output = io.StringIO()
        predict(model, NewTexts("new", form).read(io.BytesIO(data)), Writer(output, model, form, everything=False))
        return output

    return run


def files(corpus: Corpus) -> dict[str, bytes]:
    """Return the bytes of a file of the texts in each form: "csv" and "jsonl"."""
    texts = [corpus.text.text(row) for row in range(len(corpus.text))]  # type: ignore[union-attr, arg-type]
    quoted = ('"' + text.replace('"', '""') + '"' for text in texts)
    return {
        "csv": "\n".join(["text", *quoted, ""]).encode(),
        "jsonl": "".join(json.dumps({"text": text}) + "\n" for text in texts).encode(),
    }


def _sklearn(corpus: Corpus, data: bytes) -> Callable[[], object]:
    """Return the peer as a call: scikit-learn's tokenizer and naive Bayes between a reader and a writer of csv."""
    texts = [corpus.text.text(row) for row in range(len(corpus.text))]  # type: ignore[union-attr, arg-type]
    model = make_pipeline(CountVectorizer(min_df=2), MultinomialNB()).fit(texts, corpus.classes())

    def run() -> object:
        """Return the stream to which the rows were written."""
        rows = csv.reader(io.StringIO(data.decode(), newline=""))
        probability = model.predict_proba([row[0] for row in islice(rows, 1, None)])
        output = io.StringIO()
        best = probability.argmax(axis=1).tolist()
        names = (corpus.label_names[label] for label in best)
        csv.writer(output).writerows(zip(range(len(best)), names, probability.max(axis=1).tolist(), strict=True))
        return output

    return run


def bench_predict(corpus: Corpus, repeats: int = 5) -> list[dict[str, Any]]:
    """Time naive Bayes, EDCM and PMM1 on short texts, beside the target rate and beside scikit-learn.

    Parameters
    ----------
    corpus : a single-label corpus of text.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`, in seconds of the processor (one core); the peer of ``predict_rate``
    is `RATE` texts a second, and the ratio is the measured time divided by the time at that rate.
    """
    single, several = short_texts(corpus, False), short_texts(corpus, True)
    candidates: dict[str, Callable[[], object]] = {}
    work: dict[str, Known] = {}
    for name, model, texts in (
        ("naive Bayes", fitted(MultinomialClassifier(), "single", single), single),
        ("EDCM", fitted(EDCMClassifier(), "single", single), single),
        ("PMM1", fitted(PMM1(), "multi", several), several),
    ):
        for form, data in files(texts).items():
            candidates[f"{name}, {form}"] = _labelling(model, form, data)
            work[f"{name}, {form}"] = Work(bytes=float(len(data)))
    candidates[PEER] = _sklearn(single, files(single)["csv"])
    work[PEER] = work["EDCM, csv"]
    rows = compare(candidates, repeats, time.process_time)
    n_texts = len(single.ids)
    for row in rows:
        row["note"] = f"{n_texts / row['median_seconds']:,.0f} texts of {WORDS} words a second"
    ours = [row for row in rows if row["candidate"] != PEER]
    wanted = {"candidate": f"{RATE:,} texts a second", "median_seconds": n_texts / RATE}
    targets = {row["candidate"]: 1.0 for row in ours}
    work[str(wanted["candidate"])] = "a rate, no program"
    return [
        *judge("predict_rate", [*ours, wanted], str(wanted["candidate"]), targets, work)[:-1],
        *judge("predict_peer", rows, PEER, {"naive Bayes, csv": 1.0}, work),
    ]
