"""Runner: fit candidates on folds in threads, within a time budget.

All threads share one copy of the texts and of their features, and end with the process. No score depends on the number
of threads or on the time; the budget only decides how many fits are made.
"""

from __future__ import annotations

import queue
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from textmix.compare import candidates
from textmix.compare.candidates import BASELINE_VIEW, Candidate, Group
from textmix.compare.features import Features
from textmix.compare.standings import Standings
from textmix.core.errors import TextmixError
from textmix.experiment.folds import cross_validate
from textmix.models.common.calibration import label_scores
from textmix.numerics.seeding import rng

#: Exponent by which the time of a group grows with its number of candidates, as fits start from the previous one.
WARM_START_EXPONENT = 0.5
#: Exponent by which the time of a fit of the registry grows with the number of documents.
SIZE_EXPONENT = 1.2
#: Documents of the trial fit by which the time of a fit is predicted.
N_TRIAL_DOCUMENTS = 400
#: Time of a linear fit on the features of a view, relative to the baseline's.
RELATIVE_FIT_TIME = {candidates.LONGER_NGRAMS: 2.0}
#: Shorter fits say nothing about the ratio of wall-clock time to CPU time.
MIN_TIMED_SECONDS = 0.05
#: Weight of the last fit in the moving average of this ratio.
PACE_WEIGHT = 0.3
#: Seconds to wait for the end of a fit before the progress is reported again.
POLL_SECONDS = 0.25
MAX_ERROR_CHARACTERS = 300
#: Errors of a fit that mean that the method does not suit the data; others are bugs.
FIT_ERRORS = (TextmixError, ValueError, ArithmeticError, MemoryError)


class FoldFit(NamedTuple):
    """A group to be fitted on one fold of a repetition."""

    group: Group
    repetition: int
    fold: int


class FitResult(NamedTuple):
    """Scores of the held-out documents by candidate, with the CPU time and the budget's time of the fits."""

    scores: list[np.ndarray]
    seconds: float
    elapsed: float


