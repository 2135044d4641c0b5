"""Catalogue of the data sets: sources and checksums of each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from textmix.data.registry import DatasetEntry, Source, SourceFile


class CatalogueRow(NamedTuple):
    """One file of a data set.

    Parameters
    ----------
    dataset : str
        Identifier of the data set.
    title : str
        Title of the data set.
    file : str
        Name of the file in ``resources/<dataset>/``.
    addresses : tuple of str
        URLs, or the package that contains the file; empty if it is only mirrored.
    mirror_path : str
        Path below ``$TEXTMIX_MIRROR``, with any compression; empty if the file is not mirrored.
    bytes : int or None
        Size of the stored file; None if unknown.
    sha256 : str
        Checksum of the stored file; empty if unknown.
    plain_sha256 : str
        Checksum of the decompressed file; empty if unknown.
    licence : str
        Terms of use of the data set.
    results : tuple of str
        Results that need the data set.
    """

    dataset: str
    title: str
    file: str
    addresses: tuple[str, ...]
    mirror_path: str
    bytes: int | None
    sha256: str
    plain_sha256: str
    licence: str
    results: tuple[str, ...] = ()


def dataset_table(
    registry: Mapping[str, DatasetEntry], results: Mapping[str, Sequence[str]] | None = None
) -> list[CatalogueRow]:
    """Tabulate the files of all data sets, for the report, the documentation and ``doctor``.

    Parameters
    ----------
    registry : mapping of str to DatasetEntry
        The data sets, as `textmix.data.registry.load_registry` returns them.
    results : mapping of str to sequence of str, default=None
        Identifier of a data set -> the results that need it.

    Returns
    -------
    list of CatalogueRow
        One row per file, in the order of the registry.
    """
    rows = []
    for entry in registry.values():
        needed_by = tuple((results or {}).get(entry.id, ()))
        for name in entry.names:
            rows.append(_row(entry, name, needed_by))
    return rows


def format_files(rows: Sequence[CatalogueRow]) -> str:
    """Format the files of data sets as indented text: name, size, address and checksum of each file."""
    lines: list[str] = []
    heading = ""
    for row in rows:
        if row.dataset != heading:
            heading = row.dataset
            lines.append(f"{row.dataset}: {row.title} (licence: {row.licence})")
        size = f", {row.bytes / 1e6:.1f} MB" if row.bytes else ""
        lines.append(f"  resources/{row.dataset}/{row.file}{size}")
        lines += [f"    {address}" for address in row.addresses]
        if not row.addresses:
            lines.append(f"    no public address; {row.mirror_path} in a mirror")
        if row.plain_sha256 or row.sha256:
            kind = "sha256, uncompressed" if row.plain_sha256 else "sha256"
            lines.append(f"    {kind}: {row.plain_sha256 or row.sha256}")
    return "\n".join(lines)


def _row(entry: DatasetEntry, name: str, results: tuple[str, ...]) -> CatalogueRow:
    sources = [
        (source, source.files[role])
        for source in entry.sources
        for role, file_name in source.names.items()
        if file_name == name
    ]
    mirrored = [file for source, file in sources if source.kind == "mirror"]
    described = [file for _, file in sources if file.sha256] or [file for _, file in sources]
    addresses = dict.fromkeys(address for source, file in sources for address in _addresses(source, file))
    plain_sha256 = next((file.plain_sha256 for _, file in sources if file.plain_sha256), "")
    mirror_path = mirrored[0].where[0] if mirrored else ""
    return CatalogueRow(
        dataset=entry.id,
        title=entry.title,
        file=name,
        addresses=tuple(addresses),
        mirror_path=mirror_path,
        bytes=described[0].bytes,
        sha256=described[0].sha256 or "",
        plain_sha256=plain_sha256,
        licence=entry.terms,
        results=results,
    )


def _addresses(source: Source, file: SourceFile) -> tuple[str, ...]:
    if source.kind == "https":
        return file.where
    if source.wheel is not None:
        return (f"https://pypi.org/project/{source.wheel.name}/{source.wheel.version}/",)
    return ()
