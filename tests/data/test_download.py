"""Downloads: only the right bytes, in bounded time, whatever a host does, and nothing left behind."""

from __future__ import annotations

import gzip
import socket
import stat
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.data.fetching import (
    DATA,
    IMPATIENT,
    LIMITS,
    OTHER,
    Behaviour,
    Handler,
    Server,
    content,
    entry,
    fetch,
    gives,
    had,
    hangs_up,
    https,
    never_ends,
    redirects,
    redirects_and_stalls,
    running_server,
    sha256,
    stalls_before_the_answer,
    stalls_in_the_body,
    trickles,
)
from textmix import __version__
from textmix.core.errors import StorageError
from textmix.data import sources
from textmix.data.registry import SourceFile
from textmix.data.sources import Limits


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with running_server(monkeypatch) as running:
        yield running


def test_a_download_is_checked_recorded_and_read_only(tmp_path: Path, server: Server) -> None:
    assert fetch(entry(https(server.url("/a", gives(DATA)))), tmp_path) == had("https", "https")
    assert content(tmp_path) == {"tiny.arff": DATA}
    assert stat.S_IMODE((tmp_path / "resources/tiny/tiny.arff").stat().st_mode) == 0o444
    assert server.agents == {f"textmix/{__version__}"}


LIES: dict[str, tuple[Behaviour, int, str]] = {
    "404": (gives(b"no", status=404), 1, "HTTP status 404"),
    "503": (gives(b"no", status=503), 3, "HTTP status 503"),
    "page": (gives(b"<!DOCTYPE html><html>" + bytes(len(DATA) - 21)), 3, "web page"),
    "page_of_other_size": (gives(b"<html>gone</html>"), 1, "has 17 bytes"),
    "truncated": (gives(DATA[:50000], length=len(DATA)), 3, "50000 bytes read"),
    "truncated_without_length": (gives(DATA[:50000], length=-1), 3, "ends after 50,000 of"),
    "empty": (gives(b"", length=-1), 3, "sends nothing"),
    "longer": (gives(DATA + b"x", length=-1), 1, "sends more than"),
    "never_ends": (never_ends, 1, "sends more than"),
    "flipped_byte": (gives(OTHER), 3, f"expected {sha256(DATA)} but got {sha256(OTHER)}"),
    "stalls_before_the_answer": (stalls_before_the_answer, 3, "no answer in time"),
    "stalls_in_the_body": (stalls_in_the_body, 3, "stalls"),
    "trickles": (trickles, 3, "stalls"),
    "hangs_up": (hangs_up, 3, "the connection failed"),
    "redirect_to_another_host": (redirects("https://localhost/a"), 1, "redirected to localhost"),
    "redirect_to_a_file": (redirects("file:///etc/passwd"), 1, "not https"),
    "redirect_to_itself": (redirects("/lie"), 31, "redirects in a circle"),
}
STALLING = {"stalls_before_the_answer", "stalls_in_the_body", "trickles"}


def slowly(handler: Handler) -> None:
    """Send a body in more time than a stall may take, and each of its windows in less."""
    handler.answer(b"", length=len(DATA))
    for start in range(0, len(DATA), 2**14):
        if not handler.server.over.wait(0.35):
            handler.wfile.write(DATA[start : start + 2**14])


def limits_for(name: str) -> Limits:
    """Return short limits for a host that stalls, and generous ones for every other."""
    return IMPATIENT if name in STALLING else LIMITS


@pytest.mark.parametrize("name", LIES)
def test_a_lying_host_leaves_nothing_but_the_reason_and_the_next_url_is_asked(
    tmp_path: Path, server: Server, name: str
) -> None:
    behaviour, tries, words = LIES[name]
    lie, limits = server.url("/lie", behaviour), limits_for(name)
    record = fetch(entry(https(lie)), tmp_path, limits=limits)
    assert (record["status"], record["broken"]) == ("missing", False)
    assert words in record["reason"]
    assert content(tmp_path) == {}
    assert server.asked["/lie"] == tries
    assert fetch(entry(https(lie, server.url("/true", gives(DATA)))), tmp_path, limits=limits) == had("https", "https")
    assert content(tmp_path) == {"tiny.arff": DATA}


