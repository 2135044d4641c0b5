"""Tests compute on one thread, as jobs do; the workflow's runs start first; --outcomes writes what equations ask."""

from __future__ import annotations

import gc
import os
import sys

import pytest

from textmix.numerics.seeding import limit_threads

# Before any library loads: threads of several workers that wait for each other took five times the seconds of one.
limit_threads()
for library in ("OMP", "OPENBLAS", "MKL"):
    # Else the tests would not fail, but run for a long time.
    if os.environ.get(f"{library}_NUM_THREADS") != "1":
        raise RuntimeError(f"limit_threads leaves {library} more than one thread")
# pytest keeps the tests with their assertions rewritten as byte code, also where the environment asks for none: each
# worker would rewrite all of them again, some 10 s of CPU.
sys.dont_write_bytecode = False
# The thousands of tests that are collected live to the end: a third of the collection was the search for garbage.
gc.disable()


def pytest_xdist_auto_num_workers() -> int:
    """Return the number of workers: half more than cores, since tests of the workflow wait for other processes."""
    cores = os.cpu_count() or 1
    return cores + cores // 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the runs of the workflow first, so that no worker begins a long one when the other workers are done."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


def pytest_collection_finish() -> None:
    """Look for garbage from here on, and not among the tests that were collected."""
    gc.enable()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of `tests.outcomes`."""
    parser.addoption("--outcomes", action="store_true", help="write the outcomes of the tests that equations name")


def pytest_configure(config: pytest.Config) -> None:
    """Collect outcomes if the option is set, in the process that receives the reports of all workers."""
    if config.getoption("--outcomes") and not hasattr(config, "workerinput"):
        from tests.outcomes import Outcomes  # here, since it imports what must not load before `limit_threads`

        config.pluginmanager.register(Outcomes())
