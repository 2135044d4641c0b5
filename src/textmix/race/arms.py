"""The order of work of a race: which method, representation and parameters are tried next, and on how many documents.

An arm is one method at one representation and one point of its grid.  The order is that of successive halving.  Each
method has one cheap try on a part of the training documents, in the first tenth of the time.  The better half of the
methods tries its representations, at two points of its grid each, on one fold; after each round the better half goes
on.  The best arms then have all folds, and the neighbours of the best ones in the grid follow.  As long as the time
lasts, the best methods go on to further representations and to finer steps between the values of their grids, methods
that were left behind come back, and the cross-validation of the arms that could win is repeated on other folds.  This
module decides and counts; it fits nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from textmix.experiment.methods import COSTS
from textmix.race.runners import Arm, Choice, Job, Runner
from textmix.race.standing import ARMS, METHODS, TRY, Standing

#: A fit that ended: its view, its documents, and its seconds of the processor.
Time = tuple[str, int, float]
#: Shares of the time in which the cheap tries end, and in which the comparison of representations ends.
FIRST, SCREENS = 0.1, 0.5
#: Number of the best arms whose surroundings are looked at after those of the best arm of each method.
WIDE = 12
#: A fit may take this multiple of the time that is predicted for it, and these seconds besides.
PATIENCE, GRACE = 4.0, 0.5
#: Power of the number of documents with which the time of a fit is predicted to grow.
GROWTH = 1.2
#: Share of the time left that one fit without a prediction may take.
UNKNOWN = 0.25


class Race(Standing):
    """The state of a race, and what is tried next.

    Parameters
    ----------
    runners : the methods that suit the data, in the order of the registry.
    sizes : documents of the fit of each part; part `TRY`, then the folds, of which the first may be a smaller part.
    folds : numbers of the parts that are folds.
    widths : view -> stored values of its counts, to which the time of a fit is proportional; a view that is not
        counted yet has none.
    seconds : of the race, from its first moment to the last fit of the search.
    workers : number of fits side by side.
    again : of each repetition of the cross-validation, the numbers of its parts.
    """

    def __init__(
        self,
        runners: Sequence[Runner],
        sizes: Sequence[int],
        folds: Sequence[int],
        *,
        widths: dict[str, int],
        seconds: float,
        workers: int,
        again: Sequence[Sequence[int]] = (),
    ) -> None:
        by_cost = sorted(runners, key=lambda runner: COSTS.index(runner.cost))
        super().__init__({runner.name: runner for runner in by_cost}, folds, again)
        self.sizes, self.widths = sizes, widths
        self.seconds, self.workers = seconds, workers
        self.started: set[tuple[str, str, int]] = set()
        self.screened: list[Arm] = []
        self.retried: set[str] = set()
        #: Seconds by the clock for a second of the processor.
        self.pace = 1.0
        #: Methods that were left behind, and how often the better half went on.
        self.out: set[str] = set()
        self.halved = 0
        #: Method -> number of its representations that were compared.
        self.round: dict[str, int] = {}
        #: Whether the best arms have their folds, so that views may be counted that only come last.
        self.settled = False

    def next(self, spent: float, ends: float) -> Job | None:
        """Return the next fit, or None where nothing is left that fits into the time.

        Parameters
        ----------
        spent : seconds since the beginning.
        ends : when the search has to end, seconds since the beginning.
        """
        stages: list[Callable[[float, float], Job | None]] = [
            self._tries,
            partial(self._late_tries, COSTS[:1]),
            self._screens,
            self._best,
            partial(self._late_tries, COSTS[:2]),
            self._around,
            self._further,
            self._repeated,
            partial(self._late_tries, COSTS),
            self._revived,
        ]
        stages += [partial(self._repeated, number=number) for number in range(2, len(self.again) + 1)]
        for stage in stages:
            job = stage(spent, ends)
            self.settled |= stage == self._around
            if job is not None:
                self.started.add(_key(job.arm, job.part))
                return job
        return None

    def done(self, job: Job, value: float | None, seconds: float, reason: str = "") -> None:
        """Take note of a fit that ended.

        Parameters
        ----------
        job : of `next`.
        value : the score, larger is better; None where the fit failed or was stopped.
        seconds : of the processor.
        reason : why there is no score.
        """
        self.changed(job.arm.method)
        runner = self.runners[job.arm.method]
        finite = value is not None and isfinite(value)
        job.arm.values[job.part] = float(value) if value is not None and finite else -np.inf
        runner.times.append((job.arm.choice["view"], self.sizes[job.part], seconds))
        if not finite and not _scored(runner):
            runner.reason = reason or "gives no such score"
        elif finite:
            runner.reason = ""

    def forget(self, job: Job) -> None:
        """Take note that a fit was stopped for want of time, which says nothing against its arm."""
        self.changed(job.arm.method)
        self.started.discard(_key(job.arm, job.part))
        if job.part == TRY and not job.arm.values:
            self.runners[job.arm.method].arms.pop(job.arm.name, None)

    def predicted(self, arm: Arm, documents: int) -> float | None:
        """Return the seconds by the clock of a fit of an arm to some documents; None before the first of its method."""
        return self._scaled(arm, documents, lambda times: times[-1])

    def at_most(self, arm: Arm, documents: int) -> float | None:
        """Return `predicted` by the longest of the fits to the most documents, for one that nothing was made ready for.

        Among these is the first of its view, which also weighted the documents.
        """
        return self._scaled(arm, documents, lambda times: max(times, key=lambda time: time[1:]))

    def _scaled(self, arm: Arm, documents: int, choose: Callable[[Sequence[Time]], Time]) -> float | None:
        """Return the seconds of a fit by a chosen one of those of its method, on the same view if possible."""
        times = self.runners[arm.method].times
        view = arm.choice["view"]
        like = [time for time in times if time[0] == view] or times
        if not like:
            return None
        known, size, seconds = choose(like)
        width = self.widths.get(view, 0) / max(self.widths.get(known, 0), 1)
        return float(self.pace * seconds * (documents / size) ** GROWTH * (width or 1.0))

    def _job(self, arm: Arm, part: int, left: float, most: float = np.inf) -> Job | None:
        """Return a fit with its limit; None where it was begun before, lacks its view, or would not end in time."""
        if _key(arm, part) in self.started or arm.choice["view"] not in self.widths or left <= 0:
            return None
        needed = self.predicted(arm, self.sizes[part])
        if needed is None:
            return Job(arm, part, min(max(UNKNOWN * left, GRACE), left, most))
        return Job(arm, part, min(PATIENCE * needed + GRACE, left, most)) if needed <= left else None

    def _tries(self, spent: float, ends: float) -> Job | None:
        """Return the next cheap try of a method, within the first tenth of the time."""
        end = min(FIRST * self.seconds, ends)
        waiting = [runner for runner in self.runners.values() if not runner.arms]
        for runner in waiting:
            choice = self._counted(runner)
            if choice is not None and spent < end:
                fair = PATIENCE * (end - spent) * self.workers / len(waiting)
                return Job(runner.arm(choice, runner.middle()), TRY, min(max(fair, GRACE), end - spent + GRACE))
        return None

    def _late_tries(self, costs: Sequence[str], spent: float, ends: float) -> Job | None:
        """Return a try of a method of some costs that the first tenth did not reach or stopped."""
        for name, runner in self.runners.items():
            stopped = bool(runner.reason) or not runner.arms
            if runner.cost not in costs or name in self.retried or not stopped or ends - spent < GRACE:
                continue
            choice = self._counted(runner)
            if choice is not None:
                self.retried.add(name)
                return Job(runner.arm(choice, runner.middle()), TRY, max(UNKNOWN * (ends - spent), GRACE))
        return None

    def _revived(self, spent: float, ends: float) -> Job | None:
        """Return the next arm of the best method that was left behind, for there is time."""
        while self.out:
            back = next((name for name in self._ranked() if name in self.out), None)
            if back is None:
                return None
            self.out.discard(back)
            job = self._compared(spent, ends) or self._best(spent, ends)
            if job is not None:
                return job
        return self._compared(spent, ends)

    def _counted(self, runner: Runner) -> Choice | None:
        """Return the first representation of a method whose view is counted; None where no one is."""
        return next((choice for choice in runner.choices if choice["view"] in self.widths), None)

    def _ranked(self) -> list[str]:
        """Return the methods with a score, the best first: by the fold of the screens, and else by their tries."""
        found = [runner for runner in self.runners.values() if _scored(runner)]
        tries = {runner.name: _best(runner, TRY) for runner in found}
        folds = {runner.name: _best(runner, self.screen) for runner in found}
        return sorted(tries, key=lambda name: (-folds[name] if isfinite(folds[name]) else 0.0, -tries[name]))

    def _screens(self, spent: float, ends: float) -> Job | None:
        """Return the next arm on the first fold: a representation of each method that is left, then the next ones."""
        if spent > SCREENS * ends and any(self.has(arm, [self.screen]) for arm in self.screened):
            return None
        self._halve()
        return self._compared(spent, ends)

    def _compared(self, spent: float, ends: float, methods: Sequence[str] | None = None) -> Job | None:
        """Return the next representation of the method that is left, or one of those named, and has had the fewest.

        A view that is still being counted is passed over, and taken up later.
        """
        left = [name for name in self._ranked() if name not in self.out] if methods is None else methods
        for name in sorted(left, key=lambda name: self.round.get(name, 0)):
            for arm in self.runners[name].rounds():
                job = self._job(arm, self.screen, (ends - spent) / 2)
                if job is not None:
                    self.round[name] = self.round.get(name, 0) + 1
                    self.screened.append(arm)
                    return job
        return None

    def _halve(self) -> None:
        """Leave the worse half of the methods behind, after the tries and after each of two rounds of all methods."""
        left = [name for name in self._ranked() if name not in self.out]
        rounds = min((self.round.get(name, 0) for name in left), default=0)
        if left and rounds >= self.halved and self.halved < 3:
            self.halved += 1
            self.out |= set(left[max(METHODS, -(-len(left) // 2)) :])

    def _best(self, spent: float, ends: float) -> Job | None:
        """Return the next fold of the best screened arms."""
        arms = sorted(self.screened, key=lambda arm: -arm.values.get(self.screen, -np.inf))
        firsts = list({arm.method: arm for arm in reversed(arms)}.values())[::-1][:METHODS]
        most = max(ARMS, len(arms) // 4)
        return self._folds_of(_unique([*arms[:1], *firsts, *arms[:most]]), ends - spent)

    def _around(self, spent: float, ends: float) -> Job | None:
        """Return the next fold of an arm beside one of the best, or of a screened arm that was left behind."""
        leaders = [arm for arm in self.leaders() if arm.choice and self.has(arm, self.folds)][:METHODS]
        job = self._beside(leaders, ends - spent)
        if job is not None:
            return job
        rest = sorted(self.screened, key=lambda arm: -arm.values.get(self.screen, -np.inf))
        return self._folds_of(rest[: len(rest) // 2], ends - spent)

    def _beside(self, arms: Sequence[Arm], left: float) -> Job | None:
        """Return the next fold of an arm beside one of some arms in the grid."""
        beside = itertools.chain.from_iterable(self.runners[arm.method].neighbours(arm) for arm in arms)
        return self._folds_of(_unique(beside), left)

    def _further(self, spent: float, ends: float) -> Job | None:
        """Return the next fit of the best methods: a representation that they lack, or one beside a good arm."""
        best = [arm.method for arm in self.leaders() if arm.choice][:METHODS]
        job = self._compared(spent, ends, best) or self._best(spent, ends)
        return job or self._beside(self.validated(self.folds)[:WIDE], ends - spent)

    def _repeated(self, spent: float, ends: float, number: int = 1) -> Job | None:
        """Return the next fit of the arms that could win on the parts of the first repetitions."""
        for parts in self.again[:number]:
            job = self._folds_of(self.firsts(), ends - spent, parts)
            if job is not None:
                return job
        return None

    def _folds_of(self, arms: Sequence[Arm], left: float, parts: Sequence[int] = ()) -> Job | None:
        """Return the next part of the first arm that has one left, by default of the folds if it is not behind."""
        single = (arm for arm in self.leaders() if arm.choice and self.has(arm, self.folds))
        best = max(single, key=self._mean, default=None)
        for arm in arms:
            if not parts and self.is_behind(arm, best):
                continue
            open_ = [part for part in parts or self.folds if _key(arm, part) not in self.started]
            needed = self.predicted(arm, self.sizes[self.folds[-1]])
            if not open_ or (needed is not None and needed * -(-len(open_) // self.workers) > left):
                continue
            job = self._job(arm, open_[0], left)
            if job is not None:
                return job
        return None

    def _mean(self, arm: Arm) -> float:
        """Return the mean score of an arm over the folds."""
        return arm.mean(self.folds)


def _key(arm: Arm, part: int) -> tuple[str, str, int]:
    """Return what tells one fit from another."""
    return arm.method, arm.name, part


def _best(runner: Runner, part: int) -> float:
    """Return the best score of a method on a part; -inf without one."""
    return max((arm.values.get(part, -np.inf) for arm in runner.arms.values()), default=-np.inf)


def _scored(runner: Runner) -> bool:
    """Return whether a method has a score anywhere."""
    return any(map(isfinite, itertools.chain.from_iterable(arm.values.values() for arm in runner.arms.values())))


def _unique(arms: Any) -> list[Arm]:
    """Return arms, each once, in their order."""
    return list({id(arm): arm for arm in arms}.values())
