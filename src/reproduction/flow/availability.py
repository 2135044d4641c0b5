"""Which data sets are within reach, and the source from which each would be fetched now.

A data set is within reach where it was fetched before, lies in the mirror, is in a package, or where the name of its
host is found.  It is asked while the workflow is parsed, so that a computer without a network plans at once what it can
do: a role whose own data set is not within reach is read from the first of its substitutes that is.
"""

from __future__ import annotations

import functools
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textmix.data.fetch import read_record
from textmix.data.registry import RECORD, DatasetEntry, Source

#: Data set -> the reason why it is not within reach, in one clause; empty where it is.
Reach = Callable[[str], str]
#: Headings of the table of findings.
COLUMNS = ("data set", "size", "from", "reachable", "rows that wait", "wrong copy noticed by", "terms")
#: Seconds in which the name of a host must be found.
_PATIENCE = 3.0


@dataclass(frozen=True)
class Finding:
    """Facts of one data set that are known before it is fetched.

    Parameters
    ----------
    origin : ``resources`` where it was fetched already; else the kind of the first source that can be tried here;
        ``none`` where the only source is a mirror that is not there.
    identity : how a wrong copy would be noticed: ``content digest``, ``sha256`` (where files have none, also by what
        else), ``counts`` or ``nothing``.
    size : bytes of the files as stored, or None where a size is not known.
    terms : the owners' terms of use.
    reachable : ``yes``, or ``no`` where the host's name is not found, the mirror lacks the files or names no folder.
    unlocks : how many published rows wait for the data, in words; may be empty.
    """

    dataset: str
    origin: str
    identity: str
    size: int | None
    terms: str
    reachable: str
    unlocks: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The finding as the cells of a row, in the order of `COLUMNS`."""
        size = "not known" if self.size is None else f"{self.size / 1e6:.1f} MB"
        return self.dataset, size, self.origin, self.reachable, self.unlocks, self.identity, self.terms

    @property
    def reason(self) -> str:
        """Why the data set is not within reach, in one clause; empty where it is."""
        if self.reachable == "yes":
            return ""
        host = self.origin.removeprefix("https ")
        return f"the name of {host} is not found from here" if host != self.origin else self.origin.split(": ")[-1]


def table(findings: Iterable[Finding]) -> str:
    """Return findings as a text table with a heading; the last column is as long as its text."""
    rows = [COLUMNS, *(finding.cells for finding in findings)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS) - 1)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def reaches(host: str) -> bool:
    """Return whether the name of a host is found within a few seconds; nothing is sent to the host itself."""
    found: list[bool] = []

    def look() -> None:
        try:
            found.append(bool(socket.getaddrinfo(host, 443)))
        except OSError:
            found.append(False)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    return found == [True]


def survey(
    entries: Iterable[DatasetEntry],
    resources: Path,
    mirror: Path | None,
    unlocks: Mapping[str, str] = MappingProxyType({}),
    finds: Callable[[str], bool] = reaches,
) -> list[Finding]:
    """Return a finding for each data set; nothing is fetched, and no file is read but records.  ``finds`` tells whether
    the name of a host is found, and is asked once for each.
    """
    asked = functools.cache(finds)
    found = []
    for entry in entries:
        record = read_record(resources / entry.id / RECORD)
        if record.get("status") == "had" and record.get("form") in entry.forms:
            source, origin, near = entry.forms[record["form"]], f"in resources, from {record['source']}", True
        else:
            source, origin, near = _first_source(entry, mirror, asked)
        sizes = [file.bytes for file in source.files.values()]
        size = None if None in sizes else sum(bytes_ or 0 for bytes_ in sizes)
        facts = (origin, _identity(entry, source), size, entry.terms, "yes" if near else "no")
        found.append(Finding(entry.id, *facts, unlocks.get(entry.id, "")))
    return found


def _first_source(entry: DatasetEntry, mirror: Path | None, finds: Callable[[str], bool]) -> tuple[Source, str, bool]:
    """Return the first source within reach, or else the first public one, what to say of it, and whether it is near."""
    far = []
    for source in entry.sources:
        if source.kind == "package" and source.wheel:
            return source, f"package {source.wheel.name}", True
        if source.kind == "https":
            near = next(filter(finds, source.hosts), None)
            if near:
                return source, f"https {near}", True
            far.append(source)
        elif mirror is not None and all((mirror / file.where[0]).is_file() for file in source.files.values()):
            return source, "mirror", True
    if far:
        return far[0], f"https {far[0].hosts[0]}", False
    return entry.sources[0], "none here: TEXTMIX_MIRROR names no folder with its files", False


def _identity(entry: DatasetEntry, source: Source) -> str:
    """Return the check that would detect a wrong copy from a source."""
    if source.content_digest:
        return "content digest"
    without = [name for role, name in source.names.items() if not source.files[role].sha256]
    if not without:
        return "sha256"
    check = "counts" if source.expect else "nothing"
    return check if len(without) == len(source.files) else f"{check} and sha256, but for {', '.join(without)}"


def packages_alone(registry: Mapping[str, DatasetEntry]) -> Reach:
    """Return a function by which the data sets of a registry that come in a package are within reach, and no other."""

    def reason(dataset: str) -> str:
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
    reasons = {one.dataset: one.reason for one in survey(entries, resources, mirror, finds=lambda host: known[host])}
    return lambda name: reasons.get(name, "")


def available_roles(roles: Mapping[str, Mapping[str, Any]], reason: Reach) -> dict[str, dict[str, Any]]:
    """Return the roles, each with its first data set within reach, or with None and the reason as its note."""
    return {role: _available(entry, reason) for role, entry in roles.items()}


def _available(entry: Mapping[str, Any], reason: Reach) -> dict[str, Any]:
    own = {key: value for key, value in entry.items() if key != "substitutes"}
    choices = [own, *entry.get("substitutes", ())]
    for place, choice in enumerate(choices):
        if choice["dataset"] is None or not reason(choice["dataset"]):
            later = choices[place + 1 :]
            return {**choice, **({"substitutes": later} if later else {})}
    return {**own, "dataset": None, "note": f"{entry['dataset']} is out of reach: {reason(entry['dataset'])}"}
