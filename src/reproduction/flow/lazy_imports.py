"""Import parts of other packages on first use, because most jobs never need them.

scikit-learn imports all of `scipy.stats`, and SciPy imports `numpy.f2py` and `numpy.testing`; together they take half
of the start-up time of a job.  Python's ``LazyLoader`` executes a module when one of its attributes is first accessed.
The module of scikit-learn that imports pandas is executed as if pandas were not installed, because no job passes data
frames; all other modules can import pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

#: Dotted names of the modules that are loaded lazily.  A job uses at most one of scikit-learn's.
LAZY_MODULES = frozenset(
    (
        "numpy.f2py",
        "numpy.testing",
        "scipy.optimize",
        "scipy.special",
        "scipy.stats",
        "sklearn.cluster",
        "sklearn.decomposition",
        "sklearn.feature_extraction",
        "sklearn.feature_selection",
        "sklearn.isotonic",
        "sklearn.linear_model",
        "sklearn.model_selection",
        "sklearn.neural_network",
        "sklearn.preprocessing",
        "sklearn.svm",
    )
)
#: Module -> package that is hidden from it.
HIDDEN_PACKAGES = {"sklearn.utils.fixes": "pandas"}


class LoaderWithout(Loader):
    """Execute a module while imports of a package fail, unless the package is already loaded.

    Parameters
    ----------
    loader : Loader
        The module's own loader.
    package : str
        Name of the hidden package.
    """

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


class LazyFinder(MetaPathFinder):
    """Find the modules of `LAZY_MODULES` and `HIDDEN_PACKAGES` as Python does, but load them differently."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module of `LAZY_MODULES` or `HIDDEN_PACKAGES`; None for all others."""
        if name not in LAZY_MODULES and name not in HIDDEN_PACKAGES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        if name in LAZY_MODULES:
            spec.loader = LazyLoader(spec.loader)
        else:
            spec.loader = LoaderWithout(spec.loader, HIDDEN_PACKAGES[name])
        return spec


def enable_lazy_imports() -> None:
    """Install `LazyFinder` in this process, once."""
    if not any(isinstance(finder, LazyFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, LazyFinder())
