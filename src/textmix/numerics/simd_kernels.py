"""SIMD arithmetic for eight documents or particles in parallel, one per vector lane.

A *row* is `LANES` adjacent numbers of a flat array, one per document.  Products are added by fused multiply-add, which
rounds once on every processor (`draw_places` rounds twice, like scalar code), and in the order of the rows: results are
bitwise identical on all machines.  Indices are not checked.  The Python reference implementations, which carry the
docstrings, are used where kernels run as Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from textmix.numerics.jit import njit, running

#: Number of documents per row: float64 lanes in the longest vector registers of current processors.
LANES = 8
_INTEGER = ir.IntType(64)
_ROW, _INDEX = ir.VectorType(ir.DoubleType(), LANES), ir.VectorType(_INTEGER, LANES)
_NOTHING = ir.Constant(_ROW, [0.0] * LANES)


class _Writer:
    """Emits the instructions of one intrinsic: rows of its arguments, and the loop over them."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.context, self.builder = context, builder
        self.kinds, self.arguments = signature.args, arguments

    def pointer(self, argument: int, place: Any, kind: Any = None) -> Any:
        """Return the address of element ``place`` of an array argument, as a pointer to ``kind`` (default: a row)."""
        array = self.context.make_array(self.kinds[argument])(self.context, self.builder, self.arguments[argument])
        address = self.builder.gep(array.data, [place])
        return self.builder.bitcast(address, (kind or _ROW).as_pointer())

    def row(self, argument: int, place: Any, kind: Any = None) -> Any:
        """Load the row that begins at element ``place`` of an array argument."""
        return self.builder.load(self.pointer(argument, place, kind), align=8)

    def set(self, argument: int, place: Any, row: Any) -> None:
        """Store a row at element ``place`` of an array argument."""
        self.builder.store(row, self.pointer(argument, place), align=8)

    def shifted(self, argument: int, number: Any, step: Any = None) -> Any:
        """Return the integer argument plus ``number`` times a step (default: the length of a row)."""
        step = ir.Constant(_INTEGER, LANES) if step is None else step
        return self.builder.add(self.arguments[argument], self.builder.mul(number, step))

    def spread(self, number: Any, kind: Any = _ROW) -> Any:
        """Broadcast a number to a row."""
        one = self.builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.IntType(32)(0))
        return self.builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """Call an LLVM intrinsic and return its result."""
        kind = ir.FunctionType(result, [one.type for one in arguments])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), arguments)

    def fused(self, *rows: Any) -> Any:
        """Return the fused product of two rows plus a third, rounded once."""
        return self.call(f"llvm.fma.v{LANES}f64", _ROW, *rows)

    def gathered(self, argument: int, places: Any) -> Any:
        """Gather the elements of an array argument at a row of positions; 0 where a position is negative."""
        first = self.builder.ptrtoint(self.pointer(argument, ir.Constant(_INTEGER, 0), ir.DoubleType()), _INTEGER)
        bytes_ = self.builder.mul(places, ir.Constant(_INDEX, [8] * LANES))
        addresses = self.builder.add(self.spread(first, _INDEX), bytes_)
        pointers = self.builder.inttoptr(addresses, ir.VectorType(ir.DoubleType().as_pointer(), LANES))
        known = self.builder.icmp_signed(">=", places, ir.Constant(_INDEX, [0] * LANES))
        name = f"llvm.masked.gather.v{LANES}f64.v{LANES}p0"
        return self.call(name, _ROW, pointers, ir.IntType(32)(8), known, _NOTHING)


def _written(kinds: Any, body: Callable[[_Writer], None]) -> Any:
    """Return the result of an intrinsic: its signature, and the generator of its instructions."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Emit the instructions; called by Numba while it compiles a kernel."""
        body(_Writer(context, builder, signature, arguments))
        return context.get_dummy_value()

    return types.void(*(types.intp if isinstance(kind, types.Integer) else kind for kind in kinds)), generate


