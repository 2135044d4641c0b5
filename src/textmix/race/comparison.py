"""`textmix.compare`: methods compared on texts and labels within a time, and the best one kept."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
import time as clock
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError, IntegrityError
from textmix.core.extras import extra
from textmix.core.io import META, read_meta, write_text
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.budget import seconds_of
from textmix.metrics.table import check_metrics, main_metric, tuning_metrics
from textmix.race.state import Options, Outcome, Row, State
from textmix.race.workers import LOG, Workers, log_of_failure

#: Packages of the extra ``compare``, which page, tables and the registry of methods need.
NEEDED = ("yaml", "pandas", "matplotlib", "jinja2")
#: Files that a race leaves in its folder; the rest is taken away.
KEPT = (
    "index.html",
    "scores.csv",
    "costs.csv",
    "trials.csv",
    "predictions.csv",
    "choice.json",
    "summary.json",
    "model",
)
#: Those without which a folder is of no race.
ALWAYS = ("index.html", "choice.json")
#: Types of several labels of one text.
SETS = (list, tuple, set, frozenset)
#: Share of the free memory that the workers may hold together.
MEMORY = 0.9
#: Bytes of a probability; there is one for each document and label.
PROBABILITY = 8


class Comparison:
    """A finished comparison, as `compare` returns it.

    Parameters
    ----------
    outcome : of the race.
    originals : name of a label -> the label as it was given.

    Attributes
    ----------
    best_ : the fitted pipeline of the best method, from texts to names of labels, as `textmix.load` returns it.
    table_ : a mapping for each method with a score: ``method``, ``parameters``, ``validation``, ``folds`` and
        ``seconds``; the best first.
    choice_ : ``method``, its ``validation``, and its score on the test documents ``value`` with the ends ``low`` and
        ``high`` of its interval.
    without_ : method -> why it has no score on the test documents.
    """

    def __init__(self, outcome: Outcome, originals: Mapping[str, Any]) -> None:
        from textmix.serve.library import load

        self._outcome, self._originals = outcome, originals
        self.best_ = load(outcome.folder / "model")
        self.table_ = [_row(row) for row in outcome.rows]
        self.choice_, self.without_ = dict(outcome.choice), dict(outcome.without)

    def __repr__(self) -> str:
        """Return the best method and its score."""
        return f"<textmix comparison: {score_line(self.choice_)}>"

    def predict(self, texts: Sequence[str]) -> np.ndarray:
        """Return the label of each of N texts, or a tuple of labels each, (N,).

        Parameters
        ----------
        texts : strings.
        """
        names = self.best_.predict(list(texts)).tolist()
        labels = np.empty(len(names), dtype=object)
        for row, name in enumerate(names):
            labels[row] = (
                tuple(self._originals[one] for one in name) if isinstance(name, tuple) else self._originals[name]
            )
        kinds = {type(label) for label in labels}
        return np.array(labels.tolist()) if len(kinds) == 1 and kinds <= {str, int} else labels

    def page(self, path: str | Path | None = None) -> str:
        """Return the page on the comparison as HTML, and write it to a file if a path is given."""
        content = (self._outcome.folder / "index.html").read_text(encoding="utf-8")
        if path is not None:
            write_text(path, content)
        return content


def compare(
    texts: Sequence[str],
    labels: Sequence[Any],
    *,
    time: float | str = 60,
    metric: str | None = None,
    keep: str | Path | None = None,
    workers: int | None = None,
    seed: int = 0,
    never_empty: bool = False,
    encoder: str | None = None,
) -> Comparison:
    """Compare all methods that suit texts and labels within a time, and fit the best one to all of them.

    Methods, representations and parameters are chosen by cross-validation on four fifths of the documents.  The rest
    are test documents, which are used once, for the score of the chosen method.  A text or a label that is missing
    (None, nan, or NA of pandas) is left out.  ^C ends the search with the best method so far.

    Parameters
    ----------
    texts : N strings.
    labels : a string or whole number for each text, or a list of several.
    time : seconds of the whole comparison, or a text such as "10 min".
    metric : by which methods are compared; by default accuracy, or subset accuracy for several labels.
    keep : folder of page, tables and model; by default a temporary one, which ends with the process.
    workers : number of processes; by default that of the cores.
    seed : draws the test documents and the folds.
    never_empty : of several labels, whether each text gets one; thresholds are chosen for such answers.
    encoder : ``module:name`` of an encoder of yours, an object with ``encode`` or a function from a list of N texts to
        N vectors; a linear model on its vectors joins.

    Returns
    -------
    the comparison, with ``table_``, ``best_``, ``predict`` and ``page``.

    Raises
    ------
    ConfigError : texts and labels differ in number, a text is no string, two labels have one text, the metric or the
        time is wrong, or no method has a score in time.
    DataFormatError : the labels are no labels: all the same, all different, or too many for the memory.

    Examples
    --------
    >>> from textmix import compare
    >>> found = compare(texts, labels, time=60)  # doctest: +SKIP
    >>> found.predict(["a new text"])  # doctest: +SKIP
    """
    began = clock.monotonic()
    corpus, originals = corpus_of(texts, labels)
    several = any(isinstance(label, SETS) for label in labels)
    task = "multi" if several else "single"
    options = options_of(
        task,
        time,
        metric,
        workers=workers,
        seed=seed,
        title="texts",
        model=str(Path(keep) / "model") if keep else "",
        never_empty=never_empty and several,
        encoder=encoder or "",
    )
    if encoder:
        from textmix.text.encoder import allow

        allow(encoder)
    folder = Path(tempfile.mkdtemp(prefix="textmix-")) if keep is None else Path(keep)
    if keep is None:
        import atexit

        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    outcome = race(lambda: (corpus, options), folder, number=options.workers, began=began)
    return Comparison(outcome, originals)


def corpus_of(texts: Sequence[str], labels: Sequence[Any]) -> tuple[Corpus, dict[str, Any]]:
    """Return texts and labels as a corpus, and name of a label -> the label as it was given.

    Raises
    ------
    ConfigError : they differ in number, a text is no string, or two labels have one text, such as 1 and "1".
    """
    texts, labels = list(texts), list(labels)
    if len(texts) != len(labels):
        raise ConfigError(f"compare: {len(texts)} texts and {len(labels)} labels; give a label for each text")
    whole = [row for row in range(len(texts)) if not _is_missing(texts[row]) and not _is_missing(labels[row])]
    wrong = next((row for row in whole if not isinstance(texts[row], str)), None)
    if wrong is not None:
        raise ConfigError(f"compare: text {wrong} is of the type {type(texts[wrong]).__name__}; give strings")
    sets = [
        [one for one in dict.fromkeys(label if isinstance(label, SETS) else [label]) if not _is_missing(one)]
        for label in (labels[row] for row in whole)
    ]
    originals = dict[str, Any]()
    for row, label in ((row, label) for row, given in zip(whole, sets, strict=True) for label in given):
        plain = label.item() if isinstance(label, np.generic) else label
        other = originals.setdefault(str(label), plain)
        if other != plain:
            what = f"the label {plain!r} of text {row} has the same text as the label {other!r} of an earlier one"
            raise ConfigError(f"compare: {what}; give all labels as strings, or all as numbers")
    names = sorted(originals)
    place = {name: number for number, name in enumerate(names)}
    left_out = len(texts) - len(whole)
    said = {"remarks": [f"{left_out:,} rows without a text or a label were left out."]} if left_out else {}
    corpus = Corpus(
        name="texts",
        ids=[str(row + 1) for row in whole],
        label_names=names,
        labels=label_matrix([sorted(place[str(label)] for label in row) for row in sets], len(names)),
        text=Ragged.from_texts(texts[row].encode("utf-8", "replace") for row in whole),
        info=said,
    )
    return corpus, originals


def _is_missing(value: Any) -> bool:
    """Return whether a text or a label is None, nan of any width, or what pandas takes as missing."""
    # A value of pandas comes from a process that has imported it, which takes a second.
    pandas = sys.modules.get("pandas")
    if pandas is not None and not isinstance(value, (*SETS, np.ndarray)):
        return bool(pandas.isna(value))
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def options_of(
    task: str, time: float | str, metric: str | None, *, workers: int | None = None, seed: int = 0, **more: Any
) -> Options:
    """Return checked options of a race.

    Parameters
    ----------
    task : ``single`` or ``multi``.
    time, metric, workers, seed : see `compare`.
    more : further fields of `textmix.race.state.Options`.

    Raises
    ------
    ConfigError : the time, the metric or the number of workers is wrong.
    """
    seconds = seconds_of(time)
    if seconds <= 0:
        raise ConfigError(f"time: {time!r} is no time; give seconds, such as 60, or 10min")
    if workers is not None and workers < 1:
        raise ConfigError(f"workers: {workers} is no number of processes; give 1 or more, or leave it out")
    metric = metric or main_metric(task)
    check_metrics([metric], tuning_metrics(task), "metric")
    return Options(seconds, task, metric, workers or cores(), seed, **more)


def cores() -> int:
    """Return the number of cores that this process may use."""
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def race(
    read: Callable[[], tuple[Corpus, Options]],
    folder: Path,
    *,
    number: int,
    began: float,
    watch: Callable[[State], None] = lambda state: None,
) -> Outcome:
    """Run a race in a folder and leave there what it made (`KEPT`); the workers start before the data are read.

    Parameters
    ----------
    read : returns the corpus and the options.
    folder : new, empty, or of an earlier race, whose files are replaced.
    number : of worker processes.
    began : of the monotonic clock.
    watch : is called with the state of the race.

    Raises
    ------
    ConfigError : the folder holds something else, or no method has a score in time.
    DataFormatError : see `compare`.
    """
    require()
    from textmix.race.run import Run

    check_folder(folder)
    used = clock.process_time()
    work = Path(tempfile.mkdtemp(prefix="textmix-race-"))
    (work / "views").mkdir()
    workers = Workers(work, number, int(MEMORY * free_memory() / number))
    try:
        workers.start()
        corpus, options = read()
        check(corpus)
        outcome = Run(corpus, options, workers, began=began, used=used, watch=watch).run()
        workers.stop()
        folder.mkdir(parents=True, exist_ok=True)
        replace_files(work, folder)
        return outcome._replace(folder=folder, cpu_seconds=workers.cpu_seconds + clock.process_time() - used)
    except BaseException:
        with suppress(OSError):
            failed = (work / LOG).read_text(encoding="utf-8", errors="replace")
            write_text(log_of_failure(), failed)
        raise
    finally:
        workers.stop()
        shutil.rmtree(work, ignore_errors=True)


def require() -> None:
    """Check that the packages of the extra are there, before any of them is imported.

    Raises
    ------
    ModuleNotFoundError : one is not; the message names the extra.
    """
    with extra("compare"):
        for name in NEEDED:
            if importlib.util.find_spec(name) is None:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def visible_files(folder: Path) -> list[Path]:
    """Return what lies in a folder, without records and hidden files."""
    return [path for path in folder.iterdir() if not path.name.startswith(".") and not path.name.endswith(".meta.json")]


def check_folder(folder: Path) -> None:
    """Check that the files of a race may go to a folder: it is new, empty, or of an earlier race.

    Raises
    ------
    ConfigError : it holds something else, which would be lost.
    """
    if not os.path.lexists(folder):
        return
    names = {path.name for path in visible_files(folder)} if folder.is_dir() else {folder.name}
    if not folder.is_dir() or not names <= {*KEPT} or (names and not names.issuperset(ALWAYS)):
        raise ConfigError(f"{folder}: is there and is no folder of a comparison; name a new one by --keep")
    model = folder / "model"
    if "model" in names:
        try:
            known = {META, *read_meta(model)["files"]}
        except IntegrityError as error:
            what = "is no model of a comparison"
            raise ConfigError(f"{model}: {what}; move it elsewhere, or name a new folder by --keep") from error
        files = (path.relative_to(model).as_posix() for path in model.rglob("[!.]*") if not path.is_dir())
        foreign = sorted(name for name in files if name not in known)
        if foreign:
            what = f"{foreign[0]} is no file of the model of a comparison"
            raise ConfigError(f"{model}: {what}; move it elsewhere, or name a new folder by --keep")


def replace_files(work: Path, folder: Path) -> None:
    """Put the files of a race into a folder in place of those of an earlier one, all of them or none.

    The new files are moved beside the old ones first, which may take long and may fail; then names are changed.

    Parameters
    ----------
    work : folder of the race.
    folder : checked by `check_folder`; what else lies in it stays.
    """
    beside = Path(tempfile.mkdtemp(prefix=".textmix-", dir=folder))
    new, old = beside / "new", beside / "old"
    new.mkdir()
    old.mkdir()
    made = [name for name in KEPT if (work / name).exists()]
    ready = False
    try:
        for name in made:
            shutil.move(work / name, new / name)
        ready = True
        for name in KEPT:
            _move(folder / name, old / name)
            _move(new / name, folder / name)
    except BaseException:
        for name in KEPT:
            if ready and name in made and not os.path.lexists(new / name):
                _move(folder / name, new / name)
            _move(old / name, folder / name)
        shutil.rmtree(beside, ignore_errors=True)
        raise
    shutil.rmtree(beside, ignore_errors=True)


def _move(source: Path, target: Path) -> None:
    """Give a file or folder another name on the same disk, if it is there."""
    if os.path.lexists(source):
        source.replace(target)


def free_memory() -> int:
    """Return the bytes of memory that are free now; 0 where the system does not say."""
    with suppress(OSError, StopIteration, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
    return 0


def check(corpus: Corpus) -> None:
    """Check that there is something to learn, and that it fits the memory.

    Raises
    ------
    DataFormatError : no label, one label alone, a label for each document, fewer than ten documents, texts that are
        all empty, or more documents times labels than the memory takes.
    """
    from textmix.data.own import check_labels

    counts = np.asarray(corpus.labels.sum(axis=0)).ravel()
    used, n = int(np.count_nonzero(counts)), corpus.n_documents
    if n < 10:
        raise DataFormatError(corpus.name, None, f"has {n} documents with a label; a comparison needs ten or more")
    check_labels(corpus)
    if corpus.text is not None and not any(corpus.text[row].tobytes().strip() for row in range(n)):
        raise DataFormatError(corpus.name, None, f"all {n:,} texts are empty; name the column of the text by --text")
    if int(np.sum(counts > 1)) < 2:
        what = f"has {used:,} labels on {n:,} documents, and fewer than two of them stand on two documents"
        raise DataFormatError(corpus.name, None, f"{what}; name the column of the labels by --labels")
    needed, free = PROBABILITY * n * len(counts), free_memory()
    if free and needed > free / 2:
        what = f"the probabilities of {len(counts):,} labels for {n:,} documents need {needed / 2**30:.1f} GiB"
        raise DataFormatError(corpus.name, None, f"{what}, and {free / 2**30:.1f} are free; join rare labels into one")


def _row(row: Row) -> dict[str, Any]:
    """Return a row of ``table_``."""
    return {
        **{"method": row.method, "parameters": row.arm, "validation": row.value},
        **{"folds": row.folds, "seconds": row.seconds},
    }


def score_line(choice: Mapping[str, Any]) -> str:
    """Return the method, its score in validation and on the test documents, in words."""
    metric = str(choice["metric"]).replace("_", " ")
    interval = "" if choice["low"] is None else f", 95 % interval {choice['low']:.3f} to {choice['high']:.3f}"
    return f"{choice['method']}: {metric} {choice['value']:.3f} on the test documents{interval}"
