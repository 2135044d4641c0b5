"""Compiled kernels: Numba's ``njit`` with an on-disk cache in a directory keyed by the source of all kernels.

Numba's own cache checks the modification time of a kernel's file, but not of the kernels that it calls (numba issue
9483). Here an edit of any kernel results in a new directory, and all installations of the same version use the same
directory. Code compiled after the files were edited is stored in the directory of the source that the process loaded.
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
#: Compilation time in seconds before a warning is logged.
SECONDS_BEFORE_WARNING = 1.0
PACKAGE = Path(__file__).resolve().parents[1]


@functools.cache
def code_folder() -> Path:
    """Return the machine code directory for the kernel sources on disk: in the cache, else a temporary one."""
    digest = hashlib.sha256(f"{platform.python_version()} {numba.__version__}".encode())
    for path in sorted([Path(__file__), *PACKAGE.rglob("*_kernels.py")]):
        digest.update(path.name.encode() + path.read_bytes())
    folder = cache_folder(f"textmix-kernels/{digest.hexdigest()[:16]}")
    return folder or Path(tempfile.mkdtemp(prefix="textmix-kernels-"))


class KernelLocator:
    """Cache locator of Numba (``CACHE_LOCATOR_CLASSES``) with one directory per module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._py_file = function.__code__.co_filename

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> KernelLocator:
        """Create the locator of a kernel."""
        return cls(function)

    def get_cache_path(self) -> str:
        """Return the cache directory."""
        return str(code_folder() / self._function.__module__)

    def ensure_cache_path(self) -> None:
        """Create the cache directory, writable by the owner only."""
        os.makedirs(self.get_cache_path(), mode=0o700, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return an empty stamp, since the directory already identifies the source."""
        return ""

    def get_disambiguator(self) -> str:
        """Distinguish kernels of the same name by their line number."""
        return str(self._function.__code__.co_firstlineno)


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function as `numba.njit` does, with a persistent cache for kernels of the library."""
    if function is None:
        return functools.partial(njit, **options)
    if config.DISABLE_JIT:
        return function
    listen()
    if not function.__module__.startswith("textmix."):
        return numba.njit(**options)(function)
    locator_classes = config.CACHE_LOCATOR_CLASSES
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{KernelLocator.__name__}"
    try:
        # A C function wrapper is only used by callbacks from C and would take a tenth of the compilation time.
        kernel = numba.njit(cache=True, no_cfunc_wrapper=True, **options)(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = locator_classes
    kernel._cache.save_overload = functools.partial(_save_exclusively, kernel._cache.save_overload)
    return kernel


def _save_exclusively(save: Callable[[Any, Any], None], signature: Any, code: Any) -> None:
    """Save machine code under a lock: concurrent writers of one kernel would use one name for different code."""
    with suppress(OSError), open(code_folder() / "lock", "w", encoding="utf-8") as lock:  # the disk may be full
        fcntl.flock(lock, fcntl.LOCK_EX)
        save(signature, code)


def running(compiled: Any, python: Callable[..., Any]) -> Callable[..., Any]:
    """Return the implementation that kernels call: compiled, or its reference version if kernels run as Python."""
    chosen: Callable[..., Any] = python if config.DISABLE_JIT else compiled
    return chosen


class CompilationListener(event.Listener):  # type: ignore[misc]
    """Warn once per process when compilation has taken `SECONDS_BEFORE_WARNING` seconds, and measure the time.

    Compiling a kernel also compiles the kernels that it calls, so events are nested; only the outermost ones are
    counted.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.has_warned = False
        self._depth = 0
        self._start = 0.0

    def on_start(self, event: Any) -> None:
        """Start the clock at an outermost kernel; warn while its callees are compiled."""
        if not self._depth:
            self._start = time.perf_counter()
        self._depth += 1
        self._warn(self.seconds + time.perf_counter() - self._start)

    def on_end(self, event: Any) -> None:
        """Add the compilation time of an outermost kernel."""
        self._depth -= 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._start
            self._warn(self.seconds)

    def _warn(self, seconds: float) -> None:
        """Log the warning if it is due."""
        if seconds > SECONDS_BEFORE_WARNING and not self.has_warned:
            self.has_warned = True
            logger.warning(
                "compiling kernels for this machine; later processes load them from the cache "
                "(`textmix warm` compiles all kernels in advance)"
            )


@functools.cache
def listen() -> CompilationListener:
    """Return the listener of this process, which is registered by the first call."""
    listener = CompilationListener()
    event.register("numba:compile", listener)
    return listener
