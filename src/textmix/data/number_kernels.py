"""Rows of decimal numbers, read from bytes: sparse and dense ARFF (dense is csv too) and LIBSVM multi-label text.

Formats: ARFF as in Weka's manual, "Attribute-Relation File Format", sections "ARFF data section" and "Sparse ARFF
files"; LIBSVM as in its README, "The format of training and testing data files".

`table_rows` and `svm_rows` read a whole file: they fill a `Rows` of the caller, store no zero and stop at the first
fault.  ``data`` is everywhere the file, uint8; ``at`` and every position are 0-based bytes in it.

A number is digits × 10^power, with the digits as an integer.  If digits <= 2^53 and -22 <= power <= 22, it is converted
here: digits and 10^|power| are doubles without error, so one multiplication or division rounds as IEEE 754 asks
(Clinger, PLDI 1990, section 3).  Any other number is a long number, left to the caller: it stands as NaN in ``values``
and with its position in ``long``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.numerics.jit import njit

#: Statuses: no fault, or the fault of a row.  NUMBER, INDEX, SEPARATOR: one is expected and missing.  ORDER, RANGE: the
#: index is not above the index before it, or not among the columns.  FEW, MANY: too few or too many values.
#: TRUNCATED: the file ends within the row.  EMPTY: the line is empty.
OK, NUMBER, INDEX, ORDER, RANGE, SEPARATOR, FEW, MANY, TRUNCATED, EMPTY = range(10)
#: States of a number: converted here, left to the caller, or no number.
EXACT, LONG, BAD = range(3)
#: Forms of a table of numbers: csv, dense ARFF and sparse ARFF.
CSV, DENSE, SPARSE = range(3)

_TAB, _NEWLINE, _RETURN, _SPACE, _PERCENT = 9, 10, 13, 32, 37
_PLUS, _COMMA, _MINUS, _POINT, _COLON, _CAPITAL_E, _SMALL_E, _OPEN, _CLOSE = 43, 44, 45, 46, 58, 69, 101, 123, 125
#: Digits are gathered while their integer is below this; one more digit still fits 64 bits.
_ROOM = 10**17
_TENS = np.array([float(f"1e{power}") for power in range(23)])


class Rows(NamedTuple):
    """The arrays that the kernels fill from the front; the caller makes them large enough, since nothing checks it.

    Parameters
    ----------
    starts : int64 (at least rows), position of each row in the file.
    indptr, indices, values : int64 (at least rows + 1), int32 and float64 (at least entries): the numbers as CSR.
    long : int64 (at least long numbers, 2), for each long number its place in ``values`` and its position in the file.
    counts : int64 (2), zeros at first: numbers of entries and of long numbers so far.
    """

    starts: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    long: np.ndarray
    counts: np.ndarray


@njit
def skip_blanks(data: np.ndarray, at: int) -> int:
    """Return the position of the first byte from ``at`` on that is no space, tab or carriage return."""
    while at < len(data) and (data[at] == _SPACE or data[at] == _TAB or data[at] == _RETURN):
        at += 1
    return at


@njit
def stands(data: np.ndarray, at: int, byte: int) -> bool:
    """Return whether ``byte`` stands at ``at``, which may lie past the end."""
    return at < len(data) and data[at] == byte


@njit
def is_digit(data: np.ndarray, at: int) -> bool:
    """Return whether a decimal digit stands at ``at``."""
    return at < len(data) and 48 <= data[at] <= 57


@njit
def read_index(data: np.ndarray, at: int) -> tuple[int, int]:
    """Return the whole number that is written at ``at``, without a sign, and the position after it.

    The number is -1 if no digit stands there, and 10^17 if it is larger than that.
    """
    if not is_digit(data, at):
        return -1, at
    value = 0
    while is_digit(data, at):
        value = min(value * 10 + int(data[at]) - 48, _ROOM)
        at += 1
    return value, at


@njit
def read_power(data: np.ndarray, at: int) -> tuple[int, int, bool]:
    """Return the power of ten written at ``at``, such as -3 for ``e-3``, the position after it and if it is complete.

    Without ``e`` or ``E`` the power is 0 and complete; an ``e`` without digits is not complete.
    """
    if not (stands(data, at, _SMALL_E) or stands(data, at, _CAPITAL_E)):
        return 0, at, True
    at += 1
    negative = stands(data, at, _MINUS)
    if negative or stands(data, at, _PLUS):
        at += 1
    power, after = read_index(data, at)
    return (-power if negative else power), after, after > at


@njit
def read_number(data: np.ndarray, at: int) -> tuple[float, int, int]:
    """Return the decimal number written at ``at``, the position after it and its state.

    The state is `EXACT`, or `LONG` or `BAD`, where the number returned is NaN.
    """
    negative = stands(data, at, _MINUS)
    if negative or stands(data, at, _PLUS):
        at += 1
    start, point, digits, power, cut = at, 0, 0, 0, False
    while is_digit(data, at) or (point == 0 and stands(data, at, _POINT)):
        if data[at] == _POINT:
            point = 1
        elif digits < _ROOM:
            digits = digits * 10 + int(data[at]) - 48
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


@njit
def put(rows: Rows, index: int, value: float, state: int, at: int) -> None:
    """Append one number to ``rows`` unless it is zero.

    Parameters
    ----------
    rows : filled.
    index : 0-based column.
    value, state : as `read_number` returns them; not `BAD`.
    at : position of the number in the file, stored for a long number.
    """
    entry = rows.counts[0]
    if state == LONG:
        rows.long[rows.counts[1], 0], rows.long[rows.counts[1], 1] = entry, at
        rows.counts[1] += 1
    if value != 0:
        rows.indices[entry], rows.values[entry] = index, value
        rows.counts[0] += 1


@njit
def next_row(data: np.ndarray, at: int, comments: bool) -> int:
    """Return where the next row starts, after empty lines and, if ``comments``, lines that start with ``%``."""
    while True:
        at = skip_blanks(data, at)
        if comments and stands(data, at, _PERCENT):
            while at < len(data) and data[at] != _NEWLINE:
                at += 1
        if not stands(data, at, _NEWLINE):
            return at
        at += 1


@njit
def end_of_row(data: np.ndarray, at: int) -> int:
    """Return `OK` if a line end stands at ``at``, `TRUNCATED` at the end of the file, else `MANY`."""
    if at >= len(data):
        return TRUNCATED
    return OK if data[at] == _NEWLINE else MANY


@njit
def index_fault(index: int, last: int, columns: int) -> int:
    """Return `OK` for a 0-based index above ``last`` and below ``columns``, else `INDEX`, `ORDER` or `RANGE`.

    ``last`` is the index before it in the row, -1 for the first; a negative index says that none is written.
    """
    if index < 0:
        return INDEX
    if index <= last:
        return ORDER
    return OK if index < columns else RANGE


@njit
def dense_row(data: np.ndarray, at: int, columns: int, rows: Rows) -> tuple[int, int]:
    """Append ``columns`` numbers with commas between them to ``rows``; return status and position.

    The position is that of the line end, or of the fault.
    """
    for column in range(columns):
        if column > 0:
            if not stands(data, at, _COMMA):
                short = FEW if stands(data, at, _NEWLINE) else SEPARATOR
                return TRUNCATED if at >= len(data) else short, at
            at = skip_blanks(data, at + 1)
        value, after, state = read_number(data, at)
        if state == BAD:
            return NUMBER, at
        put(rows, column, value, state, at)
        at = skip_blanks(data, after)
    return end_of_row(data, at), at


@njit
def sparse_row(data: np.ndarray, at: int, columns: int, rows: Rows) -> tuple[int, int]:
    """Append the numbers of ``{index value, index value}`` to ``rows``; return status and position.

    The position is that of the line end, or of the fault.
    """
    if not stands(data, at, _OPEN):
        return SEPARATOR, at
    at, last = skip_blanks(data, at + 1), -1
    closed = stands(data, at, _CLOSE)
    at = skip_blanks(data, at + 1) if closed else at
    while not closed:
        index, after = read_index(data, at)
        status = index_fault(index, last, columns)
        if status != OK:
            return status, at
        last, at = index, skip_blanks(data, after)
        value, after_value, state = read_number(data, at)
        if state == BAD or at == after:
            return NUMBER, at
        put(rows, index, value, state, at)
        at = skip_blanks(data, after_value)
        closed = stands(data, at, _CLOSE)
        if not closed and not stands(data, at, _COMMA):
            return TRUNCATED if at >= len(data) else SEPARATOR, at
        at = skip_blanks(data, at + 1)
    return end_of_row(data, at), at


@njit
def table_rows(data: np.ndarray, at: int, columns: int, form: int, rows: Rows) -> tuple[int, int, int]:
    """Read all rows of a file from a position on.

    Parameters
    ----------
    data : uint8, the file.
    at : position where the rows start.
    columns : number of columns, 1 or more.
    form : `CSV` and `DENSE`: ``columns`` numbers with commas between them; `SPARSE`: ``{index value, index value}`` of
        increasing 0-based indices below ``columns``; in `DENSE` and `SPARSE`, which are ARFF, there may be comment
        lines.
    rows : filled.

    Returns
    -------
    number of rows before the fault, status, position of the fault (with `OK` the end of the file).
    """
    row = 0
    rows.indptr[0] = 0
    at = next_row(data, at, form != CSV)
    while at < len(data):
        rows.starts[row] = at
        status, at = sparse_row(data, at, columns, rows) if form == SPARSE else dense_row(data, at, columns, rows)
        if status != OK:
            return row, status, at
        row += 1
        rows.indptr[row] = rows.counts[0]
        at = next_row(data, at, form != CSV)
    return row, OK, at


@njit
def read_labels(data: np.ndarray, at: int, labels: np.ndarray, count: int) -> tuple[int, int, int]:
    """Append the label numbers, such as ``3,1,2`` or ``-1``, that may start a LIBSVM row to ``labels``.

    Parameters
    ----------
    data, at : the file, and the position where the row starts.
    labels : int64, filled from ``count`` on.
    count : number of labels of the rows before.

    Returns
    -------
    status, position after the labels or of the fault, number of labels up to this row's last one.
    """
    start = at
    while is_digit(data, at + (stands(data, at, _MINUS) or stands(data, at, _PLUS))):
        negative = stands(data, at, _MINUS)
        label, after = read_index(data, at + (negative or stands(data, at, _PLUS)))
        if stands(data, after, _COLON):
            return OK if at == start else SEPARATOR, at, count
        labels[count] = -label if negative else label
        count += 1
        if not stands(data, after, _COMMA):
            return OK, after, count
        at = after + 1
    return OK if at == start else INDEX, at, count


@njit
def read_pairs(data: np.ndarray, start: int, at: int, columns: int, rows: Rows) -> tuple[int, int]:
    """Append the numbers of `` index:value index:value`` to ``rows``; return status and position.

    Parameters
    ----------
    data : the file.
    start, at : positions of the row and of the end of its labels, which are equal in a row without labels.
    columns : number of features; indices are from 1 to this number.
    rows : filled, with 0-based indices.

    Returns
    -------
    status, position of the line end or of the fault.
    """
    last, after = -1, skip_blanks(data, at)
    while after < len(data) and data[after] != _NEWLINE:
        if after == at and at > start:
            return SEPARATOR, at
        index, at = read_index(data, after)
        status = index_fault(index - 1, last, columns)
        if status != OK:
            return status, after
        if not stands(data, at, _COLON):
            return SEPARATOR, at
        last = index - 1
        value, after, state = read_number(data, at + 1)
        if state == BAD:
            return NUMBER, at + 1
        put(rows, last, value, state, at + 1)
        at, after = after, skip_blanks(data, after)
    return end_of_row(data, after), after


@njit
def svm_rows(
    data: np.ndarray, columns: int, label_indptr: np.ndarray, labels: np.ndarray, rows: Rows
) -> tuple[int, int, int]:
    """Read all rows ``label,label index:value index:value`` of a file, with increasing indices from 1 to ``columns``.

    Parameters
    ----------
    data : uint8, the file.
    columns : number of features.
    label_indptr, labels : int64 (at least rows + 1) and (at least labels), filled: row i has the label numbers
        ``labels[label_indptr[i]:label_indptr[i + 1]]``, as they are written and in their order.
    rows : filled, with 0-based indices.

    Returns
    -------
    number of rows before the fault, status, position of the fault (with `OK` the end of the file).
    """
    row, count, at = 0, 0, 0
    rows.indptr[0], label_indptr[0] = 0, 0
    while at < len(data):
        rows.starts[row] = at
        if data[at] == _NEWLINE or data[at] == _RETURN:
            return row, EMPTY, at
        status, at, count = read_labels(data, at, labels, count)
        if status == OK:
            status, at = read_pairs(data, rows.starts[row], at, columns, rows)
        if status != OK:
            return row, status, at
        at, row = at + 1, row + 1
        rows.indptr[row], label_indptr[row] = rows.counts[0], count
    return row, OK, at
