"""The same bytes for any number of cores, hash seed, locale, time zone and folder name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflow.tiny import Clone, make_clone

pytestmark = pytest.mark.workflow


def test_bytes_do_not_depend_on_cores_hash_seed_locale_time_zone_or_folder(clean: Clone, tmp_path: Path) -> None:
    other = make_clone(tmp_path / "a folder with späces")
    done = other.run("--cores", "1", PYTHONHASHSEED="7", LC_ALL="C", TZ="Asia/Tokyo")
    assert done.returncode == 0, done.stdout
    here, there = clean.digests(), other.digests()
    measured = {"results/papers/edcm/comparison.csv", "results/report/comparison.csv", "results/report/summary.json"}
    differing = {name for name in here.keys() | there.keys() if here.get(name) != there.get(name)}
    unexpected = {
        name for name in differing if name.removesuffix(".meta.json") not in measured and not shows_time(name)
    }
    assert not unexpected
    assert same_but_for_times(clean, other)


def shows_time(name: str) -> bool:
    """Tell whether a result draws or tabulates measured seconds."""
    return "time" in Path(name).name


def same_but_for_times(one: Clone, other: Clone) -> bool:
    """Compare the comparisons line by line, leaving out rows whose metric is a measured time."""
    lines = []
    for clone in (one, other):
        text = (clone.folder / "results/report/comparison.csv").read_text(encoding="utf-8")
        lines.append([line for line in text.splitlines() if "edcm.time." not in line])
    return lines[0] == lines[1] and len(lines[0]) > 50
