"""Availability of data sets, and the source from which each one would be fetched.

A data set is available if it has been fetched before, is in the mirror or in a package, or if the host name of one of
its sources can be resolved.  Availability is checked while the workflow is parsed, so that a computer without network
access immediately plans what it can compute: a role with an unavailable data set uses its first available substitute.
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

#: Data set -> reason why it is unavailable, as a clause; "" if it is available.
Reach = Callable[[str], str]
#: Header of the table of findings.
COLUMNS = ("data set", "size", "from", "reachable", "rows that wait", "wrong copy noticed by", "terms")
#: Timeout of a host name lookup, in seconds.
_PATIENCE = 3.0


@dataclass(frozen=True)
class Finding:
    """Availability of one data set, determined without fetching it.

    Parameters
    ----------
    dataset : str
        Name in the registry.
    origin : str
        ``resources`` if the data set has been fetched; otherwise the type of the first source that can be used here,
        or ``none`` if the only source is a missing mirror.
    identity : str
        Check that would detect a wrong copy: ``content digest``, ``sha256`` (followed by the check of files without
        a sha256), ``counts`` or ``nothing``.
    size : int or None
        Size of the stored files in bytes, None if unknown.
    terms : str
        Terms of use.
    reachable : str
        ``yes``, or ``no`` if the host name cannot be resolved or the files are missing from the mirror.
    unlocks : str
        Description of the number of published values that need the data set; may be empty.
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
        """The cells of a table row, in the order of `COLUMNS`."""
        size = "not known" if self.size is None else f"{self.size / 1e6:.1f} MB"
        return self.dataset, size, self.origin, self.reachable, self.unlocks, self.identity, self.terms

    @property
    def reason(self) -> str:
        """The reason why the data set is unavailable, as a clause; "" if it is available."""
        if self.reachable == "yes":
            return ""
        host = self.origin.removeprefix("https ")
        return f"the name of {host} is not found from here" if host != self.origin else self.origin.split(": ")[-1]


def table(findings: Iterable[Finding]) -> str:
    """Format findings as a text table with a header; the last column is not padded."""
    rows = [COLUMNS, *(finding.cells for finding in findings)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS) - 1)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def reaches(host: str) -> bool:
    """Check that a host name can be resolved within `_PATIENCE` seconds, without contacting the host."""
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
    """Determine the availability of data sets without fetching them; only records are read.

    Parameters
    ----------
    entries : iterable of DatasetEntry
        Registry entries to check.
    resources : Path
        Folder of fetched files.
    mirror : Path or None
        Folder with raw data.
    unlocks : mapping, default={}
        Data set -> description of the number of published values that need it.
    finds : callable, default=reaches
        Predicate that checks whether a host name can be resolved; called once per host.

    Returns
    -------
    list of Finding
    """
    asked = functools.cache(finds)
    found = []
    for entry in entries:
        record = read_record(resources / entry.id / RECORD)
        is_local = any(source.kind == "local" for source in entry.sources)
        placed = next((source for source in entry.sources if _is_placed(source, resources / entry.id)), None)
        if record.get("status") == "had" and record.get("form") in entry.forms and not is_local:
            source, origin, near = entry.forms[record["form"]], f"in resources, from {record['source']}", True
        elif placed is not None and not is_local:
            source, origin, near = placed, "in resources, placed by hand", True
        else:
            source, origin, near = _first_source(entry, mirror, asked)
        sizes = [file.bytes for file in source.files.values()]
        size = None if None in sizes else sum(bytes_ or 0 for bytes_ in sizes)
        facts = (origin, _identity(entry, source), size, entry.terms, "yes" if near else "no")
        found.append(Finding(entry.id, *facts, unlocks.get(entry.id, "")))
    return found


def _is_placed(source: Source, folder: Path) -> bool:
    """Check whether the user has placed all files of a source in the folder of the data set."""
    return bool(source.names) and all((folder / name).is_file() for name in source.names.values())


def _first_source(entry: DatasetEntry, mirror: Path | None, finds: Callable[[str], bool]) -> tuple[Source, str, bool]:
    """Return the first available source (or the first public one), its status, and whether it is available."""
    far = []
    for source in entry.sources:
        if source.kind == "package" and source.wheel:
            return source, f"package {source.wheel.name}", True
        if source.kind == "https":
            near = next(filter(finds, source.hosts), None)
            if near:
                return source, f"https {near}", True
            far.append(source)
        elif source.kind == "local":
            paths = [Path(file.where[0]) for file in source.files.values()]
            missing = [path for path in paths if not path.is_file()]
            return source, f"local: {missing[0]} does not exist" if missing else "local file", not missing
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
    """Return a `Reach` function that considers only data sets of installed packages available."""

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
    """Return a function that maps a data set to the reason why it is unavailable; see `survey` for the parameters."""
    entries = list(entries)
    hosts = sorted({host for entry in entries for source in entry.sources for host in source.hosts})
    with ThreadPoolExecutor(max(1, len(hosts))) as pool:
        known = dict(zip(hosts, pool.map(finds, hosts), strict=True))
    reasons = {one.dataset: one.reason for one in survey(entries, resources, mirror, finds=lambda host: known[host])}
    return lambda name: reasons.get(name, "")


def available_roles(roles: Mapping[str, Mapping[str, Any]], reason: Reach) -> dict[str, dict[str, Any]]:
    """Resolve each role to its first available data set, or to None with the reason as its note."""
    return {role: _available(entry, reason) for role, entry in roles.items()}


def _available(entry: Mapping[str, Any], reason: Reach) -> dict[str, Any]:
    own = {key: value for key, value in entry.items() if key != "substitutes"}
    choices = [own, *entry.get("substitutes", ())]
    for place, choice in enumerate(choices):
        if choice["dataset"] is None or not reason(choice["dataset"]):
            later = choices[place + 1 :]
            return {**choice, **({"substitutes": later} if later else {})}
    return {**own, "dataset": None, "note": f"{entry['dataset']} is out of reach: {reason(entry['dataset'])}"}
