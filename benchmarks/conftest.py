"""Benchmarks: a candidate of a group, at a size, is timed and stands beside its peers.

    pytest benchmarks --benchmark-only --benchmark-json=bench.json && python benchmarks/table.py bench.json

``--shares 0.1,1`` sets the sizes: shares of the documents; above 1 documents are drawn with replacement.
``--benchmark-disable --shares 0.02`` runs each candidate once, to see that it runs.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from textmix.core.processor import use_all_instructions

use_all_instructions(os.environ)  # before NumPy is imported

from textmix.numerics.determinism import limit_threads

limit_threads()

import memray
import pytest

#: Rounds of a candidate; the fewest, of one that takes so many seconds, which is not run again for its memory either.
ROUNDS, FEW, LONG = 5, 2, 20.0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shares", default="0.1,0.3,1", help="shares of the documents")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "share" in metafunc.fixturenames:
        shares = [float(text) for text in metafunc.config.getoption("--shares").split(",")]
        metafunc.parametrize("share", shares, ids=[f"{share:g}" for share in shares])


def peak_mib(call: Callable[[], object]) -> float:
    """Return the most memory that a call allocates at a time, MiB, that of libraries included."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "peak")
        with memray.Tracker(place):
            call()
        return float(memray.FileReader(place).metadata.peak_memory) / 2**20


@pytest.fixture
def timed(request: pytest.FixtureRequest, benchmark: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that times a call and notes what belongs to it; it returns what the call returns."""

    def run(call: Callable[[], Any], *, size: int, peer: str, work: Any, **facts: Any) -> Any:
        """Time a call.

        ``size`` : what grows, such as documents; ``peer`` : the candidate whose time is the denominator; ``work`` : the
        least bytes and operations.  Further facts: ``case``, a part of the group; ``score``, a function of the result
        that returns the name of a measure and its value; and what is allowed at most: ``target`` of the ratio, ``mib``
        of the memory, ``mib_share`` of the memory beside the peer's, ``seconds_wanted``.
        """
        start = time.process_time()
        result = call()  # compiles, and fills caches
        first = time.process_time() - start
        if benchmark.disabled:
            return result
        facts["peak_mib"] = peak_mib(call) if first < LONG else None
        benchmark.pedantic(call, rounds=ROUNDS if first < LONG else FEW)
        score, case = facts.pop("score", None), facts.pop("case", None)
        benchmark.group += f", {case}" if case else ""
        told = dict(zip(("measure", "score"), score(result), strict=True)) if score else {}
        name = request.node.callspec.params["name"]
        benchmark.extra_info.update(
            candidate=str(name), size=size, peer=peer, bytes=work.bytes, operations=work.operations, **told, **facts
        )
        return result

    yield run
