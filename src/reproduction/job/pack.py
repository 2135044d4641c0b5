"""Packs: the costly results of a run with their records in one file, and the results of such a file that hold today.

A pack holds fits, measures and scores with their measured times, and no data set.  A result is taken from it if its
record is the one that its job would write today: the same content of the inputs, configuration, code and packages.
The sha256 of the pack, which its maker tells, says that it is his; a record alone could be forged together with its
result.
"""

from __future__ import annotations

import gzip
import io as streams
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reproduction.flow.folders import RESULTS
from reproduction.flow.recipe import Recipe, differences
from textmix.core import io
from textmix.core.digests import sha256_file
from textmix.core.errors import IntegrityError, MissingResult

#: Most bytes that a pack may unpack to, most files in it, and most bytes of one header.
MAX_BYTES, MAX_FILES, MAX_HEADER = 16 * 2**30, 200_000, 2**20


@dataclass(frozen=True)
class PackedJob:
    """One job whose results a pack may hold.

    Parameters
    ----------
    results : paths of its results.
    benchmark : path of the file with its measured time, which has no record.
    recipe : what its results depend on besides its inputs.
    inputs : paths of its inputs that stay after it.
    """

    results: tuple[str, ...]
    benchmark: str
    recipe: Recipe
    inputs: tuple[str, ...]

    def why_not(self, results: Path, run: Path) -> str:
        """Return why results in a folder are not what the job would make today in a run; empty if they are.

        Parameters
        ----------
        results : folder below which the results lie.
        run : folder below which the inputs lie.
        """

        def digest(path: str) -> str:
            """Return the digest of an input; empty where it is not there."""
            try:
                return io.result_digest(run / path)
            except OSError:
                return ""

        for path in self.results:
            if not (results / path).exists():
                return "not in the pack"
            if why := differences(io.read_meta(results / path), self.recipe, digest, self.inputs):
                return why
        return ""


def write_pack(target: Path, run: Path, jobs: Iterable[PackedJob]) -> tuple[int, str]:
    """Write the fresh results of a run into a pack; the same results give the same bytes.

    Parameters
    ----------
    target : the pack, a tar archive packed with gzip.
    run : folder in which the workflow ran.
    jobs : the jobs whose results are packed, if they have been made.

    Returns
    -------
    count : number of the jobs whose results are in the pack.
    sha256 : of the pack.

    Raises
    ------
    IntegrityError : a result was changed since it was made, or no job has a fresh result.
    """
    made = [job for job in jobs if not job.why_not(run, run)]
    if not made:
        raise IntegrityError(f"{run / 'results'}: holds no fit, score or measure of this configuration; run it first")
    with io.replacing(target) as stream, gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive:
            for name in sorted(name for job in made for name in _files(run, job)):
                _add(archive, run, name)
    return len(made), sha256_file(target)


def _files(run: Path, job: PackedJob) -> Iterator[str]:
    """Yield the files of a job's results, of their records and of its measured time."""
    for path in job.results:
        try:
            io.check_result(run / path)
        except MissingResult:
            pass  # a result that says why it is missing is a result
        whole = run / path
        parts = [p for p in whole.rglob("*") if p.is_file()] if whole.is_dir() else [whole, io.meta_path(whole)]
        yield from (p.relative_to(run).as_posix() for p in parts if p.name not in io.FOREIGN)
    if (run / job.benchmark).is_file():
        yield job.benchmark


def _add(archive: tarfile.TarFile, run: Path, name: str) -> None:
    """Add a file to an archive without owner, rights and time."""
    member = tarfile.TarInfo(name)
    member.size = (run / name).stat().st_size
    with open(run / name, "rb") as stream:
        archive.addfile(member, stream)


