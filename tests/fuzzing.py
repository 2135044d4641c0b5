"""How long and within how much memory the fuzz tests search; `make fuzz` searches longer than the tests do.

Each fuzz test is a property: whatever comes, the code answers or raises one of our own errors.  As a test it tries 50
fixed cases or fewer.  With TEXTMIX_FUZZ=n it tries n random ones, and what fails is tried again by the next run.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

LONG = os.environ.get("TEXTMIX_FUZZ")
#: Bytes that a fuzz test may take beyond those that the process has when it begins.
MEMORY = 512 * 2**20


def searched(examples: int = 50) -> settings:
    """Return the settings of a fuzz test that tries so many cases as a test."""
    return settings(deadline=None, derandomize=LONG is None, max_examples=int(LONG or examples))


@pytest.fixture(scope="module", autouse=True)
def bounded_memory() -> Iterator[None]:
    """Let an allocation beyond `MEMORY` fail, where the system says how much memory the process has."""
    status = Path("/proc/self/status")
    if not status.exists():
        yield
        return
    fields = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines())
    before = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(fields["VmData"].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


def ways(tree: Any, above: tuple = ()) -> Iterator[tuple]:
    """Yield the way to each value of a tree of mappings and lists."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*above, key)
        yield from ways(value, (*above, key))
