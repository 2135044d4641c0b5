"""Checks of features, counts, labels and weights, for all estimators.

A check returns its input in the one form that the estimator takes.  ``reset`` is True in ``fit``, which sets
``n_features_in_``, and False in predictions, which compare with it.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from textmix.models.common.sklearn_private import check_sample_weight, checks_parameters
from textmix.numerics.matrix_validation import check_counts_in_range, computable, sound

#: Computing on a sparse matrix with a larger fraction of nonzero elements is faster in dense form.
DENSE_FROM = 0.2

Fit = TypeVar("Fit", bound=Callable[..., Any])


def checked_fit(fit: Fit) -> Fit:
    """Decorate a method that fits: it checks the parameters before, and after it a fit that has not converged warns."""
    checking: Callable[..., Any] = checks_parameters(fit)

    @functools.wraps(fit)
    def fitted(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = checking(self, *args, **kwargs)
        if not getattr(self, "converged_", True):
            has_limit = hasattr(self, "max_iter")
            remedy = f" within max_iter={self.max_iter}; raise max_iter" if has_limit else "; raise tol"
            warnings.warn(f"{type(self).__name__} has not converged{remedy}", ConvergenceWarning, stacklevel=2)
        return found

    return fitted  # type: ignore[return-value]


def check_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return features (N, V) as float64: CSR for a sparse X with at most `DENSE_FROM` of its cells, else dense."""
    checked = _validated(estimator, X, dtype=np.float64, reset=reset)
    if not sparse.issparse(checked):
        return np.ascontiguousarray(checked)
    matrix = sparse.csr_array(checked)
    if matrix.nnz > DENSE_FROM * matrix.shape[0] * matrix.shape[1]:
        return matrix.toarray()
    return matrix


def check_counts(estimator: Any, X: Any, *, reset: bool, dtype: Any = "numeric") -> sparse.csr_array:
    """Return counts (N, V) in the form of `canonical`."""
    return _not_negative(estimator, _validated(estimator, X, dtype=dtype, reset=reset))


def check_classified_counts(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts (N, V) in the form of `canonical`, and the class labels (N,)."""
    X, y = check_classified(estimator, X, y, reset=reset)
    return _not_negative(estimator, X), y


def check_classified(estimator: Any, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, np.ndarray]:
    """Return a matrix (N, V) of finite numbers, CSR or dense, and the class labels (N,)."""
    X, y = _validated(estimator, X, y, reset=reset)
    check_classification_targets(y)
    return X, y


def check_two_classes(estimator: Any, X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Return a matrix as `check_classified`, and the index of each document's class, int64 (N,); set ``classes_``.

    Fewer than two classes are a ValueError.
    """
    X, y = check_classified(estimator, X, y)
    estimator.classes_, codes = np.unique(y, return_inverse=True)
    if len(estimator.classes_) < 2:
        raise ValueError(f"{type(estimator).__name__} needs two classes; y has only one class")
    return X, codes


def check_classes(X: Any, y: Any) -> np.ndarray:
    """Return the class labels (N,) of N documents X, which may have another form than a matrix."""
    check_classification_targets(y)
    check_consistent_length(X, y)
    return column_or_1d(y)


def class_codes(classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the index into ``classes`` (C,), which are sorted, of each of N labels, int64 (N,)."""
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    unknown = classes[codes] != y
    if unknown.any():
        raise ValueError(f"label {y[unknown].tolist()[0]!r} is not among the classes; fit with it or leave it out")
    return codes


def check_matrix(estimator: Any, X: Any) -> Any:
    """Return a matrix (N, V) of finite numbers, CSR or dense, for a prediction."""
    return _validated(estimator, X, reset=False)


def check_labelled_counts(
    estimator: Any, X: Any, Y: Any, *, dtype: Any = "numeric", reset: bool = True, classes: Any = None
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return training counts (N, V) and label indicators (N, L), both in the form of `canonical`.

    The estimator gets its ``classes_``, ``classes`` or those of Y; without ``reset`` it keeps them.
    """
    counts = check_counts(estimator, X, reset=reset, dtype=dtype)
    labels = estimator._fit_targets(Y, classes) if reset else check_indicators(estimator._targets(Y))
    check_consistent_length(counts, labels)
    return counts, labels


def check_indicators(Y: Any) -> sparse.csr_array:
    """Return label indicators as float64 CSR (N, L) in the form of `canonical`."""
    if Y is None:
        raise ValueError("y is missing: this estimator requires y to be passed, but the target y is None")
    checked = canonical(sparse.csr_array(check_array(sound(Y), accept_sparse="csr", dtype=np.float64)))
    if (checked.data != 1).any():
        raise ValueError("y must hold label indicators, 0 or 1 (N, L), or a list of labels for each document")
    return checked


def check_label_sets(Y: Any, n_instances: int, n_labels: int) -> np.ndarray:
    """Return the label sets of given instances, int8 (N, L), dense."""
    labels = np.ascontiguousarray(check_indicators(Y).toarray(), dtype=np.int8)
    if labels.shape != (n_instances, n_labels):
        expected = f"{n_instances} instances and the {n_labels} labels of the model"
        raise ValueError(f"Y must hold the labels of {expected}; its shape {labels.shape} is inconsistent with that")
    return labels


def check_weights(sample_weight: Any, X: Any) -> np.ndarray:
    """Return the weights of the rows of X, float64 (N,); all 1 where ``sample_weight`` is None."""
    return computable(check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))


def generator(random_state: Any) -> np.random.Generator:
    """Return a Generator; ``random_state`` is a Generator, or None, a seed or a RandomState as in scikit-learn."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def canonical(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a CSR matrix as kernels need it, itself if it is so: no cell is stored as 0 or twice, rows are sorted."""
    clean = matrix if matrix.has_canonical_format else sound(matrix)
    if clean.data.all():
        return clean
    clean = clean.copy()
    clean.eliminate_zeros()
    return clean


def _validated(estimator: Any, X: Any, *y: Any, reset: bool, dtype: Any = "numeric") -> Any:
    """Return X, and y if it is given, as scikit-learn's `validate_data` does, after `sound` and `computable`."""
    found = validate_data(estimator, sound(X), *y, accept_sparse="csr", dtype=dtype, reset=reset)
    return (computable(found[0]), *found[1:]) if y else computable(found)


def refuse_negative(estimator: Any, X: Any) -> None:
    """Raise ValueError if a sparse or dense matrix has a negative value."""
    values = X.data if sparse.issparse(X) else X
    if values.min(initial=1) < 0:
        raise ValueError(f"Negative values in data passed to {type(estimator).__name__}; counts are needed")


def _not_negative(estimator: Any, X: Any) -> sparse.csr_array:
    """Return counts in the form of `canonical`; raises ValueError at a negative one and at one that is out of range."""
    # A csr_array is passed on itself, not converted: SciPy remembers on it that it is canonical.
    counts = X if isinstance(X, sparse.csr_array) else sparse.csr_array(X)
    refuse_negative(estimator, counts)
    check_counts_in_range(counts.data)
    return canonical(counts)
