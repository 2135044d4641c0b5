"""`textmix compare` beside a pipeline written by hand, on one table of texts: score, times and memory.

The pipeline is five-fold cross-validation of TF-IDF of words and pairs of words, and of n-grams of characters, with a
linear support vector machine over three values of C, as an expert writes it: each fold's texts are vectorised once for
all C, and the folds run on all cores; of several labels there is one machine each.  The comparison gets the time that
the pipeline took, and multiples of it, and the same training and test documents.  Run it by

    python -m reproduction.bench.race reviews.csv --times 1 5 --output kinds.csv --said "an idle machine of 2 cores"

Lines of several tables may go to one file.  The difference from the pipeline is that of the shares of test documents
that are right, with its interval over these documents.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from textmix.core.io import format_csv, read_csv, write_text
from textmix.data.corpus import Corpus
from textmix.experiment.splits import Splits, make_splits
from textmix.metrics.significance import bootstrap_interval, wilson
from textmix.numerics.determinism import rng
from textmix.race.command import Asked, read_asked
from textmix.race.comparison import cores, options_of, race
from textmix.race.run import SPLIT

Made = TypeVar("Made")

COSTS = (0.1, 1.0, 10.0)
FOLDS = 5
#: Representation -> arguments of scikit-learn's vectoriser.
TEXTS: Mapping[str, Mapping[str, Any]] = {
    "words and pairs": {"sublinear_tf": True, "ngram_range": (1, 2)},
    "characters": {"sublinear_tf": True, "analyzer": "char", "ngram_range": (1, 4), "min_df": 2},
}


class Line(NamedTuple):
    """A line of the table: what ran, its scores, its seconds, the share of fits, and the peak memory in MiB.

    ``ahead`` is the difference from the pipeline by hand, ``ahead_low`` to ``ahead_high`` its 95 % interval over the
    test documents, and ``right`` whether each of them is right.
    """

    what: str
    validation: float
    test: float
    low: float
    high: float
    clock: float
    processor: float
    fits: float
    memory: float
    ahead: float = 0.0
    ahead_low: float = 0.0
    ahead_high: float = 0.0
    right: tuple[bool, ...] = ()


#: The difference of a line from the first one, which has none.
AHEAD = ("ahead", "ahead_low", "ahead_high")
#: Columns of the file of results.
COLUMNS = (
    *("table", "documents", "test_documents", "what", "validation", "test", "low", "high"),
    *("ahead", "ahead_low", "ahead_high", "clock_seconds", "processor_seconds", "share_in_fits", "peak_mib", "said"),
)


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
    y, splits = corpus.classes() if single else corpus.indicators(), _splits(corpus)
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
    right = _right(model.predict(vectoriser.transform(texts[test])), y[test])
    value = float(right.mean())
    clock = time.perf_counter() - began
    low, high = wilson(value, len(test))
    what = f"by hand: {name}, C = {C:g}"
    return Line(
        what, means[name, C], value, low, high, clock, _processor() - used, float("nan"), _peak(), right=tuple(right)
    )


def _right(predicted: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return whether each document is right as a whole, bool (T,), of classes (T,) or label indicators (T, L)."""
    same = np.asarray(predicted == true)
    return same if same.ndim == 1 else np.asarray(same.all(axis=1))


def _splits(corpus: Corpus) -> Splits:
    """Return the split of a race: that of the table, or a drawn one."""
    return make_splits(corpus, SPLIT if corpus.split is None else {"kind": "given"}, 0, "race", None)


def _is_single(corpus: Corpus) -> bool:
    """Return whether each document has one label."""
    return bool((corpus.labels.sum(axis=1) == 1).all())


