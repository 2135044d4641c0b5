"""Docstrings of public methods say the shapes that they take and return, and the errors that they raise."""

from __future__ import annotations

import ast
import inspect
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from sklearn.exceptions import NotFittedError

from tests.models.documented import SHAPE, functions, is_said, raised, said_errors
from tests.models.public import CLASSES, make

ARRAYS = ("ndarray", "csr_array", "csc_array", "TokenSequences", "ArrayLike")
#: Parameters that `fit` describes, and any other method takes as it does.
OF_FIT = ("X", "y", "Y", "raw_documents", "sample_weight")


@pytest.mark.parametrize("name", CLASSES)
def test_a_method_of_arrays_says_their_shapes(name: str) -> None:
    silent = []
    for key, function in functions(CLASSES[name]).items():
        told, said = inspect.signature(function), (inspect.getdoc(function) or "").partition("\nRaises\n")[0]
        learns = key.startswith(("fit", "partial_fit"))
        takes = any(
            each.name in OF_FIT if learns else any(array in str(each.annotation) for array in ARRAYS)
            for each in told.parameters.values()
        )
        makes = any(array in str(told.return_annotation) for array in ARRAYS)
        if (takes or makes) and not SHAPE.search(said):
            silent.append(key)
    assert silent == []


@pytest.mark.parametrize("name", CLASSES)
def test_a_method_that_calls_a_check_or_one_that_raises_says_so(name: str) -> None:
    kind, silent = CLASSES[name], set()
    known = functions(kind)
    for key, function in known.items():
        calls = [node for node in ast.walk(_tree(function)) if isinstance(node, ast.Call)]
        names = {getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls}
        raising = {each for each in names & known.keys() if said_errors(known[each], kind)}
        checks = {each for each in names if each.lstrip("_").startswith("check")}
        if raising | checks and not said_errors(function, kind):
            silent.add(key)
    assert silent == set()


@pytest.mark.parametrize("name", CLASSES)
def test_a_method_without_arguments_says_that_there_was_no_fit(name: str) -> None:
    for key, function in functions(CLASSES[name]).items():
        _, *rest = inspect.signature(function).parameters.values()
        if all(each.default is not each.empty for each in rest) and hasattr(model := make(name), key):
            try:
                getattr(model, key)()
            except NotFittedError as error:
                assert is_said(error, said_errors(function, CLASSES[name])), key


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
        calls = [
            node.exc
            for node in ast.walk(_tree(function))
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        ]
        errors = {ast.unparse(call.func) for call in calls}
        silent |= {(key, error) for error in errors - said_errors(function, CLASSES[name])}
    assert silent == set()


def _tree(function: Callable[..., Any]) -> ast.Module:
    """Return the syntax tree of a function."""
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def test_only_methods_for_users_are_public() -> None:
    internal = {(name, key) for name in CLASSES for key in dir(CLASSES[name]) if key.strip("_") in INTERNAL}
    assert {pair for pair in internal if not pair[1].startswith("_")} == set()


#: Names of what the engine alone asks of a class.
INTERNAL = {"check_loaded", "fitted_forms", "target_forms", "calibration_forms", "rows_of_coef"}
