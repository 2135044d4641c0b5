"""Resolve locators to reproduced values in the results of a paper.

The outcome is the value, `MissingResult` if it cannot be computed (for example without its data set), or `NotRun` if no
job has computed it.
"""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    """The values of a score over random splits.

    Parameters
    ----------
    values : sequence of float
        One value per split, in the order of the splits.
    scheme : str
        Data set and split scheme without the number of splits; values with the same scheme are over the same splits.
    test_ratio : float
        Ratio of the number of test documents to the number of all others.
    """

    values: Sequence[float]
    scheme: str
    test_ratio: float


@dataclass(frozen=True)
class Reproduced:
    """A reproduced value.

    Parameters
    ----------
    value : float or str
        Number in stored units (fractions for scores and proportions, seconds for times), or text of a setting.
    standard_deviation : float or None, default=None
        Sample standard deviation over trials (ddof=1).
    n : int or None, default=None
        Number of trials; None if ``value`` is not a mean or median over trials.
    unconverged : int, default=0
        Number of fits that did not converge.
    trials : Trials or None, default=None
        The random splits over which ``value`` is averaged.
    interval : tuple of float or None, default=None
        Limits of the 95 % interval, for a ratio of times or a measure that reports one.
    range : tuple of float or None, default=None
        Minimum and maximum over the parts of the data, for a median over parts; measures report them as
        ``<key>_lowest`` and ``<key>_highest``.
    """

    value: float | str
    standard_deviation: float | None = None
    n: int | None = None
    unconverged: int = 0
    trials: Trials | None = None
    interval: tuple[float, float] | None = None
    range: tuple[float, float] | None = None

    def scaled(self, factor: float) -> Reproduced:
        """Convert the value, its standard deviation and its range to another unit."""
        reproduced = replace(self, value=float(self.value) * factor)
        if self.standard_deviation is not None:
            reproduced = replace(reproduced, standard_deviation=self.standard_deviation * factor)
        if self.range is not None:
            low, high = self.range
            reproduced = replace(reproduced, range=(low * factor, high * factor))
        return reproduced


def roles_behind(results: Results, locator: Locator) -> list[str]:
    """Return the roles of the data that a value depends on; empty for a setting."""
    if isinstance(locator, MeasureLocator):
        return results.measure_roles(locator.measure)
    if isinstance(locator, RoleLocator):
        return [locator.role]
    return []


def roles_of_check(results: Results, check: Mapping[str, Any]) -> set[str]:
    """Return the roles of the data that the values of a check depend on, including missing values."""
    locators = map(parse_locator, (*check["left"], *check.get("right", ())))
    return {role for locator in locators for role in roles_behind(results, locator)}


def locate(results: Results, locator: Locator) -> Reproduced:
    """Return the value of a locator in stored units.

    Parameters
    ----------
    results : Results
        Results of a paper.
    locator : Locator
        Locator of the value; a score is the mean over its trials, a time their median.

    Returns
    -------
    value : Reproduced

    Raises
    ------
    MissingResult
        If the value cannot be computed; NotRun if no job has computed it.
    ConfigError
        If the locator does not refer to a value.
    """
    match locator:
        case DataLocator() | FeaturesLocator():
            features = locator.features if isinstance(locator, FeaturesLocator) else None
            statistics_of_data = results.statistics(locator.role, features)
            statistic = entry_of(statistics_of_data, locator.statistic, str(locator))
            return Reproduced(statistic)
        case ScoreLocator():
            return _score(results, locator)
        case TimeLocator():
            seconds = results.seconds(locator.experiment, locator.role, locator.method, locator.quantity)
            median = statistics.median(seconds)
            return Reproduced(median, standard_deviation(seconds), len(seconds))
        case MeasureLocator():
            return _measured(results, locator)
        case SettingLocator():
            return Reproduced(used_setting(results, locator))
        case CheckLocator() | TestLocator():
            raise ConfigError(f"locator '{locator}' names a {locator.kind}, which has no value; name a value")
    raise TypeError(locator)


def _measured(results: Results, locator: MeasureLocator) -> Reproduced:
    """Return a value of a measure, with its range and 95 % interval if the measure reports them."""
    values = results.measure(locator.measure)
    key = locator.key
    if key not in values:
        for role in results.unread_roles(locator.measure):
            results.dataset(role)  # raises the missing result with its reason
    entry = entry_of(values, key, str(locator))

    def ends(low: str, high: str) -> tuple[float, float] | None:
        names = [f"{key}_{low}", f"{key}_{high}"]
        if not all(name in values for name in names):
            return None
        first, last = (values[name].value for name in names)
        return first, last

    repetitions = entry.repetitions
    trials = None
    if len(repetitions) > 1:
        trials = Trials(repetitions, f"measure {locator.measure}", entry.test_ratio)
    return Reproduced(
        entry.value,
        entry.standard_deviation,
        len(repetitions) or None,
        trials=trials,
        range=ends("lowest", "highest"),
        interval=ends("ci_low", "ci_high"),
    )


