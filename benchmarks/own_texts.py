"""`textmix compare` beside a pipeline written by hand, on texts of several kinds: score, processor time and memory.

    TEXTMIX_MIRROR=... python benchmarks/own_texts.py FOLDER [--kinds reviews news] [--times 1 5] [--output kinds.csv]

The baseline is a scikit-learn pipeline: the union of sublinear TF-IDF of word 1-2-grams and of character 3-5-grams
within words (``char_wb``, ``min_df=2``), and a linear SVM over three values of C by five-fold cross-validation; for two
classes also logistic regression, which takes ten times as long for more. The texts of each fold are vectorised once for
all C. With several labels there is one binary classifier for each, and one threshold for all labels, tuned on the
held-out scores. The comparison gets the CPU time of the baseline, and multiples of it, and the same training and test
documents.

Both sides have one thread, and time is that of the processor, so that other programs do not decide what is measured.
Each side runs in a process of its own, whose peak memory is told.  The interval of the difference is that of a paired
bootstrap over the test documents.

Kinds: reviews (IMDB, two classes), news (20 Newsgroups with their headers), titles (of Reuters-21578 with one topic),
topics (Reuters-21578, several labels), places (Reuters-21578, several labels, micro F), and spam (SpamAssassin).
"""

from __future__ import annotations

import argparse
import csv
import html
import json
import os
import re
import resource
import subprocess
import sys
import tarfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textmix.numerics.seeding import rng

Row = tuple[str, list[str]]
#: Seed for sampling documents.  The test documents of seed 1 were inspected when one-letter words were excluded, so
#: they are no longer unseen data for the comparison.
DRAW = 2
COSTS = {"linear SVM": (0.1, 1.0, 10.0), "logistic regression": (1.0, 10.0, 100.0)}
FOLDS = 5
COLUMNS = (
    *("kind", "documents", "test_documents", "labels", "metric", "what", "validation", "test", "ahead", "low", "high"),
    *("processor_seconds", "clock_seconds", "share_of_fits", "peak_mib"),
)


