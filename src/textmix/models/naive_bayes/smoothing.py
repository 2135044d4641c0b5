r"""Multinomial naive Bayes with later smoothings of the class models, and with a prior that the classes share.

Symbols: c(w) count of word w in the training text of a class, n its sum, p(w) the background, the share of w in all
training text.

    Jelinek-Mercer     (1 - \lambda) c(w) / n + \lambda p(w)
    two-stage          (1 - \lambda) (c(w) + \mu p(w)) / (n + \mu) + \lambda p(w)
    Pitman-Yor         (c(w) - d t(w)) / (n + \theta) + (\theta + d t) p(w) / (n + \theta)
    shared Dirichlet   (c(w) + \alpha_w) / (n + \sum_v \alpha_v)

Sources: C. Zhai and J. Lafferty, SIGIR 2001 and 2002 (the first two; the second stage's background is the training text
as well); Y. W. Teh, ACL 2006, and S. Huang and S. Renals, IEEE TASLP 18, 2010 (the numbers t(w) of tables of a
Pitman-Yor process are taken as c(w)^d, t is their sum); D. MacKay and L. Peto, Natural Language Engineering 1, 1995
(hierarchical Dirichlet: \alpha maximises the likelihood of the texts of all classes).
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from textmix.models.common.generative import CountClassifier
from textmix.models.common.sklearn_private import Interval
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.naive_bayes.multinomial import _Multinomial


class _Smoothed(_Multinomial):
    """One multinomial a class, smoothed by the words of all training text."""

    def _background(self) -> tuple[np.ndarray, float]:
        """Return the background p(w), (V,), uniform where there is no training text; mu is not used."""
        counts = self._feature_count.sum(axis=1)
        counts = counts if counts.sum() > 0 else np.ones(self.n_features_in_)
        return counts / counts.sum(), 0.0

    def _shares(self, background: np.ndarray) -> np.ndarray:
        """Return c(w) / n of each class, (V, C); the background for a class without text."""
        mass = self._feature_count.sum(axis=0)
        shares = self._feature_count / np.where(mass > 0, mass, 1.0)
        shares[:, mass == 0] = background[:, np.newaxis]
        return shares


class JelinekMercerClassifier(_Smoothed):
    """Multinomial naive Bayes whose classes are mixed with the background at a fixed share.

    Parameters
    ----------
    mixing : lambda, from 0 to 1.
    delta : pseudo-documents that are added to each class for its prior; infinity gives equal priors.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_ : see `CountClassifier`.
    feature_count_, feature_log_prob_ : float64 (C, V).

    Examples
    --------
    >>> from textmix import JelinekMercerClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> JelinekMercerClassifier().fit(X, y).predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "mixing": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, *, mixing: float = 0.3, delta: float = 0.0) -> None:
        self.mixing = mixing
        self.delta = delta

    def _probability(self) -> np.ndarray:
        """Return p(w|c), (V, C)."""
        background = self._background()[0]
        mixed: np.ndarray = (1.0 - self.mixing) * self._shares(background) + self.mixing * background[:, np.newaxis]
        return mixed


class TwoStageClassifier(_Smoothed):
    """Multinomial naive Bayes with pseudo-words of the background, then mixed with it at a fixed share.

    Parameters
    ----------
    mu : pseudo-words that are added to each class, at least 0.
    mixing : lambda, from 0 to 1.
    delta : pseudo-documents that are added to each class for its prior; infinity gives equal priors.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_ : see `CountClassifier`.
    feature_count_, feature_log_prob_ : float64 (C, V).

    Examples
    --------
    >>> from textmix import TwoStageClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> TwoStageClassifier(mu=10.0).fit(X, y).predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "mu": [Interval(Real, 0, None, closed="left")],
        "mixing": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, *, mu: float = 1000.0, mixing: float = 0.1, delta: float = 0.0) -> None:
        self.mu = mu
        self.mixing = mixing
        self.delta = delta

    def _probability(self) -> np.ndarray:
        """Return p(w|c), (V, C)."""
        background = self._background()[0]
        mass = self._feature_count.sum(axis=0)
        kept = (mass / np.where(mass + self.mu > 0, mass + self.mu, 1.0)) * (1.0 - self.mixing)
        mixed: np.ndarray = kept * self._shares(background) + (1.0 - kept) * background[:, np.newaxis]
        return mixed


class PitmanYorClassifier(_Smoothed):
    """Multinomial naive Bayes with the smoothing of a Pitman-Yor process: a power-law discount of each count.

    Parameters
    ----------
    discount : d, from 0 (Dirichlet smoothing) to below 1.
    strength : theta, at least 0.
    delta : pseudo-documents that are added to each class for its prior; infinity gives equal priors.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_, n_features_in_ : see `CountClassifier`.
    feature_count_, feature_log_prob_ : float64 (C, V).

    Examples
    --------
    >>> from textmix import PitmanYorClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> PitmanYorClassifier().fit(X, y).predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CountClassifier._parameter_constraints,
        "discount": [Interval(Real, 0, 1, closed="left")],
        "strength": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, *, discount: float = 0.5, strength: float = 1.0, delta: float = 0.0) -> None:
        self.discount = discount
        self.strength = strength
        self.delta = delta

    def _probability(self) -> np.ndarray:
        """Return p(w|c), (V, C); a weighted count below 1 is its own number of tables."""
        background, counts = self._background()[0], self._feature_count
        tables = np.minimum(counts, np.where(counts > 0, counts, 1.0) ** self.discount)
        total = counts.sum(axis=0) + self.strength
        back = self.strength + self.discount * tables.sum(axis=0)
        mixed: np.ndarray = counts - self.discount * tables + back * background[:, np.newaxis]
        mixed /= np.where(total > 0, total, 1.0)
        mixed[:, total == 0] = background[:, np.newaxis]
        return mixed


class SharedDirichletClassifier(_Smoothed):
    """Multinomial naive Bayes whose classes share a Dirichlet prior that is fitted to the texts of all classes.

    Parameters
    ----------
    smoothing : added to each parameter of the prior, as a share of the smallest positive one; gives a word that occurs
        in no training text a probability.
    delta : pseudo-documents that are added to each class for its prior; infinity gives equal priors.

    Attributes
    ----------
    alpha_ : float64 (V,), the parameters of the prior.
    classes_, class_count_, class_log_prior_, n_features_in_ : see `CountClassifier`.
    feature_count_, feature_log_prob_ : float64 (C, V).

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
    }

    def __init__(self, *, smoothing: float = 0.01, delta: float = 0.0) -> None:
        self.smoothing = smoothing
        self.delta = delta

    def _probability(self) -> np.ndarray:
        """Return p(w|c), (V, C), and set ``alpha_``: the DCM of the classes' texts, one long document a class."""
        texts = sparse.csr_array(self._feature_count.T)
        prior = DCMClassifier(smoothing=self.smoothing).fit(texts, np.zeros(texts.shape[0], dtype=np.int64))
        self.alpha_ = prior.alpha_[0].copy()
        counts = self._feature_count + self.alpha_[:, np.newaxis]
        return np.asarray(counts / counts.sum(axis=0))
