"""The names that a source file binds, read from its text: parsing the workflow imports nothing that its jobs run."""

from __future__ import annotations

import ast
import functools
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from textmix.core.cache import Store
from textmix.core.digests import sha256_bytes, sha256_file
from textmix.core.provenance import module_file

#: Name that `figures.py` of a paper gives to its mapping of names to functions.
FIGURES = "FIGURES"
#: Text of a source file -> its outline.
_OUTLINES = Store(f"outlines-{sha256_file(__file__)[:12]}")


def names_in(path: Path) -> list[str]:
    """Return the names that a source file binds at its top level, sorted."""
    return sorted(_outline(path)["names"])


def figures_in(path: Path) -> list[str] | None:
    """Return the keys of the mapping `FIGURES` of a source file; None where its text does not say them all."""
    found: list[str] | None = _outline(path)["figures"]
    return found


@functools.cache
def parameters_of(estimator: str) -> list[str] | None:
    """Return the parameters of an estimator, sorted; None where the text of its module does not say them all.

    Parameters
    ----------
    estimator : ``module:class``.
    """
    module, _, name = estimator.partition(":")
    path = _file_of(module)
    outline = _outline(path) if path else {}
    if name not in outline.get("classes", {}):
        return parameters_of(outline["imports"][name]) if name in outline.get("imports", {}) else None
    made = outline["classes"][name]
    if made["parameters"] is not None or made["open"]:
        return None if made["open"] else sorted(made["parameters"])
    local = (base if base in outline["imports"] else f"{module}:{base}" for base in made["bases"])
    found = (parameters_of(outline["imports"].get(base, base)) for base in local)
    return next((each for each in found if each is not None), None)


def _file_of(module: str) -> Path | None:
    """Return the source file of a module, which is not imported; None where there is none."""
    if found := module_file(module):
        return found
    package, *parts = module.split(".")
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in (Path(folder, *parts).with_suffix(".py"), Path(folder, *parts, "__init__.py")):
            if path.is_file():
                return path
    return None


def _outline(path: Path) -> dict[str, Any]:
    """Return ``names``, ``imports``, ``classes`` and ``figures`` of a source file."""
    text = path.read_bytes()
    found: dict[str, Any] = _OUTLINES.get(sha256_bytes(text), lambda: _read(ast.parse(text)))
    return found


def _read(tree: ast.Module) -> dict[str, Any]:
    """Return the outline of a module."""
    names: list[str] = []
    imports: dict[str, str] = {}
    classes: dict[str, Any] = {}
    figures: list[str] | None = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and not node.level:
            imports |= {alias.asname or alias.name: f"{node.module}:{alias.name}" for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(node.name)
            if isinstance(node, ast.ClassDef):
                classes[node.name] = _class(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            bound = [target.id for target in targets if isinstance(target, ast.Name)]
            names += bound
            if FIGURES in bound:
                figures = _keys(node.value)
    return {"names": [*names, *imports], "imports": imports, "classes": classes, "figures": figures}


def _class(node: ast.ClassDef) -> dict[str, Any]:
    """Return ``bases`` of a class, the ``parameters`` of its own ``__init__`` or None, and whether it takes any."""
    made = next((part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
    arguments = [one.arg for one in (*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs)] if made else None
    return {
        "bases": [base.id for base in node.bases if isinstance(base, ast.Name)],
        "parameters": arguments[1:] if arguments else None,
        "open": bool(made and (made.args.kwarg or made.args.vararg)),
    }


def _keys(node: ast.expr | None) -> list[str] | None:
    """Return the keys of a mapping that is written out, also with ``**dict.fromkeys((...), ...)``; else None."""
    if not isinstance(node, ast.Dict):
        return None
    found: list[str] = []
    for key, value in zip(node.keys, node.values, strict=True):
        parts: list[ast.expr] = [key] if key is not None else _from_keys(value)
        if not parts or not all(isinstance(part, ast.Constant) for part in parts):
            return None
        found += [str(part.value) for part in parts if isinstance(part, ast.Constant)]
    return found


def _from_keys(node: ast.expr) -> list[ast.expr]:
    """Return the keys of a call of ``dict.fromkeys`` with a tuple or list that is written out; none of any other."""
    call = isinstance(node, ast.Call) and ast.unparse(node.func) == "dict.fromkeys" and node.args
    return list(node.args[0].elts) if call and isinstance(node.args[0], (ast.Tuple, ast.List)) else []  # type: ignore[attr-defined]
