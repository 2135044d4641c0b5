"""The worker processes: each order is answered, whatever happens to its process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from textmix.core.errors import MissingResult
from textmix.race.workers import Workers


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    made = Workers(tmp_path, 2, module="tests.race.stub_worker")
    made.start()
    yield made
    made.stop()


def answers(workers: Workers, number: int, seconds: float = 20.0) -> dict[Any, dict[str, Any]]:
    found, ends = dict[Any, dict[str, Any]](), time.monotonic() + seconds
    while len(found) < number and time.monotonic() < ends:
        found |= dict(workers.wait(0.2))
    return found


def give(workers: Workers, what: str, limit: float | None = None, free: int = 1) -> None:
    ends = time.monotonic() + 20.0
    while workers.free < free and time.monotonic() < ends:
        assert not list(workers.wait(0.2))
    workers.give(what, {"do": what}, limit)


def test_orders_are_answered_side_by_side(workers: Workers) -> None:
    give(workers, "one", free=2)
    give(workers, "two")
    found = answers(workers, 2)
    assert {token: answer["value"] for token, answer in found.items()} == {"one": "one", "two": "two"}
    assert workers.cpu_seconds == 0.5


@pytest.mark.parametrize("what", ["sleep", "be deaf"])
def test_a_worker_that_runs_past_its_limit_is_ended_and_replaced(workers: Workers, what: str) -> None:
    give(workers, what, limit=0.2)
    began = time.monotonic()
    (answer,) = answers(workers, 1).values()
    assert time.monotonic() - began < 5.0
    assert answer["late"]
    assert "was ended after" in answer["reason"]
    assert answer["cpu_seconds"] < answer["seconds"]  # it slept
    give(workers, "next")
    assert answers(workers, 1)["next"]["value"] == "next"


def test_a_worker_that_dies_leaves_a_reason_and_is_replaced(workers: Workers) -> None:
    give(workers, "die")
    (answer,) = answers(workers, 1).values()
    assert "most likely for want of memory" in answer["reason"]
    give(workers, "next")
    assert answers(workers, 1)["next"]["value"] == "next"


def test_an_interrupt_ends_what_is_under_way(workers: Workers) -> None:
    give(workers, "be deaf")
    workers.interrupt()
    began = time.monotonic()
    assert "reason" in answers(workers, 1)["be deaf"]
    assert time.monotonic() - began < 5.0


def test_a_worker_that_does_not_start_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "refuse").touch()
    made = Workers(tmp_path, 1, module="tests.race.stub_worker")
    try:
        made.start()
        with pytest.raises(MissingResult, match="a worker process did not start: no such package"):
            answers(made, 1)
    finally:
        made.stop()