class Budget:
    """Time budget.

    Parameters
    ----------
    seconds : float or None
        Time budget; None means no limit.
    clock : callable
        Time source, in seconds.

    Attributes
    ----------
    deadline : callable
        Function that returns the time at which the search has to end.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float]) -> None:
        self.seconds = seconds
        self.clock = clock
        start = clock()
        self.deadline: Callable[[], float] = lambda: np.inf if seconds is None else start + seconds

    @property
    def left(self) -> float:
        """Seconds until the search has to end."""
        return self.deadline() - self.clock()


class Runner:
    """Fit candidates on folds.

    Parameters
    ----------
    features : Features
        Features of the documents.
    standings : Standings
        Where the scores are collected.
    budget : Budget
        Time budget.
    n_workers : int
        Number of threads.
    seed : int
        Random seed of the estimators.
    on_progress : callable
        Function that is called after each fit and while waiting.

    Attributes
    ----------
    seconds_per_fit : dict of (str, str) to float
        CPU seconds of the last fit of one candidate, by method and view.
    fit_seconds : float
        CPU seconds of all fits.
    pace : float
        Seconds of the budget per CPU second; above 1 if other programs are running.
    skipped : dict of str to str
        Why a method has no score.
    timed_out : bool
        Whether the budget ended before all fits.
    """

    def __init__(
        self,
        features: Features,
        standings: Standings,
        budget: Budget,
        *,
        n_workers: int,
        seed: int,
        on_progress: Callable[[], None],
    ) -> None:
        self.features = features
        self.standings = standings
        self.budget = budget
        self.n_workers = n_workers
        self.seed = seed
        self.on_progress = on_progress
        self.seconds_per_fit: dict[tuple[str, str], float] = {}
        self.fit_seconds = 0.0
        self.pace = 1.0
        self.skipped: dict[str, str] = {}
        self.timed_out = False

    def run(self, jobs: Sequence[FoldFit]) -> None:
        """Fit the jobs in parallel, except those that are done or would not end in time."""
        pending = [job for job in jobs if not self._is_done(job) and self.can_compute(job.group.first.matrix_view)]
        self.standings.register(candidate for job in pending for candidate in job.group.candidates)
        pending = [job for job in pending if self.features.has_features(job.group.first.matrix_view)]
        pool = _Pool(self.n_workers)
        while pending or pool.n_busy:
            while pending and pool.has_free_worker:
                self._start(pending.pop(0), pool)
            for job, result in pool.wait(POLL_SECONDS):
                self._record(job, result)
            self.on_progress()
            if self.budget.left <= 0.0 and (self.standings.results or not pool.n_busy):
                self.timed_out = True
                break  # fits that are still running are abandoned

    def _is_done(self, job: FoldFit) -> bool:
        members = job.group.candidates
        return all(self.standings.has_fold(candidate, job.repetition, job.fold) for candidate in members)

    def _start(self, job: FoldFit, pool: _Pool) -> None:
        """Start a job that will end in time; the very first fit may take any time, so that there is a result."""
        is_first_fit = not self.standings.results and not pool.n_busy
        if is_first_fit or self.predicted_seconds(job) <= self.budget.left:
            pool.start(job, lambda: self.fit(job))

    def can_compute(self, view: str) -> bool:
        """Return whether the matrix of a view exists, or can be computed in time."""
        relative = candidates.RELATIVE_SECONDS.get(view, 0.0)
        predicted = self.pace * relative * self.features.seconds.get(BASELINE_VIEW, 0.0)
        return view in self.features.matrices or not predicted or predicted <= self.budget.left

    def predicted_seconds(self, job: FoldFit) -> float:
        """Predict the time of a job from the last fit of its kind or of a similar method; 0 if there is none."""
        method, view = job.group.kind
        seconds = self.seconds_per_fit.get(job.group.kind)
        if seconds is None:
            similar = candidates.SIMILAR_METHOD.get(method, method), BASELINE_VIEW
            seconds = self._relative_fit_time(method, view) * self.seconds_per_fit.get(similar, 0.0)
        return self.pace * seconds * len(job.group.candidates) ** WARM_START_EXPONENT

    @staticmethod
    def _relative_fit_time(method: str, view: str) -> float:
        """Return the time of a fit relative to that of a similar method on the baseline's features."""
        if method not in candidates.LINEAR_METHODS or view == candidates.ENCODER:
            return 0.0
        return RELATIVE_FIT_TIME.get(view, 1.0)

    def fit(self, job: FoldFit) -> FitResult:
        """Fit the candidates of a job, each starting from the previous one, and score the held-out documents."""
        start = time.thread_time()
        start_of_budget = self.budget.clock()
        scores: list[np.ndarray] = []

        def collect_scores(estimator: Any, documents: tuple[Any, Any], rows: np.ndarray) -> float:
            """Collect the scores; they are evaluated when all folds are fitted."""
            scores.append(self.label_scores(estimator, documents[0]))
            return 0.0

        folds = self.standings.folds[job.repetition]
        training, held_out = folds[job.fold]
        training = self._subsample(training, job)
        X = self.features.fold_matrix(job.group.first.matrix_view, training)
        documents = X, self.standings.documents.y
        cross_validate(
            self.estimator_factory(job.group), job.group.candidates, documents, [(training, held_out)], collect_scores
        )
        return FitResult(scores, time.thread_time() - start, self.budget.clock() - start_of_budget)

    def _subsample(self, training: np.ndarray, job: FoldFit) -> np.ndarray:
        """Draw the training documents of a point of the learning curve."""
        fraction = job.group.first.train_fraction
        if fraction >= 1.0:
            return training
        shuffled = rng(self.seed, "compare", "learning curve", job.fold).permutation(training)
        return np.sort(shuffled[: round(fraction * len(training))])

    def estimator_factory(self, group: Group) -> Callable[[Candidate], Any]:
        """Return a function that returns the estimator of each candidate of a group, with warm starts."""
        axes = (self.seed, "compare", 0)
        warm_start = len(group.candidates) > 1
        estimator = candidates.new_classifier(group.first, self.features.columns, axes, warm_start=warm_start)

        def configure(candidate: Candidate) -> Any:
            return estimator.set_params(**dict(candidate.params)) if candidate.params else estimator

        return configure

    def label_scores(self, estimator: Any, X: Any) -> np.ndarray:
        """Score all labels.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        X : csr_array of shape (n_documents, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_documents, n_labels), dtype float32
            Scores; -inf for a class that does not occur in the training documents.
        """
        documents = self.standings.documents
        scores = label_scores(estimator, X, documents.task)
        if scores is None:
            raise ValueError("the estimator has neither probabilities nor a decision function")
        all_scores = np.full((X.shape[0], documents.n_labels), -np.inf, dtype=np.float32)
        all_scores[:, estimator.classes_] = scores
        return all_scores

    def _record(self, job: FoldFit, result: FitResult | Exception) -> None:
        """Record the scores of a job, or why it failed."""
        first = job.group.first
        if isinstance(result, Exception):
            if not isinstance(result, FIT_ERRORS):
                raise result
            if first.is_whole:
                self.skip(first.method, result)
            return
        if result.seconds > MIN_TIMED_SECONDS:
            pace = max(result.elapsed / result.seconds, 1.0)
            self.pace = (1.0 - PACE_WEIGHT) * self.pace + PACE_WEIGHT * pace
        n_candidates = len(job.group.candidates)
        if first.is_whole:
            self.seconds_per_fit[job.group.kind] = result.seconds / n_candidates**WARM_START_EXPONENT
        self.fit_seconds += result.seconds
        for candidate, scores in zip(job.group.candidates, result.scores, strict=True):
            self.standings.add(candidate, job.repetition, job.fold, scores, result.seconds / n_candidates)

    def skip(self, method: str, reason: str | Exception) -> None:
        """Record why a method has no score."""
        self.skipped[method] = " ".join(str(reason).split())[:MAX_ERROR_CHARACTERS]

    def predict_fit_seconds(self, group: Group) -> float | None:
        """Predict the time of a fit by one to a sample of the documents.

        Parameters
        ----------
        group : Group
            The candidate to fit.

        Returns
        -------
        float or None
            CPU seconds; None if the fit failed or if there is no time to compute the features.
        """
        candidate = group.first
        view = candidate.matrix_view
        if not self.can_compute(view):
            return None
        if not self.features.has_features(view):
            self.skip(candidate.method, f"found no features ({view})")
            return None
        training = self.standings.folds.training_rows(0, 0)
        sample = training[:: max(1, len(training) // N_TRIAL_DOCUMENTS)][:N_TRIAL_DOCUMENTS]
        X = self.features.matrix(view)[sample]
        start = time.thread_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.estimator_factory(group)(candidate).fit(X, self.standings.documents.y[sample])
        except (TextmixError, ValueError, ArithmeticError) as error:
            self.skip(candidate.method, error)
            return None
        return float((time.thread_time() - start) * (len(training) / len(sample)) ** SIZE_EXPONENT)


class _Pool:
    """Daemon threads, which end with the process; a call whose result is no longer needed is abandoned."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self.n_busy = 0
        self._results: queue.Queue[tuple[FoldFit, FitResult | Exception]] = queue.Queue()

    @property
    def has_free_worker(self) -> bool:
        """Whether another call may start."""
        return self.n_busy < self.n_workers

    def start(self, job: FoldFit, call: Callable[[], FitResult]) -> None:
        """Start a call in a thread."""
        self.n_busy += 1
        threading.Thread(target=self._call, args=(job, call), daemon=True).start()

    def _call(self, job: FoldFit, call: Callable[[], FitResult]) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._results.put((job, call()))
        except Exception as error:
            self._results.put((job, error))

    def wait(self, seconds: float) -> Iterator[tuple[FoldFit, FitResult | Exception]]:
        """Yield the results of the calls that end within some seconds."""
        try:
            result = self._results.get(timeout=seconds)
            while True:
                self.n_busy -= 1
                yield result
                result = self._results.get_nowait()
        except queue.Empty:
            return
