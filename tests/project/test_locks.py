"""The lock, the conda environment and the package ask for the same versions of the same packages."""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.project.locks import LOCKS, cut, entries
from tests.project.locks import declared as asked_for

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in LOCKS}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: Conda's name of a package that is called otherwise in the lock.
CONDA = {"snakemake-minimal": "snakemake", "matplotlib-base": "matplotlib"}
#: Module -> the package that brings it, where the names differ.
BROUGHT_BY = {"yaml": "pyyaml"}
#: Parts that conda brings and a lock of packages does not.
CONDA_ONLY = {"python", "pip"}
DIRECT = "textmix (pyproject.toml)"


@functools.cache
def blocks(*names: str) -> list[str]:
    """Return the entries of locks, all by default, each with its hashes and the comment that says who asks for it."""
    lines = [line for name in names or LOCKS for line in TEXTS[name].splitlines() if not line.startswith("#")]
    starts = [number for number, line in enumerate(lines) if line and not line[0].isspace()]
    return ["\n".join(lines[start:end]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


@functools.cache
def requirement(block: str) -> Requirement:
    """Return the requirement of an entry."""
    return Requirement(block.splitlines()[0].removesuffix("\\").strip())


def locked(*names: str, direct: bool = False) -> dict[str, set[str]]:
    """Return name -> versions of locks, all by default; of packages that pyproject.toml names, if asked."""
    found: dict[str, set[str]] = {}
    for block in blocks(*names):
        if not direct or DIRECT in block:
            entry = requirement(block)
            found.setdefault(canonicalize_name(entry.name), set()).add(str(entry.specifier).removeprefix("=="))
    return found


def declared(lock: str) -> dict[str, Requirement]:
    """Return the requirements of pyproject.toml whose packages a lock holds."""
    extras = PROJECT["optional-dependencies"]
    run = [text for name, group in extras.items() if name not in LOCKS.values() for text in group]
    texts = extras[LOCKS[lock]] if LOCKS[lock] else [*PROJECT["dependencies"], *run]
    return {canonicalize_name(entry.name): entry for entry in map(Requirement, texts)}


def conda() -> dict[str, str]:
    """Return name (as in the lock) -> version of environment.yml."""
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    assert all(isinstance(entry, str) for entry in entries), "a pip section would install what conda does not know of"
    pairs = [entry.split("::")[-1].partition("=") for entry in entries]
    assert len({name for name, *_ in pairs}) == len(pairs)
    return {CONDA.get(name, name): version for name, _, version in pairs}


def test_every_requirement_is_pinned_by_version_and_digests():
    for block in blocks():
        head, *rest = [line.strip().removesuffix("\\").strip() for line in block.splitlines()]
        assert re.fullmatch(r"==[0-9][0-9a-z.+!]*", str(requirement(head).specifier)), head
        assert requirement(head).url is None, head
        hashes = [line for line in rest if not line.startswith("#")]
        assert hashes, head
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", line) for line in hashes), head
        assert len(set(hashes)) == len(hashes), head


def test_lock_names_no_host_and_no_place():
    for line in "".join(TEXTS.values()).splitlines():
        text = line.partition("--hash")[0]
        assert not re.search(r"://|--(extra-)?index|--find|--trusted|^-|@ |\bfile:|[/~]\w+/", text), line
        assert not re.search(r"\b[\w-]+\.(org|com|net|io|dev|internal|local)\b", text), line


def test_every_package_is_there_because_another_one_asks_for_it():
    for place, name in enumerate(LOCKS, start=1):
        names = {requirement(block).name for block in blocks(*list(LOCKS)[:place])}
        for block in blocks(name):
            check_asked(block, names)


def check_asked(block: str, names: set[str]) -> None:
    """Check that the package of an entry is asked for, and by packages of the names alone."""
    asked = {line.strip(" #").removeprefix("via").strip() for line in block.splitlines() if "#" in line} - {""}
    assert asked, block.splitlines()[0]
    assert all(name == DIRECT or name in names for name in asked), asked


def test_the_three_locks_are_one_lock_cut_by_who_asks():
    whole = [entry for text in TEXTS.values() for entry in entries(text)]
    parts = cut(whole, asked_for())
    assert {name: entries(text) for name, text in parts.items()} == {name: entries(TEXTS[name]) for name in LOCKS}


def test_no_package_is_in_two_locks():
    names = [{canonicalize_name(requirement(block).name) for block in blocks(name)} for name in LOCKS]
    assert sum(map(len, names)) == len(set().union(*names))


def test_two_versions_of_a_package_are_for_different_machines():
    for name, versions in locked().items():
        entries = [requirement(block) for block in blocks() if canonicalize_name(requirement(block).name) == name]
        markers = {str(entry.marker) for entry in entries}
        assert len(entries) == len(versions) == len(markers), name
        assert len(entries) == 1 or "None" not in markers, name


def test_package_and_lock_have_the_same_direct_dependencies():
    for lock in LOCKS:
        assert sorted(declared(lock)) == sorted(locked(lock, direct=True))


def test_locked_versions_are_those_the_package_allows():
    for name, entry in [pair for lock in LOCKS for pair in declared(lock).items()]:
        for version in locked()[name]:
            assert entry.specifier.contains(version, prereleases=True), f"{entry} but {version} is locked"


def test_conda_environment_has_exactly_the_direct_dependencies():
    assert set(conda()) - CONDA_ONLY == set(locked("requirements.lock", direct=True))


def test_versions_of_the_conda_environment_are_locked_ones():
    for name, version in conda().items():
        if name not in CONDA_ONLY:
            assert version in locked()[name], f"{name}={version}, locked: {sorted(locked()[name])}"


def test_python_of_the_conda_environment_is_one_the_package_allows():
    allowed = Requirement(f"python{PROJECT['requires-python']}").specifier
    assert allowed.contains(Version(f"{conda()['python']}.5"))


def test_versions_of_the_conda_environment_are_those_for_its_python():
    """Of two locked versions, conda has the one whose marker holds for its Python."""
    python = conda()["python"]
    for block in blocks():
        entry = requirement(block)
        if canonicalize_name(entry.name) in conda() and entry.marker is not None:
            holds = entry.marker.evaluate({"python_full_version": f"{python}.5", "python_version": python})
            same = str(entry.specifier) == f"=={conda()[canonicalize_name(entry.name)]}"
            assert holds == same, f"{entry}: conda has {conda()[canonicalize_name(entry.name)]}"


def test_channels_are_the_public_ones():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["channels"] == ["conda-forge", "bioconda"]
    assert environment["name"] == PROJECT["name"]


def test_the_lock_of_the_checks_holds_what_the_program_that_plants_faults_imports():
    tree = ast.parse((ROOT / "tests/attacks/mutants.py").read_text(encoding="utf-8"))
    named = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    modules = {str(name).partition(".")[0] for name in named} - set(sys.stdlib_module_names)
    packages = {canonicalize_name(BROUGHT_BY.get(name, name)) for name in modules}
    assert len(packages) >= 2
    assert packages <= {*(ROOT / ".github/requirements.in").read_text(encoding="utf-8").split()}
    lock = (ROOT / ".github/requirements.lock").read_text(encoding="utf-8")
    for name in packages:
        version = re.search(rf"^{name}==(\S+)", lock, re.MULTILINE)
        assert version, name
        assert version[1] in locked().get(name, {version[1]}), name
