"""The timing harness: a peer that is not installed is named, and a missing package of ours stays an error."""

from __future__ import annotations

import pytest

from reproduction.bench.timing import compare, judge


def absent(name: str) -> object:
    """Raise the error of a package that is not installed."""
    raise ModuleNotFoundError(name=name)


def test_a_peer_that_is_not_installed_is_named_and_gives_no_ratio() -> None:
    rows = compare({"ours": lambda: None, "theirs": lambda: absent("gensim.models")}, repeats=2)
    ours, theirs = judge("words", rows, "theirs", {"ours": 1.0}, "by hand")
    assert theirs["note"] == "gensim is not installed; run make bench" and theirs["median_seconds"] is None
    assert ours["ratio_to_peer"] is None and ours["met"] is None and ours["median_seconds"] >= 0


def test_a_package_that_is_no_peer_must_be_there() -> None:
    with pytest.raises(ModuleNotFoundError):
        compare({"ours": lambda: absent("numpy_of_no_one")}, repeats=1)


@pytest.mark.parametrize(("untimed", "calls"), [(4.0, 3), (6.0, 2), (9.0, 3)])
def test_a_long_untimed_call_is_the_last_of_few_rounds_unless_it_compiled(untimed: float, calls: int) -> None:
    took, now = [untimed, 6.0, 6.0], [0.0]

    def call() -> None:
        """Let time pass."""
        now[0] += took[len(called)]
        called.append(now[0])

    called: list[float] = []
    (row,) = compare({"ours": call}, 2, lambda: now[0])
    assert len(called) == calls and row["seconds"] == [6.0, 6.0]


@pytest.mark.parametrize(("took", "rounds"), [(0.5, 5), (3.0, 2)])
def test_brief_calls_of_a_quick_bench_run_as_often_as_in_a_whole_one(took: float, rounds: int) -> None:
    now = [0.0]

    def call() -> None:
        """Let time pass."""
        now[0] += took

    (row,) = compare({"ours": call}, 2, lambda: now[0])
    assert row["seconds"] == [took] * rounds and row["peak_mib"] is None
