"""Random numbers inside kernels: one generator, whose state is an array that the kernels pass on."""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit

#: Distance of two successive states of splitmix64.
STEP = np.uint64(0x9E3779B97F4A7C15)


@njit
def hashed(z: np.uint64) -> float:
    """Return the number in [0, 1) that splitmix64 makes of its state: the t-th after state s is that of s + t STEP."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit
def uniform(state: np.ndarray) -> float:
    """Return a random number in [0, 1) and advance ``state``, uint64 (1,), by the generator splitmix64."""
    state[0] += STEP
    return hashed(state[0])
