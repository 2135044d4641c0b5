"""Tests compute on one thread, as jobs do, and the workflow's runs start first."""

from __future__ import annotations

import pytest

from textmix.core.determinism import one_thread

# Before any library loads: threads of several workers that wait for each other took five times the seconds of one.
one_thread()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the runs of the workflow first, so that no worker begins a long one when the other workers are done."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)