def test_a_host_that_recovers_is_asked_again(tmp_path: Path, server: Server) -> None:
    url = server.url("/a", gives(b"", status=503), gives(DATA[:9], length=len(DATA)), gives(DATA))
    assert fetch(entry(https(url)), tmp_path)["status"] == "had"
    assert server.asked["/a"] == 3


def test_without_a_known_sha256_a_page_a_message_or_a_pointer_is_no_archive(tmp_path: Path, server: Server) -> None:
    for body, words in (
        (b"\n<HTML>gone</HTML>", "web page"),
        (b"file not found", "other content than"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 6396962\n", "pointer of Git LFS"),
    ):
        url = server.url("/a.tar.gz", gives(body))
        assert words in fetch(entry(https(url, data=None)), tmp_path)["reason"]
    packed = gzip.compress(DATA, mtime=0)
    record = fetch(entry(https(server.url("/a.tar.gz", gives(packed)), data=None)), tmp_path)
    assert record == had("https", "https", packed)


def test_a_body_of_unknown_size_is_capped(tmp_path: Path, server: Server) -> None:
    for url in (server.url("/a", never_ends), server.url("/b", gives(bytes(LIMITS.size + 1), length=-1))):
        record = fetch(entry(https(url, data=None)), tmp_path)
        assert record["status"] == "missing"
        assert "sends more than the file has" in record["reason"]
        assert content(tmp_path) == {}
    whole = server.url("/c", gives(bytes(LIMITS.size), length=-1))
    assert fetch(entry(https(whole, data=None)), tmp_path)["status"] == "had"


def test_a_flowing_download_may_take_longer_than_a_stall(tmp_path: Path, server: Server) -> None:
    limits = replace(LIMITS, stall=2.0, flow=2**14)
    record = fetch(entry(https(server.url("/a", slowly))), tmp_path, limits=limits)
    assert record["status"] == "had"


def test_a_redirect_whose_body_does_not_end_is_followed_all_the_same(tmp_path: Path, server: Server) -> None:
    url = server.url("/a", redirects_and_stalls)
    server.url("/true", gives(DATA))
    assert fetch(entry(https(url)), tmp_path, limits=IMPATIENT)["status"] == "had"
    assert server.asked["/a"] == 1


def test_a_redirect_to_a_host_of_the_registry_is_followed(tmp_path: Path, server: Server) -> None:
    port = server.server_address[1]
    server.url("/b", gives(DATA))
    the_entry = entry(https(server.url("/a", redirects(f"http://localhost:{port}/b"))), hosts=frozenset({"localhost"}))
    limits = Limits(plain_hosts=frozenset({"127.0.0.1", "localhost"}))
    assert fetch(the_entry, tmp_path, limits=limits)["status"] == "had"


def test_http_is_refused_without_asking(tmp_path: Path, server: Server) -> None:
    record = fetch(entry(https(server.url("/a", gives(DATA)))), tmp_path, limits=Limits())
    assert "not https" in record["reason"]
    assert server.asked["/a"] == 0


def never_waits(seconds: float) -> None:
    """Stand for `time.sleep` where nothing may be tried again."""
    pytest.fail(f"waits {seconds} s before another try")


def test_without_a_network_it_fails_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: Any, **options: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr(time, "sleep", never_waits)
    record = fetch(entry(https("https://a.invalid/x", "https://b.invalid/x")), tmp_path, limits=Limits())
    assert record["reason"].count("the host's name is not known") == 2


def test_a_closed_port_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setattr(time, "sleep", never_waits)
    limits = Limits(plain_hosts=LIMITS.plain_hosts)
    record = fetch(entry(https(f"http://127.0.0.1:{port}/a")), tmp_path, limits=limits)
    assert "the host cannot be reached" in record["reason"]


def test_one_file_of_two_is_not_kept(tmp_path: Path, server: Server) -> None:
    labels = SourceFile((server.url("/l", gives(b"", status=404)),))
    record = fetch(entry(https(server.url("/a", gives(DATA)), labels=labels)), tmp_path)
    assert record["status"] == "missing"
    assert server.asked["/a"] == 1
    assert content(tmp_path) == {}


def test_a_full_disk_is_no_missing_result(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(content: Any, chunk: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sources._Content, "write", full)
    with pytest.raises(StorageError, match="no space left"):
        fetch(entry(https(server.url("/a", gives(DATA)))), tmp_path)
    assert content(tmp_path) == {}
