"""`compare`: methods compared on texts and labels, within a budget or to the end, and the best one kept."""

from __future__ import annotations

import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

import textmix
from textmix.compare import diagnostics as account
from textmix.compare.candidates import JOINED, Candidate, pipeline
from textmix.compare.decisions import answer_of
from textmix.compare.final_model import Fits, final_model, views_of, words_of
from textmix.compare.metrics import (
    SHOWN,
    Answer,
    ComparisonMetric,
    interval,
    metric_of,
    paired_bootstrap,
    resampling_seconds,
)
from textmix.compare.search import FOLDS, Chosen, FoldFit, LabelledTexts, Row, Search, State
from textmix.core.environment import versions
from textmix.core.errors import ConfigError, DataFormatError, IntegrityError
from textmix.core.io import META, canonical_json, format_csv, read_meta, write_text
from textmix.data.corpus import Corpus, Ragged, TableTexts, label_matrix
from textmix.data.extra_columns import cells_of, is_missing, kinds_of
from textmix.experiment.splits import make_splits
from textmix.models.common.decision import Decision
from textmix.numerics.seeding import limit_threads, rng
from textmix.serve.average_model import AveragedModel
from textmix.serve.training_sketch import SEEN, sketch

logger = logging.getLogger("textmix")

#: Files that a comparison leaves in its folder, in the order in which they are written; and those it cannot be without.
KEPT, ALWAYS = ("leaderboard.csv", "predictions.csv", "choice.json", "model", "index.html"), ("choice.json",)
#: Columns of leaderboard.csv.
LEADERBOARD = (
    *("method", "parameters", "validation", "folds", "difference", "low", "high", "p", "seconds", "test"),
    *("test_difference", "test_low", "test_high", "test_p"),
)
#: How test documents are drawn where the data do not say which they are, and most of them.
SPLIT, MOST_TEST = {"kind": "random", "train": 0.8, "trials": 1, "stratified": True}, 20_000
#: A time as a user writes it, and seconds of its units.
_TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*")
UNITS = {"": 1, "s": 1, "sec": 1, "second": 1, "seconds": 1, "m": 60, "min": 60, "minute": 60, "minutes": 60, "h": 3600}
#: Types of several labels of one text.
SETS = (list, tuple, set, frozenset)
#: Methods that are tested beside the chosen one and the pipeline.
TESTED = 4
#: Seconds of the page and of what else comes last; of it for each document; of a feature of the model, which is written
#: and read back; and share of the memory that the texts' features may take.
LAST, EACH, SAVED, MEMORY = 1.0, 3e-6, 3e-6, 0.35
#: Characters of all texts from which fits to a few of them tell whether all fit the budget; the documents of these
#: fits; and the share of the budget that all folds of the pipeline may take.  Else a part is searched.
MANY, PILOT, PIPELINE = 20_000_000, 1000, 0.5
#: Share of the budget that the fit of the model may take beyond it, by prediction.
FINAL = 0.5


@dataclass
class Result:
    """What a comparison found.

    Parameters
    ----------
    names : of the labels.
    metric : by which candidates were compared.
    leaderboard : rows of leaderboard.csv, the best first.
    value, low, high : the metric of the choice on the test documents, and the ends of its 95 % interval.
    without : method -> why it has no score.
    remarks : sentences on the data and the search.
    interrupted : whether the user ended the search.
    seconds : ``search``, ``fits`` and ``all`` of the processor, and ``clock``.
    """

    folder: Path
    names: list[str]
    metric: ComparisonMetric
    chosen: Chosen
    leaderboard: list[dict[str, Any]]
    value: float
    low: float
    high: float
    without: dict[str, str]
    remarks: list[str]
    interrupted: bool
    seconds: dict[str, float] = field(default_factory=dict)

    def choice(self) -> dict[str, Any]:
        """Return the choice as choice.json holds it."""
        found = {
            **{"method": self.chosen.name, "parts": [str(part) for part in self.chosen.parts]},
            **{"metric": self.metric.name, "validation": self.chosen.value},
            **{"value": self.value, "low": self.low, "high": self.high},
        }
        evidence = self.chosen.evidence
        return {**found, "ahead": None if evidence is None else evidence._asdict()}


