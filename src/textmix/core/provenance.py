"""Code digests: one hash of all code that a script can reach, recorded with the results that the script makes.

The digest covers the syntax tree of every module that a script reaches in a package that is read from its source files:
textmix itself, each package that lies beside its source, and a module of the user's own: one without a distribution, or
one that is installed as editable.  The modules are found by following the import statements; nothing is imported.  Any
other package counts by its version (`textmix.core.environment`).  Comments, docstrings and
formatting are left out, so that only an edit that can change a number changes the digest.  The method registry names
modules by strings, which no import statement shows; the caller passes these names.  The files in a folder with the name
of a module (``stoplists/`` beside ``stoplists.py``) count as part of the module.
"""

from __future__ import annotations

import ast
import functools
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from textmix.core.cache import Store
from textmix.core.digests import sha256_bytes, sha256_file, stamp
from textmix.core.environment import counts_by_version, has_distribution

PACKAGE = "textmix"
ROOT = Path(__file__).resolve().parents[1]
#: Modules of errors, logs and records.  They cannot change a number, so an edit of them re-runs no job.
NEUTRAL = {f"{PACKAGE}.core.{name}" for name in ("cache", "environment", "errors", "progress", "provenance")}
#: Folders of installed packages, whose code counts by the version of its distribution.
INSTALLED = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
#: Digits of the digest of a module in a record.
SHORT = 12

#: Facts that are known of a file by its content; another version of Python or of this module knows nothing yet.
_TREES = Store(f"trees-{platform.python_version()}-{sha256_file(__file__)[:SHORT]}")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def source_root(package: str) -> Path | None:
    """Return the path of a package that is read from source: of its folder, or of its file without the ending.

    It is None for a package of Python itself, for one that counts by the version of its distribution, and for one that
    is not there.
    """
    if package == PACKAGE:
        return ROOT
    if str(ROOT.parent) not in INSTALLED and _is_package(ROOT.with_name(package)):
        return ROOT.with_name(package)
    return None if package in sys.stdlib_module_names or counts_by_version(package) else _own_module(package)


@functools.cache
def _is_package(folder: Path) -> bool:
    """Say whether a folder is a package."""
    return (folder / "__init__.py").is_file()


@functools.cache
def _own_module(package: str) -> Path | None:
    """Return the path of a module of the user's own, without the ending; None where there is no such module."""
    program = "import importlib.util, sys; found = importlib.util.find_spec(sys.argv[1]);"
    program += "print('' if found is None else found.origin or ''.join([*found.submodule_search_locations][:1]))"
    command = [sys.executable, "-P", "-c", program, package]
    done = subprocess.run(command, env={**os.environ}, capture_output=True, text=True, check=False)  # noqa: S603
    path = Path(done.stdout.strip())
    if done.returncode or not path.is_absolute():  # not there, or built into Python
        return None
    if any(path.is_relative_to(folder) for folder in INSTALLED) and has_distribution(package):
        return None
    return path.parent if path.name == "__init__.py" else path.with_name(path.name.partition(".")[0])


def module_file(module: str) -> Path | None:
    """Return the file of a module, given by its dotted name, or None if it has no source file that counts."""
    package, *parts = module.split(".")
    root = source_root(package)
    if root is None:
        return None
    base = os.path.join(root, *parts)
    for path in (*(f"{base}{ending}" for ending in (".py", *EXTENSION_SUFFIXES)), os.path.join(base, "__init__.py")):
        if os.path.isfile(path):
            return Path(path)
    return None


