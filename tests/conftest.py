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
    """Let each worker begin with runs of the workflow, so that none is left with a long one when the others are done.

    A worker is first given an equal part of the sorted tests.  Tests of one file go to the same worker, because they
    share fixtures.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    runs = [item for item in items if item.get_closest_marker("workflow")]
    others = [item for item in items if not item.get_closest_marker("workflow")]
    total = len(items)
    files = {path: number % workers for number, path in enumerate(dict.fromkeys(item.path for item in runs))}
    items.clear()
    for worker in range(workers):
        runs_of_worker = [item for item in runs if files[item.path] == worker]
        n_of_worker = (total - len(items)) // (workers - worker)
        n_others = max(0, n_of_worker - len(runs_of_worker))
        items += runs_of_worker + others[:n_others]
        del others[:n_others]


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
