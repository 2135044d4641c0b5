"""From a locator to the rebuilt value that it names in the results of a paper.

There are three outcomes: the value; `MissingResult`, where it cannot be made (for example without its data set); and
`NotRun`, where no job has made it.
"""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reproduction.flow.locators import (
    CheckLocator,
    DataLocator,
    FeaturesLocator,
    Locator,
    MeasureLocator,
    RoleLocator,
    ScoreLocator,
    SettingLocator,
    TestLocator,
    TimeLocator,
    parse_locator,
)
from reproduction.flow.results import NotRun, Results, choose_variant, entry_of, standard_deviation
from textmix.core.errors import ConfigError, MissingResult, suggest


@dataclass(frozen=True)
class Trials:
    """The values of a score over random splits, in the order of the splits.  ``scheme`` is their data set and scheme
    without their number: values of one scheme are over the same splits.  ``test_ratio`` is the number of test documents
    over that of all others.
    """

    values: Sequence[float]
    scheme: str
    test_ratio: float


@dataclass(frozen=True)
class Rebuilt:
    """A rebuilt value.

    Parameters
    ----------
    value : a number in stored units (fractions for scores and shares, seconds for times), or the text of a setting.
    standard_deviation : sample standard deviation over the trials (ddof = 1), or None.
    n : number of trials behind ``value``, or None where it is no mean or median over trials.
    unconverged : number of the fits behind it that stopped before they converged.
    trials : the random splits of which ``value`` is the mean; None where it is no such mean.
    interval : ends of its 95 % interval, of a ratio of times or of a measure that writes one; else None.
    range : lowest and highest value over the parts of the data of which ``value`` is a median, of a measure that also
        writes ``<key>_lowest`` and ``<key>_highest``; else None.
    """

    value: float | str
    standard_deviation: float | None = None
    n: int | None = None
    unconverged: int = 0
    trials: Trials | None = None
    interval: tuple[float, float] | None = None
    range: tuple[float, float] | None = None


def roles_behind(results: Results, locator: Locator) -> list[str]:
    """Return the roles on whose data a value rests; empty for a setting."""
    if isinstance(locator, MeasureLocator):
        return results.measure_roles(locator.measure)
    return [locator.role] if isinstance(locator, RoleLocator) else []


def roles_of_check(results: Results, check: Mapping[str, Any]) -> set[str]:
    """Return the roles on whose data the numbers of a check rest, of missing ones too."""
    locators = map(parse_locator, (*check["left"], *check.get("right", ())))
    return {role for locator in locators for role in roles_behind(results, locator)}


def locate(results: Results, locator: Locator) -> Rebuilt:
    """Return the value of a locator, in stored units: a score is the mean over its trials, a time their median."""
    match locator:
        case DataLocator() | FeaturesLocator():
            features = locator.features if isinstance(locator, FeaturesLocator) else None
            return Rebuilt(entry_of(results.statistics(locator.role, features), locator.statistic, str(locator)))
        case ScoreLocator():
            return _score(results, locator)
        case TimeLocator():
            seconds = results.seconds(locator.experiment, locator.role, locator.method, locator.quantity)
            return Rebuilt(statistics.median(seconds), standard_deviation(seconds), len(seconds))
        case MeasureLocator():
            return _measured(results, locator)
        case SettingLocator():
            return Rebuilt(used_setting(results, locator))
        case CheckLocator() | TestLocator():
            raise ConfigError(f"locator '{locator}' names a {locator.kind}, which has no value; name a value")
    raise TypeError(locator)


def _measured(results: Results, locator: MeasureLocator) -> Rebuilt:
    """Return a value of a measure, with its range and its 95 % interval where the measure writes them."""
    values, key = results.measure(locator.measure), locator.key
    found = entry_of(values, key, str(locator))

    def ends(low: str, high: str) -> tuple[float, float] | None:
        both = [values[f"{key}_{end}"].value for end in (low, high) if f"{key}_{end}" in values]
        return (both[0], both[1]) if len(both) == 2 else None

    over = found.repetitions
    trials = Trials(over, f"measure {locator.measure}", found.test_ratio) if len(over) > 1 else None
    return Rebuilt(
        found.value,
        found.standard_deviation,
        len(over) or None,
        trials=trials,
        range=ends("lowest", "highest"),
        interval=ends("ci_low", "ci_high"),
    )


