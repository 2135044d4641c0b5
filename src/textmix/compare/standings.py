"""Cross-validation results of all candidates, and their comparison with the baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from textmix.compare import candidates
from textmix.compare.candidates import Candidate
from textmix.compare.decisions import answer_of, decides_by_largest_score, fit_decision
from textmix.compare.documents import N_FOLDS, Folds, LabelledTexts
from textmix.compare.metrics import ComparisonMetric
from textmix.metrics.significance import Estimate, resampled_difference
from textmix.models.common.decision import Decision

#: Ratio of test to training documents of a fold, required by the corrected resampled t-test.
TEST_RATIO = 1.0 / (N_FOLDS - 1)
#: Maximum number of diverse candidates for repeated cross-validation and ensemble selection.
MAX_DIVERSE_CANDIDATES = 10
#: Number of candidates with scores that are always kept, and maximum number of scores kept in total.
MIN_CANDIDATES_WITH_SCORES = 10
MAX_STORED_SCORES = 2**28

#: Repetition and fold -> value of the metric.
FoldValues = Mapping[tuple[int, int], float]


@dataclass
class CandidateResult:
    """Cross-validation results of a candidate.

    Attributes
    ----------
    scores : dict of int to ndarray of shape (n_documents, n_labels), dtype float32
        Scores of the held-out documents, by repetition.
    folds : dict of int to set of int
        Fitted folds, by repetition.
    values : dict of (int, int) to float
        Value of the metric, by repetition and fold; empty until all folds of a repetition are fitted.
    seconds : float
        CPU seconds of all fits.
    """

    scores: dict[int, np.ndarray] = field(default_factory=dict)
    folds: dict[int, set[int]] = field(default_factory=dict)
    values: dict[tuple[int, int], float] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        """Mean of the metric over all folds of all repetitions."""
        return float(np.mean([*self.values.values()]))


class Standings:
    """Results of all candidates on the same folds.

    Parameters
    ----------
    documents : LabelledTexts
        Documents of the search.
    metric : ComparisonMetric
        Metric used to rank candidates.
    folds : Folds
        Folds of the cross-validation.
    never_empty : bool, default=False
        Whether every document gets at least one label.

    Attributes
    ----------
    results : dict of Candidate to CandidateResult
        Results of each candidate with at least one fold.
    order : dict of Candidate to int
        Position of each candidate in the plan; breaks ties independently of the completion order of threads.
    """

    def __init__(
        self, documents: LabelledTexts, metric: ComparisonMetric, folds: Folds, *, never_empty: bool = False
    ) -> None:
        self.documents = documents
        self.metric = metric
        self.folds = folds
        self.never_empty = never_empty
        self.results: dict[Candidate, CandidateResult] = {}
        self.order: dict[Candidate, int] = {}

    def register(self, planned: Iterable[Candidate]) -> None:
        """Assign candidates their positions in the plan."""
        for candidate in planned:
            self.order.setdefault(candidate, len(self.order))

    def has_fold(self, candidate: Candidate, repetition: int, fold: int) -> bool:
        """Check whether a candidate has been fitted on a fold."""
        result = self.results.get(candidate)
        return result is not None and fold in result.folds.get(repetition, ())

    def add(self, candidate: Candidate, repetition: int, fold: int, scores: np.ndarray, seconds: float) -> None:
        """Add the scores of the held-out documents of a fold; evaluate the repetition if it was the last fold.

        Parameters
        ----------
        candidate : Candidate
            The candidate that was fitted.
        repetition, fold : int
            Repetition of the cross-validation, and its fold.
        scores : ndarray of shape (n_held_out, n_labels)
            Scores of the held-out documents.
        seconds : float
            CPU seconds of the fit.
        """
        result = self.results.setdefault(candidate, CandidateResult())
        if repetition not in result.scores:
            shape = (len(self.documents.y), self.documents.n_labels)
            result.scores[repetition] = np.full(shape, -np.inf, dtype=np.float32)
        result.scores[repetition][self.folds.held_out_rows(repetition, fold)] = scores
        result.folds.setdefault(repetition, set()).add(fold)
        result.seconds += seconds
        if len(result.folds[repetition]) == len(self.folds[repetition]):
            values = self.fold_values(lambda fold: (candidate,), repetition)
            result.values |= {(repetition, fold): value for fold, value in enumerate(values)}

    def fold_values(self, members_of: Callable[[int], Sequence[Candidate]], repetition: int) -> list[float]:
        """Evaluate a candidate or an ensemble on each fold, with the decision rule fitted to the other folds.

        Parameters
        ----------
        members_of : callable
            Function from the number of a fold to the members of the ensemble.
        repetition : int
            Repetition of the cross-validation.

        Returns
        -------
        list of float
            Value of the metric on each fold.
        """
        values = []
        for fold, (training, held_out) in enumerate(self.folds[repetition]):
            scores = [self.results[member].scores[repetition] for member in members_of(fold)]
            values.append(self._value(scores, training, held_out))
        return values

    def _value(self, scores: Sequence[np.ndarray], training: np.ndarray, held_out: np.ndarray) -> float:
        """Evaluate scores on held-out documents with the decision rule fitted to the training documents."""
        if len(scores) == 1 and decides_by_largest_score(self.metric, scores[0].shape[1]):
            decision = Decision([1.0])  # the labels do not depend on the slope
        else:
            decision = self.fit_decision([member[training] for member in scores], self.documents.y[training])
        answer = answer_of(decision, [member[held_out] for member in scores], self.metric.task)
        return self.metric(self.documents.y[held_out], answer)

    def partial_value(self, candidate: Candidate) -> float:
        """Evaluate a candidate on an incomplete first repetition.

        The decision rule for each fold is fitted to the other finished folds. A single fold is split into two halves,
        and each half is evaluated with the rule fitted to the other one, to avoid an optimistic bias.
        """
        result = self.results[candidate]
        row_groups = [self.folds.held_out_rows(0, fold) for fold in sorted(result.folds[0])]
        if len(row_groups) == 1:
            row_groups = self._halves(row_groups[0])
        scores = [result.scores[0]]
        values = []
        for number, held_out in enumerate(row_groups):
            other_groups = [rows for other, rows in enumerate(row_groups) if other != number]
            values.append(self._value(scores, np.concatenate(other_groups), held_out))
        return float(np.mean(values))

    def _halves(self, rows: np.ndarray) -> list[np.ndarray]:
        """Split rows into two halves, stratified by class."""
        y = self.documents.y[rows]
        order = np.argsort(y, kind="stable") if y.ndim == 1 else np.arange(len(rows))
        return [np.sort(rows[order[0::2]]), np.sort(rows[order[1::2]])]

    def partial(self) -> list[Candidate]:
        """Return the candidates with the most finished folds of the first repetition, in plan order."""
        n_folds = {
            candidate: len(self.results[candidate].folds[0])
            for candidate in sorted(self.results, key=self.position)
            if candidate.is_whole and self.results[candidate].folds.get(0)
        }
        most = max(n_folds.values(), default=0)
        return [candidate for candidate, number in n_folds.items() if number == most]

    def fit_decision(self, scores: Sequence[np.ndarray], y: np.ndarray) -> Decision:
        """Fit the decision rule to documents with scores from every member."""
        is_scored = has_scores(scores)
        scores = [member[is_scored] for member in scores]
        return fit_decision(scores, y[is_scored], self.metric, never_empty=self.never_empty)

    def complete(self, repetition: int = 0) -> list[Candidate]:
        """Return the candidates with all folds of a repetition, best first."""
        ranked = [
            candidate
            for candidate, result in self.results.items()
            if (repetition, 0) in result.values and candidate.is_whole
        ]
        return sorted(ranked, key=lambda candidate: self._rank(candidate, repetition))

    def _rank(self, candidate: Candidate, repetition: int) -> tuple[float, int]:
        return -self.metric.sign * self.mean(candidate, repetition), self.position(candidate)

    def position(self, candidate: Candidate) -> int:
        """Return the position of a candidate in the plan."""
        return self.order.get(candidate, 0)

    def mean(self, candidate: Candidate, repetition: int = 0) -> float:
        """Return the mean of the metric over the folds of a repetition."""
        values = self.results[candidate].values
        return float(np.mean([value for (number, _), value in values.items() if number == repetition]))

    def diverse(self) -> list[Candidate]:
        """Return the best candidate of each method and view, best first."""
        best_of_kind = {candidate.kind: candidate for candidate in reversed(self.complete())}
        return list(best_of_kind.values())[::-1][:MAX_DIVERSE_CANDIDATES]

    def baseline_candidates(self) -> list[Candidate]:
        """Return the baseline candidates with all folds, in plan order."""
        members = [
            candidate for group in candidates.baseline(self.documents.baseline_view) for candidate in group.candidates
        ]
        complete = [
            candidate for candidate in members if candidate in self.results and (0, 0) in self.results[candidate].values
        ]
        return sorted(complete, key=self.position)

    @property
    def baseline(self) -> Candidate | None:
        """Best baseline candidate among those with the most repetitions; None until all folds are finished."""
        values = {candidate: [*self.results[candidate].values.values()] for candidate in self.baseline_candidates()}
        n_values = max(map(len, values.values()), default=0)
        totals = {
            candidate: self.metric.sign * sum(fold_values)
            for candidate, fold_values in values.items()
            if len(fold_values) == n_values
        }
        return max(totals, key=lambda candidate: totals[candidate]) if totals else None

    def difference(self, values: FoldValues) -> Estimate | None:
        """Compare values with the baseline on the folds that both have.

        Parameters
        ----------
        values : mapping of (int, int) to float
            Value of the metric by repetition and fold.

        Returns
        -------
        Estimate or None
            Improvement over the baseline by the corrected resampled t-test; None without common folds.
        """
        baseline = self.baseline
        if baseline is None:
            return None
        baseline_values = self.results[baseline].values
        common = [key for key in values if key in baseline_values]
        if not common:
            return None
        sign = self.metric.sign
        improved = [sign * values[key] for key in common]
        reference = [sign * baseline_values[key] for key in common]
        return resampled_difference(improved, reference, TEST_RATIO)

    def discard_scores(self) -> None:
        """Discard the scores of low-ranked candidates to limit memory use."""
        n_scores = len(self.documents.y) * self.documents.n_labels
        n_kept = max(MIN_CANDIDATES_WITH_SCORES, MAX_STORED_SCORES // max(n_scores, 1))
        kept = {*self.diverse(), self.baseline, *self.complete()[:n_kept]}
        for candidate, result in self.results.items():
            if candidate not in kept and (0, 0) in result.values:
                result.scores.clear()


def has_scores(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Find the documents with scores from every member of an ensemble.

    Parameters
    ----------
    scores : sequence of ndarray
        Scores of each member.

    Returns
    -------
    ndarray of shape (n_documents,), dtype bool
        Mask of these documents.
    """
    is_scored = np.ones(len(scores[0]), dtype=bool)
    for member in scores:
        is_scored &= np.isfinite(member).any(axis=1)
    return is_scored


def in_standard_errors(difference: Estimate) -> float:
    """Return a difference in units of its standard error, derived from its 95 % interval as if it were normal."""
    half_width = (difference.high - difference.low) / 2.0
    if not np.isfinite(half_width):
        return 0.0
    if half_width == 0.0 and difference.value > 0.0:
        return np.inf
    return float(difference.value / max(half_width / 1.96, 1e-12))
