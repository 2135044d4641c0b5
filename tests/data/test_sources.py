"""Every https entry of the registry as a user's machine would try it, with small files of its form from 127.0.0.1."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.data.fetching import LIMITS, Server, gives, redirects, running_server, sha256
from tests.fixtures.reader_files import SGML, XML_HEAD
from textmix.data.fetch import fetch_dataset
from textmix.data.parse import read_corpus
from textmix.data.registry import DatasetEntry, Reader, Source, SourceFile, load_registry

ROOT = Path(__file__).parents[2]
REGISTRY = load_registry(ROOT / "config/datasets.yaml")
ON_THE_WEB = {name: entry for name, entry in REGISTRY.items() if any(s.kind == "https" for s in entry.sources)}
ENDINGS: Mapping[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress}
ARFF = b"@relation tiny\n@attribute a numeric\n@attribute b numeric\n@attribute x {0,1}\n@attribute y {0,1}\n@data\n"
ARFF += b"1,2,0,1\n3,0,1,0\n"
LABELS = XML_HEAD + b'<label name="x"></label><label name="y"></label></labels>'
REVIEW = b"product/productId: A\nreview/userId: u\nreview/score: %d.0\nreview/text: fine\n\n"
#: Data set -> paths in its public archive, each with the label that the reader must find.
FOLDERS: Mapping[str, Mapping[str, str]] = {
    "newsgroups_18828": {"20news-18828/sci.med/1": "sci.med", "20news-18828/rec.autos/2": "rec.autos"},
    "industry_sector_pages": {
        "sector/transportation.sector/air.courier.industry/a.html": "air.courier.industry",
        "sector/energy.sector/coal.industry/a.html": "coal.industry",
    },
    "lingspam": {"lingspam_public/bare/part1/spmsga1.txt": "spam", "lingspam_public/bare/part1/1-1msg1.txt": "ham"},
    "webkb": {"webkb/course/cornell/http:^^a": "course", "webkb/staff/misc/http:^^b": "staff"},
    "webkb_four": {"webkb/course/cornell/http:^^a": "course", "webkb/student/misc/http:^^b": "student"},
    "imdb": {f"aclImdb/{p}/{k}/0_{r}.txt": k for p in ("train", "test") for k, r in (("neg", 2), ("pos", 9))},
    "imdb_unlabelled": {
        **{f"aclImdb/{p}/{k}/0_{r}.txt": k for p in ("train", "test") for k, r in (("neg", 2), ("pos", 9))},
        "aclImdb/train/unsup/0_0.txt": "",
    },
    "spamassassin": {  # an archive a folder
        f"{folder}/00001.7c53336b37003a9286aba55d2945844c": "spam" if "spam" in folder else "ham"
        for folder in ("easy_ham", "easy_ham_2", "hard_ham", "spam", "spam_2")
    },
}
FOLDERS = {**FOLDERS, "newsgroups_messages": FOLDERS["newsgroups_18828"]}


def tar(files: Mapping[str, bytes]) -> bytes:
    """Return a tar archive of the files, with the folders above them as members."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for folder in sorted({str(parent) for name in files for parent in list(Path(name).parents)[:-1]}):
            entry = tarfile.TarInfo(folder)
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return target.getvalue()


def libsvm(reader: Reader) -> bytes:
    """Return rows that hold every label that the reader's options state, so that the labels found are that many."""
    assert reader.name == "libsvm_multilabel", "write down the form of this reader's files"
    first = 1 if reader.options.get("first_label") == "found" else 0
    lines = [f"{first + k} 1:{k + 1} {reader.options['n_features']}:1\n" for k in range(reader.options["n_labels"])]
    return "".join(lines).encode()


def message(name: str) -> bytes:
    """Return a text that each form of message reads: header lines, an empty line, and words."""
    return f"From: {name}\nSubject: s\n\n<html>some words</html>\n".encode()


def plain(entry: DatasetEntry, source: Source, role: str) -> bytes:
    """Return a small file of the form of one role, unpacked."""
    name, reader = entry.id, source.reader.name
    if name in FOLDERS:
        paths = [path for path in FOLDERS[name] if path.startswith(f"{role}/")] or FOLDERS[name]
        return tar({path: message(path) for path in paths})
    if reader == "arff":
        return LABELS if role == "labels" else ARFF
    if reader == "reuters_sgml":
        return tar({"reut2-000.sgm": SGML, "README.txt": b"read me", "lewis.dtd": b"<!-- -->"})
    return REVIEW % 1 + REVIEW % 5 if reader == "snap_reviews" else libsvm(source.reader)


def packed(data: bytes, url: str) -> bytes:
    """Return the bytes as the ending of a URL packs them."""
    return ENDINGS.get(Path(urlsplit(url).path).suffix, bytes)(data)


def small(entry: DatasetEntry, server: Server) -> DatasetEntry:
    """Return an entry whose https source gives small files of its form from the server, and its other keys.

    The first address of a file redirects to another path, and breaks off at the first try; further addresses answer
    with an error.  A digest that the entry knows becomes that of the small file; one that it does not know stays so.
    """
    source = next(candidate for candidate in entry.sources if candidate.kind == "https")
    files = {}
    for role, file in source.files.items():
        first = urlsplit(file.where[0])
        body = packed(plain(entry, source, role), file.where[0])
        path = f"/{entry.id}/{role}{first.path}"
        whole = server.url("/whole" + path, gives(body[:-1], length=len(body)), gives(body))
        urls = [server.url(path, redirects(whole))]
        urls += [server.url(f"/other{k}{path}", gives(b"", status=404)) for k in range(len(file.where) - 1)]
        digest_and_size = (sha256(body), len(body)) if file.sha256 else (None, None)
        files[role] = SourceFile(tuple(urls), *digest_and_size)
    local = replace(source, files=files, content_digest=None)
    return replace(entry, sources=(local,), hosts=entry.hosts | {"127.0.0.1"})


@pytest.fixture(scope="module")
def server() -> Server:
    """Run a server for all entries."""
    with pytest.MonkeyPatch.context() as patch, running_server(patch) as running:
        yield running


@pytest.mark.parametrize("name", sorted(ON_THE_WEB))
def test_files_of_the_form_of_each_public_source_are_fetched_and_read(
    name: str, server: Server, tmp_path: Path
) -> None:
    entry = small(REGISTRY[name], server)
    record = fetch_dataset(entry, tmp_path / name, None, limits=LIMITS)
    assert record["status"] == "had", record
    source = entry.sources[0]
    files = {role: tmp_path / name / file["name"] for role, file in record["files"].items()}
    corpus = read_corpus(source.reader, files, name)
    used_labels = {label for label, used in zip(corpus.label_names, corpus.labels.sum(axis=0), strict=True) if used}
    expected = set(FOLDERS[name].values()) - {""} if name in FOLDERS else used_labels
    assert corpus.ids and used_labels and used_labels == expected
    assert all(server.asked[path] <= 2 for path in server.asked)


def test_an_unknown_digest_has_a_reason_and_what_decides_in_its_place() -> None:
    for entry in REGISTRY.values():
        known = all(file.sha256 for source in entry.sources for file in source.files.values())
        assert known != bool(entry.no_digest), entry.id
        if not known:
            web = next(source for source in entry.sources if source.kind == "https")
            assert web.expect and ("content digest" in entry.no_digest) == bool(web.content_digest), entry.id
