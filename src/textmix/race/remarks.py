"""Sentences of the page on the race itself: time that was left, and the encoder of the user's."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from textmix.race.arms import Race
from textmix.race.averaging import AverageArm
from textmix.race.runners import Arm
from textmix.race.views import ENCODER

if TYPE_CHECKING:
    from textmix.race.run import Run

logger = logging.getLogger("textmix")

#: Share of the whole time that may be left at the end of the search without a word.
UNUSED = 0.1


def said_of_unused(run: Run, race: Race, ends: float) -> list[str]:
    """Return what the page says of time that was left, one sentence; nothing where the search used its time."""
    left = ends - run.spent
    if run.interrupted or left <= UNUSED * run.options.seconds:
        return []
    times = race.times(race.level())
    said = (
        f"The search ended {left:.0f} s before its time, for no fit was left to try that would have ended in it; "
        f"the best methods were validated {times} time{'s' * (times > 1)} on all folds."
    )
    logger.info("%s", said)
    return [said]


def encoded(arm: Arm) -> bool:
    """Return whether an arm, or a part of an average, takes the vectors of an encoder."""
    return any(part.choice["view"] == ENCODER for part in (arm.parts if isinstance(arm, AverageArm) else [arm]))


def said_of_encoder(run: Run, race: Race) -> list[str]:
    """Return what the page says of the encoder, one sentence: whether it is ahead in validation."""
    if not run.options.encoder:
        return []
    arms = race.validated(race.level())
    best, other = (next((arm for arm in arms if encoded(arm) == kind), None) for kind in (True, False))
    if best is None or other is None:
        return [f"The vectors of the encoder {run.options.encoder} have no score that could be compared in time."]
    metric, level = run.options.metric.replace("_", " "), race.level()
    one, two = (run.sign * arm.mean(level) for arm in (best, other))
    ahead = "is" if best.mean(level) > other.mean(level) else "is not"
    return [
        f"The encoder {run.options.encoder} {ahead} ahead in validation: {best.method.replace('_', ' ')} on its "
        f"vectors has {metric} {one:.3f}, and the best method on words or characters {two:.3f}."
    ]
