"""Read and write result files atomically and with digests; all results of the workflow use this module.

A *result* is either a file with a record next to it (``name.csv`` and ``name.csv.meta.json``) or a folder that contains
a record (``meta.json``).  The record contains the SHA-256 digest of every file, to detect manual edits, and the path of
the result, to detect a result copied to another path.  Pickle is never used.

The module is used while the workflow is parsed, so NumPy is imported only where arrays are written or read.
"""

from __future__ import annotations

import csv
import errno
import functools
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import escape
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from textmix.core.digests import known_sha256, sha256_bytes, sha256_file, stamp
from textmix.core.errors import IntegrityError, MissingResult, StorageError

if TYPE_CHECKING:
    import numpy as np

#: Name of the record in a result folder, and suffix of the record of a one-file result.
META = "meta.json"
#: Suffix of an incomplete file or folder.
LEFT = ".tmp"
#: Error numbers of a full device, an exceeded quota and an exceeded file size limit.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: Error numbers of a missing permission and of a read-only file system.
_NOT_PERMITTED = (errno.EACCES, errno.EPERM, errno.EROFS)
#: Files that Snakemake writes into output folders; they are not part of a result.
FOREIGN = {".snakemake_timestamp"}


def canonical_json(value: Any) -> str:
    """Serialize a value to canonical JSON: sorted keys, indent of one space, final newline.

    Raises
    ------
    ValueError
        If a float is NaN or infinite.
    TypeError
        If a value has no JSON type, for example an array.
    """
    return json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


@contextmanager
def replacing(path: str | Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Context manager that yields a binary stream and atomically replaces the file on success.

    If the block raises, the file is unchanged.  Symbolic links are followed.  Special files, such as ``/dev/null`` or a
    pipe, are written to directly.  ``mode`` are the permissions of the file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with named(path), open(target, "wb") as through:
            yield through
        return
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=LEFT, dir=target.parent)
    except OSError as error:
        error.filename = str(path)  # instead of the temporary file
        raise
    try:
        with named(path), os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask() if mode is None else mode)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def is_full(error: OSError) -> bool:
    """Check whether an error is that of a full device, an exceeded quota or an exceeded file size limit."""
    return error.errno in _FULL


def is_not_permitted(error: OSError) -> bool:
    """Check whether an error is that of a missing permission or a read-only file system."""
    return error.errno in _NOT_PERMITTED


@contextmanager
def storage_errors(folder: str | Path) -> Iterator[None]:
    """Context manager that converts errors of a full disk or missing write permission into `StorageError`.

    Parameters
    ----------
    folder : str or Path
        Output folder, for the message.

    Raises
    ------
    StorageError
        If the disk is full, or the folder is not writable.
    """
    try:
        yield
    except OSError as error:
        if not is_full(error) and not is_not_permitted(error):
            raise
        raise StorageError(storage_message(folder, is_full=is_full(error))) from error


def storage_message(folder: str | Path, is_full: bool) -> str:
    """Return the message of a `StorageError`."""
    if is_full:
        return f"{folder}: no space left on the disk; free some space and run again"
    return f"{folder}: no write permission; make the folder writable and run again"


@contextmanager
def named(path: str | Path) -> Iterator[None]:
    """Context manager that adds the path to write errors without a file name, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in _FULL:
            error.filename = str(path)
        raise


def _clear_way(path: Path) -> None:
    """Create the parent folder of a result, and delete leftovers of killed jobs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{escape(path.name)}.*{LEFT}"):
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink()


def is_leftover(name: str) -> bool:
    """Check whether a name belongs to an incomplete file or folder of a killed job."""
    return name.startswith(".") and name.endswith(LEFT)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file atomically, creating its parent folder."""
    _clear_way(Path(path))
    with replacing(path) as stream:
        stream.write(data)


def _umask() -> int:
    """Return the process's umask, which `tempfile.mkstemp` ignores."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: str | Path, text: str) -> None:
    """Write text as UTF-8 atomically, without newline translation."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: str | Path, value: Any) -> None:
    """Write a value as canonical JSON atomically; see `canonical_json` for the errors."""
    write_text(path, canonical_json(value))


def read_json(path: str | Path) -> Any:
    """Load a JSON file.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not valid JSON, has a duplicate key, or is nested too deeply.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=unique_keys)
    except RecursionError as error:
        raise ValueError(f"{path}: lists and objects are nested too deeply") from error


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a dict from the pairs of a JSON object; raise ValueError for a duplicate key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!r}")
    return found


def format_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Format rows as CSV with a header, LF line endings and the shortest exact representation of floats.

    Parameters
    ----------
    rows : iterable of mapping
        Column -> value; None and a missing column are written as an empty cell.
    columns : sequence of str
        Column names in order.

    Returns
    -------
    str
        The CSV text.

    Raises
    ------
    ValueError
        If a row has a key that is not in ``columns``.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, lineterminator="\n", extrasaction="raise")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return stream.getvalue()


def _cell(value: Any) -> Any:
    """Convert a value for the CSV writer: None to an empty string, a NumPy scalar to a Python scalar."""
    if value is None:
        return ""
    return value.item() if type(value).__module__ == "numpy" else value


