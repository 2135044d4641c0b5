"""Compiled kernels: ``njit`` with an on-disk cache that notices an edited kernel, its own or an imported one.

Numba's own cache compares the file of the kernel, not the files of the kernels it calls (numba issue 9483).  Here the
machine code of a module lies in a folder named by the digest of the syntax trees of all modules it reaches: an edit of
a kernel compiles again the modules that call it, and no other; a comment compiles nothing.  The name of the folder
does not hold the place of the library, so that all copies of one version share their machine code.
"""

from __future__ import annotations

import functools
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import UserProvidedCacheLocator

from textmix.core.provenance import code_digest


@functools.cache
def cache_folder(module: str) -> str:
    """Return the folder of the machine code of a module, below the first place that can be written."""
    digest = code_digest([module])[:16]
    name = f"py{platform.python_version()}-numba{numba.__version__}/{module.removeprefix('textmix.')}-{digest}"
    roots = [os.environ.get("TEXTMIX_CACHE"), os.environ.get("XDG_CACHE_HOME"), str(Path("~/.cache").expanduser())]
    for root in filter(None, roots):
        folder = Path(root) / "textmix-numba" / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return str(folder)
    return tempfile.mkdtemp(prefix="textmix-numba-")


class SharedCache(UserProvidedCacheLocator):  # type: ignore[misc]
    """Where Numba stores the machine code of a kernel: in `cache_folder`, whatever the place and age of the source.

    The name of the folder is the digest of the code.  Numba itself would also compare the path and the bytes of the
    source and the line of the kernel, which add nothing.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = cache_folder(function.__module__)

    def get_source_stamp(self) -> str:
        """Return the mark of a valid entry: the same for all, because another code has another folder."""
        return ""

    def get_disambiguator(self) -> str:
        """Return the part of a file's name that distinguishes kernels of one qualified name, which no module has."""
        return ""


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function as `numba.njit` does, with the cache of `SharedCache`, whatever NUMBA_CACHE_DIR says.

    Parameters
    ----------
    function : the kernel; None where the decorator is called with options.
    options : of `numba.njit`.
    """
    if function is None:
        return functools.partial(njit, **options)
    before = numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES
    try:
        numba.config.CACHE_DIR = cache_folder(function.__module__)
        numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{SharedCache.__qualname__}"
        return numba.njit(cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = before