@intrinsic
def _weighted_row(
    _: Any, out: Any, at: Any, rows: Any, first: Any, count: Any, weights: Any, place: Any, step: Any
) -> Any:
    def body(writer: _Writer) -> None:
        """Accumulate in a register."""
        builder, arguments = writer.builder, writer.arguments
        total = cgutils.alloca_once_value(builder, _NOTHING)
        with cgutils.for_range(builder, arguments[4]) as loop:
            weight = builder.load(writer.pointer(5, writer.shifted(6, loop.index, arguments[7]), ir.DoubleType()))
            row = writer.row(2, writer.shifted(3, loop.index))
            builder.store(writer.fused(row, writer.spread(weight), builder.load(total)), total)
        writer.set(0, arguments[1], builder.load(total))

    return _written((out, at, rows, first, count, weights, place, step), body)


@intrinsic
def _four_weighted_rows(
    _: Any, out: Any, at: Any, rows: Any, first: Any, count: Any, weights: Any, place: Any, step: Any, apart: Any
) -> Any:
    def body(writer: _Writer) -> None:
        """Accumulate in four registers, so that fused operations do not wait for their predecessors."""
        builder, arguments = writer.builder, writer.arguments
        totals = [cgutils.alloca_once_value(builder, _NOTHING) for _ in range(4)]
        with cgutils.for_range(builder, arguments[4]) as loop:
            row, number = writer.row(2, writer.shifted(3, loop.index)), writer.shifted(6, loop.index, arguments[7])
            for total in totals:
                weight = builder.load(writer.pointer(5, number, ir.DoubleType()))
                builder.store(writer.fused(row, writer.spread(weight), builder.load(total)), total)
                number = builder.add(number, arguments[8])
        for i, total in enumerate(totals):
            writer.set(0, writer.shifted(1, ir.Constant(_INTEGER, i)), builder.load(total))

    return _written((out, at, rows, first, count, weights, place, step, apart), body)


@intrinsic
def _add_products(_: Any, sums: Any, at: Any, left: Any, row: Any, right: Any, first: Any, count: Any) -> Any:
    def body(writer: _Writer) -> None:
        """Keep the common row in a register."""
        factor = writer.row(2, writer.arguments[3])
        with cgutils.for_range(writer.builder, writer.arguments[6]) as loop:
            place = writer.shifted(1, loop.index)
            other = writer.row(4, writer.shifted(5, loop.index))
            writer.set(0, place, writer.fused(factor, other, writer.row(0, place)))

    return _written((sums, at, left, row, right, first, count), body)


@intrinsic
def _multiply_rows(
    _: Any, out: Any, at: Any, left: Any, first: Any, right: Any, other: Any, step: Any, count: Any
) -> Any:
    def body(writer: _Writer) -> None:
        """Multiply row by row."""
        with cgutils.for_range(writer.builder, writer.arguments[7]) as loop:
            factor = writer.row(4, writer.shifted(5, loop.index, writer.arguments[6]))
            row = writer.row(2, writer.shifted(3, loop.index))
            writer.set(0, writer.shifted(1, loop.index), writer.builder.fmul(row, factor))

    return _written((out, at, left, first, right, other, step, count), body)


@intrinsic
def _multiply_taken(_: Any, rows: Any, at: Any, table: Any, places: Any, count: Any) -> Any:
    def body(writer: _Writer) -> None:
        """Gather the factors of a row with one instruction."""
        places = writer.row(3, ir.Constant(_INTEGER, 0), _INDEX)
        with cgutils.for_range(writer.builder, writer.arguments[4]) as loop:
            place = writer.shifted(1, loop.index)
            taken = writer.gathered(2, writer.builder.add(places, writer.spread(loop.index, _INDEX)))
            writer.set(0, place, writer.builder.fmul(writer.row(0, place), taken))

    return _written((rows, at, table, places, count), body)


