"""Code digests: which version of the library made a result, seen through the imports of the script that made it.

The digest covers the syntax trees of every textmix module a script reaches, found by following the import statements
without importing anything.  Comments, docstrings and formatting are left out, so that only an edit that can change a
number changes the digest.  Modules named by string in the method registry are followed where the caller names them.
Data that a module keeps in a folder of its own name (``stoplists.py``, ``stoplists/``) count as part of the module.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

PACKAGE = "textmix"
ROOT = Path(__file__).resolve().parent
#: They name errors, log and record, and cannot change a number; leaving them out avoids idle re-runs.
NEUTRAL = {f"{PACKAGE}.{name}" for name in ("errors", "provenance", "runtime")}


def module_file(module: str) -> Path | None:
    """Return the file of a textmix module, or None if there is no such module."""
    base = ROOT.joinpath(*module.split(".")[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """Remove docstrings (in place), which cannot change a number."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and body:
            if ast.get_docstring(node, clean=False) is not None:
                node.body = body[1:] or [ast.Pass()]
    return tree


def _imports(tree: ast.Module) -> set[str]:
    """Return the textmix modules that a syntax tree imports, at any depth of nesting."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in found if name.split(".")[0] == PACKAGE and module_file(name)}


@functools.cache
def _read(path: Path, _stamp: tuple[int, int]) -> tuple[str, frozenset[str]]:
    """Return digest of the syntax tree and imports of one file; the stamp makes an edited file a new key."""
    tree = ast.parse(path.read_bytes(), filename=str(path))
    imports = frozenset(_imports(tree))
    return hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest(), imports


def _inspect(path: Path) -> tuple[str, frozenset[str]]:
    """Return `_read` of the file as it is now."""
    stat = path.stat()
    return _read(path, (stat.st_mtime_ns, stat.st_size))


def _data_digests(module: str, path: Path) -> dict[str, str]:
    """Return the sha256 of the files in the folder beside a module that has the module's name, if there is one."""
    files = sorted(p for p in path.with_suffix("").rglob("*") if p.is_file())
    return {f"{module}/{p.name}": hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def reachable(modules: Iterable[str], scripts: Iterable[str | Path] = ()) -> dict[str, str]:
    """Return the digest of every module reached from ``modules`` and ``scripts``, and of their data files, by name.

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
            raise ValueError(f"no module {name} in {PACKAGE}; correct the name in src/textmix/study/methods.yaml")
        digests[name], imports = _inspect(path)
        digests |= _data_digests(name, path)
        queue.extend(imports)
    return digests


def code_digest(modules: Iterable[str], scripts: Iterable[str | Path] = ()) -> str:
    """Return one digest for all code reached from ``modules`` and ``scripts``."""
    lines = [f"{name} {digest}" for name, digest in sorted(reachable(modules, scripts).items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
