"""The options of a race, its state while it runs, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Options:
    """The options of a race.

    Parameters
    ----------
    seconds : of the whole race.
    task : ``single`` or ``multi``.
    metric : by which methods are compared.
    workers : number of processes that fit.
    seed : draws the split, the folds and the random states.
    never_empty : of several labels, whether each document gets one.
    encoder : ``module:name`` of an encoder of the user's, whose vectors join the race; empty for none.
    source, title : of the data, for the page.
    model : path of the model, for the page; empty where it stays in the process.
    about : facts for the card of the model, among them the columns of text and label.
    """

    seconds: float
    task: str
    metric: str
    workers: int
    seed: int = 0
    never_empty: bool = False
    encoder: str = ""
    source: str = ""
    title: str = ""
    model: str = ""
    about: Mapping[str, str | int] = field(default_factory=dict)


class Row(NamedTuple):
    """A method as the table of the race shows it.

    Parameters
    ----------
    method, arm : name, and its best representation and point.
    value : mean score in cross-validation on training documents, or on the part that was tried.
    folds : number of folds of the mean; 0 for a try on a part.
    seconds : of all its fits so far.
    times : number of cross-validations, each on folds of its own.
    """

    method: str
    arm: str
    value: float
    folds: int
    seconds: float
    times: int = 1

    @property
    def where(self) -> str:
        """Where the score was found, in words."""
        if self.times > 1:
            return f"in {self.times} times {self.folds} folds"
        return f"in {self.folds} fold{'s' * (self.folds > 1)}" if self.folds else "on a part of the training documents"


class State(NamedTuple):
    """The state of a race while it runs.

    Parameters
    ----------
    stage : in words.
    left : seconds.
    rows : the methods with a score, the best first.
    """

    stage: str
    left: float
    rows: Sequence[Row]


class Outcome(NamedTuple):
    """The outcome of a race.

    Parameters
    ----------
    folder : of page, tables and model.
    choice : ``method``, ``point``, ``validation``, ``value``, ``low``, ``high`` and ``metric`` of the chosen method.
    rows : all methods with a score, the best first.
    without : method -> the reason why it has none.
    interrupted : whether the user ended the search.
    cpu_seconds, fit_seconds : of the processor: of this process and all workers, and of the fits among their work.
    took : work -> its seconds of the processor.
    """

    folder: Path
    choice: Mapping[str, Any]
    rows: Sequence[Row]
    without: Mapping[str, str]
    interrupted: bool
    cpu_seconds: float
    fit_seconds: float
    took: Mapping[str, float]
