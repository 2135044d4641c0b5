"""The same bytes for any number of cores, hash seed, locale, time zone and folder name."""

from __future__ import annotations

import json

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow

#: Results that print measured seconds; all their other rows must be the same.
SHOW_TIME = {"results/papers/edcm/comparison.csv", "results/report/comparison.csv", "results/report/summary.json"}


def content(clone: Clone, name: str) -> object:
    """Return what must not differ in a result: all of it, but measured rows and, in records, measured inputs."""
    path = clone.folder / name
    if name.endswith(".meta.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        of = name.removesuffix(".meta.json")
        record["inputs"] = {
            key: digest
            for key, digest in record["inputs"].items()
            if key not in SHOW_TIME and not key.startswith(("results/timings/", "results/benchmarks/"))
        }
        return {key: value for key, value in record.items() if key != "files" or of not in SHOW_TIME}
    if name in SHOW_TIME and name.endswith(".csv"):
        return [line for line in path.read_text(encoding="utf-8").splitlines() if "edcm.time." not in line]
    return path.read_bytes()


def test_bytes_do_not_depend_on_cores_hash_seed_locale_time_zone_or_folder(clean: Clone, everything: Clone) -> None:
    here, there = clean.digests(), everything.digests()
    assert here.keys() <= there.keys()
    assert len(here) > 50
    unlike = [name for name in here if here[name] != there[name] and content(clean, name) != content(everything, name)]
    assert not unlike
    compared = content(clean, "results/report/comparison.csv")
    assert isinstance(compared, list)
    assert len(compared) > 50
