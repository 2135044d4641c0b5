"""Ensembles of chains whose threshold of votes gives as many labels as the training instances have.

Source: J. Read, B. Pfahringer, G. Holmes and E. Frank, Machine Learning 85, 2011, section 5, and MEKA (PCut1).  MEKA
compares the labels predicted for the test instances with those of the training instances.  Here the votes of the chains
whose bootstrap samples lack an instance are used, so that no test instance plays a part.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from textmix.models.common.targets import in_form_of_y
from textmix.models.label_sets.chains import ChainEnsemble


class CardinalityChains(ChainEnsemble):
    """Chains on bootstrap samples that vote; a label needs the share of votes that keeps the labels a document (ECC).

    Parameters
    ----------
    n_chains, variance, max_iter, tol, random_state : see `ChainEnsemble`.

    Attributes
    ----------
    threshold_ : least share of the votes with which a label is predicted.
    order_, coefs_, intercepts_, links_ : see `ChainEnsemble`.

    Examples
    --------
    >>> from textmix import CardinalityChains
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = CardinalityChains(n_chains=9, random_state=0).fit(X * 3, y * 3)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**ChainEnsemble._fitted_forms, "threshold_": "float"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        key: value for key, value in ChainEnsemble._parameter_constraints.items() if key != "vote"
    }

    def __init__(
        self,
        *,
        n_chains: int = 10,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_chains=n_chains, variance=variance, max_iter=max_iter, tol=tol, random_state=random_state)

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit every chain, and set the threshold on the votes of the chains that did not see an instance."""
        unseen = (self._fit_chains(X, Y) == 0).astype(np.float64)
        asked = unseen.sum(axis=0)
        rows = np.flatnonzero(asked)
        votes = np.einsum("mn,mnl->nl", unseen[:, rows], self._chain_sets(X[rows])) if len(rows) else np.zeros((0, 1))
        self.threshold_ = cardinality_threshold(votes / asked[rows, np.newaxis], float(Y.sum(axis=1).mean()))

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels with at least the share ``threshold_`` of the votes, int64 (N, L) of 0 and 1.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return (self.predict_proba(X) >= self.threshold_).astype(np.int64)


def cardinality_threshold(share: np.ndarray, cardinality: float) -> float:
    """Return the threshold with which the mean number of labels a document is closest to ``cardinality``.

    Of equally close thresholds it is the largest; 1/2 where there is no document with a vote.

    Parameters
    ----------
    share : float64 (N, L), share of the votes for each label.
    cardinality : mean number of labels a document.
    """
    levels = np.unique(share[share > 0])[::-1]
    if not len(levels):
        return 0.5
    labels = len(share.ravel()) - np.searchsorted(np.sort(share.ravel()), levels)
    return float(levels[np.argmin(np.abs(labels / len(share) - cardinality))])