@dataclass(frozen=True)
class Settings:
    """The settings of a comparison; those that are not here are described in `compare`.

    Parameters
    ----------
    title, source : heading of the page, and where the data come from.
    about : facts for the card of the model, such as the column of the text.
    began : when the budget began, of the clock; None for now.
    clock : by which the budget is counted.
    """

    seconds: float | None = None
    metric: str | None = None
    workers: int = 1
    seed: int = 0
    never_empty: bool = False
    encoder: str = ""
    title: str = "texts"
    source: str = "texts"
    about: Mapping[str, Any] = field(default_factory=dict)
    began: float | None = None
    clock: Callable[[], float] = time.monotonic


class Comparison:
    """A finished comparison, as `compare` returns it; it needs no file any more.

    Attributes
    ----------
    best_ : the fitted model, from texts to names of labels, as `textmix.load` returns it.
    leaderboard_ : a mapping for each method with a score, as leaderboard.csv holds it, the best first.
    choice_ : ``method``, its ``validation``, and its score on the test documents ``value`` with the ends ``low`` and
        ``high`` of its interval.
    without_ : method -> why it has no score.
    """

    def __init__(self, result: Result, originals: Mapping[str, Any]) -> None:
        self._result, self._originals = result, originals
        self._page = (result.folder / "index.html").read_text(encoding="utf-8")
        self.best_ = AveragedModel.load(result.folder / "model")
        self.leaderboard_, self.choice_, self.without_ = result.leaderboard, result.choice(), result.without

    def __repr__(self) -> str:
        """Return the best method and its score."""
        return f"<textmix comparison: {self._result.chosen.name}, {score_words(self._result)}>"

    def predict(self, texts: Sequence[str], further: Mapping[str, Sequence[Any]] = MappingProxyType({})) -> np.ndarray:
        """Return the label of each of N texts, or a tuple of labels each, (N,).

        Parameters
        ----------
        texts : N strings.
        further : column -> its N cells, of the columns that were compared.
        """
        names = self.best_.predict(list(texts), further).tolist()
        labels = np.empty(len(names), dtype=object)
        for row, name in enumerate(names):
            several = isinstance(name, tuple)
            labels[row] = tuple(self._originals[one] for one in name) if several else self._originals[name]
        kinds = {type(label) for label in labels}
        return np.array(labels.tolist()) if len(kinds) == 1 and kinds <= {str, int} else labels

    def page(self, path: str | Path | None = None) -> str:
        """Return the page on the comparison as HTML, and write it to a file if a path is given."""
        if path is not None:
            write_text(path, self._page)
        return self._page


def compare(
    texts: Sequence[str],
    labels: Sequence[Any],
    seconds: float | str | None = None,
    *,
    metric: str | None = None,
    further: Mapping[str, Sequence[Any]] = MappingProxyType({}),
    keep: str | Path | None = None,
    workers: int | None = None,
    seed: int = 0,
    never_empty: bool = False,
    encoder: str | None = None,
) -> Comparison:
    """Compare methods on texts and labels, and fit the best one to all of them.

    The first candidate is the pipeline that an expert writes by hand: TF-IDF of words and characters, and a linear SVM
    or logistic regression.  Others are chosen only where paired folds of four fifths of the documents show that they
    are ahead.  The rest are test documents, which are used once, for the score of the choice.  A text or a label that
    is missing (None, nan, or NA of pandas) is left out.  ^C ends the search with the best candidate so far.

    Parameters
    ----------
    texts : N strings.
    labels : a string or whole number for each text, or a list of several.
    seconds : budget of the whole comparison, or a text such as "10 min"; None goes through the whole search in a fixed
        order, so that the same texts give the same result.
    metric : by which candidates are compared: a name of `textmix.compare.metrics.names_of`, or ``f:LABEL``; by default
        accuracy, or subset accuracy for several labels.
    further : columns of numbers or categories beside the texts, column -> N cells, perhaps missing ones, or a table of
        pandas; they join the linear methods.
    keep : folder of page, tables and model; by default none is kept.
    workers : number of threads that fit; by default that of the cores.
    seed : draws the test documents and the folds.
    never_empty : of several labels, whether each text gets one.
    encoder : ``module:name`` of an encoder of yours, an object with ``encode`` or a function from a list of N texts to
        N vectors; logistic regression on its vectors joins.

    Returns
    -------
    the comparison, with ``leaderboard_``, ``best_``, ``predict`` and ``page``.

    Raises
    ------
    ConfigError : texts and labels differ in number, a text is no string, two labels have one text, the metric or the
        time is wrong, or no candidate has a score in time.
    DataFormatError : the labels are no labels: all the same, or all different.

    Examples
    --------
    >>> from textmix.compare import compare
    >>> found = compare(texts, labels, 60)  # doctest: +SKIP
    >>> found.predict(["a new text"])  # doctest: +SKIP
    """
    began = time.monotonic()
    corpus, originals = corpus_of(texts, labels, further)
    settings = Settings(
        *(checked_seconds(seconds), metric, checked_workers(workers), seed, never_empty, encoder or ""), began=began
    )
    if encoder:
        from textmix.text.encoder import allow

        allow(encoder)
    task = "multi" if any(isinstance(label, SETS) for label in labels) else "single"
    with ExitStack() as stack:
        folder = keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="textmix-"))
        return Comparison(run(corpus, task, Path(folder), settings), originals)


