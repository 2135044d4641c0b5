"""The conda environment of each rule names the packages that the rule's code imports, at the locked versions."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
import yaml

from tests.project.test_architecture import imported, modules, reached
from tests.project.test_locks import CONDA, conda, locked

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = sorted((ROOT / "workflow/envs").glob("*.yaml"))
#: Import name -> name of the package in the lock.
PACKAGES = {"yaml": "pyyaml", "sklearn": "scikit-learn", "bs4": "beautifulsoup4"}
#: Imported by name, and brought by a package that asks for it.
BROUGHT = {"llvmlite", "referencing", "markupsafe"}
#: Imported in the process that parses the workflow alone, which is Snakemake's.
PARSING = {"snakemake"}
#: Needed by every job: the packages of its numbers, of its configuration and of its threads.
EVERY = {"numpy", "scipy", "numba", "scikit-learn", "pandas", "matplotlib", "jsonschema", "pyyaml", "threadpoolctl"}
#: Script -> the modules that it imports by a name known only when it runs.
BY_NAME = {
    "parse": r"textmix\.data\.readers\.",
    "read_own": r"textmix\.data\.readers\.",
    "fit": r"textmix\.models\.",
    "model": r"textmix\.models\.",
    "measure": r"textmix\.models\.|reproduction\.papers\.\w+\.measures",
    "figure": r"reproduction\.papers\.\w+\.figures",
    "bench": r"textmix\.models\.|reproduction\.(bench\.|papers\.\w+\.\w*bench)",
}


def scripts_of(environment: Path) -> list[str]:
    """Return the scripts of the rules that name an environment."""
    found = []
    for path in ROOT.glob("workflow/rules/*.smk"):
        for rule in re.split(r"^ *rule ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            if f'"../envs/{environment.name}"' in rule:
                found += re.findall(r'"\.\./scripts/(\w+)\.py"', rule)
    return found


def third_party(tree: ast.Module) -> set[str]:
    """Return the packages that the statements of a module import, but for Python's own and ours."""
    names = {full.split(".")[0] for full in imported(tree, deferred=True)} - set(sys.stdlib_module_names)
    return {PACKAGES.get(name, name) for name in names - {"textmix", "reproduction"}}


def needed(script: str) -> set[str]:
    """Return the packages that a script needs: those that the modules it reaches import."""
    tree = ast.parse((ROOT / "workflow/scripts" / f"{script}.py").read_text(encoding="utf-8"))
    full = [name for name in imported(tree, deferred=True) if name.startswith(("textmix.", "reproduction."))]
    open_ = {name if name in modules() else name.rpartition(".")[0] for name in full}
    open_ |= {name for name in modules() if script in BY_NAME and re.match(BY_NAME[script], name)}
    closed: set[str] = set()
    while open_:
        name = open_.pop()
        closed.add(name)
        open_ |= reached(name, deferred=True) - closed
    return third_party(tree).union(*(third_party(modules()[name]) for name in closed))


def named(environment: Path) -> dict[str, str]:
    """Return name (as in the lock) -> version of an environment."""
    entries = yaml.safe_load(environment.read_text(encoding="utf-8"))["dependencies"]
    pairs = [entry.partition("=") for entry in entries]
    return {CONDA.get(name, name): version for name, _, version in pairs}


def test_every_rule_with_a_script_names_an_environment() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("workflow/rules/*.smk"))
    assert text.count("script:") == text.count("conda:") == sum(len(scripts_of(path)) for path in ENVIRONMENTS)


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_an_environment_names_what_its_rules_need(environment: Path) -> None:
    scripts = scripts_of(environment)
    assert scripts
    packages = EVERY.union(*map(needed, scripts)) - BROUGHT - PARSING
    assert set(named(environment)) == packages | {"python", "pip", "setuptools"}


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
def test_versions_are_those_of_the_one_environment(environment: Path) -> None:
    known = {name: {version} for name, version in conda().items()}
    bench = locked("requirements-bench.lock")
    for name, version in named(environment).items():
        assert version in (known | bench)[name], name


def test_every_environment_ends_its_set_up_in_the_same_way() -> None:
    ends = [path.with_suffix(".post-deploy.sh").read_text(encoding="utf-8") for path in ENVIRONMENTS]
    assert len(set(ends)) == 1 and "TEXTMIX_SOURCE" in ends[0]


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/scripts").glob("*.py")), ids=lambda path: path.stem)
def test_a_script_reads_every_name_that_it_assigns(path: Path) -> None:
    names = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Name)]
    assigned, read = ({node.id for node in names if isinstance(node.ctx, kind)} for kind in (ast.Store, ast.Load))
    assert assigned <= read
