"""Text processing: tokenizers, skip-grams, paragraph vectors, whole pipelines, prediction for new texts."""

from __future__ import annotations

import csv
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from documents import accuracy, line, load, split
from roofline import Work, reading
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from textmix import PMM1, EDCMClassifier, MultinomialClassifier, SkipgramVectorizer, WordVectorizer, save
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.data.readers import reuters_sgml
from textmix.data.user_table import read_texts
from textmix.serve.model import PersistedModel
from textmix.serve.predict import Writer, predict
from textmix.text.features import build_features
from textmix.text.vectors import VectorSpec, paragraph_vectors

LETTERS = {"token_pattern": "[a-zA-Z]{2,99}"}


def gensim_counts(texts: list[str]) -> list[Any]:
    """Return token counts with gensim's tokenizer (runs of letters)."""
    corpora, utils = (pytest.importorskip(f"gensim.{part}") for part in ("corpora", "utils"))
    words = [list(utils.tokenize(text, lowercase=True)) for text in texts]
    dictionary = corpora.Dictionary(words)
    return [dictionary.doc2bow(document) for document in words]


COUNTERS: dict[str, Callable[[list[str]], Any]] = {
    "textmix": lambda t: WordVectorizer(tokenizer="letters", min_length=2, max_length=99).fit_transform(t),
    "scikit-learn, CountVectorizer of its own words": lambda t: CountVectorizer().fit_transform(t),
    "scikit-learn, HashingVectorizer": lambda t: HashingVectorizer(**LETTERS, norm=None).transform(t),
    "gensim, Dictionary": gensim_counts,
    "scikit-learn, CountVectorizer of the same letters": lambda t: CountVectorizer(**LETTERS).fit_transform(t),
}


@line("words of texts", *COUNTERS, target=0.15)
def bench_words(name: str, share: float, timed: Any) -> None:
    texts = load("newsgroups", share).data
    timed(lambda: COUNTERS[name](texts), size=len(texts), work=reading(texts))


GRAMS = ("textmix, five words and two gaps", "scikit-learn, CountVectorizer of five words")


@line("skip-grams", *GRAMS, target=0.25, mib_share=0.5)
def bench_skipgrams(name: str, share: float, timed: Any) -> None:
    """Both use a minimum document frequency of six; ours should also use at most half of the peer's memory."""
    texts = load("reviews", share / 2).data
    ours, theirs = SkipgramVectorizer(tokenizer="unicode", min_length=2), CountVectorizer(ngram_range=(1, 5), min_df=6)
    vectorizer = ours if name == GRAMS[0] else theirs
    timed(lambda: vectorizer.fit_transform(texts), size=len(texts), work=reading(texts))


@line("paragraph vectors", "textmix", "gensim, Doc2Vec", target=0.25)
@pytest.mark.parametrize("loss", ["negative", "hierarchical"])
def bench_vectors(name: str, loss: Any, share: float, timed: Any) -> None:
    """Two epochs of distributed bag of words on a fifth of the reviews, single-threaded."""
    doc2vec = pytest.importorskip("gensim.models.doc2vec")
    texts = load("reviews", share / 5).data
    ids, labels, text = list(map(str, range(len(texts)))), label_matrix([[0]] * len(texts), 1), map(str.encode, texts)
    corpus = Corpus("reviews", ids, ["any"], labels, text=Ragged.from_texts(text))
    words = build_features(corpus, {"tokenizer": "letters", "min_count": 2, "keep_tokens": True})
    tokens, names = words.tokens, words.feature_names
    spec = VectorSpec(loss=loss, epochs=2, sample=1e-4)
    shared = {"vector_size": 100, "epochs": 2, "min_count": 2, "sample": 1e-4, "dm": 0, "seed": 1, "workers": 1}
    if name == "textmix":
        call: Callable[[], Any] = lambda: paragraph_vectors(tokens, spec)
    else:
        rows = map(tokens.__getitem__, range(len(tokens)))
        tagged = [doc2vec.TaggedDocument([names[w] for w in row], [d]) for d, row in enumerate(rows)]
        peer = {"negative": 5, "hs": 0} if loss == "negative" else {"negative": 0, "hs": 1}
        call = lambda: doc2vec.Doc2Vec(tagged, **shared, **peer)
    timed(call, case=loss, size=len(texts), work=Work(operations=2 * vector_operations(tokens.values, spec)))


def vector_operations(words: np.ndarray, spec: VectorSpec) -> float:
    """Return the single-precision operations of an epoch: an inner product and two vector updates per output.

    The outputs are the word and its negative samples, or the nodes of its Huffman code (mean length: the entropy).
    """
    cells = np.bincount(words)
    shares = cells[cells >= spec.min_count] / len(words)
    kept = spec.sample / shares
    outputs = 1 + spec.negative if spec.loss == "negative" else -float(shares @ np.log2(shares))
    return len(words) * float(shares @ np.minimum(1.0, np.sqrt(kept) + kept)) * outputs * 3.0 * spec.size


SKLEARN = "scikit-learn, CountVectorizer and MultinomialNB"
PIPELINES: dict[str, Callable[[], Any]] = {
    "textmix, naive Bayes": lambda: make_pipeline(WordVectorizer(), MultinomialClassifier()),
    "textmix, EDCM": lambda: make_pipeline(WordVectorizer(), EDCMClassifier()),
    "scikit-learn, TfidfVectorizer and LogisticRegression": lambda: make_pipeline(
        TfidfVectorizer(), LogisticRegression(max_iter=200)
    ),
    "scikit-learn, HashingVectorizer and MultinomialNB": lambda: make_pipeline(
        HashingVectorizer(alternate_sign=False, norm=None), MultinomialNB()
    ),
    SKLEARN: lambda: make_pipeline(CountVectorizer(), MultinomialNB()),
}


