"""Prefetch hints for rows of tables that exceed the processor cache; they do not change any result."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from textmix.numerics.jit import njit, running

#: Number of elements between the prefetch of a row and its use; values from 8 to 32 perform equally well.
AHEAD = 16
#: Number of float64 values in a cache line.
LINE = 8


@intrinsic
def _prefetch(context: Any, table: Any, row: Any, column: Any) -> Any:
    """Prefetch the cache line of ``table[row, column]``; indices are not checked and must be in range."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Emit the call of LLVM's prefetch instruction; called by Numba while it compiles a kernel."""
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = cgutils.get_item_pointer(context, builder, signature.args[0], array, list(arguments[1:]))
        pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        # For reading, into all cache levels, as data.
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(table, types.intp, types.intp), generate


@njit
def _prefetch_row(table: np.ndarray, indices: np.ndarray, cell: int) -> None:
    """Prefetch the row of ``table`` for the element of a CSR matrix that is `AHEAD` elements after ``cell``, if any."""
    if cell + AHEAD < len(indices):
        for column in range(0, table.shape[1], LINE):
            _prefetch(table, indices[cell + AHEAD], column)


def _prefetch_nothing(table: np.ndarray, row: int | np.ndarray, column: int) -> None:
    """Replace the prefetch where kernels run as Python, which has no such instruction."""


prefetch = running(_prefetch, _prefetch_nothing)
prefetch_row = running(_prefetch_row, _prefetch_nothing)
