"""CPU instruction sets, which affect the last digits of results and are therefore recorded with each result.

The module is used while the workflow is parsed, before NumPy is imported.
"""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import MutableMapping
from pathlib import Path

#: Environment variables that select the instruction sets of NumPy, OpenBLAS and Numba.
PROCESSOR_VARIABLES = ("NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
#: Values that make all x86-64 processors with the features in `COMMON` compute identical results.  With AVX-512, sums
#: of products and NumPy's exp differ in the last digits, and training a neural network then ends in another minimum.
COMMON_INSTRUCTIONS = {
    "OPENBLAS_CORETYPE": "Haswell",
    # The second half contains the names used before NumPy 2.4, which ignores unknown names.
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL",
}
#: CPU flags (in Linux notation) that these settings require; available on processors since 2013.
COMMON = {"avx2", "fma", "bmi1", "bmi2"}
_CPU_INFO = Path("/proc/cpuinfo")


@functools.cache
def processor() -> dict[str, str]:
    """Return the properties of the processor that can change the last digits of a number, as text."""
    name = _processor_field("model name", _CPU_INFO) or platform.processor() or platform.machine()
    return {"processor": name, **{key: os.environ[key] for key in PROCESSOR_VARIABLES if key in os.environ}}


def use_common_instructions(environ: MutableMapping[str, str], info: Path = _CPU_INFO) -> None:
    """Restrict NumPy and OpenBLAS to the instructions common to x86-64 processors, for identical results.

    Must be called before NumPy is imported.  Variables set by the user are kept.  Nothing changes unless ``info``
    lists these instructions.
    """
    if set(_processor_field("flags", info).split()) >= COMMON:
        for name, value in COMMON_INSTRUCTIONS.items():
            environ.setdefault(name, value)


def use_all_instructions(environ: MutableMapping[str, str]) -> None:
    """Undo `use_common_instructions` before NumPy is imported, so that timings use the full instruction set."""
    for name, value in COMMON_INSTRUCTIONS.items():
        if environ.get(name) == value:
            del environ[name]


@functools.cache
def _processor_field(key: str, info: Path) -> str:
    """Return the first line of a key in ``/proc/cpuinfo``; "" if it is missing."""
    if not info.is_file():
        return ""
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""
