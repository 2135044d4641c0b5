"""The average of the best arms as one more method of a race: what it would take, and its score in validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from textmix.race.arms import Race
from textmix.race.runners import Arm, Runner
from textmix.race.standing import unlike

if TYPE_CHECKING:
    from textmix.race.finish import Ending
    from textmix.race.run import Run

#: Name of the method, and the number of the best methods whose average is always validated.
AVERAGE, METHODS = "average", 3
#: Most parts of an average.
MOST_PARTS = 5
#: Most arms that are offered, unlike ones.
OFFERED = 12
#: Share of the whole time that its test and its model may take, and that its validation may take.
SHARE, VALIDATION = 0.2, 0.05
#: Least seconds of the processor of its validation.
LEAST = 3.0
#: Last fits of a part, in fits to the training documents: that of the test, and that to all documents.
LAST = 2.5


@dataclass
class AverageArm(Arm):
    """An average as an arm of a race: the arms that it averages, and those among which its validation chose them."""

    parts: list[Arm] = field(default_factory=list)
    asked: list[Arm] = field(default_factory=list)

    def is_of(self, asked: Sequence[Arm], level: Sequence[int]) -> bool:
        """Return whether it was chosen among some arms at a level."""
        return [id(arm) for arm in self.asked] == [id(arm) for arm in asked] and [*self.values] == [*level]


class Averaging:
    """The average of the best methods of a race.

    Parameters
    ----------
    run : the race.
    ending : predicts the times of last fits.
    """

    def __init__(self, run: Run, ending: Ending) -> None:
        self.run, self.ending = run, ending
        #: The arm that it is in the race, and what its validation found.
        self.arm: AverageArm | None = None
        self.found: dict[str, Any] = {}
        #: Whether no other average is looked for, so that no time is kept for one.
        self.closed = False

    def candidate(self) -> AverageArm | None:
        """Return the average of the best arms, not validated; None where it is known, too dear, or has no parts."""
        race = self.run.race
        if race is None or self.closed or self.run.interrupted:
            return None
        level = race.ready()[0]
        parts = self._offered(race, level)
        known = self.arm is not None and self.arm.is_of(parts, level)
        fewest = 1 if self.run.options.task == "multi" else 2
        return None if known or len(parts) < fewest else AverageArm(AVERAGE, {}, {}, parts=parts, asked=parts)

    def _offered(self, race: Race, level: Sequence[int]) -> list[Arm]:
        """Return the arms of a level that may be parts, the best first: unlike ones, whose last fits end in time."""
        averaged = [arm for arm in race.validated(level) if self.run.is_averaged(arm.method)]
        found, seconds = list[Arm](), list[float]()
        for arm in unlike(averaged, len(averaged)):
            needed = sorted([*seconds, LAST * self.ending.plain(arm) + self.ending.counting([arm])])
            if len(found) < OFFERED and sum(needed[-MOST_PARTS:]) <= SHARE * self.run.options.seconds:
                found.append(arm)
                seconds = needed
        return found

    def validate(self, race: Race) -> None:
        """Validate the average of the best arms, and put it into the race with its scores on the folds.

        One that was validated before stays where no other one can be tested in time, or where its parts are chosen
        again; it is validated again on the parts that compare the arms now.
        """
        wanted, level, old = self.candidate(), race.ready()[0], self.arm
        if wanted is not None and old is not None and self._is_late(wanted):
            self.closed, wanted = True, None
        fixed = wanted is None and old is not None and self._lacks(race, old, level)
        if fixed and old is not None:
            wanted = AverageArm(AVERAGE, {}, {}, parts=old.parts, asked=old.asked)
        if wanted is None:
            return
        arms = [
            {"method": arm.method, "arm": arm.name, "choice": arm.choice, "point": arm.point, "uncalibrated": True}
            for arm in wanted.parts
        ]
        n_folds = len(race.folds)
        rounds = [level[start : start + n_folds] for start in range(0, len(level), n_folds)]
        seconds = max(LEAST * self.run.pace, VALIDATION * self.run.options.seconds)
        order = {"do": "average", "arms": arms, "rounds": rounds, "first": METHODS, "fixed": fixed}
        found = self.ending.all([order], 0.0, {"average": self.run.spent + seconds}).get("average", {})
        if "values" not in found:
            self.closed = True
            return
        names = [(part["method"], part["arm"]) for part in found["parts"]]
        by_name = {(arm.method, arm.name): arm for arm in wanted.parts}
        parts = [by_name[name] for name in names]
        values = {part: self.run.sign * value for part, value in zip(level, found["values"], strict=True)}
        if self.arm is not None and [id(arm) for arm in self.arm.parts] == [id(arm) for arm in parts]:
            self.arm.asked, self.arm.values = wanted.asked, values
            race.changed(AVERAGE)
            return
        point = {"methods": "+".join(part.method for part in parts)}
        self.found = {key: found[key] for key in ("parts", "slopes", "thresholds")}
        self.arm = AverageArm(AVERAGE, {}, point, values, parts=parts, asked=wanted.parts)
        runner = race.runners.setdefault(AVERAGE, Runner(AVERAGE, "high", [], {}))
        runner.arms.clear()
        runner.arms[self.arm.name] = self.arm
        race.changed(AVERAGE)

    def _lacks(self, race: Race, arm: AverageArm, level: Sequence[int]) -> bool:
        """Return whether an average has no scores on some parts, but its parts have them."""
        return bool(arm.parts) and not race.has(arm, level) and all(race.has(part, level) for part in arm.parts)

    def _is_late(self, wanted: AverageArm) -> bool:
        """Return whether there is no time to test another average."""
        left = self.run.options.seconds - self.run.spent - self.ending.after(wanted)
        return self.ending.final(wanted) > left

    def said(self, chosen: str, metric: str) -> list[str]:
        """Return what the page says of the average, in sentences; nothing where another method was chosen."""
        if chosen != AVERAGE or self.arm is None:
            return []
        names = [
            f"{part.method.replace('_', ' ')} ({part.choice['view'].replace('_', ' ')})" for part in self.arm.parts
        ]
        if len(names) > 1:
            said = f"The average is that of the calibrated probabilities of {', '.join(names[:-1])} and {names[-1]}."
        else:
            said = f"The average has one part, {names[0]}."
        if self.found["thresholds"] is None:
            return [said]
        return [
            said,
            f"It gives a label from a threshold that was fitted to held-out training documents "
            f"for {metric.replace('_', ' ')}.",
        ]
