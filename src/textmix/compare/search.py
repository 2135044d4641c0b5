"""The search: candidates are fitted on the same folds in a fixed order, within a budget of seconds or to its end.

Fits run in threads of one process, so that all share one copy of the texts and of their features, and nothing is left
behind when the process ends.  The order of the fits rests on scores alone.  The budget cuts it off; no score depends
on the time or on the number of threads.
"""

from __future__ import annotations

import queue
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from textmix.compare import candidates as plan
from textmix.compare.candidates import COUNTS, JOINED, Candidate, Group, estimator_of, group, pipeline
from textmix.compare.decisions import answer_of, fit_decision, of_truth, slope_on
from textmix.compare.metrics import ComparisonMetric
from textmix.core.errors import TextmixError
from textmix.data.corpus import Ragged, TableTexts
from textmix.experiment.folds import cross_validate, fold_numbers, halves_of
from textmix.metrics.significance import Estimate, resampled_difference
from textmix.models.common.calibration import averaged, calibrated, label_scores
from textmix.models.common.decision import Decision
from textmix.numerics.seeding import rng
from textmix.text.ngram_tfidf import NgramTfidf, NoFeaturesError

#: Folds of a cross-validation, and most repetitions of it on other folds: with a budget, and without one.
FOLDS, REPEATS, REPEATED = 5, 20, 1
#: Most parts of an average, candidates among which they are chosen, and least gain of a part, nats a decision.
PARTS, UNLIKE, GAIN = 4, 10, 1e-4
#: Standard errors by which an average has to be ahead of the pipeline: in the metric, or, where it is ahead at all, in
#: the log probability of what is true, which tells more of few documents than answers do, which are right or wrong.  Of
#: another candidate the number grows with the number of candidates, as does the largest of so many differences that
#: are none.
AHEAD = 1.0
#: Metrics of answers that the largest score gives, and seconds between two looks at the search.
BY_LARGEST, PACE = ("accuracy", "error_rate"), 0.5
#: Growth of the seconds of a fit with the points that are fitted one after the other, each from the last one.
PATH = 0.5
#: Growth of the seconds of a fit of the registry with its documents, and documents of its try.
GROWTH, TRY = 1.2, 400
#: Shares of the documents of a learning curve, fewest documents of one, and the share of the budget that it may take.
CURVE, LEAST, CURVE_TIME = (0.125, 0.25, 0.5), 20, 0.05
#: Share of the budget that one fit of a method of the registry may take.
ONE_FIT = 0.1
#: Points by which a method of the registry may be behind the pipeline on the first fold and still have all folds.
BEHIND = 0.05
#: Most characters of texts whose longer runs are counted, for the memory.
LONG = 5_000_000
#: Most scores that are kept of all candidates together, and most features of documents by vectorisers of folds.
KEPT, CUT = 2**28, 2**25


class LabelledTexts(NamedTuple):
    """N texts and labels of a task: ``y`` is classes int (N,) of C, or indicators int8 (N, L).  ``cells`` maps a column
    beside the texts to the cell of each document, as text.
    """

    texts: Sequence[str]
    y: np.ndarray
    n_labels: int
    cells: Mapping[str, Sequence[str]] = MappingProxyType({})

    @property
    def task(self) -> str:
        """``single`` or ``multi``."""
        return "single" if self.y.ndim == 1 else "multi"

    def of(self, rows: Sequence[int] | np.ndarray) -> LabelledTexts:
        """Return some of the documents."""
        y = self.y[np.asarray(rows, dtype=np.int64)]
        cells = {name: [column[row] for row in rows] for name, column in self.cells.items()}
        return LabelledTexts([self.texts[row] for row in rows], y, self.n_labels, cells)

    @property
    def given(self) -> Sequence[str] | Ragged:
        """What a vectoriser takes: the texts, or the texts with their cells."""
        if not self.cells:
            return self.texts
        return TableTexts.of(Ragged.from_texts(text.encode("utf-8", "replace") for text in self.texts), self.cells)


@dataclass
class FoldScores:
    """What is known of a candidate: ``scores`` maps repetition -> its scores, float32 (N, C) or (N, L), ``folds``
    repetition -> folds that were fitted, ``values`` repetition and fold -> the metric; ``seconds`` are of the
    processor.
    """

    scores: dict[int, np.ndarray] = field(default_factory=dict)
    folds: dict[int, set[int]] = field(default_factory=dict)
    values: dict[tuple[int, int], float] = field(default_factory=dict)
    seconds: float = 0.0


