"""The arrows of the house: which room of `textmix` may import which, read from the import statements."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src/textmix"

#: Room -> the rooms that it may import, besides itself.  A room that is not named here may not exist.
ARROWS = {
    "core": "",
    "data": "core",
    "text": "core data",
    "metrics": "core",
    "models": "core data text metrics",
    "plan": "core data metrics",
    "experiment": "core data text metrics models plan",
    "pages": "core metrics plan experiment",
    "serve": "core data text metrics models plan experiment",
    "bench": "core data text metrics models plan experiment serve",
    "papers": "core data text metrics models plan experiment pages bench",
    "contest": "core data text metrics models plan experiment pages",
    "verdict": "core data metrics plan experiment pages contest",
}
#: Modules of the package itself: the front door, the command line, and the data sets as arrays.
DOORS = {"textmix": "", "textmix.__main__": "core data plan serve", "textmix.datasets": "core data"}
#: Imported by nothing that the workflow runs while it is parsed: each of them takes longer to load than parsing may.
HEAVY = {"numpy", "scipy", "numba", "sklearn", "pandas", "matplotlib", "pooch", "requests", "urllib3"}


@functools.cache
def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module of the package by its name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ("textmix", *path.relative_to(SOURCE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imported(node: ast.AST, *, deferred: bool) -> Iterator[str]:
    """Yield the full names that the statements below a node import; ``deferred``: those inside functions as well.

    Imports for type checkers alone are passed over, for they never run.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif deferred or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imported(child, deferred=deferred)


@functools.cache
def reached(name: str, *, deferred: bool) -> frozenset[str]:
    """Return the modules of the package that a module imports, by their names."""
    found = set()
    for full in imported(modules()[name], deferred=deferred):
        module = full if full in modules() else full.rpartition(".")[0]
        if module in modules():
            found.add(module)
    return frozenset(found - {name})


def room(module: str) -> str:
    """Return the room of a module: ``core`` of ``textmix.core.io``, the name itself of a door."""
    return module if module in DOORS else module.split(".")[1]


def test_a_module_imports_the_rooms_that_its_own_may_import() -> None:
    for name in sorted(modules()):
        allowed = {room(name), *(DOORS if name in DOORS else ARROWS)[room(name)].split()}
        allowed.add("textmix")  # the front door, which loads nothing before it is asked
        wrong = sorted(module for module in reached(name, deferred=True) if room(module) not in allowed)
        assert not wrong, f"{name} is in the room {room(name)}, which may not import {', '.join(wrong)}; see ARROWS"


def test_the_arrows_make_no_circle() -> None:
    graphlib.TopologicalSorter({name: rooms.split() for name, rooms in ARROWS.items()}).prepare()
    graphlib.TopologicalSorter({name: reached(name, deferred=False) for name in modules()}).prepare()


def test_every_room_of_the_table_is_there() -> None:
    assert set(ARROWS) == {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def test_papers_import_nothing_from_each_other_and_nothing_imports_them() -> None:
    for name in modules():
        papers = {module.split(".")[2] for module in reached(name, deferred=True) if room(module) == "papers"}
        own = {name.split(".")[2]} if name.startswith("textmix.papers.") else set()
        assert papers <= own, f"{name} imports {papers - own}: papers are found by the name of their folder"


def test_a_paper_has_a_folder_of_configuration_and_a_folder_of_code() -> None:
    configured = {path.parent.name for path in ROOT.glob("config/papers/*/paper.yaml")}
    assert configured == {path.parent.name for path in SOURCE.glob("papers/*/__init__.py")}
    for paper in configured:
        modules_of = {path.stem for path in (SOURCE / "papers" / paper).glob("*.py")}
        assert {"measures", "figures"} <= modules_of, paper


def test_what_the_workflow_asks_while_it_is_parsed_loads_nothing_heavy() -> None:
    rules = [*ROOT.glob("workflow/rules/*.smk"), ROOT / "Snakefile"]
    asked = {name for path in rules for name in re.findall(r"^from (textmix\S*) import", path.read_text(), re.M)}
    open_, closed = {*asked, *(name for name in modules() if room(name) == "plan")}, set[str]()
    while open_:
        name = open_.pop()
        closed.add(name)
        packages = {name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1)}
        open_ |= (reached(name, deferred=False) | packages) - closed
    loaded = {name: {full.split(".")[0] for full in imported(modules()[name], deferred=False)} for name in closed}
    assert {name: sorted(found & HEAVY) for name, found in loaded.items() if found & HEAVY} == {}
