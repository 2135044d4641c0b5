"""LSI over a pruned vocabulary: the words of the best scores alone."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.lsi.classifiers import LSIDensityClassifier
from textmix.models.lsi.scores import SCORES, document_frequency, kept_words
from textmix.models.lsi.transformer import LSITransformer


class PrunedLSIClassifier(LSIDensityClassifier):
    """`LSIDensityClassifier` over the words to which an ensemble of networks is consistently sensitive.

    Parameters
    ----------
    share : of the vocabulary of the training documents that is kept.
    criterion : score of the words, a name in `textmix.models.lsi.scores.SCORES`.
    n_components, width, weighting, random_state : see `LSIDensityClassifier`; the seed draws the ensemble too.

    Attributes
    ----------
    kept_ : int64, the columns of the words that are kept.

    Examples
    --------
    >>> from textmix import PrunedLSIClassifier
    >>> X = [[3, 0, 1, 1], [2, 1, 0, 1], [0, 2, 2, 1], [0, 3, 1, 1]]
    >>> model = PrunedLSIClassifier(share=0.5, criterion="information_gain", n_components=2, random_state=0)
    >>> model.fit(X, ["sport", "sport", "art", "art"]).kept_.tolist()
    [0, 1]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**LSIDensityClassifier._fitted_forms, "kept_": "int64 W"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LSIDensityClassifier._parameter_constraints,
        "share": [Interval(Real, 0, 1, closed="right")],
        "criterion": [StrOptions(set(SCORES))],
    }

    def __init__(
        self,
        *,
        share: float = 0.1,
        criterion: str = "sensitivity",
        n_components: int = 100,
        width: float = 0.2,
        weighting: str = "log_tfidf",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components=n_components, width=width, weighting=weighting, random_state=random_state)
        self.share = share
        self.criterion = criterion

    def _fit_space(self, X: sparse.csr_array, codes: np.ndarray) -> LSITransformer:
        """Return the space of the best words; all further words have no weight in it."""
        seed = int(check_random_state(self.random_state).randint(2**31))
        frequency = document_frequency(X)
        self.kept_ = np.arange(X.shape[1])
        if len(self.classes_) > 1 and len(codes) > 1:
            scores = SCORES[self.criterion](X, codes, np.random.default_rng(seed))
            self.kept_ = kept_words(scores, frequency, self.share)
        pruned = X @ sparse.diags_array(np.isin(np.arange(X.shape[1]), self.kept_).astype(np.float64))
        pruned = sparse.csr_array(pruned)
        pruned.eliminate_zeros()
        return self._transformer().fit(pruned)
