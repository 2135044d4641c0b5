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
#: Seconds after a change in which a second change could leave the time stamp unchanged.
_RACY = 2.0


def sha256_bytes(data: bytes) -> str:
    """Return the SHA-256 digest of bytes (hexadecimal)."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: str | Path) -> str:
    """Return the SHA-256 digest of a file (hexadecimal); raise OSError if it cannot be read."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def stamp(path: str | Path) -> str:
    """Return a cheap fingerprint of a file that changes with its content; "" if a change could go unnoticed.

    The fingerprint consists of device, inode, size, modification time and inode change time.  The latter is set only by
    the system, so that a modified mtime is detected.  A file changed within the last two seconds, or with a time stamp
    in the future, has no fingerprint.
    """
    stat = os.stat(path)
    if max(stat.st_mtime, stat.st_ctime) > time.time() - _RACY:
        return ""
    return f"{stat.st_dev} {stat.st_ino} {stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}"


def known_sha256(path: str | Path) -> str:
    """Return the SHA-256 digest of a file, cached by its `stamp`."""
    status = stamp(path)
    return str(_FILES.get(status, lambda: sha256_file(path))) if status else sha256_file(path)


#: Types that are returned unchanged.  They are checked first, as a plan contains about a hundred thousand such values.
_WHOLE = (str, int, float)


def digest_of(value: Any) -> str:
    """Return the SHA-256 digest (64 hexadecimal digits) of a value of plain types.

    The order of mapping keys is significant: a grid is searched in this order, which can decide ties.
    """
    return sha256_bytes(json.dumps(plain(value), ensure_ascii=False).encode())


def plain(value: Any) -> Any:
    """Convert mappings to dicts with string keys, and iterables other than strings to lists, recursively."""
    if value is None or isinstance(value, _WHOLE):
        return value
    if isinstance(value, (dict, Mapping)):  # dict first, because it is the common case and faster to check
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "__iter__"):
        return [plain(item) for item in value]
    return value
