"""Seeds and threads: a job that calls `limit_threads` and draws from `rng` only gives the same bytes in every run."""

from __future__ import annotations

import hashlib
import os
import sys

import numpy as np


def rng(seed: int, *axes: str | int) -> np.random.Generator:
    """Return the random generator of one purpose, seeded by a hash of the seed and the axes.

    The axes of a split do not name the method, so that all methods are trained and tested on the same split.
    """
    text = "\x1f".join([str(seed), *map(str, axes)])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big"))


def limit_threads(kernels: int = 1) -> None:
    """Limit BLAS and OpenMP to one thread, because their sums depend on the number of threads, and Numba to a number.

    Environment variables limit libraries imported, and processes started, after the call; threadpoolctl those loaded.
    """
    from threadpoolctl import threadpool_limits

    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "BLIS"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    if "numba" in sys.modules:
        numba = sys.modules["numba"]
        numba.set_num_threads(min(kernels, numba.config.NUMBA_NUM_THREADS))
    else:
        os.environ["NUMBA_NUM_THREADS"] = str(kernels)
    threadpool_limits(1)
