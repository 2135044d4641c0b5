"""Fits that stop before they converge, because a test limits their iterations."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.exceptions import ConvergenceWarning

MESSAGE = r"\w+ has not converged within max_iter=\d+; raise max_iter"

#: Mark of tests of many classes or random data, where some fits converge within the same limit and others do not.
may_stop_early = pytest.mark.filterwarnings(f"ignore:{MESSAGE}:sklearn.exceptions.ConvergenceWarning")


def stops_early() -> Any:
    """Return a context that requires a fit to stop at its maximum number of iterations."""
    return pytest.warns(ConvergenceWarning, match=MESSAGE)