def members(path: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the archive members that match a pattern."""
    with tarfile.open(path) as archive:
        for member in archive:
            opened = archive.extractfile(member) if re.search(pattern, member.name) else None
            if opened is not None:
                yield member.name, opened.read()


def reviews(mirror: Path) -> list[Row]:
    """Return the training reviews of IMDB, positive or negative."""
    files = members(mirror / "imdb" / "aclImdb_train.tar.xz", r"/(pos|neg)/\d+_\d+\.txt$")
    return [(content.decode("utf-8"), [name.split("/")[-2]]) for name, content in files]


def news(mirror: Path) -> list[Row]:
    """Return the messages of 20 Newsgroups, with From and Subject."""
    files = members(mirror / "newsgroups" / "20news-18828.tar.xz", r"/\d+$")
    return [(content.decode("latin-1").replace("\0", " "), [name.split("/")[-2]]) for name, content in files]


def spam(mirror: Path) -> list[Row]:
    """Return the messages of SpamAssassin, with their headers."""
    files = members(mirror / "spamassassin" / "spamassassin.tar.xz", r"(ham|spam)[^/]*/[^/]+$")
    return [
        (content.decode("latin-1").replace("\0", " "), ["spam" if "spam" in name.split("/")[-2] else "ham"])
        for name, content in files
        if not name.endswith("cmds")
    ]


def reuters(mirror: Path, tag: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield title, body and labels of a tag, for Reuters-21578 documents with a title and at least one such label."""
    for _, content in members(mirror / "reuters21578" / "reuters21578.tar.xz", r"\.sgm$"):
        for document in re.findall(r"<REUTERS.*?</REUTERS>", content.decode("latin-1"), re.S):
            parts = {name: re.search(f"<{name}>(.*?)</{name}>", document, re.S) for name in ("TITLE", "BODY", tag)}
            fields = {name: html.unescape(found[1]).strip() if found else "" for name, found in parts.items()}
            labels = sorted(set(re.findall("<D>(.*?)</D>", parts[tag][1]))) if parts[tag] else []
            if fields["TITLE"] and labels:
                yield fields["TITLE"], fields["BODY"], labels


def titles(mirror: Path) -> list[Row]:
    """Return the titles of Reuters-21578 with one topic."""
    return [(title, topics) for title, _, topics in reuters(mirror, "TOPICS") if len(topics) == 1]


def topics(mirror: Path) -> list[Row]:
    """Return the documents of Reuters-21578 with all their topics."""
    return [(f"{title}\n{body}", labels) for title, body, labels in reuters(mirror, "TOPICS")]


def places(mirror: Path) -> list[Row]:
    """Return the documents of Reuters-21578 with all their places."""
    return [(f"{title}\n{body}", labels) for title, body, labels in reuters(mirror, "PLACES")]


#: Name -> its rows, numbers of training and test documents, and metric.
KINDS: Mapping[str, tuple[Callable[[Path], Sequence[Row]], int, int, str]] = {
    "reviews": (reviews, 1500, 3000, "accuracy"),
    "titles": (titles, 4000, 4000, "accuracy"),
    "topics": (topics, 1000, 3000, "subset_accuracy"),
    "news": (news, 1000, 3000, "accuracy"),
    "spam": (spam, 1000, 3000, "accuracy"),
    "places": (places, 1000, 3000, "micro_f"),
}


def write_kind(folder: Path, kind: str, mirror: Path, share: float) -> Path:
    """Write the sampled documents to a JSON file, training documents first; return its path."""
    path = folder / f"{kind}-{share:g}-{DRAW}.json"
    if not path.exists():
        make, n_train, n_test, metric = KINDS[kind]
        rows = make(mirror)
        n_train = int(share * n_train)
        order = rng(DRAW, kind, "own texts").permutation(len(rows))[: n_train + n_test].tolist()
        told = {"kind": kind, "metric": metric, "train": n_train, "rows": [rows[row] for row in order]}
        path.write_text(json.dumps(told), encoding="utf-8")
    return path


def read_kind(path: Path) -> tuple[dict[str, Any], list[str], np.ndarray, list[str]]:
    """Read a file of `write_kind`: content, texts, classes (N,) or indicators (N, L), and label names."""
    told = json.loads(path.read_text(encoding="utf-8"))
    names = sorted({label for _, labels in told["rows"] for label in labels})
    place = {name: number for number, name in enumerate(names)}
    y = np.zeros((len(told["rows"]), len(names)), dtype=np.int8)
    for row, (_, labels) in enumerate(told["rows"]):
        y[row, [place[label] for label in labels]] = 1
    single = told["metric"] == "accuracy"
    return told, [text for text, _ in told["rows"]], y.argmax(axis=1) if single else y, names


def by_hand(path: Path) -> dict[str, Any]:
    """Run the baseline; return its best parameters, validation score and test predictions."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import FeatureUnion
    from sklearn.svm import LinearSVC

    warnings.simplefilter("ignore")
    told, texts, y, _ = read_kind(path)
    n, single = told["train"], y.ndim == 1
    train, test, target = np.array(texts[:n], dtype=object), texts[n:], y[:n]

    def union() -> Any:
        """Return the vectorizer of the baseline."""
        words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
        characters = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5), min_df=2)
        return FeatureUnion([("words", words), ("characters", characters)])

    def machine(name: str, cost: float) -> Any:
        """Return the classifier for a value of C."""
        made = LinearSVC(C=cost, random_state=0) if name == "linear SVM" else LogisticRegression(C=cost, max_iter=1000)
        return made if single else OneVsRestClassifier(made)

    methods = list(COSTS) if single and len(np.unique(target)) == 2 else ["linear SVM"]
    points = [(name, cost) for name in methods for cost in COSTS[name]]
    maker = (StratifiedKFold if single else KFold)(FOLDS, shuffle=True, random_state=0)
    scores = {point: np.zeros(target.shape) for point in points}
    for fit, held in maker.split(train, target):
        vectoriser = union()
        X, Z = vectoriser.fit_transform(train[fit]), vectoriser.transform(train[held])
        for point in points:
            model = machine(*point).fit(X, target[fit])
            scores[point][held] = model.predict(Z) if single else model.decision_function(Z)
    values, thresholds = {}, {}
    for point in points:
        if single:
            values[point] = float(np.mean(scores[point] == target))
            continue
        tried = np.quantile(scores[point][target > 0], np.linspace(0.0, 1.0, 101))
        found = [_score(told["metric"], target, scores[point] >= threshold) for threshold in tried]
        values[point], thresholds[point] = max(found), tried[int(np.argmax(found))]
    best = max(points, key=lambda point: values[point])
    vectoriser = union()
    model = machine(*best).fit(vectoriser.fit_transform(train), target)
    Z = vectoriser.transform(test)
    answers = model.predict(Z) if single else model.decision_function(Z) >= thresholds[best]
    return {"what": f"by hand: {best[0]}, C = {best[1]:g}", "validation": values[best], "answers": answers.astype(int)}


def _score(metric: str, true: np.ndarray, predicted: np.ndarray) -> float:
    """Return subset accuracy, or micro F1 for label indicators (N, L)."""
    if metric == "subset_accuracy":
        return float(np.mean((true == predicted).all(axis=1)))
    return float(2.0 * np.sum(true * predicted) / max(np.sum(true) + np.sum(predicted), 1))


def compared(path: Path, seconds: float, folder: Path) -> dict[str, Any]:
    """Run a comparison with a CPU time budget; the keys are those of `by_hand`."""
    from textmix.compare.comparison import Settings, run
    from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged, label_matrix

    told, texts, y, names = read_kind(path)
    several = y.ndim == 2
    labels = [np.flatnonzero(row).tolist() for row in y] if several else [[label] for label in y.tolist()]
    corpus = Corpus(
        told["kind"],
        [str(row) for row in range(len(texts))],
        names,
        label_matrix(labels, len(names)),
        text=Ragged.from_texts(text.encode("utf-8", "replace") for text in texts),
        split=np.where(np.arange(len(texts)) < told["train"], TRAIN, TEST).astype(np.int8),
    )
    settings = Settings(seconds, told["metric"], 1, overwrite=True, start=0.0, clock=time.process_time)
    result = run(corpus, "multi" if several else "single", folder, settings)
    with open(folder / "predictions.csv", encoding="utf-8", newline="") as table:
        predicted = [row["predicted"].split(" | ") if row["predicted"] else [] for row in csv.DictReader(table)]
    place = {name: number for number, name in enumerate(names)}
    answers = np.zeros((len(predicted), len(names)), dtype=int)
    for row, predicted_labels in enumerate(predicted):
        answers[row, [place[label] for label in predicted_labels]] = 1
    fits = result.seconds["CPU time of the search"] + result.seconds["CPU time of test and final fits"]
    return {
        **{"what": f"compare, {seconds:.0f} s: {result.chosen.name}", "validation": result.chosen.value},
        **{"answers": answers if several else answers.argmax(axis=1), "fits": fits},
    }


def apart(side: str, path: Path, seconds: float, folder: Path) -> dict[str, Any]:
    """Run one side in a separate process; add its CPU time, wall-clock time and peak memory."""
    place, began = folder / "side.json", time.monotonic()
    command = [sys.executable, __file__, str(folder), "--side", side, str(path), str(seconds), str(place)]
    subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    return {**json.loads(place.read_text(encoding="utf-8")), "clock": time.monotonic() - began}


def one_side(side: str, path: Path, seconds: float, place: Path) -> None:
    """Run one side and write its result."""
    found = by_hand(path) if side == "hand" else compared(path, seconds, place.parent / "kept")
    used = resource.getrusage(resource.RUSAGE_SELF)
    found |= {"processor": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss / 1024}
    place.write_text(json.dumps({**found, "answers": found["answers"].tolist()}), encoding="utf-8")


def lines_of(path: Path, times: Sequence[float], folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a data set: the baseline, and a comparison for each multiple of its time."""
    from textmix.compare.metrics import Answer, metric_of, paired_bootstrap

    told, texts, y, names = read_kind(path)
    truth = y[told["train"] :]
    metric = metric_of(told["metric"], "single" if y.ndim == 1 else "multi", names)
    head = {"kind": told["kind"], "documents": told["train"], "test_documents": len(texts) - told["train"]}
    head |= {"labels": len(names), "metric": told["metric"]}

    def line(found: Mapping[str, Any], beside: Answer | None) -> dict[str, Any]:
        """Return a row of the table."""
        answer = Answer(np.array(found["answers"]), np.zeros((len(truth), 0)))
        ahead = paired_bootstrap(metric, truth, (answer, beside)) if beside is not None else None
        shown = {} if ahead is None else {"ahead": ahead.value, "low": ahead.low, "high": ahead.high}
        numbers = {"validation": found["validation"], "test": metric(truth, answer), **shown}
        return {
            **{**head, "what": found["what"]},
            **{name: f"{value:.4f}" for name, value in numbers.items()},
            **{"processor_seconds": f"{found['processor']:.1f}", "clock_seconds": f"{found['clock']:.0f}"},
            "share_of_fits": f"{found['fits'] / found['processor']:.2f}" if "fits" in found else "",
            "peak_mib": f"{found['peak']:.0f}",
        }

    hand = apart("hand", path, 0.0, folder)
    yield line(hand, None)
    for multiple in times:
        found = apart("compare", path, multiple * hand["processor"], folder)
        yield line(found, Answer(np.array(hand["answers"]), np.zeros((len(truth), 0))))


def main() -> None:
    """Measure the requested data sets, and write each row as soon as it is available."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where drawn documents and what a side leaves are kept")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--times", type=float, nargs="+", default=[1.0, 5.0], help="multiples of the pipeline's time")
    parser.add_argument("--share", type=float, default=1.0, help="of the training documents of each kind")
    parser.add_argument("--output", type=Path, help="csv of the lines")
    parser.add_argument("--side", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.side:
        one_side(asked.side[0], Path(asked.side[1]), float(asked.side[2]), Path(asked.side[3]))
        return
    asked.folder.mkdir(parents=True, exist_ok=True)
    from textmix.compare import compare

    compare(["a b c", "d e f"] * 20, ["x", "y"] * 20, 5)  # compiles the kernels, once per machine
    rows: list[dict[str, Any]] = []
    if asked.output and asked.output.exists():
        with open(asked.output, encoding="utf-8", newline="") as table:
            rows = [row for row in csv.DictReader(table) if row["kind"] not in asked.kinds]
    for kind in asked.kinds:
        path = write_kind(asked.folder, kind, Path(os.environ.get("TEXTMIX_MIRROR", "")), asked.share)
        for line in lines_of(path, asked.times, asked.folder):
            rows.append(line)
            print(
                "; ".join(f"{key} {value}" for key, value in line.items() if key not in ("metric", "labels")),
                flush=True,
            )
            if asked.output:
                with open(asked.output, "w", encoding="utf-8", newline="") as table:
                    writer = csv.DictWriter(table, COLUMNS, restval="", lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(rows)


if __name__ == "__main__":
    main()
