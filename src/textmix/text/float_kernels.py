"""Arithmetic on float32 vectors, `LANES` numbers at a time in one register.

Each product is rounded, then each sum, and the partial sums are added in one order.  The result is thus the same to the
byte on all machines.  No function here checks an index.  Their Python twins, which carry the docstrings, run where
kernels run as Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, config, types
from numba.extending import intrinsic

#: Numbers of float32 in the longest registers of today's processors; a vector is as long as a multiple of it.
LANES = 16
_FLOAT, _COUNT = ir.FloatType(), ir.IntType(64)
_ROW = ir.VectorType(_FLOAT, LANES)


def _address(context: Any, builder: Any, kind: Any, array: Any, place: Any, block: Any) -> Any:
    """Return the address of a block of the vector that begins at element ``place`` of an array."""
    number = builder.add(place, builder.mul(block, ir.Constant(_COUNT, LANES)))
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [number]), _ROW.as_pointer())


@intrinsic
def _product(_: Any, left: Any, at: Any, right: Any, first: Any, blocks: Any) -> Any:
    """See `product`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Sum in one register; then add its halves, until one number is left."""
        kinds = signature.args
        total = cgutils.alloca_once_value(builder, ir.Constant(_ROW, [0.0] * LANES))
        with cgutils.for_range(builder, arguments[4]) as loop:
            one, other = (
                builder.load(_address(context, builder, kinds[i], arguments[i], arguments[i + 1], loop.index), align=4)
                for i in (0, 2)
            )
            builder.store(builder.fadd(builder.load(total), builder.fmul(one, other)), total)
        row, lanes = builder.load(total), LANES
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
def _add_scaled(_: Any, out: Any, at: Any, factor: Any, vector: Any, first: Any, blocks: Any) -> Any:
    """See `add_scaled`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Go through both vectors block by block."""
        kinds = signature.args
        one = builder.insert_element(ir.Constant(_ROW, ir.Undefined), arguments[2], ir.IntType(32)(0))
        scale = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))
        with cgutils.for_range(builder, arguments[5]) as loop:
            target = _address(context, builder, kinds[0], arguments[0], arguments[1], loop.index)
            source = _address(context, builder, kinds[3], arguments[3], arguments[4], loop.index)
            scaled = builder.fmul(scale, builder.load(source, align=4))
            builder.store(builder.fadd(builder.load(target, align=4), scaled), target, align=4)
        return context.get_dummy_value()

    return types.void(out, types.intp, types.float32, vector, types.intp, types.intp), generate


def _python_product(left: np.ndarray, at: int, right: np.ndarray, first: int, blocks: int) -> float:
    """Return the scalar product of two vectors, float32.

    Parameters
    ----------
    left, right : float32, flat.
    at, first : places of the first elements.
    blocks : length of both vectors, in multiples of `LANES`.
    """
    products = left[at : at + blocks * LANES] * right[first : first + blocks * LANES]
    row = np.zeros(LANES, dtype=np.float32)
    for block in products.reshape(blocks, LANES):
        row += block
    while len(row) > 1:
        row = row[: len(row) // 2] + row[len(row) // 2 :]
    return row[0]


def _python_add_scaled(out: np.ndarray, at: int, factor: float, vector: np.ndarray, first: int, blocks: int) -> None:
    """Add a vector times a factor to another vector.

    Parameters
    ----------
    out, vector : float32, flat.
    at, first : places of the first elements.
    factor : float32.
    blocks : length of both vectors, in multiples of `LANES`.
    """
    size = blocks * LANES
    out[at : at + size] += np.float32(factor) * vector[first : first + size]


def _running(compiled: Any, python: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that kernels call: the compiled one, or its twin where kernels run as Python."""
    chosen: Callable[..., Any] = python if config.DISABLE_JIT else compiled
    return chosen


product = _running(_product, _python_product)
add_scaled = _running(_add_scaled, _python_add_scaled)