def _score(results: Results, locator: ScoreLocator) -> Rebuilt:
    """Return one metric of one variant: mean, standard deviation, number of trials, and the value of each trial."""
    method = locator.experiment, locator.role, locator.method
    groups = results.scores(*method, locator.metric)
    variant = choose_variant(groups, locator.variant, str(locator))
    trials = groups[variant]
    unconverged = results.unconverged(*method, variant)
    over = _trials(results, locator, trials)
    return Rebuilt(statistics.fmean(trials), standard_deviation(trials), len(trials), unconverged, over)


def _trials(results: Results, locator: ScoreLocator, values: Sequence[float]) -> Trials | None:
    """Return the trials of a score: random splits, folds or seeds; None of one fit to the source's own split."""
    name = results.settings["experiments"][locator.experiment]["roles"][locator.role]
    spec = dict(results.settings["splits"][name])
    if spec["kind"] == "given":
        seeds = f"{results.dataset(locator.role)}: seeds on the source's split"
        return Trials(values, seeds, 0.0) if len(values) > 1 else None
    scheme = {"order": name, **{key: value for key, value in spec.items() if key != "trials"}}
    splits = f"{results.dataset(locator.role)}: {sorted(scheme.items())}"
    return Trials(values, splits, _test_ratio(spec, lambda: int(results.statistics(locator.role)["documents"])))


def _test_ratio(spec: Mapping[str, Any], documents: Callable[[], int]) -> float:
    """Return test documents over all others of a split scheme; shares need no number of documents."""
    if spec["kind"] == "folds":
        return 1.0 / (spec["folds"] - 1)
    test, train = spec.get("test"), spec["train"]
    if test is None:
        test = (documents() if isinstance(train, int) else 1.0) - train
    share = test if isinstance(test, float) and test < 1 else test / documents()
    return float(share / (1.0 - share))


def used_setting(results: Results, locator: SettingLocator) -> float | str:
    """Return a setting of ``paper.yaml`` that a result of this run has used: a number, or text, also of a truth value
    or list.  A number of trials is that of the scores, which ``max_trials`` caps.
    """
    found = setting_of(results.settings, locator)
    uses = list(_uses(results, locator.path.split(".")))
    made, absent = list[object](), list[MissingResult]()
    for use in uses:
        try:
            made.append(use())
        except MissingResult as missing:
            absent.append(missing)
    if uses and not made:
        raise next((one for one in absent if not isinstance(one, NotRun)), absent[0])
    counted = [number for number in made if isinstance(number, int) and number]
    return float(min(counted)) if locator.path.endswith(".trials") and counted else found


def _uses(results: Results, keys: Sequence[str]) -> Iterator[Callable[[], object]]:
    """Yield for each result that uses a setting a function that reads it or raises; of scores it counts the trials."""
    settings, part, name = results.settings, keys[0], keys[1] if len(keys) > 1 else ""
    for experiment, entry in settings.get("experiments", {}).items() if part in ("experiments", "splits") else ():
        chosen = [role for role, split in entry["roles"].items() if name in (experiment, split)]
        methods = [keys[3]] if keys[2:3] == ["methods"] else entry["methods"]
        for role, method in itertools.product(chosen, methods):
            yield functools.partial(results.count_trials, experiment, role, method)
    for measure, entry in settings.get("measures", {}).items() if part in ("measures", "splits") else ():
        if name in (measure, *entry.get("roles", {}).values()):
            yield functools.partial(results.measure, measure)
    for role in results.roles if part == "features" else ():
        yield functools.partial(results.statistics, role, name)


def setting_of(settings: Mapping[str, Any], locator: SettingLocator, place: str = "") -> float | str:
    """Return a setting of ``paper.yaml``; a truth value and a list of items become text."""
    found: Any = settings
    for key in locator.path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            remedy = suggest(key, found) if isinstance(found, Mapping) else "correct the path"
            where = place or f"locator '{locator}'"
            raise ConfigError(f"{where}: paper.yaml has no '{locator.path}' (stopped at '{key}'); {remedy}")
        found = found[key]
    if isinstance(found, (bool, str)):
        return str(found)
    return float(found) if isinstance(found, (int, float)) else ", ".join(map(str, found))
