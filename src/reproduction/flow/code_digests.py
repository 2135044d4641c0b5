"""Code digests: a hash of all code that a script can reach, recorded with the results of the script.

The digest covers the syntax tree of every module that a script reaches and that is imported from source: textmix,
packages in the same source folder, and the user's modules (without a distribution, or installed in editable mode).
Import statements are followed statically; nothing is imported.  Other packages contribute their version
(`textmix.core.environment`).  Comments, docstrings and formatting are excluded, so that only edits that can change a
number change the digest.  The caller passes the modules that the method registry references by string.  Files in a
folder with the name of a module (``stoplists/`` next to ``stoplists.py``) are hashed as part of the module.
"""

from __future__ import annotations

import ast
import functools
import os
import pkgutil
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from textmix.core.cache import Store
from textmix.core.digests import sha256_bytes, sha256_file, stamp
from textmix.core.environment import counts_by_version, has_distribution

PACKAGE = "textmix"
ROOT = Path(__file__).resolve().parents[2] / PACKAGE
#: Modules for errors, logs and records.  They cannot change a number, so editing them does not trigger a rerun.
NEUTRAL = {__name__, *(f"{PACKAGE}.core.{name}" for name in ("cache", "environment", "errors", "progress"))}
#: Folders of installed packages, which are identified by the version of their distribution.
INSTALLED = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
#: Folders of the standard library, which is identified by the Python version.
_PYTHON = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
#: Number of hexadecimal digits of a module digest in a record.
SHORT = 12

#: Cache of facts derived from the content of files, invalidated by a new version of Python or of this module.
_TREES = Store(f"trees-{platform.python_version()}-{sha256_file(__file__)[:SHORT]}")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def search_path() -> list[str]:
    """Return the module search path shared by the plan and all jobs: ``PYTHONPATH`` and the folders of Python.

    Working directories and the folders of Snakefiles and scripts are excluded, because Snakemake adds them either in
    the plan or in the job, not in both.
    """
    return list(_search_path(os.environ.get("PYTHONPATH", "")))


@functools.cache
def _search_path(_pythonpath: str) -> tuple[str, ...]:
    """Return ``sys.path`` of a new process started without the folder of its program."""
    return tuple(_query_python("import sys; print(sys.path)", ""))


def _query_python(program: str, argument: str) -> list[str]:
    """Run a program in a new process and return the list in its last output line; empty if the program fails."""
    command = [sys.executable, "-P", "-c", program, argument]
    process = subprocess.run(command, env={**os.environ}, capture_output=True, text=True, check=False)  # noqa: S603
    if process.returncode:
        return []
    last_line = process.stdout.splitlines()[-1]
    return list(ast.literal_eval(last_line))


@contextmanager
def found_by_all() -> Iterator[None]:
    """Restrict imports in a ``with`` block to the folders of `search_path`."""
    before = sys.path[:]
    sys.path[:] = search_path()
    try:
        yield
    finally:
        sys.path[:] = before


def _is_local(package: str) -> bool:
    """Check whether a package is textmix or is in the same source folder."""
    return package == PACKAGE or (str(ROOT.parent) not in INSTALLED and _is_package(ROOT.with_name(package)))


@functools.cache
def _is_package(folder: Path) -> bool:
    return (folder / "__init__.py").is_file()


@dataclass(frozen=True)
class _Location:
    """Location of a module.

    Parameters
    ----------
    file : Path or None
        File of the module, None for a namespace package or a built-in module.
    folder : str, default=""
        Entry of the search path that contains the module or its package, "" for a namespace package.
    inner : tuple of str, default=()
        Folders of the submodules; a namespace package may have several.
    """

    file: Path | None
    folder: str = ""
    inner: tuple[str, ...] = ()


def _find(module: str) -> _Location | None:
    """Locate a module on the search path without importing it; None if it does not exist."""
    return _find_in(module, tuple(search_path()))


