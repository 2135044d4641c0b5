"""The arrows of the house: which room of the library and of the reproduction may import which."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"

#: The library: room -> the rooms that it may import, besides itself.  A room that is not named here may not exist.
LIBRARY = {
    "core": "",
    "numerics": "core",
    "data": "core numerics",
    "text": "core numerics data",
    "metrics": "core numerics",
    "models": "core numerics data text metrics",
    "experiment": "core numerics data text metrics models",
    "pages": "core",
    "serve": "core numerics data text metrics models experiment",
    "contest": "core numerics data text metrics models experiment pages",
    "race": "core numerics data text metrics models experiment pages serve contest",
}
#: The reproduction, in the same form; a room may import every room of the library besides.
REPRODUCTION = {
    "job": "",
    "plan": "job",
    "stored": "job plan",
    "bench": "plan",
    "pages": "job stored",
    "papers": "stored pages bench",
    "verdict": "job plan stored",
}
PACKAGES = {"textmix": LIBRARY, "reproduction": REPRODUCTION}
#: Modules of the library itself: the front door, the command line, and the data sets as arrays.
DOORS = {
    "textmix": "",
    "textmix.__main__": "core numerics data experiment serve race",
    "textmix.datasets": "core data",
    "reproduction": "",
}
#: Imported by nothing that the workflow runs while it is parsed: each of them takes longer to load than parsing may.
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
        elif isinstance(child, ast.expr):  # holds no statement
            continue
        elif deferred or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imported(child, deferred=deferred)


@functools.cache
def reached(name: str, *, deferred: bool) -> frozenset[str]:
    """Return the modules of both packages that a module imports, by their names."""
    found = set()
    for full in imported(modules()[name], deferred=deferred):
        module = full if full in modules() else full.rpartition(".")[0]
        if module in modules():
            found.add(module)
    return frozenset(found - {name})


def room(module: str) -> str:
    """Return the room of a module: ``textmix.core`` of ``textmix.core.io``, the name itself of a door."""
    return module if module in DOORS else ".".join(module.split(".")[:2])


def allowed(name: str) -> set[str]:
    """Return the rooms that a module may import."""
    package, _, own = room(name).partition(".")
    library = {f"textmix.{part}" for part in LIBRARY}
    if name in DOORS:
        return {f"textmix.{part}" for part in DOORS[name].split()} | {name, "textmix"}
    named = {f"{package}.{part}" for part in [own, *PACKAGES[package][own].split()]}
    # The front door loads nothing before it is asked.
    return named | {"textmix"} | (library if package == "reproduction" else set())


def test_a_module_imports_the_rooms_that_its_own_may_import() -> None:
    for name in sorted(modules()):
        wrong = sorted(module for module in reached(name, deferred=True) if room(module) not in allowed(name))
        assert not wrong, f"{name} is in the room {room(name)}, which may not import {', '.join(wrong)}"


def test_beside_the_packages_stands_the_log_handler_alone_and_it_imports_neither() -> None:
    plugin = SOURCE / "snakemake_logger_plugin_textmix/__init__.py"
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} == {*PACKAGES, plugin.parent.name}
    tree = ast.parse(plugin.read_text(encoding="utf-8"))
    assert not {name.split(".")[0] for name in imported(tree, deferred=True)} & PACKAGES.keys()


def test_the_library_does_not_know_the_reproduction() -> None:
    for path in [*(SOURCE / "textmix").rglob("*.py"), *(SOURCE / "textmix").rglob("*.pyi")]:
        assert not re.search(r"\breproduction\.[a-z]", path.read_text(encoding="utf-8")), path


def test_the_arrows_make_no_circle() -> None:
    for rooms in PACKAGES.values():
        graphlib.TopologicalSorter({name: arrows.split() for name, arrows in rooms.items()}).prepare()
    graphlib.TopologicalSorter({name: reached(name, deferred=False) for name in modules()}).prepare()


def test_every_room_of_the_tables_is_there() -> None:
    for package, rooms in PACKAGES.items():
        assert set(rooms) == {path.parent.name for path in (SOURCE / package).glob("*/__init__.py")}


def test_papers_import_nothing_from_each_other_and_nothing_imports_them() -> None:
    for name in modules():
        found = [module for module in reached(name, deferred=True) if module.startswith("reproduction.papers.")]
        papers = {module.split(".")[2] for module in found}
        own = {name.split(".")[2]} if name.startswith("reproduction.papers.") else set()
        assert papers <= own, f"{name} imports {papers - own}: papers are found by the name of their folder"


def test_a_folder_of_code_belongs_to_a_paper() -> None:
    configured = {path.parent.name for path in ROOT.glob("config/papers/*/paper.yaml")}
    assert configured >= {path.parent.name for path in SOURCE.glob("reproduction/papers/*/__init__.py")}


def test_what_the_workflow_asks_while_it_is_parsed_loads_nothing_heavy() -> None:
    rules = [*ROOT.glob("workflow/rules/*.smk"), ROOT / "workflow/Snakefile"]
    asked = {
        name
        for path in rules
        for name in re.findall(r"^from ((?:textmix|reproduction)\S*) import", path.read_text(), re.M)
    }
    open_, closed = {*asked, *(name for name in modules() if room(name) == "reproduction.plan")}, set[str]()
    while open_:
        name = open_.pop()
        closed.add(name)
        packages = {name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1)}
        open_ |= (reached(name, deferred=False) | packages) - closed
    loaded = {name: {full.split(".")[0] for full in imported(modules()[name], deferred=False)} for name in closed}
    assert {name: sorted(found & HEAVY) for name, found in loaded.items() if found & HEAVY} == {}
