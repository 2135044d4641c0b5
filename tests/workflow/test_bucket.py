"""Results in a bucket are those of a run in a folder, and so is what is made again, and what is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workflow.bucket import Store, lacking, served
from tests.workflow.tiny import Clone, unlike

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(bool(lacking()), reason=f"not installed for a bucket on this machine: {', '.join(lacking())}"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A bucket on this machine."""
    with served(tmp_path_factory.mktemp("server") / "log") as made:
        yield made


@pytest.fixture(scope="module")
def elsewhere(store: Store, pristine: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone whose run put its results into the bucket."""
    clone = pristine.copy(tmp_path_factory.mktemp("bucket") / "clone")
    done = clone.run_warm("--cores", "2", *store.options, **store.environment)
    assert done.returncode == 0, done.stdout
    assert "; results/report/index.html" in done.stdout
    return clone


def test_results_in_a_bucket_are_those_of_a_run_in_a_folder(
    elsewhere: Clone, store: Store, clean: Clone, pristine: Clone, tmp_path: Path
) -> None:
    assert not (elsewhere.folder / "results").exists()
    assert not (elsewhere.folder / "resources").exists()
    fetched = pristine.copy(tmp_path / "fetched")
    store.copy_to(fetched)
    assert unlike(clean, fetched) == []
    assert fetched.digests().keys() == clean.digests().keys()
    done = fetched.run_warm("--cores", "1", "verify")
    assert done.returncode == 0, done.stdout


def test_a_second_run_on_the_bucket_has_nothing_to_do(elsewhere: Clone, store: Store) -> None:
    done = elsewhere.run_warm("-n", *store.options, **store.environment)
    assert "Nothing to be done" in done.stdout


def test_a_target_that_looks_through_results_says_where_they_are(elsewhere: Clone, store: Store) -> None:
    done = elsewhere.run_warm("--cores", "1", *store.options, "verify", **store.environment)
    assert done.returncode != 0
    assert "the results lie in s3://textmix/run/: copy what is below it into this folder" in done.stdout


def test_an_edit_makes_its_jobs_again_and_a_failure_deletes_what_rests_on_them(elsewhere: Clone, store: Store) -> None:
    elsewhere.edit("config/config.yaml", "max_trials: 2", "max_trials: 1")
    elsewhere.edit("workflow/scripts/compare.py", "with job(", "raise SystemExit('planted')\nwith job(")
    page = "results/report/index.html"
    assert page in store.objects
    done = elsewhere.run_warm("--cores", "2", *store.options, "naive_bayes", **store.environment)
    assert done.returncode != 0
    assert "split: made again, for the configuration: max_trials changed" in done.stdout
    assert not {page, f"{page}.meta.json"} & store.objects.keys()
    assert f"{page} and " in done.stdout
