"""A role is read from the first of its data sets within reach, and the reason is told where none is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reproduction.flow.reach import available_roles, reach
from textmix.data.registry import DatasetEntry, load_registry

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = load_registry(ROOT / "config/datasets.yaml")
STAND_IN = {"dataset": "newsgroups_wheel", "comparable": "nearly", "note": "letters only"}
ROLES: dict[str, dict[str, Any]] = {
    "news": {"dataset": "newsgroups_18828", "comparable": "fully", "note": "", "stand_ins": [STAND_IN]},
    "text": {"dataset": "newsgroups_messages", "comparable": "fully", "note": ""},
    "images": {"dataset": "nus_wide", "comparable": "fully", "note": ""},
    "none": {"dataset": None, "comparable": "fully", "note": "there is none"},
}


def entries() -> list[DatasetEntry]:
    """Return the entries of the data sets of the roles."""
    return [REGISTRY[name] for name in ("newsgroups_18828", "newsgroups_wheel", "newsgroups_messages", "nus_wide")]


def nowhere(_host: str) -> bool:
    """No name is found."""
    return False


def test_without_a_network_the_stand_in_is_read_at_once_and_the_reason_names_the_host(tmp_path: Path) -> None:
    taken = available_roles(ROLES, reach(entries(), tmp_path, None, finds=nowhere))
    assert taken["news"] == STAND_IN
    assert taken["text"]["dataset"] is None
    assert taken["text"]["note"] == "newsgroups_messages is out of reach: the name of qwone.com is not found from here"
    assert taken["none"] == ROLES["none"]


def test_files_of_a_mirror_and_fetched_files_are_within_reach_without_a_network(tmp_path: Path) -> None:
    mirror, resources = tmp_path / "mirror", tmp_path / "resources"
    path = mirror / "newsgroups/20news-18828.tar.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    (resources / "nus_wide").mkdir(parents=True)
    record = {"status": "had", "source": "https", "form": "https", "files": {}, "state": ""}
    (resources / "nus_wide/fetch.json").write_text(json.dumps(record), encoding="utf-8")
    taken = available_roles(ROLES, reach(entries(), resources, mirror, finds=nowhere))
    assert {role: entry["dataset"] for role, entry in taken.items()} == {
        "news": "newsgroups_18828",
        "text": "newsgroups_messages",
        "images": "nus_wide",
        "none": None,
    }


def test_a_data_set_is_within_reach_where_any_of_its_hosts_is_found(tmp_path: Path) -> None:
    reason = reach([REGISTRY["yahoo_society"]], tmp_path, None, finds=lambda host: host == "cometa.ujaen.es")
    assert reason("yahoo_society") == ""