@functools.cache
def _find_in(module: str, path: tuple[str, ...]) -> _Location | None:
    """Locate a module: a regular module or package takes precedence over namespace packages."""
    parent = module.rpartition(".")[0]
    parent_location = _find_in(parent, path) if parent else None
    if parent and parent_location is None:
        return None
    portions: list[str] = []
    for folder in parent_location.inner if parent_location else path:
        finder = pkgutil.get_importer(folder)
        spec = finder.find_spec(module) if finder is not None else None
        if spec is None:
            continue
        folders = spec.submodule_search_locations or ()
        if spec.loader is not None:
            return _Location(Path(str(spec.origin)), folder, tuple(folders))
        portions += folders
    if portions:
        return _Location(None, "", tuple(portions))
    return None if parent else _find_by_hook(module)


@functools.cache
def _find_by_hook(package: str) -> _Location | None:
    """Locate a built-in package or one that an import hook finds, such as an editable installation."""
    if package in sys.builtin_module_names:
        return _Location(None)
    program = "import importlib.util, sys; spec = importlib.util.find_spec(sys.argv[1]);"
    program += "print([spec.origin or '', *(spec.submodule_search_locations or ())])"
    file, *inner = _query_python(program, package) or [""]
    if not file and not inner:
        return None
    return _Location(Path(file) if file else None, "", tuple(inner))


def is_found(module: str) -> bool:
    """Check whether the plan and the jobs can import a module (dotted name)."""
    return module_file(module) is not None or _find(module) is not None


def module_file(module: str) -> Path | None:
    """Return the file of a module; None for the standard library and for packages identified by their version."""
    package, *names = module.split(".")
    if not _is_local(package):
        location = _find(module)
        if location is None or location.file is None or not _is_own(package, location):
            return None
        return location.file
    root = ROOT if package == PACKAGE else ROOT.with_name(package)
    base = os.path.join(root, *names)
    paths = [f"{base}{suffix}" for suffix in (".py", *EXTENSION_SUFFIXES)]
    paths.append(os.path.join(base, "__init__.py"))
    for path in paths:
        if os.path.isfile(path):
            return Path(path)
    return None


def _is_own(package: str, location: _Location) -> bool:
    """Check whether a module is imported from source, judged by its location because names can be ambiguous."""
    paths = [location.file] if location.file is not None else list(map(Path, location.inner))
    if not paths:  # built into Python
        return False
    if _is_any_below(paths, INSTALLED):
        return not has_distribution(package)
    if _is_any_below(paths, _PYTHON):
        return False
    top = _find(package)
    return top is None or not counts_by_version(package, top.folder)


def _is_any_below(paths: Iterable[Path], folders: Collection[str]) -> bool:
    return any(path.is_relative_to(folder) for path in paths for folder in folders)


def _is_read_from_source(name: str) -> bool:
    """Check whether an imported name is a module that is imported from source, or an attribute of one."""
    package = name.partition(".")[0]
    while not _is_local(package):
        location = _find(name)
        if location is not None and (location.file is not None or name == package):
            return _is_own(package, location)
        if name == package:
            return False
        name = name.rpartition(".")[0]
    return True


