"""The installed distributions that code depends on: the environment of a result."""

from __future__ import annotations

import functools
import json
import platform
import re
import sys
from collections.abc import Iterable
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
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def environment(packages: Iterable[str]) -> dict[str, str]:
    """Return distribution -> version of packages and of all that they require, and the version of Python, sorted.

    Packages of Python's own library are passed over; one that is not there has the version ``not installed``.
    """
    found: dict[str, str] = {}
    queue = [_distribution_of(name) for name in packages if name not in sys.stdlib_module_names]
    while queue:
        name = _normal(queue.pop())
        if name not in found:
            found[name], required = _installed(name)
            queue.extend(required)
    return {"python": platform.python_version(), **dict(sorted(found.items()))}


def counts_by_version(package: str, folder: str) -> bool:
    """Return whether the version tells the code: a folder holds a distribution of this name, which is not editable."""
    name = _normal(DISTRIBUTIONS.get(package, package))
    return (
        _is_installed(name) and not _is_editable(name) and Path(str(distribution(name).locate_file(""))) == Path(folder)
    )


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
