"""Compressed files and archives, read as untrusted input.

The first bytes of a file say how it is compressed, never its name, so that a data set may come packed from one source
and plain from another.  Unpacked sizes have two caps: a number of bytes, and a ratio to the packed size (`MAX_RATIO`;
text packs about 8 times, a bomb 1000 times).  Every fault of a file's content raises `DataFormatError`; a file that
cannot be opened raises `OSError`.
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

#: Default cap on the unpacked size of a file, bytes.
MAX_BYTES = 2**31
#: Cap on unpacked over packed size; the largest ratio among the known data sets is 8.
MAX_RATIO = 200
#: Longest line, bytes: a text of a million words has about ten million.
MAX_LINE = 2**26
#: The remedy in the message about a line that is too long.
LONG_LINE_REMEDY = "is it one text? cut it into several, or look for a missing line end"
#: Unpacked bytes that are free of the ratio cap: a short file of one repeated line is no bomb.
RATIO_FREE = 2**20
#: Cap on the number of members; the largest known archive, aclImdb_v1, has about 100,000.
MAX_MEMBERS = 500_000

_CHUNK = 2**20
#: Matches a relative path of plain ASCII words, which needs no further check; nearly all names are such paths.
_PLAIN = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*", re.ASCII).fullmatch


class NotOneFile(zipfile.BadZipFile):
    """A whole zip archive holds no file or several where one is read."""


def _files_of(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the members of a zip archive without folders and the system's files (``__MACOSX``)."""
    return [info for info in archive.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX/")]


def _only_member(raw: IO[bytes]) -> IO[bytes]:
    """Return the stream of the one file in a zip archive; folders and the system's files (``__MACOSX``) are ignored."""
    archive = zipfile.ZipFile(raw)
    names = [info.filename for info in _files_of(archive)]
    if len(names) != 1:
        remedy = "unpack it and name the file or folder that is meant"
        raise NotOneFile(f"the zip archive holds {len(names):,} files, and the limit is one; {remedy}")
    return archive.open(names[0])


_OPENERS: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
    (b"\x1f\x8b", lambda raw: gzip.GzipFile(fileobj=raw)),
    (b"BZh", bz2.BZ2File),
    (b"PK\x03\x04", _only_member),
)
_MAGIC = max(len(magic) for magic, _ in _OPENERS)
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError)
_PRIVATE = dict.fromkeys(range(0xE000, 0xF900), "x")  # characters by which file systems replace what they refuse


@contextmanager
def _naming_the_file(path: Path) -> Iterator[None]:
    """Turn the standard library's errors on damaged bytes into a `DataFormatError` that names the file."""
    try:
        yield
    except NotOneFile as error:
        raise DataFormatError(path, None, str(error)) from error
    except (OSError, *_DAMAGE) as error:
        # gzip and bz2 raise a bare OSError for bad data; one with an errno is the machine's (disk, rights).
        if getattr(error, "errno", None) is not None:
            raise
        raise DataFormatError(path, None, f"is truncated or damaged ({error}); fetch it again") from error


def _budget_of(limit: int, packed: int) -> int:
    """Return how many bytes a packed file may unpack to."""
    return min(limit, max(RATIO_FREE, MAX_RATIO * packed))


def _bomb(path: Path, name: str, budget: int) -> DataFormatError:
    return DataFormatError(path, None, f"{name} unpacks to more than {budget:,} bytes, which no known data set does")


def _opener(raw: IO[bytes]) -> Callable[[Any], Any] | None:
    """Return the decompressor that the first bytes of a file call for, or None; the stream is rewound."""
    head = raw.read(_MAGIC)
    raw.seek(0)
    return next((opener for magic, opener in _OPENERS if head.startswith(magic)), None)


def unpacked(raw: IO[bytes]) -> IO[bytes]:
    """Return the decompressed stream of an open file; one that cannot go back to its start, such as a pipe, itself."""
    if not raw.seekable():
        return raw
    opener = _opener(raw)
    stream: IO[bytes] = raw if opener is None else opener(raw)
    return stream


