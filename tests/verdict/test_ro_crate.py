"""The folder of the report is a valid Workflow Run RO-Crate."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reproduction.verdict.ro_crate import RunFacts, run_crate
from textmix.core import io

rocrate = pytest.importorskip("rocrate", reason="rocrate is not installed: pip install 'textmix[workflow]'")

TIMES = ("2026-11-22T06:00:00+00:00", "2026-11-22T06:10:00+00:00")
FACTS = RunFacts("a report", *TIMES, "abc", "9.27.1", "Ada", {"seed": "1"})
#: Name of the metadata file of every crate.
METADATA = "ro-crate-metadata.json"
#: Recommendation of the validator that a crate with its workflow cannot follow: an absolute address of the workflow's
#: file; told once for each type of the file.
OUT_OF_REACH = ["The SoftwareApplication id SHOULD be an absolute URI"] * 2
#: Terms that version 1.1 of the context names otherwise than the context that the package rocrate brings.
CONTEXT_1_1 = {
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "FormalParameter": "https://bioschemas.org/FormalParameter",
    "input": "https://bioschemas.org/ComputationalWorkflow#input",
    "output": "https://bioschemas.org/ComputationalWorkflow#output",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("source/workflow/Snakefile", "config.json", "README.md", "index.html", "comparison.csv"):
        io.write_text(tmp_path / name, name)
    io.write_text(tmp_path / METADATA, io.canonical_json(described(tmp_path)))
    return tmp_path


def described(folder: Path) -> dict[str, Any]:
    return run_crate(folder, [folder / name for name in ("index.html", "comparison.csv")], FACTS)


def entities(folder: Path) -> dict[str, dict[str, Any]]:
    return {entity["@id"]: entity for entity in io.read_json(folder / METADATA)["@graph"]}


def test_crate_names_workflow_inputs_outputs_and_times(folder: Path) -> None:
    found = entities(folder)
    run = found["#run"]
    assert run["instrument"] == {"@id": "source/workflow/Snakefile"}
    assert {one["@id"] for one in run["object"]} == {"config.json", "#setting-1"}
    assert {one["@id"] for one in run["result"]} == {"index.html", "comparison.csv"}
    assert (run["startTime"], run["endTime"]) == (FACTS.start, FACTS.end)
    assert found["source/workflow/Snakefile"]["version"] == "abc"
    assert found["index.html"]["contentSize"] == str(len("index.html"))


def problems(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the validator of RO-Crates finds wrong with a folder, without the network.

    The validator would fetch the context of the terms; it gets the one that rocrate brings.
    """
    validator = pytest.importorskip("rocrate_validator", reason="roc-validator is not installed")
    from rdflib.plugins.shared.jsonld import context as terms
    from rocrate_validator import services
    from rocrate_validator.utils.http import HttpRequester

    context = io.read_json(Path(rocrate.__file__).parent / "data/ro-crate.jsonld")
    context["@context"] |= CONTEXT_1_1
    text = json.dumps(context)
    answer = SimpleNamespace(
        status_code=200,
        headers={"Content-Type": "application/ld+json"},
        json=lambda: context,
        text=text,
        content=text.encode(),
    )
    read = terms.source_to_json
    monkeypatch.setattr(HttpRequester, "get", lambda *_, **__: answer, raising=False)
    monkeypatch.setattr(
        terms, "source_to_json", lambda source, *a, **k: (context, None) if "w3id.org" in str(source) else read(source)
    )
    assert validator
    settings = {"rocrate_uri": str(folder), "profile_identifier": "workflow-run-crate-0.5", "offline": True}
    found = services.validate({**settings, "requirement_severity": "RECOMMENDED"})
    return [issue.message for issue in found.get_issues()]


# Three seconds: the validator loads the shapes of four profiles.
def test_validator_finds_no_fault_and_finds_one_that_is_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert problems(folder, monkeypatch) == OUT_OF_REACH
    metadata = io.read_json(folder / METADATA)
    metadata["@graph"] = [one for one in metadata["@graph"] if one["@id"] != "#run"]
    io.write_text(folder / METADATA, io.canonical_json(metadata))
    assert len(problems(folder, monkeypatch)) > len(OUT_OF_REACH)
