"""The average of the best methods as one more method of a race: what it would take, and its score in validation."""

from __future__ import annotations

from collections.abc import Sequence
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


class Averaging:
    """The average of the best methods of a race.

    Parameters
    ----------
    run : the race.
    ending : predicts the times of last fits.
    """

    def __init__(self, run: Run, ending: Ending) -> None:
        self.run, self.ending = run, ending
        #: The arms that it averages, what its validation found, and the arm that it is in the race.
        self.parts: list[Arm] = []
        self.found: dict[str, Any] = {}
        self.arm: Arm | None = None

    def candidate(self, leaders: Sequence[Arm]) -> Arm | None:
        """Return an arm that stands for the average of the best methods; None where it is too dear, or has no parts."""
        race = self.run.race
        fitted = [arm for arm in leaders if arm.method != AVERAGE and self.run.is_averaged(arm.method)]
        fewest = 1 if self.run.options.task == "multi" else 2
        if race is None or self.run.interrupted or not fitted or not race.has(fitted[0], race.folds):
            return None
        affordable = list[Arm]()
        for arm in fitted[:METHODS]:
            self.parts = [*affordable, arm]
            seconds = 2.5 * sum(self.ending.plain(part) for part in self.parts)
            if seconds <= SHARE * self.run.options.seconds:
                affordable.append(arm)
        self.parts = affordable
        return Arm(AVERAGE, {}, {}) if len(affordable) >= fewest else None

    def validate(self, race: Race) -> None:
        """Validate the average of the best methods, and put it into the race with its scores on the folds."""
        before = race.runners.pop(AVERAGE, None)
        if self.candidate(race.leaders()) is None:
            self.parts, self.arm = [], None
            return
        arms = [
            {"method": arm.method, "arm": arm.name, "choice": arm.choice, "point": arm.point, "uncalibrated": True}
            for arm in self.parts
        ]
        order = {"do": "average", "arms": arms, "folds": race.folds}
        seconds = VALIDATION * self.run.pace
        found = self.ending.all([order], seconds, {"average": self.run.spent + seconds}).get("average", {})
        if "values" not in found:
            self.parts, self.arm = [], None
            return
        self.found = {key: found[key] for key in ("parts", "slopes", "thresholds")}
        names = {(part["method"], part["arm"]) for part in found["parts"]}
        self.parts = [arm for arm in self.parts if (arm.method, arm.name) in names]
        runner = Runner(AVERAGE, "high", [], {})
        arm = runner.arm({}, {"methods": "+".join(part.method for part in self.parts)})
        arm.values.update(
            {part: self.run.sign * value for part, value in zip(race.folds, found["values"], strict=True)}
        )
        if before is not None:
            runner.clock, runner.times = before.clock, before.times
        race.runners[AVERAGE] = runner
        self.arm = arm

    def said(self, chosen: str, metric: str) -> list[str]:
        """Return what the page says of the average, in sentences; nothing where another method was chosen."""
        if chosen != AVERAGE or not self.parts:
            return []
        names = [part.method.replace("_", " ") for part in self.parts]
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
