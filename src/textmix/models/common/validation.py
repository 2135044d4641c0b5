"""Input validation of features, counts, labels and weights.

Every check converts its input to the format that the estimators require.  ``reset`` is True in ``fit``, which sets
``n_features_in_``, and False in prediction methods, which validate the number of features against it.
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

#: Sparse matrices with a larger fraction of nonzero elements are converted to dense arrays, which is faster.
DENSE_FROM = 0.2

Fit = TypeVar("Fit", bound=Callable[..., Any])


def checked_fit(fit: Fit) -> Fit:
    """Validate parameters before ``fit`` and emit a ConvergenceWarning if the fit did not converge."""
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
    """Validate features (N, V), float64; sparse X becomes dense if its density exceeds `DENSE_FROM`, otherwise CSR."""
    checked = _validated(estimator, X, dtype=np.float64, reset=reset)
    if not sparse.issparse(checked):
        return np.ascontiguousarray(checked)
    matrix = sparse.csr_array(checked)
    if matrix.nnz > DENSE_FROM * matrix.shape[0] * matrix.shape[1]:
        return matrix.toarray()
    return matrix


def check_counts(estimator: Any, X: Any, *, reset: bool, dtype: Any = "numeric") -> sparse.csr_array:
    """Validate nonnegative counts (N, V), in canonical CSR format."""
    return _not_negative(estimator, _validated(estimator, X, dtype=dtype, reset=reset))


def check_classified_counts(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[sparse.csr_array, np.ndarray]:
    """Validate nonnegative counts (N, V), in canonical CSR format, and class labels (N,)."""
    X, y = check_classified(estimator, X, y, reset=reset)
    return _not_negative(estimator, X), y


def check_classified(estimator: Any, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, np.ndarray]:
    """Validate a finite matrix (N, V), CSR or dense, and class labels (N,)."""
    X, y = _validated(estimator, X, y, reset=reset)
    check_classification_targets(y)
    return X, y


def check_two_classes(estimator: Any, X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Validate a matrix, see `check_classified`, and encode the class labels, int64 (N,); set ``classes_``.

    Raises
    ------
    ValueError
        If y has fewer than two classes.
    """
    X, y = check_classified(estimator, X, y)
    estimator.classes_, codes = np.unique(y, return_inverse=True)
    if len(estimator.classes_) < 2:
        raise ValueError(f"{type(estimator).__name__} needs two classes; y has only one class")
    return X, codes


def check_classes(X: Any, y: Any) -> np.ndarray:
    """Validate the class labels (N,) of N documents X, which need not be a matrix."""
    check_classification_targets(y)
    check_consistent_length(X, y)
    return column_or_1d(y)


