"""The average of the best methods as one more method of a race: what it would take, and its score in validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from textmix.race.arms import Race
from textmix.race.runners import Arm, Runner

if TYPE_CHECKING:
    from textmix.race.finish import Ending
    from textmix.race.run import Run

#: Name of the method, and most methods of it.
AVERAGE, METHODS = "average", 3
#: Share of the whole time that its test and its model may take, and seconds of the processor of its validation.
SHARE, VALIDATION = 0.3, 3.0
#: Last fits of a part, in fits to the training documents: that of the test, and that to all documents.
LAST = 2.5


@dataclass
class AverageArm(Arm):
    """An average as an arm of a race: the arms that it averages, and those among which its validation chose them."""

    parts: list[Arm] = field(default_factory=list)
    asked: list[Arm] = field(default_factory=list)


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

    def candidate(self, leaders: Sequence[Arm]) -> AverageArm | None:
        """Return the average of the best methods, not validated; None where it is known, too dear, or has no parts."""
        race = self.run.race
        fitted = [arm for arm in leaders if arm.method != AVERAGE and self.run.is_averaged(arm.method)]
        fewest = 1 if self.run.options.task == "multi" else 2
        if race is None or self.closed or self.run.interrupted or not fitted or not race.has(fitted[0], race.folds):
            return None
        parts, seconds = list[Arm](), 0.0
        for arm in fitted[:METHODS]:
            needed = LAST * self.ending.plain(arm)
            if seconds + needed <= SHARE * self.run.options.seconds:
                parts.append(arm)
                seconds += needed
        known = self.arm is not None and [id(arm) for arm in self.arm.asked] == [id(arm) for arm in parts]
        return None if known or len(parts) < fewest else AverageArm(AVERAGE, {}, {}, parts=parts, asked=parts)

    def validate(self, race: Race) -> None:
        """Validate the average of the best methods, and put it into the race with its scores on the folds.

        One that was validated before stays where no other one can be tested in time.
        """
        wanted = self.candidate(race.leaders())
        self.closed = wanted is not None and self.arm is not None and self._is_late(wanted)
        if wanted is None or self.closed:
            return
        arms = [
            {"method": arm.method, "arm": arm.name, "choice": arm.choice, "point": arm.point, "uncalibrated": True}
            for arm in wanted.parts
        ]
        seconds = VALIDATION * self.run.pace
        order = {"do": "average", "arms": arms, "folds": race.folds}
        found = self.ending.all([order], 0.0, {"average": self.run.spent + seconds}).get("average", {})
        if "values" not in found:
            self.closed = True
            return
        names = {(part["method"], part["arm"]) for part in found["parts"]}
        parts = [arm for arm in wanted.parts if (arm.method, arm.name) in names]
        values = {part: self.run.sign * value for part, value in zip(race.folds, found["values"], strict=True)}
        point = {"methods": "+".join(part.method for part in parts)}
        self.found = {key: found[key] for key in ("parts", "slopes", "thresholds")}
        self.arm = AverageArm(AVERAGE, {}, point, values, parts=parts, asked=wanted.parts)
        runner = race.runners.setdefault(AVERAGE, Runner(AVERAGE, "high", [], {}))
        runner.arms.clear()
        runner.arms[self.arm.name] = self.arm

    def _is_late(self, wanted: AverageArm) -> bool:
        """Return whether there is no time to test another average."""
        left = self.run.options.seconds - self.run.spent - self.ending.after(wanted)
        return self.ending.final(wanted) > left

    def said(self, chosen: str, metric: str) -> list[str]:
        """Return what the page says of the average, in sentences; nothing where another method was chosen."""
        if chosen != AVERAGE or self.arm is None:
            return []
        names = [part.method.replace("_", " ") for part in self.arm.parts]
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
