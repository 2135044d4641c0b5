"""What a call costs: seconds, and how far the peak of the memory rises above what was taken before."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def measured(call: Callable[[], Result]) -> tuple[Result, dict[str, float | None]]:
    """Make a call and return its result and its cost.

    Returns
    -------
    result : of the call.
    cost : ``seconds``, and ``bytes``, the rise of the peak of the resident memory above what was resident before; None
        where the system does not let a process set its own peak back (it is Linux that does).
    """
    before = _resident() if _set_back() else None
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    peak = None if before is None else _status("VmHWM")
    return result, {"seconds": seconds, "bytes": None if before is None or peak is None else max(0, peak - before)}


def _set_back() -> bool:
    """Set the peak of the resident memory back to what is resident now; return whether that could be done."""
    try:
        _RESET.write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _resident() -> int | None:
    """Return the resident memory in bytes."""
    return _status("VmRSS")


def _status(key: str) -> int | None:
    """Return a size of this process in bytes."""
    try:
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:")), None)
