"""The processor and the instructions that it computes with, which decide last digits: the code of every result has it.

The module is used while the workflow is parsed and before NumPy is imported.
"""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import MutableMapping
from pathlib import Path

#: Variables by which a user chooses the instructions that NumPy, OpenBLAS and Numba compute with.
PROCESSOR_VARIABLES = ("NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
#: Values of two of them with which all x86-64 processors of `COMMON` compute alike.  A sum of products has other last
#: digits with AVX-512, and so has NumPy's exp; a network that is trained from there ends in another minimum.
COMMON_INSTRUCTIONS = {
    "OPENBLAS_CORETYPE": "Haswell",
    # The second half are the names before NumPy 2.4, which passes over names that it does not know.
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL",
}
#: Instructions that a processor must have for them, as Linux names them: those of 2013 and later.
COMMON = {"avx2", "fma", "bmi1", "bmi2"}
_CPU_INFO = Path("/proc/cpuinfo")


@functools.cache
def processor() -> dict[str, str]:
    """Return the facts about the processor that can change the last digits of a number, as text."""
    name = _processor_field("model name", _CPU_INFO) or platform.processor() or platform.machine()
    return {"processor": name, **{key: os.environ[key] for key in PROCESSOR_VARIABLES if key in os.environ}}


def use_common_instructions(environ: MutableMapping[str, str], info: Path = _CPU_INFO) -> None:
    """Let NumPy and OpenBLAS, imported later, compute with the instructions of all x86-64 processors, so that bytes
    agree.  A variable that the user has set stays; a processor without the instructions, and a system that does not
    tell them in ``info``, are left alone.
    """
    if set(_processor_field("flags", info).split()) >= COMMON:
        for name, value in COMMON_INSTRUCTIONS.items():
            environ.setdefault(name, value)


def use_all_instructions(environ: MutableMapping[str, str]) -> None:
    """Take back `use_common_instructions`, before NumPy is imported: a time is that of all the processor can do."""
    for name, value in COMMON_INSTRUCTIONS.items():
        if environ.get(name) == value:
            del environ[name]


@functools.cache
def _processor_field(key: str, info: Path) -> str:
    """Return the first line of a key in the file in which Linux describes the processor; empty without one."""
    if not info.is_file():
        return ""
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
    found = (line.partition(":") for line in lines)
    return next((value.strip() for name, _, value in found if name.strip() == key), "")
