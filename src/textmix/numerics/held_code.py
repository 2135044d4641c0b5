"""The digest of the code that a process holds: of a function, of the constants that it reads and of all that it calls.

The file of a function may have been edited since the process read it, so the digest asks the objects in memory.  It
covers the byte code without names of files, numbers of lines and docstrings, so that an edit of a comment changes
nothing; the name of its module; the values of the names that the code takes from there; and the code of the functions
among them.  What belongs to another package counts by its name.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from textmix.core.code import lines_of_code
from textmix.core.digests import sha256_bytes

PACKAGE = __name__.partition(".")[0]
_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic, np.dtype)


def held_digest(function: Any) -> str:
    """Return the sha256 of the code that a function, or a compiled one, is in this process: 64 hexadecimal digits.

    Raises
    ------
    TypeError : the code reads a value whose content cannot be told, such as an open file.
    """
    return sha256_bytes("\n".join(_Reading().lines_of(function)).encode())


class _Reading:
    """One walk through objects; each is described once, also where functions call each other."""

    def __init__(self) -> None:
        #: Number and, so that it lives as long as its number, the object itself.
        self._met: dict[int, tuple[int, Any]] = {}

    def lines_of(self, value: Any) -> Iterator[str]:
        """Yield lines that are others if another value was met, in the order in which the code names the values."""
        if isinstance(value, _PLAIN):
            yield f"{type(value).__name__} {value!r}"
        elif isinstance(value, np.ndarray):
            yield f"array {value.dtype.str} {value.shape} {sha256_bytes(np.ascontiguousarray(value).tobytes())}"
        elif id(value) in self._met:
            yield f"again {self._met[id(value)][0]}"
        else:
            self._met[id(value)] = len(self._met), value
            yield from self._lines_of_new(value)

    def _lines_of_new(self, value: Any) -> Iterator[str]:
        """Yield the lines of a value that was not met."""
        if isinstance(value, types.ModuleType):
            yield f"module {value.__name__}"
        elif isinstance(value, Dispatcher):
            yield f"compiled {sorted((key, repr(option)) for key, option in value.targetoptions.items())}"
            yield from self.lines_of(value.py_func)
        elif not _is_ours(value):
            yield f"foreign {type(value).__name__} {getattr(value, '__module__', '')} {_name(value)}"
        elif isinstance(value, types.FunctionType):
            yield from self._lines_of_function(value)
        elif isinstance(value, type):
            yield f"class {value.__module__} {value.__qualname__} {[base.__qualname__ for base in value.__mro__]}"
            for name, part in sorted(vars(value).items()):
                function = getattr(part, "__func__", part)
                if isinstance(function, types.FunctionType) and _is_ours(function):
                    yield from (f"method {name}", *self.lines_of(function))
        elif isinstance(value, (tuple, list, frozenset, set)):
            yield f"{type(value).__qualname__} of {len(value)}"
            for part in value if isinstance(value, (tuple, list)) else sorted(value, key=repr):
                yield from self.lines_of(part)
        elif hasattr(value, "_defn"):  # an intrinsic of Numba: a function that writes instructions
            yield from ("intrinsic", *self.lines_of(value._defn))
        else:
            raise TypeError(f"a kernel reads {value!r}, whose content its cache cannot tell; pass it as an argument")

    def _lines_of_function(self, function: types.FunctionType) -> Iterator[str]:
        """Yield the lines of a function: its code, its defaults, and the values of the names that it reads."""
        yield f"function of {function.__module__}"  # machine code looks for the modules of the kernels that it contains
        yield from lines_of_code(function.__code__)
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            yield from self.lines_of(value)
        for cell in function.__closure__ or ():
            yield from self.lines_of(cell.cell_contents)
        for name in _names(function.__code__):
            if name in function.__globals__:
                value = function.__globals__[name]
                yield f"name {name}"
                yield from self.lines_of(value)
                if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == PACKAGE:
                    for part in _names(function.__code__):
                        if hasattr(value, part):
                            yield from (f"part {part}", *self.lines_of(getattr(value, part)))


def _is_ours(value: Any) -> bool:
    """Return whether a value belongs to this package, or is a container, which belongs to nobody."""
    if isinstance(value, (tuple, list, frozenset, set)):
        return True
    module = getattr(value, "__module__", None) or type(value).__module__
    return module.partition(".")[0] == PACKAGE or hasattr(value, "_defn")


def _name(value: Any) -> str:
    """Return what a value of another package is called; raises TypeError if it has no name but its address."""
    name = str(getattr(value, "__qualname__", "") or value)
    if " at 0x" in name:
        raise TypeError(f"a kernel reads {name}, whose content its cache cannot tell; pass it as an argument")
    return name


@functools.cache
def _names(code: types.CodeType) -> tuple[str, ...]:
    """Return the names that a code object and those within it may take from their module, in order."""
    inner = (name for part in code.co_consts if isinstance(part, types.CodeType) for name in _names(part))
    return tuple(dict.fromkeys((*code.co_names, *inner)))