def read_csv(path: str | Path) -> list[dict[str, str]]:
    """Read a CSV file with a header; return one dict (column -> text) per row."""
    with open(path, encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def save_arrays(folder: str | Path, **arrays: np.ndarray) -> None:
    """Write each array to ``folder/<keyword>.npy``; raise ValueError for dtype object."""
    import numpy as np

    for name, array in arrays.items():
        path = Path(folder) / f"{name}.npy"
        try:
            with named(path), open(path, "wb") as handle:
                np.lib.format.write_array(handle, np.ascontiguousarray(array), allow_pickle=False)
        except OSError as error:
            # NumPy reports an incomplete write without an error number.
            if error.errno is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
            raise


def load_array(folder: str | Path, name: str, mmap: bool = True) -> np.ndarray:
    """Load ``folder/name.npy``; with ``mmap``, arrays larger than 4096 bytes are memory-mapped and read-only."""
    import numpy as np

    path = Path(folder) / f"{name}.npy"
    if mmap and path.stat().st_size > 4096:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    return np.load(path, allow_pickle=False)


def _digests(folder: Path) -> dict[str, str]:
    """Return relative path -> SHA-256 for all files below a folder, without the record and `FOREIGN` files."""
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return {name: sha256_file(folder / name) for name in names if name != META and name not in FOREIGN}


@contextmanager
def new_folder(path: str | Path, meta: Mapping[str, Any]) -> Iterator[Path]:
    """Context manager that yields a temporary folder; on success, add the record and move the folder to ``path``.

    The record is ``meta`` with the digests of all files.  If the block raises, an existing result is kept.
    """
    path = Path(path)
    target = Path(os.path.realpath(path))
    _clear_way(target)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=LEFT, dir=target.parent))
    try:
        yield temporary
        write_json(temporary / META, {**meta, "path": path.as_posix(), "files": _digests(temporary)})
        os.chmod(temporary, 0o777 & ~_umask())
        if target.exists():
            shutil.rmtree(target)
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def write_result(path: str | Path, text: str | bytes, meta: Mapping[str, Any]) -> None:
    """Write a one-file result and its record ``<path>.meta.json``."""
    path = Path(path)
    data = text.encode("utf-8") if isinstance(text, str) else text
    write_bytes(path, data)
    write_json(meta_path(path), {**meta, "path": path.as_posix(), "files": {path.name: sha256_bytes(data)}})


def write_missing(path: str | Path, missing: MissingResult, meta: Mapping[str, Any], content: str | bytes = "") -> None:
    """Write a missing result with its reason in the record; `check_result` raises it again.

    A path with a suffix becomes a file with ``content`` for human readers, a path without suffix an empty folder.
    """
    record = {**meta, "missing": {"reason": missing.reason, "broken": missing.broken}}
    if Path(path).suffix:
        write_result(path, content, record)
    else:
        with new_folder(path, record):
            pass


def meta_path(path: str | Path) -> Path:
    """Return the path of the record of a result."""
    path = Path(path)
    return path / META if path.is_dir() else path.with_name(f"{path.name}.{META}")


def remove_result(path: str | Path) -> None:
    """Remove a result, a file or a folder, with its record; do nothing if it does not exist."""
    path = Path(path)
    if path.is_dir():
        shutil.rmtree(path)
        return
    meta_path(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def read_meta(path: str | Path) -> dict[str, Any]:
    """Read the record of a result; raise IntegrityError if it does not exist or cannot be read."""
    record = meta_path(path)
    if not record.is_file():
        raise IntegrityError(
            f"{path}: the record {record.name} is missing; name a result or a saved model, or run again"
        )
    try:
        meta: dict[str, Any] = read_json(record)
        dict(meta["files"])
    except (ValueError, KeyError, TypeError) as error:
        raise IntegrityError(
            f"{path}: the record {record.name} is damaged; run again, which makes the result anew"
        ) from error
    return meta


def changed_files(path: str | Path) -> list[str]:
    """Return the sorted names of files that were removed, added or changed since the record was written."""
    path = Path(path)
    expected: dict[str, str] = read_meta(path)["files"]
    found = _digests(path) if path.is_dir() else {path.name: sha256_file(path)} if path.is_file() else {}
    return sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))


def check_result(path: str | Path, *, anywhere: bool = False) -> dict[str, Any]:
    """Verify every file of a result against its record, and return the record."""
    changed = changed_files(path)
    if changed:
        raise IntegrityError(f"{path}: {', '.join(changed)} changed since it was made; delete the result and run again")
    meta = read_meta(path)
    if not (anywhere or is_of_path(meta, path)):
        raise IntegrityError(f"{path}: is a copy of {meta.get('path')}; delete it and run again")
    if "missing" in meta:
        raise MissingResult(meta["missing"]["reason"], meta["missing"]["broken"])
    return meta


def check_file(path: str | Path) -> None:
    """Verify one file of a result folder against the record; raise IntegrityError if it was changed."""
    path = Path(path)
    if read_meta(path.parent)["files"].get(path.name) != sha256_file(path):
        raise IntegrityError(f"{path}: changed since it was made; delete {path.parent} and run again")


def is_of_path(meta: Mapping[str, Any], path: str | Path) -> bool:
    """Check whether a record was written for the result at a path; one of the two paths may be absolute."""
    written = PurePosixPath(str(meta.get("path"))).parts
    read = Path(path).parts
    length = min(len(written), len(read))
    return written[-length:] == read[-length:]


def result_digest(path: str | Path) -> str:
    """Return a single SHA-256 digest of a result, derived from its record, or of a file without a record.

    Raises
    ------
    IntegrityError
        If the record cannot be read.
    OSError
        If neither a record nor a file exists.
    """
    try:
        found = stamp(meta_path(path))
    except OSError:
        return known_sha256(path)
    return _known_digest(str(path), found) if found else _digest_in_record(path)


def _digest_in_record(path: str | Path) -> str:
    return sha256_bytes(canonical_json(read_meta(path)["files"]).encode())


@functools.cache
def _known_digest(path: str, _stamp: str) -> str:
    """Return `_digest_in_record`, cached by the stamp of the record; a plan calls this once per dependent job."""
    return _digest_in_record(path)
