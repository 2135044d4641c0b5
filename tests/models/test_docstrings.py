"""``help`` of every public class lists all parameters of the constructor with their defaults."""

from __future__ import annotations

import inspect
import re

import pytest

from tests.models.public import CLASSES


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_parameter_is_documented_with_its_default(name: str) -> None:
    documentation = inspect.getdoc(CLASSES[name]) or ""
    for parameter in inspect.signature(CLASSES[name]).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        entry = re.search(rf"^(\w+, )*{parameter.name}(, \w+)* : (.+)$", documentation, re.MULTILINE)
        assert entry, f"{name} does not document {parameter.name}"
        if parameter.default is parameter.empty:
            continue
        _, _, default = entry[3].partition("default=")
        written = default.strip().strip('"')
        is_abbreviated = "..." in written
        assert written, f"{name}.{parameter.name} lacks its default"
        is_number = isinstance(parameter.default, float)
        same = float(written) == parameter.default if is_number else written == str(parameter.default)
        assert same or is_abbreviated, f"{name}.{parameter.name}: {written} instead of {parameter.default}"
