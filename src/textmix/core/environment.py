"""The installed distributions that code depends on, and the facts of the processor: the environment of a result.

The module is used while the workflow is parsed, so it must not import NumPy.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import re
import sys
from collections.abc import Iterable, MutableMapping
from email.parser import HeaderParser
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

#: Packages whose distribution has another name.
DISTRIBUTIONS = {"sklearn": "scikit-learn", "yaml": "PyYAML", "bs4": "beautifulsoup4"}
#: Distributions whose versions the pages show.
SHOWN = (
    "textmix",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "pandas",
    "matplotlib",
    "lightgbm",
    "simplemma",
)
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
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def environment(packages: Iterable[str]) -> dict[str, str]:
    """Return distribution -> version of packages and of all that they require, and the version of Python.

    Parameters
    ----------
    packages : names by which code imports them; those of Python's own library are passed over.

    Returns
    -------
    the versions, sorted by name; ``not installed`` for a package that is not there.
    """
    found: dict[str, str] = {}
    queue = [_distribution_of(name) for name in packages if name not in sys.stdlib_module_names]
    while queue:
        name = _normal(queue.pop())
        if name not in found:
            found[name], required = _installed(name)
            queue.extend(required)
    return {"python": platform.python_version(), **dict(sorted(found.items()))}


def counts_by_version(package: str) -> bool:
    """Return whether the version tells the code: a distribution of this name is installed, and not as editable.

    Parameters
    ----------
    package : name by which code imports it.
    """
    name = _normal(DISTRIBUTIONS.get(package, package))
    return _is_installed(name) and not _is_editable(name)


def has_distribution(package: str) -> bool:
    """Return whether a package comes from an installed distribution of any name."""
    return _is_installed(_normal(_distribution_of(package)))


def versions() -> dict[str, str]:
    """Return the versions of Python and of the distributions in `SHOWN`."""
    return {"python": platform.python_version(), **{name: _installed(_normal(name))[0] for name in SHOWN}}


def _normal(name: str) -> str:
    """Return the one spelling of a distribution's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


@functools.cache
def _distribution_of(package: str) -> str:
    """Return the name of the distribution that a package comes from; the package's own where none is known."""
    name = DISTRIBUTIONS.get(package, package)
    if _is_installed(_normal(name)) or PathFinder.find_spec(package) is None:
        return name
    return packages_distributions().get(package, [name])[0]  # reads all distributions, which takes half a second


@functools.cache
def _is_editable(name: str) -> bool:
    """Say whether a distribution is installed as editable, so that its code lies in a folder where it is worked on."""
    origin = json.loads(distribution(name).read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))


@functools.cache
def _installed(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the version of a distribution, and the installed distributions that it requires without an extra."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return "not installed", ()
    # The description after the header is long, and `distribution` would parse it too.
    header = HeaderParser().parsestr(str(found.read_text("METADATA")).partition("\n\n")[0])
    needed = [_NAME.match(line) for line in header.get_all("Requires-Dist", ()) if "extra ==" not in line]
    names = [match[0] for match in needed if match is not None]
    return header["Version"], tuple(each for each in names if _is_installed(_normal(each)))


@functools.cache
def _is_installed(name: str) -> bool:
    """Say whether a distribution is installed; a requirement of another system's need not be."""
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


@functools.cache
def processor() -> dict[str, str]:
    """Return the facts about the processor that can change the last digits of a number, as text."""
    name = _said_of_processor("model name", _CPU_INFO) or platform.processor() or platform.machine()
    return {"processor": name, **{key: os.environ[key] for key in PROCESSOR_VARIABLES if key in os.environ}}


def use_common_instructions(environ: MutableMapping[str, str], info: Path = _CPU_INFO) -> None:
    """Let NumPy and OpenBLAS compute with the instructions that all x86-64 processors have, so that bytes agree.

    It acts on processes that import NumPy later.  A variable that the user has set stays; a processor without the
    instructions, and a system that does not tell them, are left alone.

    Parameters
    ----------
    environ : variables of the process, which are changed.
    info : the file in which Linux describes the processor.
    """
    if set(_said_of_processor("flags", info).split()) >= COMMON:
        for name, value in COMMON_INSTRUCTIONS.items():
            environ.setdefault(name, value)


def use_all_instructions(environ: MutableMapping[str, str]) -> None:
    """Take back `use_common_instructions`, before NumPy is imported: a time is that of all the processor can do."""
    for name, value in COMMON_INSTRUCTIONS.items():
        if environ.get(name) == value:
            del environ[name]


@functools.cache
def _said_of_processor(key: str, info: Path) -> str:
    """Return the first line of a key in the file in which Linux describes the processor; empty without one."""
    if not info.is_file():
        return ""
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
    found = (line.partition(":") for line in lines)
    return next((value.strip() for name, _, value in found if name.strip() == key), "")
