"""The survey of data sets names the source that would be taken, and fetches nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from textmix.data.doctor import survey
from textmix.data.registry import dataset_entry

SHA = "0123456789abcdef" * 4
FILE = {"path": "tiny/tiny.arff.xz", "sha256": SHA, "bytes": 2_000_000}


def entry(**more: Any) -> Any:
    raw = {
        "title": "Tiny",
        "citation": "Nobody",
        "terms": "free",
        "reader": {"name": "arff"},
        "files": {"data": "tiny.arff"},
        "sources": [
            {"mirror": {"data": FILE}, "content_digest": SHA},
            {"https": {"data": {"urls": ["https://example.org/tiny.arff"]}}},
        ],
        "expect": {"documents": 3},
    }
    return dataset_entry("tiny", {**raw, **more}, "test")


def line(resources: Path, mirror: Path | None, **more: Any) -> str:
    return survey([entry(**more)], resources, mirror)[0].line()


def test_each_source_is_named_in_turn(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    web = "tiny: https example.org, not tried; identity by counts; size not known; terms: free"
    assert line(tmp_path, None) == web
    assert line(tmp_path, mirror) == web
    (mirror / "tiny").mkdir(parents=True)
    (mirror / "tiny/tiny.arff.xz").write_bytes(b"x")
    assert line(tmp_path, mirror) == "tiny: mirror; identity by content digest; 2.0 MB; terms: free"
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/fetch.json").write_text(json.dumps({"status": "had", "source": "hand", "form": "https"}))
    assert line(tmp_path, mirror).startswith("tiny: in resources, from hand; identity by counts")


@pytest.mark.parametrize(("expect", "identity"), [({"documents": 3}, "counts"), ({}, "nothing")])
def test_data_without_digest_are_told(tmp_path: Path, expect: dict[str, int], identity: str) -> None:
    assert f"identity by {identity};" in line(tmp_path, None, expect=expect)


def test_a_mirror_alone_must_be_there(tmp_path: Path) -> None:
    assert "none here: TEXTMIX_MIRROR" in line(tmp_path, None, sources=[{"mirror": {"data": FILE}}])
