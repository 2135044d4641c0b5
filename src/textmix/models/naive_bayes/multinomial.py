"""Multinomial naive Bayes with additive smoothing, with a background model, or with a shared Dirichlet prior.

Sources: the EDCM paper, section 6 (0.01 added to every count), and C. Zhai's lecture "Generative Probabilistic Models",
slides "Smoothing in Naive Bayes" and "Anatomy of Naive Bayes Classifier":

    p(theta_c) = (N_c + delta) / (sum_j N_j + k delta)
    p(w | theta_c) = (c(w, T_c) + mu p(w | theta_B)) / (|T_c| + mu)

Symbols: N_c training documents of class c, k classes, T_c the training text of class c, c(w, T_c) the count of word w
in it, V words.  A constant a added to every count is mu = a V with the uniform background p(w | theta_B) = 1 / V.

In the shared prior, mu p(w | theta_B) = alpha_w are maximum-likelihood estimates: D. MacKay and L. Peto, Natural
Language Engineering 1, 1995 (hierarchical Dirichlet).
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.count_kernels import add_counts, count_scores
from textmix.models.common.generative import CountClassifier, IncrementalCountClassifier, zeros
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.dirichlet.dcm import DCMClassifier

#: Constraint of the parameter ``class_weight``.
_CLASS_WEIGHT_CONSTRAINT: dict[str, list[Any]] = {"class_weight": [dict, StrOptions({"balanced"}), None]}


class _Multinomial(IncrementalCountClassifier):
    """Base class: one multinomial per class, smoothed by mu pseudo-words distributed as a background model."""

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **CountClassifier._fitted_forms,
        "_feature_count": "float64 V C",
        "_log_weight": "logs V C",
        "_impossible": "bool V",
    }

    @abstractmethod
    def _background(self) -> tuple[np.ndarray, float]:
        """Return p(w | theta_B), (V,), and mu."""

    @property
    def feature_count_(self) -> np.ndarray:
        """Word counts c(w, T_c), float64 (C, V)."""
        return self._feature_count.T

    @property
    def feature_log_prob_(self) -> np.ndarray:
        """Log probabilities log p(w | theta_c), float64 (C, V)."""
        if not self._impossible.any():
            return self._log_weight.T
        log_prob = self._log_weight.T.copy()
        log_prob[:, self._impossible] = -np.inf
        return log_prob

    def _reset_statistics(self) -> None:
        self._feature_count = zeros(self.n_features_in_, len(self.classes_))

    def _add_statistics(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        add_counts(X.indptr, X.indices, X.data, codes, weight, self._feature_count)

    def _probability(self) -> np.ndarray:
        """Compute p(w | theta_c), (V, C); 0 in every class for a word that no class can generate."""
        background, mu = self._background()
        if np.isinf(mu):
            return np.repeat(background[:, np.newaxis], len(self.classes_), axis=1)
        probability: np.ndarray = self._feature_count + mu * background[:, np.newaxis]
        # |T_c| + mu would be rounded differently from the sum of the numerators.
        mass = probability.sum(axis=0)
        probability /= np.where(mass > 0, mass, 1.0)
        return probability

    def _estimate(self) -> None:
        """Set log p(w | theta_c); it is 0 for words that no class can generate, so that they affect no score."""
        probability = self._probability()
        self._impossible = ~probability.any(axis=1)
        probability[self._impossible] = 1.0
        with np.errstate(divide="ignore"):
            self._log_weight = np.log(probability, out=probability)

    def _class_log_likelihood(self, X: sparse.csr_array) -> np.ndarray:
        """Compute sum_w x_w log p(w | theta_c), (N, C)."""
        score = zeros(X.shape[0], len(self.classes_))
        count_scores(X.indptr, X.indices, X.data, self._log_weight, score)
        return score

    def _draw(self, code: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        probability = np.exp(self.feature_log_prob_[code])
        counts = rng.multinomial(length, probability / probability.sum())
        words = np.flatnonzero(counts)
        return words, counts[words]

    def linear_form(self) -> tuple[np.ndarray, np.ndarray]:
        """Compute the log-odds of each class against the last as beta_0 + sum_i f_i beta_i ("Anatomy" slide).

        Returns
        -------
        coef : ndarray of shape (C - 1, V)
            beta_i = log p(w_i | theta_c) - log p(w_i | theta_C).
        intercept : ndarray of shape (C - 1,)
            beta_0 = log p(theta_c) - log p(theta_C).
        """
        check_is_fitted(self)
        coef = self._log_weight[:, :-1] - self._log_weight[:, -1:]
        return coef.T, self.class_log_prior_[:-1] - self.class_log_prior_[-1]


class MultinomialClassifier(_Multinomial):
    """Multinomial naive Bayes with additive smoothing (0.01 in section 6 of the EDCM paper).

    Parameters
    ----------
    smoothing : float, default=0.01
        Nonnegative constant that is added to every count.
    delta : float, default=0.0
        Pseudo-documents added to each class for its prior; infinity yields equal priors.
    class_weight : dict, "balanced" or None, default=None
        Factor of the sample weights of each class: a dict from class to weight, where missing classes have weight 1;
        "balanced" for weights inversely proportional to the class frequencies; None for unit weights.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_
        See `CountClassifier`.
    feature_count_, feature_log_prob_ : ndarray of shape (C, V)
        Word counts and log probabilities of the words.

    Examples
    --------
    >>> from textmix import MultinomialClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = MultinomialClassifier(smoothing=1.0).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    >>> model.predict_proba([[5, 0, 1]]).round(3).tolist()
    [[0.0, 1.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "smoothing": [Interval(Real, 0, None, closed="left")],
        **_CLASS_WEIGHT_CONSTRAINT,
    }

    def __init__(
        self,
        *,
        smoothing: float = 0.01,
        delta: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
    ) -> None:
        self.smoothing = smoothing
        self.delta = delta
        self.class_weight = class_weight

    def _background(self) -> tuple[np.ndarray, float]:
        """Return the uniform background and V times the smoothing constant."""
        return np.full(self.n_features_in_, 1.0 / self.n_features_in_), self.smoothing * self.n_features_in_


class DirichletSmoothedClassifier(_Multinomial):
    """Multinomial naive Bayes with Dirichlet smoothing by a background model (Zhai's lecture).

    Parameters
    ----------
    delta : float, default=1.0
        Pseudo-documents added to each class for its prior; infinity yields 1/k.
    mu : float, default=1000.0
        Pseudo-words added to each class, distributed as the background; infinity yields the background.
    background : {"training", "uniform"}, default="training"
        "training" for the relative word frequencies in all training text, "uniform" for 1/V.
    class_weight : dict, "balanced" or None, default=None
        Factor of the sample weights of each class: a dict from class to weight, where missing classes have weight 1;
        "balanced" for weights inversely proportional to the class frequencies; None for unit weights.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_
        See `CountClassifier`.
    feature_count_, feature_log_prob_ : ndarray of shape (C, V)
        Word counts and log probabilities of the words; a word with zero probability in all classes has -infinity here
        and does not affect any score.

    Examples
    --------
    >>> from textmix import DirichletSmoothedClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = DirichletSmoothedClassifier(mu=10.0).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    >>> model.feature_log_prob_.shape
    (2, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "mu": [Interval(Real, 0, np.inf, closed="both")],
        "background": [StrOptions({"training", "uniform"})],
        **_CLASS_WEIGHT_CONSTRAINT,
    }

    def __init__(
        self,
        *,
        delta: float = 1.0,
        mu: float = 1000.0,
        background: Literal["training", "uniform"] = "training",
        class_weight: dict[Any, float] | str | None = None,
    ) -> None:
        self.delta = delta
        self.mu = mu
        self.background = background
        self.class_weight = class_weight

    def _background(self) -> tuple[np.ndarray, float]:
        counts = self._feature_count.sum(axis=1)
        if self.background == "uniform" or counts.sum() == 0:
            counts = np.ones(self.n_features_in_)
        return counts / counts.sum(), float(self.mu)


class SharedDirichletClassifier(_Multinomial):
    """Multinomial naive Bayes with a Dirichlet prior that is shared by all classes and fitted to their texts.

    Parameters
    ----------
    smoothing : float, default=0.01
        Constant added to each parameter of the prior, as a fraction of the smallest positive one; ensures that words
        without training occurrences have positive probability.
    delta : float, default=0.0
        Pseudo-documents added to each class for its prior; infinity yields equal priors.
    class_weight : dict, "balanced" or None, default=None
        Factor of the sample weights of each class: a dict from class to weight, where missing classes have weight 1;
        "balanced" for weights inversely proportional to the class frequencies; None for unit weights.

    Attributes
    ----------
    alpha_ : ndarray of shape (V,)
        Parameters of the Dirichlet prior.
    classes_, class_count_, class_log_prior_, n_features_in_
        See `CountClassifier`.
    feature_count_, feature_log_prob_ : ndarray of shape (C, V)
        Word counts and log probabilities of the words.

    Examples
    --------
    >>> from textmix import SharedDirichletClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> SharedDirichletClassifier().fit(X, y).predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**_Multinomial._fitted_forms, "alpha_": "float64 V"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "smoothing": [Interval(Real, 0, None, closed="left")],
        **_CLASS_WEIGHT_CONSTRAINT,
    }

    def __init__(
        self,
        *,
        smoothing: float = 0.01,
        delta: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
    ) -> None:
        self.smoothing = smoothing
        self.delta = delta
        self.class_weight = class_weight

    def _background(self) -> tuple[np.ndarray, float]:
        """Set ``alpha_`` by fitting a DCM to one concatenated text per class; return its proportions and its sum."""
        texts = sparse.csr_array(self._feature_count.T)
        prior = DCMClassifier(smoothing=self.smoothing).fit(texts, np.zeros(texts.shape[0], dtype=np.int64))
        self.alpha_ = prior.alpha_[0].copy()
        mass = float(self.alpha_.sum())
        return self.alpha_ / (mass or 1.0), mass
