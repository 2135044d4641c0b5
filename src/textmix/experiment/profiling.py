"""The cost of a call: its seconds, and the memory at its peak above the memory in use before."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def measured(call: Callable[[], Result]) -> tuple[Result, dict[str, Any]]:
    """Make a call and return its result and its cost: ``seconds`` by the clock, and ``bytes``.

    ``bytes`` is the peak of the process's resident memory during the call minus its resident memory before, at least 0;
    None where a process cannot reset its own peak, which only Linux allows.
    """
    before = _status("VmRSS") if _reset_peak() else None
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    peak = None if before is None else _status("VmHWM")
    return result, {"seconds": seconds, "bytes": None if before is None or peak is None else max(0, peak - before)}


def _reset_peak() -> bool:
    """Reset the recorded peak of the resident memory to its present size; return whether the system allows it.

    The memory that earlier calls freed is given back before, for a process may be told to keep it.
    """
    if not _RESET.exists():
        return False
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    try:
        _RESET.write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _status(key: str) -> int | None:
    """Return a size of this process in bytes, ``VmRSS`` (resident now) or ``VmHWM`` (peak); None if unknown."""
    try:
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:")), None)
