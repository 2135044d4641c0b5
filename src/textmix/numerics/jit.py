"""Compiled kernels: ``njit`` with a cache on disk that finds machine code by the code that it was made of.

Numba's own cache compares the date of the kernel's file, not the files of the kernels that it calls (numba issue 9483),
and it reads the file, not the code that the process holds, which may be older.  Here the name of an entry holds the
digest of the held code (`textmix.numerics.held_code`), of the types of the arguments and of what else decides the
machine code.  So a process that lives while its files are edited stores its machine code under its own code, and all
copies of one version on a machine share theirs, wherever they lie.

An entry is a pickle, which runs code as it is read.  So it is read only if the user, or the system's administrator,
owns it and nobody else may write it, and if it is whole.  Any other is made again.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import platform
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

from textmix.core.cache import cache_folder, is_trusted
from textmix.core.digests import sha256_bytes
from textmix.numerics import compiling
from textmix.numerics.held_code import PACKAGE, held_digest
from textmix.numerics.inner import InnerCode, Kernel

#: Settings of Numba that change the machine code of all kernels.
_SETTINGS = ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "DEBUGINFO_DEFAULT")
#: Bytes of the digest before the content of an entry.
_DIGEST = 32


@functools.cache
def code_folder(module: str) -> Path:
    """Return the folder of the machine code of a module, and make it: in the cache, else a new temporary folder.

    Parameters
    ----------
    module : dotted name of a module of textmix.
    """
    version = f"py{platform.python_version()}-numba{numba.__version__}"
    folder = cache_folder(f"textmix-kernels/{version}/{module.removeprefix(f'{PACKAGE}.')}")
    return folder or Path(tempfile.mkdtemp(prefix="textmix-kernels-"))


class KernelCache(_Cache):  # type: ignore[misc]
    """The entries of one kernel, a file each.

    Parameters
    ----------
    kernel : the compiled function.
    """

    def __init__(self, kernel: Dispatcher) -> None:
        self._kernel = kernel
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The folder of the entries."""
        return str(code_folder(self._kernel.py_func.__module__))

    def enable(self) -> None:
        """Read and write entries from now on."""
        self._enabled = True

    def disable(self) -> None:
        """Neither read nor write entries from now on."""
        self._enabled = False

    def flush(self) -> None:
        """Delete the entries of all versions of the kernel."""
        for path in Path(self.cache_path).glob(f"{self._kernel.py_func.__name__}-*"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the machine code for a signature; None where there is no entry that is whole and may be trusted."""
        target_context.refresh()
        content = _content(self._path(sig, target_context.codegen())) if self._enabled else None
        return None if content is None else CompileResult._rebuild(target_context, *pickle.loads(content))  # noqa: S301

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Write the machine code for a signature, unless it holds addresses of this process."""
        if not self._enabled or isinstance(data.library, InnerCode):
            return
        if data.library.has_dynamic_globals or any(not part.can_cache for part in data.lifted):
            return
        content = dumps(data._reduce())
        with suppress(OSError):  # on a full disk the machine code is made again by the next process
            _write(self._path(sig, data.codegen), hashlib.sha256(content).digest() + content)

    def _path(self, sig: Any, codegen: Any) -> Path:
        """Return the file of the machine code for a signature and a processor, by the code that is held now."""
        called = [held_digest(kind.dispatcher) for kind in _arguments(sig) if isinstance(kind, types.Dispatcher)]
        said = [str(kind) for kind in _arguments(sig) if not isinstance(kind, types.Dispatcher)]
        settings = [str(getattr(numba.config, name, None)) for name in _SETTINGS]
        parts = [held_digest(self._kernel), *called, *said, *settings, *map(str, codegen.magic_tuple())]
        return Path(self.cache_path) / f"{self._kernel.py_func.__name__}-{sha256_bytes(chr(10).join(parts).encode())}"


def _arguments(sig: Any) -> tuple[Any, ...]:
    """Return the types of the arguments of a signature."""
    return tuple(sig) if isinstance(sig, tuple) else tuple(sig.args)


def _write(path: Path, content: bytes) -> None:
    """Write an entry in one step, or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _content(path: Path) -> bytes | None:
    """Return the content of an entry; None where there is none, it is damaged, or others may have written it."""
    try:
        with open(path, "rb") as stream:
            trusted, data = is_trusted(os.fstat(stream.fileno())), stream.read()
    except OSError:
        return None
    content = data[_DIGEST:]
    whole = trusted and hashlib.sha256(content).digest() == data[:_DIGEST]
    return content if whole else None


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function as `numba.njit` does, with a `KernelCache`; ``NUMBA_CACHE_DIR`` has no effect.

    A kernel outside the library is compiled anew in each process.

    Parameters
    ----------
    function : the kernel; None in ``@njit(option=...)``, which returns a decorator.
    options : passed on to `numba.njit`.
    """
    if function is None:
        return functools.partial(njit, **options)
    if numba.config.DISABLE_JIT:
        return function
    kernel = Kernel(function, targetoptions={"nopython": True, "boundscheck": None, **options})
    compiling.listen()
    if function.__module__.startswith(f"{PACKAGE}."):
        kernel._cache = KernelCache(kernel)
    return kernel
