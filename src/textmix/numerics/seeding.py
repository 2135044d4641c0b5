"""Seeds and threads: a job that calls `limit_threads` and uses only generators from `rng` is bitwise reproducible."""

from __future__ import annotations

import hashlib
import os
import sys

import numpy as np


def rng(seed: int, *axes: str | int) -> np.random.Generator:
    """Create the random generator for one purpose, seeded by a hash of the seed and the axes.

    The axes of a split do not include the method, so that all methods are trained and tested on the same split.
    """
    text = "\x1f".join([str(seed), *map(str, axes)])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big"))


def limit_threads(kernels: int = 1) -> None:
    """Limit BLAS and OpenMP to one thread, because their sums depend on it, and Numba to ``kernels`` threads.

    Environment variables apply to libraries imported and processes started after the call; threadpoolctl applies to
    libraries already loaded.
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
