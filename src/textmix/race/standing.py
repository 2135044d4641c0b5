"""The standing of a race: which scores the arms have, and which arms are the best by the scores that compare them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite, sqrt
from typing import Any

from textmix.race.runners import Arm, Runner

#: Number of the part of the documents on which each method has its cheap try; the folds come after it.
TRY = 0
#: Least numbers of methods that go on after a round, and of arms that get all folds.
METHODS, ARMS = 4, 6
#: An arm is dropped where its mean over two folds or more lies below that of the best arm on the same folds by this.
BEHIND = 0.01
#: Most arms of one method among unlike ones, each with a view or a weighting of its own; and most of all methods that
#: may be parts of an average.
ALIKE, UNLIKE = 3, 8


class Standing:
    """The scores of the arms of a race.

    Parameters
    ----------
    runners : method -> its arms.
    folds : numbers of the parts that are folds.
    again : of each repetition of the cross-validation, the numbers of its parts.
    """

    def __init__(self, runners: dict[str, Runner], folds: Sequence[int], again: Sequence[Sequence[int]] = ()) -> None:
        self.runners, self.folds, self.again = runners, list(folds), [list(parts) for parts in again]
        #: Results since the last score, for each fit asks for them several times.
        self._found: dict[str, Any] = {}
        #: Method -> its best arm by the levels, since the last score of one of its arms.
        self._bests: dict[str, tuple[list[list[int]], tuple[list[int], Arm | None]]] = {}

    def changed(self, method: str) -> None:
        """Take note that an arm of a method has a further score, or is gone."""
        self._found.clear()
        self._bests.pop(method, None)

    @property
    def screen(self) -> int:
        """The number of the part on which representations are compared, the first after the tries."""
        return TRY + 1

    def leaders(self) -> list[Arm]:
        """Return the best arm of each method at the highest level that counts, the best first.

        The levels are all folds, repeated or not, one fold, and the try.
        """
        if "leaders" not in self._found:
            self._found["leaders"] = self._leaders()
        return list(self._found["leaders"])

    def _leaders(self) -> list[Arm]:
        """Return what `leaders` returns."""
        found = self.standings()
        for parts in self.levels():
            arms = [arm for level, arm in found if arm is not None and level == parts]
            if arms:
                return sorted(arms, key=lambda arm: -arm.mean(parts))
        return []

    def levels(self) -> tuple[list[int], ...]:
        """Return the levels of `leaders`, the highest first.

        A repetition of the cross-validation counts when the average has it too, if there is one.
        """
        averages = [arm for runner in self.runners.values() if not runner.choices for arm in runner.arms.values()]
        whole = [parts for parts in self.ready() if all(self.has(arm, parts) for arm in averages)]
        return *(whole or [self.folds]), [self.screen], [TRY]

    def ready(self) -> list[list[int]]:
        """Return the folds, and with each repetition that all arms have that could win, the most parts first."""
        if "ready" not in self._found:
            self._found["ready"] = self._ready()
        return list(self._found["ready"])

    def _ready(self) -> list[list[int]]:
        """Return what `ready` returns."""
        parts, found = self.folds, [self.folds]
        firsts = self.firsts() if self.again else []
        for more in self.again if firsts else []:
            parts = [*parts, *more]
            if not all(self.has(arm, parts) for arm in firsts):
                break
            found.insert(0, parts)
        return found

    def level(self) -> list[int]:
        """Return the parts over which `leaders` are compared."""
        first = self.leaders()[:1]
        return next((parts for parts in self.levels() if first and self.has(first[0], parts)), [TRY])

    def times(self, parts: Sequence[int]) -> int:
        """Return how often the folds stand in a level: 1, or more where the cross-validation was repeated."""
        return max(len(parts) // len(self.folds), 1)

    def standings(self) -> list[tuple[list[int], Arm | None]]:
        """Return of each method the highest level at which it has a score, and its best arm there; None without one."""
        levels = list(self.levels())
        for name, runner in self.runners.items():
            if name not in self._bests or self._bests[name][0] != levels:
                self._bests[name] = levels, self._best_at(runner, levels)
        return [self._bests[name][1] for name in self.runners]

    def _best_at(self, runner: Runner, levels: Sequence[list[int]]) -> tuple[list[int], Arm | None]:
        """Return the first of some levels at which a method has a score, and its best arm there."""
        for parts in levels:
            scored = [arm for arm in runner.arms.values() if self.has(arm, parts)]
            if scored:
                return parts, max(scored, key=lambda arm: arm.mean(parts))
        return [TRY], None

    def validated(self, parts: Sequence[int]) -> list[Arm]:
        """Return the arms, but for averages, that have a score on each of some parts and failed nowhere, best first."""
        arms = [arm for runner in self.runners.values() for arm in runner.arms.values() if arm.choice]
        whole = [arm for arm in arms if self.has(arm, parts) and all(map(isfinite, arm.values.values()))]
        return sorted(whole, key=lambda arm: -arm.mean(parts))

    def firsts(self) -> list[Arm]:
        """Return the arms that could win, alone if they are close to the best one, or as parts of an average."""
        if "firsts" not in self._found:
            self._found["firsts"] = self._firsts()
        return list(self._found["firsts"])

    def _firsts(self) -> list[Arm]:
        """Return what `firsts` returns."""
        arms = self.validated(self.folds)
        methods = list({arm.method: arm for arm in reversed(arms)}.values())[::-1][:METHODS]
        close = [arm for arm in [*methods, *arms[:ARMS]] if not self.is_behind(arm, arms[0])]
        return list({id(arm): arm for arm in [*close, *unlike(arms, UNLIKE)]}.values())

    def has(self, arm: Arm, parts: Sequence[int]) -> bool:
        """Return whether an arm has a score on each of some parts."""
        return isfinite(arm.mean(parts))

    def is_behind(self, arm: Arm, best: Arm | None) -> bool:
        """Return whether an arm failed on a fold, or is behind the best one by the folds that it has."""
        known = [part for part in self.folds if part in arm.values]
        if not all(map(isfinite, arm.values.values())):
            return True
        if best is None or len(known) < 2 or arm is best:
            return False
        lost = [best.values[part] - arm.values[part] for part in known]
        mean = sum(lost) / len(lost)
        error = sqrt(sum((each - mean) ** 2 for each in lost) / (len(lost) - 1) / len(lost))
        return mean > max(BEHIND, 2.0 * error)


def unlike(arms: Iterable[Arm], most: int) -> list[Arm]:
    """Return the first arms of each method, view and weighting, at most `ALIKE` of a method, in their order."""
    found, kinds = list[Arm](), list[tuple[str, str, str]]()
    for arm in arms:
        kind = (arm.method, arm.choice["view"], arm.choice["weighting"])
        if len(found) < most and kind not in kinds and sum(method == arm.method for method, _, _ in kinds) < ALIKE:
            found.append(arm)
            kinds.append(kind)
    return found
