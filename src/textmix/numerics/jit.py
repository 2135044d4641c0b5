"""Compiled kernels: ``njit`` with a cache on disk that notices an edit of the kernel or of a kernel that it calls.

Numba's own cache compares the file of the kernel, not the files of the kernels it calls (numba issue 9483).  Here the
machine code of a module lies in a folder named by the digest of the syntax trees of all modules it imports, directly or
not.  After an edit of a kernel, its module and the modules that import it are compiled again, and no other module.  An
edit of a comment compiles nothing.  The name of the folder does not contain the path of the library, so that all copies
of one version on a machine share their machine code.
"""

from __future__ import annotations

import functools
import platform
import tempfile
from collections.abc import Callable
from typing import Any

import numba
from numba.core.caching import UserProvidedCacheLocator

from textmix.core.cache import cache_folder
from textmix.core.provenance import code_digest


@functools.cache
def code_folder(module: str) -> str:
    """Return the folder of the machine code of a module, and make it: in the cache, else a new temporary folder.

    Parameters
    ----------
    module : dotted name of a module of textmix.
    """
    digest = code_digest([module])[:16]
    version = f"py{platform.python_version()}-numba{numba.__version__}"
    folder = cache_folder(f"textmix-numba/{version}/{module.removeprefix('textmix.')}-{digest}")
    return str(folder) if folder else tempfile.mkdtemp(prefix="textmix-numba-")


class SharedCache(UserProvidedCacheLocator):  # type: ignore[misc]
    """Tell Numba to store the machine code of a kernel in `code_folder`, whatever the path and age of the source.

    The name of the folder holds the digest of the code.  Numba itself would also compare the path and the time stamp
    of the source and the line of the kernel.  None of them says more than the digest.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = code_folder(function.__module__)

    def get_source_stamp(self) -> str:
        """Return the mark of a valid entry of the cache: always empty, because edited code has a new folder."""
        return ""

    def get_disambiguator(self) -> str:
        """Return the part of a file's name that distinguishes kernels of one name: empty, as no module has two."""
        return ""


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function as `numba.njit` does, with the cache of `SharedCache`; ``NUMBA_CACHE_DIR`` has no effect.

    A kernel outside the library is compiled anew in each process, since no digest would tell of an edit of its code.

    Parameters
    ----------
    function : the kernel; None in ``@njit(option=...)``, which returns a decorator.
    options : passed on to `numba.njit`.
    """
    if function is None:
        return functools.partial(njit, **options)
    if not function.__module__.startswith("textmix."):
        return numba.njit(**options)(function)
    before = numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES
    try:
        numba.config.CACHE_DIR = code_folder(function.__module__)
        numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{SharedCache.__qualname__}"
        return numba.njit(cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = before
