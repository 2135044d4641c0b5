"""Fit candidates on folds in parallel threads, within a time budget.

Daemon threads use a common copy of the texts and their features. Scores are independent of the number of threads and of
the timing; the budget only determines how many fits are run.
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
from textmix.compare.candidates import Candidate, Group
from textmix.compare.features import Features
from textmix.compare.standings import Standings
from textmix.core.errors import TextmixError
from textmix.experiment.folds import cross_validate
from textmix.models.common.calibration import label_scores
from textmix.numerics.seeding import rng

#: Exponent of the fit time of a group as a power of its number of candidates; below 1 due to warm starts.
WARM_START_EXPONENT = 0.5
#: Exponent of the fit time of a registry method as a power of the number of documents.
SIZE_EXPONENT = 1.2
#: Number of documents in the pilot fit used to predict the fit time.
N_TRIAL_DOCUMENTS = 400
#: Fit time of a linear model on a view, relative to the baseline view.
RELATIVE_FIT_TIME = {candidates.LONGER_NGRAMS: 2.0}
#: Shorter fits are too noisy to estimate the ratio of wall-clock time to CPU time.
MIN_TIMED_SECONDS = 0.05
#: Weight of the last fit in the exponential moving average of this ratio.
PACE_WEIGHT = 0.3
#: Interval in seconds between progress reports while waiting for a fit.
POLL_SECONDS = 0.25
MAX_ERROR_CHARACTERS = 300
#: Exceptions that indicate that a method is not applicable to the data; all others are bugs.
FIT_ERRORS = (TextmixError, ValueError, ArithmeticError, MemoryError)


class FoldFit(NamedTuple):
    """Job: fit a group of candidates on one fold of a repetition."""

    group: Group
    repetition: int
    fold: int


class FitResult(NamedTuple):
    """Scores of the held-out documents by candidate, CPU seconds, and seconds of the budget."""

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
        Function that returns the time limit of the search on ``clock``.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float]) -> None:
        self.seconds = seconds
        self.clock = clock
        start = clock()
        self.deadline: Callable[[], float] = lambda: np.inf if seconds is None else start + seconds

    @property
    def left(self) -> float:
        """Remaining seconds of the search."""
        return self.deadline() - self.clock()


class Runner:
    """Fit candidates on folds.

    Parameters
    ----------
    features : Features
        Features of the documents.
    standings : Standings
        Collects the scores.
    budget : Budget
        Time budget.
    n_workers : int
        Number of threads.
    seed : int
        Random seed of the estimators.
    on_progress : callable
        Callback, called after each fit and periodically while waiting.

    Attributes
    ----------
    seconds_per_fit : dict of (str, str) to float
        CPU seconds of the last fit of one candidate, by method and view.
    fit_seconds : float
        CPU seconds of all fits.
    pace : float
        Seconds of the budget per CPU second; above 1 if other programs are running.
    skipped : dict of str to str
        Reason why a method has no score.
    timed_out : bool
        Whether the budget was exhausted before all fits were run.
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
        """Run jobs in parallel, skipping finished jobs and those that would exceed the time budget."""
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
        """Start a job if it fits in the budget; the first fit is always run, so that the search has a result."""
        is_first_fit = not self.standings.results and not pool.n_busy
        if is_first_fit or self.predicted_seconds(job) <= self.budget.left:
            pool.start(job, lambda: self.fit(job))

    def can_compute(self, view: str) -> bool:
        """Check whether the matrix of a view is available or can be computed within the budget."""
        relative = candidates.RELATIVE_SECONDS.get(view, 0.0)
        predicted = self.pace * relative * self.features.seconds.get(self.standings.documents.baseline_view, 0.0)
        return view in self.features.matrices or not predicted or predicted <= self.budget.left

    def predicted_seconds(self, job: FoldFit) -> float:
        """Predict the CPU seconds of a job from earlier fits of the same or a similar method; 0 if unknown."""
        method, view = job.group.kind
        seconds = self.seconds_per_fit.get(job.group.kind)
        if seconds is None:
            similar = candidates.SIMILAR_METHOD.get(method, method), self.standings.documents.baseline_view
            seconds = self._relative_fit_time(method, view) * self.seconds_per_fit.get(similar, 0.0)
        return self.pace * seconds * len(job.group.candidates) ** WARM_START_EXPONENT

    @staticmethod
    def _relative_fit_time(method: str, view: str) -> float:
        """Return the fit time relative to a similar method on the baseline features."""
        if method not in candidates.LINEAR_METHODS or view == candidates.ENCODER:
            return 0.0
        return RELATIVE_FIT_TIME.get(view, 1.0)

    def fit(self, job: FoldFit) -> FitResult:
        """Fit the candidates of a job with warm starts and score the held-out documents."""
        start = time.thread_time()
        start_of_budget = self.budget.clock()
        scores: list[np.ndarray] = []

        def collect_scores(estimator: Any, documents: tuple[Any, Any], rows: np.ndarray) -> float:
            """Collect the scores, which are evaluated after all folds have been fitted."""
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
        """Sample the training documents for a point of the learning curve."""
        fraction = job.group.first.train_fraction
        if fraction >= 1.0:
            return training
        shuffled = rng(self.seed, "compare", "learning curve", job.fold).permutation(training)
        return np.sort(shuffled[: round(fraction * len(training))])

    def estimator_factory(self, group: Group) -> Callable[[Candidate], Any]:
        """Return a function that configures the estimator for each candidate of a group, with warm starts."""
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

        Raises
        ------
        ValueError
            If the estimator has neither probabilities nor a decision function.
        """
        documents = self.standings.documents
        scores = label_scores(estimator, X, documents.task)
        if scores is None:
            raise ValueError("the estimator has neither probabilities nor a decision function")
        all_scores = np.full((X.shape[0], documents.n_labels), -np.inf, dtype=np.float32)
        all_scores[:, estimator.classes_] = scores
        return all_scores

    def _record(self, job: FoldFit, result: FitResult | Exception) -> None:
        """Record the scores of a job or the reason for its failure."""
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
        """Record the reason why a method has no score."""
        self.skipped[method] = " ".join(str(reason).split())[:MAX_ERROR_CHARACTERS]

    def predict_fit_seconds(self, group: Group) -> float | None:
        """Predict the fit time from a pilot fit on a sample of the documents.

        Parameters
        ----------
        group : Group
            The candidate to fit.

        Returns
        -------
        float or None
            CPU seconds; None if the fit failed or the budget is too small to compute the features.
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
    """Pool of daemon threads; unlike in `ThreadPoolExecutor`, running calls can be abandoned at exit."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self.n_busy = 0
        self._results: queue.Queue[tuple[FoldFit, FitResult | Exception]] = queue.Queue()

    @property
    def has_free_worker(self) -> bool:
        """Whether a worker is idle."""
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
        """Yield the results of calls that finish within the timeout."""
        try:
            result = self._results.get(timeout=seconds)
            while True:
                self.n_busy -= 1
                yield result
                result = self._results.get_nowait()
        except queue.Empty:
            return
