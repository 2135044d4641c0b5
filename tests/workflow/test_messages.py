"""A name that does not exist ends a run before it begins."""

from __future__ import annotations

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow


def test_a_name_that_does_not_exist_ends_a_dry_run_in_one_sentence(fresh: Clone) -> None:
    fresh.edit("config/papers/edcm/published.csv", "score:table1/", "score:tabel1/")
    done = fresh.run_warm("-n", "--cores", "1")
    assert done.returncode != 0
    assert "no experiment 'tabel1'; did you mean 'table1'?" in done.stdout
    assert "Traceback" not in done.stdout
