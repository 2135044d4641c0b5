"""Parts that the tests of fetching share: a server on 127.0.0.1 that lies in every way, and small registry entries."""

from __future__ import annotations

import hashlib
import http.server
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pooch.core
import pytest

from textmix.data.fetch import fetch_dataset
from textmix.data.registry import DatasetEntry, Reader, Source, SourceFile, Wheel
from textmix.data.sources import Limits

DATA = b"@relation tiny\n" + b"".join(b"%d\n" % i for i in range(20000))
OTHER = DATA[:-2] + b"\xff\n"
#: Seconds are generous, so that a busy machine breaks none of them; hosts that stall meet `IMPATIENT`.
LIMITS = Limits(stall=60, flow=2**10, size=2**20, plain_hosts=frozenset({"127.0.0.1"}))
IMPATIENT = replace(LIMITS, stall=0.3)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ---------------------------------------------------------------------------------------------------------- server

Behaviour = Callable[["Handler"], None]


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked[self.path] += 1
        self.server.agents.add(self.headers["User-Agent"])
        behaviours = self.server.behaviours[self.path]
        behaviours[min(self.server.asked[self.path], len(behaviours)) - 1](self)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def answer(self, body: bytes, status: int = 200, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length != -1:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours: dict[str, list[Behaviour]] = {}
        self.asked: Counter[str] = Counter()
        self.agents: set[str] = set()
        self.over = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass

    def url(self, path: str, *behaviours: Behaviour) -> str:
        self.behaviours[path] = list(behaviours)
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


@contextmanager
def running_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(pooch.core, "time", SimpleNamespace(sleep=lambda seconds: None))  # no pause between tries
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def gives(body: bytes, **options: Any) -> Behaviour:
    return lambda handler: handler.answer(body, **options)


def stalls_before_the_answer(handler: Handler) -> None:
    handler.server.over.wait(60)


def stalls_in_the_body(handler: Handler) -> None:
    handler.answer(DATA[:5000], length=len(DATA))
    handler.server.over.wait(60)


def trickles(handler: Handler) -> None:
    handler.answer(b"", length=len(DATA))
    for byte in DATA:
        if handler.server.over.wait(0.005):
            return
        handler.wfile.write(bytes([byte]))


def never_ends(handler: Handler) -> None:
    """Send many times what any limit of these tests allows; a client without a limit ends, and its test fails."""
    handler.answer(b"", length=-1)
    for _ in range(2**9):
        if not handler.server.over.is_set():
            handler.wfile.write(bytes(2**16))


def hangs_up(handler: Handler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    handler.connection.close()


def redirects(url: str) -> Behaviour:
    return lambda handler: handler.answer(b"", status=302, Location=url)


def redirects_and_stalls(handler: Handler) -> None:
    handler.answer(b"", status=302, length=9, Location="/true")
    handler.server.over.wait(60)


# --------------------------------------------------------------------------------------------------------- entries


def entry(*kinds: Source, hosts: frozenset[str] = frozenset()) -> DatasetEntry:
    files = {"data": "tiny.arff", "labels": "tiny.xml", "archive": "tiny.tar"}
    named = [replace(source, names={role: files[role] for role in source.files} | {**source.names}) for source in kinds]
    used = {role: files[role] for source in kinds for role in source.files}
    return DatasetEntry("tiny", "Tiny", "Nobody", "none", used, tuple(named), hosts)


def https(*urls: str, data: bytes | None = DATA, **more: SourceFile) -> Source:
    digest_and_size = (None, None) if data is None else (sha256(data), len(data))
    return Source("https", {"data": SourceFile(urls, *digest_and_size), **more}, Reader("arff"))


def mirrored(data: bytes = DATA, path: str = "tiny/tiny.arff.xz") -> Source:
    return Source("mirror", {"data": SourceFile((path,), sha256(data), len(data))}, Reader("arff"))


def packaged(data: bytes = DATA, digests: dict[str, str] | None = None, member: str = "tiny/tiny.arff") -> Source:
    wheel = Wheel("tiny-data", "1.0", digests or {})
    return Source("package", {"data": SourceFile((member,), sha256(data), len(data))}, Reader("arff"), None, wheel)


def fetch(the_entry: DatasetEntry, folder: Path, mirror: Path | None = None, limits: Limits = LIMITS) -> dict[str, Any]:
    record = fetch_dataset(the_entry, folder / "resources" / "tiny", mirror, limits=limits)
    assert str(folder) not in json.dumps(record)
    return record


def content(folder: Path) -> dict[str, bytes]:
    target = folder / "resources" / "tiny"
    return {path.name: path.read_bytes() for path in target.iterdir()}


def had(source: str, form: str, data: bytes = DATA) -> dict[str, Any]:
    files = {"data": {"name": "tiny.arff", "sha256": sha256(data), "bytes": len(data)}}
    return {"status": "had", "source": source, "form": form, "files": files, "state": ""}
