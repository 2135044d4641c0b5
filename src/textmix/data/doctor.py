"""The source from which each data set would be fetched now: the lines of ``snakemake doctor``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from textmix.data.fetch import read_record
from textmix.data.registry import RECORD, DatasetEntry, Source


@dataclass(frozen=True)
class Finding:
    """What is known of one data set before it is fetched.

    Parameters
    ----------
    dataset : identifier.
    origin : ``resources`` where it was fetched already; else the kind of the first source that can be tried here, with
        ``not tried`` for a source on a network; ``none`` where the only source is a mirror that is not there.
    identity : how a wrong copy would be noticed: ``content digest``, ``sha256`` (the files without one are named),
        ``counts`` or ``nothing``.
    size : bytes of the files as stored, or None where a size is not known.
    terms : the owners' terms of use.
    """

    dataset: str
    origin: str
    identity: str
    size: int | None
    terms: str

    def line(self) -> str:
        """Return the finding as one line of text."""
        size = "size not known" if self.size is None else f"{self.size / 1e6:.1f} MB"
        return f"{self.dataset}: {self.origin}; identity by {self.identity}; {size}; terms: {self.terms}"


def survey(entries: Iterable[DatasetEntry], resources: Path, mirror: Path | None) -> list[Finding]:
    """Return a finding for each data set; nothing is fetched, and no file is read but records.

    Parameters
    ----------
    entries : of the registry.
    resources : folder of the data sets' folders.
    mirror : folder of the mirror, or None.
    """
    return [_finding(entry, resources / entry.id, mirror) for entry in entries]


def _finding(entry: DatasetEntry, folder: Path, mirror: Path | None) -> Finding:
    """Return the finding of one data set."""
    record = read_record(folder / RECORD)
    if record.get("status") == "had":
        source, origin = entry.form(record), f"in resources, from {record['source']}"
    else:
        source, origin = _first_source(entry, mirror)
    sizes = [file.bytes for file in source.files.values()]
    size = None if None in sizes else sum(bytes_ or 0 for bytes_ in sizes)
    return Finding(entry.id, origin, _identity(entry, source), size, entry.terms)


def _first_source(entry: DatasetEntry, mirror: Path | None) -> tuple[Source, str]:
    """Return the first source that can be tried here, else the first source, and a phrase about it."""
    for source in entry.sources:
        if source.kind != "mirror":
            host = source.wheel.name if source.wheel else next(iter(source.files.values())).where[0].split("/")[2]
            return source, f"{source.kind} {host}, not tried"
        if mirror is not None and all((mirror / file.where[0]).is_file() for file in source.files.values()):
            return source, "mirror"
    return entry.sources[0], "none here: TEXTMIX_MIRROR names no folder with its files"


def _identity(entry: DatasetEntry, source: Source) -> str:
    """Return the check that would detect a wrong copy from a source."""
    if source.content_digest:
        return "content digest"
    without = [entry.files[role] for role, file in source.files.items() if not file.sha256]
    if not without:
        return "sha256"
    check = "counts" if entry.expect else "nothing"
    reason = f" ({entry.no_digest})" if entry.no_digest else ""
    if len(without) == len(source.files):
        return check + reason
    return f"{check} and sha256, but for {', '.join(without)}{reason}"
