"""Compare methods on texts and labels, within a time budget or to the end, and keep the best one."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from textmix.compare.diagnostics import data_warnings
from textmix.compare.documents import LabelledTexts
from textmix.compare.finish import EndedSearch, Result, Split, finish
from textmix.compare.inputs import check_corpus, corpus_of, list_labels, task_of
from textmix.compare.metrics import metric_of
from textmix.compare.options import check_time, check_workers
from textmix.compare.output_folder import MODEL, REPORT, check_folder
from textmix.compare.reserve import MIN_CHARACTERS_FOR_PILOT, Reserve, Sizes, affordable_rows
from textmix.compare.search import Progress, Search
from textmix.core.errors import ConfigError
from textmix.core.io import write_text
from textmix.data.corpus import Corpus
from textmix.data.extra_columns import infer_column_kinds
from textmix.experiment.splits import make_splits
from textmix.numerics.seeding import limit_threads, rng
from textmix.serve.average_model import AveragedModel

#: How test documents are drawn if the data do not specify them, and how many at most.
RANDOM_SPLIT = {"kind": "random", "train": 0.8, "trials": 1, "stratified": True}
GIVEN_SPLIT = {"kind": "given"}
MAX_TEST_DOCUMENTS = 20_000
#: Least time budget that an error suggests, in seconds.
MIN_SUGGESTED_SECONDS = 60


@dataclass(frozen=True)
class Settings:
    """Settings of a comparison; `compare` describes those that are not described here.

    Parameters
    ----------
    title, source : str
        Heading of the report, and name of the data.
    facts : mapping, default={}
        Facts for the model card, such as the text column.
    labels : mapping of str to object, default={}
        Label name -> label with its original type; missing names are labels themselves.
    start : float, default=None
        When the budget began, in the time of the clock; None for now.
    clock : callable, default=time.monotonic
        Time source for the budget.
    """

    seconds: float | None = None
    metric: str | None = None
    n_workers: int = 1
    seed: int = 0
    never_empty: bool = False
    encoder: str = ""
    overwrite: bool = False
    title: str = "texts"
    source: str = "texts"
    facts: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Any] = field(default_factory=dict)
    start: float | None = None
    clock: Callable[[], float] = time.monotonic


class Comparison:
    """A finished comparison, as returned by `compare`; it does not need the output folder.

    Attributes
    ----------
    best_ : AveragedModel
        The fitted model, as `textmix.load` returns it; labels have the type that they had in training.
    leaderboard_ : list of dict
        Rows of leaderboard.csv, the best first.
    choice_ : dict
        ``method``, ``validation`` (cross-validated metric), and the metric of the test documents: ``value``, with its
        interval from ``low`` to ``high``.
    skipped_ : dict of str to str
        Why a method has no score.
    """

    def __init__(self, result: Result) -> None:
        self._result = result
        self._report = (result.folder / REPORT).read_text(encoding="utf-8")
        self.best_ = AveragedModel.load(result.folder / MODEL)
        self.leaderboard_ = result.leaderboard
        self.choice_ = result.choice()
        self.skipped_ = result.skipped

    def __repr__(self) -> str:
        """Return the best method and its score."""
        return f"<textmix comparison: {self._result.winner.name}, {describe_test_score(self._result)}>"

    def predict(self, texts: Sequence[str], features: Mapping[str, Sequence[Any]] = MappingProxyType({})) -> np.ndarray:
        """Predict labels.

        Parameters
        ----------
        texts : sequence of str
            Texts.
        features : mapping of str to sequence, default={}
            Extra columns that were compared, with a value for each text.

        Returns
        -------
        ndarray of shape (n_texts,)
            Label of each text, or tuple of labels.
        """
        return self.best_.predict(texts, features)

    def report(self, path: str | Path | None = None) -> str:
        """Return the report as HTML, and write it to a file if a path is passed."""
        if path is not None:
            write_text(path, self._report)
        return self._report


def compare(
    texts: Sequence[str],
    labels: Sequence[Any],
    seconds: float | str | None = None,
    *,
    metric: str | None = None,
    features: Mapping[str, Sequence[Any]] = MappingProxyType({}),
    output_dir: str | Path | None = None,
    workers: int | None = None,
    seed: int = 0,
    never_empty: bool = False,
    encoder: str | None = None,
    overwrite: bool = False,
) -> Comparison:
    """Compare methods on texts and labels, and fit the best one to all of them.

    The first candidate is the baseline, TF-IDF of words and characters with a linear SVM or logistic regression. Others
    are chosen only if paired cross-validation on four fifths of the documents shows that they are better. The other
    documents are used once, to test the choice. Texts and labels that are missing (None, nan or pandas' NA) are
    dropped. Ctrl-C ends the search with the best candidate so far.

    Parameters
    ----------
    texts : sequence of str
        Texts.
    labels : sequence of str or int, or of list
        Label of each text, or list of labels.
    seconds : float or str, default=None
        Time budget of the whole comparison in seconds, or a text such as "10 min". None runs the whole search in a
        fixed order, so that the same texts give the same result.
    metric : str, default=None
        Metric used to rank candidates: a name of `textmix.compare.metrics.metric_names`, or ``f:LABEL``. By default
        accuracy, or subset accuracy for several labels per text.
    features : mapping of str to sequence, or DataFrame, default={}
        Numeric or categorical columns, perhaps with missing values, used as additional features by the linear models.
    output_dir : str or Path, default=None
        Output directory for report, tables and model; by default nothing is kept.
    workers : int, default=None
        Number of threads; by default the number of cores.
    seed : int, default=0
        Random seed for the test documents and the folds.
    never_empty : bool, default=False
        Whether every text gets at least one label, if texts have several.
    encoder : str, default=None
        ``module:name`` of your encoder: an object with ``encode``, or a function from a list of texts to vectors.
        Logistic regression on its vectors is then a candidate.
    overwrite : bool, default=False
        Whether the output of an earlier comparison in ``output_dir`` is replaced.

    Returns
    -------
    Comparison

    Raises
    ------
    ConfigError
        If texts and labels differ in length, a text is not a string, two labels have the same name, the metric or the
        time is invalid, or no candidate has a score in time.
    DataFormatError
        If there is nothing to learn: all labels are equal, or all are different.

    Examples
    --------
    >>> from textmix.compare import compare
    >>> comparison = compare(texts, labels, 60)  # doctest: +SKIP
    >>> comparison.predict(["a new text"])  # doctest: +SKIP
    """
    start = time.monotonic()
    labels = list_labels(labels)
    corpus, originals = corpus_of(texts, labels, features)
    settings = Settings(
        seconds=check_time(seconds),
        metric=metric,
        n_workers=check_workers(workers),
        seed=seed,
        never_empty=never_empty,
        encoder=encoder or "",
        labels=originals,
        overwrite=overwrite,
        start=start,
    )
    if encoder:
        from textmix.text.encoder import allow

        allow(encoder)
    with ExitStack() as stack:
        folder = output_dir or stack.enter_context(tempfile.TemporaryDirectory(prefix="textmix-"))
        return Comparison(run(corpus, task_of(labels), Path(folder), settings))


def run(
    corpus: Corpus,
    task: str,
    folder: Path,
    settings: Settings,
    report: Callable[[Progress], None] | None = None,
) -> Result:
    """Compare candidates on a corpus, and write leaderboard, predictions, choice, model and report to a folder.

    Parameters
    ----------
    corpus : Corpus
        Labelled texts.
    task : {"single", "multi"}
        Whether a document has one label or a set of labels.
    folder : Path
        Output folder.
    settings : Settings
        Settings of the comparison.
    report : callable, default=None
        Function that is called with the `Progress` of the search.

    Returns
    -------
    Result

    Raises
    ------
    ConfigError
        If the folder contains other files, a setting is invalid, or no candidate has a score in time.
    DataFormatError
        If there is nothing to learn.
    """
    start = settings.clock() if settings.start is None else settings.start
    cpu_start = time.process_time()
    check_folder(folder, overwrite=settings.overwrite)
    check_corpus(corpus)
    limit_threads()
    names = [str(name) for name in corpus.label_names]
    metric = metric_of(settings.metric, task, names)
    assert corpus.text is not None  # noqa: S101 - checked
    documents = LabelledTexts(corpus.text, corpus.classes() if task == "single" else corpus.indicators(), len(names))
    column_kinds = infer_column_kinds(documents.cells)
    split = _split(corpus, documents, settings, start)
    warnings = [*_sampling_warnings(split), *data_warnings(corpus, split.training, split.test)]
    notes = _column_notes(column_kinds)
    search = Search(
        documents.subset(split.searched),
        metric,
        seconds=settings.seconds,
        n_workers=settings.n_workers,
        seed=settings.seed,
        never_empty=settings.never_empty and task == "multi",
        encoder=settings.encoder,
        column_kinds=column_kinds,
        report=report,
        clock=settings.clock,
    )
    reserve = Reserve(search, _sizes(split, documents), start)
    search.budget.deadline = reserve.deadline
    search.run()
    winner = search.choose()
    if winner is None:
        raise no_score_error(settings.clock() - start, search.interrupted)
    ended = EndedSearch(
        corpus=corpus,
        documents=documents,
        split=split,
        search=search,
        winner=winner,
        reserve=reserve,
        folder=folder,
        title=settings.title,
        source=settings.source,
        facts=settings.facts,
        labels=settings.labels,
        warnings=warnings,
        notes=notes,
    )
    return finish(ended, cpu_start=cpu_start)


def _split(corpus: Corpus, documents: LabelledTexts, settings: Settings, start: float) -> Split:
    """Split the documents, and select the training documents that fit the budget."""
    split_kind = RANDOM_SPLIT if corpus.split is None else GIVEN_SPLIT
    splits = make_splits(corpus, split_kind, settings.seed, "compare", None)
    training = splits.train[0]
    test = splits.test[0]
    if corpus.split is None and len(test) > MAX_TEST_DOCUMENTS:
        order = rng(settings.seed, "compare", "test").permutation(len(test))
        training = np.sort([*training, *test[order[MAX_TEST_DOCUMENTS:]]])
        test = np.sort(test[order[:MAX_TEST_DOCUMENTS]])
    searched = training
    if settings.seconds is not None and documents.n_characters > MIN_CHARACTERS_FOR_PILOT:
        searched = affordable_rows(
            documents,
            training,
            seconds=settings.seconds,
            spent=settings.clock() - start,
            n_workers=settings.n_workers,
            seed=settings.seed,
            clock=settings.clock,
        )
    return Split(searched, training, test)


def _sampling_warnings(split: Split) -> list[str]:
    """Return a warning if only a sample of the training documents fits the budget."""
    n_searched = len(split.searched)
    n_training = len(split.training)
    if n_searched == n_training:
        return []
    return [
        f"Candidates were compared on {n_searched:,} of {n_training:,} training documents, to stay within the time."
    ]


def _column_notes(column_kinds: Mapping[str, str]) -> list[str]:
    """Return a note on the extra columns."""
    if not column_kinds:
        return []
    columns = ", ".join(f"{name} ({column_kind})" for name, column_kind in column_kinds.items())
    return [f"Additional features: {columns}."]


def _sizes(split: Split, documents: LabelledTexts) -> Sizes:
    """Return the sizes on which the time after the search depends.

    If only a sample is searched, the final model may be fitted to more documents beyond the budget.
    """
    n_all = len(documents.y)
    n_searched = len(split.searched)
    is_complete = n_searched == len(split.training)
    return Sizes(n_test=len(split.test), n_final=n_all if is_complete else n_searched, n_all=n_all)


def no_score_error(seconds: float, interrupted: bool) -> ConfigError:
    """Return the error of a comparison that ended before any candidate had a score.

    Parameters
    ----------
    seconds : float
        Seconds until the end.
    interrupted : bool
        Whether the user interrupted it.
    """
    if interrupted:
        return ConfigError(f"interrupted after {seconds:.0f} s, before any candidate had a score; nothing was written")
    suggested = max(MIN_SUGGESTED_SECONDS, round(2 * seconds))
    return ConfigError(f"no candidate had a score after {seconds:.0f} s; allow more time, such as --time {suggested}s")


def describe_test_score(result: Result) -> str:
    """Return the metric of the choice on the test documents, with its confidence interval, as text."""
    return f"test {result.metric.title} {result.value:.3f} (95 % CI {result.low:.3f}–{result.high:.3f})"
