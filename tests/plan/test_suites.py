"""The bench says what it lacks before it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.plan import suites
from textmix.core.errors import ConfigError

LOCK = Path(__file__).resolve().parents[2] / "requirements-bench.lock"


def test_a_bench_without_its_peers_says_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "PEERS", ("json", "nothing_of_this_name"))
    with pytest.raises(ConfigError, match="bench: nothing_of_this_name not installed; run make bench"):
        suites.check_peers()


def test_the_peers_are_those_of_the_lock_of_the_bench() -> None:
    named = LOCK.read_text(encoding="utf-8")
    assert all(f"\n{name}==" in f"\n{named}" for name in {"beautifulsoup4", *suites.PEERS} - {"bs4"})
