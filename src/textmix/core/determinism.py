"""The one place for seeds and threads: what makes a job give the same bytes every time."""

from __future__ import annotations

import hashlib
import os
import sys

import numpy as np


def rng(seed: int, *axes: str | int) -> np.random.Generator:
    """Return the generator of one purpose, seeded by a hash of the axes that may vary.

    The method is left out of the axes where methods must share splits, so that they do.

    Parameters
    ----------
    seed : the ``seed`` of config.yaml.
    axes : names of data set, split, trial, purpose...
    """
    text = "\x1f".join([str(seed), *map(str, axes)])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big"))


def one_thread() -> None:
    """Hold BLAS, OpenMP and Numba to one thread: their sums depend on the number of threads.

    The environment reaches libraries that are loaded later, threadpoolctl those that the script has loaded already.
    """
    from threadpoolctl import threadpool_limits

    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM", "BLIS"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    if "numba" in sys.modules:
        sys.modules["numba"].set_num_threads(1)
    else:
        os.environ["NUMBA_NUM_THREADS"] = "1"
    threadpool_limits(1)