@line("texts to labels", *PIPELINES, target=0.5)
def bench_pipelines(name: str, share: float, timed: Any) -> None:
    found = load("newsgroups", share)
    texts, y, new, y_new = split(np.array(found.data, dtype=object), found.target)
    call = lambda: PIPELINES[name]().fit(texts, y).predict(new)
    timed(call, size=len(y), work=reading(list(texts), list(new)), score=accuracy(y_new))


#: Words of a short text, maximum number of texts, and target throughput of labelling (texts per second and core).
LENGTH, MOST, RATE = 20, 10_000, 150_000
SERVED = {"naive Bayes": MultinomialClassifier, "EDCM": EDCMClassifier, "PMM1": PMM1}
NEW_TEXTS = [f"textmix, {model}, {form}" for model in SERVED for form in ("csv", "jsonl")]


@line("labels of new texts", *NEW_TEXTS, SKLEARN, target=1.0)
def bench_new_texts(name: str, share: float, tmp_path: Path, timed: Any) -> None:
    """From the bytes of a file to the output rows, with a saved model."""
    _, model, form = name.split(", ") if name in NEW_TEXTS else ("", "", "csv")
    texts, labels = short_texts(share, several=model == "PMM1")
    data = file_of(texts, form)
    if model:
        words = WordVectorizer(tokenizer="unicode", min_count=2)
        save(make_pipeline(words, SERVED[model]()).fit(texts, labels), tmp_path / "model")
        kept = PersistedModel.load(tmp_path / "model")

        def call() -> Any:
            """Read, label and write."""
            output = io.StringIO()
            found, _ = read_texts("new", stream=io.BytesIO(data), format=form)
            predict(kept, found, Writer(output, kept, form, everything=False))

    else:
        peer = make_pipeline(CountVectorizer(min_df=2), MultinomialNB()).fit(texts, labels)

        def call() -> Any:
            """Read, label and write, with Python's csv module."""
            rows = csv.reader(io.StringIO(data.decode(), newline=""))
            next(rows)
            probability = peer.predict_proba([row[0] for row in rows])
            best = peer.classes_[probability.argmax(axis=1)].tolist()
            written = zip(range(len(best)), best, probability.max(axis=1).tolist(), strict=True)
            csv.writer(io.StringIO()).writerows(written)

    timed(call, size=len(texts), work=Work(bytes=float(len(data))), seconds_wanted=len(texts) / RATE)


def short_texts(share: float, several: bool) -> tuple[list[str], list[Any]]:
    """Return texts of `LENGTH` words cut from documents: from one, with its class, or from two, with both classes."""
    found, parts = load("newsgroups", share), 1 + several
    length = LENGTH // parts
    words = [text.split() for text in found.data]
    pieces = [(d, words[d][i : i + length]) for d in range(len(words)) for i in range(0, len(words[d]), length)]
    drawn = np.random.default_rng(0).permutation(len(pieces))[: parts * min(MOST, len(pieces) // parts)]
    groups = [[pieces[number] for number in group] for group in drawn.reshape(-1, parts)]
    labels = [[found.names[found.target[d]] for d, _ in group] for group in groups]
    texts = [" ".join(word for _, piece in group for word in piece) for group in groups]
    return texts, labels if several else [label for (label,) in labels]


def file_of(texts: list[str], form: str) -> bytes:
    """Return the content of a file with these texts."""
    if form == "jsonl":
        return "".join(json.dumps({"text": text}) + "\n" for text in texts).encode("utf-8", "replace")
    return "\n".join(["text", *('"' + text.replace('"', '""') + '"' for text in texts), ""]).encode("utf-8", "replace")


def files_of(archive: Path) -> Iterator[bytes]:
    """Yield the SGML files of an archive."""
    with tarfile.open(archive) as members:
        for member in members:
            if member.name.endswith(".sgm"):
                yield members.extractfile(member).read()  # type: ignore[union-attr]


def by_lxml(archive: Path) -> list[Any]:
    """Parse the Reuters stories with lxml's HTML parser."""
    html = pytest.importorskip("lxml.html")
    found = []
    for data in files_of(archive):
        for story in html.document_fromstring(data.decode("latin-1").encode()).iter("reuters"):
            topics = [topic.text_content() for topic in story.findall(".//topics/d")]
            found.append((story.get("lewissplit"), topics, "".join(t.text_content() for t in story.findall(".//text"))))
    return found


def by_soup(archive: Path) -> list[Any]:
    """Parse the Reuters stories with BeautifulSoup."""
    soup = pytest.importorskip("bs4").BeautifulSoup
    return [
        (str(s["lewissplit"]), [t.get_text() for t in s.select("topics > d")], "".join(t.get_text() for t in s("text")))
        for data in files_of(archive)
        for s in soup(data, "lxml", from_encoding="latin-1").find_all("reuters")
    ]


@line("stories of Reuters", "textmix", "lxml", "BeautifulSoup over lxml", target=0.3)
def bench_stories(name: str, timed: Any) -> None:
    """Parse the 22 SGML files; ours also checks all counts."""
    archive = next(Path(os.environ.get("TEXTMIX_MIRROR", "nowhere"), "reuters21578").rglob("*.tar*"), None)
    if archive is None:
        pytest.skip("reuters21578: name a mirror in TEXTMIX_MIRROR")
    calls: dict[str, Callable[[], Any]] = {
        "textmix": lambda: reuters_sgml.read({"archive": archive}, {"name": "reuters"}),
        "lxml": lambda: by_lxml(archive),
        "BeautifulSoup over lxml": lambda: by_soup(archive),
    }
    timed(calls[name], size=21_578, work=Work(bytes=float(archive.stat().st_size)))
