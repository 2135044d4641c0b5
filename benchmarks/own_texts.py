"""Compare `textmix compare` with a scikit-learn pipeline on texts of several kinds: score, CPU time and memory.

    TEXTMIX_MIRROR=... python benchmarks/own_texts.py FOLDER [--kinds reviews news] [--times 1 5] [--output kinds.csv]

The baseline is the pipeline that an expert writes in scikit-learn: the union of sublinear TF-IDF of word 1-2-grams
(``min_df=1``) and of character 3-5-grams within words (``char_wb``, ``min_df=2``); LinearSVC and logistic regression
over three values of C each, chosen by five-fold cross-validation.  The texts of each fold are vectorised once for all
candidates.  With several labels there is one binary classifier for each, and one threshold for all labels, tuned on the
held-out scores.  For more than two classes and for several labels, logistic regression is fitted one-vs-rest, since the
multinomial one takes about ten times as long.

The budget of a comparison is a multiple of the CPU time of the LinearSVC half of the baseline, which includes the
features, the cross-validation, and the final fit.  A comparison has the same training and test documents; its final fit
to all documents, which the baseline does not have, is part of its time.  Both sides have one thread and run in a
process of their own, whose peak memory is measured.  The interval of the difference is from a paired bootstrap over the
test documents.
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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.numerics.seeding import rng

Row = tuple[str, list[str]]
#: Seed for sampling documents.  The test documents of seed 1 were inspected when one-letter words were excluded, so
#: they are no longer unseen data for the comparison.
SAMPLING_SEED = 2
#: Values of C by classifier.
C_VALUES = {
    "linear SVM": (0.1, 1.0, 10.0),
    "logistic regression": (1.0, 10.0, 100.0),
}
N_FOLDS = 5
N_THRESHOLDS = 101
MIN_NEWSGROUP_CHARACTERS = 50
COLUMNS = (
    "kind",
    "documents",
    "test_documents",
    "labels",
    "metric",
    "what",
    "validation",
    "test",
    "ahead",
    "low",
    "high",
    "cpu_seconds",
    "wall_seconds",
    "fit_fraction",
    "peak_mib",
    "date",
)


# --- texts ---------------------------------------------------------------------------------------------------------


def archive_members(path: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the archive members that match a pattern."""
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member) if re.search(pattern, member.name) else None
            if stream is not None:
                yield member.name, stream.read()


def reviews(mirror: Path) -> list[Row]:
    """Read the training reviews of IMDB, positive or negative."""
    files = archive_members(mirror / "imdb" / "aclImdb_train.tar.xz", r"/(pos|neg)/\d+_\d+\.txt$")
    return [(content.decode("utf-8"), [name.split("/")[-2]]) for name, content in files]


def news(mirror: Path) -> list[Row]:
    """Read the messages of 20 Newsgroups, with From and Subject."""
    files = archive_members(mirror / "newsgroups" / "20news-18828.tar.xz", r"/\d+$")
    return [(content.decode("latin-1").replace("\0", " "), [name.split("/")[-2]]) for name, content in files]


def bodies(mirror: Path) -> list[Row]:
    """Read the messages of 20 Newsgroups without header, quoted lines and signature."""
    rows = []
    for message, labels in news(mirror):
        body = message.partition("\n\n")[2].partition("\n-- \n")[0]
        own_lines = [line for line in body.splitlines() if not re.match(r"\s*[>|:]|.*(writes|wrote):?\s*$", line)]
        text = "\n".join(own_lines).strip()
        if len(text) >= MIN_NEWSGROUP_CHARACTERS:
            rows.append((text, labels))
    return rows


def spam(mirror: Path) -> list[Row]:
    """Read the messages of SpamAssassin, with their headers."""
    rows = []
    for name, content in archive_members(mirror / "spamassassin" / "spamassassin.tar.xz", r"(ham|spam)[^/]*/[^/]+$"):
        if not name.endswith("cmds"):
            label = "spam" if "spam" in name.split("/")[-2] else "ham"
            rows.append((content.decode("latin-1").replace("\0", " "), [label]))
    return rows


def webpages(mirror: Path) -> list[Row]:
    """Read the web pages of WebKB, without markup."""
    rows = []
    for name, content in archive_members(mirror / "webkb" / "webkb_raw.tar.xz", r"http"):
        page = content.decode("latin-1").replace("\0", " ")
        body = re.sub(r"<[^>]*>", " ", page.partition("\n\n")[2] or page)
        label = next(folder for folder in name.split("/") if folder in WEBKB_CLASSES)
        rows.append((html.unescape(body), [label]))
    return rows


WEBKB_CLASSES = ("course", "department", "faculty", "other", "project", "staff", "student")


