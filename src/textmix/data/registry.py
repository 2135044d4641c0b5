"""The registry of data sets, config/datasets.yaml: description, sources and expected counts of each data set.

It is read while a workflow is parsed, so it imports nothing heavier than a YAML and a JSON schema library.
"""

from __future__ import annotations

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

#: The kinds of source; an entry has at most one mirror and one package, and as many https sources as there are forms.
KINDS = ("mirror", "https", "package")
#: The record of a fetched data set in its folder; no data file may have this name.
RECORD = "fetch.json"
#: Keys of an entry that are shown to people in the report; fetching and parsing do not depend on them.
PROSE = ("title", "citation", "terms", "note", "no_digest")
#: Keys of an entry or of a source that say what is in the whole data set.
_CONTENT = ("expect", "content_digest")
_SCHEMA = Path("workflow", "schemas", "datasets.schema.yaml")


#: The names of all readers: the modules of `textmix.data.readers`.
READERS = tuple(sorted(module.name for module in iter_modules(readers.__path__)))


@dataclass(frozen=True)
class Reader:
    """A module of `textmix.data.readers`, with ``OPTIONS`` (name -> whether required) and ``read(files, options)``."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """The full name of the module, for importing it and for the code digest of what it reads."""
        if self.name not in READERS:
            allowed = ", ".join(sorted({*READERS, *WITH_LABELS}))
            raise ConfigError(f"config/datasets.yaml: there is no reader {self.name!r}; choose one of {allowed}")
        return f"{readers.__name__}.{self.name}"


@dataclass(frozen=True)
class SourceFile:
    """One file of a source.

    Parameters
    ----------
    where : tuple of str
        Mirror: the path below its folder.  Package: the member of the wheel, or a pattern of members.  https: the URLs
        in the order in which they are tried.
    sha256 : str, default=None
        Checksum of the file as it is stored; None if unknown (https only).
    bytes : int, default=None
        Size of the file as it is stored; None if unknown (https only).
    plain_sha256 : str, default=None
        Checksum of the decompressed content, by which a file in another compression is recognised.
    """

    where: tuple[str, ...]
    sha256: str | None = None
    bytes: int | None = None
    plain_sha256: str | None = None


@dataclass(frozen=True)
class Wheel:
    """A package; ``digests`` is tags of a wheel (the end of its file name, such as ``py3-none-any``) -> its sha256."""

    name: str
    version: str
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The start of the file name of each of its wheels."""
        return f"{self.name.replace('-', '_')}-{self.version}-"


@dataclass(frozen=True)
class Source:
    """One place from which the files of a data set can be fetched.

    ``kind`` is one of `KINDS`; ``files`` is role -> file, and ``names`` role -> its name in the data set's folder.
    ``content_digest`` and ``expect``, key of `Corpus.statistics` -> value, are what the data must have as this source
    gives them.
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
        """The hosts of the files' addresses, of kind ``https`` only, each once and in order."""
        places = [place for file in self.files.values() for place in file.where] if self.kind == "https" else []
        return list(dict.fromkeys(host for place in places if (host := urlsplit(place).hostname)))


@dataclass(frozen=True)
class DatasetEntry:
    """One data set.

    Parameters
    ----------
    id : identifier, ``^[a-z0-9_]+$``.
    title, citation, terms, note : prose for the report; ``terms`` are the terms of use.
    no_digest : why files of its https source have no sha256; empty where all have one.
    files : role -> name of the file in the data set's folder, unless a source has names of its own.
    sources : in the order in which they are tried.
    hosts : hosts to which a download may be redirected, besides its own host.
    classes : the labels whose documents alone are taken, of a part of another data set; all where there are none.
    raw : the entry as config/datasets.yaml has it, of a part with all of its whole.
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
        """The sources by their names in records: the kind, and the number after it from the second https source on."""
        found: dict[str, Source] = {}
        for source in self.sources:
            number = sum(other.kind == source.kind for other in found.values())
            found[f"{source.kind} {number + 1}" if number else source.kind] = source
        return found

    @property
    def names(self) -> list[str]:
        """The names of the files of all sources in the data set's folder, each once and in order."""
        return list(dict.fromkeys(name for source in self.sources for name in source.names.values()))


def load_registry(
    path: str | Path, schema: str | Path | None = None, beside: Mapping[str, DatasetEntry] | None = None
) -> dict[str, DatasetEntry]:
    """Read and check config/datasets.yaml; return identifier -> entry, in the file's order.

    ``schema`` is by default that of the project that ``path`` is in.  Data sets may be parts of those in ``beside``.
    """
    path = Path(path)
    raw = load_yaml_strict(path)
    validate(raw, schema or path.resolve().parent.parent / _SCHEMA, str(path))
    others = {name: entry.raw for name, entry in (beside or {}).items()}
    return {
        name: dataset_entry(name, value, f"{path}: {name}") for name, value in wholes(raw, str(path), others).items()
    }


def wholes(
    raw: Mapping[str, Mapping[str, Any]], where: str, others: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Mapping[str, Any]]:
    """Return identifier -> entry of a file, each part of a data set (``from``, also in ``others``) with its keys."""
    known = {name: entry for name, entry in {**(others or {}), **raw}.items() if "classes" not in entry}
    return {name: _whole(name, entry, known, where) if "from" in entry else entry for name, entry in raw.items()}


