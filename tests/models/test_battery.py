"""scikit-learn's tools on all public classes, and the page of the documentation that says so."""

from __future__ import annotations

import pytest

from tests.models.battery import TOOLS, tried
from tests.models.public import CLASSES


@pytest.mark.parametrize("name", CLASSES)
def test_every_tool_that_has_a_meaning_works(name: str) -> None:
    assert tried(name).keys() == TOOLS.keys()
