"""The methods in a race, and their arms: one method at one representation and one point of its grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from textmix.experiment.ladders import between, beyond, on_ladder
from textmix.experiment.methods import variants

Choice = Mapping[str, str]


@dataclass
class Arm:
    """One method at one representation and one point of its grid.

    Parameters
    ----------
    method : name.
    choice : view and weighting.
    point : parameter -> value.
    values : part -> score, larger is better; -inf where the fit failed.
    """

    method: str
    choice: Choice
    point: Mapping[str, Any]
    values: dict[int, float] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """The name of view, weighting and parameters, as `textmix.experiment.methods.variants` writes it."""
        return next(variants({}, {key: [value] for key, value in {**self.choice, **self.point}.items()}))[0]

    def mean(self, parts: Sequence[int]) -> float:
        """Return the mean score over some parts; -inf where one of them is missing."""
        scores = [self.values.get(part, -np.inf) for part in parts]
        return sum(scores) / len(scores)


@dataclass(frozen=True)
class Job:
    """One fit: an arm on a part, and the seconds that it may take."""

    arm: Arm
    part: int
    seconds: float


@dataclass
class Runner:
    """A method in the race.

    Parameters
    ----------
    name, cost : of the method, and its class of cost.
    choices : the representations that suit it, the cheapest first.
    grid : parameter -> values.
    reason : why the method has no score, one sentence; empty while nothing is known against it.
    """

    name: str
    cost: str
    choices: Sequence[Choice]
    grid: Mapping[str, Sequence[Any]]
    reason: str = ""
    arms: dict[str, Arm] = field(default_factory=dict)
    #: (view, documents, seconds of the processor) of its fits so far, and the seconds of all of them by the clock.
    times: list[tuple[str, int, float]] = field(default_factory=list)
    clock: float = 0.0
    #: Items of choice and point -> arm, for the name of an arm costs more than a look.
    made: dict[Any, Arm] = field(default_factory=dict)

    def arm(self, choice: Choice, point: Mapping[str, Any]) -> Arm:
        """Return the arm of a representation and a point, always the same object."""
        key = *choice.items(), *point.items()
        known = self.made.get(key)
        if known is None or known.name not in self.arms:
            made = Arm(self.name, choice, point)
            known = self.made[key] = self.arms.setdefault(made.name, made)
        return known

    def middle(self) -> dict[str, Any]:
        """Return the point in the middle of the grid."""
        return {key: values[len(values) // 2] for key, values in self.grid.items()}

    def points(self) -> list[dict[str, Any]]:
        """Return two points: the middle of the grid, and one beside it by the parameter with the most values."""
        middle = self.middle()
        longest = max(self.grid, key=lambda key: len(self.grid[key]), default=None)
        if longest is None or len(self.grid[longest]) < 2:
            return [middle]
        values = self.grid[longest]
        return [middle, {**middle, longest: values[len(values) // 2 - 1]}]

    def rounds(self) -> list[Arm]:
        """Return the arms by which its representations are compared: all of them at one point, then at the other."""
        return [self.arm(choice, point) for point in self.points() for choice in self.choices]

    def neighbours(self, arm: Arm) -> Iterator[Arm]:
        """Yield the arms one step away in the grid; beyond an end of a ladder there is one more step.

        Where the values on both sides were tried for its representation, the values between them and its own follow.
        """
        for key, values in self.grid.items():
            alike = [other for other in self.arms.values() if other.choice == arm.choice]
            known = {other.point[key] for other in alike if other.values}
            tried = sorted({*values, *known, arm.point[key]}, key=_place(values))
            at = tried.index(arm.point[key])
            steps = [*tried[max(at - 1, 0) : at], *tried[at + 1 : at + 2]]
            coarse = [value for value in tried if value in values or on_ladder(values, value)]
            further = beyond(coarse, arm.point[key])
            steps += [] if further is None else [further]
            finer = [between(value, arm.point[key]) for value in steps] if {*steps} <= known else []
            for value in [*steps, *(value for value in finer if value is not None)]:
                yield self.arm(arm.choice, {**arm.point, key: value})


def _place(values: Sequence[Any]) -> Any:
    """Return the key that sorts values of a parameter: numbers by size, any others as the grid names them."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return lambda value: value
    return list(values).index
