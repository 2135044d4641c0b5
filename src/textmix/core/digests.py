"""Digests of bytes and of files.  The module is used while the workflow is parsed, so it must not import NumPy."""

from __future__ import annotations

import hashlib
from pathlib import Path


def sha256_bytes(data: bytes) -> str:
    """Return the sha256 of bytes: 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: str | Path) -> str:
    """Return the sha256 of a file, read in blocks: 64 hexadecimal digits.

    Raises
    ------
    OSError : the file cannot be read.
    """
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