def reuters(mirror: Path, tag: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield title, body and labels of a tag, for Reuters-21578 documents with a title and at least one such label."""
    for _, content in archive_members(mirror / "reuters21578" / "reuters21578.tar.xz", r"\.sgm$"):
        for document in re.findall(r"<REUTERS.*?</REUTERS>", content.decode("latin-1"), re.S):
            matches = {name: re.search(f"<{name}>(.*?)</{name}>", document, re.S) for name in ("TITLE", "BODY", tag)}
            fields = {name: html.unescape(match[1]).strip() if match else "" for name, match in matches.items()}
            tagged = matches[tag]
            labels = sorted(set(re.findall("<D>(.*?)</D>", tagged[1]))) if tagged else []
            if fields["TITLE"] and labels:
                yield fields["TITLE"], fields["BODY"], labels


def titles(mirror: Path) -> list[Row]:
    """Read the titles of Reuters-21578 with one topic."""
    return [(title, labels) for title, _, labels in reuters(mirror, "TOPICS") if len(labels) == 1]


def topics(mirror: Path) -> list[Row]:
    """Read the documents of Reuters-21578 with all their topics."""
    return [(f"{title}\n{body}", labels) for title, body, labels in reuters(mirror, "TOPICS")]


def places(mirror: Path) -> list[Row]:
    """Read the documents of Reuters-21578 with all their places."""
    return [(f"{title}\n{body}", labels) for title, body, labels in reuters(mirror, "PLACES")]


class Kind(NamedTuple):
    """Kind of texts: function that reads them, numbers of training and test documents, and metric."""

    read: Callable[[Path], Sequence[Row]]
    n_train: int
    n_test: int
    metric: str


KINDS: Mapping[str, Kind] = {
    "reviews": Kind(reviews, 1500, 3000, "accuracy"),
    "titles": Kind(titles, 4000, 4000, "accuracy"),
    "topics": Kind(topics, 1000, 3000, "subset_accuracy"),
    "news": Kind(news, 1000, 3000, "accuracy"),
    "spam": Kind(spam, 1000, 3000, "accuracy"),
    "places": Kind(places, 1000, 3000, "micro_f"),
    "bodies": Kind(bodies, 3000, 4000, "accuracy"),
    "webpages": Kind(webpages, 1000, 3000, "accuracy"),
}


class Sample(NamedTuple):
    """Sampled documents: class indices (N,) or label indicators (N, L); the first ``n_train`` are for training."""

    kind: str
    metric: str
    n_train: int
    texts: list[str]
    y: np.ndarray
    names: list[str]


def write_sample(folder: Path, kind: str, mirror: Path, fraction: float) -> Path:
    """Write the sampled documents to a JSON file, training documents first; return its path."""
    path = folder / f"{kind}-{fraction:g}-{SAMPLING_SEED}.json"
    if not path.exists():
        entry = KINDS[kind]
        rows = entry.read(mirror)
        n_train = int(fraction * entry.n_train)
        order = rng(SAMPLING_SEED, kind, "own texts").permutation(len(rows))[: n_train + entry.n_test].tolist()
        content = {"kind": kind, "metric": entry.metric, "train": n_train, "rows": [rows[row] for row in order]}
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def read_sample(path: Path) -> Sample:
    """Read a file of `write_sample`."""
    content = json.loads(path.read_text(encoding="utf-8"))
    names = sorted({label for _, labels in content["rows"] for label in labels})
    index_of = {name: index for index, name in enumerate(names)}
    indicators = np.zeros((len(content["rows"]), len(names)), dtype=np.int8)
    for row, (_, labels) in enumerate(content["rows"]):
        indicators[row, [index_of[label] for label in labels]] = 1
    return Sample(
        kind=content["kind"],
        metric=content["metric"],
        n_train=content["train"],
        texts=[text for text, _ in content["rows"]],
        y=indicators.argmax(axis=1) if content["metric"] == "accuracy" else indicators,
        names=names,
    )


# --- the baseline --------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    """Candidate of the baseline."""

    name: str
    C: float

    def __str__(self) -> str:
        return f"{self.name}, C={self.C:g}"


def new_vectoriser() -> Any:
    """Create the vectoriser of the baseline."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import FeatureUnion

    words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    characters = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5), min_df=2)
    return FeatureUnion([("words", words), ("characters", characters)])


