"""The digests of data: a missing data set has its reason, or a pointer to the page that gives it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reproduction.verdict.provenance import data_digests, processor_seconds, run_times, seconds_by_stage
from textmix.core import io
from textmix.core.errors import MissingResult


def test_a_missing_data_set_has_its_reason_unless_the_front_page_gives_it(tmp_path: Path) -> None:
    io.write_missing(tmp_path / "nowhere", MissingResult("the host is not known"), {})
    assert data_digests([tmp_path / "nowhere"]) == {"nowhere": "missing: the host is not known"}
    assert data_digests([tmp_path / "nowhere"], reasons=False) == {"nowhere": "missing: the front page says why"}


def test_times_of_a_run_are_those_of_its_first_and_last_job(tmp_path: Path) -> None:
    for name, end, seconds in (("a", 1000, "10.0"), ("b", 2000, "3.0")):
        (tmp_path / f"{name}.tsv").write_text(f"s\th:m:s\n{seconds}\t0:00:10\n")
        os.utime(tmp_path / f"{name}.tsv", (end, end))
    (tmp_path / "empty.tsv").write_text("")
    files = sorted(tmp_path.glob("*.tsv"))
    assert run_times(files) == ("1970-01-01T00:16:30+00:00", "1970-01-01T00:33:20+00:00")
    with pytest.raises(MissingResult, match="no job of this run was measured"):
        run_times([tmp_path / "empty.tsv"])


def test_seconds_of_all_jobs_are_summed_by_stage(tmp_path: Path) -> None:
    for name, seconds in {"fit/edcm/a.tsv": "1.25", "fit/edcm/b.tsv": "2.5\tx\n4.0", "parse/news.tsv": "0.5"}.items():
        io.write_text(tmp_path / name, f"s\tmax_rss\n{seconds}\t-\n")
    io.write_text(tmp_path / "fit/edcm/too_short.tsv", "")
    assert seconds_by_stage(tmp_path, tmp_path.rglob("*.tsv")) == {"fit": "7.8 s", "parse": "0.5 s"}
    assert seconds_by_stage(tmp_path, [tmp_path / "parse/news.tsv"]) == {"parse": "0.5 s"}
    assert seconds_by_stage(tmp_path, []) == {}


def test_what_a_job_took_of_the_processor_after_the_last_look_is_reckoned_at_the_same_rate(tmp_path: Path) -> None:
    jobs = {"short": "4.0\t3.0", "long": "60.0\t36.0", "twice": "2.0\t1.0\n2.0\t1.5", "too_short": "0.1\tNA"}
    for name, row in jobs.items():
        io.write_text(tmp_path / f"{name}.tsv", f"s\tcpu_time\n{row}\n")
    io.write_text(tmp_path / "empty.tsv", "")
    assert processor_seconds(tmp_path.rglob("*.tsv")) == pytest.approx(3.0 + 36.0 * 60 / 45 + 2.5)
