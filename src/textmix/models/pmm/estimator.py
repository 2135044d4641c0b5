"""Parametric Mixture Models (PMM1 and PMM2) for multi-label text classification.

Source: N. Ueda and K. Saito, "Parametric Mixture Models for Multi-Labeled Text", NIPS 2002.  The words of a page are
drawn from a mixture of the word distributions of its labels, with equal weights (PMM1, equation 3) or with a learned
bias for each pair of labels (PMM2, equations 4 and 5).
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.core.errors import ConfigError
from textmix.metrics.label_sets import parse_label_sets
from textmix.models.common.multilabel import LabelCountClassifier, in_form_of_y
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import (
    check_counts,
    check_indicators,
    check_labelled_counts,
    check_weights,
    checked_fit,
)
from textmix.models.pmm import prediction_kernels as pmm_predict
from textmix.models.pmm.training import EMRun, SetCounts, gather
from textmix.numerics.threads import by_rows

#: Maximum number of labels for ``search="exact"``, which enumerates up to a million label sets per page.
EXACT_LIMIT = 20
SEARCHES = {
    "greedy": pmm_predict.predict_greedily,
    "beam": pmm_predict.predict_by_beam,
    "flip": pmm_predict.predict_by_flips,
    "exact": pmm_predict.predict_exactly,
}


class _ParametricMixture(LabelCountClassifier):
    """Base class of PMM1 and PMM2; PMM2 continues EM with learned alpha."""

    _learns_alpha: ClassVar[bool] = False
    #: Exponent of the prior over alpha; 1 if alpha is not learned.
    zeta: float = 1.0

    #: Schema of the fitted attributes, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LabelCountClassifier._forms,
        "theta_": "float64 V L",
        "alpha_": "float64 L L",
        "label_count_": "float64 L",
        "size_count_": "float64 L+1",
        "objective_path_": "float64 *",
        "n_iter_": "int",
        "converged_": "bool",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "xi": [Interval(Real, 1, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"mean", "random"})],
        "search": [StrOptions(set(SEARCHES))],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "set_prior": [StrOptions({"uniform", "training"})],
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        xi: float = 2.0,
        tol: float = 1e-7,
        max_iter: int = 1000,
        init: str = "mean",
        search: str = "greedy",
        beam_width: int = 8,
        set_prior: str = "uniform",
        temperature: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.xi = xi
        self.tol = tol
        self.max_iter = max_iter
        self.init = init
        self.search = search
        self.beam_width = beam_width
        self.set_prior = set_prior
        self.temperature = temperature
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise J, equation (6), by EM.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Nonnegative counts. V is the size of the whole vocabulary: words without occurrences get the probability
            implied by the prior.
        y : {array-like, sparse matrix} of shape (N, L), or list of N label lists
            Label indicators (0 or 1), or the labels of each page. Unlabelled pages are dropped. A label without pages
            gets the uniform distribution over the V words, and is never predicted.
        sample_weight : array-like of shape (N,), default=None
            Nonnegative sample weights; a page of weight 2 counts as two pages. None is equivalent to unit weights.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, or all pages are unlabelled.
        """
        counts, indicators = check_labelled_counts(self, X, y)
        return self._fit_sums(SetCounts.of(counts, indicators.toarray() > 0, check_weights(sample_weight, counts)))

    @checked_fit
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Update the model with a batch of pages; the result equals `fit` on all batches.

        The counts are summed over the pages of each label set, so that collections larger than memory can be processed
        in batches.  Each call restarts EM on all sums: prefer few large batches.  The sums are not saved with a model.

        Parameters
        ----------
        X, y, sample_weight
            See `fit`.
        classes : array-like of shape (L,), default=None
            All labels that can occur in any batch; required in the first call if y contains label sets, otherwise
            ignored.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid (see `fit`), y contains a label that is not in the classes, ``classes`` is required
            but missing, or the model was loaded from a file.
        """
        first = not hasattr(self, "_sums")
        if first and hasattr(self, "theta_"):
            raise ValueError("a persisted model has no sums over its pages; begin a new model with partial_fit")
        if first and classes is None and parse_label_sets(y) is not None:
            raise ValueError("classes is missing: the first label sets need not name all labels; pass all labels")
        counts, indicators = check_labelled_counts(self, X, y, reset=first, classes=classes)
        if indicators.shape[1] != len(self.classes_):
            raise ValueError(f"y has {indicators.shape[1]} labels, the first pages had {len(self.classes_)}")
        sums = SetCounts.of(counts, indicators.toarray() > 0, check_weights(sample_weight, counts))
        return self._fit_sums(sums if first else self._sums.plus(sums))

    def _fit_sums(self, sums: SetCounts) -> Self:
        """Run EM on the sums over all pages, and set the fitted attributes."""
        if not len(sums.sets):
            raise ValueError("no page has a label; give at least one labelled page with a positive weight")
        generator = check_random_state(self.random_state)
        training = gather(sums, self.xi - 1.0)
        size = len(training.word)
        n_labels = training.shape[1]
        # EM divides the words of a page among its labels in proportion to theta: initially equally or at random.
        theta = generator.standard_exponential(size) if self.init == "random" else np.ones(size)
        em = EMRun(training, self.xi, self.zeta, theta, np.full((n_labels, n_labels), 0.5))
        path, self.converged_ = em.iterate(self.tol, self.max_iter, learn_alpha=False)
        if self._learns_alpha:
            if self.init == "random":
                em.alpha[:] = _random_alpha(generator, n_labels)
                path = [em.evaluate()]
            rest, self.converged_ = em.iterate(self.tol, self.max_iter, learn_alpha=True)
            path += rest[1:]
        self._sums = sums
        self.label_count_ = sums.label_count
        self.size_count_ = sums.size_count
        self.theta_ = em.dense_theta()
        self.alpha_ = em.alpha
        self.objective_path_ = np.array(path)
        self.n_iter_ = len(path) - 1
        return self

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable nonempty label set of each page, int64 indicators (N, L).

        Under the uniform prior, all label sets of a page without words are equally probable; it gets the most frequent
        label.

        Raises
        ------
        ConfigError
            If ``search="exact"`` with more than `EXACT_LIMIT` labels.
        """
        return self._search(X)[0].astype(np.int64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the marginal probability of each label, float64 (N, L).

        With ``search="exact"``, the posterior is summed over all nonempty label sets.  Otherwise it is approximated by
        the label sets that the greedy search scores; probable sets that are not scored are ignored.
        """
        return self._search(X)[1]

    def predict_both(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Compute `predict` and `predict_proba`, both (N, L), with a single search."""
        member, marginal = self._search(X)
        return member.astype(np.int64), marginal

    def score_samples(self, X: Any, y: Any = None) -> np.ndarray:
        r"""Compute \sum_i x_i log \phi_i(y) / temperature + log P(y) of each page with its label set, float64 (N,).

        Constants are dropped: the multinomial coefficient and, with ``set_prior="uniform"``, log P(y).  The score of
        the empty label set, which has probability 0 in the model, is -inf.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Nonnegative counts.
        y : array-like of shape (N, L), or list of N label lists, default=None
            Label sets; the predicted ones if None.

        Raises
        ------
        ValueError
            If y is not an indicator matrix of shape (N, L).
        """
        check_is_fitted(self)
        counts = check_counts(self, X, reset=False)
        labels = self._search(counts)[0] if y is None else check_indicators(self._targets(y)).toarray() > 0
        check_consistent_length(counts, labels)
        if labels.shape[1] != len(self.classes_):
            raise ValueError(f"y has {labels.shape[1]} labels, the model was fitted with {len(self.classes_)}")
        return pmm_predict.set_scores(self._pages(counts), self._model(), labels)

    def _search(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Compute label sets, bool (N, L), and label probabilities, float64 (N, L); both are 0 for unseen labels."""
        check_is_fitted(self)
        counts = check_counts(self, X, reset=False)
        known = np.flatnonzero(self.label_count_ > 0)
        if self.search == "exact" and len(known) > EXACT_LIMIT:
            raise ConfigError(f"search='exact' takes at most {EXACT_LIMIT} labels, not {len(known)}; use search='flip'")
        pages = self._pages(counts)
        search = SEARCHES[self.search]
        model = self._model().of_labels(known)

        def search_in(low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
            """Compute label sets and probabilities of the pages ``low:high``."""
            part = pmm_predict.Pages(pages.indptr[low : high + 1], pages.indices, pages.data)
            return search(part, model, self.beam_width)

        found = by_rows(search_in, pages.indptr)
        if len(known) < len(self.classes_):
            whole = tuple(np.zeros((len(part), len(self.classes_)), dtype=part.dtype) for part in found)
            for all_labels, part in zip(whole, found, strict=True):
                all_labels[:, known] = part
            found = whole
        member, marginal = found
        if self.set_prior == "uniform":
            member[np.diff(pages.indptr) == 0] = np.arange(len(self.classes_)) == np.argmax(self.label_count_)
        return member, marginal

    def _pages(self, counts: sparse.csr_array) -> pmm_predict.Pages:
        """Convert counts to the types of the kernels, divided by the temperature."""
        indptr = counts.indptr.astype(np.int64)
        indices = counts.indices.astype(np.int32)
        return pmm_predict.Pages(indptr, indices, counts.data / np.float64(self.temperature))

    def _model(self) -> pmm_predict.Parameters:
        """Construct the parameters of the prediction kernels."""
        if self.set_prior == "training":
            prior = set_prior(self.size_count_, self.label_count_)
        else:
            prior = np.zeros(len(self.classes_) + 1), np.zeros(len(self.classes_))
        # Read-only arrays, such as memory maps, have a different Numba type and would trigger a recompilation.
        theta, alpha = (np.require(values, requirements=["C", "W"]) for values in (self.theta_, self.alpha_))
        return pmm_predict.Parameters(theta, alpha, *prior)


def set_prior(sizes: np.ndarray, label_count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""Estimate a prior over label sets: a distribution of the set size, and a conditional Bernoulli distribution.

    P(y) = q(|y|) \prod_{l in y} o_l / e_{|y|}(o) with odds o_l = (n_l + 1/2) / (n - n_l + 1/2), e_k the elementary
    symmetric polynomials, and q(k) = (n_k + 1/L) / (n + 1).  It sums to 1 over the nonempty sets.

    Parameters
    ----------
    sizes : ndarray of shape (L + 1,)
        Number (or weight) n_k of training pages with k labels.
    label_count : ndarray of shape (L,)
        Number (or weight) n_l of training pages with each label.

    Returns
    -------
    size_weight : ndarray of shape (L + 1,)
        log q(k) - log e_k(o).
    log_odds : ndarray of shape (L,)
        log o_l.
    """
    n_labels = len(label_count)
    n = sizes[1:].sum()
    log_odds = np.log(label_count + 0.5) - np.log(n - label_count + 0.5)
    symmetric = np.full(n_labels + 1, -np.inf)
    symmetric[0] = 0.0
    for odds in log_odds:
        symmetric[1:] = np.logaddexp(symmetric[1:], symmetric[:-1] + odds)
    size_weight = np.log((sizes + 1.0 / n_labels) / (n + 1.0)) - symmetric
    return size_weight, log_odds


def _random_alpha(generator: np.random.RandomState, n_labels: int) -> np.ndarray:
    """Draw a random alpha with alpha_lm + alpha_ml = 1 and alpha_ll = 1/2, float64 (L, L)."""
    lower = np.tril(generator.uniform(size=(n_labels, n_labels)), -1)
    upper = np.triu(1.0 - lower.T, 1)
    return lower + upper + 0.5 * np.eye(n_labels)


class PMM1(_ParametricMixture):
    r"""Parametric Mixture Model of the first order, equations (2), (3), (21): \phi(y) = mean of \theta_l over y.

    The objective J = \sum_n \sum_i x_ni log \phi_i(y_n) + (\xi - 1) \sum_l \sum_i log \theta_li is concave, so that its
    maximum is unique and EM converges to it from any initial values.

    Parameters
    ----------
    xi : float, default=2.0
        Exponent of the Dirichlet prior over word distributions, above 1; the value 2 of the paper adds 1 to each count.
    tol : float, default=1e-7
        EM stops when the relative change of J in an iteration is at most ``tol``.
    max_iter : int, default=1000
        Maximum number of EM iterations; a `ConvergenceWarning` is issued if EM does not converge.
    init : {"mean", "random"}, default="mean"
        Initialisation of EM: divide the words of each page among its labels equally ("mean") or at random.
    search : {"greedy", "beam", "flip", "exact"}, default="greedy"
        Search for the most probable label set: "greedy" adds the best label in each step, as in the paper; "beam"
        extends the ``beam_width`` best sets of each size; "flip" is a local search from the greedy set that adds,
        removes or swaps single labels; "exact" enumerates all sets, for up to 20 labels.
    beam_width : int, default=8
        Number of sets of each size that the beam search extends.
    set_prior : {"uniform", "training"}, default="uniform"
        Prior over label sets: "uniform" as in the paper, or "training", estimated from the training pages by the
        function `set_prior`.
    temperature : float, default=1.0
        The likelihood of a page is raised to the power 1 / temperature before it is multiplied by the prior over label
        sets. The words of a page are not independent, so that posteriors at temperature 1 are overconfident.
    random_state : int, RandomState instance or None, default=None
        Random seed of the initialisation; only used with ``init="random"``.

    Attributes
    ----------
    theta_ : ndarray of shape (V, L)
        Word distribution of each label, in columns.
    alpha_ : ndarray of shape (L, L)
        All elements are 1/2 (PMM1 is PMM2 with this bias).
    label_count_ : ndarray of shape (L,)
        Number (total sample weight) of pages of each label.
    size_count_ : ndarray of shape (L + 1,)
        Number (total sample weight) of pages with 0, 1, ..., L labels.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        J before the first and after each iteration.
    n_iter_ : int
        Number of EM iterations.
    converged_ : bool
        Whether the last iteration met ``tol``.
    classes_ : ndarray of shape (L,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    References
    ----------
    N. Ueda and K. Saito, Parametric Mixture Models for Multi-Labeled Text, NIPS 2002.

    Examples
    --------
    >>> from textmix import PMM1
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = PMM1(xi=1.1).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    >>> model.theta_.sum(axis=0).round(6).tolist()
    [1.0, 1.0, 1.0]
    """


class PMM2(_ParametricMixture):
    r"""Parametric Mixture Model of the second order, equations (4), (5), (16), (17), with a bias for pairs of labels.

    \phi_i(y) = |y|^-2 \sum_{l, m in y} (\alpha_lm \theta_li + \alpha_ml \theta_mi),  \alpha_lm + \alpha_ml = 1.

    The objective J adds (\zeta - 1) \sum_{l, m} log \alpha_lm, over all ordered pairs, to the objective of PMM1.  EM
    converges to a local maximum.  It is initialised with \theta of PMM1, and all \alpha = 1/2 or, with
    ``init="random"``, random \alpha.

    Parameters
    ----------
    zeta : float, default=2.0
        Exponent of the prior over the bias, above 1; 2 in the paper.
    xi : float, default=2.0
        Exponent of the Dirichlet prior over word distributions, above 1.
    tol : float, default=1e-7
        EM stops when the relative change of J in an iteration is at most ``tol``.
    max_iter : int, default=1000
        Maximum number of iterations of each EM run: the run of PMM1, and the run that learns alpha.
    init : {"mean", "random"}, default="mean"
        Initialisation of EM, see `PMM1`.
    search : {"greedy", "beam", "flip", "exact"}, default="greedy"
        Search for the most probable label set, see `PMM1`.
    beam_width : int, default=8
        Number of sets of each size that the beam search extends.
    set_prior : {"uniform", "training"}, default="uniform"
        Prior over label sets, see `PMM1`.
    temperature : float, default=1.0
        Temperature of the likelihood, see `PMM1`.
    random_state : int, RandomState instance or None, default=None
        Random seed of the initialisation; only used with ``init="random"``.

    Attributes
    ----------
    alpha_ : ndarray of shape (L, L)
        alpha_[l, m] is the weight of label l on pages that also have label m; 1/2 on the diagonal and for pairs of
        labels that never co-occur.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        J before the first and after each iteration, for the EM run of PMM1 followed by the run that learns alpha; with
        ``init="random"``, for the second run only.
    n_iter_ : int
        Number of iterations in ``objective_path_``.
    converged_ : bool
        Whether the run that learns alpha converged.
    theta_, label_count_, size_count_, classes_, n_features_in_
        See `PMM1`.

    References
    ----------
    N. Ueda and K. Saito, Parametric Mixture Models for Multi-Labeled Text, NIPS 2002.

    Examples
    --------
    >>> from textmix import PMM2
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = PMM2(xi=1.1).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    >>> model.alpha_.shape
    (3, 3)
    """

    _learns_alpha: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_ParametricMixture._parameter_constraints,
        "zeta": [Interval(Real, 1, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        zeta: float = 2.0,
        xi: float = 2.0,
        tol: float = 1e-7,
        max_iter: int = 1000,
        init: str = "mean",
        search: str = "greedy",
        beam_width: int = 8,
        set_prior: str = "uniform",
        temperature: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            xi=xi,
            tol=tol,
            max_iter=max_iter,
            init=init,
            search=search,
            beam_width=beam_width,
            set_prior=set_prior,
            temperature=temperature,
            random_state=random_state,
        )
        self.zeta = zeta
