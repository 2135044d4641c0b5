"""textmix: the tables, curves and numbers of five documents on text categorisation, rebuilt from raw data.

Every estimator and transformer can be imported from here by its name, as in ``from textmix import PMM1``; `save` and
`load` keep a fitted model, and ``datasets`` gives the registered data sets as arrays.  A name's module is imported when
the name is first asked for, so ``import textmix`` alone imports neither NumPy nor a model.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

__version__ = "0.3.0"


def _modules() -> dict[str, str]:
    """Return public name -> dotted name of its module, from the stub ``__init__.pyi``, the only list.  It is read as
    text: import statements here would make the code digest of each program that imports textmix depend on every
    estimator.
    """
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_MODULES = _modules()
__all__ = ["__version__", *_MODULES]  # noqa: PLE0604 - the keys are strings


def __getattr__(name: str) -> Any:
    """Return the public class, function or module of a name that is not yet defined, after an import."""
    if name not in _MODULES:
        raise AttributeError(f"textmix has no {name!r}; its public names are {', '.join(__all__)}")
    if _MODULES[name] == __name__:
        return importlib.import_module(f"{__name__}.{name}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """Return the public names, for ``dir`` and for completion in editors."""
    return __all__