@intrinsic
def _draw_places(
    _: Any, drawn: Any, at: Any, weights: Any, row: Any, counts: Any, first: Any, n: Any, shares: Any, last: Any,
    place: Any,
) -> Any:  # fmt: skip
    def body(writer: _Writer) -> None:
        """Keep the sums of both rows in registers, so that their additions are independent."""
        builder, arguments, both = writer.builder, writer.arguments, [ir.Constant(_INTEGER, i) for i in range(2)]
        one, none = ir.Constant(_ROW, [1.0] * LANES), ir.Constant(_INDEX, [0] * LANES)
        sums = [cgutils.alloca_once_value(builder, _NOTHING) for _ in both]
        passed = [cgutils.alloca_once_value(builder, none) for _ in both]
        old = [writer.row(0, writer.shifted(1, i), _INDEX) for i in both]
        new = [writer.row(8, writer.shifted(9, i), _INDEX) for i in both]

        def factors(k: Any) -> tuple[Any, list[Any]]:
            """Return the weight of position k in a row, and the positions of its counts."""
            number = builder.load(writer.pointer(2, builder.add(arguments[3], k), ir.DoubleType()))
            twice = builder.mul(k, ir.Constant(_INTEGER, 2))
            return writer.spread(number), [writer.shifted(5, builder.add(twice, i)) for i in both]

        with cgutils.for_range(builder, arguments[6]) as loop:
            weight, places = factors(loop.index)
            k = writer.spread(loop.index, _INDEX)
            for i, own in enumerate(places):
                gained = builder.select(builder.icmp_signed("==", new[i], k), one, _NOTHING)
                lost = builder.select(builder.icmp_signed("==", old[i], k), one, _NOTHING)
                count = builder.fsub(builder.fadd(writer.row(4, own), gained), lost)
                writer.set(4, own, count)
                builder.store(builder.fadd(builder.load(sums[i]), builder.fmul(weight, count)), sums[i])
        for i, total in enumerate(sums):
            share = writer.row(7, writer.shifted(9, both[i]))
            builder.store(builder.fmul(share, builder.load(total)), total)
        # The running remainder never increases: the position where it becomes negative equals the number of earlier
        # ones.
        with cgutils.for_range(builder, builder.sub(arguments[6], both[1])) as loop:
            weight, places = factors(loop.index)
            for i, own in enumerate(places):
                rest = builder.fsub(builder.load(sums[i]), builder.fmul(weight, writer.row(4, own)))
                builder.store(rest, sums[i])
                beyond = builder.zext(builder.fcmp_ordered(">=", rest, _NOTHING), _INDEX)
                builder.store(builder.add(builder.load(passed[i]), beyond), passed[i])
        for i, number in zip(both, passed, strict=True):
            for argument, start in ((0, 1), (8, 9)):
                address = writer.pointer(argument, writer.shifted(start, i), _INDEX)
                builder.store(builder.load(number), address, align=8)

    return _written((drawn, at, weights, row, counts, first, n, shares, last, place), body)


def _python_weighted_row(
    out: np.ndarray, at: int, rows: np.ndarray, first: int, count: int, weights: np.ndarray, place: int, step: int
) -> None:
    """Set row ``at`` of ``out`` to the weighted sum of ``count`` rows."""
    total = np.zeros(LANES)
    for i in range(count):
        total += rows[first + i * LANES : first + (i + 1) * LANES] * weights[place + i * step]
    out[at : at + LANES] = total


def _python_four_weighted_rows(
    out: np.ndarray,
    at: int,
    rows: np.ndarray,
    first: int,
    count: int,
    weights: np.ndarray,
    place: int,
    step: int,
    apart: int,
) -> None:
    """Set four rows of ``out`` from ``at`` on like `weighted_row`; the first weights of two rows are ``apart``."""
    for i in range(4):
        _python_weighted_row(out, at + i * LANES, rows, first, count, weights, place + i * apart, step)


