"""From a locator to the rebuilt value that it names in the results of a paper.

There are three outcomes: the value; `MissingResult`, where the value cannot be made (for example without its data set);
and `NotRun`, where no job has made it.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textmix.core.errors import ConfigError
from textmix.experiment.results import Results, choose_variant, entry_of, standard_deviation
from textmix.plan.locators import (
    CheckLocator,
    DataLocator,
    FeaturesLocator,
    Locator,
    MeasureLocator,
    RoleLocator,
    ScoreLocator,
    SettingLocator,
    TimeLocator,
)


@dataclass(frozen=True)
class Rebuilt:
    """A rebuilt value.

    Parameters
    ----------
    value : a number in stored units (fractions for scores and shares, seconds for times), or the text of a setting.
    standard_deviation : sample standard deviation over the trials (ddof = 1), or None.
    n : number of trials behind ``value``, or None where it is no mean or median over trials.
    unconverged : number of the fits behind it that stopped before they converged.
    trials : the values of which ``value`` is the mean, in the order of the trials; empty where it is no mean.
    """

    value: float | str
    standard_deviation: float | None = None
    n: int | None = None
    unconverged: int = 0
    trials: Sequence[float] = ()


def roles_behind(results: Results, locator: Locator) -> list[str]:
    """Return the roles on whose data a value rests; empty for a value that rests on none, such as a setting.

    The roles of a measure stand in ``paper.yaml``; any other locator names its own role.
    """
    if isinstance(locator, MeasureLocator):
        return results.measure_roles(locator.measure)
    return [locator.role] if isinstance(locator, RoleLocator) else []


def locate(results: Results, locator: Locator) -> Rebuilt:
    """Return the rebuilt value that a locator names, in stored units.

    A score is the mean over the trials of one variant; a time is the median over the trials.

    Raises
    ------
    MissingResult : the value cannot be made, for example without its data set; the message gives the reason.
    NotRun : no job has made it.
    ConfigError : the results do not hold the value that the locator names, or the locator names a check.
    IntegrityError : the result was changed by hand.
    """
    match locator:
        case DataLocator():
            return Rebuilt(entry_of(results.statistics(locator.role), locator.statistic, str(locator)))
        case FeaturesLocator():
            statistics_of_features = results.statistics(locator.role, locator.features)
            return Rebuilt(entry_of(statistics_of_features, locator.statistic, str(locator)))
        case ScoreLocator():
            return _score(results, locator)
        case TimeLocator():
            seconds = results.seconds(locator.experiment, locator.role, locator.method, locator.quantity)
            return Rebuilt(statistics.median(seconds), standard_deviation(seconds), len(seconds))
        case MeasureLocator():
            found = entry_of(results.measure(locator.measure), locator.key, str(locator))
            return Rebuilt(found.value, found.standard_deviation)
        case SettingLocator():
            return Rebuilt(_setting(results.settings, locator))
        case CheckLocator():
            raise ConfigError(f"locator '{locator}' names a check, which has no value; name a value")
    raise TypeError(locator)


def _score(results: Results, locator: ScoreLocator) -> Rebuilt:
    """Return one metric of one variant: mean, standard deviation, number of trials, and the value of each trial."""
    method = locator.experiment, locator.role, locator.method
    groups = results.scores(*method, locator.metric)
    variant = choose_variant(groups, locator.variant, str(locator))
    trials = groups[variant]
    unconverged = results.unconverged(*method, variant)
    return Rebuilt(statistics.fmean(trials), standard_deviation(trials), len(trials), unconverged, trials)


def _setting(settings: Mapping[str, Any], locator: SettingLocator) -> float | str:
    """Return a setting of ``paper.yaml``: a number, or text; a truth value and a list of items become text."""
    found: Any = settings
    for key in locator.path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            remedy = f"correct the path (stopped at '{key}')"
            raise ConfigError(f"locator '{locator}': paper.yaml has no '{locator.path}'; {remedy}")
        found = found[key]
    if isinstance(found, (bool, str)):
        return str(found)
    return float(found) if isinstance(found, (int, float)) else ", ".join(map(str, found))
