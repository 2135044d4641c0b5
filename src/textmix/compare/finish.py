"""Steps after the search: evaluate the choice, write the tables, refit the model, create the report."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import textmix
from textmix.compare import diagnostics, output_folder
from textmix.compare.candidates import Candidate
from textmix.compare.choice import Chosen, LeaderboardRow, chosen_of
from textmix.compare.documents import LabelledTexts
from textmix.compare.final_model import TrainingFits, fit_final_model, most_predictive_words, transform_views
from textmix.compare.metrics import (
    REPORTED_METRICS,
    Answer,
    ComparisonMetric,
    bootstrap_interval,
    metric_of,
    paired_bootstrap,
)
from textmix.compare.pipeline_code import pipeline_code
from textmix.compare.reserve import Reserve
from textmix.compare.search import Progress, Search
from textmix.core.environment import versions
from textmix.core.io import canonical_json, format_csv, write_text
from textmix.data.corpus import Corpus
from textmix.numerics.seeding import rng
from textmix.serve.training_sketch import SKETCH_KEY, sketch

#: Columns of leaderboard.csv.
LEADERBOARD_COLUMNS = (
    "method",
    "parameters",
    "validation",
    "folds",
    "difference",
    "low",
    "high",
    "p",
    "seconds",
    "test",
    "test_difference",
    "test_low",
    "test_high",
    "test_p",
)
DIFFERENCE_COLUMNS = ("difference", "low", "high", "p")
TEST_DIFFERENCE_COLUMNS = ("test_difference", "test_low", "test_high", "test_p")
#: Maximum number of leaderboard rows evaluated on the test set, in addition to the baseline and the choice.
MAX_TESTED_ROWS = 4
#: Confidence intervals per tested row: of its value, and of its difference from the choice.
N_INTERVALS_PER_ROW = 2.0
#: Fraction of the budget by which the final fit may exceed it.
MAX_FINAL_TIME = 0.5


class Split(NamedTuple):
    """Rows of the training documents used in the search, of all training documents, and of the test documents."""

    searched: np.ndarray
    training: np.ndarray
    test: np.ndarray


@dataclass
class Result:
    """Result of a comparison.

    Parameters
    ----------
    folder : Path
        Output folder.
    names : list of str
        Names of the labels.
    metric : ComparisonMetric
        Metric used to rank candidates.
    winner : Chosen
        The chosen candidate or ensemble.
    leaderboard : list of dict
        Rows of leaderboard.csv, best first.
    value, low, high : float
        Metric of the choice on the test documents, and its 95 % confidence interval.
    skipped : dict of str to str
        Reason why a method has no score.
    warnings : list of str
        Issues that may make the scores misleading or affected the result.
    notes : list of str
        Notes on how the data were read and how the search ended.
    interrupted : bool
        Whether the user interrupted the search.
    seconds : dict of str to float
        CPU seconds of each step and in total, and the wall-clock time.
    """

    folder: Path
    names: list[str]
    metric: ComparisonMetric
    winner: Chosen
    leaderboard: list[dict[str, Any]]
    value: float
    low: float
    high: float
    skipped: dict[str, str]
    warnings: list[str]
    notes: list[str]
    interrupted: bool
    seconds: dict[str, float] = field(default_factory=dict)

    def choice(self) -> dict[str, Any]:
        """Return the content of choice.json."""
        difference = self.winner.difference
        members = [str(member) for member in self.winner.members]
        ahead = None if difference is None else difference._asdict()
        return {
            "method": self.winner.name,
            "parts": members,
            "metric": self.metric.name,
            "validation": self.winner.value,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "ahead": ahead,
        }


@dataclass
class EndedSearch:
    """Completed search with its data and output location.

    Parameters
    ----------
    corpus : Corpus
        All documents, as read.
    documents : LabelledTexts
        The same documents, as searched.
    split : Split
        Training and test documents.
    search : Search
        The search.
    winner : Chosen
        The chosen candidate or ensemble.
    reserve : Reserve
        Remaining time.
    folder : Path
        Output folder.
    title, source : str
        Heading of the report, and name of the data.
    facts : mapping
        Facts for the model card.
    labels : mapping of str to object
        Label name -> label with its original type.
    warnings, notes : list of str
        Preliminary values of the fields of `Result`.
    """

    corpus: Corpus
    documents: LabelledTexts
    split: Split
    search: Search
    winner: Chosen
    reserve: Reserve
    folder: Path
    title: str
    source: str
    facts: Mapping[str, Any]
    labels: Mapping[str, Any]
    warnings: list[str]
    notes: list[str]

    @property
    def names(self) -> list[str]:
        """Names of the labels."""
        return [str(name) for name in self.corpus.label_names]

    @property
    def test_documents(self) -> LabelledTexts:
        """The test documents."""
        return self.documents.subset(self.split.test)

    @property
    def test_ids(self) -> list[str]:
        """Identifiers of the test documents."""
        return [self.corpus.ids[row] for row in self.split.test.tolist()]

    def report_stage(self, stage: str) -> None:
        """Report the progress."""
        if self.search.report is not None:
            leaderboard = self.search.leaderboard()
            self.search.report(Progress(stage, None, leaderboard, self.search.metric.title))


class Outcome(NamedTuple):
    """Predictions of the test documents by the choice, and the leaderboard with the tested rows."""

    answer: Answer
    leaderboard: list[dict[str, Any]]
    fits: TrainingFits


class FinalFit(NamedTuple):
    """Size and CPU seconds of the final fit."""

    n_documents: int
    seconds: float


def finish(ended: EndedSearch, *, cpu_start: float) -> Result:
    """Evaluate the choice, write the tables, refit the model and create the report.

    Parameters
    ----------
    ended : EndedSearch
        The search with its data.
    cpu_start : float
        CPU time at the start of the comparison.

    Returns
    -------
    Result
        The result.
    """
    ended.report_stage("testing the best methods")
    outcome = test_choice(ended)
    _warn_of_search(ended)
    result = write_tables(ended, outcome)
    ended.report_stage("refitting the best method on all documents")
    final_fit = refit(ended, result)
    ended.report_stage("writing the report")
    budget = ended.search.budget
    extraction_seconds = sum(ended.search.features.seconds.values())
    result.seconds["CPU time of the search"] = ended.search.runner.fit_seconds
    result.seconds["CPU time of test and final fits"] = outcome.fits.seconds + final_fit.seconds
    result.seconds["CPU time of feature extraction"] = extraction_seconds
    result.seconds["total CPU time"] = time.process_time() - cpu_start
    result.seconds["wall-clock time"] = budget.clock() - ended.reserve.start
    draw_report(ended, outcome, result)
    return result


def test_choice(ended: EndedSearch) -> Outcome:
    """Evaluate the choice, the baseline and the best other rows of the leaderboard on the test documents."""
    search = ended.search
    winner = ended.winner
    documents = ended.test_documents
    rows = search.leaderboard()
    fits = TrainingFits(search)
    tested = _choices_to_test(ended, rows)
    matrices = transform_views(search, [winner, *tested.values()], documents)
    answer = fits.answer(winner, matrices)
    leaderboard = [_board_row(row) for row in rows]
    for row, cells in zip(rows, leaderboard, strict=True):
        other = tested.get(row.key)
        if other is None:
            continue
        is_chosen = other.members == winner.members
        other_answer = answer if is_chosen else fits.answer(other, matrices)
        cells["test"] = search.metric(documents.y, other_answer)
        if not is_chosen:
            difference = paired_bootstrap(search.metric, documents.y, (other_answer, answer), search.seed)
            cells |= dict(zip(TEST_DIFFERENCE_COLUMNS, difference, strict=True))
    return Outcome(answer, leaderboard, fits)


def _choices_to_test(ended: EndedSearch, rows: Sequence[LeaderboardRow]) -> dict[str, Chosen]:
    """Select the choice, the baseline and as many other leaderboard rows as the remaining time allows."""
    search = ended.search
    standings = search.standings
    tested: dict[str, Chosen] = {}
    seconds_left = ended.reserve.seconds_for_tests() - _fit_seconds(search, ended.winner.members)
    for row in rows:
        members = _members_of(search, row)
        if members == ended.winner.members:
            tested[row.key] = ended.winner
            continue
        is_full = len(tested) > MAX_TESTED_ROWS and not row.is_baseline
        if not members or is_full or any(0 not in standings.results[member].scores for member in members):
            continue
        seconds_left -= _fit_seconds(search, members) + N_INTERVALS_PER_ROW * ended.reserve.interval_seconds()
        if seconds_left > 0.0 or row.is_baseline:
            tested[row.key] = chosen_of(members, standings, search.ensembles)
    return tested


def _members_of(search: Search, row: LeaderboardRow) -> tuple[Candidate, ...]:
    """Return the candidate of a row or the members of the ensemble."""
    for candidate in search.standings.results:
        if candidate.is_whole and candidate.method + candidate.description == row.key:
            return (candidate,)
    ensemble = search.ensembles.current
    return ensemble.members if ensemble is not None else ()


def _fit_seconds(search: Search, members: Sequence[Candidate]) -> float:
    return sum(search.runner.seconds_per_fit.get(member.kind, 0.0) for member in members)


def _board_row(row: LeaderboardRow) -> dict[str, Any]:
    """Return a row of leaderboard.csv without test results."""
    cells: dict[str, Any] = dict.fromkeys(LEADERBOARD_COLUMNS, "")
    cells["method"] = row.method
    cells["parameters"] = row.description
    cells["validation"] = row.value
    cells["folds"] = row.folds.n_folds
    cells["seconds"] = round(row.seconds, 3)
    if row.difference is not None:
        cells |= dict(zip(DIFFERENCE_COLUMNS, row.difference, strict=True))
    return cells


def _warn_of_search(ended: EndedSearch) -> None:
    """Add the reason for the end of the search to the warnings or notes."""
    search = ended.search
    if not ended.winner.folds.is_complete:
        ended.warnings.append(
            f"The search ended before any candidate had all folds: scores are based on {ended.winner.folds}, and "
            "methods were hardly compared. Allow more time."
        )
    if search.interrupted:
        ended.warnings.append("The search was interrupted; methods that come later were not compared.")
    if search.timed_out or search.interrupted or search.budget.seconds is None:
        return
    seconds_left = search.budget.seconds - (search.budget.clock() - ended.reserve.start)
    ended.notes.append(f"The search ended {seconds_left:.0f} s early, as all candidates had been compared.")


def write_tables(ended: EndedSearch, outcome: Outcome) -> Result:
    """Write leaderboard.csv, predictions.csv and choice.json, overwriting earlier files."""
    search = ended.search
    y = ended.test_documents.y
    low, high = bootstrap_interval(search.metric, y, outcome.answer)
    value = search.metric(y, outcome.answer)
    skipped = dict(search.runner.skipped)
    result = Result(
        folder=ended.folder,
        names=ended.names,
        metric=search.metric,
        winner=ended.winner,
        leaderboard=outcome.leaderboard,
        value=value,
        low=low,
        high=high,
        skipped=skipped,
        warnings=ended.warnings,
        notes=ended.notes,
        interrupted=search.interrupted,
    )
    rows = list(diagnostics.prediction_rows(ended.test_ids, y, outcome.answer, ended.names))
    predictions = format_csv(rows, diagnostics.PREDICTION_COLUMNS)
    folder = ended.folder
    output_folder.clear_folder(folder)
    write_text(folder / output_folder.LEADERBOARD, format_csv(outcome.leaderboard, LEADERBOARD_COLUMNS))
    write_text(folder / output_folder.PREDICTIONS, predictions)
    write_text(folder / output_folder.CHOICE, canonical_json(result.choice()))
    return result


def refit(ended: EndedSearch, result: Result) -> FinalFit:
    """Refit the choice on all documents, or on as many as time allows, and save the model."""
    search = ended.search
    search.features.free()
    rows = _final_rows(ended)
    n_documents = len(ended.documents.y)
    if len(rows) < n_documents:
        ended.warnings.append(
            f"The model was fitted to {len(rows):,} of {n_documents:,} documents, to stay within the time."
        )
    documents = ended.documents.subset(rows)
    digest = ended.corpus.content_digest()
    facts = {
        "method": result.winner.name,
        "metric": result.metric.name,
        "value": result.value,
        "low": result.low,
        "high": result.high,
        "data digest": digest,
        "seed": search.seed,
        SKETCH_KEY: sketch(documents.texts),
        **ended.facts,
    }
    labels = [ended.labels.get(name, name) for name in ended.names]
    model, seconds = fit_final_model(search, ended.winner, documents, labels, facts)
    model.save(ended.folder / output_folder.MODEL, {"textmix": textmix.__version__})
    return FinalFit(len(rows), seconds)


def _final_rows(ended: EndedSearch) -> np.ndarray:
    """Return the rows of the final fit: all rows, or a feasible number if only a sample was searched."""
    search = ended.search
    budget_seconds = search.budget.seconds
    n_searched = len(ended.split.searched)
    n_all = len(ended.documents.y)
    if budget_seconds is None or n_searched == len(ended.split.training):
        return np.arange(n_all)
    seconds = _fit_seconds(search, ended.winner.members) + sum(search.features.seconds.values())
    n_affordable = int(MAX_FINAL_TIME * budget_seconds * n_searched / max(seconds, 1e-9))
    order = rng(search.seed, "compare", "model").permutation(n_all)
    return np.sort(order[: max(n_searched, n_affordable)])


def draw_report(ended: EndedSearch, outcome: Outcome, result: Result) -> None:
    """Write the report as HTML."""
    from textmix.compare.report import render

    search = ended.search
    names = ended.names
    y = ended.test_documents.y
    searched_ids = [ended.corpus.ids[row] for row in ended.split.searched.tolist()]
    metrics = [metric_of(name, search.metric.task, names) for name in REPORTED_METRICS[search.metric.task]]
    predictions = diagnostics.inspect(ended.test_ids, ended.test_documents, outcome.answer, names)
    suspicious = diagnostics.suspicious_labels(search, ended.winner, searched_ids, names)
    words = most_predictive_words(search, outcome.fits, ended.winner, names)
    summary = diagnostics.summarise(ended.corpus, ended.split.training, ended.split.test)
    provenance = {"seed": search.seed, "threads": search.runner.n_workers, **versions()}
    content: dict[str, Any] = {
        "title": ended.title,
        "source": ended.source,
        "result": result,
        "predictions": predictions,
        "suspicious": suspicious,
        "words": words,
        "summary": summary,
        "provenance": provenance,
    }
    content["encoder"] = search.features.encoder
    content["scores"] = {metric.name: metric(y, outcome.answer) for metric in metrics}
    content["code"] = pipeline_code(search, ended.winner)
    content["curve"] = search.plan.learning_curve()
    write_text(ended.folder / output_folder.REPORT, render(content))
