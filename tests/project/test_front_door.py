"""Imports of textmix are lazy, and the error for an unknown name lists the public names."""

from __future__ import annotations

import subprocess
import sys

import pytest

import textmix


def imported_by(statement: str) -> set[str]:
    """Return the names of all modules imported in a new process after a statement."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    return set(printed.split())


def test_importing_textmix_imports_nothing_heavy() -> None:
    found = imported_by("import textmix")
    assert not found & {"numpy", "scipy", "sklearn", "numba", "yaml"}
    assert {name for name in found if name.split(".")[0] == "textmix"} == {"textmix"}


def test_importing_an_estimator_imports_no_reader_of_texts_and_nothing_of_the_reproduction() -> None:
    found = imported_by("from textmix import PMM1\nassert PMM1.__name__ == 'PMM1'")
    assert not any(name.startswith(("textmix.text", "textmix.serve", "reproduction")) for name in found)


def test_an_unknown_name_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'PMM3'; its public names are .*PMM1, PMM2"):
        _ = textmix.PMM3  # type: ignore[attr-defined]