def _describe(node: Any, imported: set[str]) -> str:
    """Return a syntax tree as text, as `ast.dump` does but without docstrings, and collect its imports."""
    if isinstance(node, list):
        return f"[{', '.join([_describe(part, imported) for part in node])}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Import):
        imported.update(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        source, dots = node.module or "", "." * node.level
        imported.add(dots + source)
        imported.update(f"{dots}{source}{'.' if source else ''}{alias.name}" for alias in node.names)
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


def _read(path: Path, package: str = "") -> tuple[str, list[str], set[str]]:
    """Return the digest of the syntax tree of a file, the modules read from source and the packages that it imports."""
    found = stamp(path)
    return _read_stamped(path, package, found) if found else _read_anew(path, package)


@functools.cache
def _read_stamped(path: Path, package: str, _stamp: str) -> tuple[str, list[str], set[str]]:
    """Return `_read_anew` of a file with a stamp; a plan meets each module in the code of many jobs."""
    return _read_anew(path, package)


def _read_anew(path: Path, package: str) -> tuple[str, list[str], set[str]]:
    """Return what `_read` gives, from the content of the file."""
    digest, imports = source_digest(path)
    imports = list(filter(None, (_absolute(name, package) for name in imports)))
    # Of ``from module import name`` both the module and the name below it are listed: most such names are no module.
    modules = [name for name in imports if module_file(name)]
    packages = {name.split(".")[0] for name in imports}
    return digest, modules, {package for package in packages if source_root(package) is None}


def source_digest(path: Path) -> tuple[str, list[str]]:
    """Return the digest of the syntax tree of a file and the names that it imports, relative ones with their dots.

    The machine code of an extension module counts by its bytes.
    """
    source = path.read_bytes()
    if path.suffix != ".py":
        return sha256_bytes(source), []

    def describe() -> tuple[str, list[str]]:
        """Return the digest and the imports of the content."""
        found: set[str] = set()
        text = _describe(ast.parse(source, filename=str(path)), found)
        return sha256_bytes(text.encode()), sorted(found)

    digest, imports = _TREES.get(sha256_bytes(source), describe)
    return str(digest), list(imports)


def _absolute(name: str, package: str) -> str:
    """Return the absolute name of a module; empty for a relative one that leads out of its package."""
    try:
        return resolve_name(name, package)
    except ImportError:
        return ""


def _data_files(path: Path) -> list[Path]:
    """Return the files in the folder beside a module that has the module's name, if there is one."""
    folder = path.with_suffix("")
    return sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else []


def _within(path: Path, data: Path) -> str:
    """Return the path of a data file below the folder that has a module's name."""
    return data.relative_to(path.with_suffix("")).as_posix()


@dataclass(frozen=True)
class Reached:
    """The code that a job reaches.

    Parameters
    ----------
    digests : name of a script, module or data file -> its sha256, 64 hexadecimal digits.
    files : of the scripts, the modules and their data.
    packages : names of the installed packages that the code imports.
    """

    digests: dict[str, str] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    packages: set[str] = field(default_factory=set)

    def short(self) -> dict[str, str]:
        """Return the digests cut to `SHORT` digits, sorted by name: the form in which a record holds them."""
        return {name: digest[:SHORT] for name, digest in sorted(self.digests.items())}


def reachable(modules: Iterable[str], scripts: Iterable[str | Path] = (), neutral: Iterable[str] = ()) -> Reached:
    """Return the digest of each script, of each module that it reaches and of their data files, by name.

    Returns
    -------
    the code without the neutral modules.
    """
    found = Reached()
    queue = list(modules)
    named = set(queue)
    for script in scripts:
        found.digests[Path(script).name], imports, packages = _read(Path(script))
        found.files.append(Path(script))
        found.packages.update(packages)
        queue.extend(imports)
    seen = NEUTRAL | set(neutral)
    while queue:
        name = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        package = name.split(".")[0]
        if source_root(package) is None:
            found.packages.add(package)
            continue
        path = module_file(name)
        if path is not None:
            holder = name if path.name == "__init__.py" else name.rpartition(".")[0]
            found.digests[name], imports, packages = _read(path, holder)
            found.files.append(path)
            found.packages.update(packages)
            data = _data_files(path)
            found.digests.update({f"{name}/{_within(path, each)}": sha256_file(each) for each in data})
            found.files.extend(data)
            # Python runs the packages that hold a module before the module.
            queue.extend([name.rpartition(".")[0], *imports] if "." in name else imports)
        elif name in named:
            raise ValueError(f"no module {name} in {package}; correct the name in config/methods.yaml")
    return found
