"""The choice between a compiled function and its twin in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import config


def running(compiled: Any, python: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that kernels call: the compiled one, or its twin where kernels run as Python."""
    chosen: Callable[..., Any] = python if config.DISABLE_JIT else compiled
    return chosen
