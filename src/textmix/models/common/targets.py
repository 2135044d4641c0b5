"""Label sets as targets: the two forms of y that a multi-label classifier takes, and predictions in the form of y.

The forms are label indicators (N, L) of 0 and 1, and label sets: the labels of each document as a list, a tuple or a
set, such as ``[["art"], ["art", "music"], []]``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.checks import OF_LABEL_SETS, Failures
from textmix.models.common.validation import check_indicators

_ROWS = (set, frozenset, list, tuple, np.ndarray)
_NAMES = (str, np.str_)


class LabelSetTargets:
    """The part of a multi-label classifier that knows the form of y.

    Attributes
    ----------
    classes_ : (L,), after a fit to label sets the labels, sorted; after a fit to a table of indicators the names of its
        columns; after one to indicators without names the indices 0 to L - 1.
    """

    _expected_failures: ClassVar[Failures] = OF_LABEL_SETS
    #: Fitted attributes and their forms, see `textmix.serve.forms`.
    _target_forms: ClassVar[dict[str, Any]] = {"_named": "bool"}
    classes_: np.ndarray
    #: Whether y was given as label sets, so that predictions are label sets too.
    _named: bool = False

    def _fit_targets(self, y: Any, classes: Any = None) -> sparse.csr_array:
        """Return label indicators, float64 CSR (N, L) in canonical form, and set ``classes_``."""
        sets = label_sets_of(y)
        self._named = sets is not None
        if sets is None:
            refuse_one_dimension(y)
            labels, names = check_indicators(y), names_of_columns(y)
            self.classes_ = np.arange(labels.shape[1]) if names is None else names
            return labels
        self.classes_ = _distinct(sets if classes is None else [frozenset(classes)])
        return indicators_of(sets, self.classes_)

    def _targets(self, y: Any) -> Any:
        """Return targets of documents to be scored as indicators, CSR (N, L) for label sets and else y itself."""
        sets, names = label_sets_of(y), names_of_columns(y)
        if names is not None and self.classes_.dtype.kind == "U" and names.tolist() != self.classes_.tolist():
            raise ValueError(f"y has the columns {names.tolist()}; the fit had {self.classes_.tolist()}")
        return y if sets is None else indicators_of(sets, self.classes_)

    def _in_form_of_y(self, indicators: np.ndarray) -> np.ndarray:
        """Return predicted indicators (N, L) themselves or, after a fit to label sets, as tuples of labels (N,)."""
        if not self._named:
            return indicators
        found = np.empty(len(indicators), dtype=object)
        for row, member in enumerate(indicators.astype(bool)):
            found[row] = tuple(self.classes_[member].tolist())
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of documents whose predicted label set is the true one.

        Parameters
        ----------
        X : documents (N, V).
        y : their targets in the form that ``fit`` got, or after a fit to indicators also label sets; for a classifier
            of single labels, class labels.
        sample_weight : (N,), or None for 1 each.

        Raises
        ------
        ValueError : after a fit to indicators, a label set has another label, or a table other columns.
        """
        sets = label_sets_of(y)
        if sets is None or not self._named:
            check_is_fitted(self)
            return float(super().score(X, self._targets(y), sample_weight))  # type: ignore[misc]
        predicted = self.predict(X)  # type: ignore[attr-defined]
        same = [set(labels) == true for labels, true in zip(predicted, sets, strict=True)]
        return float(np.average(same, weights=sample_weight))


def in_form_of_y(predict: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Return a ``predict`` that gives tuples of labels, object (N,), after a fit to label sets, else indicators."""

    @functools.wraps(predict)
    def converted(self: Any, X: Any) -> np.ndarray:
        """Predict, and convert."""
        return self._in_form_of_y(predict(self, X))

    return converted


def label_sets_of(y: Any) -> list[frozenset[Any]] | None:
    """Return the labels of each document if y is label sets, and None if it is a matrix or one value a document.

    Lists and tuples are label sets if they hold a string, for lists of numbers can be rows of indicators; labels that
    are whole numbers come as sets.
    """
    numbers = getattr(getattr(y, "dtype", None), "kind", "O") in "biufc"
    if not isinstance(y, Iterable) or numbers or sparse.issparse(y) or hasattr(y, "columns"):
        return None
    rows = list(y)
    if not rows or not any(map(_names_labels, rows)):
        return None
    wrong = next((row for row in rows if not isinstance(row, _ROWS)), None)
    if wrong is not None:
        raise ValueError(f"y holds {wrong!r} among label sets; give a list of labels for each document")
    sets = [frozenset(row.tolist() if isinstance(row, np.ndarray) else row) for row in rows]
    known = (*_NAMES, int, np.integer)
    odd = next((label for labels in sets for label in labels if not isinstance(label, known)), None)
    if odd is not None:
        raise ValueError(f"y holds the label {odd!r}; labels are strings or whole numbers")
    return sets


def names_of_columns(y: Any) -> np.ndarray | None:
    """Return the names of the columns of a table of indicators, (L,), if all are strings; else None."""
    columns = list(y.columns) if hasattr(y, "columns") else []
    return np.array(columns) if columns and all(isinstance(name, _NAMES) for name in columns) else None


def refuse_one_dimension(y: Any) -> None:
    """Raise ValueError if y has one value a document, where a set of labels is asked."""
    one = getattr(y, "ndim", None) == 1
    if isinstance(y, (list, tuple)) and len(y):
        one = not isinstance(y[0], _ROWS) and np.ndim(y[0]) == 0
    if one:
        what = "string" if isinstance(next(iter(y), None), _NAMES) else "value"
        raise ValueError(
            f"y holds one {what} a document, as a 1D array does; give a list of labels for each document, "
            "or indicators of 0 and 1 with a row for each document and a column for each label"
        )


def _names_labels(row: Any) -> bool:
    """Say whether a row can only be a label set: a set, or a list, a tuple or an array with a string."""
    if isinstance(row, (set, frozenset)):
        return True
    return isinstance(row, _ROWS) and any(isinstance(label, _NAMES) for label in row)


def _distinct(sets: Iterable[frozenset[Any]]) -> np.ndarray:
    """Return all labels of some label sets, (L,), sorted."""
    labels = frozenset().union(*sets)
    if not labels:
        raise ValueError("y holds no label; give at least one document a label")
    if len({isinstance(label, _NAMES) for label in labels}) > 1:
        raise ValueError("y mixes labels that are strings with labels that are numbers; give all as strings")
    return np.array(sorted(labels))


def indicators_of(sets: list[frozenset[Any]], classes: np.ndarray) -> sparse.csr_array:
    """Return label sets as indicators, float64 CSR (N, L) with sorted columns."""
    place = {label: column for column, label in enumerate(classes.tolist())}
    unknown = next((label for labels in sets for label in labels if label not in place), None)
    if unknown is not None:
        raise ValueError(f"the label {unknown!r} is not among the labels of the fit; leave it out, or fit with it")
    rows = [sorted(place[label] for label in labels) for labels in sets]
    indptr = np.cumsum([0, *map(len, rows)])
    columns = np.array([column for row in rows for column in row], dtype=np.int32)
    return sparse.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(sets), len(classes)))
