"""Results do not depend on cores, hash seed, locale, time zone or folder name."""

from __future__ import annotations

import pytest

from tests.workflow.tiny import Clone, content, unlike

pytestmark = pytest.mark.workflow


def test_bytes_do_not_depend_on_cores_hash_seed_locale_time_zone_or_folder(clean: Clone, everything: Clone) -> None:
    here, there = clean.digests(), everything.digests()
    assert here.keys() == there.keys()
    assert len(here) > 50
    assert not unlike(clean, everything)
    compared = content(clean, "results/report/comparison.csv")
    assert isinstance(compared, list)
    assert len(compared) > 50
