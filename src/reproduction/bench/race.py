"""`textmix compare` beside a pipeline written by hand, on one table of texts: score, times and memory.

The pipeline is five-fold cross-validation of TF-IDF of words and pairs of words, and of n-grams of characters, with a
linear support vector machine over three values of C, as an expert writes it: each fold's texts are vectorised once for
all C, and the folds run on all cores; of several labels there is one machine each.  The comparison gets the time that
the pipeline took, and multiples of it, and the same training and test documents.  Run it by

    python -m reproduction.bench.race reviews.csv --times 1 5
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from textmix.core.io import read_csv
from textmix.data.corpus import Corpus
from textmix.experiment.splits import make_splits
from textmix.metrics.significance import wilson
from textmix.race.command import Asked, read_asked
from textmix.race.comparison import cores, options_of, race
from textmix.race.run import SPLIT

COSTS = (0.1, 1.0, 10.0)
FOLDS = 5
#: Representation -> arguments of scikit-learn's vectoriser.
TEXTS: Mapping[str, Mapping[str, Any]] = {
    "words and pairs": {"sublinear_tf": True, "ngram_range": (1, 2)},
    "characters": {"sublinear_tf": True, "analyzer": "char", "ngram_range": (1, 4), "min_df": 2},
}


class Line(NamedTuple):
    """A line of the table: what ran, its scores, its seconds, the share of fits, and the peak memory in MiB."""

    what: str
    validation: float
    test: float
    low: float
    high: float
    clock: float
    processor: float
    fits: float
    memory: float


def machine(C: float, y: np.ndarray) -> Any:
    """Return the machine for classes (N,), or one a label for indicators (N, L)."""
    made = LinearSVC(C=C, random_state=0)
    return made if y.ndim == 1 else OneVsRestClassifier(made)


def fold_scores(texts: Mapping[str, Any], train: Any, held: Any, y: tuple[np.ndarray, np.ndarray]) -> list[float]:
    """Return the share of held-out texts whose labels are right at each C, of one representation on one fold."""
    vectoriser = TfidfVectorizer(**texts)
    fitted, new = vectoriser.fit_transform(train), vectoriser.transform(held)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)  # of a label that a fold lacks
        return [float(machine(C, y[0]).fit(fitted, y[0]).score(new, y[1])) for C in COSTS]


def by_hand(corpus: Corpus, workers: int) -> Line:
    """Return the line of the pipeline that is written by hand."""
    if corpus.text is None:
        raise ValueError("the bench of a race takes texts")
    texts = np.array([corpus.text.text(row) for row in range(corpus.n_documents)], dtype=object)
    single = _is_single(corpus)
    y, splits = corpus.classes() if single else corpus.indicators(), make_splits(corpus, SPLIT, 0, "race", None)
    train, test = splits.train[0], splits.test[0]
    began, used = time.perf_counter(), _processor()
    maker = (StratifiedKFold if single else KFold)(FOLDS, shuffle=True, random_state=0)
    folds = list(maker.split(train, y[train]))
    jobs = [(name, train[fit], train[held]) for name in TEXTS for fit, held in folds]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a class with fewer documents than folds
        # The processes end with the block, so that their time and memory are known.
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            asked = [
                pool.submit(fold_scores, TEXTS[name], texts[fit], texts[held], (y[fit], y[held]))
                for name, fit, held in jobs
            ]
            scores = [one.result() for one in asked]
    means = {
        (name, C): float(np.mean([values[at] for (job, _, _), values in zip(jobs, scores, strict=True) if job == name]))
        for name in TEXTS
        for at, C in enumerate(COSTS)
    }
    name, C = max(means, key=lambda key: means[key])
    vectoriser = TfidfVectorizer(**TEXTS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = machine(C, y).fit(vectoriser.fit_transform(texts[train]), y[train])
    value = float(model.score(vectoriser.transform(texts[test]), y[test]))
    clock = time.perf_counter() - began
    low, high = wilson(value, len(test))
    what = f"by hand: {name}, C = {C:g}"
    return Line(what, means[name, C], value, low, high, clock, _processor() - used, float("nan"), _peak())


def _is_single(corpus: Corpus) -> bool:
    """Return whether each document has one label."""
    return bool((corpus.labels.sum(axis=1) == 1).all())


def raced(corpus: Corpus, seconds: float, workers: int, title: str) -> Line:
    """Return the line of a comparison of some seconds on the same training and test documents."""
    options = options_of(
        "single" if _is_single(corpus) else "multi", seconds, None, workers=workers, title=title, source=title
    )
    began, used = time.perf_counter(), _processor()
    with tempfile.TemporaryDirectory() as place:
        outcome = race(lambda: (corpus, options), Path(place) / "kept", number=workers, began=time.monotonic())
        clock = time.perf_counter() - began
        rows = read_csv(outcome.folder / "predictions.csv")
    spent, choice = _processor() - used, outcome.choice
    right = float(np.mean([row["right"] == "True" for row in rows]))
    low, high = wilson(right, len(rows))
    share = outcome.fit_seconds / spent
    what = f"compare {seconds:.0f} s: {choice['method']}, {choice['point'].get('view') or choice['point']['methods']}"
    return Line(what, choice["validation"], right, low, high, clock, spent, share, _peak())


def _processor() -> float:
    """Return the processor seconds of this process and of its children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _peak() -> float:
    """Return the largest memory that one child so far held, MiB; it only grows from line to line."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def table(lines: Sequence[Line]) -> str:
    """Return the lines as a table of Markdown."""
    head = "| | validation | test | 95 % interval | clock, s | processor, s | in fits | peak of a process, MiB |\n"
    rows = [
        f"| {line.what} | {line.validation:.3f} | {line.test:.3f} | {line.low:.3f} to {line.high:.3f} "
        f"| {line.clock:.1f} | {line.processor:.1f} | {'' if np.isnan(line.fits) else f'{line.fits:.0%}'} "
        f"| {line.memory:.0f} |"
        for line in lines
    ]
    return head + "|---|---|---|---|---|---|---|---|\n" + "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the pipeline and the comparisons on a table, and print their lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="a table of texts with one label each, or several")
    parser.add_argument("--separator", help="between the labels of a document, where there are several")
    parser.add_argument("--labels", help="name of the column of the labels")
    parser.add_argument("--times", type=float, nargs="+", default=[1.0, 5.0], help="multiples of the pipeline's time")
    parser.add_argument("--workers", type=int, default=cores())
    asked = parser.parse_args(arguments)
    corpus, _ = read_asked(Path(asked.file), Asked(asked.file, separator=asked.separator, labels=asked.labels))
    lines = [by_hand(corpus, asked.workers)]
    for times in asked.times:
        lines.append(raced(corpus, times * lines[0].clock, asked.workers, corpus.name))
    print(table(lines))


if __name__ == "__main__":
    main()
