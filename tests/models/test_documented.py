"""Docstrings of public methods say the shapes that they take and return, and the errors that they raise."""

from __future__ import annotations

import ast
import inspect
import textwrap
import warnings

import pytest

from tests.models.documented import SHAPE, functions, is_said, raised, said_errors
from tests.models.public import CLASSES

ARRAYS = ("ndarray", "csr_array", "TokenSequences", "ArrayLike")


@pytest.mark.parametrize("name", CLASSES)
def test_a_method_of_arrays_says_their_shapes(name: str) -> None:
    silent = []
    for key, function in functions(CLASSES[name]).items():
        told = inspect.signature(function)
        takes = any(each in ("X", "y", "Y", "raw_documents") for each in told.parameters)
        makes = any(each in str(told) for each in ARRAYS)
        if (takes or makes) and not SHAPE.search(inspect.getdoc(function) or ""):
            silent.append(key)
    assert silent == []


@pytest.mark.parametrize("name", CLASSES)
def test_a_method_says_the_errors_that_wrong_documents_and_no_fit_raise(name: str) -> None:
    kind = CLASSES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = list(raised(name))
    silent = {
        f"{key}, {fault}: {type(error).__name__}: {error}"
        for key, fault, error in found
        if not is_said(error, said_errors(functions(kind)[key], kind))
    }
    assert silent == set()


@pytest.mark.parametrize("name", CLASSES)
def test_a_method_that_raises_says_so(name: str) -> None:
    silent = set()
    for key, function in functions(CLASSES[name]).items():
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)]
        errors = {ast.unparse(call.func) for call in calls}
        silent |= {(key, error) for error in errors - said_errors(function, CLASSES[name])}
    assert silent == set()


def test_only_methods_for_users_are_public() -> None:
    internal = {(name, key) for name in CLASSES for key in dir(CLASSES[name]) if key.strip("_") in INTERNAL}
    assert {pair for pair in internal if not pair[1].startswith("_")} == set()


#: Names of what the engine alone asks of a class.
INTERNAL = {"check_loaded", "fitted_forms", "target_forms", "calibration_forms", "rows_of_coef"}
