"""Time that is reserved for the steps after the search, and documents that fit the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from textmix.compare.candidates import Candidate, baseline
from textmix.compare.decisions import answer_of
from textmix.compare.documents import N_FOLDS, LabelledTexts
from textmix.compare.metrics import metric_of, resampling_seconds
from textmix.compare.runner import FoldFit
from textmix.compare.search import Search
from textmix.models.common.decision import Decision
from textmix.numerics.seeding import rng

#: Seconds of the report: a constant, and for each document.
REPORT_SECONDS = 1.0
REPORT_SECONDS_PER_DOCUMENT = 3e-6
#: Seconds to write and read a feature of the model.
SAVE_SECONDS_PER_FEATURE = 3e-6
#: Number of confidence intervals to reserve time for.
N_RESERVED_INTERVALS = 3.0
#: With more characters, trial fits decide whether all documents fit the budget.
MIN_CHARACTERS_FOR_PILOT = 20_000_000
N_PILOT_DOCUMENTS = 1000
#: Fraction of the budget that all folds of the baseline may take.
MAX_BASELINE_TIME = 0.5
#: Fraction of the free memory that the features may take, and bytes for each of their elements.
MAX_MEMORY = 0.35
BYTES_PER_ELEMENT = 48.0
BYTES_PER_KIB = 1024


class Sizes(NamedTuple):
    """Numbers of test documents, of documents of the final fit, and of all documents."""

    n_test: int
    n_final: int
    n_all: int


class Reserve:
    """Time for the tests, the final model and the report, predicted from the fits of the search.

    Parameters
    ----------
    search : Search
        The search.
    sizes : Sizes
        Numbers of documents.
    start : float
        When the budget began, in the time of its clock.
    """

    def __init__(self, search: Search, sizes: Sizes, start: float) -> None:
        self.search = search
        self.sizes = sizes
        self.start = start
        self._resampling_seconds: float | None = None

    def deadline(self) -> float:
        """Return when the search has to end; infinity without a budget."""
        seconds = self.search.budget.seconds
        if seconds is None:
            return np.inf
        candidates = self._likely_choices()
        return self.start + seconds - self._final_seconds(candidates) - self._test_seconds(candidates)

    def seconds_for_tests(self) -> float:
        """Return the seconds that tests may take now, so that the model and the report are finished in time."""
        budget = self.search.budget
        if budget.seconds is None:
            return np.inf
        return self.start + budget.seconds - self._final_seconds(self._likely_choices()) - budget.clock()

    def interval_seconds(self) -> float:
        """Return the seconds of one bootstrap interval on the test documents, measured once."""
        standings = self.search.standings
        best = standings.baseline
        if best is None:
            return 0.0
        y = self.search.documents.y
        if self._resampling_seconds is None:
            answer = answer_of(Decision([1.0]), [standings.results[best].scores[0]], self.search.documents.task)
            self._resampling_seconds = resampling_seconds(self.search.metric, y, answer)
        return self._resampling_seconds * self.sizes.n_test / len(y)

    def _likely_choices(self) -> list[Candidate]:
        """Return the candidates that may be chosen: the baseline and the members of the ensemble."""
        best = self.search.standings.baseline
        if best is None:
            return []
        ensemble = self.search.ensembles.current
        return [best, *(ensemble.members if ensemble is not None else ())]

    def _fit_seconds(self, candidates: Sequence[Candidate]) -> float:
        """Return the CPU seconds of fits to all documents of the search."""
        kinds = {candidate.kind for candidate in candidates}
        per_fold = sum(self.search.runner.seconds_per_fit.get(method_and_view, 0.0) for method_and_view in kinds)
        return per_fold * N_FOLDS / (N_FOLDS - 1)

    def _feature_seconds(self, candidates: Sequence[Candidate]) -> float:
        """Return the CPU seconds to compute the features of all documents of the search."""
        views = {candidate.matrix_view for candidate in candidates}
        return sum(self.search.features.seconds.get(view, 0.0) for view in views)

    def _final_seconds(self, candidates: Sequence[Candidate]) -> float:
        """Predict the seconds for the final model, including its features, and for the report."""
        views = {candidate.matrix_view for candidate in candidates}
        n_features = sum(self.search.features.matrices[view].shape[1] for view in views)
        report = REPORT_SECONDS + REPORT_SECONDS_PER_DOCUMENT * self.sizes.n_all
        save = SAVE_SECONDS_PER_FEATURE * n_features
        seconds = self._fit_seconds(candidates) + self._feature_seconds(candidates)
        relative_size = self.sizes.n_final / len(self.search.documents.y)
        return float(self.search.runner.pace * (report + save + seconds * relative_size))

    def _test_seconds(self, candidates: Sequence[Candidate]) -> float:
        """Return the seconds of the tests of the baseline and the ensemble."""
        relative_size = self.sizes.n_test / len(self.search.documents.y)
        seconds = self._fit_seconds(candidates) + self._feature_seconds(candidates) * relative_size
        return float(self.search.runner.pace * (seconds + N_RESERVED_INTERVALS * self.interval_seconds()))


def affordable_rows(
    documents: LabelledTexts,
    training: np.ndarray,
    *,
    seconds: float,
    spent: float,
    n_workers: int,
    seed: int,
    clock: Callable[[], float],
) -> np.ndarray:
    """Select the training documents on which the baseline stays within its part of the budget.

    Parameters
    ----------
    documents : LabelledTexts
        All documents.
    training : ndarray of shape (n_training,)
        Rows of the training documents.
    seconds, spent : float
        Time budget, and the seconds of it that are already spent.
    n_workers : int
        Number of threads.
    seed : int
        Random seed.
    clock : callable
        Time source of the budget.

    Returns
    -------
    ndarray of shape (n_selected,)
        Rows, sorted; all of ``training`` if they fit.
    """
    order = rng(seed, "compare", "pilot").permutation(len(training))
    sample = np.sort(training[order[:N_PILOT_DOCUMENTS]])
    if len(sample) == len(training):
        return training
    metric = metric_of(None, documents.task, [])
    pilot = Search(documents.subset(sample), metric, seconds=seconds, seed=seed, clock=clock)
    start = clock()
    X = pilot.features.matrix(documents.baseline_view)
    pilot.runner.run([FoldFit(group, 0, 0) for group in baseline(documents.baseline_view)])
    elapsed = clock() - start
    fit_seconds = pilot.runner.fit_seconds
    per_document = (elapsed - fit_seconds) / len(sample) + N_FOLDS * fit_seconds / len(sample) / n_workers
    affordable = int(MAX_BASELINE_TIME * (seconds - spent - elapsed) / max(per_document, 1e-9))
    in_memory = _max_documents_in_memory(X.nnz / len(sample))
    size = int(max(N_PILOT_DOCUMENTS, min(affordable, in_memory, len(training))))
    return training if size >= len(training) else np.sort(training[order[:size]])


def _max_documents_in_memory(elements_per_document: float) -> float:
    """Return the maximum number of documents with features that fit into free memory; infinity if unknown."""
    free_bytes = free_memory()
    if not free_bytes:
        return np.inf
    return int(MAX_MEMORY * free_bytes / (BYTES_PER_ELEMENT * elements_per_document))


def free_memory() -> int:
    """Return the free memory in bytes; 0 if the system does not report it."""
    with suppress(OSError, StopIteration, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable"))
        return BYTES_PER_KIB * int(available.split()[1])
    return 0
