"""Private names of scikit-learn are imported in one module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from textmix.models.common import sklearn_private

SOURCE = Path(__file__).resolve().parents[2] / "src"
ADAPTER = Path(sklearn_private.__file__)


def private_names(text: str) -> Iterator[str]:
    """Yield the private names of scikit-learn that a module imports or calls on an estimator."""
    if "sklearn" not in text and "_validate_params" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        imported: list[str] = []
        if isinstance(node, ast.ImportFrom):
            imported = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.Attribute) and node.attr == "_validate_params":
            yield node.attr
        for name in imported:
            first, *rest = name.split(".")
            if first == "sklearn" and any(part.startswith("_") for part in rest):
                yield name


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from sklearn.utils._tags import Tags", ["sklearn.utils._tags.Tags"]),
        ("from sklearn.base import BaseEstimator, _fit_context", ["sklearn.base._fit_context"]),
        ("import sklearn.utils._param_validation", ["sklearn.utils._param_validation"]),
        ("model._validate_params()", ["_validate_params"]),
        ("from sklearn.base import BaseEstimator", []),
    ],
)
def test_a_private_name_is_noticed(text: str, found: list[str]) -> None:
    assert list(private_names(text)) == found


def test_only_the_adapter_imports_private_names() -> None:
    found = {
        str(path.relative_to(SOURCE)): names
        for path in sorted(SOURCE.rglob("*.py"))
        if (names := list(private_names(path.read_text(encoding="utf-8"))))
    }
    assert list(found) == [str(ADAPTER.relative_to(SOURCE))]
