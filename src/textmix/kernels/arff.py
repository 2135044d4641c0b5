"""Rows of decimal numbers, read from bytes: sparse and dense ARFF (dense is csv too) and LIBSVM multi-label text.

Formats: ARFF as in Weka's manual, "Attribute-Relation File Format", sections "ARFF data section" and "Sparse ARFF
files"; LIBSVM as in its README, "The format of training and testing data files".

Each kernel fills a `Rows` of the caller, keeps no zero, stops at the first fault and returns ``(rows, status,
position)``.  A decimal of at most 2^53 in its digits and within 10^±22 in its power is converted here: digits and power
are doubles without error, so that one multiplication or division rounds as IEEE 754 asks (Clinger, PLDI 1990, section
3).  Any other number is left to the caller: it stands as NaN in ``values`` and with its position in ``long``.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

OK, NUMBER, INDEX, ORDER, RANGE, SEPARATOR, FEW, MANY, TRUNCATED, EMPTY = range(10)
EXACT, LONG, BAD = range(3)

_TAB, _NEWLINE, _RETURN, _SPACE = 9, 10, 13, 32
_PLUS, _COMMA, _MINUS, _POINT, _COLON, _OPEN, _CLOSE = 43, 44, 45, 46, 58, 123, 125
#: The sign of an index or the digits of a number are read up to here; more would not fit 64 bits.
_ROOM = 10**17
_TENS = np.array([float(f"1e{power}") for power in range(23)])


class Rows(NamedTuple):
    """What the kernels fill.

    Parameters
    ----------
    starts : int64 (rows), position of each row in the file.
    indptr, indices, values : int64 (rows + 1), int32 and float64 (entries): CSR.
    long : int64 (entries, 2), entry and position of each number left to the caller.
    counts : int64 (2), zeros at first: entries and long numbers so far.
    """

    starts: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    long: np.ndarray
    counts: np.ndarray


@numba.njit(cache=True)
def skip_blanks(data: np.ndarray, at: int) -> int:
    """Return the position of the first byte from ``at`` on that is no space, tab or carriage return."""
    while at < len(data) and (data[at] == _SPACE or data[at] == _TAB or data[at] == _RETURN):
        at += 1
    return at


@numba.njit(cache=True)
def is_digit(data: np.ndarray, at: int) -> bool:
    """Return whether a decimal digit stands at ``at``."""
    return at < len(data) and 48 <= data[at] <= 57


@numba.njit(cache=True)
def read_index(data: np.ndarray, at: int) -> tuple[int, int]:
    """Return a number of digits only (-1 where none stands; never over 10^17) and the position after it."""
    if not is_digit(data, at):
        return np.int64(-1), at
    value = np.int64(0)
    while is_digit(data, at):
        value = min(value * 10 + np.int64(data[at]) - 48, np.int64(_ROOM))
        at += 1
    return value, at


@numba.njit(cache=True)
def read_power(data: np.ndarray, at: int) -> tuple[int, int, bool]:
    """Return the power of ten written at ``at`` (``e-3``; 0 if there is none), the position after it and if it is whole."""
    if at >= len(data) or (data[at] != 69 and data[at] != 101):
        return np.int64(0), at, True
    at += 1
    negative = at < len(data) and data[at] == _MINUS
    if at < len(data) and (data[at] == _PLUS or data[at] == _MINUS):
        at += 1
    power, after = read_index(data, at)
    return (-power if negative else power), after, after > at


@numba.njit(cache=True)
def read_number(data: np.ndarray, at: int) -> tuple[float, int, int]:
    """Return a decimal number, the position after it and if it is `EXACT`, `LONG` (then NaN) or `BAD`."""
    negative = at < len(data) and data[at] == _MINUS
    if at < len(data) and (data[at] == _PLUS or data[at] == _MINUS):
        at += 1
    start, point = at, np.int64(0)
    digits, power, cut = np.int64(0), np.int64(0), False
    while is_digit(data, at) or (point == 0 and at < len(data) and data[at] == _POINT):
        if data[at] == _POINT:
            point = 1
        elif digits < _ROOM:
            digits = digits * 10 + np.int64(data[at]) - 48
            power -= point
        else:
            cut = True
        at += 1
    has_digits = at - start > point
    written, at, whole = read_power(data, at)
    power += written
    if not (has_digits and whole):
        return np.nan, at, BAD
    if digits == 0:
        return 0.0, at, EXACT
    if cut or digits > 2**53 or power < -22 or power > 22:
        return np.nan, at, LONG
    value = digits / _TENS[-power] if power < 0 else digits * _TENS[power]
    return (-value if negative else value), at, EXACT


@numba.njit(cache=True)
def put(rows: Rows, index: int, value: float, state: int, at: int) -> None:
    """Append an entry unless it is zero; note a long number, which stands at ``at``."""
    entry = rows.counts[0]
    if state == LONG:
        rows.long[rows.counts[1], 0], rows.long[rows.counts[1], 1] = entry, at
        rows.counts[1] += 1
    if value != 0:
        rows.indices[entry], rows.values[entry] = index, value
        rows.counts[0] += 1


@numba.njit(cache=True)
def next_row(data: np.ndarray, at: int, comment: int) -> int:
    """Return where the next row starts, past empty lines and lines that start with the byte ``comment`` (0: none)."""
    while True:
        at = skip_blanks(data, at)
        if at < len(data) and comment != 0 and data[at] == comment:
            while at < len(data) and data[at] != _NEWLINE:
                at += 1
        if at >= len(data) or data[at] != _NEWLINE:
            return at
        at += 1


@numba.njit(cache=True)
def end_of_row(data: np.ndarray, at: int) -> int:
    """Return the status of what should be a line end at ``at``."""
    if at >= len(data):
        return TRUNCATED
    return OK if data[at] == _NEWLINE else MANY


@numba.njit(cache=True)
def index_fault(index: int, last: int, columns: int) -> int:
    """Return the status of a 0-based index that should lie above ``last`` and below ``columns``."""
    if index < 0:
        return INDEX
    if index <= last:
        return ORDER
    return OK if index < columns else RANGE


@numba.njit(cache=True)
def dense_rows(data: np.ndarray, at: int, columns: int, comment: int, rows: Rows) -> tuple[int, int, int]:
    """Read rows of ``columns`` numbers with commas between them.

    Parameters
    ----------
    data : uint8, the file.
    at : where the first row starts.
    columns : numbers in each row, 1 or more.
    comment : byte that starts a comment line, or 0.
    rows : filled.

    Returns
    -------
    number of rows, status, position of the fault.
    """
    row = np.int64(0)
    rows.indptr[0] = 0
    while True:
        at = next_row(data, at, comment)
        if at >= len(data):
            return row, OK, at
        rows.starts[row] = at
        for column in range(columns):
            if column > 0:
                if at >= len(data):
                    return row, TRUNCATED, at
                if data[at] != _COMMA:
                    return row, FEW if data[at] == _NEWLINE else SEPARATOR, at
                at = skip_blanks(data, at + 1)
            value, after, state = read_number(data, at)
            if state == BAD:
                return row, NUMBER, at
            put(rows, column, value, state, at)
            at = skip_blanks(data, after)
        status = end_of_row(data, at)
        if status != OK:
            return row, status, at
        row += 1
        rows.indptr[row] = rows.counts[0]


@numba.njit(cache=True)
def sparse_rows(data: np.ndarray, at: int, columns: int, comment: int, rows: Rows) -> tuple[int, int, int]:
    """Read rows ``{index value, index value}`` of rising indices below ``columns``; arguments as in `dense_rows`."""
    row = np.int64(0)
    rows.indptr[0] = 0
    while True:
        at = next_row(data, at, comment)
        if at >= len(data):
            return row, OK, at
        rows.starts[row] = at
        if data[at] != _OPEN:
            return row, SEPARATOR, at
        at, last = skip_blanks(data, at + 1), np.int64(-1)
        closed = at < len(data) and data[at] == _CLOSE
        at = skip_blanks(data, at + 1) if closed else at
        while not closed:
            index, after = read_index(data, at)
            status = index_fault(index, last, columns)
            if status != OK:
                return row, status, at
            last, at = index, skip_blanks(data, after)
            value, after_value, state = read_number(data, at)
            if state == BAD or at == after:
                return row, NUMBER, at
            put(rows, index, value, state, at)
            at = skip_blanks(data, after_value)
            if at >= len(data):
                return row, TRUNCATED, at
            closed = data[at] == _CLOSE
            if not closed and data[at] != _COMMA:
                return row, SEPARATOR, at
            at = skip_blanks(data, at + 1)
        status = end_of_row(data, at)
        if status != OK:
            return row, status, at
        row += 1
        rows.indptr[row] = rows.counts[0]


@numba.njit(cache=True)
def read_labels(data: np.ndarray, at: int, labels: np.ndarray, count: int) -> tuple[int, int, int]:
    """Append the numbers ``3,1,2`` that may stand at the start of a LIBSVM row to ``labels``, of which ``count`` are set.

    Returns
    -------
    labels set by now, status, position after them.
    """
    start = at
    while is_digit(data, at):
        label, after = read_index(data, at)
        if after < len(data) and data[after] == _COLON:
            return count, OK if at == start else SEPARATOR, at
        labels[count] = label
        count += 1
        if after >= len(data) or data[after] != _COMMA:
            return count, OK, after
        at = after + 1
    return count, OK if at == start else INDEX, at


@numba.njit(cache=True)
def svm_rows(
    data: np.ndarray, columns: int, label_indptr: np.ndarray, labels: np.ndarray, rows: Rows
) -> tuple[int, int, int]:
    """Read LIBSVM rows ``label,label index:value index:value`` of rising indices from 1 to ``columns``.

    Parameters
    ----------
    data : uint8, the file.
    columns : number of features.
    label_indptr, labels : int64 (rows + 1) and (labels), filled: the label numbers of each row as they stand.
    rows : filled, with 0-based indices.

    Returns
    -------
    number of rows, status, position of the fault.
    """
    row, count, at = np.int64(0), np.int64(0), np.int64(0)
    rows.indptr[0], label_indptr[0] = 0, 0
    while at < len(data):
        rows.starts[row] = at
        if data[at] == _NEWLINE or data[at] == _RETURN:
            return row, EMPTY, at
        count, status, at = read_labels(data, at, labels, count)
        last, blank = np.int64(-1), skip_blanks(data, at)
        while status == OK and blank < len(data) and data[blank] != _NEWLINE:
            if blank == at and at > rows.starts[row]:
                return row, SEPARATOR, at
            index, after = read_index(data, blank)
            at, status = blank, index_fault(index - 1, last, columns)
            if status == OK and (after >= len(data) or data[after] != _COLON):
                status = SEPARATOR
            if status == OK:
                last = index - 1
                value, at, state = read_number(data, after + 1)
                if state == BAD:
                    return row, NUMBER, at
                put(rows, last, value, state, after + 1)
                blank = skip_blanks(data, at)
        if status != OK:
            return row, status, at
        status = end_of_row(data, blank)
        if status != OK:
            return row, status, blank
        at, row = blank + 1, row + 1
        rows.indptr[row], label_indptr[row] = rows.counts[0], count
    return row, OK, at