def _score(results: Results, locator: ScoreLocator) -> Reproduced:
    """Return a metric of a variant: mean, standard deviation, number of trials, and values per trial."""
    fit = (locator.experiment, locator.role, locator.method)
    groups = results.scores(*fit, locator.metric)
    variant = choose_variant(groups, locator.variant, str(locator))
    values = groups[variant]
    unconverged = results.unconverged(*fit, variant)
    trials = _trials(results, locator, values)
    mean = statistics.fmean(values)
    return Reproduced(mean, standard_deviation(values), len(values), unconverged, trials)


def _trials(results: Results, locator: ScoreLocator, values: Sequence[float]) -> Trials | None:
    """Return the trials of a score (random splits, folds or seeds); None for a single fit on the paper's split."""
    experiment = results.settings["experiments"][locator.experiment]
    name = experiment["roles"][locator.role]
    spec = dict(results.settings["splits"][name])
    if spec["kind"] == "given":
        seeds = f"{results.dataset(locator.role)}: seeds on the source's split"
        return Trials(values, seeds, 0.0) if len(values) > 1 else None
    scheme = {"order": name, **{key: value for key, value in spec.items() if key != "trials"}}
    splits = f"{results.dataset(locator.role)}: {sorted(scheme.items())}"
    return Trials(values, splits, _test_ratio(spec, lambda: int(results.statistics(locator.role)["documents"])))


def _test_ratio(spec: Mapping[str, Any], n_documents: Callable[[], int]) -> float:
    """Return the ratio of test to other documents of a split scheme; relative sizes do not need ``n_documents``."""
    if spec["kind"] == "folds":
        return 1.0 / (spec["folds"] - 1)
    test = spec.get("test")
    train = spec["train"]
    if test is None:
        total = n_documents() if isinstance(train, int) else 1.0
        test = total - train
    proportion = test if isinstance(test, float) and test < 1 else test / n_documents()
    return float(proportion / (1.0 - proportion))


def used_setting(results: Results, locator: SettingLocator) -> float | str:
    """Return a setting of ``paper.yaml`` after checking that a result of this run uses it.

    Booleans and lists are converted to text.  A number of trials is counted in the scores, because ``max_trials`` can
    limit it.
    """
    setting = setting_of(results.settings, locator)
    uses = list(_uses(results, locator.path.split(".")))
    counts: list[object] = []
    missing: list[MissingResult] = []
    for use in uses:
        try:
            counts.append(use())
        except MissingResult as error:
            missing.append(error)
    if uses and not counts:
        raise next((error for error in missing if not isinstance(error, NotRun)), missing[0])
    n_trials = [count for count in counts if isinstance(count, int) and count]
    if locator.path.endswith(".trials") and n_trials:
        return float(min(n_trials))
    return setting


def _uses(results: Results, keys: Sequence[str]) -> Iterator[Callable[[], object]]:
    """Yield, for each result that uses a setting, a function that reads it or raises; for scores it counts trials."""
    section = keys[0]
    name = keys[1] if len(keys) > 1 else ""
    if section in ("experiments", "splits"):
        for experiment, entry in results.settings.get("experiments", {}).items():
            roles = [role for role, split in entry["roles"].items() if name in (experiment, split)]
            methods = [keys[3]] if keys[2:3] == ["methods"] else entry["methods"]
            for role, method in itertools.product(roles, methods):
                yield functools.partial(results.count_trials, experiment, role, method)
    if section in ("measures", "splits"):
        for measure, entry in results.settings.get("measures", {}).items():
            if name in (measure, *entry.get("roles", {}).values()):
                yield functools.partial(results.measure, measure)
    if section == "features":
        for role in results.roles:
            yield functools.partial(results.statistics, role, name)


def setting_of(settings: Mapping[str, Any], locator: SettingLocator, location: str = "") -> float | str:
    """Return a setting of ``paper.yaml``; booleans and lists are converted to text."""
    setting: Any = settings
    for key in locator.path.split("."):
        if not isinstance(setting, Mapping) or key not in setting:
            remedy = suggest(key, setting) if isinstance(setting, Mapping) else "correct the path"
            where = location or f"locator '{locator}'"
            raise ConfigError(f"{where}: paper.yaml has no '{locator.path}' (stopped at '{key}'); {remedy}")
        setting = setting[key]
    if isinstance(setting, (bool, str)):
        return str(setting)
    if isinstance(setting, (int, float)):
        return float(setting)
    return ", ".join(map(str, setting))