class Chosen(NamedTuple):
    """What a search chose: candidates whose probabilities are averaged, or one.  ``decision`` is fitted to all folds,
    ``value`` is the mean of the metric over them, and ``evidence`` its difference from the pipeline, None of the
    pipeline itself.
    """

    parts: tuple[Candidate, ...]
    decision: Decision
    value: float
    evidence: Estimate | None = None

    @property
    def name(self) -> str:
        """The method, or that of all parts."""
        return str(self.parts[0]) if len(self.parts) == 1 else f"average of {', '.join(map(str, self.parts))}"


class Row(NamedTuple):
    """A line of the leaderboard: the best candidate of a method on a view, or the average."""

    method: str
    words: str
    value: float
    folds: int
    seconds: float
    difference: Estimate | None
    pipeline: bool = False


class State(NamedTuple):
    """What is shown of a search that runs."""

    stage: str
    left: float | None
    rows: Sequence[Row]


class FoldFit(NamedTuple):
    """One group on one fold of a repetition."""

    group: Group
    repetition: int
    fold: int


class Search:
    """A search over candidates.

    Parameters
    ----------
    documents : those of the search; the test documents are not among them.
    metric : by which candidates are compared.
    seconds : of the search from its first fit; None goes to the end of the plan.
    workers : threads.
    seed : draws the folds.
    never_empty : whether each document has a label.
    encoder : of the user's, or nothing.
    beside : column beside the texts -> its kind, ``number`` or ``category``.
    watch : is called with a `State` now and then.
    clock : by which the budget is counted, such as that of the processor on a busy machine.
    """

    def __init__(
        self,
        documents: LabelledTexts,
        metric: ComparisonMetric,
        *,
        seconds: float | None = None,
        workers: int = 1,
        seed: int = 0,
        never_empty: bool = False,
        encoder: str = "",
        beside: Mapping[str, str] = MappingProxyType({}),
        watch: Callable[[State], None] = lambda state: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.clock = clock
        self.documents, self.metric, self.seconds, self.workers = documents, metric, seconds, workers
        self.seed, self.never_empty, self.encoder, self.watch = seed, never_empty, encoder, watch
        self.beside = beside
        self.stage, self.interrupted, self.ended = "reading texts", False, False
        began = clock()
        #: Returns when the search has to end, of the monotonic clock.
        self.ends: Callable[[], float] = lambda: np.inf if seconds is None else began + seconds
        self.trials: dict[Candidate, FoldScores] = {}
        #: Candidate -> its place in the plan, by which ties are decided, whichever thread was first.
        self.order: dict[Candidate, int] = {}
        self.without: dict[str, str] = {}
        self.matrices: dict[str, sparse.csr_array] = {}
        self.vectorisers: dict[str, Any] = {}
        self.columns: dict[str, tuple[int, int]] = {}
        #: Method and view -> processor seconds of its last fit at one point; and of the vectorising of a view.
        self.cost: dict[tuple[str, str], float] = {}
        self.reading: dict[str, float] = {}
        self.fit_seconds = 0.0
        #: Seconds of the clock for a second of the processor: more than 1 beside other programs.
        self.pace = 1.0
        self.average: tuple[tuple[Candidate, ...], dict[tuple[int, int], float]] | None = None
        self._folds: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
        self._shown = "", -np.inf
        #: View and rows -> features of `_features_of`, of the last few.
        self._known: dict[tuple[str, bytes], Any] = {}
        self._empty: set[str] = set()
        self._lock = threading.Lock()
        self._averaged: dict[tuple[tuple[Candidate, ...], int, int], list[float]] = {}
        self._slopes: dict[tuple[Candidate, int, int | None], float] = {}

    # -- data ---------------------------------------------------------------------------------------------------------

    def folds(self, repetition: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the folds of a repetition: rows of the fit, and rows held out; each class is spread over the folds."""
        if repetition not in self._folds:
            generator, y = rng(self.seed, "compare", repetition), self.documents.y
            number = min(FOLDS, len(y))
            numbers = fold_numbers(len(y), number, generator, y if y.ndim == 1 else None)
            self._folds[repetition] = list(halves_of(numbers))
        return self._folds[repetition]

    def matrix(self, view: str) -> sparse.csr_array:
        """Return the features of a view that has a matrix of its own, float32 CSR (N, V), made once."""
        if view not in self.matrices:
            start = time.process_time()
            vectoriser = self.vectoriser(view, len(self.documents.y))
            found = vectoriser.fit_transform(self.documents.given)
            self.matrices[view] = sparse.csr_array(found, dtype=np.float32)
            self.vectorisers[view] = vectoriser
            self.reading[view] = time.process_time() - start
            if view == JOINED:
                self.columns = plan.columns_of(vectoriser)
        return self.matrices[view]

    def _features_of(self, view: str, rows: np.ndarray) -> Any:
        """Return the features of all documents by a vectoriser that knows some of them, (N, V).  What is held out must
        not tell which features there are.
        """
        key = view, rows.tobytes()
        with self._lock:
            if key not in self._known:
                vectoriser, X = self.vectorisers[view], self.matrices[view]
                made = vectoriser.refitted(X, rows) if isinstance(vectoriser, NgramTfidf) else X
                self._known[key] = made
                while len(self._known) > self.workers + 1 and sum(each.nnz for each in self._known.values()) > CUT:
                    del self._known[next(iter(self._known))]
            return self._known[key]

    def release(self) -> None:
        """Let go the features of the documents, which no step after the tests reads; the model has its own."""
        self.matrices.clear()
        self._known.clear()

    def _has_features(self, view: str) -> bool:
        """Return whether the documents have features of a view, whose matrix is made: words of one letter are none."""
        if view not in self._empty:
            try:
                self.matrix(view)
            except NoFeaturesError:
                if view == JOINED:  # not even those of the pipeline
                    raise
                self._empty.add(view)
        return view not in self._empty

    def _can_read(self, view: str) -> bool:
        """Return whether a view has a matrix, or will have one in time, by that of the pipeline."""
        needed = self.pace * plan.READING.get(view, 0.0) * self.reading.get(JOINED, 0.0)
        return view in self.matrices or not needed or needed <= self.left

    def vectoriser(self, view: str, documents: int) -> Any:
        """Return the unfitted vectoriser of a view for a number of documents."""
        return plan.vectoriser_of(view, self.encoder, 1 if documents < 200 else 2, self.beside)

    # -- fits ---------------------------------------------------------------------------------------------------------

    @property
    def left(self) -> float:
        """Seconds until the search has to end."""
        return self.ends() - self.clock()

    def fit(self, job: FoldFit) -> tuple[list[np.ndarray], float, float]:
        """Return each candidate's scores of held-out documents, and the seconds of processor and budget's clock."""
        start, began, found = time.thread_time(), self.clock(), list[np.ndarray]()

        def keep(estimator: Any, documents: tuple[Any, Any], rows: np.ndarray) -> float:
            """Keep the scores of held-out documents; they are judged together with those of other folds."""
            found.append(self.scores_of(estimator, documents[0]))
            return 0.0

        first = job.group.candidates[0]
        rest, held = self.folds(job.repetition)[job.fold]
        if first.share < 1.0:
            drawn = rng(self.seed, "compare", "learning curve", job.fold).permutation(rest)
            rest = np.sort(drawn[: round(first.share * len(rest))])
        documents = self._features_of(first.base, rest), self.documents.y
        cross_validate(self.maker(job.group), job.group.candidates, documents, [(rest, held)], keep)
        return found, time.thread_time() - start, self.clock() - began

    def maker(self, members: Group) -> Callable[[Candidate], Any]:
        """Return the function that makes the estimators of a group, each of which starts from the last fit."""
        first = members.candidates[0]
        axes = (self.seed, "compare", 0)
        warm = len(members.candidates) > 1
        made = estimator_of(first, self.columns, axes, warm=warm)
        return lambda candidate: made.set_params(**dict(candidate.point)) if candidate.point else made

    def scores_of(self, estimator: Any, X: Any) -> np.ndarray:
        """Return the scores of all labels, float32 (N, C) or (N, L); -inf for a class that a fit did not know."""
        task = self.documents.task
        found = label_scores(estimator, X, task)
        if found is None:
            raise ValueError("gives no scores of its labels")
        scores = np.full((X.shape[0], self.documents.n_labels), -np.inf, dtype=np.float32)
        scores[:, estimator.classes_] = found
        return scores

    def run(self, jobs: Sequence[FoldFit]) -> None:
        """Fit jobs side by side, but for those that would not end in time, and take note of their scores."""
        jobs = [job for job in jobs if not self._is_done(job) and self._can_read(job.group.candidates[0].base)]
        for candidate in (each for job in jobs for each in job.group.candidates):
            self.order.setdefault(candidate, len(self.order))
        jobs = [job for job in jobs if self._has_features(job.group.candidates[0].base)]
        pool = _Pool(self.workers)
        waiting = list(jobs)
        while waiting or pool.busy:
            while waiting and pool.free:
                job = waiting.pop(0)
                # The first fit has all the time that it needs, so that a late search ends with a model too.
                if self.predicted(job) <= self.left or not (self.trials or pool.busy):
                    pool.give(job, lambda job=job: self.fit(job))  # type: ignore[misc]
            for job, answer in pool.wait(0.25):
                self._note(job, answer)
            self._tell()
            if self.left <= 0.0 and (self.trials or not pool.busy):
                self.ended = True
                break  # a thread goes on with its fit, which nobody waits for

    def _tell(self) -> None:
        """Show the state of the search at a new stage, and else now and then."""
        now = time.monotonic()
        if self.stage != self._shown[0] or now - self._shown[1] >= PACE:
            self._shown = self.stage, now
            self.watch(State(self.stage, None if self.seconds is None else max(self.left, 0.0), self.leaderboard()))

    def predicted(self, job: FoldFit) -> float:
        """Return the seconds of a job by the clock, by the last one of its kind, or of one that is alike, else 0."""
        method, view = job.group.kind
        alike = self.cost.get((plan.ALIKE.get(method, method), JOINED), 0.0)
        share = 0.0 if method not in plan.LINEAR or view == plan.ENCODER else 2.0 if view == plan.LONGER else 1.0
        return self.pace * self.cost.get(job.group.kind, share * alike) * len(job.group.candidates) ** PATH

    def _is_done(self, job: FoldFit) -> bool:
        """Return whether all candidates of a job have its fold."""
        known = (self.trials.get(candidate) for candidate in job.group.candidates)
        return all(each is not None and job.fold in each.folds.get(job.repetition, ()) for each in known)

    def _note(self, job: FoldFit, answer: tuple[list[np.ndarray], float, float] | Exception) -> None:
        """Take note of the answer of a job."""
        if isinstance(answer, Exception):
            if not isinstance(answer, (TextmixError, ValueError, ArithmeticError, MemoryError)):
                raise answer
            if job.group.candidates[0].share == 1.0:
                self.without[job.group.candidates[0].method] = " ".join(str(answer).split())[:300]
            return
        found, seconds, by_clock = answer
        if seconds > 0.05:
            self.pace = 0.7 * self.pace + 0.3 * max(by_clock / seconds, 1.0)
        if job.group.candidates[0].share == 1.0:
            self.cost[job.group.kind] = seconds / len(found) ** PATH
        self.fit_seconds += seconds
        held = self.folds(job.repetition)[job.fold][1]
        shape = (len(self.documents.y), self.documents.n_labels)
        for candidate, scores in zip(job.group.candidates, found, strict=True):
            known = self.trials.setdefault(candidate, FoldScores())
            known.scores.setdefault(job.repetition, np.full(shape, -np.inf, dtype=np.float32))[held] = scores
            known.folds.setdefault(job.repetition, set()).add(job.fold)
            known.seconds += seconds / len(found)
            if len(known.folds[job.repetition]) == len(self.folds(job.repetition)):
                values = self.values((candidate,), job.repetition)
                known.values |= {(job.repetition, fold): value for fold, value in enumerate(values)}

    # -- values -------------------------------------------------------------------------------------------------------

    def values(self, parts: Sequence[Candidate], repetition: int, choose: int = 0) -> list[float]:
        """Return the metric on each fold of a repetition, each decided by the other folds; of ``choose`` parts at most,
        chosen by the other folds, or of all for 0.
        """
        y, found = self.documents.y, []
        for fold, (rest, held) in enumerate(self.folds(repetition)):
            chosen = self._parts(parts, repetition, fold, choose) if choose else parts
            some = [self.trials[part].scores[repetition] for part in chosen]
            if len(some) == 1 and self.metric.name in (*BY_LARGEST, *["macro_f1"] * (some[0].shape[1] > 2)):
                decision = Decision([1.0])  # the largest score decides, at any slope
            else:
                decision = self._decision([each[rest] for each in some], y[rest])
            answer = answer_of(decision, [each[held] for each in some], self.metric.task)
            found.append(self.metric(y[held], answer))
        return found

    def _decision(self, scores: Sequence[np.ndarray], y: np.ndarray) -> Decision:
        """Return the decision that suits the metric on documents with classes that were known to their fits."""
        known = np.ones(len(y), dtype=bool)
        for each in scores:
            known &= np.isfinite(each).any(axis=1)
        return fit_decision([each[known] for each in scores], y[known], self.metric, never_empty=self.never_empty)

    def slope(self, candidate: Candidate, repetition: int, fold: int | None) -> float:
        """Return the slope that calibrates a candidate by its scores outside a fold, or by all; found once."""
        key = candidate, repetition, fold
        if key not in self._slopes:
            rows, scores = self._outside(repetition, fold), self.trials[candidate].scores[repetition]
            self._slopes[key] = slope_on(scores[rows], self.documents.y[rows], self.metric.task)
        return self._slopes[key]

    def _outside(self, repetition: int, fold: int | None) -> np.ndarray:
        """Return the rows outside a fold, or all rows."""
        return np.arange(len(self.documents.y)) if fold is None else self.folds(repetition)[fold][0]

    def _parts(
        self, candidates: Sequence[Candidate], repetition: int, fold: int | None, most: int
    ) -> tuple[Candidate, ...]:
        """Return the parts whose average has, step by step, the greatest mean log probability outside a fold.  Source:
        R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, ICML 2004, here without replacement.
        """
        rows, stated = self._outside(repetition, fold), []
        rows = rows[:: max(1, len(rows) * self.documents.n_labels // 2**21)]
        for each in candidates:
            slope, scores = self.slope(each, repetition, fold), self.trials[each].scores[repetition][rows]
            found_true = of_truth(calibrated(scores, slope, self.metric.task), self.documents.y[rows])
            stated.append(np.exp(found_true))
        found, total, best_value = list[int](), np.zeros_like(stated[0]), -np.inf
        while len(found) < min(most, len(stated)):
            means = {
                part: float(np.mean(np.log((total + stated[part]) / (len(found) + 1) + 1e-9)))
                for part in range(len(stated))
                if part not in found
            }
            best = max(means, key=lambda part: means[part])
            if found and means[best] < best_value + GAIN:
                break
            found.append(best)
            total, best_value = total + stated[best], means[best]
        return tuple(candidates[part] for part in found)

    def complete(self, repetition: int = 0) -> list[Candidate]:
        """Return the candidates with all folds of a repetition, the best first."""
        known = [each for each, trials in self.trials.items() if (repetition, 0) in trials.values and each.share == 1.0]
        return sorted(known, key=lambda each: (-self.metric.sign * self.mean(each, repetition), self._place(each)))

    def _place(self, candidate: Candidate) -> int:
        """Return the place of a candidate in the plan."""
        return self.order.get(candidate, 0)

    def mean(self, candidate: Candidate, repetition: int = 0) -> float:
        """Return the mean of the metric over the folds of a repetition."""
        return float(np.mean([v for (r, _), v in self.trials[candidate].values.items() if r == repetition]))

    @property
    def incumbent(self) -> Candidate | None:
        """The best candidate of the pipeline by hand, of those with the most repetitions; None before all folds."""
        known = [(each, [*self.trials[each].values.values()]) for each in self._by_hand()]
        most = max((len(values) for _, values in known), default=0)
        last = [(each, self.metric.sign * sum(values)) for each, values in known if len(values) == most]
        return max(last, key=lambda each: each[1])[0] if last else None

    def _by_hand(self) -> list[Candidate]:
        """Return the candidates of the pipeline by hand that have all first folds, in the order of the plan."""
        every = [each for members in pipeline() for each in members.candidates]
        known = [each for each in every if each in self.trials and (0, 0) in self.trials[each].values]
        return sorted(known, key=self._place)

    def evidence(self, values: Mapping[tuple[int, int], float]) -> Estimate | None:
        """Return the difference from the pipeline over the folds that both have; None without the pipeline."""
        incumbent = self.incumbent
        if incumbent is None:
            return None
        beside = self.trials[incumbent].values
        both = [key for key in values if key in beside]
        left, right = ([self.metric.sign * source[key] for key in both] for source in (values, beside))
        return resampled_difference(left, right, 1.0 / (FOLDS - 1)) if both else None

    def choose(self) -> Chosen | None:
        """Return the pipeline, or what is ahead of it by the evidence of paired folds; None without any score."""
        incumbent, complete = self.incumbent, self.complete()
        if incumbent is None and not complete:
            return self._partial()
        best: tuple[Candidate, ...] = (incumbent or complete[0],)
        found: Estimate | None = None
        others = [each for each in complete if each != incumbent]
        needed = _needed(len(others))
        options: list[tuple[tuple[Candidate, ...], Mapping[tuple[int, int], float], float]]
        options = [((each,), self.trials[each].values, needed) for each in others]
        if self.average is not None:
            options.append((*self.average, AHEAD))
        for parts, values, errors in options:
            difference = self.evidence(values)
            if difference is None or incumbent is None:
                continue
            clear = len(parts) > 1 and difference.value > 0.0 and self._is_likelier(incumbent)
            if _errors(difference) < errors and not clear:
                continue
            if found is None or difference.value > found.value:
                best, found = parts, difference
        return self._chosen(best, found)

    def _is_likelier(self, incumbent: Candidate) -> bool:
        """Return whether the average gives what is true more probability than the pipeline, by paired folds."""
        unlike = self._unlike()
        logs = [
            (self._log_probability(self._parts(unlike, 0, fold, PARTS), fold), self._log_probability([incumbent], fold))
            for fold in range(len(self.folds(0)))
        ]
        average, by_hand = np.array(logs).T
        return _errors(resampled_difference(average, by_hand, 1.0 / (FOLDS - 1))) >= AHEAD

    def _log_probability(self, parts: Sequence[Candidate], fold: int) -> float:
        """Return the mean log probability of what is true on a fold by parts that the other folds calibrated."""
        held = self.folds(0)[fold][1]
        scores = [self.trials[part].scores[0][held] for part in parts]
        slopes = [self.slope(part, 0, fold) for part in parts]
        return float(np.mean(of_truth(averaged(scores, slopes, self.metric.task), self.documents.y[held])))

    def _chosen(self, parts: tuple[Candidate, ...], evidence: Estimate | None) -> Chosen:
        """Return parts with the decision that all folds of the first repetition give."""
        scores = [self.trials[part].scores[0] for part in parts]
        values = self.trials[parts[0]].values if len(parts) == 1 else self.average[1]  # type: ignore[index]
        return Chosen(parts, self._decision(scores, self.documents.y), float(np.mean([*values.values()])), evidence)

    def _partial(self) -> Chosen | None:
        """Return the best candidate by the folds that most have; None without any."""
        known = [(each, self.trials[each]) for each in sorted(self.trials, key=self._place) if each.share == 1.0]
        known = [(each, trials) for each, trials in known if trials.folds.get(0)]
        if not known:
            return None
        most = max(len(trials.folds[0]) for _, trials in known)
        found = []
        for candidate, trials in known:
            if len(trials.folds[0]) == most:
                rows = np.concatenate([self.folds(0)[fold][1] for fold in sorted(trials.folds[0])])
                scores, y = [trials.scores[0][rows]], self.documents.y[rows]
                decision = self._decision(scores, y)
                value = self.metric(y, answer_of(decision, scores, self.metric.task))
                found.append(Chosen((candidate,), decision, value))
        return max(found, key=lambda chosen: self.metric.sign * chosen.value)

    def leaderboard(self) -> list[Row]:
        """Return the best candidate of each method and view, and the average, the best first."""
        rows, seen, by_hand = list[Row](), set[tuple[str, str]](), self.incumbent
        for each in self.complete():
            if each.kind not in seen:
                seen.add(each.kind)
                trials = self.trials[each]
                spent = sum(t.seconds for other, t in self.trials.items() if other.kind == each.kind)
                difference = None if each == by_hand else self.evidence(trials.values)
                value = float(np.mean([*trials.values.values()]))
                rows.append(Row(each.method, each.words, value, len(trials.values), spent, difference, each == by_hand))
        if self.average is not None:
            parts, values = self.average
            named = " + ".join(f"{part.method} ({part.view})" for part in parts)
            mean = float(np.mean([*values.values()]))
            spent = sum(self.trials[part].seconds for part in parts)
            rows.append(Row("average", named, mean, len(values), spent, self.evidence(values)))
        return sorted(rows, key=lambda row: (-self.metric.sign * row.value, not row.pipeline))

    # -- plan ---------------------------------------------------------------------------------------------------------

    def search(self) -> None:
        """Go through the plan until it or the budget ends; KeyboardInterrupt ends it with what is known."""
        try:
            for stage, jobs in self.plan():
                self.stage = stage
                self.run(jobs)
                if self.ended or self.interrupted:
                    break
                self._forget()
            else:
                self.stage = "done"
        except KeyboardInterrupt:
            self.interrupted = True
        if self.average is None or self.ended or self.interrupted:
            self.validate_average()

    def plan(self) -> Iterator[tuple[str, list[FoldFit]]]:
        """Yield stages and their jobs; what comes later rests on the scores of what came before."""
        yield "pipeline", self.jobs(pipeline())
        if self.incumbent is None:
            return
        task = self.documents.task
        groups = [group(method, JOINED) for method in ("nbsvm", "nb_logistic_regression")]
        yield "naive Bayes ratios", self.jobs(groups)
        best = self.incumbent
        yield "further costs", self.jobs([self._nearby(best)])
        yield (
            "words alone, characters alone",
            self.jobs([group(best.method, view) for view in (plan.WORDS, plan.CHARACTERS)]),
        )
        self.validate_average()
        if self.encoder:
            yield "vectors of the encoder", self.jobs([group("logistic_regression", plan.ENCODER)])
        for method in plan.LIBRARY[task]:
            yield from self._library(method)
        if not self.metric.ranks and self.metric.name not in (
            "accuracy",
            "error_rate",
            "subset_accuracy",
            "hamming_loss",
        ):
            cost = dict(best.point)["C"]
            groups = [
                group(method, JOINED, [cost / 3, cost], balanced=True)
                for method in ("linear_svm", "logistic_regression")
            ]
            yield "balanced classes", self.jobs(groups)
        self.validate_average()
        if sum(map(len, self.documents.texts)) <= LONG:
            ratios = [each for each in self._unlike() if each.method in plan.ALIKE and each.view == JOINED][:1]
            yield "longer n-grams", self.jobs([self._like(each, plan.LONGER) for each in (best, *ratios)])
            self.validate_average()
            yield "presence of words", self.jobs([group("nbsvm", plan.PRESENT, plan.LOW)])
            self.validate_average()
        yield "learning curve", self._curve_jobs(best)
        for repetition in range(1, 1 + (REPEATED if self.seconds is None else REPEATS)):
            yield f"cross-validation again ({repetition})", self.jobs(self._near_groups(), [repetition])
            self.validate_average()
            if repetition == 1:
                leaders = [each for each in self._unlike() if each.method in plan.LINEAR][:3]
                yield "further costs", self.jobs([self._nearby(each) for each in leaders])
                self.validate_average()

    def jobs(self, groups: Sequence[Group], repetitions: Sequence[int] = (0,)) -> list[FoldFit]:
        """Return the jobs of groups on all folds of repetitions, fold by fold."""
        return [
            FoldFit(members, repetition, fold)
            for repetition in repetitions
            for fold in range(len(self.folds(repetition)))
            for members in groups
        ]

    def _curve_jobs(self, candidate: Candidate) -> list[FoldFit]:
        """Return the jobs of a candidate fitted to parts of the documents; none where they would take too long."""
        n, cost = len(self.folds(0)[0][0]), self.cost.get(candidate.kind, 0.0)
        shares = [share for share in CURVE if share * n >= LEAST]
        if self.seconds is not None and cost * sum(shares) * FOLDS / self.workers > CURVE_TIME * self.seconds:
            return []
        return self.jobs([Group((replace(candidate, share=share),)) for share in shares])

    def curve(self) -> list[tuple[int, float]]:
        """Return documents of a fit and the mean of the metric over the folds of the first repetition, fewest first, of
        one candidate of the pipeline; empty where no part was fitted.
        """
        n = len(self.folds(0)[0][0])
        parts = [each for each, trials in self.trials.items() if each.share < 1.0 and (0, 0) in trials.values]
        known = sorted([*parts, *(replace(each, share=1.0) for each in parts[:1])], key=lambda each: each.share)
        return [(round(each.share * n), self.mean(each)) for each in known]

    def _library(self, method: str) -> Iterator[tuple[str, list[FoldFit]]]:
        """Yield the jobs of a method of the registry: the first fold, and all folds if it is not far behind."""
        entry, y = plan.registry().get(method), self.documents.y
        if entry is None:
            return
        numbers = {"documents": len(y), "labels": self.documents.n_labels, "features": 0}
        over = [f"{numbers[key]:,} {key}" for key, most in entry.limits.items() if numbers[key] > most]
        if over:
            self.without[method] = f"is left out above {', '.join(f'{m:,} {k}' for k, m in entry.limits.items())}"
            return
        members = group(method, COUNTS if self.beside else plan.WEIGHTED.get(method, COUNTS))
        if self.seconds is not None:
            needed = self._tried(members)
            if needed is None or needed * FOLDS / self.workers > min(self.left, ONE_FIT * FOLDS * self.seconds):
                self.without.setdefault(method, "would take more than its share of the time")
                return
            self.cost[members.kind] = needed
        first = self.jobs([members])
        yield method, first[:1]
        trials, best = self.trials.get(members.candidates[0]), self.incumbent
        if trials is None or best is None:
            return
        held = self.folds(0)[0][1]
        scores = [trials.scores[0][held]]
        decided = answer_of(self._decision(scores, y[held]), scores, self.metric.task)
        if self.metric.sign * (self.metric(y[held], decided) - self.trials[best].values[0, 0]) < -BEHIND:
            self.without[method] = "was behind on the first fold"
            return
        yield method, first[1:]

    def _tried(self, members: Group) -> float | None:
        """Return the seconds that a fit will take, by one of few documents; None where it fails or has no time."""
        candidate = members.candidates[0]
        if not self._can_read(candidate.base):
            return None
        if not self._has_features(candidate.base):
            self.without[candidate.method] = f"finds no features: the documents have no {candidate.base}"
            return None
        rows = self.folds(0)[0][0]
        few = rows[:: max(1, len(rows) // TRY)][:TRY]
        X, start = self.matrix(candidate.base)[few], time.thread_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.maker(members)(candidate).fit(X, self.documents.y[few])
        except (TextmixError, ValueError, ArithmeticError) as error:
            self.without[candidate.method] = " ".join(str(error).split())[:300]
            return None
        return float((time.thread_time() - start) * (len(rows) / len(few)) ** GROWTH)

    def _nearby(self, candidate: Candidate) -> Group:
        """Return the group of a candidate at costs between those that were tried and beyond."""
        cost = float(dict(candidate.point)["C"])
        more = {key: value for key, value in candidate.point if key != "C"}
        return group(candidate.method, candidate.view, [round(cost / 3.0, 6), round(cost * 3.0, 6)], **more)

    def _like(self, candidate: Candidate, view: str) -> Group:
        """Return a candidate on another view."""
        return Group((Candidate(candidate.method, view, candidate.point),))

    def _unlike(self) -> list[Candidate]:
        """Return the best candidate of each method and view, the best first, at most `UNLIKE`."""
        firsts = {each.kind: each for each in reversed(self.complete())}
        return list(firsts.values())[::-1][:UNLIKE]

    def _near_groups(self) -> list[Group]:
        """Return what could still be chosen: points of the pipeline that are near, best others, parts of the average.
        Those of one method and view are fitted one after the other.
        """
        parts, incumbent = self.average[0] if self.average is not None else (), self.incumbent
        behind = {each: self.evidence(self.trials[each].values) for each in self._by_hand() if each != incumbent}
        near = [each for each, found in behind.items() if found is not None and _errors(found) > -AHEAD]
        wanted = dict.fromkeys([incumbent, *near, *self._unlike()[:3], *parts])
        kinds = dict.fromkeys(each.kind for each in wanted if each is not None)
        alike = ([each for each in wanted if each is not None and each.kind == kind] for kind in kinds)
        return [Group(tuple(sorted(members, key=lambda each: each.point))) for members in alike]

    def validate_average(self) -> None:
        """Choose the parts of the average among unlike candidates, and find its value on each fold."""
        self.average = None
        unlike = self._unlike()
        if len(unlike) < 2:
            return
        chosen = self._parts(unlike, 0, None, PARTS)
        if len(chosen) < 2:
            return
        repeated = [n for n in range(1, 1 + REPEATS) if all((n, 0) in self.trials[part].values for part in chosen)]
        asked = [(tuple(unlike), 0, PARTS), *((chosen, repetition, 0) for repetition in repeated)]
        for key in asked:
            if key not in self._averaged:
                self._averaged[key] = self.values(*key)
        values = {(key[1], fold): value for key in asked for fold, value in enumerate(self._averaged[key])}
        self.average = chosen, values

    def _forget(self) -> None:
        """Let go the scores of candidates that are no longer near, where all would be too many."""
        each = len(self.documents.y) * self.documents.n_labels
        near = {*self._unlike(), self.incumbent, *self.complete()[: max(10, KEPT // max(each, 1))]}
        for candidate, trials in self.trials.items():
            if candidate not in near and (0, 0) in trials.values:
                trials.scores.clear()


def _needed(number: int) -> float:
    """Return by how many standard errors the largest of a number of differences has to be above 0 to count."""
    return float(max(AHEAD, np.sqrt(2.0 * np.log(max(number, 1)))))


def _errors(difference: Estimate) -> float:
    """Return a difference in its standard errors, by the half width of its interval of level 0.95 as if normal."""
    half = (difference.high - difference.low) / 2.0
    if not np.isfinite(half):
        return 0.0
    return float(np.inf if half == 0.0 and difference.value > 0.0 else difference.value / max(half / 1.96, 1e-12))


class _Pool:
    """Threads that end with the process; one that nobody waits for any more goes on for itself."""

    def __init__(self, workers: int) -> None:
        self._workers, self.busy = workers, 0
        self._answers: queue.Queue[tuple[Any, Any]] = queue.Queue()

    @property
    def free(self) -> bool:
        """Whether one more call may begin."""
        return self.busy < self._workers

    def give(self, token: Any, call: Callable[[], Any]) -> None:
        """Begin a call."""
        self.busy += 1
        threading.Thread(target=self._call, args=(token, call), daemon=True).start()

    def _call(self, token: Any, call: Callable[[], Any]) -> None:
        """Make a call and answer by its result or its error."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._answers.put((token, call()))
        except Exception as error:
            self._answers.put((token, error))

    def wait(self, seconds: float) -> Iterator[tuple[Any, Any]]:
        """Yield (token, answer) of the calls that ended within some seconds."""
        try:
            yield self._answers.get(timeout=seconds)
            self.busy -= 1
            while True:
                answer = self._answers.get_nowait()
                self.busy -= 1
                yield answer
        except queue.Empty:
            return