def _whole(
    name: str, entry: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]], where: str
) -> Mapping[str, Any]:
    """Return the entry of a part with the keys of its whole, whose counts and digests are not the part's."""
    if entry["from"] not in known:
        raise ConfigError(f"{where}: {name}.from: no data set '{entry['from']}'; {suggest(entry['from'], known)}")
    whole, title = known[entry["from"]], ", ".join(entry["classes"])
    sources = [{key: one for key, one in source.items() if key not in _CONTENT} for source in whole["sources"]]
    own = {key: value for key, value in entry.items() if key != "from"}
    kept = {key: value for key, value in whole.items() if key not in _CONTENT}
    return {**kept, "sources": sources, "expect": {}, "title": f"{whole['title']}: {title}", **own}


def content_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of the file without its prose: the part that fetching and parsing depend on."""
    return {key: value for key, value in raw.items() if key not in PROSE}


def dataset_entry(name: str, raw: Mapping[str, Any], where: str) -> DatasetEntry:
    """Return one entry, or one of `content_of` it without prose, after the checks that a schema cannot express."""
    sources = tuple(_source(source, raw, f"{where}.sources.{i}") for i, source in enumerate(raw["sources"]))
    kinds = [source.kind for source in sources]
    if any(kinds.count(kind) > 1 for kind in kinds if kind != "https"):
        raise ConfigError(f"{where}.sources: {kinds} has a mirror or a package twice; keep one of each")
    own = [each for each in raw["sources"] if "files" in each]
    if kinds.count("https") > 1 + sum("https" in each for each in own):
        raise ConfigError(f"{where}.sources: two https sources share names; put the URLs in one, or give one its files")
    names = [name for each in (raw, *own) for name in each["files"].values()]
    if len(set(names)) < len(names) or RECORD in names:
        raise ConfigError(f"{where}.files: {names} has a name twice or {RECORD}; give each file a name of its own")
    shared = [source for source, each in zip(sources, raw["sources"], strict=True) if "files" not in each]
    unused = sorted(set(raw["files"]) - {role for source in shared for role in source.files})
    if unused:
        raise ConfigError(f"{where}.files: no source has the role '{unused[0]}'; add it to a source or take it out")
    return DatasetEntry(
        id=name,
        title=raw.get("title", ""),
        citation=raw.get("citation", ""),
        terms=raw.get("terms", ""),
        files=raw["files"],
        sources=sources,
        hosts=frozenset(raw.get("hosts", ())),
        classes=raw.get("classes", ()),
        note=raw.get("note", ""),
        no_digest=raw.get("no_digest", ""),
        raw=raw,
    )


def _source(raw: Mapping[str, Any], entry: Mapping[str, Any], where: str) -> Source:
    """Return one source of an entry, with the entry's reader, names, counts and digest where it has none of its own."""
    kinds = [kind for kind in KINDS if kind in raw]
    if len(kinds) != 1:
        raise ConfigError(f"{where}: has {kinds or 'none'} of {list(KINDS)}; give exactly one")
    kind, content = kinds[0], raw[kinds[0]]
    files = {role: _file(file, f"{where}.{kind}.{role}") for role, file in content.get("members", content).items()}
    names = raw.get("files", entry["files"])
    unknown = sorted(set(files) ^ set(names) if "files" in raw else set(files) - set(names))
    if unknown:
        raise ConfigError(f"{where}.{kind}: unknown role '{unknown[0]}'; name it under files: {sorted(names)}")
    return Source(
        kind=kind,
        files=files,
        reader=_reader(raw.get("reader", entry["reader"])),
        content_digest=raw.get("content_digest", entry.get("content_digest")),
        expect=raw.get("expect", entry["expect"]),
        names={role: names[role] for role in files},
        wheel=_wheel(content) if kind == "package" else None,
    )


def _reader(raw: Mapping[str, Any]) -> Reader:
    """Return the reader that an entry or a source names by its module, or by a format."""
    name, options = raw["name"], raw.get("options", {})
    return reader_of(name, options) if name in WITH_LABELS else Reader(name, options)


def reader_of(form: str, options: Mapping[str, Any]) -> Reader:
    """Return the reader of a format, for a folder of the user's and for an entry of the registry alike."""
    more = {"format": form} if FORMATS[form].reader == "text_table" else {}
    if form == "folder":
        more = {"encoding": "found"}
    return Reader(FORMATS[form].reader, {**more, **options})


def _file(raw: Mapping[str, Any], where: str) -> SourceFile:
    places = raw["urls"] if "urls" in raw else [raw.get("path") or raw["member"]]
    if "urls" not in raw and {"..", "."} & set(PurePosixPath(places[0]).parts):
        raise ConfigError(f"{where}: {places[0]!r} leads out of its folder; give a path without '..'")
    return SourceFile(tuple(places), raw.get("sha256"), raw.get("bytes"), raw.get("plain_sha256"))


def _wheel(raw: Mapping[str, Any]) -> Wheel:
    return Wheel(raw["name"], raw["version"], {wheel["tags"]: wheel["sha256"] for wheel in raw["wheels"]})
