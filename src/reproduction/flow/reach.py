"""Which data sets are within reach: a role whose own data set is not is read from the first of its stand-ins that is.

It is asked while the workflow is parsed.  A data set is within reach where it was fetched before, lies in the mirror,
is in a package, or where the name of its host is found.  A computer without a network so plans at once what it can do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from reproduction.flow.doctor import Finding, reaches, survey
from textmix.data.registry import DatasetEntry

#: Data set -> the reason why it is not within reach, in one clause; empty where it is.
Reach = Callable[[str], str]


def within_reach(_dataset: str) -> str:
    """Return an empty reason: every data set counts as within reach."""
    return ""


def packages_alone(registry: Mapping[str, DatasetEntry]) -> Reach:
    """Return a function by which the data sets of a registry that come in a package are within reach, and no other."""

    def reason(dataset: str) -> str:
        """Return why a data set is out of reach, or nothing."""
        packed = any(source.kind == "package" for source in registry[dataset].sources)
        return "" if packed else "is in no package"

    return reason


def reach(
    entries: Iterable[DatasetEntry],
    resources: Path,
    mirror: Path | None,
    *,
    finds: Callable[[str], bool] = reaches,
) -> Reach:
    """Return a function that says why a data set is not within reach."""
    entries = list(entries)
    hosts = sorted({host for entry in entries for source in entry.sources for host in source.hosts})
    with ThreadPoolExecutor(max(1, len(hosts))) as pool:
        known = dict(zip(hosts, pool.map(finds, hosts), strict=True))
    findings = {one.dataset: one for one in survey(entries, resources, mirror, finds=lambda host: known[host])}
    return lambda name: _reason(findings[name]) if name in findings else ""


def _reason(found: Finding) -> str:
    """Return why a data set is not within reach, or nothing."""
    if found.reachable != "yes":
        host = found.origin.removeprefix("https ")
        return f"the name of {host} is not found from here" if host != found.origin else found.origin.split(": ")[-1]
    return ""


def available_roles(roles: Mapping[str, Mapping[str, Any]], reason: Reach) -> dict[str, dict[str, Any]]:
    """Return the roles, each with the first of its data sets that is within reach; ``stand_ins`` are those after it.
    Where none is, ``dataset`` is None and ``note`` the reason.
    """
    return {role: _available(entry, reason) for role, entry in roles.items()}


def _available(entry: Mapping[str, Any], reason: Reach) -> dict[str, Any]:
    """Return the entry of one role with the first data set within reach."""
    own = {key: value for key, value in entry.items() if key != "stand_ins"}
    choices = [own, *entry.get("stand_ins", ())]
    for place, choice in enumerate(choices):
        if choice["dataset"] is None or not reason(choice["dataset"]):
            later = choices[place + 1 :]
            return {**choice, **({"stand_ins": later} if later else {})}
    return {**own, "dataset": None, "note": f"{entry['dataset']} is out of reach: {reason(entry['dataset'])}"}