def new_classifier(point: Point, y: np.ndarray) -> Any:
    """Create the classifier of a candidate."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    if point.name == "linear SVM":
        machine = LinearSVC(C=point.C, random_state=0)
        return machine if y.ndim == 1 else OneVsRestClassifier(machine)
    if y.ndim == 1 and len(np.unique(y)) == 2:
        return LogisticRegression(C=point.C, max_iter=1000)
    return OneVsRestClassifier(LogisticRegression(C=point.C, solver="liblinear", random_state=0))


def run_baseline(sample: Sample, methods: Sequence[str]) -> dict[str, Any]:
    """Run the baseline: the best candidate, its validation score and its test predictions."""
    from sklearn.model_selection import KFold, StratifiedKFold

    warnings.simplefilter("ignore")
    n_train = sample.n_train
    texts = np.array(sample.texts[:n_train], dtype=object)
    y = sample.y[:n_train]
    splitter = (StratifiedKFold if y.ndim == 1 else KFold)(N_FOLDS, shuffle=True, random_state=0)
    points = [Point(name, C) for name in methods for C in C_VALUES[name]]
    held_out_scores = {point: np.zeros(y.shape) for point in points}
    seconds = dict.fromkeys(methods, 0.0)
    start = time.process_time()
    for training, held_out in splitter.split(texts, y):
        vectoriser = new_vectoriser()
        X = vectoriser.fit_transform(texts[training])
        X_held_out = vectoriser.transform(texts[held_out])
        for point in points:
            fit_start = time.process_time()
            model = new_classifier(point, y).fit(X, y[training])
            predict = model.predict if y.ndim == 1 else model.decision_function
            held_out_scores[point][held_out] = predict(X_held_out)
            seconds[point.name] += time.process_time() - fit_start
    thresholds = {point: _best_threshold(sample.metric, y, scores) for point, scores in held_out_scores.items()}
    values = {
        point: _score(sample.metric, y, _decide(scores, thresholds[point])) for point, scores in held_out_scores.items()
    }
    best = max(points, key=lambda point: values[point])
    vectoriser = new_vectoriser()
    model = new_classifier(best, y).fit(vectoriser.fit_transform(texts), y)
    predict = model.predict if y.ndim == 1 else model.decision_function
    answers = _decide(predict(vectoriser.transform(sample.texts[n_train:])), thresholds[best])
    others = sum(seconds[name] for name in methods if name != "linear SVM")
    return {
        "what": f"scikit-learn: {best}",
        "validation": values[best],
        "answers": answers.astype(int),
        "budget": time.process_time() - start - others,
    }


def _best_threshold(metric: str, y: np.ndarray, scores: np.ndarray) -> float | None:
    """Return the best threshold shared by all labels; None for a single label per text."""
    if y.ndim == 1:
        return None
    thresholds = np.quantile(scores[y > 0], np.linspace(0.0, 1.0, N_THRESHOLDS))
    values = [_score(metric, y, scores >= threshold) for threshold in thresholds]
    return float(thresholds[int(np.argmax(values))])


def _decide(scores: np.ndarray, threshold: float | None) -> np.ndarray:
    """Return the predicted classes, or the labels whose scores reach the threshold."""
    return scores if threshold is None else scores >= threshold


def _score(metric: str, true: np.ndarray, predicted: np.ndarray) -> float:
    """Compute accuracy of classes (N,), or subset accuracy or micro F1 of label indicators (N, L)."""
    if metric == "accuracy":
        return float(np.mean(true == predicted))
    if metric == "subset_accuracy":
        return float(np.mean((true == predicted).all(axis=1)))
    return float(2.0 * np.sum(true * predicted) / max(np.sum(true) + np.sum(predicted), 1))


# --- the comparison ------------------------------------------------------------------------------------------------


def run_comparison(sample: Sample, seconds: float, folder: Path) -> dict[str, Any]:
    """Run a comparison with a budget of CPU time; the keys are those of `run_baseline`."""
    from textmix.compare.comparison import Settings, run
    from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged, label_matrix

    is_multi = sample.y.ndim == 2
    label_rows = [np.flatnonzero(row).tolist() for row in sample.y] if is_multi else sample.y[:, None].tolist()
    n_documents = len(sample.texts)
    corpus = Corpus(
        sample.kind,
        [str(row) for row in range(n_documents)],
        sample.names,
        label_matrix(label_rows, len(sample.names)),
        text=Ragged.from_texts(text.encode("utf-8", "replace") for text in sample.texts),
        split=np.where(np.arange(n_documents) < sample.n_train, TRAIN, TEST).astype(np.int8),
    )
    settings = Settings(
        seconds=seconds, metric=sample.metric, overwrite=True, start=time.process_time(), clock=time.process_time
    )
    result = run(corpus, "multi" if is_multi else "single", folder, settings)
    with open(folder / "predictions.csv", encoding="utf-8", newline="") as table:
        predicted = [row["predicted"].split(" | ") if row["predicted"] else [] for row in csv.DictReader(table)]
    index_of = {name: index for index, name in enumerate(sample.names)}
    answers = np.zeros((len(predicted), len(sample.names)), dtype=int)
    for row, predicted_labels in enumerate(predicted):
        answers[row, [index_of[label] for label in predicted_labels]] = 1
    return {
        "what": f"compare, {seconds:.0f} s: {result.winner.name}",
        "validation": result.winner.value,
        "answers": answers if is_multi else answers.argmax(axis=1),
        "fits": result.seconds["CPU time of the search"] + result.seconds["CPU time of test and final fits"],
    }


# --- the table -----------------------------------------------------------------------------------------------------


def run_in_process(arguments: Sequence[str], folder: Path) -> dict[str, Any]:
    """Run one side in a process of its own; return its result with wall-clock time."""
    path = folder / "side.json"
    start = time.monotonic()
    command = [sys.executable, __file__, str(folder), "--side", str(path), *arguments]
    subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    return {**json.loads(path.read_text(encoding="utf-8")), "wall": time.monotonic() - start}


def run_side(path: Path, sample: Sample, seconds: float | None, methods: Sequence[str]) -> None:
    """Run the baseline, or a comparison if there is a budget, and write its result with CPU time and peak memory."""
    if seconds is None:
        result = run_baseline(sample, methods)
    else:
        result = run_comparison(sample, seconds, path.parent / "compared")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    result["cpu"] = usage.ru_utime + usage.ru_stime
    result["peak"] = usage.ru_maxrss / 1024
    path.write_text(json.dumps({**result, "answers": result["answers"].tolist()}), encoding="utf-8")


def table_rows(path: Path, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the rows of a kind: the baseline, and a comparison for each multiple of its time."""
    from textmix.compare.metrics import Answer, metric_of, paired_bootstrap

    sample = read_sample(path)
    truth = sample.y[sample.n_train :]
    no_probabilities = np.zeros((len(truth), 0))
    metric = metric_of(sample.metric, "single" if truth.ndim == 1 else "multi", sample.names)

    def table_row(result: Mapping[str, Any], reference: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return a row of the table; the difference is from a reference."""
        answer = Answer(np.array(result["answers"]), no_probabilities)
        row = {
            "kind": sample.kind,
            "documents": sample.n_train,
            "test_documents": len(truth),
            "labels": len(sample.names),
            "metric": sample.metric,
            "what": result["what"],
            "validation": f"{result['validation']:.4f}",
            "test": f"{metric(truth, answer):.4f}",
            "cpu_seconds": f"{result['cpu']:.1f}",
            "wall_seconds": f"{result['wall']:.0f}",
            "fit_fraction": f"{result['fits'] / result['cpu']:.2f}" if "fits" in result else "",
            "peak_mib": f"{result['peak']:.0f}",
            "date": datetime.now(UTC).date().isoformat(),
        }
        if reference is not None:
            reference_answer = Answer(np.array(reference["answers"]), no_probabilities)
            ahead = paired_bootstrap(metric, truth, (answer, reference_answer))
            row |= {"ahead": f"{ahead.value:.4f}", "low": f"{ahead.low:.4f}", "high": f"{ahead.high:.4f}"}
        return row

    common = ["--sample", str(path), "--methods", *arguments.methods]
    baseline = run_in_process(common, arguments.folder)
    yield table_row(baseline, None)
    for multiple in arguments.times:
        seconds = multiple * baseline["budget"]
        result = run_in_process([*common, "--seconds", str(seconds)], arguments.folder)
        yield table_row(result, baseline)


def main() -> None:
    """Measure the requested kinds, and write each row as soon as it is available."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="directory of the sampled documents and the results of a side")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--times", type=float, nargs="+", default=[1.0, 5.0], help="multiples of the baseline's time")
    parser.add_argument("--methods", nargs="+", choices=list(C_VALUES), default=list(C_VALUES), help="of the baseline")
    parser.add_argument("--fraction", type=float, default=1.0, help="fraction of the training documents of each kind")
    parser.add_argument("--output", type=Path, help="CSV file of the rows")
    parser.add_argument("--side", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--sample", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        run_side(arguments.side, read_sample(arguments.sample), arguments.seconds, arguments.methods)
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    from textmix.compare import compare

    compare(["a b c", "d e f"] * 20, ["x", "y"] * 20, 5)  # compiles the kernels, once per machine
    rows: list[dict[str, Any]] = []
    if arguments.output and arguments.output.exists():
        with open(arguments.output, encoding="utf-8", newline="") as table:
            rows = [row for row in csv.DictReader(table) if row["kind"] not in arguments.kinds]
    for kind in arguments.kinds:
        path = write_sample(arguments.folder, kind, Path(os.environ.get("TEXTMIX_MIRROR", "")), arguments.fraction)
        for row in table_rows(path, arguments):
            rows.append(row)
            print("; ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            if arguments.output:
                write_rows(arguments.output, rows)


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the table as CSV."""
    with open(path, "w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