def seconds_of(time: float | str) -> float:
    """Return seconds of a number, or of a text such as "90", "10 min" or "1.5 h"; else ConfigError."""
    found = _TIME.fullmatch(str(time))
    if found is None or found[2].lower() not in UNITS:
        raise ConfigError(f"{time!r} is no time; write a number and s, min or h, such as 10 min")
    return float(found[1]) * UNITS[found[2].lower()]


def checked_seconds(seconds: float | str | None) -> float | None:
    """Return a budget in seconds; raises ConfigError where it is none."""
    found = None if seconds is None else seconds_of(seconds)
    if found is not None and found <= 0:
        raise ConfigError(f"time: {seconds!r} is no time; give seconds, such as 60, or 10min")
    return found


def checked_workers(workers: int | None) -> int:
    """Return the number of threads; raises ConfigError where it is below 1."""
    if workers is not None and workers < 1:
        raise ConfigError(f"workers: {workers} is no number of threads; give 1 or more, or leave it out")
    return workers or cores()


def cores() -> int:
    """Return the number of cores that this process may use."""
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def corpus_of(
    texts: Sequence[str], labels: Sequence[Any], further: Mapping[str, Sequence[Any]] = MappingProxyType({})
) -> tuple[Corpus, dict[str, Any]]:
    """Return texts, cells beside them and labels as a corpus, and name of a label -> the label as it was given.
    ConfigError if they differ in number, a text is no string, or two labels have one text, such as 1 and "1".
    """
    texts, labels = list(texts), list(labels)
    cells = cells_of(further, len(texts))
    if len(texts) != len(labels):
        raise ConfigError(f"compare: {len(texts)} texts and {len(labels)} labels; give a label for each text")
    whole = [row for row in range(len(texts)) if not is_missing(texts[row]) and not is_missing(labels[row])]
    wrong = next((row for row in whole if not isinstance(texts[row], str)), None)
    if wrong is not None:
        raise ConfigError(f"compare: text {wrong} is of the type {type(texts[wrong]).__name__}; give strings")
    sets = [
        [one for one in dict.fromkeys(label if isinstance(label, SETS) else [label]) if not is_missing(one)]
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
    corpus = Corpus(
        name="texts",
        ids=[str(row + 1) for row in whole],
        label_names=names,
        labels=label_matrix([sorted(place[str(label)] for label in row) for row in sets], len(names)),
        text=TableTexts.of(
            Ragged.from_texts(texts[row].encode("utf-8", "replace") for row in whole),
            {name: [column[row] for row in whole] for name, column in cells.items()},
        ),
        info={"remarks": [f"{left_out:,} rows without a text or a label were left out."]} if left_out else {},
    )
    return corpus, originals


def check(corpus: Corpus) -> None:
    """Raise DataFormatError where there is nothing to learn: no label, one label alone, a label for each document,
    fewer than ten documents, or texts that are all empty.
    """
    from textmix.data.user_data import check_labels

    counts, n = np.asarray(corpus.labels.sum(axis=0)).ravel(), corpus.n_documents
    if n < 10:
        raise DataFormatError(corpus.name, None, f"has {n} documents with a label; a comparison needs ten or more")
    check_labels(corpus)
    if corpus.text is None:
        raise DataFormatError(corpus.name, None, "holds numbers; a comparison needs texts")
    if not any(corpus.text[row].tobytes().strip() for row in range(n)):
        raise DataFormatError(corpus.name, None, f"all {n:,} texts are empty; name the column of the text by --text")
    if int(np.sum(counts > 1)) < 2:
        what = f"has {np.count_nonzero(counts):,} labels on {n:,} documents, and fewer than two stand on two of them"
        raise DataFormatError(corpus.name, None, f"{what}; name the column of the labels by --labels")


def check_folder(folder: Path) -> None:
    """Raise ConfigError unless a folder is new, empty, or of an earlier comparison: else its files would be lost."""
    if not os.path.lexists(folder):
        return
    names = {path.name for path in folder.iterdir() if not path.name.startswith(".")} if folder.is_dir() else {""}
    if not names <= {*KEPT} or (names and not names.issuperset(ALWAYS)):
        raise ConfigError(f"{folder}: is there and is no folder of a comparison; name a new one by --keep")
    model = folder / "model"
    if "model" not in names:
        return
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


def run(
    corpus: Corpus, task: str, folder: Path, settings: Settings, watch: Callable[[State], None] = lambda state: None
) -> Result:
    """Compare candidates on a corpus, and leave leaderboard, predictions, choice, model and page in a folder.

    ``task`` is ``single`` or ``multi``; ``watch`` is called with the state of the search.  ConfigError if
    `check_folder` refuses the folder, a setting is wrong, or no candidate has a score in time; DataFormatError as of
    `check`.
    """
    began = settings.clock() if settings.began is None else settings.began
    used = time.process_time()
    check_folder(folder)
    check(corpus)
    limit_threads()
    names = [str(name) for name in corpus.label_names]
    metric = metric_of(settings.metric, task, names)
    assert corpus.text is not None  # noqa: S101 - checked
    texts = [corpus.text.text(row) for row in range(corpus.n_documents)]
    cells = corpus.text.cells if isinstance(corpus.text, TableTexts) else {}
    beside = kinds_of(cells)
    whole = LabelledTexts(texts, corpus.classes() if task == "single" else corpus.indicators(), len(names), cells)
    split = make_splits(corpus, SPLIT if corpus.split is None else {"kind": "given"}, settings.seed, "compare", None)
    train, test = split.train[0], split.test[0]
    remarks = list[str]()
    if beside:
        remarks.append(f"Beside the text: {', '.join(f'{name} ({kind})' for name, kind in beside.items())}.")
    if corpus.split is None and len(test) > MOST_TEST:
        drawn = rng(settings.seed, "compare", "test").permutation(len(test))
        train, test = np.sort([*train, *test[drawn[MOST_TEST:]]]), np.sort(test[drawn[:MOST_TEST]])
    searched = train
    if settings.seconds is not None and sum(map(len, texts)) > MANY:
        searched = _affordable(whole, train, settings, settings.clock() - began)
        if len(searched) < len(train):
            remarks.append(
                f"Candidates were compared on {len(searched):,} of {len(train):,} training documents, for the time."
            )
    options = {"workers": settings.workers, "seed": settings.seed, "encoder": settings.encoder, "watch": watch}
    options |= {"seconds": settings.seconds, "clock": settings.clock, "beside": beside}
    search = Search(
        whole.of(searched),
        metric,
        never_empty=settings.never_empty and task == "multi",
        **options,  # type: ignore[arg-type]
    )
    # Where a part of the documents is searched, the model may be fitted to more of them beyond the budget.
    fitted = len(whole.y) if len(searched) == len(train) else len(searched)
    reserve = _Reserve(search, settings, began, (len(test), fitted, len(whole.y)))
    search.ends = reserve.ends
    search.search()
    chosen = search.choose()
    if chosen is None:
        raise too_soon(settings.clock() - began, search.interrupted)
    return _finish(
        *((corpus, whole), (searched, train, test), search, chosen),
        folder=folder,
        reserve=reserve,
        began=(began, used),
        remarks=remarks,
    )


def too_soon(spent: float, interrupted: bool) -> ConfigError:
    """Return the error of a comparison that ended after some seconds, before a candidate had a score."""
    if interrupted:
        return ConfigError(f"interrupted after {spent:.0f} s, before a candidate had a score, so that nothing is kept")
    more = max(60, round(2 * spent))
    return ConfigError(f"no candidate had a score after {spent:.0f} s; give more time, such as --time {more}s")


class _Reserve:
    """The time that the last steps need: tests, model and page, in seconds of the clock by what came before.  ``sizes``
    are the numbers of test documents, of those that the model is fitted to, and of all.
    """

    def __init__(self, search: Search, settings: Settings, began: float, sizes: tuple[int, int, int]) -> None:
        self.search, self.settings, self.began, self.sizes = search, settings, began, sizes
        self._resampling: float | None = None

    def ends(self) -> float:
        """Return when the search has to end, of the clock; infinity without a budget.  The pipeline has all its folds
        first, so that a short budget is no reason for a worse answer than by hand.
        """
        if self.settings.seconds is None:
            return np.inf
        parts = self._parts()
        return self.began + self.settings.seconds - self._model(parts) - self._tests(parts)

    def for_tests(self) -> float:
        """Return the seconds that tests may take now, so that the model and the page end in time."""
        if self.settings.seconds is None:
            return np.inf
        return self.began + self.settings.seconds - self._model(self._parts()) - self.settings.clock()

    def resampling(self) -> float:
        """Return the seconds of the interval of one answer to the test documents, as measured once."""
        incumbent, documents = self.search.incumbent, self.search.documents
        if incumbent is None:
            return 0.0
        if self._resampling is None:
            scores = [self.search.trials[incumbent].scores[0]]
            answer = answer_of(Decision([1.0]), scores, documents.task)
            self._resampling = resampling_seconds(self.search.metric, documents.y, answer)
        return self._resampling * self.sizes[0] / len(documents.y)

    def _parts(self) -> list[Candidate]:
        """Return the candidates that may be chosen: the pipeline, and the parts of the average."""
        incumbent = self.search.incumbent
        return [] if incumbent is None else [incumbent, *(self.search.average[0] if self.search.average else ())]

    def _costs(self, parts: Sequence[Candidate]) -> tuple[float, float]:
        """Return the seconds of a fit of all parts to the documents of the search, and of reading their views."""
        of_folds = sum(self.search.cost.get(kind, 0.0) for kind in {part.kind for part in parts})
        fits = of_folds * FOLDS / (FOLDS - 1)
        return fits, sum(self.search.reading.get(view, 0.0) for view in {part.base for part in parts})

    def _model(self, parts: Sequence[Candidate]) -> float:
        """Return the seconds of model and page: for the model, documents are read again."""
        (fits, reading), (_, n_fitted, n_all) = self._costs(parts), self.sizes
        features = sum(self.search.matrices[view].shape[1] for view in {part.base for part in parts})
        last = LAST + EACH * n_all + SAVED * features
        return float(self.search.pace * (last + (fits + reading) * n_fitted / len(self.search.documents.y)))

    def _tests(self, parts: Sequence[Candidate]) -> float:
        """Return the seconds of the tests of the pipeline and the average."""
        fits, reading = self._costs(parts)
        reading *= self.sizes[0] / len(self.search.documents.y)
        return float(self.search.pace * (fits + reading + 3.0 * self.resampling()))


def _affordable(whole: LabelledTexts, train: np.ndarray, settings: Settings, spent: float) -> np.ndarray:
    """Return the training documents on which the pipeline fits its share of the budget, by fits to a few of them.
    ``train`` are rows of ``whole``; ``spent`` are seconds that went already.
    """
    order = rng(settings.seed, "compare", "pilot").permutation(len(train))
    few = np.sort(train[order[:PILOT]])
    if len(few) == len(train):
        return train
    options = {"seconds": settings.seconds, "seed": settings.seed, "clock": settings.clock}
    pilot = Search(whole.of(few), metric_of(None, whole.task, []), **options)  # type: ignore[arg-type]
    start = settings.clock()
    X = pilot.matrix(JOINED)
    pilot.run([FoldFit(members, 0, 0) for members in pipeline()])
    each = (settings.clock() - start - pilot.fit_seconds) / len(few)
    fits = FOLDS * pilot.fit_seconds / len(few) / settings.workers
    allowed = PIPELINE * ((settings.seconds or 0.0) - spent - (settings.clock() - start))
    most = int(allowed / max(each + fits, 1e-9))
    memory = int(MEMORY * free_memory() / (48.0 * X.nnz / len(few))) if free_memory() else len(train)
    size = max(PILOT, min(most, memory, len(train)))
    return train if size >= len(train) else np.sort(train[order[:size]])


def free_memory() -> int:
    """Return the bytes of memory that are free now; 0 where the system does not say."""
    with suppress(OSError, StopIteration, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
    return 0


def _finish(
    data: tuple[Corpus, LabelledTexts],
    parts: tuple[np.ndarray, np.ndarray, np.ndarray],
    search: Search,
    chosen: Chosen,
    *,
    folder: Path,
    reserve: _Reserve,
    began: tuple[float, float],
    remarks: list[str],
) -> Result:
    """Test the choice, write leaderboard, predictions, choice and model, and then draw the page.

    ``data`` are the documents as read, and as they are searched; ``parts`` are rows that were searched, of the training
    and of the test documents; ``began`` is of the clock of the budget and of the processor.
    """
    (corpus, whole), (searched, train, test), settings = data, parts, reserve.settings
    names, metric, tested = [str(name) for name in corpus.label_names], search.metric, whole.of(test)
    rows, fits, ids = search.leaderboard(), Fits(search), [corpus.ids[row] for row in test.tolist()]
    search.watch(State("test of the best", None, rows))
    answer, board = _tested(search, chosen, fits, tested, reserve)
    if search.incumbent is None:
        remarks.append("The search ended before a candidate had all folds, so that none has a score; give more time.")
    if not search.ended and not search.interrupted and settings.seconds is not None:
        left = settings.seconds - (settings.clock() - began[0])
        remarks.append(f"The search ended {left:.0f} s before its time, for no fit was left to try.")
    scores = metric(tested.y, answer), *interval(metric, tested.y, answer)
    result = Result(folder, names, metric, chosen, board, *scores, dict(search.without), remarks, search.interrupted)
    folder.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        target = folder / name
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
    predictions = format_csv(list(account.prediction_rows(ids, tested.y, answer, names)), account.PREDICTIONS)
    write_text(folder / "leaderboard.csv", format_csv(board, LEADERBOARD))
    write_text(folder / "predictions.csv", predictions)
    write_text(folder / "choice.json", canonical_json(result.choice()))
    search.watch(State("model", None, rows))
    search.release()
    last = _fitted_last(search, chosen, (len(searched), len(train), len(whole.y)), settings)
    if len(last) < len(whole.y):
        remarks.append(f"The model was fitted to {len(last):,} of {len(whole.y):,} documents, for the time.")
    seen = Ragged.from_texts(whole.texts[row].encode("utf-8", "replace") for row in last.tolist())
    card = {
        **{"method": chosen.name, "metric": metric.name, **dict(zip(("value", "low", "high"), scores, strict=True))},
        **{"data digest": corpus.content_digest(), "seed": settings.seed, SEEN: sketch(seen), **settings.about},
    }
    model, final_seconds = final_model(search, chosen, whole.of(last), names, card)
    model.save(folder / "model", {"textmix": textmix.__version__})
    search.watch(State("page", None, rows))
    result.seconds = {
        **{"fits of the search": search.fit_seconds, "fits of test and model": fits.seconds + final_seconds},
        "counting of texts": sum(search.reading.values()),
        **{"all": time.process_time() - began[1], "clock": settings.clock() - began[0]},
    }
    content = {
        **{"result": result, "settings": settings, "found": account.inspect(ids, tested, answer, names)},
        "scores": {name: metric_of(name, metric.task, names)(tested.y, answer) for name in SHOWN[metric.task]},
        "doubts": account.doubts(search, chosen, [corpus.ids[row] for row in searched.tolist()], names),
        "words": words_of(search, fits, chosen, names),
        "curve": search.curve(),
        "summary": account.summary_of(corpus, whole.texts, (train, test)),
        "provenance": {"seed": settings.seed, "threads": settings.workers, **versions()},
    }
    from textmix.compare.page import render

    write_text(folder / "index.html", render(content))
    return result


def _tested(
    search: Search, chosen: Chosen, fits: Fits, tested: LabelledTexts, reserve: _Reserve
) -> tuple[Answer, list[dict[str, Any]]]:
    """Return the answer of the choice to the test documents, and the leaderboard with the tests of the best."""
    metric, rows = search.metric, search.leaderboard()
    beside = _beside(search, chosen, rows, reserve)
    views = views_of(search, [chosen, *beside.values()], tested)
    answer, board = fits.answer(chosen, views), [_board_row(row) for row in rows]
    for row, line in zip(rows, board, strict=True):
        other = beside.get(row.method + row.words)
        if other is None:
            continue
        its = answer if other.parts == chosen.parts else fits.answer(other, views)
        line["test"] = metric(tested.y, its)
        if its is not answer:
            found = paired_bootstrap(metric, tested.y, (its, answer), search.seed)
            line |= dict(zip(("test_difference", "test_low", "test_high", "test_p"), found, strict=True))
    return answer, board


def _fitted_last(search: Search, chosen: Chosen, sizes: tuple[int, int, int], settings: Settings) -> np.ndarray:
    """Return the rows to which the model is fitted: all, or as many as may be, where the search took a part.  ``sizes``
    are the numbers of documents that were searched, of training documents, and of all.
    """
    n, n_train, n_all = sizes
    if settings.seconds is None or n == n_train:
        return np.arange(n_all)
    needed = sum(search.cost.get(part.kind, 0.0) for part in chosen.parts) + sum(search.reading.values())
    most = max(n, int(FINAL * settings.seconds * n / max(needed, 1e-9)))
    return np.sort(rng(settings.seed, "compare", "model").permutation(n_all)[:most])


def _beside(search: Search, chosen: Chosen, rows: Sequence[Row], reserve: _Reserve) -> dict[str, Chosen]:
    """Return row of the leaderboard -> what it stands for, of the choice and of those that are tested beside it."""
    found, incumbent = dict[str, Chosen](), search.incumbent
    candidates = {each.method + each.words: each for each in search.trials if each.share == 1.0}
    left = reserve.for_tests() - sum(search.cost.get(part.kind, 0.0) for part in chosen.parts)
    for row in rows:
        key, each = row.method + row.words, candidates.get(row.method + row.words)
        parts = (each,) if each is not None else search.average[0] if search.average is not None else ()
        if parts == chosen.parts:
            found[key] = chosen
        elif not parts or (len(found) > TESTED and each != incumbent):
            continue
        elif any(0 not in search.trials[part].scores for part in parts):
            continue
        else:
            left -= sum(search.cost.get(part.kind, 0.0) for part in parts) + 2.0 * reserve.resampling()
            if left > 0.0 or each == incumbent:
                found[key] = search._chosen(parts, None)
    return found


def _board_row(row: Row) -> dict[str, Any]:
    """Return a row of leaderboard.csv."""
    difference: dict[str, Any] = {}
    if row.difference is not None:
        difference = dict(zip(("difference", "low", "high", "p"), row.difference, strict=True))
    empty = dict.fromkeys(LEADERBOARD, "")
    facts = {"method": row.method, "parameters": row.words, "validation": row.value, "folds": row.folds}
    return {**empty, **facts, **difference, "seconds": round(row.seconds, 3)}


def score_words(result: Result) -> str:
    """Return the score of the choice on the test documents with its interval, in words."""
    metric = result.metric.name.replace("_", " ")
    return f"{metric} {result.value:.3f} on the test documents, 95 % interval {result.low:.3f} to {result.high:.3f}"
