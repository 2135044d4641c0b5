"""Cache the machine code of kernels and expensive digests between processes.

Entries are keyed by a digest of their inputs, so that the folder can be deleted at any time.
"""

from __future__ import annotations

import atexit
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Above this number of entries, a store keeps only the entries that its process used.
MAX_ENTRIES = 20_000


def cache_folder(name: str) -> Path | None:
    """Create a folder of the cache.

    Parameters
    ----------
    name : str
        Name of the folder.

    Returns
    -------
    Path or None
        The folder in the first of ``$TEXTMIX_CACHE``, ``$XDG_CACHE_HOME`` and ``~/.cache`` that only this user can
        write to (its content determines which machine code runs); None if no such folder exists.
    """
    roots = [os.environ.get("TEXTMIX_CACHE"), os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache")]
    for root in filter(None, roots):
        folder = Path(root) / name
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            if is_trusted(folder.stat()) and os.access(folder, os.W_OK):
                return folder
        except OSError:
            continue
    return None


def is_trusted(stat: os.stat_result) -> bool:
    """Check that a file or folder with this status is writable only for this user and the administrator."""
    return stat.st_uid in (0, os.getuid()) and not stat.st_mode & 0o022


class Store:
    """Persistent key-value store of JSON values in one file; a corrupt file is treated as empty."""

    def __init__(self, name: str) -> None:
        self._name = f"{name}.json"
        self._kept: dict[str, Any] | None = None
        self._used: dict[str, Any] = {}

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """Return the value of a key; compute and store it if it is missing."""
        if self._kept is None:
            self._kept = self._read()
            atexit.register(self._write, len(self._kept))
        if key not in self._used:
            self._used[key] = self._kept[key] if key in self._kept else make()
            self._kept[key] = self._used[key]
        return self._used[key]

    def _read(self) -> dict[str, Any]:
        folder = cache_folder("textmix-digests")
        try:
            values = json.loads((folder / self._name).read_text(encoding="utf-8")) if folder else {}
        except (OSError, ValueError, RecursionError):
            values = {}
        return values if isinstance(values, dict) else {}

    def _write(self, before: int) -> None:
        """Write the file atomically if entries were added to the ``before`` entries that were read."""
        folder = cache_folder("textmix-digests")
        if folder is None or self._kept is None or len(self._kept) == before:
            return
        kept = self._kept if len(self._kept) <= MAX_ENTRIES else self._used
        handle, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(kept, stream)
        os.replace(temporary, folder / self._name)