def _describe(node: Any, imported: set[str]) -> str:
    """Dump a syntax tree like `ast.dump`, without docstrings, and collect its imports."""
    if isinstance(node, list):
        return f"[{', '.join([_describe(item, imported) for item in node])}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Import):
        imported.update(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        prefix = f"{module}." if node.module else module
        imported.add(module)
        imported.update(f"{prefix}{alias.name}" for alias in node.names)
    described = []
    for name in node._fields:
        value: Any = getattr(node, name, None)
        if name == "body" and isinstance(node, _DOCUMENTED) and _is_docstring(value[:1]):
            value = value[1:] or [ast.Pass()]
        if value is not None or (isinstance(node, ast.Constant) and name == "value"):
            described.append(f"{name}={_describe(value, imported)}")
    return f"{type(node).__name__}({', '.join(described)})"


def _is_docstring(head: list[ast.stmt]) -> bool:
    """Check whether the first statement of a body is a docstring, which cannot change a number."""
    return bool(head) and isinstance(head[0], ast.Expr) and isinstance(getattr(head[0].value, "value", None), str)


def _read(path: Path, package: str = "") -> tuple[str, list[str], set[str]]:
    """Return the digest of a file's syntax tree, the modules imported from source, and the imported packages."""
    file_stamp = stamp(path)
    # Without a stamp, a change of the file would go unnoticed, so that nothing is cached.
    read = _read_stamped if file_stamp else _read_stamped.__wrapped__
    return read(path, package, file_stamp)


# Cached, because a plan encounters each module in the code of many jobs.
@functools.cache
def _read_stamped(path: Path, package: str, _stamp: str) -> tuple[str, list[str], set[str]]:
    digest, imports = source_digest(path)
    imports = list(filter(None, (_absolute(name, package) for name in imports)))
    # ``from module import name`` adds both the module and ``module.name``, which is usually not a module.
    modules = [name for name in imports if module_file(name)]
    return digest, modules, {name.split(".")[0] for name in imports if not _is_read_from_source(name)}


def source_digest(path: Path) -> tuple[str, list[str]]:
    """Return the digest of a file's syntax tree (or of its bytes), and its imports as dotted names."""
    source = path.read_bytes()
    if path.suffix != ".py":
        return sha256_bytes(source), []

    def describe() -> tuple[str, list[str]]:
        imported: set[str] = set()
        tree = ast.parse(source, filename=str(path))
        text = _describe(tree, imported)
        return sha256_bytes(text.encode()), sorted(imported)

    digest, imports = _TREES.get(sha256_bytes(source), describe)
    return str(digest), list(imports)


def _absolute(name: str, package: str) -> str:
    """Resolve the name of a module; "" for a relative import beyond the top-level package."""
    try:
        return resolve_name(name, package)
    except ImportError:
        return ""


def _data_files(path: Path) -> list[Path]:
    """Return the files in the folder next to a module that has the name of the module, if any."""
    folder = path.with_suffix("")
    return sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else []


@dataclass(frozen=True)
class Reached:
    """Code that a job reaches.

    Attributes
    ----------
    digests : dict of str to str
        Script, module or data file -> SHA-256 (hexadecimal).
    files : list of Path
        The hashed files.
    packages : set of str
        Imported installed packages.
    """

    digests: dict[str, str] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    packages: set[str] = field(default_factory=set)

    def short(self) -> dict[str, str]:
        """Return the digests truncated to `SHORT` digits and sorted by name, as stored in records."""
        return {name: digest[:SHORT] for name, digest in sorted(self.digests.items())}


def reachable(modules: Iterable[str], scripts: Iterable[str | Path] = (), neutral: Iterable[str] = ()) -> Reached:
    """Collect the code that scripts and modules reach, except for neutral modules."""
    reached = Reached()
    queue = list(modules)
    entry_points = set(queue)
    for script in scripts:
        queue += _add_file(reached, Path(script).name, Path(script), "")
    visited = NEUTRAL | set(neutral)
    while queue:
        name = queue.pop()
        if name in visited:
            continue
        visited.add(name)
        package = name.split(".")[0]
        if name in entry_points and not is_found(name):
            raise ValueError(f"no module {name} in {package}; correct the name in config/methods.yaml")
        if not _is_read_from_source(name):
            reached.packages.add(package)
            continue
        path = module_file(name)
        if path is not None:
            # Python executes the parent packages of a module first.
            parent = name.rpartition(".")[0]
            if parent:
                queue.append(parent)
            queue += _add_file(reached, name, path, name if path.name == "__init__.py" else parent)
            _add_data_files(reached, name, path)
    return reached


def _add_file(reached: Reached, name: str, path: Path, package: str) -> list[str]:
    """Add a script or a module, and return the modules that it imports from source."""
    digest, imports, packages = _read(path, package)
    reached.digests[name] = digest
    reached.files.append(path)
    reached.packages.update(packages)
    return imports


def _add_data_files(reached: Reached, module: str, path: Path) -> None:
    """Add the data files of a module."""
    folder = path.with_suffix("")
    for file in _data_files(path):
        reached.digests[f"{module}/{file.relative_to(folder).as_posix()}"] = sha256_file(file)
        reached.files.append(file)
