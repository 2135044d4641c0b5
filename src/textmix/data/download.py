"""Downloads over https in bounded time: three tries of each URL, then the next URL.

A host may be down, slow, or send wrong bytes.  Size and sha256 are checked where they are known.  A web page in place
of data is refused.  A redirect may lead only to https and to hosts of the registry.  A transfer that stalls is cut; one
that flows may take any time.  A file takes its name only when it is whole (`textmix.data.archives.new_file`).

pooch is not used.  It waits for whole chunks, so a host that sends single bytes can delay it for hours; it follows
redirects to any host, has no cap on size, and tries again after errors that another try cannot change.
"""

from __future__ import annotations

import errno
import hashlib
import http.client
import logging
import queue
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from textmix import __version__
from textmix.data.archives import new_file
from textmix.data.registry import SourceFile

log = logging.getLogger(__name__)

_CHUNK = 2**16
#: HTTP status codes that another try will not change.
_FINAL = {400, 401, 404, 405, 410, 451}
_UNREACHABLE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.EACCES, errno.EPERM}
#: The first bytes of a packed file, by the ending of its URL; a web page in its place begins otherwise.
_MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}

#: The first bytes of what a Git host sends in place of a file that it stores elsewhere (Git LFS specification).
_POINTER = b"version https://git-lfs.github.com/spec/"


class DownloadError(Exception):
    """A file could not be downloaded.

    Parameters
    ----------
    reason : why, in a few words.
    final : whether another try at the same URL is of no use.
    """

    def __init__(self, reason: str, final: bool = False) -> None:
        self.final = final
        super().__init__(reason)


@dataclass(frozen=True)
class Limits:
    """How long a download is tried, and how large it may be.

    Parameters
    ----------
    total : seconds of waiting for one data set; time in which data arrive is not counted.
    stall : seconds within which the answer must begin, and then within which each further ``flow`` bytes must arrive.
    flow : bytes, see ``stall``.
    tries : number of tries for each URL.
    backoff : seconds of pause before the second try, doubled before each further one.
    size : cap on a download whose size the registry does not state, bytes.
    plain_hosts : hosts for which http is allowed; for tests against 127.0.0.1.
    """

    total: float = 170.0
    stall: float = 20.0
    flow: int = 2**14
    tries: int = 3
    backoff: float = 1.0
    size: int = 2**32
    plain_hosts: frozenset[str] = frozenset()


class _Patience:
    """A clock that counts down the seconds of `Limits.total` and leaves out the time in which data arrive."""

    def __init__(self, total: float) -> None:
        self._remaining, self._mark = total, time.monotonic()

    def flowed(self) -> None:
        """Leave out the time since the last call of either method, since data arrived in it."""
        self._mark = time.monotonic()

    def remaining(self) -> float:
        """Return the seconds left after counting the time since the last call of either method."""
        now = time.monotonic()
        self._remaining, self._mark = self._remaining - (now - self._mark), now
        return self._remaining


