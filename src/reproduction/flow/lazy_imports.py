"""Parts of other packages that load when they are first used, so that a job does not wait for code that it never runs.

scikit-learn imports all of SciPy's statistics, and SciPy imports NumPy's Fortran wrapper and its tests; together they
take half of the time in which a job starts.  Python's ``LazyLoader`` runs the code of a module at the first look at one
of its attributes.  The module of scikit-learn that imports pandas, for frames that no job gives it, runs as if there
were no pandas; any other import finds pandas as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

#: Parts of scikit-learn of which a job uses one at most.
_PARTS = (
    *("cluster", "decomposition", "feature_extraction", "feature_selection", "isotonic", "linear_model"),
    *("model_selection", "neural_network", "preprocessing", "svm"),
)
#: Dotted names of the modules that load late.
LATE = frozenset(
    (
        "numpy.f2py",
        "numpy.testing",
        "scipy.optimize",
        "scipy.special",
        "scipy.stats",
        *(f"sklearn.{part}" for part in _PARTS),
    )
)


#: Module -> the package without which it is run.
WITHOUT = {"sklearn.utils.fixes": "pandas"}


class LoaderWithout(Loader):
    """Run a module, by its own loader, while the import of a package fails, unless the package is loaded already."""

    def __init__(self, loader: Loader, package: str) -> None:
        self.loader = loader
        self.package = package

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if self.package in sys.modules:
            self.loader.exec_module(module)
            return
        sys.modules[self.package] = None  # type: ignore[assignment]
        try:
            self.loader.exec_module(module)
        finally:
            del sys.modules[self.package]


class LateFinder(MetaPathFinder):
    """Find modules as Python does; those in `LATE` load late, those in `WITHOUT` run without a package."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how to load a module of `LATE` or `WITHOUT`; None for any other, which the next finder then finds."""
        spec = PathFinder.find_spec(name, path, target) if name in LATE or name in WITHOUT else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader) if name in LATE else LoaderWithout(spec.loader, WITHOUT[name])
        return spec


def load_late() -> None:
    """Load as `LateFinder` does from now on in this process; a second call changes nothing."""
    if not any(isinstance(finder, LateFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, LateFinder())
