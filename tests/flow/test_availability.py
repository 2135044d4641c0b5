"""Availability of data sets and their sources, and the choice of a data set for each role."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reproduction.flow.availability import COLUMNS, available_roles, reach, resolves, survey, table
from textmix.data.registry import DatasetEntry, dataset_entry, load_registry

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


def cells(resources: Path, mirror: Path | None, *, near: bool = True, **more: Any) -> dict[str, str]:
    """Return heading -> cell for a data set; host names can or cannot be resolved."""
    (found,) = survey([entry(**more)], resources, mirror, {"tiny": "7"}, lambda host: near)
    return dict(zip(COLUMNS, found.cells, strict=True))


def test_sources_are_listed_in_order(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    web = {"data set": "tiny", "size": "unknown", "from": "https example.org", "available": "yes"}
    web |= {"verified by": "counts", "published values": "7", "terms": "free"}
    assert cells(tmp_path, None) == web
    assert cells(tmp_path, mirror, near=False) == {**web, "available": "no"}
    (mirror / "tiny").mkdir(parents=True)
    (mirror / "tiny/tiny.arff.xz").write_bytes(b"x")
    found = cells(tmp_path, mirror, near=False)
    assert (found["from"], found["available"], found["size"]) == ("mirror", "yes", "2.0 MB")
    assert found["verified by"] == "content digest"
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/fetch.json").write_text(json.dumps({"status": "had", "source": "hand", "form": "https"}))
    assert cells(tmp_path, mirror)["from"] == "in resources, from hand"


@pytest.mark.parametrize(("expect", "identity"), [({"documents": 3}, "counts"), ({}, "nothing")])
def test_missing_checksums_are_reported(tmp_path: Path, expect: dict[str, int], identity: str) -> None:
    assert cells(tmp_path, None, expect=expect)["verified by"] == identity


def test_mirrored_only_file_requires_the_mirror(tmp_path: Path) -> None:
    found = cells(tmp_path, None, sources=[{"mirror": {"data": FILE}}])
    assert "TEXTMIX_MIRROR" in found["from"] and found["available"] == "no"


def test_next_host_is_used_if_the_first_is_unknown(tmp_path: Path) -> None:
    first, second = ({"https": {"data": {"urls": [f"https://{host}.org/tiny"]}}} for host in ("one", "two"))
    both = entry(sources=[first, {**second, "files": {"data": "tiny-2.arff"}}])
    (found,) = survey([both], tmp_path, None, is_resolved=lambda host: host == "two.org")
    assert (found.origin, found.reachable) == ("https two.org", "yes")
    (found,) = survey([both], tmp_path, None, is_resolved=lambda host: False)
    assert (found.origin, found.reachable) == ("https one.org", "no")


def test_files_placed_by_hand_are_available_without_network(tmp_path: Path) -> None:
    data = entry()
    for name in data.names:
        (tmp_path / data.id).mkdir(exist_ok=True)
        (tmp_path / data.id / name).write_bytes(b"x")
    (finding,) = survey([data], tmp_path, None, is_resolved=lambda host: False)
    assert (finding.origin, finding.reachable) == ("in resources, placed by hand", "yes")


def test_local_file_is_available_if_it_exists(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    local = entry(sources=[{"local": {"data": {"path": str(path)}}}])
    (finding,) = survey([local], tmp_path, None)
    assert finding.reachable == "no" and finding.reason == f"{path} does not exist"
    path.write_text("text,label\n", encoding="utf-8")
    (finding,) = survey([local], tmp_path, None)
    assert (finding.origin, finding.reachable) == ("local file", "yes")


def test_each_host_is_resolved_once_and_the_table_is_aligned(tmp_path: Path) -> None:
    asked: list[str] = []
    findings = survey([entry(), entry()], tmp_path, None, is_resolved=lambda host: bool(asked.append(host)))
    assert asked == ["example.org"]
    head, rule, *rows = table(findings).split("\n")
    assert set(rule) == {"-"} and len(rows) == 2
    assert all(row.index("https example.org") == head.index("from") for row in rows)


def test_unresolvable_host_is_unreachable() -> None:
    assert not resolves("nowhere.invalid")


ROOT = Path(__file__).resolve().parents[2]
REGISTRY = load_registry(ROOT / "config/datasets.yaml")
SUBSTITUTE = {"dataset": "newsgroups_wheel", "comparable": "nearly", "note": "letters only"}
ROLES: dict[str, dict[str, Any]] = {
    "news": {"dataset": "newsgroups_18828", "comparable": "fully", "note": "", "substitutes": [SUBSTITUTE]},
    "text": {"dataset": "newsgroups_messages", "comparable": "fully", "note": ""},
    "images": {"dataset": "nus_wide", "comparable": "fully", "note": ""},
    "none": {"dataset": None, "comparable": "fully", "note": "there is none"},
}


def entries() -> list[DatasetEntry]:
    return [REGISTRY[name] for name in ("newsgroups_18828", "newsgroups_wheel", "newsgroups_messages", "nus_wide")]


def nowhere(_host: str) -> bool:
    return False


def test_substitute_is_read_without_a_network_and_the_reason_names_the_host(tmp_path: Path) -> None:
    taken = available_roles(ROLES, reach(entries(), tmp_path, None, is_resolved=nowhere))
    assert taken["news"] == SUBSTITUTE
    assert taken["text"]["dataset"] is None
    assert taken["text"]["note"] == "newsgroups_messages is out of reach: host name qwone.com cannot be resolved"
    assert taken["none"] == ROLES["none"]


def test_mirrored_and_fetched_files_are_available_without_a_network(tmp_path: Path) -> None:
    mirror, resources = tmp_path / "mirror", tmp_path / "resources"
    path = mirror / "newsgroups/20news-18828.tar.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    (resources / "nus_wide").mkdir(parents=True)
    record = {"status": "had", "source": "https", "form": "https", "files": {}, "state": ""}
    (resources / "nus_wide/fetch.json").write_text(json.dumps(record), encoding="utf-8")
    taken = available_roles(ROLES, reach(entries(), resources, mirror, is_resolved=nowhere))
    assert {role: entry["dataset"] for role, entry in taken.items()} == {
        "news": "newsgroups_18828",
        "text": "newsgroups_messages",
        "images": "nus_wide",
        "none": None,
    }


def test_data_set_is_available_if_any_host_resolves(tmp_path: Path) -> None:
    reason = reach([REGISTRY["yahoo_society"]], tmp_path, None, is_resolved=lambda host: host == "cometa.ujaen.es")
    assert reason("yahoo_society") == ""
