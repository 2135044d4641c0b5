"""The folder of the report as a Workflow Run RO-Crate (https://w3id.org/ro/wfrun/workflow/0.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textmix.core.digests import sha256_file
from textmix.core.errors import extra

#: Name of the metadata file of every crate.
METADATA = "ro-crate-metadata.json"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
_FORMATS = {
    ".md": "text/markdown",
    ".html": "text/html",
    ".csv": "text/csv",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_MAIN = "workflow/Snakefile"
#: Who wrote the workflow, and the file of the crate that says so.
_AUTHORS, _CITED = "The textmix authors", "source/CITATION.cff"
#: The text that tells a reader of the folder how to run the workflow in it.
README = """# A report of textmix

`index.html` is the report. `source` is the workflow with which it was made, as it was then, and `config.json` is its
configuration. To make the report again, with Python 3.11 to 3.13 and `make`:

    cp -r source textmix && cd textmix
    make setup
    .venv/bin/python -m snakemake --cores all --configfile ../config.json

`ro-crate-metadata.json` describes all this for programs (https://w3id.org/ro/wfrun/workflow/0.5).
"""
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
    agent : name of who ran it.
    settings : name of an input -> its value: seed, data sets with their digests, digest of the lock.
    """

    title: str
    start: str
    end: str
    commit: str
    snakemake: str
    agent: str
    settings: Mapping[str, str]


@dataclass(frozen=True)
class Carried:
    """The content of a crate beside the results of its run.

    Parameters
    ----------
    source : folder of the workflow, from which it runs.
    configuration : of the run.
    readme : the text `README`.
    """

    source: Path
    configuration: Path
    readme: Path


def run_crate(carried: Carried, results: Sequence[Path], facts: RunFacts) -> dict[str, Any]:
    """Return the metadata of the crate as JSON-LD.

    The folder of the crate must hold the files under their own names.

    Parameters
    ----------
    carried : workflow, configuration and text.
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
    agent = _entity(crate, "#agent", "Person", name=facts.agent)
    _describe(crate, facts)
    place = f"{carried.source.name}/{_MAIN}"
    main = crate.add_workflow(carried.source / _MAIN, place, main=True, lang="snakemake", lang_version=facts.snakemake)
    whole = crate.add_dataset(carried.source, carried.source.name)
    whole["name"], whole["description"] = "source", "the workflow, its configuration and its code, from which it runs"
    readme = _file(crate, carried.readme, "how to run the workflow")
    readme["about"] = crate.root_dataset
    main["url"] = readme.id
    main["name"], main["version"], main["encodingFormat"] = "textmix", facts.commit, "text/plain"
    main["conformsTo"] = {"@id": "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"}
    given = _file(crate, carried.configuration, "the configuration of the run")
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
    run["agent"] = agent
    run["instrument"], run["object"], run["result"] = main, [given, *settings], made
    crate.root_dataset["mentions"] = run
    metadata: dict[str, Any] = crate.metadata.generate()
    return metadata


def _describe(crate: Any, facts: RunFacts) -> None:
    """State name, date, licence, author, publisher and profiles of a crate."""
    root = crate.root_dataset
    root["name"] = facts.title
    root["description"] = "Published numbers of papers on text categorisation beside the numbers that this run rebuilt."
    root["datePublished"] = facts.end
    root["author"] = root["publisher"] = _entity(crate, "#authors", "Organization", name=_AUTHORS, url=_CITED)
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


def _file(crate: Any, path: Path, description: str) -> Any:
    """Add a file of the folder with its digest and size."""
    facts = {
        "name": path.name,
        "description": description,
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
