"""The folder of the report as a Workflow Run RO-Crate (https://w3id.org/ro/wfrun/workflow/0.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textmix.core.digests import sha256_file
from textmix.core.extras import extra

#: Name of the metadata file of every crate.
METADATA = "ro-crate-metadata.json"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
_FORMATS = {".html": "text/html", ".csv": "text/csv", ".json": "application/json"}
_LICENSE = "https://spdx.org/licenses/MIT"


@dataclass(frozen=True)
class RunFacts:
    """The facts about a run that a crate states.

    Parameters
    ----------
    title : name of the crate.
    start, end : times of the run, ISO 8601.
    commit : version of the workflow.
    snakemake : version of Snakemake.
    settings : name of an input -> its value: seed, data sets with their digests, digest of the lock.
    """

    title: str
    start: str
    end: str
    commit: str
    snakemake: str
    settings: Mapping[str, str]


def run_crate(workflow: Path, configuration: Path, results: Sequence[Path], facts: RunFacts) -> dict[str, Any]:
    """Return the metadata of the crate as JSON-LD.

    The folder of the crate must hold the files under their own names.

    Parameters
    ----------
    workflow : the Snakefile.
    configuration : the configuration of the run.
    results : the files that the run made.
    facts : the facts about the run.

    Raises
    ------
    ModuleNotFoundError : rocrate is not installed; the message names the extra that brings it.
    """
    with extra("workflow"):
        from rocrate.rocrate import ROCrate
    # The profiles of workflow runs build on version 1.1.
    crate = ROCrate(version="1.1")
    _describe(crate, facts)
    main = crate.add_workflow(workflow, workflow.name, main=True, lang="snakemake", lang_version=facts.snakemake)
    main["name"], main["version"], main["encodingFormat"] = "textmix", facts.commit, "text/plain"
    main["conformsTo"] = {"@id": "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"}
    given = _file(crate, configuration, "the configuration of the run")
    settings = [
        _entity(crate, f"#setting-{place}", "PropertyValue", name=name, value=value)
        for place, (name, value) in enumerate(facts.settings.items(), start=1)
    ]
    made = [_file(crate, path, f"the report: {path.name}") for path in results]
    main["input"] = [
        _parameter(crate, "configuration", "File", [given]),
        _parameter(crate, "setting", "Text", settings),
    ]
    main["output"] = _parameter(crate, "report", "File", made)
    times = {"startTime": facts.start, "endTime": facts.end}
    run = _entity(crate, "#run", "CreateAction", name=f"run of {facts.title}", **times)
    run["description"] = "One run of the workflow, from raw data to the report."
    run["instrument"], run["object"], run["result"] = main, [given, *settings], made
    crate.root_dataset["mentions"] = run
    metadata: dict[str, Any] = crate.metadata.generate()
    return metadata


def _describe(crate: Any, facts: RunFacts) -> None:
    """State name, date, licence and profiles of a crate."""
    root = crate.root_dataset
    root["name"] = facts.title
    root["description"] = "Published numbers of papers on text categorisation beside the numbers that this run rebuilt."
    root["datePublished"] = facts.end
    licence = _entity(crate, _LICENSE, "CreativeWork", name="MIT License", url=_LICENSE)
    licence["description"] = "The licence of the code; the report names the terms of each data set."
    root["license"] = licence
    crate.metadata["conformsTo"] = [{"@id": "https://w3id.org/ro/crate/1.1"}, {"@id": list(_PROFILES)[-1]}]
    root["conformsTo"] = [
        _entity(crate, uri, "CreativeWork", name=name, version=uri.rpartition("/")[2])
        for uri, name in _PROFILES.items()
    ]


def _entity(crate: Any, identifier: str, kind: str, **properties: Any) -> Any:
    """Add an entity that is no file."""
    from rocrate.model import ContextEntity

    return crate.add(ContextEntity(crate, identifier, properties={"@type": kind, **properties}))


def _file(crate: Any, path: Path, said: str) -> Any:
    """Add a file of the folder with its digest and size."""
    facts = {
        "name": path.name,
        "description": said,
        "encodingFormat": _FORMATS[path.suffix],
        "sha256": sha256_file(path),
        "contentSize": str(path.stat().st_size),
    }
    return crate.add_file(path, path.name, properties=facts)


def _parameter(crate: Any, name: str, kind: str, examples: Sequence[Any]) -> Any:
    """Add a formal parameter of the workflow, of which the given entities are the values."""
    conforms = {"@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"}
    more = {"name": name, "additionalType": kind, "conformsTo": conforms}
    parameter = _entity(crate, f"#parameter-{name}", "FormalParameter", **more)
    for example in examples:
        example["exampleOfWork"] = parameter
    parameter["workExample"] = examples[0] if len(examples) == 1 else list(examples)
    return parameter
