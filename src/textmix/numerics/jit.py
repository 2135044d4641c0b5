"""Compiled kernels: Numba's ``njit`` with its cache on disk, in a folder that is named by the code of all kernels.

Numba's own cache compares the date of a kernel's file, not the files of the kernels that it calls (numba issue 9483).
Here an edit of any kernel names a new folder, and all copies of one version share theirs, wherever they lie.  What a
process compiles after its files were edited lies in the folder of the code with which it began.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import logging
import os
import platform
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import config, event

from textmix.core.cache import cache_folder

logger = logging.getLogger("textmix")
#: Seconds of compilation in a process before a warning.
PATIENCE = 1.0
PACKAGE = Path(__file__).resolve().parents[1]


@functools.cache
def code_folder() -> Path:
    """Return the folder of the machine code of the kernels as they are on disk: in the cache, else a temporary one."""
    digest = hashlib.sha256(f"{platform.python_version()} {numba.__version__}".encode())
    for path in sorted([Path(__file__), *PACKAGE.rglob("*_kernels.py")]):
        digest.update(path.name.encode() + path.read_bytes())
    folder = cache_folder(f"textmix-kernels/{digest.hexdigest()[:16]}")
    return folder or Path(tempfile.mkdtemp(prefix="textmix-kernels-"))


class KernelLocator:
    """Where Numba keeps the machine code of a kernel (``CACHE_LOCATOR_CLASSES``): a folder for its module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._py_file = function, function.__code__.co_filename

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> KernelLocator:
        """Return the place of a kernel."""
        return cls(function)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(code_folder() / self._function.__module__)

    def ensure_cache_path(self) -> None:
        """Make the folder, which others cannot write."""
        os.makedirs(self.get_cache_path(), mode=0o700, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return an empty stamp: the name of the folder already identifies the source."""
        return ""

    def get_disambiguator(self) -> str:
        """Distinguish kernels of the same name by their line number."""
        return str(self._function.__code__.co_firstlineno)


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function as `numba.njit` does; a kernel of the library has a cache."""
    if function is None:
        return functools.partial(njit, **options)
    if config.DISABLE_JIT:
        return function
    listen()
    if not function.__module__.startswith("textmix."):
        return numba.njit(**options)(function)
    before, config.CACHE_LOCATOR_CLASSES = config.CACHE_LOCATOR_CLASSES, f"{__name__}.{KernelLocator.__name__}"
    try:
        kernel = numba.njit(cache=True, **options)(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = before
    kernel._cache.save_overload = functools.partial(_save_alone, kernel._cache.save_overload)
    return kernel


def _save_alone(save: Callable[[Any, Any], None], signature: Any, code: Any) -> None:
    """Save machine code while no other process does: two that save one kernel would give one name to two codes."""
    with suppress(OSError), open(code_folder() / "lock", "w", encoding="utf-8") as lock:  # the disk may be full
        fcntl.flock(lock, fcntl.LOCK_EX)
        save(signature, code)


def running(compiled: Any, python: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that kernels call: the compiled one, or its twin where kernels run as Python."""
    chosen: Callable[..., Any] = python if config.DISABLE_JIT else compiled
    return chosen


class CompilationTold(event.Listener):  # type: ignore[misc]
    """Log one warning per process when compilation has taken `PATIENCE` seconds; measure the time spent.

    A kernel compiles the kernels that it calls, so that events lie in each other; the outermost ones are counted.
    """

    def __init__(self) -> None:
        self.seconds, self.told = 0.0, False
        self._depth, self._start = 0, 0.0

    def on_start(self, event: Any) -> None:
        """Start the clock at an outermost kernel; warn while its callees are compiled."""
        if not self._depth:
            self._start = time.perf_counter()
        self._depth += 1
        self._tell(self.seconds + time.perf_counter() - self._start)

    def on_end(self, event: Any) -> None:
        """Add the seconds of an outermost kernel."""
        self._depth -= 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._start
            self._tell(self.seconds)

    def _tell(self, seconds: float) -> None:
        """Write the line where it is time for it."""
        if seconds > PATIENCE and not self.told:
            self.told = True
            logger.warning(
                "compiling kernels for this machine; later processes load them from the cache "
                "(`textmix warm` compiles all kernels in advance)"
            )


@functools.cache
def listen() -> CompilationTold:
    """Return the listener of this process, which listens from the first call on."""
    listener = CompilationTold()
    event.register("numba:compile", listener)
    return listener
