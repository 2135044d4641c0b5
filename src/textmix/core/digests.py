"""Compute digests.  The module is imported while a workflow is parsed, so it must not import NumPy."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textmix.core.cache import Store

_FILES = Store("files")
#: Seconds after a change during which the same time stamp could hide another change.
_RACY = 2.0


def sha256_bytes(data: bytes) -> str:
    """Return the hexadecimal sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: str | Path) -> str:
    """Return the hexadecimal sha256 of a file; raise OSError if it cannot be read."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def stamp(path: str | Path) -> str:
    """Return a text that is another one after each change of a file; empty where a change could leave it the same.

    It holds the file's place on the disk, its size, and the times of the last change of its content and of its entry;
    the system alone sets the last, so that a false date changes it too.  A file that changed in the last two seconds,
    or whose dates lie in the future, has none.
    """
    stat = os.stat(path)
    if max(stat.st_mtime, stat.st_ctime) > time.time() - _RACY:
        return ""
    return f"{stat.st_dev} {stat.st_ino} {stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}"


def known_sha256(path: str | Path) -> str:
    """Return the sha256 of a file as `sha256_file` does, without reading a file that was read before (see `stamp`)."""
    status = stamp(path)
    return str(_FILES.get(status, lambda: sha256_file(path))) if status else sha256_file(path)


#: Types of values that stand for themselves.  They are asked for first: a plan has a hundred thousand of them.
_WHOLE = (str, int, float)


def digest_of(value: Any) -> str:
    """Return the sha256 of a value of plain types, 64 hexadecimal digits.

    The order of a mapping's keys counts: a grid is searched in it, so that another order can choose another point.
    """
    return sha256_bytes(json.dumps(plain(value), ensure_ascii=False).encode())


def plain(value: Any) -> Any:
    """Return a value with every mapping as a dict with text keys and every iterable but text as a list."""
    if value is None or isinstance(value, _WHOLE):
        return value
    if isinstance(value, (dict, Mapping)):  # most are dicts, which are told faster
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "__iter__"):
        return [plain(item) for item in value]
    return value
