"""Content decides, not time: digests of files of any size, and the versions that code depends on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from textmix.core import digests
from textmix.core.cache import Store
from textmix.core.digests import digest_of, known_sha256
from textmix.core.environment import environment, versions


def test_a_file_known_before_is_not_read_again(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 1000)
    later = time.time() + 60
    monkeypatch.setattr(time, "time", lambda: later)
    expected = known_sha256(path)
    monkeypatch.setattr(digests, "sha256_file", lambda path: "read again")
    assert known_sha256(path) == expected
    path.chmod(0o600)  # a change of its entry
    assert known_sha256(path) == "read again"


def test_settings_are_one_digest_by_name_and_the_order_of_a_grid_counts() -> None:
    assert digest_of({"seed": 3, "max_trials": 2}) != digest_of({"seed": 2, "max_trials": 3})
    assert digest_of({"a": [1], "b": [2]}) != digest_of({"b": [2], "a": [1]})
    assert digest_of({"a": (1, 2)}) == digest_of({"a": [1, 2]})


def test_environment_holds_what_the_packages_require() -> None:
    found = environment(["numba", "os", "yaml", "no_such_package"])
    assert {"python", "numba", "llvmlite", "numpy", "pyyaml", "no-such-package"} <= found.keys()
    assert found["no-such-package"] == "not installed"
    assert not {"os", "matplotlib"} & found.keys()
    assert {"lightgbm", "simplemma"} <= versions().keys()


def test_a_file_that_changed_within_two_seconds_has_no_stamp(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "edited"
    path.write_bytes(b"a")
    for old in ((0, 0), None):  # a false date of the content does not hide the date of the entry
        if old is not None:
            os.utime(path, ns=old)
        changed = path.stat().st_ctime
        for seconds, stamped in ((-60.0, False), (0.0, False), (1.9, False), (2.1, True), (60.0, True)):
            monkeypatch.setattr(time, "time", lambda now=changed + seconds: now)
            assert bool(digests.stamp(path)) == stamped, (old, seconds)
    os.utime(path, (changed + 100, changed + 100))
    monkeypatch.setattr(time, "time", lambda: changed + 60)
    assert digests.stamp(path) == "", "a date in the future"


def test_an_edit_within_the_bound_is_read_again_although_its_stamp_is_the_same(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "edited"
    path.write_bytes(b"a")
    stat = path.stat()
    monkeypatch.setattr(os, "stat", lambda _: stat)
    monkeypatch.setattr(time, "time", lambda: stat.st_ctime + 1.0)
    first = known_sha256(path)
    with path.open("wb") as handle:
        handle.write(b"b")
    assert known_sha256(path) != first


def test_a_store_that_stands_too_deep_counts_as_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTMIX_CACHE", str(tmp_path))
    (tmp_path / "textmix-digests").mkdir(mode=0o700)
    (tmp_path / "textmix-digests/deep.json").write_text("[" * 100_000)
    assert Store("deep").get("key", lambda: 3) == 3
