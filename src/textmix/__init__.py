"""textmix: text classification, and the reproduction of five papers on statistical text categorisation from raw data.

Estimators and transformers can be imported from here, as in ``from textmix import PMM1``.  `save` and `load` store
fitted models, `explain` explains predictions, and ``datasets`` loads the registered data sets.  A module is imported on
first access, so ``import textmix`` imports neither NumPy nor a model.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

__version__ = "0.3.0"


def _modules() -> dict[str, str]:
    """Map each public name to its module, according to the stub ``__init__.pyi``.

    The stub is parsed, because import statements would make the code digest of every program that imports textmix
    depend on all estimators.
    """
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_MODULES = _modules()
__all__ = ["__version__", *_MODULES]  # noqa: PLE0604 - the keys are strings


def __getattr__(name: str) -> Any:
    """Import a public class, function or module on first access."""
    if name not in _MODULES:
        raise AttributeError(f"module 'textmix' has no attribute {name!r}; its public names are {', '.join(__all__)}")
    if _MODULES[name] == __name__:
        return importlib.import_module(f"{__name__}.{name}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """List the public names, for ``dir`` and tab completion."""
    return __all__
