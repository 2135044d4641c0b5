"""SIMD arithmetic on float32 vectors, `LANES` numbers at a time.

Products are rounded before they are added, and partial sums are added in a fixed order, so that results are bitwise
identical on all machines.  Indices are not checked.  The Python reference implementations, which carry the docstrings,
are used where kernels run as Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from textmix.numerics.jit import running

#: Number of float32 lanes in the longest registers of current processors; vector lengths are multiples of it.
LANES = 16
_FLOAT = ir.FloatType()
_COUNT = ir.IntType(64)
_ROW = ir.VectorType(_FLOAT, LANES)


def _address(context: Any, builder: Any, kind: Any, array: Any, first: Any, block: Any) -> Any:
    """Return the address of a block of the vector that begins at element ``first`` of an array."""
    number = builder.add(first, builder.mul(block, ir.Constant(_COUNT, LANES)))
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [number]), _ROW.as_pointer())


@intrinsic
def _product(_: Any, left: Any, at: Any, right: Any, first: Any, blocks: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Accumulate in one register; then add its halves until one number remains."""
        kinds = signature.args
        total = cgutils.alloca_once_value(builder, ir.Constant(_ROW, [0.0] * LANES))
        with cgutils.for_range(builder, arguments[4]) as loop:
            a, b = (
                builder.load(_address(context, builder, kinds[i], arguments[i], arguments[i + 1], loop.index), align=4)
                for i in (0, 2)
            )
            builder.store(builder.fadd(builder.load(total), builder.fmul(a, b)), total)
        row = builder.load(total)
        lanes = LANES
        while lanes > 1:
            lanes //= 2
            halves = [
                ir.Constant(ir.VectorType(ir.IntType(32), lanes), [h + i for i in range(lanes)]) for h in (0, lanes)
            ]
            low, high = (builder.shuffle_vector(row, row, half) for half in halves)
            row = builder.fadd(low, high)
        return builder.extract_element(row, ir.IntType(32)(0))

    return types.float32(left, types.intp, right, types.intp, types.intp), generate


@intrinsic
def _step(_: Any, vectors: Any, at: Any, outputs: Any, rows: Any, factors: Any, count: Any, blocks: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Process the vectors block by block; the sum of the scaled blocks stays in a register."""
        kinds = signature.args

        def element(argument: int, number: Any) -> Any:
            """Load an element of an array argument."""
            data = context.make_array(kinds[argument])(context, builder, arguments[argument]).data
            return builder.load(builder.gep(data, [number]))

        def output(number: Any, block: Any) -> tuple[Any, Any]:
            """Return the address of a block of an output vector, and its factor broadcast to a row."""
            first_lane = builder.insert_element(ir.Constant(_ROW, ir.Undefined), element(4, number), ir.IntType(32)(0))
            scale = builder.shuffle_vector(
                first_lane, first_lane, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            )
            return _address(context, builder, kinds[2], arguments[2], element(3, number), block), scale

        change = cgutils.alloca_once(builder, _ROW)
        with cgutils.for_range(builder, arguments[6]) as outer:
            address = _address(context, builder, kinds[0], arguments[0], arguments[1], outer.index)
            vector = builder.load(address, align=4)
            builder.store(ir.Constant(_ROW, [0.0] * LANES), change)
            with cgutils.for_range(builder, arguments[5]) as loop:
                source, scale = output(loop.index, outer.index)
                scaled = builder.fmul(scale, builder.load(source, align=4))
                builder.store(builder.fadd(builder.load(change), scaled), change)
            with cgutils.for_range(builder, arguments[5]) as loop:
                target, scale = output(loop.index, outer.index)
                moved = builder.fadd(builder.load(target, align=4), builder.fmul(scale, vector))
                builder.store(moved, target, align=4)
            builder.store(builder.fadd(vector, builder.load(change)), address, align=4)
        return context.get_dummy_value()

    return types.void(vectors, types.intp, outputs, rows, factors, types.intp, types.intp), generate


def _python_product(left: np.ndarray, at: int, right: np.ndarray, first: int, blocks: int) -> float:
    """Compute the inner product of two float32 vectors of length ``blocks`` times `LANES`, at ``at`` and ``first``."""
    products = left[at : at + blocks * LANES] * right[first : first + blocks * LANES]
    row = np.zeros(LANES, dtype=np.float32)
    for block in products.reshape(blocks, LANES):
        row += block
    while len(row) > 1:
        row = row[: len(row) // 2] + row[len(row) // 2 :]
    return row[0]


def _python_step(
    vectors: np.ndarray,
    at: int,
    outputs: np.ndarray,
    rows: np.ndarray,
    factors: np.ndarray,
    count: int,
    blocks: int,
) -> None:
    """Add the weighted sum of output vectors to a vector, and the weighted vector to each output vector.

    Both updates use the values before the step.  ``vectors`` and ``outputs`` are flat float32 arrays; ``at`` and
    ``rows``, int64 (K,), are the positions of their first elements; ``factors`` is float32 (K,); ``count`` is the
    number of output vectors, at most K; the vectors have length ``blocks`` times `LANES`.
    """
    size = blocks * LANES
    vector = vectors[at : at + size].copy()
    change = np.zeros(size, dtype=np.float32)
    for k in range(count):
        change += factors[k] * outputs[rows[k] : rows[k] + size]
    for k in range(count):
        outputs[rows[k] : rows[k] + size] += factors[k] * vector
    vectors[at : at + size] += change


product = running(_product, _python_product)
step = running(_step, _python_step)
