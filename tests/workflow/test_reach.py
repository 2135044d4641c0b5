"""Runs without a network, and with some unavailable sources on a server at 127.0.0.1."""

from __future__ import annotations

import functools
import hashlib
import http.server
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.workflow.tiny import BUILT, Clone, synthetic_tab
from textmix.core import io

#: Data sets of a simulated public source, one per role, and the substitute of the first two.
PUBLIC = {"public_news": "newsgroups", "public_reuters": "r52"}
SUBSTITUTE = {"dataset": "tiny_news", "comparable": "nearly", "note": "made"}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serve the files of a folder without logging requests."""

    def log_message(self, *_args: object) -> None:
        """Do not log."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[int, Path, Path]]:
    """Port, folder and certificate of an HTTPS server on localhost."""
    folder, certificate, key = tmp_path / "public", tmp_path / "cert.pem", tmp_path / "key.pem"
    folder.mkdir()
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command, *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    served.socket = context.wrap_socket(served.socket, server_side=True)
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served.server_address[1], folder, certificate
    served.shutdown()
    served.server_close()
    thread.join()


def _entry(address: str, folder: Path, name: str, seed: int) -> dict[str, Any]:
    """Write a data set to the folder of a server; return its registry entry."""
    urls = {}
    for role, documents in (("train", 60), ("test", 30)):
        path = folder / f"{name}-{role}.tab"
        path.write_text(synthetic_tab(seed, documents), encoding="utf-8")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        urls[role] = {"urls": [f"{address}/{path.name}"], "sha256": digest, "bytes": path.stat().st_size}
    return {
        **{"title": name, "citation": "made", "terms": "none", "reader": {"name": "tab_file"}},
        "files": {role: f"{name}-{role}.tab" for role in urls},
        "sources": [{"https": urls}],
        "expect": {"documents": 90},
    }


def configure(clone: Clone, address: str, folder: Path) -> None:
    """Configure two roles of a clone with public data sets and with a mirrored substitute."""
    path = clone.folder / "config/datasets.yaml"
    registry = yaml.safe_load(path.read_text(encoding="utf-8"))
    registry |= {name: _entry(address, folder, name, seed) for seed, name in enumerate(PUBLIC, start=50)}
    path.write_text(yaml.safe_dump(registry), encoding="utf-8")
    main = clone.folder / "config/config.yaml"
    config = yaml.safe_load(main.read_text(encoding="utf-8"))
    for name, role in PUBLIC.items():
        config["roles"][role] = {"dataset": name, "comparable": "fully", "note": "", "substitutes": [SUBSTITUTE]}
    main.write_text(yaml.safe_dump(config), encoding="utf-8")


def read(clone: Clone, certificate: Path) -> dict[str, str]:
    """Read the data of both papers; return data set of a role -> the data set that was read."""
    asked = [f"results/papers/{paper}/comparison.csv" for paper in BUILT]
    reach = {"REQUESTS_CA_BUNDLE": str(certificate), "no_proxy": "*"}
    done = clone.run_warm("--cores", "2", *asked, "--until", "parse", **reach)
    assert done.returncode == 0, done.stdout
    found = clone.folder.glob("results/datasets/*/corpus.json")
    return {path.parent.name: io.read_json(path)["name"] for path in found}


def test_substitutes_are_read_without_a_network_and_without_downloads(
    fresh: Clone, server: tuple[int, Path, Path]
) -> None:
    _, folder, certificate = server
    configure(fresh, "https://sources.invalid", folder)
    assert read(fresh, certificate) == {"tiny_news": "tiny_news"}
    assert not list((fresh.folder / "resources").glob("public*"))


def test_run_uses_the_sources_that_are_left(fresh: Clone, server: tuple[int, Path, Path]) -> None:
    port, folder, certificate = server
    configure(fresh, f"https://localhost:{port}", folder)
    for path in folder.glob("public_news*"):
        path.unlink()
    assert read(fresh, certificate) == {"public_news": "tiny_news", "public_reuters": "public_reuters"}