def open_plain(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return the unpacked content, at most ``limit`` bytes, of a file: xz, gzip, bzip2, zip of one file, or plain."""
    path = Path(path)
    with open(path, "rb") as raw, _naming_the_file(path):
        size, opener = os.fstat(raw.fileno()).st_size, _opener(raw)
        if opener is not None:
            return _unpack(path, opener(raw), _budget_of(limit, size))
        if size > limit:
            raise _bomb(path, "it", limit)
        return raw.read()


def plain_sha256(path: Path, limit: int = MAX_BYTES) -> str:
    """Compute the sha256 of the decompressed content of a file, which does not depend on its compression.

    Parameters
    ----------
    path : Path
        The file, compressed as in `open_plain` or not.
    limit : int, default=MAX_BYTES
        Most bytes of decompressed content.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    DataFormatError
        If the file is damaged or too large.
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
    """Yield the lines of a file, unpacked as in `open_plain`, each with its line end and of at most `MAX_LINE` bytes.

    A plain file has no cap on its size, since memory holds one line.  ``stream`` is its content if it is open.
    """
    path = Path(path)
    with open(path, "rb") if stream is None else nullcontext(stream) as raw, _naming_the_file(path):
        content, budget = unpacked(raw), None
        if content is not raw:
            budget = _budget_of(limit, os.fstat(raw.fileno()).st_size)
        size = number = 0
        # `readline` with a size never holds more than that of a line which does not end.
        while line := content.readline(MAX_LINE + 1):
            size, number = size + len(line), number + 1
            if budget is not None and size > budget:
                raise _bomb(path, "it", budget)
            if len(line) > MAX_LINE:
                raise DataFormatError(path, number, f"is longer than {MAX_LINE:,} bytes; {LONG_LINE_REMEDY}")
            yield line


def ends_line(path: Path) -> bool:
    """Return whether a file, unpacked as in `open_plain`, ends with a line end."""
    last = b"\n"
    with open(path, "rb") as raw, _naming_the_file(path):
        opener = _opener(raw)
        raw.seek(0 if opener else max(0, os.fstat(raw.fileno()).st_size - 1))
        stream = opener(raw) if opener else raw
        while chunk := stream.read(_CHUNK):
            last = chunk[-1:]
    return last == b"\n"


def _unpack(path: Path, stream: IO[bytes], budget: int, name: str = "it") -> bytes:
    """Read a stream to its end in chunks: one call with the budget as size would reserve that much memory."""
    content = BytesIO()
    while chunk := stream.read(_CHUNK):
        content.write(chunk)
        if content.tell() > budget:
            raise _bomb(path, name, budget)
    return content.getvalue()


def safe_name(path: Path, name: bytes | str) -> str:
    """Return a member's name without ``./`` and final ``/``, if it would stay in the folder of the unpacked archive.

    The empty, the absolute, and names with ``..``, a backslash or what cannot be printed are refused.
    """
    if isinstance(name, str) and _PLAIN(name):
        return name
    try:
        text = name.decode("utf-8") if isinstance(name, bytes) else name
    except UnicodeDecodeError as error:
        raise DataFormatError(path, None, f"the member name {name!r} is not UTF-8") from error
    parts = text.removeprefix("./").rstrip("/").split("/")
    absolute = text.startswith("/") or re.match(r"[A-Za-z]:", text) is not None
    if absolute or ".." in parts or "\\" in text or not text or not text.translate(_PRIVATE).isprintable():
        raise DataFormatError(path, None, f"the member name {text!r} leads out of the archive or is no name")
    return "/".join(parts)


def iter_members(path: Path, members: Sequence[str], limit: int = MAX_BYTES) -> Iterator[tuple[str, bytes]]:
    """Return (name, content) of the files of a zip or tar archive whose names match a pattern, in order of name.

    It is unpacked once, in memory, to at most ``limit`` bytes.  In a `fnmatch` pattern ``*`` also matches ``/``.  A
    name that leads out, a matching name twice, a link, a device, a sparse file and an encrypted one are refused.
    """
    path = Path(path)
    chosen = [item for item in _files(path, limit) if any(fnmatchcase(item[0], each) for each in members)]
    chosen.sort(key=itemgetter(0))
    for (name, _), (later, _) in pairwise(chosen):
        if name == later:
            raise DataFormatError(path, None, f"member {name!r} stands twice, so it is not clear which one is meant")
    return ((name, bytes(content)) for name, content in chosen)


def _files(path: Path, limit: int) -> Iterator[tuple[str, memoryview]]:
    if zipfile.is_zipfile(path):
        with _naming_the_file(path), zipfile.ZipFile(path) as archive:
            infos = _files_of(archive)
            if len(infos) != 1:
                yield from _zip_files(path, archive, infos, limit)
                return
    yield from _tar_files(path, open_plain(path, limit))


def read_wheel(path: Path, pattern: str, limit: int) -> bytes:
    """Return the content of one member of a wheel, at most ``limit`` bytes.

    Of a pattern with ``*`` it is a tar archive of all members that match, in order of name, the same bytes every time.
    """
    with _naming_the_file(path), zipfile.ZipFile(path) as archive:
        wanted = pattern if "*" in pattern else escape(pattern)
        infos = [info for info in archive.infolist() if fnmatchcase(info.filename, wanted)]
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
    """Yield (name, content) of members of a zip archive; `zipfile` checks the CRC of each."""
    _check_number(path, len(infos))
    for info in infos:
        name, kind = safe_name(path, info.filename), stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() or kind not in (0, stat.S_IFREG) or info.flag_bits & 0x1:
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
                name, stop = safe_name(path, info.name), info.offset_data + info.size
                if info.issparse() or not (info.isreg() or info.isdir()):
                    fault = f"member {name!r} is a link, a device or the like, or sparse; pack files alone"
                    raise DataFormatError(path, None, fault)
                if not info.offset_data <= stop <= len(data):  # a negative size would lead back to this header
                    raise DataFormatError(path, None, f"the tar archive is truncated or damaged at {name!r}")
                if info.isreg():
                    yield name, view[info.offset_data : stop]
            end = data[archive.offset : archive.offset + tarfile.BLOCKSIZE]
    # Python's reader lets errors of its own code out where a header is damaged.
    except (tarfile.TarError, ValueError, IndexError, OverflowError, RecursionError) as error:
        fault = f"the tar archive is truncated or damaged ({error}); fetch it again"
        raise DataFormatError(path, None, fault) from error
    # It also takes a damaged header, and the end of the file, for the end of the archive, which is a block of zeros.
    if len(end) < tarfile.BLOCKSIZE or end.strip(b"\0"):
        fault = "the tar archive is truncated or damaged: no end mark follows; fetch it again"
        raise DataFormatError(path, None, fault)


def _check_number(path: Path, members: int) -> None:
    if members > MAX_MEMBERS:
        raise DataFormatError(path, None, f"has more than {MAX_MEMBERS:,} members; no known data set has so many")
