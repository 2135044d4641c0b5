"""Code digests: one hash of all code that a script can reach, recorded with the results that the script makes.

The digest covers the syntax tree of every textmix module that a script reaches.  The modules are found by following the
import statements; nothing is imported.  Comments, docstrings and formatting are left out, so that only an edit that can
change a number changes the digest.  The method registry names modules by strings, which no import statement shows; the
caller passes these names.  The files in a folder with the name of a module (``stoplists/`` beside ``stoplists.py``)
count as part of the module.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PACKAGE = "textmix"
ROOT = Path(__file__).resolve().parents[1]
#: Modules of errors, logs and records.  They cannot change a number, so an edit of them re-runs no job.
NEUTRAL = {f"{PACKAGE}.core.{name}" for name in ("errors", "provenance", "runtime")}

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def module_file(module: str) -> Path | None:
    """Return the file of a textmix module, given by its dotted name, or None if there is no such module."""
    base = ROOT.joinpath(*module.split(".")[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _describe(node: Any, imported: set[str]) -> str:
    """Return a syntax tree as text, as `ast.dump` does but without docstrings, and collect its imports.

    Every parse of the workflow reads all modules; one pass here takes a third of the time of three passes with ``ast``.

    Parameters
    ----------
    node : a tree, or a part of one: a list of nodes or a constant.
    imported : receives the dotted names of the imported modules and of the names imported from them, also from import
        statements inside functions.
    """
    if isinstance(node, list):
        return f"[{', '.join([_describe(part, imported) for part in node])}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Import):
        imported.update(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        imported.add(node.module)
        imported.update(f"{node.module}.{alias.name}" for alias in node.names)
    parts = []
    for name in node._fields:
        value: Any = getattr(node, name, None)
        if name == "body" and isinstance(node, _DOCUMENTED) and _is_docstring(value[:1]):
            value = value[1:] or [ast.Pass()]
        if value is not None or (isinstance(node, ast.Constant) and name == "value"):
            parts.append(f"{name}={_describe(value, imported)}")
    return f"{type(node).__name__}({', '.join(parts)})"


def _is_docstring(head: list[ast.stmt]) -> bool:
    """Say whether the first statement of a body is a docstring, which cannot change a number."""
    return bool(head) and isinstance(head[0], ast.Expr) and isinstance(getattr(head[0].value, "value", None), str)


@functools.cache
def _read(path: Path, _stamp: tuple[int, int]) -> tuple[str, frozenset[str]]:
    """Return the digest of the syntax tree and the textmix modules that one file imports.

    The result is cached.  The stamp, time of the last change and size, makes an edited file a new key of the cache.
    """
    found: set[str] = set()
    text = _describe(ast.parse(path.read_bytes(), filename=str(path)), found)
    imports = frozenset(name for name in found if name.split(".")[0] == PACKAGE and module_file(name))
    return hashlib.sha256(text.encode()).hexdigest(), imports


def _inspect(path: Path) -> tuple[str, frozenset[str]]:
    """Return `_read` of the file as it is now."""
    stat = path.stat()
    return _read(path, (stat.st_mtime_ns, stat.st_size))


def _data_digests(module: str, path: Path) -> dict[str, str]:
    """Return the sha256 of the files in the folder beside a module that has the module's name, if there is one."""
    files = sorted(p for p in path.with_suffix("").rglob("*") if p.is_file())
    return {f"{module}/{p.name}": hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def reachable(modules: Iterable[str], scripts: Iterable[str | Path] = ()) -> dict[str, str]:
    """Return the digest of each script, of each module that it reaches and of their data files, by name.

    Parameters
    ----------
    modules : dotted names of modules of textmix to start from.
    scripts : files of scripts to start from; a script is named by its file name.

    Returns
    -------
    name -> sha256, 64 hexadecimal digits; the modules in `NEUTRAL` are left out.

    Raises
    ------
    ValueError : a named module does not exist.
    """
    digests: dict[str, str] = {}
    queue = list(modules)
    for script in scripts:
        digest, imports = _inspect(Path(script))
        digests[Path(script).name] = digest
        queue.extend(imports)
    while queue:
        name = queue.pop()
        if name in digests or name in NEUTRAL:
            continue
        path = module_file(name)
        if path is None:
            raise ValueError(f"no module {name} in {PACKAGE}; correct the name in config/methods.yaml")
        digests[name], imports = _inspect(path)
        digests |= _data_digests(name, path)
        queue.extend(imports)
    return digests


def code_digest(modules: Iterable[str], scripts: Iterable[str | Path] = ()) -> str:
    """Return one sha256 for all code and data that `reachable` finds; its parameters and errors are those of it."""
    lines = [f"{name} {digest}" for name, digest in sorted(reachable(modules, scripts).items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
