"""Code digests: one hash of all code that a script can reach, recorded with the results that the script makes.

The digest covers the syntax tree of every module that a script reaches in a package that is read from its source files:
textmix itself, each package that lies beside its source, and a module of the user's own: one without a distribution, or
one that is installed as editable.  Import statements are followed; nothing is imported.  Any other package counts by
its version (`textmix.core.environment`).  Comments, docstrings and formatting are left out, so that only an edit that
can change a number counts.  The caller passes the modules that the method registry names by strings.  The files in a
folder with the name of a module (``stoplists/`` beside ``stoplists.py``) count as part of it.
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
from collections.abc import Iterable, Iterator
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
#: Modules of errors, logs and records.  They cannot change a number, so an edit of them re-runs no job.
NEUTRAL = {__name__, *(f"{PACKAGE}.core.{name}" for name in ("cache", "environment", "errors", "progress"))}
#: Folders of installed packages, whose code counts by the version of its distribution.
INSTALLED = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
#: Folders of Python's own library, which counts by the version of Python.
_PYTHON = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
#: Digits of the digest of a module in a record.
SHORT = 12

#: Facts that are known of a file by its content; another version of Python or of this module knows nothing yet.
_TREES = Store(f"trees-{platform.python_version()}-{sha256_file(__file__)[:SHORT]}")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def search_path() -> list[str]:
    """Return the folders in which the plan and each job look for modules: those of ``PYTHONPATH`` and of Python.  The
    folders of the process, of Snakefiles and of scripts are none of them: Snakemake has them in the plan or in the job
    alone.
    """
    return list(_search_path(os.environ.get("PYTHONPATH", "")))


@functools.cache
def _search_path(_named: str) -> tuple[str, ...]:
    """Return the folders as a new process tells them that looks for no module beside its program."""
    return tuple(_told_by_python("import sys; print(sys.path)", ""))


def _told_by_python(program: str, argument: str) -> list[str]:
    """Return the list that a program prints in a new process as its last line; empty where the program fails."""
    command = [sys.executable, "-P", "-c", program, argument]
    done = subprocess.run(command, env={**os.environ}, capture_output=True, text=True, check=False)  # noqa: S603
    return [] if done.returncode else list(ast.literal_eval(done.stdout.splitlines()[-1]))


@contextmanager
def found_by_all() -> Iterator[None]:
    """Let the imports of a ``with`` block look in the folders of `search_path` alone."""
    before = sys.path[:]
    sys.path[:] = search_path()
    try:
        yield
    finally:
        sys.path[:] = before


def _is_beside(package: str) -> bool:
    """Say whether a package is textmix or lies beside its source."""
    return package == PACKAGE or (str(ROOT.parent) not in INSTALLED and _is_package(ROOT.with_name(package)))


@functools.cache
def _is_package(folder: Path) -> bool:
    return (folder / "__init__.py").is_file()


@dataclass(frozen=True)
class _Found:
    """Where Python finds a module.

    ``file`` is None for a namespace, and for a module that is built into Python.  ``folder`` holds the module or its
    package, as the search path has it; it is empty for a namespace.  ``inner`` are the folders of its submodules; a
    namespace may have several.
    """

    file: Path | None
    folder: str = ""
    inner: tuple[str, ...] = ()


def _find(module: str) -> _Found | None:
    """Return where Python finds a module on the search path, without an import; None where there is none."""
    return _find_in(module, tuple(search_path()))


@functools.cache
def _find_in(module: str, path: tuple[str, ...]) -> _Found | None:
    """Return where Python finds a module: the first that is no namespace, else the namespace of all folders."""
    holder = module.rpartition(".")[0]
    above = _find_in(holder, path) if holder else None
    if holder and above is None:
        return None
    portions: list[str] = []
    for folder in above.inner if above else path:
        finder = pkgutil.get_importer(folder)
        spec = finder.find_spec(module) if finder is not None else None
        if spec is not None and spec.loader is not None:
            return _Found(Path(str(spec.origin)), folder, tuple(spec.submodule_search_locations or ()))
        portions += (spec.submodule_search_locations or ()) if spec is not None else ()
    if portions:
        return _Found(None, "", tuple(portions))
    return None if holder else _hooked(module)


@functools.cache
def _hooked(package: str) -> _Found | None:
    """Return where Python finds a package that lies in no folder: built in, or told by a hook, as editable ones."""
    if package in sys.builtin_module_names:
        return _Found(None)
    program = "import importlib.util, sys; found = importlib.util.find_spec(sys.argv[1]);"
    program += "print([found.origin or '', *(found.submodule_search_locations or ())])"
    file, *inner = _told_by_python(program, package) or [""]
    if not file and not inner:
        return None
    return _Found(Path(file) if file else None, "", tuple(inner))


def is_found(module: str) -> bool:
    """Say whether plan and jobs find a module, given by its dotted name."""
    return module_file(module) is not None or _find(module) is not None


def module_file(module: str) -> Path | None:
    """Return the file of a module; None of Python's own, and of a package that counts by its version."""
    package, *parts = module.split(".")
    if not _is_beside(package):
        found = _find(module)
        return found.file if found is not None and found.file is not None and _is_own(package, found) else None
    base = os.path.join(ROOT.with_name(package) if package != PACKAGE else ROOT, *parts)
    for path in (*(f"{base}{ending}" for ending in (".py", *EXTENSION_SUFFIXES)), os.path.join(base, "__init__.py")):
        if os.path.isfile(path):
            return Path(path)
    return None


