"""The workflow answers a person: a wrong target by the nearest name, and the target status by the state of the run."""

from __future__ import annotations

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow


def test_a_wrong_target_ends_in_one_sentence_before_anything_runs(clean: Clone) -> None:
    done = clean.run_warm("-n", "--cores", "2", "edcm", "edm")
    assert done.returncode != 0
    assert "target edm: there is none; did you mean 'edcm'?" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_name_that_does_not_exist_ends_a_dry_run_in_one_sentence(fresh: Clone) -> None:
    fresh.edit("config/papers/edcm/published.csv", "score:table1/", "score:tabel1/")
    done = fresh.run_warm("-n", "--cores", "1")
    assert done.returncode != 0
    assert "no experiment 'tabel1'; did you mean 'table1'?" in done.stdout
    assert "Traceback" not in done.stdout


def test_status_counts_what_is_missing_and_knows_its_time_from_the_run_before(copy: Clone) -> None:
    scores = sorted((copy.folder / "results/scores").rglob("*.csv"))
    scores[0].unlink()
    done = copy.run_warm("--cores", "2", "status")
    assert done.returncode == 0, done.stdout
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line}
    assert rows["score"][1:4] == [str(len(scores) - 1), "0", "1"]
    assert rows["fit"][2:] == ["0", "0"]
    assert "The rest takes about" in done.stdout