def take_pack(pack: Path, sha256: str, run: Path, jobs: Sequence[PackedJob]) -> tuple[list[str], dict[str, str]]:
    """Take from a pack the results that their jobs would make today, and leave the rest.

    Parameters
    ----------
    pack : the file.
    sha256 : its digest as its maker tells it.
    run : folder in which the workflow runs.
    jobs : the jobs of today's configuration, each after those whose results it reads.

    Returns
    -------
    taken : first result of each job whose results were taken.
    rest : first result of each other job -> why it was left.

    Raises
    ------
    IntegrityError : the pack is not the one of the digest, is damaged or hostile, or a file does not fit its record.
    """
    if not pack.is_file():
        raise IntegrityError(f"{pack}: there is no such pack; name one with --config pack=FILE")
    if sha256_file(pack) != sha256.lower():
        raise IntegrityError(f"{pack}: does not have the sha256 {sha256}; fetch it again, or ask its maker")
    with _unpacked(pack, run) as folder:
        names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
        packed = [job for job in jobs if any((folder / path).exists() for path in job.results)]
        for path in (path for job in packed for path in job.results if (folder / path).exists()):
            _check(folder / path)
        taken, rest = [], {}
        for job in jobs:
            if not job.why_not(run, run):
                rest[job.results[0]] = "here already"
            elif why := job.why_not(folder, run):
                rest[job.results[0]] = why
            else:
                taken.append(job.results[0])
                _move(folder, run, job, names)
    return taken, rest


def _check(path: Path) -> None:
    """Refuse an unpacked result that does not fit its record."""
    try:
        io.check_result(path)
    except MissingResult:
        return
    except IntegrityError as error:
        raise IntegrityError(f"the pack is damaged or forged, and nothing was taken: {error}") from error


def _move(folder: Path, run: Path, job: PackedJob, names: Iterable[str]) -> None:
    """Move the results of a job from the unpacked folder to their places."""
    records = [path for path in (f"{path}.{io.META}" for path in job.results) if path in names]
    for path in (*job.results, *records, *({job.benchmark} & set(names))):
        (run / path).parent.mkdir(parents=True, exist_ok=True)
        if (run / path).is_dir():
            shutil.rmtree(run / path)
        os.replace(folder / path, run / path)


@contextmanager
def _unpacked(pack: Path, run: Path) -> Iterator[Path]:
    """Unpack into a folder beside the results, which is deleted at the end of the ``with`` block."""
    (run / "results").mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".pack.", suffix=io.LEFT, dir=run / "results"))
    try:
        with gzip.GzipFile(pack) as stream, tarfile.open(fileobj=_Limited(stream), mode="r:") as archive:
            _extract(archive, folder)
        yield folder
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.filename is not None:  # a fault of this disk, not of the pack
            raise
        raise IntegrityError(f"{pack}: is damaged or hostile, and nothing was taken: {error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Extract regular files of the folder of results alone, each once, by tarfile's filter for data."""
    seen, size = set[str](), 0
    for member in archive:
        size += member.size
        if not member.isreg() or member.issparse() or not member.name.startswith(f"{RESULTS}/") or member.name in seen:
            raise ValueError(f"'{member.name}' is no plain file of results, or stands twice")
        if len(seen) >= MAX_FILES or size > MAX_BYTES:
            raise ValueError(f"it unpacks to more than {MAX_FILES} files or {MAX_BYTES} bytes")
        seen.add(member.name)
        archive.extract(member, folder, filter="data")


class _Limited(streams.RawIOBase):
    """A stream that ends with an error where `tarfile` reads more at once than a header of a pack has.

    `tarfile` copies files in small parts, and reads a header of any stated length as a whole.
    """

    def __init__(self, stream: gzip.GzipFile) -> None:
        self.stream = stream

    def seekable(self) -> bool:
        """Return True."""
        return True

    def readable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the place in the unpacked stream."""
        return self.stream.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place in the unpacked stream."""
        return self.stream.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` bytes; refuse a size that no header of a pack has."""
        if not 0 <= size <= MAX_HEADER:
            raise ValueError("a header of it is too long")
        return self.stream.read(size)
