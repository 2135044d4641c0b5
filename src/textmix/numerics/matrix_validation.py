"""Matrix validation: every user-supplied matrix passes `sound` and `computable` before a kernel reads it.

SciPy does not check indices against the shape in most of its formats, and caches the canonical-format flag even if the
arrays have been modified since; out-of-range indices cause its compiled code and the kernels to read out of bounds.
The arrays themselves are therefore validated here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

#: Maximum count: larger integers are not exactly representable in float64.  Minimum positive count: a smaller fraction
#: or weight would lose all significant digits when added to a count of 1.
LARGEST_COUNT = 2.0**53
SMALLEST_COUNT = 1e-16
#: Maximum absolute value of any other number, and minimum of the largest absolute value of a matrix: outside this range
#: squares overflow or underflow, and so do the denominators of estimators.
LARGEST = 1e100
SMALLEST = 1e-100


def sound(X: Any) -> Any:
    """Validate a sparse matrix (N, V) and return it in canonical CSR format; other inputs are returned unchanged.

    A matrix that is already canonical shares its arrays with the result. Duplicates are summed in increasing order of
    value, so that the result does not depend on their order in the arrays.
    """
    if not sparse.issparse(X):
        return X
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; give a matrix with a row for each document")
    _check_layout(X)
    rows = X.tocsr()
    # SciPy caches the sorted flag on a matrix; a new matrix around the same arrays recomputes it.
    rows = type(rows)((rows.data, rows.indices, rows.indptr), shape=rows.shape)
    if rows.has_canonical_format:
        return rows
    rows = rows.copy()
    rows.sort_indices()
    return rows if _has_each_cell_once(rows) else _added(rows)


def _check_layout(X: Any) -> None:
    """Raise ValueError if the arrays of a sparse matrix are inconsistent with its shape or with each other."""
    if X.format in ("csr", "csc", "bsr"):
        X.check_format(full_check=True)
    elif X.format == "coo":
        for size, index in zip(X.shape, X.coords, strict=True):
            _check_inside(index, size)
            if len(index) != len(X.data):
                raise ValueError(f"the matrix has {len(index)} indices for {len(X.data)} values")
    elif X.format == "lil":
        if len(X.rows) != X.shape[0] or list(map(len, X.rows)) != list(map(len, X.data)):
            raise ValueError("the lists of indices and of values of the matrix differ in length")
        _check_inside([index for row in X.rows for index in row], X.shape[1])
    elif X.format == "dok":
        for size, index in zip(X.shape, zip(*X.keys(), strict=True), strict=False):
            _check_inside(index, size)
    elif X.format == "dia" and (X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1]):
        raise ValueError(f"the matrix has {X.offsets.size} offsets for {len(X.data)} diagonals")
    elif X.format == "dia" and len(np.unique(X.offsets)) < len(X.offsets):
        raise ValueError("a diagonal of the matrix is stored twice")


def _check_inside(indices: Any, size: int) -> None:
    """Raise ValueError if an index is not in 0 to size - 1."""
    indices = np.asarray(indices)
    if indices.size and not 0 <= indices.min() <= indices.max() < size:
        raise ValueError(f"an index of the matrix lies outside 0 to {size - 1}")


def _has_each_cell_once(rows: Any) -> bool:
    """Check that a CSR matrix with sorted indices has no duplicates."""
    same = np.flatnonzero(rows.indices[1:] == rows.indices[:-1]) + 1
    return bool(np.isin(same, rows.indptr).all())


def _added(rows: Any) -> Any:
    """Sum the duplicates of a CSR matrix; integers are converted to int64 first."""
    data = rows.data.astype(np.int64) if rows.data.dtype.kind in "iu" else rows.data
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    order = np.lexsort((data, rows.indices, row))
    row = row[order]
    column = rows.indices[order]
    first = np.flatnonzero(np.append(True, (row[1:] != row[:-1]) | (column[1:] != column[:-1])))
    indptr = np.searchsorted(row[first], np.arange(rows.shape[0] + 1)).astype(rows.indptr.dtype)
    return type(rows)((np.add.reduceat(data[order], first), column[first], indptr), shape=rows.shape)


def computable(X: Any) -> Any:
    """Convert a sparse or dense matrix to a dtype that kernels support; raise ValueError for out-of-range values.

    Non-native byte order is swapped, float16 becomes float32 and long double float64. Integers of one or two bytes and
    booleans become int32, since NumPy would compute their roots and logarithms in half precision.
    """
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind == "f":
        most = max(float(values.max(initial=0)), -float(values.min(initial=0)))
        if most > LARGEST or 0 < most < SMALLEST:
            raise ValueError(_outside("the largest number", most, SMALLEST, LARGEST))
    small = dict.fromkeys((1, 2), np.dtype(np.int32)) if values.dtype.kind in "iub" else {}
    kind = {2: np.dtype(np.float32), 16: np.dtype(np.float64)} if values.dtype.kind == "f" else small
    plain = kind.get(values.dtype.itemsize, values.dtype.newbyteorder("="))
    return X if plain == values.dtype and values.dtype.isnative else X.astype(plain)


def check_counts_in_range(values: np.ndarray) -> None:
    """Raise ValueError if a count is outside the supported range (`LARGEST_COUNT`, `SMALLEST_COUNT`)."""
    most = values.max(initial=0)
    if most > LARGEST_COUNT:
        raise ValueError(_outside("a count", most, SMALLEST_COUNT, LARGEST_COUNT))
    if values.min(initial=1) < SMALLEST_COUNT:
        least = np.min(values, initial=1, where=values > 0)
        if least < SMALLEST_COUNT:
            raise ValueError(_outside("a count", least, SMALLEST_COUNT, LARGEST_COUNT))


def _outside(what: str, value: Any, least: float, most: float) -> str:
    """Format the error message for an out-of-range number."""
    return f"{what} of the matrix is {value:g}, which is out of range: give 0 or numbers from {least:g} to {most:g}"
