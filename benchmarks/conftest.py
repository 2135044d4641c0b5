"""Benchmarks: each candidate of a group is timed at several sizes and compared with its peers.

    pytest benchmarks --benchmark-only --benchmark-json=bench.json && python benchmarks/table.py bench.json

``--shares 0.1,1`` sets the sizes as fractions of the documents; above 1, documents are sampled with replacement.
``--minutes 15`` sets a total time budget: slow candidates run fewer rounds, but at least two.
``--benchmark-disable --shares 0.02`` runs each candidate once, as a smoke test.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reproduction.flow.cpu_features import use_all_instructions

use_all_instructions(os.environ)  # before NumPy is imported

from textmix.numerics.seeding import limit_threads

limit_threads()

import memray
import pytest
from documents import OURS

#: Default number of rounds; minimum for slow candidates, which skip the separate memory measurement; and time limit of
#: a candidate in seconds without ``--minutes``.
ROUNDS, FEW, MOST = 5, 2, 120.0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shares", default="0.1,0.3,1", help="shares of the documents")
    parser.addoption("--minutes", type=float, help="about how long all candidates may take")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "share" in metafunc.fixturenames:
        shares = [float(text) for text in metafunc.config.getoption("--shares").split(",")]
        metafunc.parametrize("share", shares, ids=[f"{share:g}" for share in shares])


class Budget:
    """Remaining time for the remaining candidates; time that a candidate does not use is available to later ones."""

    def __init__(self, minutes: float | None, candidates: int) -> None:
        self.end = time.monotonic() + 60.0 * minutes if minutes else None
        self.left = candidates

    def seconds(self) -> float:
        """Return the time limit of the next candidate in seconds, including loading its data."""
        self.left -= 1
        return MOST if self.end is None else max(0.0, self.end - time.monotonic()) / (self.left + 1)


BUDGET = pytest.StashKey[Budget]()


def pytest_collection_finish(session: pytest.Session) -> None:
    session.config.stash[BUDGET] = Budget(session.config.getoption("--minutes"), len(session.items))


def peak_mib(call: Callable[[], object]) -> float:
    """Return the peak memory allocated during a call, in MiB, including allocations of libraries."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "peak")
        with memray.Tracker(place):
            call()
        return float(memray.FileReader(place).metadata.peak_memory) / 2**20


@pytest.fixture
def timed(request: pytest.FixtureRequest, benchmark: Any) -> Callable[..., Any]:
    """Return a function that times a call, records additional information, and returns the result of the call."""
    began, may_take = time.monotonic(), request.config.stash[BUDGET].seconds()

    def run(call: Callable[[], Any], *, size: int, work: Any, case: str = "", score: Any = None, **most: float) -> Any:
        """Time a call.

        ``size`` : size of the problem, such as the number of documents; ``work`` : minimum bytes and operations;
        ``case`` : subgroup; ``score`` : function of the result that returns the name and value of a metric; ``most`` :
        limits of our candidates in addition to those of `line`; ``seconds_wanted`` limits the time.
        """
        start = time.process_time()
        result = call()  # triggers compilation, and fills caches
        first = time.process_time() - start
        if benchmark.disabled:
            return result
        left = may_take - (time.monotonic() - began)
        rounds = min(ROUNDS, max(FEW, int(left / max(first, 1e-9)) - 1))
        peak = peak_mib(call) if rounds > FEW else None
        benchmark.group += f", {case}" if case else ""  # before the rounds, which record the group
        benchmark.pedantic(call, rounds=rounds)
        name = str(request.node.callspec.params["name"])
        told = dict(zip(("measure", "score"), score(result), strict=True)) if score else {}
        allowed = request.function.most | most if name.startswith(OURS) else {}
        facts = {"candidate": name, "peer": request.function.peer, "size": size, "peak_mib": peak}
        benchmark.extra_info.update(facts, bytes=work.bytes, operations=work.operations, **told, **allowed)
        return result

    return run
