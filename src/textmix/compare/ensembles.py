"""Ensembles: averages of the calibrated probabilities of different candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from textmix.compare.candidates import Candidate
from textmix.compare.decisions import fit_slope, log_probability_of_truth
from textmix.compare.standings import TEST_RATIO, FoldValues, Standings, in_standard_errors
from textmix.metrics.significance import resampled_difference
from textmix.models.common.calibration import averaged, calibrated

#: Maximum number of members, and the minimum gain in mean log probability (nats) per member.
MAX_MEMBERS = 4
MIN_GAIN = 1e-4
#: Maximum number of documents times labels used to select members.
MAX_SELECTION_SCORES = 2**21
#: Maximum number of repetitions of the cross-validation.
MAX_REPETITIONS = 20
#: Minimum improvement of the mean log probability over the baseline, in standard errors.
MIN_STANDARD_ERRORS = 1.0
#: Constant added to probabilities before taking logarithms.
SMALL_PROBABILITY = 1e-9


class Ensemble(NamedTuple):
    """Members of an ensemble, and the metric by repetition and fold."""

    members: tuple[Candidate, ...]
    values: FoldValues


class EnsembleSelection:
    """Greedy ensemble selection among the best diverse candidates.

    Source: R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, Ensemble selection from libraries of models, ICML
    2004; here without replacement and with log probability as the criterion.

    Parameters
    ----------
    standings : Standings
        Results of the candidates.

    Attributes
    ----------
    current : Ensemble or None
        The ensemble of the last `update`; None if a single candidate is better.
    """

    def __init__(self, standings: Standings) -> None:
        self.standings = standings
        self.current: Ensemble | None = None
        self._slopes: dict[tuple[Candidate, int, int | None], float] = {}
        self._values: dict[tuple[tuple[Candidate, ...], int, bool], list[float]] = {}

    def update(self) -> None:
        """Select the ensemble again, and evaluate it on each fold."""
        self.current = None
        diverse = tuple(self.standings.diverse())
        if len(diverse) < 2:
            return
        members = self.select(diverse, 0, None)
        if len(members) < 2:
            return
        values = self._fold_values(diverse, 0, reselect=True)
        for repetition in range(1, 1 + MAX_REPETITIONS):
            if all((repetition, 0) in self.standings.results[member].values for member in members):
                values |= self._fold_values(members, repetition, reselect=False)
        self.current = Ensemble(members, values)

    def _fold_values(
        self, members: tuple[Candidate, ...], repetition: int, *, reselect: bool
    ) -> dict[tuple[int, int], float]:
        """Evaluate an ensemble on each fold; with ``reselect``, its members are selected on the other folds."""
        key = members, repetition, reselect
        if key not in self._values:

            def members_of(fold: int) -> Sequence[Candidate]:
                return self.select(members, repetition, fold) if reselect else members

            self._values[key] = self.standings.fold_values(members_of, repetition)
        return {(repetition, fold): value for fold, value in enumerate(self._values[key])}

    def select(
        self, available: Sequence[Candidate], repetition: int, fold: int | None, max_members: int = MAX_MEMBERS
    ) -> tuple[Candidate, ...]:
        """Select members to maximise the mean log probability of their averaged probabilities outside a fold.

        Parameters
        ----------
        available : sequence of Candidate
            Candidates to select from.
        repetition : int
            Repetition of the cross-validation.
        fold : int or None
            Fold to exclude; None uses all documents.
        max_members : int, default=MAX_MEMBERS
            Maximum number of members.

        Returns
        -------
        tuple of Candidate
            Members, in the order of their selection.
        """
        rows = self.standings.folds.training_rows(repetition, fold)
        rows = rows[:: max(1, len(rows) * self.standings.documents.n_labels // MAX_SELECTION_SCORES)]
        probabilities = [self._true_probabilities(candidate, repetition, fold, rows) for candidate in available]
        selected: list[int] = []
        total = np.zeros_like(probabilities[0])
        best_value = -np.inf
        while len(selected) < min(max_members, len(available)):
            means = {
                number: _mean_log((total + probability) / (len(selected) + 1))
                for number, probability in enumerate(probabilities)
                if number not in selected
            }
            best = max(means, key=lambda number: means[number])
            if selected and means[best] < best_value + MIN_GAIN:
                break
            selected.append(best)
            total = total + probabilities[best]
            best_value = means[best]
        return tuple(available[number] for number in selected)

    def _true_probabilities(
        self, candidate: Candidate, repetition: int, fold: int | None, rows: np.ndarray
    ) -> np.ndarray:
        """Return the calibrated probability of the true class of each document, or of each true label decision."""
        slope = self._slope(candidate, repetition, fold)
        scores = self.standings.results[candidate].scores[repetition][rows]
        probability = calibrated(scores, slope, self.standings.metric.task)
        return np.asarray(np.exp(log_probability_of_truth(probability, self.standings.documents.y[rows])))

    def _slope(self, candidate: Candidate, repetition: int, fold: int | None) -> float:
        """Fit the calibration slope of a candidate to its scores outside a fold, or to all scores."""
        key = candidate, repetition, fold
        if key not in self._slopes:
            rows = self.standings.folds.training_rows(repetition, fold)
            scores = self.standings.results[candidate].scores[repetition]
            truth = self.standings.documents.y[rows]
            self._slopes[key] = fit_slope(scores[rows], truth, self.standings.metric.task)
        return self._slopes[key]

    def is_more_likely_than(self, baseline: Candidate) -> bool:
        """Check whether the ensemble has a higher log probability of the true labels, comparing paired folds."""
        diverse = self.standings.diverse()
        n_folds = len(self.standings.folds[0])
        ensemble = [self._log_probability(self.select(diverse, 0, fold), fold) for fold in range(n_folds)]
        reference = [self._log_probability([baseline], fold) for fold in range(n_folds)]
        difference = resampled_difference(ensemble, reference, TEST_RATIO)
        return in_standard_errors(difference) >= MIN_STANDARD_ERRORS

    def _log_probability(self, members: Sequence[Candidate], fold: int) -> float:
        """Return the mean log probability of the true labels of a fold, calibrated on the other folds."""
        held_out = self.standings.folds.held_out_rows(0, fold)
        scores = [self.standings.results[member].scores[0][held_out] for member in members]
        slopes = [self._slope(member, 0, fold) for member in members]
        probability = averaged(scores, slopes, self.standings.metric.task)
        return float(np.mean(log_probability_of_truth(probability, self.standings.documents.y[held_out])))


def _mean_log(probability: np.ndarray) -> float:
    return float(np.mean(np.log(probability + SMALL_PROBABILITY)))
