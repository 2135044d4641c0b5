"""Search over candidates, within a time budget or to the end of the plan."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from textmix.compare import choice
from textmix.compare.choice import Chosen, LeaderboardRow
from textmix.compare.documents import Folds, LabelledTexts
from textmix.compare.ensembles import EnsembleSelection
from textmix.compare.features import Features
from textmix.compare.metrics import ComparisonMetric
from textmix.compare.plan import Plan
from textmix.compare.runner import Budget, Runner
from textmix.compare.standings import Standings

#: Seconds between two progress reports.
PROGRESS_SECONDS = 0.5


class Progress(NamedTuple):
    """Progress of a search.

    Parameters
    ----------
    stage : str
        What is being done.
    seconds_left : float or None
        Seconds until the search has to end; None without a budget.
    leaderboard : sequence of LeaderboardRow
        The best candidate of each method and view, the best first.
    metric : str, default="score"
        Name of the metric.
    """

    stage: str
    seconds_left: float | None
    leaderboard: Sequence[LeaderboardRow]
    metric: str = "score"


class Search:
    """Search over candidates.

    Parameters
    ----------
    documents : LabelledTexts
        Training documents; the test documents must not be among them.
    metric : ComparisonMetric
        Metric used to rank candidates.
    seconds : float, default=None
        Time budget, counted from the first fit; None means no limit.
    n_workers : int, default=1
        Number of threads.
    seed : int, default=0
        Random seed for the folds.
    never_empty : bool, default=False
        Whether every document gets at least one label.
    encoder : str, default=""
        Name of a user-supplied encoder, or "".
    column_kinds : mapping of str to {"number", "category"}, default={}
        Type of each extra column.
    report : callable, default=None
        Callback, called periodically with a `Progress`.
    clock : callable, default=time.monotonic
        Time source for the budget.

    Attributes
    ----------
    features : Features
    standings : Standings
    ensembles : EnsembleSelection
    runner : Runner
    plan : Plan
    stage : str
        Name of the current stage.
    interrupted : bool
        Whether the user interrupted the search.
    """

    def __init__(
        self,
        documents: LabelledTexts,
        metric: ComparisonMetric,
        *,
        seconds: float | None = None,
        n_workers: int = 1,
        seed: int = 0,
        never_empty: bool = False,
        encoder: str = "",
        column_kinds: Mapping[str, str] = MappingProxyType({}),
        report: Callable[[Progress], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.documents = documents
        self.metric = metric
        self.seed = seed
        self.report = report
        self.stage = "reading texts"
        self.interrupted = False
        self.budget = Budget(seconds, clock)
        self.features = Features(documents, encoder, column_kinds, n_cached=n_workers + 1)
        folds = Folds(documents.y, seed)
        self.standings = Standings(documents, metric, folds, never_empty=never_empty)
        self.ensembles = EnsembleSelection(self.standings)
        self.runner = Runner(
            self.features, self.standings, self.budget, n_workers=n_workers, seed=seed, on_progress=self._report
        )
        self.plan = Plan(self.runner, self.ensembles)
        self._reported_stage = ""
        self._report_time = -float("inf")

    @property
    def timed_out(self) -> bool:
        """Whether the budget ended the search."""
        return self.runner.timed_out

    def run(self) -> None:
        """Run the stages of the plan until it or the budget ends, or until a KeyboardInterrupt."""
        try:
            for stage in self.plan.stages():
                self.stage = stage.name
                self.runner.run(stage.jobs)
                if self.timed_out:
                    break
                self.standings.discard_scores()
            else:
                self.stage = "done"
        except KeyboardInterrupt:
            self.interrupted = True
        if self.ensembles.current is None or self.timed_out or self.interrupted:
            self.ensembles.update()

    def choose(self) -> Chosen | None:
        """Choose the baseline, or what is ahead of it; None without any score."""
        return choice.choose(self.standings, self.ensembles)

    def leaderboard(self) -> list[LeaderboardRow]:
        """Return the best candidate of each method and view, and the ensemble, the best first."""
        return choice.leaderboard(self.standings, self.ensembles)

    def _report(self) -> None:
        """Report the progress immediately for a new stage, and otherwise at intervals."""
        now = time.monotonic()
        if self.report is None:
            return
        if self.stage != self._reported_stage or now - self._report_time >= PROGRESS_SECONDS:
            self._reported_stage = self.stage
            self._report_time = now
            seconds_left = None if self.budget.seconds is None else max(self.budget.left, 0.0)
            self.report(Progress(self.stage, seconds_left, self.leaderboard(), self.metric.title))
