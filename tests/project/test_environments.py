"""The conda environments name the packages that their code imports, at the versions of requirements.lock."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
from pathlib import Path

import pytest
import yaml

from tests.project.locks import canonical

ROOT = Path(__file__).resolve().parents[2]
#: Packages with another name on conda-forge.
CONDA_NAMES = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}
#: Packages of Python itself, and those that install textmix.
INSTALLERS = {"python", "pip", "setuptools"}
#: Packages of the extra "tables", for formats that no job reads or writes.
OPTIONAL = {"openpyxl", "pyarrow"}
OWN_PACKAGES = {"textmix", "reproduction", "snakemake_logger_plugin_textmix"}
#: Environment -> folders of the code that runs in it.
CODE = {
    "workflow/envs/run.yaml": ("src/textmix", "src/reproduction", "workflow/scripts"),
    "environment.yml": ("src", "workflow/scripts"),
}


def conda_packages(environment: str) -> dict[str, str]:
    """Return the versions of the packages of an environment by their names on the package index."""
    content = yaml.safe_load((ROOT / environment).read_text(encoding="utf-8"))
    packages = {}
    for requirement in content["dependencies"]:
        name, _, version = requirement.rpartition("::")[2].partition("=")
        packages[CONDA_NAMES.get(name, name)] = version
    return packages


def locked_versions() -> dict[str, set[str]]:
    """Return name -> versions of requirements.lock; markers give some packages several versions."""
    versions: dict[str, set[str]] = {}
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE):
        versions.setdefault(canonical(name), set()).add(version)
    return versions


def imported_distributions(folders: tuple[str, ...]) -> set[str]:
    """Return the distributions of the third-party modules that the code in some folders imports."""
    modules = set()
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(str(node.module).partition(".")[0])
    distributions = importlib.metadata.packages_distributions()
    modules -= {*sys.stdlib_module_names, *OPTIONAL, *OWN_PACKAGES}
    return {canonical(distributions[module][0]) for module in modules}


def required_by(names: set[str]) -> set[str]:
    """Return the distributions that some distributions always require, directly or not."""
    required: set[str] = set()
    queue = list(names)
    while queue:
        requirements = importlib.metadata.requires(queue.pop()) or []
        direct = {canonical(text) for text in requirements if "extra ==" not in text}
        installed = {name for name in direct - required if _is_installed(name)}
        required |= installed
        queue += installed
    return required


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.parametrize("environment", CODE)
def test_an_environment_has_the_packages_that_its_code_imports(environment: str) -> None:
    packages = {*conda_packages(environment)} - INSTALLERS
    assert imported_distributions(CODE[environment]) <= packages | required_by(packages)


@pytest.mark.parametrize("environment", CODE)
def test_an_environment_has_the_versions_of_the_lock(environment: str) -> None:
    locked = locked_versions()
    packages = conda_packages(environment)
    assert {name for name in {*packages} - {"python", "pip"} if packages[name] not in locked.get(name, ())} == set()


def test_both_environments_have_the_same_packages_but_for_snakemake() -> None:
    jobs = conda_packages("workflow/envs/run.yaml")
    assert conda_packages("environment.yml") == {**jobs, "snakemake": conda_packages("environment.yml")["snakemake"]}
