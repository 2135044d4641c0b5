"""Zip archives: members are read exactly, also of a zip of many files; hostile and damaged ones are refused by name."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from tests.data.test_archive import TEXT, make_tar
from textmix.core.errors import DataFormatError
from textmix.data import zips
from textmix.data.archives import iter_tar
from textmix.data.readers import message_folder


def make_zip(path: Path, members: dict[str, bytes], mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = mode << 16
            packed.writestr(info, data)
    return path


def test_a_zip_member_is_written_whole_and_read_only(tmp_path: Path) -> None:
    target = tmp_path / "target"
    wheel = make_zip(tmp_path / "w.whl", {"p/data.tab": TEXT, "p/x": b""})
    zips.extract_zip_member(wheel, "p/data.tab", target, limit=len(TEXT))
    assert target.read_bytes() == TEXT
    assert stat.S_IMODE(target.stat().st_mode) == 0o444


@pytest.mark.parametrize(
    ("members", "wanted", "mode", "limit", "message"),
    [
        ({"a": b"1"}, "b", 0, 10, "has 0 members named 'b'"),
        ({"../a": b"1"}, "../a", 0, 10, "leads out"),
        ({"/a": b"1"}, "/a", 0, 10, "leads out"),
        ({"a": b"/etc/passwd"}, "a", stat.S_IFLNK | 0o777, 99, "is a link or a folder"),
        ({"a": b"0123456789"}, "a", 0, 9, "unpacks to more than 9 bytes"),
        ({"a": bytes(30 * 2**20)}, "a", 0, 2**31, "unpacks to more than"),
    ],
)
def test_a_bad_zip_member_leaves_nothing(
    tmp_path: Path, members: dict[str, bytes], wanted: str, mode: int, limit: int, message: str
) -> None:
    path = make_zip(tmp_path / "w.whl", members, mode)
    with pytest.raises(DataFormatError, match=f"w.whl: .*{message}"):
        zips.extract_zip_member(path, wanted, tmp_path / "target", limit)
    assert [file.name for file in tmp_path.iterdir()] == ["w.whl"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_member_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "w.whl", "w") as packed:
        packed.writestr("a", "1")
        packed.writestr("a", "2")
    with pytest.raises(DataFormatError, match="has 2 members named 'a'"):
        zips.extract_zip_member(tmp_path / "w.whl", "a", tmp_path / "target")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.97])
def test_a_damaged_zip_leaves_nothing(tmp_path: Path, share: float) -> None:
    path = make_zip(tmp_path / "w.whl", {"a": bytes(range(256)) * 20})
    data = path.read_bytes()
    cut = int(len(data) * share)
    path.write_bytes(data[:cut] + bytes(20) + data[cut + 20 :])
    with pytest.raises(DataFormatError, match=r"w\.whl"):
        zips.extract_zip_member(path, "a", tmp_path / "target")
    assert [file.name for file in tmp_path.iterdir()] == ["w.whl"]


def test_members_of_a_pattern_become_one_tar_the_same_each_time(tmp_path: Path) -> None:
    members = {"p/data/b/2.txt": b"two", "p/data/a/1.txt": b"one", "p/code.py": b"no"}
    other_order = dict(reversed(members.items()))
    for name, content in (("one", members), ("two", other_order)):
        zips.pack_zip_members(make_zip(tmp_path / f"{name}.whl", content), "p/data/*/*.txt", tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    packed = list(iter_tar(tmp_path / "one", ["*"]))
    assert packed == [("p/data/a/1.txt", b"one"), ("p/data/b/2.txt", b"two")]


@pytest.mark.parametrize(
    ("members", "mode", "limit", "message"),
    [
        ({"x": b"1"}, 0, 99, "0 members match"),
        ({"d/../../a": b"1"}, 0, 99, "leads out"),
        ({"d/a": b"12345", "d/b": b"12345"}, 0, 9, "unpacks to more than"),
        ({"d/a": b"target"}, stat.S_IFLNK | 0o777, 99, "is a link"),
    ],
)
def test_bad_members_of_a_pattern_leave_nothing(
    tmp_path: Path, members: dict[str, bytes], mode: int, limit: int, message: str
) -> None:
    path = make_zip(tmp_path / "w.whl", members, mode)
    with pytest.raises(DataFormatError, match=message):
        zips.pack_zip_members(path, "d/*", tmp_path / "target", limit)
    assert [file.name for file in tmp_path.iterdir()] == ["w.whl"]


def test_a_zip_of_many_files_is_read_as_a_tar_of_the_same_files(tmp_path: Path) -> None:
    members = {f"news/c{n % 3}/{n}.txt": b"text %d" % n for n in range(2001)}
    long = {"d/" + "long/" * 60 + "ü.txt": b"x"}
    packed = make_zip(tmp_path / "all.zip", {"news/": b"", **members, **long, "__MACOSX/news/._1.txt": b"no"})
    (tmp_path / "all.tar").write_bytes(make_tar({**members, **long}))
    found = list(zips.iter_members(packed, ["*.txt"]))
    assert found == list(iter_tar(tmp_path / "all.tar", ["*.txt"])) and len(found) == 2002
    read = [
        message_folder.read({"data": tmp_path / name}, {"name": "made", "members": ["news/*"]})
        for name in ("all.zip", "all.tar")
    ]
    assert read[0].ids == read[1].ids and read[0].label_names == ["c0", "c1", "c2"]
    assert list(zips.iter_members(make_zip(tmp_path / "one.zip", {"a.tar": make_tar(members)}), ["*"])) == sorted(
        members.items()
    )


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("members", "mode", "message"),
    [
        ([("a", b"1"), ("../b", b"1")], 0, "leads out"),
        ([("a", b"1"), ("a", b"2")], 0, "stands twice"),
        ([("a", b"/etc/passwd"), ("b", b"1")], stat.S_IFLNK | 0o777, "is a link or a folder"),
        ([("a", b"12345678"), ("b", b"12345678")], 0, "unpacks to more than"),
        ([("a", bytes(30 * 2**20)), ("b", b"1")], 0, "unpacks to more than"),
    ],
)
def test_a_hostile_zip_of_many_files_is_refused(
    tmp_path: Path, members: list[tuple[str, bytes]], mode: int, message: str
) -> None:
    with zipfile.ZipFile(tmp_path / "w.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            packed.writestr(info, data)
    with pytest.raises(DataFormatError, match=f"w.zip: .*{message}"):
        zips.iter_members(tmp_path / "w.zip", ["*"], limit=10 if len(members[0][1]) < 99 else 2**31)
