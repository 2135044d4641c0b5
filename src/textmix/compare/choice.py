"""Choice of the winner: the baseline, unless paired folds show that another candidate or an ensemble is better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from textmix.compare.candidates import Candidate, method_title
from textmix.compare.ensembles import EnsembleSelection
from textmix.compare.standings import FoldValues, Standings, in_standard_errors
from textmix.metrics.significance import Estimate
from textmix.models.common.decision import Decision

#: Minimum improvement of an ensemble over the baseline in standard errors: in the metric; or, if the metric improves at
#: all, in the log probability of the true labels, which is less noisy than the number of correct predictions.
MIN_STANDARD_ERRORS = 1.0


class FoldCount(NamedTuple):
    """Number of folds that a score is based on, and of the folds of one cross-validation."""

    n_folds: int
    n_planned: int

    def __str__(self) -> str:
        """Return the number of folds in words."""
        if self.is_complete:
            return f"{self.n_folds} folds"
        return f"{self.n_folds} of {self.n_planned} folds"

    @property
    def is_complete(self) -> bool:
        """Whether all folds of a cross-validation are there."""
        return self.n_folds >= self.n_planned


class Chosen(NamedTuple):
    """The chosen candidate or ensemble.

    Parameters
    ----------
    members : tuple of Candidate
        One candidate, or the members of an ensemble.
    decision : Decision
        Decision rule, fitted to all folds.
    value : float
        Mean of the metric over the folds.
    folds : FoldCount
        Number of these folds.
    difference : Estimate, default=None
        Improvement over the baseline; None if the baseline itself is chosen.
    """

    members: tuple[Candidate, ...]
    decision: Decision
    value: float
    folds: FoldCount
    difference: Estimate | None = None

    @property
    def name(self) -> str:
        """Description of the candidate, or of all members."""
        if len(self.members) == 1:
            return str(self.members[0])
        return f"ensemble of {_join([str(member) for member in self.members])}"

    @property
    def title(self) -> str:
        """Short description: of an ensemble the methods without their parameters."""
        titles = [method_title(member.method) for member in self.members]
        if len(self.members) == 1 or len(set(titles)) < len(titles):
            return self.name
        return f"ensemble of {_join(titles)}"

    def describe_score(self, metric: str) -> str:
        """Describe the cross-validated score, with the number of folds that it is based on."""
        if not self.folds.is_complete:
            return f"{metric} {self.value:.3f} on {self.folds} (the search ended early)"
        if self.difference is None:
            return f"CV {metric} {self.value:.3f} on {self.folds} (the baseline)"
        return f"CV {metric} {self.value:.3f} on {self.folds} ({self.difference.value:+.3f} over the baseline)"


class LeaderboardRow(NamedTuple):
    """Row of the leaderboard: the best candidate of a method on a view, or the ensemble."""

    method: str
    description: str
    value: float
    folds: FoldCount
    seconds: float
    difference: Estimate | None
    is_baseline: bool = False

    @property
    def key(self) -> str:
        """Text that identifies the row."""
        return self.method + self.description


class _Option(NamedTuple):
    """A candidate or an ensemble that could replace the baseline."""

    members: tuple[Candidate, ...]
    values: FoldValues
    min_standard_errors: float


def choose(standings: Standings, ensembles: EnsembleSelection) -> Chosen | None:
    """Choose the baseline, or what is ahead of it by the evidence of paired folds.

    Parameters
    ----------
    standings : Standings
        Results of the candidates.
    ensembles : EnsembleSelection
        The current ensemble.

    Returns
    -------
    Chosen or None
        None if no candidate has a score.
    """
    baseline = standings.baseline
    complete = standings.complete()
    if baseline is None:
        return chosen_of((complete[0],), standings, ensembles) if complete else _choose_partial(standings)
    best: tuple[Candidate, ...] = (baseline,)
    improvement: Estimate | None = None
    for option in _options(baseline, complete, standings, ensembles):
        difference = standings.difference(option.values)
        if difference is None or not _is_ahead(option, difference, baseline, ensembles):
            continue
        if improvement is None or difference.value > improvement.value:
            best = option.members
            improvement = difference
    return chosen_of(best, standings, ensembles, improvement)


def _options(
    baseline: Candidate, complete: Iterable[Candidate], standings: Standings, ensembles: EnsembleSelection
) -> Iterator[_Option]:
    """Yield what could replace the baseline."""
    rivals = [candidate for candidate in complete if candidate != baseline]
    for candidate in rivals:
        yield _Option((candidate,), standings.results[candidate].values, required_standard_errors(len(rivals)))
    if ensembles.current is not None:
        yield _Option(*ensembles.current, MIN_STANDARD_ERRORS)


def _is_ahead(option: _Option, difference: Estimate, baseline: Candidate, ensembles: EnsembleSelection) -> bool:
    if in_standard_errors(difference) >= option.min_standard_errors:
        return True
    return len(option.members) > 1 and difference.value > 0.0 and ensembles.is_more_likely_than(baseline)


def required_standard_errors(n_candidates: int) -> float:
    """Compute the improvement in standard errors required of the best of several candidates.

    The largest of n differences is expected at sqrt(2 log n) standard errors even if no candidate is better.
    """
    return float(max(MIN_STANDARD_ERRORS, np.sqrt(2.0 * np.log(max(n_candidates, 1)))))


def chosen_of(
    members: tuple[Candidate, ...],
    standings: Standings,
    ensembles: EnsembleSelection,
    difference: Estimate | None = None,
) -> Chosen:
    """Combine members with a decision rule fitted to all folds of the first repetition."""
    scores = [standings.results[member].scores[0] for member in members]
    decision = standings.fit_decision(scores, standings.documents.y)
    values: Mapping[tuple[int, int], float] = standings.results[members[0]].values
    if len(members) > 1 and ensembles.current is not None:
        values = ensembles.current.values
    mean = float(np.mean([*values.values()]))
    return Chosen(members, decision, mean, _fold_count(standings, len(values)), difference)


def _choose_partial(standings: Standings) -> Chosen | None:
    """Choose among the candidates with the most folds, if none has all of them."""
    values = {candidate: standings.partial_value(candidate) for candidate in standings.partial()}
    if not values:
        return None
    best = max(values, key=lambda candidate: standings.metric.sign * values[candidate])
    result = standings.results[best]
    rows = np.concatenate([standings.folds.held_out_rows(0, fold) for fold in sorted(result.folds[0])])
    decision = standings.fit_decision([result.scores[0][rows]], standings.documents.y[rows])
    return Chosen((best,), decision, values[best], _fold_count(standings, len(result.folds[0])))


def _fold_count(standings: Standings, n_folds: int) -> FoldCount:
    return FoldCount(n_folds, len(standings.folds[0]))


def _join(items: Sequence[str]) -> str:
    """Join items with commas and "and"."""
    return f"{', '.join(items[:-1])} and {items[-1]}"


def leaderboard(standings: Standings, ensembles: EnsembleSelection) -> list[LeaderboardRow]:
    """Rank the best candidate of each method and view, and the ensemble, best first.

    Candidates with an incomplete cross-validation are returned only if none is complete.
    """
    complete = standings.complete()
    best_of_kind: dict[tuple[str, str], Candidate] = {}
    for candidate in complete:
        best_of_kind.setdefault(candidate.kind, candidate)
    if not complete:
        return _partial_leaderboard(standings)
    rows = [_candidate_row(candidate, standings) for candidate in best_of_kind.values()]
    if ensembles.current is not None:
        members, values = ensembles.current
        description = " + ".join(f"{method_title(member.method)} ({member.view})" for member in members)
        mean = float(np.mean([*values.values()]))
        seconds = sum(standings.results[member].seconds for member in members)
        row = LeaderboardRow(
            method="ensemble",
            description=description,
            value=mean,
            folds=_fold_count(standings, len(values)),
            seconds=seconds,
            difference=standings.difference(values),
        )
        rows.append(row)
    return _sorted(rows, standings)


def _candidate_row(candidate: Candidate, standings: Standings) -> LeaderboardRow:
    result = standings.results[candidate]
    is_baseline = candidate == standings.baseline
    seconds = [member.seconds for key, member in standings.results.items() if key.kind == candidate.kind]
    difference = None if is_baseline else standings.difference(result.values)
    return LeaderboardRow(
        method=candidate.method,
        description=candidate.description,
        value=result.mean,
        folds=_fold_count(standings, len(result.values)),
        seconds=sum(seconds),
        difference=difference,
        is_baseline=is_baseline,
    )


def _partial_leaderboard(standings: Standings) -> list[LeaderboardRow]:
    """Return the best candidate of each method and view among those with the most folds."""
    rows: dict[tuple[str, str], LeaderboardRow] = {}
    for candidate in standings.partial():
        result = standings.results[candidate]
        row = LeaderboardRow(
            method=candidate.method,
            description=candidate.description,
            value=standings.partial_value(candidate),
            folds=_fold_count(standings, len(result.folds[0])),
            seconds=result.seconds,
            difference=None,
        )
        best = rows.setdefault(candidate.kind, row)
        if standings.metric.sign * (row.value - best.value) > 0.0:
            rows[candidate.kind] = row
    return _sorted(rows.values(), standings)


def _sorted(rows: Iterable[LeaderboardRow], standings: Standings) -> list[LeaderboardRow]:
    """Sort rows by the metric, the best first; of equal ones the baseline first."""
    return sorted(rows, key=lambda row: (-standings.metric.sign * row.value, not row.is_baseline))
