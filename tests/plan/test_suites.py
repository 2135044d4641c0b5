"""The bench names the packages that its lock brings."""

from __future__ import annotations

from pathlib import Path

from reproduction.plan import suites

LOCK = Path(__file__).resolve().parents[2] / "requirements-bench.lock"
#: Module -> the package that brings it, where the names differ.
BROUGHT_BY = {"bs4": "beautifulsoup4", "fasttext": "fasttext-wheel"}


def test_the_peers_are_those_of_the_lock_of_the_bench() -> None:
    named = LOCK.read_text(encoding="utf-8")
    assert all(f"\n{BROUGHT_BY.get(name, name)}==" in f"\n{named}" for name in suites.PEERS)
