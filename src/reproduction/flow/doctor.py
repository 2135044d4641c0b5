"""The source from which each data set would be fetched now, as a table."""

from __future__ import annotations

import functools
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from textmix.data.fetch import read_record
from textmix.data.registry import RECORD, DatasetEntry, Source


@dataclass(frozen=True)
class Finding:
    """Facts of one data set that are known before it is fetched.

    Parameters
    ----------
    origin : ``resources`` where it was fetched already; else the kind of the first source that can be tried here;
        ``none`` where the only source is a mirror that is not there.
    identity : how a wrong copy would be noticed: ``content digest``, ``sha256`` (the files without one are named),
        ``counts`` or ``nothing``.
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
    unlocks: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The finding as the cells of a row, in the order of `COLUMNS`."""
        size = "not known" if self.size is None else f"{self.size / 1e6:.1f} MB"
        identity = self.identity.partition(" (")[0]
        return self.dataset, size, self.origin, self.reachable, self.unlocks, identity, self.terms


#: Headings of the table.
COLUMNS = ("data set", "size", "from", "reachable", "rows that wait", "wrong copy noticed by", "terms")
#: Seconds in which the name of a host must be found.
_PATIENCE = 3.0


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
        """Look the name up."""
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
    found = [_finding(entry, resources / entry.id, mirror, asked) for entry in entries]
    return [replace(one, unlocks=unlocks.get(one.dataset, "")) for one in found]


def _finding(entry: DatasetEntry, folder: Path, mirror: Path | None, finds: Callable[[str], bool]) -> Finding:
    """Return the finding of one data set."""
    record = read_record(folder / RECORD)
    if record.get("status") == "had" and record.get("form") in entry.forms:
        source, origin, near = entry.forms[record["form"]], f"in resources, from {record['source']}", True
    else:
        source, origin, near = _first_source(entry, mirror, finds)
    sizes = [file.bytes for file in source.files.values()]
    size = None if None in sizes else sum(bytes_ or 0 for bytes_ in sizes)
    return Finding(entry.id, origin, _identity(entry, source), size, entry.terms, "yes" if near else "no")


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
    reason = f" ({entry.no_digest})" if entry.no_digest else ""
    if len(without) == len(source.files):
        return check + reason
    return f"{check} and sha256, but for {', '.join(without)}{reason}"