def _is_own(package: str, found: _Found) -> bool:
    """Say whether a module of a package is read from its file: its place tells, for its name may be another's too."""
    places = [found.file] if found.file is not None else list(map(Path, found.inner))
    if not places:  # built into Python
        return False
    if any(place.is_relative_to(folder) for folder in INSTALLED for place in places):
        return not has_distribution(package)
    if any(place.is_relative_to(folder) for folder in _PYTHON for place in places):
        return False
    top = _find(package)
    return top is None or not counts_by_version(package, top.folder)


def _is_read_from_source(name: str) -> bool:
    """Say whether an imported name is that of a module that is read from its file, or of something within one."""
    package = name.partition(".")[0]
    while not _is_beside(package):
        found = _find(name)
        if found is not None and (found.file is not None or name == package):
            return _is_own(package, found)
        if name == package:
            return False
        name = name.rpartition(".")[0]
    return True


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
    known = stamp(path)
    return _read_stamped(path, package, known) if known else _read_stamped.__wrapped__(path, package, known)


# A plan meets each module in the code of many jobs.
@functools.cache
def _read_stamped(path: Path, package: str, _stamp: str) -> tuple[str, list[str], set[str]]:
    digest, imports = source_digest(path)
    imports = list(filter(None, (_absolute(name, package) for name in imports)))
    # Of ``from module import name`` both the module and the name below it are listed: most such names are no module.
    modules = [name for name in imports if module_file(name)]
    return digest, modules, {name.split(".")[0] for name in imports if not _is_read_from_source(name)}


def source_digest(path: Path) -> tuple[str, list[str]]:
    """Return the digest of a file's syntax tree, or of its bytes, and the names that it imports, with their dots."""
    source = path.read_bytes()
    if path.suffix != ".py":
        return sha256_bytes(source), []

    def describe() -> tuple[str, list[str]]:
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


@dataclass(frozen=True)
class Reached:
    """The code that a job reaches: ``digests`` maps a script, module or data file to its sha256 (hexadecimal),
    ``files`` are theirs, ``packages`` the installed ones that it imports.
    """

    digests: dict[str, str] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    packages: set[str] = field(default_factory=set)

    def short(self) -> dict[str, str]:
        """Return the digests cut to `SHORT` digits, sorted by name: the form in which a record holds them."""
        return {name: digest[:SHORT] for name, digest in sorted(self.digests.items())}


def reachable(modules: Iterable[str], scripts: Iterable[str | Path] = (), neutral: Iterable[str] = ()) -> Reached:
    """Return the code that scripts and modules reach, but for the neutral modules."""
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
        if name in named and not is_found(name):
            raise ValueError(f"no module {name} in {package}; correct the name in config/methods.yaml")
        if not _is_read_from_source(name):
            found.packages.add(package)
            continue
        path = module_file(name)
        if path is not None:
            holder = name if path.name == "__init__.py" else name.rpartition(".")[0]
            found.digests[name], imports, packages = _read(path, holder)
            found.files.append(path)
            found.packages.update(packages)
            data = _data_files(path)
            within = path.with_suffix("")
            found.digests.update({f"{name}/{each.relative_to(within).as_posix()}": sha256_file(each) for each in data})
            found.files.extend(data)
            # Python runs the packages that hold a module before the module.
            queue.extend([name.rpartition(".")[0], *imports] if "." in name else imports)
    return found
