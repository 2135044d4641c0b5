"""The user's cache: machine code of kernels and digests that take time, found again by the next process.

Every entry is found by a digest of what it was made of, so that the whole folder can be deleted at any time.
"""

from __future__ import annotations

import atexit
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Most entries that a store keeps; a store that grew beyond it keeps the entries that its process asked for.
MOST = 20_000


def cache_folder(name: str) -> Path | None:
    """Return a folder of the cache, and make it; None where none can be written.

    It is below the first of ``$TEXTMIX_CACHE``, ``$XDG_CACHE_HOME`` and ``~/.cache`` where this user alone can write
    the folder: what lies there decides which machine code runs.
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
    """Return whether nobody but this user and the administrator can have written a file or folder with these facts."""
    return stat.st_uid in (0, os.getuid()) and not stat.st_mode & 0o022


class Store:
    """Values found by a text, kept in one JSON file between processes; a damaged file counts as an empty one."""

    def __init__(self, name: str) -> None:
        self._name = f"{name}.json"
        self._kept: dict[str, Any] | None = None
        self._asked: dict[str, Any] = {}

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """Return the value of a key; where there is none, make it, a JSON value, and keep it."""
        if self._kept is None:
            self._kept = self._read()
            atexit.register(self._write, len(self._kept))
        if key not in self._asked:
            self._asked[key] = self._kept[key] if key in self._kept else make()
            self._kept[key] = self._asked[key]
        return self._asked[key]

    def _read(self) -> dict[str, Any]:
        folder = cache_folder("textmix-digests")
        try:
            found = json.loads((folder / self._name).read_text(encoding="utf-8")) if folder else {}
        except (OSError, ValueError, RecursionError):
            found = {}
        return found if isinstance(found, dict) else {}

    def _write(self, before: int) -> None:
        """Write the file in one step if there are more than the ``before`` entries that were read."""
        folder = cache_folder("textmix-digests")
        if folder is None or self._kept is None or len(self._kept) == before:
            return
        kept = self._kept if len(self._kept) <= MOST else self._asked
        handle, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(kept, stream)
        os.replace(temporary, folder / self._name)
