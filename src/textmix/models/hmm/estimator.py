r"""Hidden Markov models as estimators: a density of word sequences, and a classifier with one model a class.

The source (thesis, conclusion) names three forms and prints no equation: a model of a class over a small vocabulary of
word clusters, one over the whole vocabulary whose emissions are approximated beforehand, and, as future work, one whose
emissions are shared by the classes.  The training is that of `textmix.models.hmm.training`.

scikit-learn's checks feed matrices of reals, so tests of their own try these estimators, whose X is `TokenSequences` or
a list of sequences of whole numbers.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.generative import set_impossible
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_classes, checked_fit, class_codes
from textmix.models.hmm.topics import topic_emissions
from textmix.models.hmm.training import (
    BaumWelch,
    Chain,
    pass_emissions,
    random_chain,
    random_emissions,
    random_transitions,
)
from textmix.text.sequences import TokenSequences

_CONSTRAINTS: dict[str, list[Any]] = {
    "n_states": [Interval(Integral, 1, None, closed="left")],
    "smoothing": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
}


class HiddenMarkovModel(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """Hidden Markov model of word sequences.

    A method that takes documents raises ValueError where a word is no whole number or outside of the vocabulary.

    Parameters
    ----------
    n_states : S.
    smoothing : kappa, the constant added to every expected count, positive.
    max_iter : largest number of steps.
    tol : training has converged when a step increases the objective by at most this much a word, in nats.
    random_state : seed of the start.

    Attributes
    ----------
    startprob_ : float64 (S,).
    transmat_ : float64 (S, S); rows sum to 1.
    emissionprob_ : float64 (S, V); rows sum to 1.
    n_features_in_ : V.
    objective_path_ : J before each step, in nats.
    n_iter_, converged_ : number of steps, and whether ``tol`` was met.

    Examples
    --------
    >>> from textmix import HiddenMarkovModel
    >>> X = [[0, 1, 0, 1, 0, 1], [1, 0, 1, 0]]
    >>> model = HiddenMarkovModel(n_states=2, smoothing=0.01, random_state=0).fit(X)
    >>> first, second = model.score_samples([[0, 1, 0, 1], [0, 0, 1, 1]])
    >>> bool(first > second)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _CONSTRAINTS

    def __init__(
        self,
        *,
        n_states: int = 5,
        smoothing: float = 0.1,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_states = n_states
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Estimate the model from N sequences of words; ``y`` is ignored.

        Raises
        ------
        ValueError : there is no word.
        """
        X = training_sequences(X)
        rng = check_random_state(self.random_state)
        training = BaumWelch([X], [random_chain(background(X), self.n_states, rng)], self.smoothing, "own")
        self.converged_ = training.run(self.max_iter, self.tol)
        (self._chain,), self.objective_path_ = training.chains, training.path
        self.startprob_, self.transmat_ = self._chain.start, self._chain.transitions
        self.emissionprob_ = self._chain.emissions.T
        self.n_iter_, self.n_features_in_ = len(training.path), X.n_words
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """Return log p(d) of each document as a sequence, float64 (N,), in nats."""
        check_is_fitted(self)
        return self._chain.log_likelihood(known_sequences(X, self.n_features_in_))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log p(d) of N documents, in nats."""
        return float(self.score_samples(X).mean())

    def predict(self, X: Any) -> list[np.ndarray]:
        """Return the likeliest path of states of each document (Viterbi), N arrays int32 (T_d,)."""
        check_is_fitted(self)
        return self._chain.paths(known_sequences(X, self.n_features_in_))

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: the input is sequences of words, not a two-dimensional array."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


class HMMClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier with a hidden Markov model of word sequences for each class.

    A document goes to the class under which it is most probable.  A method that takes documents raises ValueError where
    a word is no whole number or outside of the vocabulary.

    Parameters
    ----------
    n_states : S of each class; the number of topics where ``emissions`` is "topics".
    emissions : "own": each class estimates its own; "shared": the classes share one estimate, and differ in start and
        transitions alone; "topics": p(w | state) is a topic of the training documents, found by `topic_emissions`, and
        start and transitions alone are estimated; an array, float64 (S, V), not negative, with rows that sum to 1:
        likewise with these p(w | state), such as the ``emissionprob_[0]`` of a model of the same words.
    smoothing, max_iter, tol, random_state : as for `HiddenMarkovModel`; the classes are trained step by step together.

    Attributes
    ----------
    classes_, class_log_prior_ : labels, and log of their shares of the documents, (C,).
    startprob_ : float64 (C, S).
    transmat_ : float64 (C, S, S); rows sum to 1.
    emissionprob_ : float64 (E, S, V); E is C where ``emissions`` is "own", else 1.
    n_features_in_, objective_path_, n_iter_, converged_ : as for `HiddenMarkovModel`.

    Examples
    --------
    >>> from textmix import HMMClassifier
    >>> X = [[0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0]]
    >>> y = ["turns", "turns", "stays", "stays"]
    >>> model = HMMClassifier(n_states=2, smoothing=0.1, random_state=0).fit(X, y)
    >>> model.predict([[1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0]]).tolist()
    ['turns', 'stays']
    """

    #: Fitted attributes and their forms, see `textmix.serve.forms`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{"classes_": "int C", "class_log_prior_": "logs C", "n_features_in_": "int"},
        **{"startprob_": "float64 C S", "transmat_": "float64 C S S", "emissionprob_": "float64 E S V"},
        **{"objective_path_": "float64 *", "n_iter_": "int", "converged_": "bool"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CONSTRAINTS,
        "emissions": [StrOptions({"own", "shared", "topics"}), np.ndarray],
    }

    def __init__(
        self,
        *,
        n_states: int = 5,
        emissions: Literal["own", "shared", "topics"] | np.ndarray = "own",
        smoothing: float = 0.1,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_states = n_states
        self.emissions = emissions
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the models from N sequences of words and their class labels (N,).

        Raises
        ------
        ValueError : there is no word, y is no target of a classification, X and y differ in length, or given emissions
            have another shape than (S, V) or a row that is no distribution.
        """
        X = training_sequences(X)
        self.classes_, codes = np.unique(check_classes(X, y), return_inverse=True)
        self.class_log_prior_ = np.log(np.bincount(codes) / len(codes))
        parts = [X[codes == code] for code in range(len(self.classes_))]
        training = BaumWelch(parts, self._starts(X), self.smoothing, self._kind)
        self.converged_ = training.run(self.max_iter, self.tol)
        self._keep(training.chains)
        self.objective_path_, self.n_iter_ = np.array(training.path), len(training.path)
        self.n_features_in_ = X.n_words
        return self

    @property
    def _kind(self) -> str:
        """Whose the emissions are: "own", "shared", or "fixed"."""
        if isinstance(self.emissions, np.ndarray) or self.emissions == "topics":
            return "fixed"
        return str(self.emissions)

    def _starts(self, X: TokenSequences) -> list[Chain]:
        """Return a random start for each class; all have the same emissions unless each class has its own."""
        rng = check_random_state(self.random_state)
        usual = background(X)
        if self._kind == "own":
            return [random_chain(usual, self.n_states, rng) for _ in self.classes_]
        first = np.full(self.n_states, 1.0 / self.n_states)
        transitions, emissions = [], np.empty(0)
        for number in range(len(self.classes_)):
            transitions.append(random_transitions(self.n_states, rng))
            # The random numbers after a class are those after one with emissions of its own.
            if self._kind == "shared" and number == 0:
                emissions = random_emissions(usual, self.n_states, rng)
            else:
                pass_emissions(X.n_words, self.n_states, rng)
        if self._kind == "fixed":
            emissions = self._fixed(X, rng)
        return [Chain(first, each, emissions) for each in transitions]

    def _fixed(self, X: TokenSequences, rng: np.random.RandomState) -> np.ndarray:
        """Return the emissions that stay, float64 (V, S)."""
        if not isinstance(self.emissions, np.ndarray):
            return topic_emissions(X, self.n_states, rng)
        shape = self.n_states, X.n_words
        if self.emissions.shape != shape:
            raise ValueError(f"emissions have shape {self.emissions.shape}; states and words are {shape}")
        emissions = np.ascontiguousarray(self.emissions.T, dtype=np.float64)
        # NaN fails the comparison, too, and infinity the sum.
        if not ((emissions >= 0).all() and np.allclose(emissions.sum(axis=0), 1.0)):
            raise ValueError("emissions hold a row that is no distribution; give numbers from 0 on that sum to 1")
        return emissions

    def _keep(self, chains: list[Chain]) -> None:
        """Set the fitted parameters."""
        self.startprob_ = np.array([chain.start for chain in chains])
        self.transmat_ = np.array([chain.transitions for chain in chains])
        own = chains if self._kind == "own" else chains[:1]
        self.emissionprob_ = np.array([chain.emissions.T for chain in own])

    def _check_loaded(self) -> None:
        """Raise ValueError if what was read from a file is no probability, or has another number of classes."""
        if len(self.emissionprob_) != (len(self.classes_) if self._kind == "own" else 1):
            raise ValueError("emissionprob_ does not hold the emissions of the classes")
        for part in (self.startprob_, self.transmat_, self.emissionprob_):
            # A transition of 0 would leave the scaled form without a bound.
            if not (part > 0).all() or not np.allclose(part.sum(axis=-1), 1.0):
                raise ValueError("a row of probabilities does not sum to 1, or one is not positive")

    def _chain(self, code: int) -> Chain:
        """Return the model of a class."""
        emissions = self.emissionprob_[code if self._kind == "own" else 0]
        return Chain(self.startprob_[code], self.transmat_[code], np.ascontiguousarray(emissions.T))

    def _known(self, X: Any) -> TokenSequences:
        """Return new documents as sequences of the symbols that the states emit."""
        return known_sequences(X, self.n_features_in_)

    def log_likelihood(self, X: Any, convention: Literal["sequence"] = "sequence") -> np.ndarray:
        """Return log p(d | c) of each document as a sequence, the one ``convention`` here, float64 (N, C), in nats."""
        check_is_fitted(self)
        known = self._known(X)
        found = np.column_stack([self._chain(code).log_likelihood(known) for code in range(len(self.classes_))])
        return found + self._class_free(X)[:, np.newaxis]

    def own_log_likelihood(self, X: Any, y: Any) -> np.ndarray:
        """Return log p(d | class of d) of each document, float64 (N,), in nats: a column of `log_likelihood`.

        Raises
        ------
        ValueError : a label is not among ``classes_``, or X and y differ in length.
        """
        check_is_fitted(self)
        known = self._known(X)
        check_consistent_length(known, y)
        codes, found = class_codes(self.classes_, column_or_1d(y)), np.empty(len(known))
        for code in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == code)
            found[rows] = self._chain(code).log_likelihood(known[rows])
        return found + self._class_free(X)

    def _class_free(self, X: Any) -> np.ndarray:
        """Return the part of log p(d | c) that the states do not emit, the same in all classes, float64 (N,)."""
        return np.zeros(len(X))

    def text_lengths(self, X: Any) -> np.ndarray:
        """Return the number of words of each document, int64 (N,)."""
        return TokenSequences.of(X).lengths

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(c) + log p(d | c), float64 (N, C).

        A document that has probability 0 in every class, as given emissions can make it, gets the log priors.
        """
        joint = self.log_likelihood(X) + self.class_log_prior_
        set_impossible(joint, self.class_log_prior_)
        return joint

    def predict(self, X: Any) -> np.ndarray:
        """Return the likeliest class of each document, (N,); of equally likely classes the first."""
        check_is_fitted(self)
        return self.classes_[np.argmax(self.predict_joint_log_proba(X), axis=1)]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(c | d), float64 (N, C)."""
        joint = self.predict_joint_log_proba(X)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(c | d), float64 (N, C)."""
        return np.exp(self.predict_log_proba(X))

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: the input is sequences of words, not a two-dimensional array."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def background(X: TokenSequences) -> np.ndarray:
    """Return p(w) in all documents with 1 added to each count, float64 (V,)."""
    counts = np.bincount(X.values, minlength=X.n_words) + 1.0
    return counts / counts.sum()


def training_sequences(X: Any) -> TokenSequences:
    """Return training documents as `TokenSequences`; raises ValueError if they hold no word."""
    X = TokenSequences.of(X)
    if not len(X.values):
        raise ValueError("X holds no word; a hidden Markov model needs at least one")
    return X


def known_sequences(X: Any, n_words: int) -> TokenSequences:
    """Return new documents as `TokenSequences`; raises ValueError if a word is none of the model's ``n_words``."""
    X = TokenSequences.of(X)
    if len(X.values) and X.values.max() >= n_words:
        raise ValueError(f"X holds word {X.values.max()}, but the model knows the words 0 to {n_words - 1}")
    return X
