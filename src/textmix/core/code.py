"""Code objects of Python as text: what a function or module does, without the lines and names of its file.

Python compares two code objects by their instructions as they stand in memory, which it rewrites as they run (3.11),
and by their lines.  The text depends on neither.
"""

from __future__ import annotations

import functools
import sys
from types import CodeType
from typing import Any

#: The flag of code whose first constant is a docstring, since Python 3.13.
_DOCUMENTED = 0x4000000


@functools.cache
def lines_of_code(code: CodeType) -> tuple[str, ...]:
    """Return the lines of a code object: its instructions, its names and its constants without a docstring."""
    constants = [None, *code.co_consts[1:]] if _has_docstring(code) else code.co_consts
    counts = code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags & ~_DOCUMENTED
    lines = [f"code {code.co_name} {counts}", code.co_code.hex()]
    lines += map(repr, (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    for constant in constants:
        lines.extend(lines_of_code(constant) if isinstance(constant, CodeType) else [_said(constant)])
    return tuple(lines)


def _has_docstring(code: CodeType) -> bool:
    """Return whether the first constant of a code object is a docstring; before Python 3.13 no flag says so."""
    if sys.version_info >= (3, 13):
        return bool(code.co_flags & _DOCUMENTED)
    return not code.co_name.startswith("<") and bool(code.co_consts) and isinstance(code.co_consts[0], str)


def _said(constant: Any) -> str:
    """Return a constant as text that is the same in every process; a set has no order of its own."""
    if isinstance(constant, frozenset):
        return f"frozenset {sorted(map(_said, constant))}"
    return f"({', '.join(map(_said, constant))})" if isinstance(constant, tuple) else repr(constant)
