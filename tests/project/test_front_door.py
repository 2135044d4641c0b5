"""Every estimator and transformer is imported by name from textmix, and each import loads no more than it needs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import textmix
from reproduction.plan.reference import PUBLIC, front_door, public_classes
from textmix.core.provenance import reachable
from textmix.experiment.methods import load_methods

PACKAGE = Path(textmix.__file__).parent


def imported_by(statement: str) -> set[str]:
    """Return the names of all modules that a new process has imported after a statement."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    return set(printed.split())


def test_the_front_door_lists_every_public_estimator_under_its_module():
    assert textmix._MODULES == {**public_classes(PACKAGE), **PUBLIC}
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    assert stub == front_door(PACKAGE), "run: python -m reproduction.plan.reference"
    assert set(dir(textmix)) == {"__version__", *textmix._MODULES}


def test_every_method_of_the_registry_that_is_ours_is_at_the_front_door():
    ours = [method for method in load_methods().values() if method.module.startswith("textmix.")]
    assert ours
    for method in ours:
        assert textmix._MODULES[method.estimator.split(":")[1]] == method.module


@pytest.mark.parametrize("name", sorted(textmix._MODULES))
def test_every_name_gives_the_class_of_its_module(name):
    found = getattr(textmix, name)
    if textmix._MODULES[name] == "textmix":
        assert found.__name__ == f"textmix.{name}"
    else:
        assert (found.__name__, found.__module__) == (name, textmix._MODULES[name])


def test_importing_textmix_imports_nothing_heavy():
    found = imported_by("import textmix")
    assert not found & {"numpy", "scipy", "sklearn", "numba", "yaml"}
    assert {name for name in found if name.split(".")[0] == "textmix"} == {"textmix"}


def test_importing_one_estimator_imports_its_family_alone():
    found = imported_by("from textmix import PMM1\nassert PMM1.__name__ == 'PMM1'")
    families = {name.split(".")[2] for name in found if name.startswith("textmix.models.")}
    assert families == {"pmm", "common"}
    assert not any(name.startswith(("textmix.text", "reproduction.papers", "reproduction.plan")) for name in found)


def test_an_unknown_name_is_answered_with_the_names_there_are():
    with pytest.raises(AttributeError, match=r"no 'PMM3'; its public names are .*PMM1, PMM2"):
        _ = textmix.PMM3  # type: ignore[attr-defined]


def test_code_that_imports_textmix_itself_does_not_depend_on_estimators():
    found = reachable(["textmix.data.download"]).digests
    assert "textmix" in found
    assert not any(name.startswith(("textmix.models", "textmix.text")) for name in found)


def test_no_code_of_ours_imports_a_class_through_the_front_door():
    """The code digest follows import statements to modules, and would not see the module behind a name."""
    root = PACKAGE.parents[1]
    for path in [*PACKAGE.rglob("*.py"), *(root / "workflow").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "textmix":
                assert not {alias.name for alias in node.names} & textmix._MODULES.keys(), f"{path}:{node.lineno}"