def class_codes(classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Encode labels as indices into the sorted ``classes`` (C,), int64 (N,); raise ValueError on unknown labels."""
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    unknown = classes[codes] != y
    if unknown.any():
        raise ValueError(f"label {y[unknown].tolist()[0]!r} is not among the classes; fit with it or leave it out")
    return codes


def check_matrix(estimator: Any, X: Any) -> Any:
    """Validate a finite matrix (N, V), CSR or dense, for prediction."""
    return _validated(estimator, X, reset=False)


def check_labelled_counts(
    estimator: Any, X: Any, Y: Any, *, dtype: Any = "numeric", reset: bool = True, classes: Any = None
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Validate training counts (N, V) and label indicators (N, L), both in canonical CSR format.

    If ``reset``, set ``classes_`` of the estimator to ``classes``, or to the labels in Y if None.
    """
    counts = check_counts(estimator, X, reset=reset, dtype=dtype)
    labels = estimator._fit_targets(Y, classes) if reset else check_indicators(estimator._targets(Y))
    check_consistent_length(counts, labels)
    return counts, labels


def check_indicators(Y: Any) -> sparse.csr_array:
    """Validate label indicators, float64 (N, L) in canonical CSR format."""
    if Y is None:
        raise ValueError("y is missing: this estimator requires y to be passed, but the target y is None")
    checked = canonical(sparse.csr_array(check_array(sound(Y), accept_sparse="csr", dtype=np.float64)))
    if (checked.data != 1).any():
        raise ValueError("y must hold label indicators, 0 or 1 (N, L), or a list of labels for each document")
    return checked


def check_label_sets(Y: Any, n_instances: int, n_labels: int) -> np.ndarray:
    """Validate the label sets of ``n_instances`` instances, dense int8 (N, L)."""
    labels = np.ascontiguousarray(check_indicators(Y).toarray(), dtype=np.int8)
    if labels.shape != (n_instances, n_labels):
        expected = f"{n_instances} instances and the {n_labels} labels of the model"
        raise ValueError(f"Y must hold the labels of {expected}; its shape {labels.shape} is inconsistent with that")
    return labels


def check_weights(sample_weight: Any, X: Any) -> np.ndarray:
    """Validate nonnegative sample weights that are not all 0, float64 (N,); all ones if ``sample_weight`` is None."""
    weight = computable(check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
    if not weight.any():  # the lowest supported version of scikit-learn does not check this
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weight


def check_class_weight(class_weight: Any, classes: np.ndarray, codes: np.ndarray, weight: Any = None) -> np.ndarray:
    """Convert the parameter ``class_weight`` to one weight per class.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weights by class, where missing classes have weight 1; "balanced" for weights that are inversely proportional to
        the class frequencies; None for unit weights.
    classes : ndarray of shape (C,)
        Class labels.
    codes : ndarray of shape (N,), dtype int
        Class index of each document.
    weight : ndarray of shape (N,), default=None
        Sample weights, with which "balanced" computes the frequencies.

    Returns
    -------
    class_weights : ndarray of shape (C,), dtype float64

    Raises
    ------
    ValueError
        If a class is unknown, or a weight is not a nonnegative number.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        frequencies = np.bincount(codes, weight, minlength=len(classes)).astype(np.float64)
        frequencies[frequencies == 0.0] = 1.0
        return np.asarray(frequencies.sum() / (len(classes) * frequencies))
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ValueError(f"class_weight has the unknown class {unknown[0]!r}; the classes of y are {labels}")
    weights = np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("class_weight must contain finite nonnegative numbers")
    return weights


def document_weights(estimator: Any, X: Any, codes: np.ndarray, sample_weight: Any) -> np.ndarray | None:
    """Multiply ``sample_weight`` by the ``class_weight`` of each document's class; None if both are None.

    Returns
    -------
    weight : ndarray of shape (N,), dtype float64, or None

    Raises
    ------
    ValueError
        If a weight is invalid, or all documents have weight 0.
    """
    if not is_weighted(estimator, sample_weight):
        return None
    weight = check_weights(sample_weight, X)
    class_weights = check_class_weight(estimator.class_weight, estimator.classes_, codes, weight)
    return check_weights(weight * class_weights[codes], X)


def is_weighted(estimator: Any, sample_weight: Any) -> bool:
    """Return whether a fit has sample weights or class weights."""
    return sample_weight is not None or estimator.class_weight is not None


def generator(random_state: Any) -> np.random.Generator:
    """Construct a Generator from a Generator or any ``random_state`` that scikit-learn supports."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def canonical(matrix: sparse.csr_array) -> sparse.csr_array:
    """Convert to canonical CSR format (no explicit zeros or duplicates, sorted indices); copy only if needed."""
    clean = matrix if matrix.has_canonical_format else sound(matrix)
    if clean.data.all():
        return clean
    clean = clean.copy()
    clean.eliminate_zeros()
    return clean


def _validated(estimator: Any, X: Any, *y: Any, reset: bool, dtype: Any = "numeric") -> Any:
    """Validate X, and y if passed, with scikit-learn's `validate_data`, `sound` and `computable`."""
    found = validate_data(estimator, sound(X), *y, accept_sparse="csr", dtype=dtype, reset=reset)
    return (computable(found[0]), *found[1:]) if y else computable(found)


def refuse_negative(estimator: Any, X: Any) -> None:
    """Raise ValueError if a sparse or dense matrix contains negative values."""
    values = X.data if sparse.issparse(X) else X
    if values.min(initial=1) < 0:
        raise ValueError(f"Negative values in data passed to {type(estimator).__name__}; counts are needed")


def _not_negative(estimator: Any, X: Any) -> sparse.csr_array:
    """Convert counts to canonical CSR format; raise ValueError if any count is negative or out of range."""
    # Do not convert a csr_array: SciPy caches on the object whether it has canonical format.
    counts = X if isinstance(X, sparse.csr_array) else sparse.csr_array(X)
    refuse_negative(estimator, counts)
    check_counts_in_range(counts.data)
    return canonical(counts)