class Downloader:
    """Downloads the files of one data set, which share the seconds of `Limits.total`.

    Parameters
    ----------
    hosts : hosts to which a URL may be redirected, besides its own host.
    limits : how long to try.
    """

    def __init__(self, hosts: frozenset[str], limits: Limits) -> None:
        self._hosts, self._limits, self._patience = hosts, limits, _Patience(limits.total)

    def download(self, file: SourceFile, target: Path) -> None:
        """Download one file from the first of its URLs that gives it.

        Parameters
        ----------
        file : its URLs, and size and sha256 where known.
        target : file to make, read-only; its folder exists.

        Raises
        ------
        DownloadError : no URL gives the file; the message has the reason for each.  Nothing is left in the folder.
        """
        self._patience.flowed()  # the work between two downloads is not waiting
        reasons = []
        for url in file.where:
            try:
                self._try_repeatedly(url, file, target)
                return
            except DownloadError as error:
                reasons.append(f"{urlsplit(url).hostname}: {error}")
        raise DownloadError(", ".join(reasons))

    def _try_repeatedly(self, url: str, file: SourceFile, target: Path) -> None:
        """Try one URL up to `Limits.tries` times; raise the last `DownloadError`."""
        for further_tries in reversed(range(self._limits.tries)):
            try:
                if self._patience.remaining() <= 0:
                    raise DownloadError("no time left to try", final=True)
                self._try(url, file, target)
                return
            except DownloadError as error:
                log.info("%s: %s", url, error)
                if error.final or not further_tries:
                    raise
            pause = self._limits.backoff * 2 ** (self._limits.tries - 1 - further_tries)
            time.sleep(max(0.0, min(pause, self._patience.remaining())))

    def _try(self, url: str, file: SourceFile, target: Path) -> None:
        """Try one URL once."""
        allowed = self._hosts | {urlsplit(url).hostname or ""}
        _check_url(url, allowed, self._limits.plain_hosts)
        headers = {"User-Agent": f"textmix/{__version__}", "Accept-Encoding": "identity"}
        request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the protocol is checked above
        opener = urllib.request.build_opener(_Redirects(allowed, self._limits.plain_hosts))
        response = _open(opener, request, max(0.01, min(self._limits.stall, self._patience.remaining())))
        with response, new_file(target) as sink:
            self._receive(response, sink, url, file)

    def _receive(self, response: Any, sink: IO[bytes], url: str, file: SourceFile) -> None:
        """Write a response's body to ``sink``; raise if it stalls or differs from the size and sha256 of ``file``."""
        announced: int | None = response.length
        if file.bytes is not None and announced not in (None, file.bytes):
            raise DownloadError(f"has {announced:,} bytes, expected {file.bytes:,}", final=True)
        size, window, since, digest = 0, 0, time.monotonic(), hashlib.sha256()
        while chunk := _read(response):
            if size == 0:
                _check_start(chunk, url)
            sink.write(chunk)
            digest.update(chunk)
            size, window = size + len(chunk), window + len(chunk)
            if size > (file.bytes or self._limits.size):
                raise DownloadError("sends more than the file has", final=True)
            if window >= self._limits.flow:
                self._patience.flowed()
                window, since = 0, time.monotonic()
            elif time.monotonic() - since > self._limits.stall:
                raise DownloadError("stalls")
        expected = file.bytes or announced
        if size == 0:
            raise DownloadError("sends nothing")
        if expected is not None and size != expected:
            raise DownloadError(f"ends after {size:,} of {expected:,} bytes")
        if file.sha256 not in (None, digest.hexdigest()):
            raise DownloadError(f"has sha256 {digest.hexdigest()}, expected {file.sha256}")


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to allowed URLs only."""

    def __init__(self, hosts: frozenset[str], plain_hosts: frozenset[str]) -> None:
        self._hosts, self._plain_hosts = hosts, plain_hosts

    def redirect_request(  # noqa: PLR0917 - urllib's signature
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        """Refuse another protocol or host (see urllib)."""
        fp.close()  # else urllib reads the answer's body to its end, which may not come
        _check_url(newurl, self._hosts, self._plain_hosts)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _check_url(url: str, hosts: frozenset[str], plain_hosts: frozenset[str]) -> None:
    """Refuse a URL that is not https, or whose host is not one of ``hosts``."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https" and not (parts.scheme == "http" and host in plain_hosts):
        raise DownloadError(f"leads to {parts.scheme}://{host}, which is not https", final=True)
    if host not in hosts:
        raise DownloadError(f"is redirected to {host}, which the registry does not name", final=True)


def _open(opener: urllib.request.OpenerDirector, request: urllib.request.Request, timeout: float) -> Any:
    """Return the response, waiting no longer than ``timeout`` seconds.

    The socket's own timeout bounds neither the look-up of the host's name nor headers that trickle in, so the wait is
    in a thread that may be left behind.
    """
    answer: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def work() -> None:
        """Put the response, or the error, where the caller waits for it."""
        try:
            answer.put(opener.open(request, timeout=timeout))
        except Exception as error:
            answer.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        response = answer.get(timeout=timeout)
    except queue.Empty as error:
        raise DownloadError("no answer in time") from error
    if isinstance(response, OSError | http.client.HTTPException):
        raise _explained(response) from response
    if isinstance(response, Exception):
        raise response
    return response


def _read(response: Any) -> bytes:
    """Return the next bytes of a body; empty bytes at its end."""
    try:
        chunk: bytes = response.read1(_CHUNK)
        return chunk
    except (OSError, http.client.HTTPException) as error:
        raise _explained(error) from error


def _check_start(chunk: bytes, url: str) -> None:
    """Refuse a first chunk that is a web page, a pointer of Git LFS, or not of the packing that the URL names."""
    head = chunk[:1024].lstrip().lower()
    magic = next((magic for ending, magic in _MAGIC.items() if urlsplit(url).path.endswith(ending)), b"")
    if head.startswith(b"<!doctype html") or b"<html" in head:
        raise DownloadError("answers with a web page instead of the file")
    if head.startswith(_POINTER):
        raise DownloadError("answers with a pointer of Git LFS instead of the file")
    if not chunk.startswith(magic[: len(chunk)]):
        raise DownloadError("answers with something else than the packed file")


def _explained(error: Exception) -> DownloadError:
    """Return the `DownloadError` for a network error; final where another try is of no use (no network, no page)."""
    cause: Any = error
    if isinstance(error, urllib.error.HTTPError):
        error.close()
        is_redirect = 300 <= error.code < 400  # one that urllib does not follow: in a circle, or to another protocol
        return DownloadError(f"answers with HTTP status {error.code}", final=is_redirect or error.code in _FINAL)
    if isinstance(error, urllib.error.URLError) and isinstance(error.reason, Exception):
        cause = error.reason
    if isinstance(cause, TimeoutError):
        return DownloadError("no answer in time")
    if isinstance(cause, socket.gaierror):
        return DownloadError("the host's name is not known (no network?)", final=True)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return DownloadError("its certificate cannot be verified", final=True)
    unreachable = isinstance(cause, ConnectionRefusedError) or getattr(cause, "errno", None) in _UNREACHABLE
    return DownloadError(f"the connection failed ({type(cause).__name__})", final=unreachable)