def raced(corpus: Corpus, seconds: float, workers: int, beside: Line) -> tuple[Line, Mapping[str, float]]:
    """Return the line of a comparison of some seconds on the documents of a pipeline, and work -> processor seconds."""
    title = corpus.name
    options = options_of(
        "single" if _is_single(corpus) else "multi", seconds, None, workers=workers, title=title, source=title
    )
    began, used = time.perf_counter(), _processor()
    with tempfile.TemporaryDirectory() as place:
        outcome = race(lambda: (corpus, options), Path(place) / "kept", number=workers, began=time.monotonic())
        clock = time.perf_counter() - began
        rows = read_csv(outcome.folder / "predictions.csv")
    spent, choice = _processor() - used, outcome.choice
    row_of = {name: row for row, name in enumerate(corpus.ids)}
    test = [row_of[row["id"]] for row in rows]
    if test != _splits(corpus).test[0].tolist():
        raise ValueError("the comparison has other test documents than the pipeline")
    right = np.array([row["right"] == "True" for row in rows])
    low, high = wilson(float(right.mean()), len(rows))
    ahead = bootstrap_interval(right.astype(float) - np.array(beside.right, dtype=float), rng(0, title, "ahead"))
    share = outcome.fit_seconds / spent
    what = f"compare {seconds:.0f} s: {choice['method']}, {choice['point'].get('view') or choice['point']['methods']}"
    scores = what, choice["validation"], float(right.mean()), low, high
    return Line(*scores, clock, spent, share, _peak(), *ahead, tuple(right.tolist())), outcome.took


def _processor() -> float:
    """Return the processor seconds of this process and of its children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _peak() -> float:
    """Return the largest memory that one child so far held, MiB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def apart(function: Callable[..., Made], *arguments: Any) -> Made:
    """Return what a function returns in a process of its own, whose children are those of one line alone."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def table(lines: Sequence[Line]) -> str:
    """Return the lines as a table of Markdown."""
    columns = "validation | test | 95 % interval | ahead | its interval | clock, s | processor, s | in fits"
    head = f"| | {columns} | peak of a process, MiB |\n"
    rows = [
        f"| {line.what} | {line.validation:.3f} | {line.test:.3f} | {line.low:.3f} to {line.high:.3f} "
        f"| {line.ahead:+.3f} | {line.ahead_low:+.3f} to {line.ahead_high:+.3f} "
        f"| {line.clock:.1f} | {line.processor:.1f} | {'' if np.isnan(line.fits) else f'{line.fits:.0%}'} "
        f"| {line.memory:.0f} |"
        for line in lines
    ]
    return head + "|---|---|---|---|---|---|---|---|---|---|\n" + "\n".join(rows)


def write(path: Path, corpus: Corpus, lines: Sequence[Line], said: str) -> None:
    """Write the lines of a table to a file of results, after those of other tables that are there."""
    known = [row for row in read_csv(path) if row["table"] != corpus.name] if path.exists() else []
    of = {"table": corpus.name, "documents": corpus.n_documents, "said": said}
    rows = [
        {
            **of,
            **{"test_documents": len(line.right), "what": line.what, "share_in_fits": _rounded(line.fits, 2)},
            **{name: _rounded(getattr(line, name)) for name in ("validation", "test", "low", "high")},
            **{name: _rounded(getattr(line, name)) if number else "" for name in AHEAD},
            **{"clock_seconds": _rounded(line.clock, 1), "processor_seconds": _rounded(line.processor, 1)},
            "peak_mib": _rounded(line.memory, 0),
        }
        for number, line in enumerate(lines)
    ]
    write_text(path, format_csv([*known, *rows], COLUMNS))


def _rounded(value: float, digits: int = 3) -> str:
    """Return a number with some decimals; empty for nan."""
    return "" if np.isnan(value) else f"{value:.{digits}f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the pipeline and the comparisons on a table, and print their lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="a table of texts with one label each, or several")
    parser.add_argument("--separator", help="between the labels of a document, where there are several")
    parser.add_argument("--labels", help="name of the column of the labels")
    parser.add_argument("--parts", help="name of the column that marks the test documents; by default a fifth is drawn")
    parser.add_argument("--times", type=float, nargs="+", default=[1.0, 5.0], help="multiples of the pipeline's time")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--output", type=Path, help="file of results, to which the lines are added")
    parser.add_argument("--said", default="", help="what the file says of the machine, such as other load")
    asked = parser.parse_args(arguments)
    columns = {"separator": asked.separator, "labels": asked.labels, "parts": asked.parts}
    corpus, _ = read_asked(Path(asked.file), Asked(asked.file, **columns))
    lines = [apart(by_hand, corpus, asked.workers)]
    for times in asked.times:
        line, took = apart(raced, corpus, times * lines[0].clock, asked.workers, lines[0])
        lines.append(line)
        print("; ".join(f"{work} {seconds:.1f} s" for work, seconds in took.items()))
    print(table(lines))
    if asked.output:
        write(asked.output, corpus, lines, asked.said)


if __name__ == "__main__":
    main()
