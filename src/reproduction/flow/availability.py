"""Availability of data sets, and the source from which each one would be fetched.

A data set is available if it has been fetched before, is in the mirror or in a package, or if the host name of one of
its sources can be resolved.  Availability is checked while the workflow is parsed, so that a computer without network
access immediately plans what it can compute: a role with an unavailable data set uses its first available substitute.
"""

from __future__ import annotations

import contextlib
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
COLUMNS = (
    "data set",
    "size",
    "from",
    "available",
    "published values",
    "verified by",
    "terms",
)
#: Timeout of a host name lookup, in seconds.
_LOOKUP_SECONDS = 3.0


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
        size = "unknown" if self.size is None else f"{self.size / 1e6:.1f} MB"
        return self.dataset, size, self.origin, self.reachable, self.unlocks, self.identity, self.terms

    @property
    def reason(self) -> str:
        """The reason why the data set is unavailable, as a clause; "" if it is available."""
        if self.reachable == "yes":
            return ""
        host = self.origin.removeprefix("https ")
        return f"host name {host} cannot be resolved" if host != self.origin else self.origin.split(": ")[-1]


def table(findings: Iterable[Finding]) -> str:
    """Format findings as a text table with a header; the last column is not padded."""
    rows = [COLUMNS, *(finding.cells for finding in findings)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS) - 1)]
    lines = []
    for row in rows:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*padded, row[-1]]))
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def resolves(host: str) -> bool:
    """Check that a host name can be resolved within `_LOOKUP_SECONDS`, without contacting the host."""
    addresses: list[object] = []

    def look_up() -> None:
        with contextlib.suppress(OSError):
            addresses.extend(socket.getaddrinfo(host, 443))

    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(_LOOKUP_SECONDS)
    return bool(addresses)


def survey(
    entries: Iterable[DatasetEntry],
    resources: Path,
    mirror: Path | None,
    unlocks: Mapping[str, str] = MappingProxyType({}),
    is_resolved: Callable[[str], bool] = resolves,
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
    is_resolved : callable, default=resolves
        Predicate that checks whether a host name can be resolved; called once per host.

    Returns
    -------
    list of Finding
    """
    is_resolved = functools.cache(is_resolved)
    findings = []
    for entry in entries:
        source, origin, is_available = _locate(entry, resources, mirror, is_resolved)
        sizes = [file.bytes for file in source.files.values()]
        size = None if None in sizes else sum(filter(None, sizes))
        finding = Finding(
            dataset=entry.id,
            origin=origin,
            identity=_identity(entry, source),
            size=size,
            terms=entry.terms,
            reachable="yes" if is_available else "no",
            unlocks=unlocks.get(entry.id, ""),
        )
        findings.append(finding)
    return findings


def _locate(
    entry: DatasetEntry, resources: Path, mirror: Path | None, is_resolved: Callable[[str], bool]
) -> tuple[Source, str, bool]:
    """Return the source of a data set, its description, and whether it is available."""
    if any(source.kind == "local" for source in entry.sources):
        return _first_source(entry, mirror, is_resolved)
    record = read_record(resources / entry.id / RECORD)
    if record.get("status") == "had" and record.get("form") in entry.forms:
        return entry.forms[record["form"]], f"in resources, from {record['source']}", True
    for source in entry.sources:
        if _is_placed(source, resources / entry.id):
            return source, "in resources, placed by hand", True
    return _first_source(entry, mirror, is_resolved)


def _is_placed(source: Source, folder: Path) -> bool:
    """Check whether the user has placed all files of a source in the folder of the data set."""
    return bool(source.names) and all((folder / name).is_file() for name in source.names.values())


def _first_source(
    entry: DatasetEntry, mirror: Path | None, is_resolved: Callable[[str], bool]
) -> tuple[Source, str, bool]:
    """Return the first available source (or the first public one), its description, and whether it is available."""
    unavailable = []
    for source in entry.sources:
        if source.kind == "package" and source.wheel:
            return source, f"package {source.wheel.name}", True
        if source.kind == "https":
            host = next(filter(is_resolved, source.hosts), None)
            if host:
                return source, f"https {host}", True
            unavailable.append(source)
        elif source.kind == "local":
            paths = [Path(file.where[0]) for file in source.files.values()]
            missing = [path for path in paths if not path.is_file()]
            return source, f"local: {missing[0]} does not exist" if missing else "local file", not missing
        elif mirror is not None and all((mirror / file.where[0]).is_file() for file in source.files.values()):
            return source, "mirror", True
    if unavailable:
        return unavailable[0], f"https {unavailable[0].hosts[0]}", False
    return entry.sources[0], "none: TEXTMIX_MIRROR has no folder with its files", False


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
    is_resolved: Callable[[str], bool] = resolves,
) -> Reach:
    """Return a function that maps a data set to the reason why it is unavailable; see `survey` for the parameters."""
    entries = list(entries)
    hosts = sorted({host for entry in entries for source in entry.sources for host in source.hosts})
    with ThreadPoolExecutor(max(1, len(hosts))) as pool:
        resolved = dict(zip(hosts, pool.map(is_resolved, hosts), strict=True))
    findings = survey(entries, resources, mirror, is_resolved=lambda host: resolved[host])
    reasons = {finding.dataset: finding.reason for finding in findings}
    return lambda name: reasons.get(name, "")


def available_roles(roles: Mapping[str, Mapping[str, Any]], reason: Reach) -> dict[str, dict[str, Any]]:
    """Resolve each role to its first available data set, or to None with the reason as its note."""
    return {role: _available(entry, reason) for role, entry in roles.items()}


def _available(entry: Mapping[str, Any], reason: Reach) -> dict[str, Any]:
    """Return a role with its first available data set and the substitutes after it, or without data."""
    main = {key: value for key, value in entry.items() if key != "substitutes"}
    choices = [main, *entry.get("substitutes", ())]
    for number, choice in enumerate(choices):
        if choice["dataset"] is None or not reason(choice["dataset"]):
            role = dict(choice)
            if later := choices[number + 1 :]:
                role["substitutes"] = later
            return role
    return {**main, "dataset": None, "note": f"{entry['dataset']} is out of reach: {reason(entry['dataset'])}"}
