"""Settings of a reproduction: one counts as used only where a result of this run rests on it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from reproduction.flow.locators import SettingLocator
from reproduction.flow.results import NotRun, Results
from textmix.core.errors import ConfigError, MissingResult, suggest


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
