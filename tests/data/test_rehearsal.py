"""Synthetic data sets of a rehearsal are read as the real ones would be: from a mirror, and from a server."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.data.fetching import LIMITS, Server, gives, running_server
from textmix.core.io import write_json
from textmix.data.fetch import fetch_dataset
from textmix.data.parse import parse_dataset
from textmix.data.registry import RECORD, dataset_entry

ROOT = Path(__file__).resolve().parents[2]
#: A proportion so small that each data set has its least number of documents.
LEAST = 1e-6


@pytest.fixture(scope="module")
def rehearsal() -> Any:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    yield importlib.import_module("rehearsal")
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.fixture(scope="module")
def registry() -> dict[str, Any]:
    entries: dict[str, Any] = yaml.safe_load((ROOT / "config/datasets.yaml").read_text(encoding="utf-8"))
    return entries


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    with running_server(monkeypatch) as running:
        yield running


@pytest.mark.parametrize(
    "name", ["yahoo_social", "mediamill", "nus_wide", "amazon_phone", "industry_sector", "industry_sector_pages"]
)
def test_a_synthetic_data_set_has_the_counts_of_its_registry_entry(
    name: str, tmp_path: Path, rehearsal: Any, registry: dict[str, Any]
) -> None:
    mirror = tmp_path / "mirror"
    written = rehearsal.write_data_set(mirror, name, LEAST)
    entries = rehearsal.with_synthetic_sources(registry, {name: written})
    assert entries[name]["title"].startswith("REHEARSAL, synthetic")
    entry = dataset_entry(name, entries[name], name)
    record = fetch_dataset(entry, tmp_path / "resources", mirror)
    assert record["status"] == "had", record
    write_json(tmp_path / "resources" / RECORD, record)
    corpus = parse_dataset(entry, tmp_path / "resources")
    assert corpus.n_documents == written["expect"]["documents"]


def test_every_other_data_set_is_out_of_reach_of_a_rehearsal(rehearsal: Any, registry: dict[str, Any]) -> None:
    for entry in rehearsal.with_synthetic_sources(registry, {}).values():
        for source in entry["sources"]:
            for file in source.get("https", {}).values():
                assert all(url.startswith("https://rehearsal.invalid/") for url in file["urls"])


@pytest.mark.parametrize("name", ["yahoo_social", "amazon_phone", "industry_sector", "industry_sector_pages"])
def test_a_file_of_each_format_is_fetched_from_a_server_after_an_interruption(
    name: str, tmp_path: Path, server: Server, rehearsal: Any, registry: dict[str, Any]
) -> None:
    mirror = tmp_path / "mirror"
    written = rehearsal.write_data_set(mirror, name, LEAST)
    served = {}
    for role, file in written["sources"][0]["mirror"].items():
        body = (mirror / file["path"]).read_bytes()
        half = len(body) // 2
        url = server.url(f"/{role}", gives(body[:half], length=len(body)), gives(body))
        served[role] = {"urls": [url], "sha256": file["sha256"], "bytes": file["bytes"]}
    entry = dataset_entry(
        name, registry[name] | written | {"sources": [{"https": served}], "content_digest": None}, name
    )
    record = fetch_dataset(entry, tmp_path / "resources", None, limits=LIMITS)
    assert record["status"] == "had" and record["source"] == "https", record
    write_json(tmp_path / "resources" / RECORD, record)
    assert parse_dataset(entry, tmp_path / "resources").n_documents == written["expect"]["documents"]
