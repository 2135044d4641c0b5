"""Installed distributions that code depends on, recorded as the environment of a result."""

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

#: Import name -> distribution name, if they differ.
DISTRIBUTIONS = {"sklearn": "scikit-learn", "yaml": "PyYAML", "bs4": "beautifulsoup4"}
#: Distributions with versions that the reports show.
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
    """Return distribution -> version for packages and their transitive requirements, and the Python version, sorted.

    Packages of the standard library are skipped; a missing package has the version ``not installed``.
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
    """Check whether a version identifies a package's code: its distribution is in the folder and is not editable."""
    name = _normal(DISTRIBUTIONS.get(package, package))
    return (
        _is_installed(name) and not _is_editable(name) and Path(str(distribution(name).locate_file(""))) == Path(folder)
    )


def has_distribution(package: str) -> bool:
    """Check whether any installed distribution provides a package."""
    return _is_installed(_normal(_distribution_of(package)))


def versions() -> dict[str, str]:
    """Return the versions of Python and of the distributions in `SHOWN`."""
    return {"python": platform.python_version(), **{name: _installed(_normal(name))[0] for name in SHOWN}}


def _normal(name: str) -> str:
    """Normalize the name of a distribution."""
    return re.sub(r"[-_.]+", "-", name).lower()


@functools.cache
def _distribution_of(package: str) -> str:
    """Return the name of the distribution that provides a package, or the package name if unknown."""
    name = DISTRIBUTIONS.get(package, package)
    if _is_installed(_normal(name)) or PathFinder.find_spec(package) is None:
        return name
    return packages_distributions().get(package, [name])[0]  # scans all distributions, which takes half a second


@functools.cache
def _is_editable(name: str) -> bool:
    """Check whether a distribution is installed in editable mode, so that its code can change at any time."""
    origin = json.loads(distribution(name).read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))


@functools.cache
def _installed(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the version of a distribution and its installed requirements, without those of extras."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return "not installed", ()
    # `distribution` would also parse the long description after the header.
    header = HeaderParser().parsestr(str(found.read_text("METADATA")).partition("\n\n")[0])
    needed = [_NAME.match(line) for line in header.get_all("Requires-Dist", ()) if "extra ==" not in line]
    names = [match[0] for match in needed if match is not None]
    return header["Version"], tuple(each for each in names if _is_installed(_normal(each)))


@functools.cache
def _is_installed(name: str) -> bool:
    """Check whether a distribution is installed; requirements of other platforms may be missing."""
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
