"""Parts of other packages that load when they are first used, so that a job does not wait for code that it never runs.

scikit-learn imports all of SciPy's statistics, and SciPy imports NumPy's Fortran wrapper and its tests; together they
take half of the time in which a job starts.  Python's own ``LazyLoader`` gives the importing module the real module
object, and runs the code of the module at the first look at one of its attributes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

#: Dotted names of the modules that load late.
LATE = frozenset({"numpy.f2py", "numpy.testing", "scipy.stats"})


class LateFinder(MetaPathFinder):
    """Find the modules in `LATE` as Python does, and put off their loading."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to load a module of `LATE`; None for any other module, which the next finder then finds."""
        spec = PathFinder.find_spec(name, path, target) if name in LATE else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def load_late() -> None:
    """Put off the loading of the modules in `LATE` from now on in this process; a second call changes nothing."""
    if not any(isinstance(finder, LateFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, LateFinder())
