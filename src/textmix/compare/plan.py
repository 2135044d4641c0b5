"""Plan of a search: stages of fits in a fixed order, each depending on the scores of the stages before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from textmix.compare import candidates
from textmix.compare.candidates import BASELINE_VIEW, Candidate, Group, group
from textmix.compare.decisions import answer_of
from textmix.compare.documents import N_FOLDS
from textmix.compare.ensembles import MAX_REPETITIONS, EnsembleSelection
from textmix.compare.runner import FoldFit, Runner
from textmix.compare.standings import in_standard_errors

#: Repetitions of the cross-validation without a time budget.
N_REPETITIONS_WITHOUT_BUDGET = 1
#: Fractions of the training documents of a learning curve, and its fewest documents.
CURVE_FRACTIONS = (0.125, 0.25, 0.5)
MIN_CURVE_DOCUMENTS = 20
#: Fraction of the budget that a learning curve, and one fit of a method of the registry, may take.
MAX_CURVE_TIME = 0.05
MAX_FIT_TIME = 0.1
#: A method of the registry that is this far behind the baseline on the first fold is not fitted on the others.
MAX_FIRST_FOLD_GAP = 0.05
#: Texts with more characters are not represented by longer n-grams, which would need too much memory.
MAX_CHARACTERS_FOR_LONGER_NGRAMS = 5_000_000
#: Maximum gap in standard errors between a baseline candidate and the best one for it to be fitted again.
MAX_STANDARD_ERRORS_BEHIND = 1.0
#: Number of leading candidates fitted in additional repetitions.
N_LEADERS = 3
#: Factor between the values of C that are tried around the best one.
C_FACTOR = 3.0
#: Metrics that balanced class weights do not improve.
METRICS_OF_ERRORS = ("accuracy", "error_rate", "subset_accuracy", "hamming_loss")


class Stage(NamedTuple):
    """Name of a stage, as shown to the user, and its fits."""

    name: str
    jobs: list[FoldFit]


class Plan:
    """Stages of a search.

    Parameters
    ----------
    runner : Runner
        Runner of the fits; its standings determine the next stage.
    ensembles : EnsembleSelection
        The ensemble, which is updated between the stages.
    """

    def __init__(self, runner: Runner, ensembles: EnsembleSelection) -> None:
        self.runner = runner
        self.ensembles = ensembles
        self.standings = runner.standings
        self.budget = runner.budget
        self.view = self.standings.documents.baseline_view

    def stages(self) -> Iterator[Stage]:
        """Generate the stages; each one must be run before the next one is requested."""
        yield Stage("fitting the baseline", self.jobs(candidates.baseline(self.view)))
        best = self.standings.baseline
        if best is None:
            return
        if self.standings.documents.is_numeric:
            yield from self._numeric_stages(best)
        else:
            yield from self._linear_stages(best)
        yield from self._registry_stages()
        yield from self._balanced_stage(best)
        self.ensembles.update()
        yield from self._ngram_stages(best)
        yield Stage("computing the learning curve", self.curve_jobs(best))
        yield from self._repetition_stages()

    def _linear_stages(self, best: Candidate) -> Iterator[Stage]:
        ratios = [group(method, BASELINE_VIEW) for method in ("nbsvm", "nb_logistic_regression")]
        yield Stage("trying naive Bayes features", self.jobs(ratios))
        yield Stage("trying more values of C", self.jobs([self._nearby(best)]))
        single_views = [group(best.method, view) for view in (candidates.WORDS, candidates.CHARACTERS)]
        yield Stage("trying words only and characters only", self.jobs(single_views))
        cross_word = [group(method, candidates.CROSS_WORD_NGRAMS) for method in (best.method, "nbsvm")]
        yield Stage("trying character n-grams across words", self.jobs(cross_word))
        self.ensembles.update()
        if self.runner.features.encoder:
            encoded = group("logistic_regression", candidates.ENCODER)
            yield Stage("trying the encoder", self.jobs([encoded]))

    def _numeric_stages(self, best: Candidate) -> Iterator[Stage]:
        """Yield the stages of linear methods on feature vectors."""
        yield Stage("trying more values of C", self.jobs([self._nearby(best)]))
        unscaled = [group(method, candidates.NUMBERS) for method in candidates.BASELINE_METHODS]
        yield Stage("trying unscaled features", self.jobs(unscaled))
        if self.standings.documents.is_nonnegative:
            weighted = [group(method, candidates.TFIDF_NUMBERS) for method in candidates.BASELINE_METHODS]
            yield Stage("trying TF-IDF", self.jobs(weighted))
        self.ensembles.update()

    def _registry_stages(self) -> Iterator[Stage]:
        documents = self.standings.documents
        methods = candidates.NUMERIC_METHODS if documents.is_numeric else candidates.REGISTRY_METHODS
        for method in methods[documents.task]:
            yield from self._registry_stage(method)

    def _registry_stage(self, method: str) -> Iterator[Stage]:
        """Yield the first fold of a method of the registry, and all folds if it is not far behind."""
        if not self._is_applicable(method):
            return
        members = group(method, self._view_of(method))
        if self.budget.seconds is not None and not self._has_time_for(members):
            return
        jobs = self.jobs([members])
        yield Stage(f"trying {candidates.method_title(method)}", jobs[:1])
        if members.first not in self.standings.results or self.standings.baseline is None:
            return
        if self._first_fold_gap(members.first) > MAX_FIRST_FOLD_GAP:
            self.runner.skip(method, "far behind the baseline on the first fold")
            return
        yield Stage(f"trying {candidates.method_title(method)}", jobs[1:])

    def _view_of(self, method: str) -> str:
        """Return the features of a method of the registry."""
        if self.standings.documents.is_numeric:
            return candidates.NUMBERS if candidates.registry()[method].input == "counts" else self.view
        if self.runner.features.column_kinds:
            return candidates.WORD_COUNTS
        return candidates.TFIDF_METHODS.get(method, candidates.WORD_COUNTS)

    def _is_applicable(self, method: str) -> bool:
        """Return whether a method is registered and the data are within its limits."""
        entry = candidates.registry().get(method)
        if entry is None:
            return False
        documents = self.standings.documents
        sizes = {"documents": len(documents.y), "labels": documents.n_labels, "features": 0}
        if all(sizes[name] <= limit for name, limit in entry.limits.items()):
            return True
        limits = ", ".join(f"{limit:,} {name}" for name, limit in entry.limits.items())
        self.runner.skip(method, f"not applied to more than {limits}")
        return False

    def _has_time_for(self, members: Group) -> bool:
        """Return whether all folds of a method would end in time, by a fit to few documents."""
        seconds = self.runner.predict_fit_seconds(members)
        limit = min(self.budget.left, MAX_FIT_TIME * N_FOLDS * (self.budget.seconds or 0.0))
        if seconds is None or seconds * N_FOLDS / self.runner.n_workers > limit:
            self.runner.skipped.setdefault(members.first.method, "too slow for the time budget")
            return False
        self.runner.seconds_per_fit[members.kind] = seconds
        return True

    def _first_fold_gap(self, candidate: Candidate) -> float:
        """Return how far a candidate is behind the baseline on the first fold."""
        standings = self.standings
        held_out = standings.folds.held_out_rows(0, 0)
        scores = [standings.results[candidate].scores[0][held_out]]
        truth = standings.documents.y[held_out]
        decision = standings.fit_decision(scores, truth)
        value = standings.metric(truth, answer_of(decision, scores, standings.metric.task))
        baseline = standings.baseline
        assert baseline is not None  # noqa: S101 - checked by the caller
        return standings.metric.sign * (standings.results[baseline].values[0, 0] - value)

    def _balanced_stage(self, best: Candidate) -> Iterator[Stage]:
        metric = self.standings.metric
        if metric.ranks or metric.name in METRICS_OF_ERRORS:
            return
        C = dict(best.params)["C"]
        groups = [group(method, self.view, [C / 3, C], balanced=True) for method in candidates.BASELINE_METHODS]
        yield Stage("trying balanced class weights", self.jobs(groups))

    def _ngram_stages(self, best: Candidate) -> Iterator[Stage]:
        documents = self.standings.documents
        if documents.is_numeric or documents.n_characters > MAX_CHARACTERS_FOR_LONGER_NGRAMS:
            return
        ratios = [
            candidate
            for candidate in self.standings.diverse()
            if candidate.method in candidates.SIMILAR_METHOD and candidate.view == BASELINE_VIEW
        ]
        longer = [replace(candidate, view=candidates.LONGER_NGRAMS) for candidate in (best, *ratios[:1])]
        yield Stage("trying longer n-grams", self.jobs([Group((candidate,)) for candidate in longer]))
        self.ensembles.update()
        pruned = [replace(candidate, view=candidates.PRUNED_NGRAMS) for candidate in (best, *ratios[:1])]
        yield Stage("trying pruned n-grams", self.jobs([Group((candidate,)) for candidate in pruned]))
        self.ensembles.update()
        presence = group("nbsvm", candidates.WORD_PRESENCE, candidates.PRESENCE_C)
        yield Stage("trying word presence", self.jobs([presence]))
        self.ensembles.update()

    def _repetition_stages(self) -> Iterator[Stage]:
        """Yield the leading candidates on new folds."""
        n_repetitions = N_REPETITIONS_WITHOUT_BUDGET if self.budget.seconds is None else MAX_REPETITIONS
        for repetition in range(1, 1 + n_repetitions):
            yield Stage(
                f"repeating the cross-validation ({repetition})", self.jobs(self.leading_groups(), [repetition])
            )
            self.ensembles.update()
            if repetition == 1:
                diverse = self.standings.diverse()
                linear = [candidate for candidate in diverse if candidate.method in candidates.LINEAR_METHODS]
                nearby = [self._nearby(candidate) for candidate in linear[:N_LEADERS]]
                yield Stage("trying more values of C", self.jobs(nearby))
                self.ensembles.update()

    def jobs(self, groups: Sequence[Group], repetitions: Sequence[int] = (0,)) -> list[FoldFit]:
        """Return the fits of groups on all folds of repetitions, fold by fold."""
        return [
            FoldFit(members, repetition, fold)
            for repetition in repetitions
            for fold in range(len(self.standings.folds[repetition]))
            for members in groups
        ]

    def curve_jobs(self, candidate: Candidate) -> list[FoldFit]:
        """Return the fits of a candidate to fractions of the documents; none if they would take too long."""
        n_training = len(self.standings.folds.training_rows(0, 0))
        seconds_per_fit = self.runner.seconds_per_fit.get(candidate.kind, 0.0)
        fractions = [fraction for fraction in CURVE_FRACTIONS if fraction * n_training >= MIN_CURVE_DOCUMENTS]
        if self.budget.seconds is not None:
            seconds = seconds_per_fit * sum(fractions) * N_FOLDS / self.runner.n_workers
            if seconds > MAX_CURVE_TIME * self.budget.seconds:
                return []
        return self.jobs([Group((replace(candidate, train_fraction=fraction),)) for fraction in fractions])

    def learning_curve(self) -> list[tuple[int, float]]:
        """Return numbers of training documents with the mean of the metric, fewest first; empty if not computed."""
        n_training = len(self.standings.folds.training_rows(0, 0))
        points = [
            candidate
            for candidate, result in self.standings.results.items()
            if not candidate.is_whole and (0, 0) in result.values
        ]
        points += [replace(candidate, train_fraction=1.0) for candidate in points[:1]]
        points.sort(key=lambda candidate: candidate.train_fraction)
        return [(round(point.train_fraction * n_training), self.standings.mean(point)) for point in points]

    def _nearby(self, candidate: Candidate) -> Group:
        """Return the group of a candidate with values of C around its own."""
        params = dict(candidate.params)
        C = float(params.pop("C"))
        return group(candidate.method, candidate.view, [round(C / C_FACTOR, 6), round(C * C_FACTOR, 6)], **params)

    def leading_groups(self) -> list[Group]:
        """Return the candidates that may still be chosen: close ones of the baseline, the best, and the ensemble's."""
        baseline = self.standings.baseline
        leaders = [baseline, *self._close_to(baseline), *self.standings.diverse()[:N_LEADERS]]
        if self.ensembles.current is not None:
            leaders += self.ensembles.current.members
        by_kind: dict[tuple[str, str], list[Candidate]] = {}
        for candidate in dict.fromkeys(leaders):
            if candidate is not None:
                by_kind.setdefault(candidate.kind, []).append(candidate)
        return [Group(tuple(sorted(members, key=lambda candidate: candidate.params))) for members in by_kind.values()]

    def _close_to(self, baseline: Candidate | None) -> list[Candidate]:
        """Return the other candidates of the baseline that are not clearly behind the best one."""
        close = []
        for candidate in self.standings.baseline_candidates():
            difference = self.standings.difference(self.standings.results[candidate].values)
            if candidate == baseline or difference is None:
                continue
            if in_standard_errors(difference) > -MAX_STANDARD_ERRORS_BEHIND:
                close.append(candidate)
        return close
