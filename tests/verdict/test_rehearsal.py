"""Runs with synthetic data are not recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.verdict.record_writer import check_no_rehearsal
from textmix.core.errors import IntegrityError


def test_a_rehearsal_is_not_recorded_whatever_clone_ran_it(tmp_path: Path) -> None:
    config = tmp_path / "config/config.yaml"
    config.parent.mkdir()
    config.write_text("rehearsal: false\n")
    check_no_rehearsal(False, tmp_path)
    config.write_text("rehearsal: true\n")
    for is_rehearsal in (False, True):
        with pytest.raises(IntegrityError, match="rehearsal"):
            check_no_rehearsal(is_rehearsal, tmp_path)
