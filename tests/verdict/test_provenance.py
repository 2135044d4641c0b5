"""The digests of data: a missing data set has its reason, or a pointer to the page that gives it."""

from __future__ import annotations

from pathlib import Path

from reproduction.verdict.provenance import data_digests
from textmix.core import io
from textmix.core.errors import MissingResult


def test_a_missing_data_set_has_its_reason_unless_the_front_page_gives_it(tmp_path: Path) -> None:
    io.write_missing(tmp_path / "nowhere", MissingResult("the host is not known"), {})
    assert data_digests([tmp_path / "nowhere"]) == {"nowhere": "missing: the host is not known"}
    assert data_digests([tmp_path / "nowhere"], reasons=False) == {"nowhere": "missing: the front page says why"}
