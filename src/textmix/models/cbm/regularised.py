"""The Conditional Bernoulli Mixture with its authors' later regularisation of model and of label structure.

Source: B. Wang, C. Li, V. Pavlu and J. A. Aslam, Regularizing Model Complexity and Label Structure for Multi-Label Text
Classification, arXiv 1705.00740, 2017: elastic net, early stopping, support inference, and prediction for F by the
general F maximiser.  Here early stopping looks at the likelihood of held-out instances, and so does the choice of K.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.common.checks import OF_OTHER_DECISIONS, Failures
from textmix.models.common.multilabel import generator, label_sets
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.targets import in_form_of_y
from textmix.models.label_sets.estimators import SetScorer


class RegularisedCBM(SetScorer, CBMClassifier):
    """A CBM with elastic net, early stopping and K by held-out likelihood, and support inference.

    A share of the training instances is held out.  For each K in ``candidates`` EM runs on the rest until the
    likelihood of the held-out label sets has not increased for ``patience`` iterations.  The best K and its best number
    of iterations are then used in a fit to all training instances.

    Parameters
    ----------
    candidates : the numbers of components to choose from.
    held_out : share of the training instances that is held out, above 0 and below 1.
    patience : iterations of EM without an increase after which a run ends.
    support : whether only label sets of training instances have probability (support inference); if not, every set.
    variance, l1_ratio, max_iter, steps, decision, random_state : see `CBMClassifier`.

    Attributes
    ----------
    sets_ : int8 (S, L), the label sets of the training instances.
    n_components_, n_iter_ : the chosen K and number of EM iterations.
    held_out_path_ : float64 (n,), the mean log-likelihood of the held-out label sets after each iteration of the best
        run, in nats, over all label sets.
    gate_, experts_, space_, objective_path_, converged_, allow_empty_ : see `CBMClassifier`.

    Examples
    --------
    >>> from textmix import RegularisedCBM
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = RegularisedCBM(candidates=(2, 3), random_state=0).fit(X * 3, y * 3)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _expected_failures: ClassVar[Failures] = OF_OTHER_DECISIONS
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{key: CBMClassifier._parameter_constraints[key] for key in ("variance", "l1_ratio", "max_iter", "steps")},
        **{key: CBMClassifier._parameter_constraints[key] for key in ("decision", "random_state")},
        "candidates": ["array-like"],
        "held_out": [Interval(Real, 0, 1, closed="neither")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "support": ["boolean"],
    }

    def __init__(
        self,
        *,
        candidates: tuple[int, ...] = (5, 15),
        held_out: float = 0.2,
        patience: int = 2,
        support: bool = True,
        variance: float = 1.0,
        l1_ratio: float = 0.1,
        max_iter: int = 20,
        steps: int = 10,
        decision: str = "mode",
        random_state: Any = None,
    ) -> None:
        self.candidates = candidates
        self.held_out = held_out
        self.patience = patience
        self.support = support
        self.variance = variance
        self.l1_ratio = l1_ratio
        self.max_iter = max_iter
        self.steps = steps
        self.decision = decision
        self.random_state = random_state

    #: The halves are logistic regressions; `CBMClassifier` asks for it where it predicts and saves.
    learner: Any = "logistic"

    @property
    def _fitted_forms(self) -> dict[str, Any]:
        """Fitted attributes and their forms, see `textmix.serve.forms`."""
        return {**super()._fitted_forms, "sets_": "int8 S L", "held_out_path_": "float64 *"}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Choose K and the number of iterations on held-out instances, and fit to all instances."""
        self.sets_ = label_sets(Y)[0]
        seed = int(generator(self.random_state).integers(2**31))
        held, rest = _parts(len(Y), self.held_out, seed)
        paths = {k: self._path(self._mixture(k, seed), (X[rest], Y[rest]), (X[held], Y[held])) for k in self.candidates}
        best = max(paths, key=lambda k: paths[k].max())
        self.held_out_path_ = paths[best]
        model = self._mixture(best, seed).set_params(max_iter=int(np.argmax(paths[best])) + 1)
        for _ in model._iterate(X, Y):
            pass
        for name in ("gate_", "experts_", "space_", "n_components_", "n_iter_", "converged_", "objective_path_"):
            setattr(self, name, getattr(model, name))
        self.allow_empty_ = model.allow_empty_

    def _mixture(self, n_components: int, seed: int) -> CBMClassifier:
        """Return a mixture of K components that is not fitted."""
        shared = {name: getattr(self, name) for name in ("variance", "l1_ratio", "max_iter", "steps")}
        return CBMClassifier(n_components=n_components, n_init=3, tol=0.0, random_state=seed, **shared)

    def _path(self, model: CBMClassifier, train: tuple[Any, np.ndarray], held: tuple[Any, np.ndarray]) -> np.ndarray:
        """Return the mean held-out log-likelihood after each iteration of a run, float64 (n,).

        Parameters
        ----------
        model : a mixture that is not fitted.
        train, held : features and label indicators of the training and of the held-out instances.
        """
        path: list[float] = []
        for _ in model._iterate(*train):
            path.append(float(model.features_log_proba(*held).mean()))
            if len(path) - 1 - int(np.argmax(path)) >= self.patience:
                break
        return np.array(path)

    def decide(self, X: Any, decision: str) -> np.ndarray:
        """Return label sets, int64 (N, L), as `CBMClassifier.decide`; with ``support`` as `SetScorer.decide` says.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return SetScorer.decide(self, X, decision) if self.support else CBMClassifier.decide(self, X, decision)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return a label set for each instance by ``decision``, int64 (N, L) of 0 and 1.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return self.decide(X, self.decision)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the marginal probability of each label, float64 (N, L).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return SetScorer.predict_proba(self, X) if self.support else CBMClassifier.predict_proba(self, X)

    def set_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Return log p(y|x) of given label sets Y (N, L) of 0 and 1, float64 (N,).

        With ``support`` it is -inf for a set that no training instance has.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return SetScorer.set_log_proba(self, X, Y) if self.support else CBMClassifier.set_log_proba(self, X, Y)

    def _scores(self, X: Any) -> np.ndarray:
        """Return log p(y|x) of every training set under the mixture, float64 (n, S)."""
        total = np.full((X.shape[0], len(self.sets_)), -np.inf)
        sets = self.sets_.astype(np.float64)
        for rows, log_pi, odds in self._chunks(X):
            for z, weight in zip(odds, log_pi.T, strict=True):
                base = weight - np.logaddexp(0.0, z).sum(axis=1)
                total[rows] = np.logaddexp(total[rows], base[:, np.newaxis] + z @ sets.T)
        return total


def _parts(n: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows held out and the rest, int64 in increasing order; of a single instance both hold it."""
    if n < 2:
        return np.arange(n), np.arange(n)
    order = np.random.default_rng(seed).permutation(n)
    size = min(max(1, round(share * n)), n - 1)
    return np.sort(order[:size]), np.sort(order[size:])
