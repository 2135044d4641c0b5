"""Describe the report folder as a Workflow Run RO-Crate (https://w3id.org/ro/wfrun/workflow/0.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from mimetypes import MimeTypes
from pathlib import Path
from typing import Any, NamedTuple

from textmix.core.digests import sha256_file
from textmix.core.errors import extra

#: Entries in the folder: workflow, configuration of the run, and text for readers.
SOURCE, CONFIGURATION, README = "source", "config.json", "README.md"
_MAIN = f"{SOURCE}/workflow/Snakefile"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
_BIOSCHEMAS = "https://bioschemas.org/profiles"
_LICENCE = "https://spdx.org/licenses/MIT"


class RunFacts(NamedTuple):
    """Metadata of a run for the crate.

    Times are ISO 8601; ``settings`` are the inputs of the run: seed, data sets with digests, and lock file digest.
    """

    title: str
    start: str
    end: str
    commit: str
    snakemake: str
    agent: str
    settings: Mapping[str, str]


def run_crate(folder: Path, results: Iterable[Path], facts: RunFacts) -> dict[str, Any]:
    """Return the crate metadata as JSON-LD; the folder contains `SOURCE`, `CONFIGURATION`, `README` and the results."""
    with extra("workflow"):
        from rocrate.rocrate import ROCrate
    # The profiles of workflow runs are based on version 1.1.
    crate = ROCrate(version="1.1")
    description = "Published numbers of papers on text categorisation beside the numbers that this run rebuilt."
    citation = f"{SOURCE}/CITATION.cff"
    terms = "The licence of the code; the report names the terms of each data set."
    authors = _entity(crate, "#authors", "Organization", name="The textmix authors", url=citation)
    licence = _entity(crate, _LICENCE, "CreativeWork", name="MIT License", url=_LICENCE, description=terms)
    profiles = [
        _entity(crate, uri, "CreativeWork", name=name, version=uri.rpartition("/")[2])
        for uri, name in _PROFILES.items()
    ]
    _stated(crate.root_dataset, name=facts.title, datePublished=facts.end, description=description, author=authors)
    _stated(crate.root_dataset, publisher=authors, license=licence, conformsTo=profiles)
    *_, workflow_profile = _PROFILES
    crate.metadata["conformsTo"] = [{"@id": "https://w3id.org/ro/crate/1.1"}, {"@id": workflow_profile}]
    main = crate.add_workflow(folder / _MAIN, _MAIN, main=True, lang="snakemake", lang_version=facts.snakemake)
    source = {"name": SOURCE, "description": "the workflow, its configuration and its code, from which it runs"}
    crate.add_dataset(folder / SOURCE, SOURCE, properties=source)
    readme = _file(crate, folder / README, "how to run the workflow")
    _stated(readme, about=crate.root_dataset)
    configuration = _file(crate, folder / CONFIGURATION, "the configuration of the run")
    settings = []
    for rank, (name, value) in enumerate(facts.settings.items(), start=1):
        setting = _entity(crate, f"#setting-{rank}", "PropertyValue", name=name, value=value)
        settings.append(setting)
    files = [_file(crate, path, f"the report: {path.name}") for path in results]
    configuration_input = _parameter(crate, "configuration", [configuration])
    settings_input = _parameter(crate, "setting", settings, "Text")
    report = _parameter(crate, "report", files)
    conforms = {"@id": f"{_BIOSCHEMAS}/ComputationalWorkflow/1.0-RELEASE"}
    _stated(main, name="textmix", version=facts.commit, encodingFormat="text/plain", url=readme.id)
    _stated(main, conformsTo=conforms, input=[configuration_input, settings_input], output=report)
    run = _entity(crate, "#run", "CreateAction", name=f"run of {facts.title}", startTime=facts.start, endTime=facts.end)
    _stated(run, description="One run of the workflow, from raw data to the report.", instrument=main, result=files)
    agent = _entity(crate, "#agent", "Person", name=facts.agent)
    _stated(run, agent=agent, object=[configuration, *settings])
    crate.root_dataset["mentions"] = run
    return dict(crate.metadata.generate())


def _entity(crate: Any, identifier: str, entity_type: str, **properties: Any) -> Any:
    """Add a contextual entity, that is, not a file."""
    from rocrate.model import ContextEntity

    entity = ContextEntity(crate, identifier, properties={"@type": entity_type})
    return _stated(crate.add(entity), **properties)


def _stated(entity: Any, **properties: Any) -> Any:
    """Set properties of an entity, replacing entities in the values with references, and return it."""
    for name, value in properties.items():
        entity[name] = value
    return entity


def _file(crate: Any, path: Path, description: str) -> Any:
    """Add a file of the folder with its digest and size."""
    media_type, _ = MimeTypes().guess_type(path.name)
    size = path.stat().st_size
    properties = {
        "name": path.name,
        "description": description,
        "encodingFormat": media_type or "text/markdown",
        "sha256": sha256_file(path),
        "contentSize": str(size),
    }
    return crate.add_file(path, path.name, properties=properties)


def _parameter(crate: Any, name: str, examples: Sequence[Any], value_type: str = "File") -> Any:
    """Add a formal parameter of the workflow with its values as examples."""
    conforms = {"@id": f"{_BIOSCHEMAS}/FormalParameter/1.0-RELEASE"}
    values = examples[0] if len(examples) == 1 else examples
    parameter = _entity(crate, f"#parameter-{name}", "FormalParameter", name=name, additionalType=value_type)
    _stated(parameter, conformsTo=conforms, workExample=values)
    for example in examples:
        example["exampleOfWork"] = parameter
    return parameter