def _python_add_products(
    sums: np.ndarray, at: int, left: np.ndarray, row: int, right: np.ndarray, first: int, count: int
) -> None:
    """Add products of a row of ``left`` with each of ``count`` rows of ``right`` to ``count`` rows of ``sums``."""
    size = count * LANES
    sums[at : at + size] += np.tile(left[row : row + LANES], count) * right[first : first + size]


def _python_multiply_rows(
    out: np.ndarray, at: int, left: np.ndarray, first: int, right: np.ndarray, other: int, step: int, count: int
) -> None:
    """Set ``count`` rows of ``out`` to the products of rows of ``left`` and of ``right``."""
    for i in range(count):
        row = left[first + i * LANES : first + (i + 1) * LANES]
        out[at + i * LANES : at + (i + 1) * LANES] = row * right[other + i * step : other + i * step + LANES]


def _python_multiply_taken(rows: np.ndarray, at: int, table: np.ndarray, places: np.ndarray, count: int) -> None:
    """Multiply ``count`` rows, row i by the table elements at ``places`` + i; by 0 where a position is negative."""
    for i in range(count):
        taken = np.where(places >= 0, table[np.maximum(places + i, 0)], 0.0)
        rows[at + i * LANES : at + (i + 1) * LANES] *= taken


def _python_draw_places(
    drawn: np.ndarray,
    at: int,
    weights: np.ndarray,
    row: int,
    counts: np.ndarray,
    first: int,
    n: int,
    shares: np.ndarray,
    last: np.ndarray,
    place: int,
) -> None:
    """Sample one of n positions for each number of two rows, in proportion to weight times count; update counts lazily.

    First, the count of the previously sampled position is incremented and the count of the old one decremented;
    negative positions are ignored.  The sampled position, where the running sum exceeds a fraction of the total, is
    written to ``drawn`` and to ``last``.
    """
    here, there = slice(at, at + 2 * LANES), slice(place, place + 2 * LANES)
    count = counts[first : first + 2 * n * LANES].reshape(n, 2 * LANES)
    for lane, (gained, lost) in enumerate(zip(last[there], drawn[here], strict=True)):
        if gained >= 0:
            count[gained, lane] += 1.0
        if lost >= 0:
            count[lost, lane] -= 1.0
    rest = np.zeros(2 * LANES)
    for k in range(n):
        rest += weights[row + k] * count[k]
    rest, passed = shares[there] * rest, np.zeros(2 * LANES, np.int64)
    for k in range(n - 1):
        rest -= weights[row + k] * count[k]
        passed += rest >= 0.0
    drawn[here] = last[there] = passed


@njit
def weighted_rows(
    out: np.ndarray, at: int, rows: np.ndarray, first: int, count: int, weights: np.ndarray, step: int, apart: int
) -> None:
    """Set ``count`` rows of ``out`` to sums of ``count`` rows times the weights of a flat square matrix, float64.

    The stride between weights of one sum is ``step``, and between the first weights of two sums ``apart``; the other
    parameters are as in `weighted_row`.
    """
    whole = count - count % 4
    for j in range(0, whole, 4):
        four_weighted_rows(out, at + j * LANES, rows, first, count, weights, j * apart, step, apart)
    for j in range(whole, count):
        weighted_row(out, at + j * LANES, rows, first, count, weights, j * apart, step)


@njit
def aligned(n: int) -> np.ndarray:
    """Allocate an uninitialised array of n float64 with rows aligned to cache lines."""
    array = np.empty(n + LANES)
    skip = -(np.int64(array.ctypes.data) // 8) % LANES
    return array[skip : skip + n]


weighted_row = running(_weighted_row, _python_weighted_row)
four_weighted_rows = running(_four_weighted_rows, _python_four_weighted_rows)
add_products = running(_add_products, _python_add_products)
multiply_rows = running(_multiply_rows, _python_multiply_rows)
multiply_taken = running(_multiply_taken, _python_multiply_taken)
draw_places = running(_draw_places, _python_draw_places)
