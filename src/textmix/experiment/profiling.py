"""Wall-clock time and additional peak memory of a call."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")
_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


def profile(call: Callable[[], Result]) -> tuple[Result, dict[str, Any]]:
    """Measure wall-clock time and peak memory of a call.

    Parameters
    ----------
    call : callable
        Function without arguments.

    Returns
    -------
    result : object
        What the function returns.
    cost : dict
        ``seconds`` of wall-clock time, and ``bytes``: the peak resident memory during the call minus the resident
        memory before it, at least 0.  None where a process cannot reset its recorded peak, which only Linux supports.
    """
    before = _status("VmRSS") if _reset_peak() else None
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    peak = None if before is None else _status("VmHWM")
    additional = None if before is None or peak is None else max(0, peak - before)
    return result, {"seconds": seconds, "bytes": additional}


def _reset_peak() -> bool:
    """Reset the recorded peak of the resident memory to its current size; return whether the system supports it.

    Memory that earlier calls freed is returned to the system first, because the allocator may keep it.
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
    """Return the current (``VmRSS``) or peak (``VmHWM``) resident memory of this process in bytes; None if unknown."""
    try:
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:")), None)
