"""The Bayesian signed-rank test: how probable it is that one method is better on a further data set, or as good.

Source: A. Benavoli, G. Corani, J. Demsar and M. Zaffalon, Time for a Change: a Tutorial for Comparing Multiple
Classifiers Through Bayesian Analysis, JMLR 18, 2017, section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

#: Weight of the pseudo-observation of no difference, which stands for a prior opinion.
PRIOR = 0.5
#: Draws of the weights of the data sets.
DRAWS = 20_000


class Posterior(NamedTuple):
    """Probabilities, which sum to 1, that the difference lies above the region of equivalence, within it, or below."""

    above: float
    within: float
    below: float


def signed_rank(difference: Sequence[float] | np.ndarray, region: float, generator: np.random.Generator) -> Posterior:
    """Return the posterior of the Bayesian signed-rank test.

    The data sets get random weights (a Dirichlet distribution).  In each draw the pairs of data sets whose mean
    difference is above, within or below the region are weighed; the heaviest of the three counts.

    Parameters
    ----------
    difference : of the scores of two methods on N data sets, float (N,).
    region : largest absolute difference that counts as none.
    generator : draws the weights.

    Raises
    ------
    ValueError : there is no difference, or one is not finite.
    """
    values = np.append(0.0, np.asarray(difference, dtype=np.float64))
    if len(values) < 2 or not np.isfinite(values).all():
        raise ValueError("finite differences on at least one data set are needed")
    means = (values[:, np.newaxis] + values) / 2.0
    weight = generator.dirichlet(np.append(PRIOR, np.ones(len(values) - 1)), size=DRAWS)
    # In the order of a tie: no difference is taken first.
    parts = [np.abs(means) <= region, means > region, means < -region]
    mass = np.stack([np.einsum("di,ij,dj->d", weight, part.astype(np.float64), weight) for part in parts])
    within, above, below = (np.bincount(np.argmax(mass, axis=0), minlength=3) / DRAWS).tolist()
    return Posterior(above, within, below)


def rank_correlation(
    first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray, generator: np.random.Generator
) -> tuple[float, float]:
    """Return Spearman's rank correlation and its two-sided p-value by random permutations.

    Parameters
    ----------
    first, second : float (N,), N at least 3.
    generator : draws the permutations.

    Raises
    ------
    ValueError : the lists differ in length, or are too short.
    """
    from scipy.stats import rankdata  # here, for it takes a second to import

    if len(first) != len(second) or len(first) < 3:
        raise ValueError("two lists of one length, at least 3, are needed")
    x, y = (rankdata(values) - (len(values) + 1) / 2.0 for values in (first, second))
    scale = float(np.sqrt((x @ x) * (y @ y)))
    if not scale:
        return 0.0, 1.0
    found = float(x @ y) / scale
    shuffled = generator.permuted(np.tile(y, (DRAWS, 1)), axis=1) @ x / scale
    return found, float((1 + np.sum(np.abs(shuffled) >= abs(found) - 1e-12)) / (1 + DRAWS))
