"""The arrows of the house: a room imports rooms above it in one list, and the library never the reproduction."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"

#: Package -> its rooms.  A room may import itself and the rooms before it; the reproduction may import the library.
PACKAGES = {
    "textmix": "core numerics data text metrics models experiment pages serve compare".split(),
    "reproduction": "flow figures papers verdict scaffold".split(),
}
#: Packages that must not be imported while the workflow is parsed because loading them is too slow.
HEAVY = {"numpy", "scipy", "numba", "sklearn", "pandas", "matplotlib", "pooch", "requests", "urllib3"}


@functools.cache
def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module of both packages by its name."""
    return {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for package in PACKAGES
        for path in sorted((SOURCE / package).rglob("*.py"))
    }


def imported(node: ast.AST, *, deferred: bool, types: bool) -> Iterator[str]:
    """Yield the full names imported by the statements below a node.

    ``deferred`` includes imports in functions, ``types`` those for type checkers only.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING") and not types:
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif isinstance(child, ast.expr):  # contains no statements
            continue
        elif deferred or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imported(child, deferred=deferred, types=types)


@functools.cache
def reached(name: str, *, deferred: bool, types: bool) -> frozenset[str]:
    """Return the names of the modules of both packages that a module imports."""
    found = set()
    for full in imported(modules()[name], deferred=deferred, types=types):
        module = full if full in modules() else full.rpartition(".")[0]
        if module in modules():
            found.add(module)
    return frozenset(found - {name})


def room(module: str) -> str:
    """Return the subpackage of a module, such as ``textmix.core``, or its top-level package."""
    package, _, rest = module.partition(".")
    first = rest.partition(".")[0]
    return f"{package}.{first}" if first in PACKAGES[package] else package


def place(module: str) -> tuple[int, int]:
    """Return the place of a module in the list of rooms."""
    package, _, first = room(module).partition(".")
    return [*PACKAGES].index(package), PACKAGES[package].index(first) if first else -1


def test_a_module_imports_its_own_room_and_those_before_it() -> None:
    for name in sorted(modules()):
        if room(name) in PACKAGES:  # the doors, such as the command line, open every room
            continue
        later = [module for module in reached(name, deferred=True, types=True) if place(module) > place(name)]
        assert not later, f"{name} imports {', '.join(sorted(later))} of a later room"


def test_the_library_does_not_know_the_reproduction() -> None:
    for path in [*(SOURCE / "textmix").rglob("*.py"), *(SOURCE / "textmix").rglob("*.pyi")]:
        assert not re.search(r"\breproduction\.[a-z]", path.read_text(encoding="utf-8")), path


def test_imports_make_no_circle_not_even_those_of_types() -> None:
    graphlib.TopologicalSorter({name: reached(name, deferred=False, types=True) for name in modules()}).prepare()


def test_the_folders_of_models_import_each_other_without_a_cycle() -> None:
    prefix = "textmix.models."
    imports: dict[str, set[str]] = {}
    for name in modules():
        if name.count(".") > 2 and name.startswith(prefix):
            folder = name.split(".")[2]
            reached_models = (other for other in reached(name, deferred=True, types=True) if other.startswith(prefix))
            imports.setdefault(folder, set()).update({other.split(".")[2] for other in reached_models} - {folder})
    graphlib.TopologicalSorter(imports).prepare()


def test_papers_import_nothing_from_each_other_and_nothing_imports_them() -> None:
    folders = {path.name for path in (SOURCE / "reproduction/papers").iterdir() if (path / "__init__.py").is_file()}
    for name in modules():
        found = reached(name, deferred=True, types=True)
        papers = folders & {module.split(".")[2] for module in found if module.startswith("reproduction.papers.")}
        own = {name.split(".")[2]} if name.startswith("reproduction.papers.") else set()
        assert papers <= own, f"{name} imports {papers - own}: papers are found by the name of their folder"


def test_no_code_of_ours_imports_a_class_through_the_front_door() -> None:
    """The digest of a job's code follows import statements to modules, and would not see the module behind a name."""
    for name in modules():
        front = {full for full in imported(modules()[name], deferred=True, types=False) if full.count(".") == 1}
        assert not {full for full in front if full.startswith("textmix.") and full.split(".")[1][0].isupper()}, name


def test_what_the_workflow_asks_while_it_is_parsed_loads_nothing_heavy() -> None:
    rules = [*ROOT.glob("workflow/**/*.smk"), ROOT / "workflow/Snakefile"]
    asked = [re.findall(r"^from ((?:textmix|reproduction)\S*) import", path.read_text(), re.M) for path in rules]
    open_, closed = {name for names in asked for name in names}, set[str]()
    while open_:
        name = open_.pop()
        closed.add(name)
        packages = {name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1)}
        open_ |= (reached(name, deferred=False, types=False) | packages) - closed
    loaded = {
        name: {full.split(".")[0] for full in imported(modules()[name], deferred=False, types=False)} for name in closed
    }
    assert {name: sorted(found & HEAVY) for name, found in loaded.items() if found & HEAVY} == {}
