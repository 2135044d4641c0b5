"""Archives and packed files: what is legitimate is read exactly, what is hostile or damaged is refused by name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures.reader_files import tar
from textmix.core.errors import DataFormatError
from textmix.data import archives as archive
from textmix.data.readers import message_folder

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "xz": lzma.compress,
    "gz": gzip.compress,
    "bz2": bz2.compress,
}
TEXT = b"".join(b"line %d of a text\n" % i for i in range(3000))


def special_tar(info: tarfile.TarInfo) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(info)
    return stream.getvalue()


def put(folder: Path, data: bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


# ---------------------------------------------------------------------------------------------------- packed files


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_content_comes_back_whatever_the_name(tmp_path: Path, kind: str) -> None:
    assert archive.open_plain(put(tmp_path, PACKERS[kind](TEXT), "data.arff")) == TEXT


@pytest.mark.parametrize("kind", ["xz", "gz", "bz2"])
@pytest.mark.parametrize("lost", [1, 5, 0.5, 0.9])
def test_a_truncated_stream_is_refused_by_name(tmp_path: Path, kind: str, lost: float) -> None:
    packed = PACKERS[kind](TEXT)
    cut = packed[: len(packed) - (lost if lost >= 1 else int(len(packed) * lost))]
    with pytest.raises(DataFormatError, match=r"data.packed: .*truncated or damaged.*fetch it again"):
        archive.open_plain(put(tmp_path, cut, "data.packed"))


@pytest.mark.parametrize("kind", ["xz", "gz", "bz2"])
def test_a_flipped_byte_is_refused(tmp_path: Path, kind: str) -> None:
    packed = bytearray(PACKERS[kind](TEXT))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(DataFormatError, match="truncated or damaged"):
        archive.open_plain(put(tmp_path, bytes(packed)))


@pytest.mark.parametrize("kind", ["xz", "gz", "bz2"])
@pytest.mark.parametrize("read", [archive.open_plain, lambda path: list(archive.iter_lines(path))])
def test_a_bomb_is_stopped_by_its_ratio(tmp_path: Path, kind: str, read: Callable[[Path], object]) -> None:
    with pytest.raises(DataFormatError, match="unpacks to more than"):
        read(put(tmp_path, PACKERS[kind](b"same line\n" * 2**19)))


def test_the_ratio_does_not_bind_the_first_mebibyte(tmp_path: Path) -> None:
    assert archive.open_plain(put(tmp_path, lzma.compress(bytes(2**20)))) == bytes(2**20)


@pytest.mark.parametrize("kind", PACKERS)
def test_the_limit_binds_exactly(tmp_path: Path, kind: str) -> None:
    path = put(tmp_path, PACKERS[kind](TEXT))
    assert archive.open_plain(path, len(TEXT)) == TEXT
    with pytest.raises(DataFormatError, match="unpacks to more than"):
        archive.open_plain(path, len(TEXT) - 1)


def test_a_file_that_is_not_there_stays_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        archive.open_plain(tmp_path / "nothing")


@given(st.sampled_from(list(PACKERS)), st.binary(max_size=300), st.integers(0, 400), st.integers(0, 255))
@settings(deadline=None, derandomize=True, max_examples=150)
def test_damage_raises_nothing_but_our_error(
    tmp_path_factory: pytest.TempPathFactory, kind: str, content: bytes, position: int, byte: int
) -> None:
    packed = bytearray(PACKERS[kind](tar({"a": content})))
    packed[position % len(packed)] = byte
    path = put(tmp_path_factory.mktemp("fuzz"), bytes(packed))
    for read in (archive.open_plain, lambda path: list(archive.iter_members(path, ["*"]))):
        try:
            read(path)
        except DataFormatError as error:
            assert "file" in str(error)


# ------------------------------------------------------------------------------------------------------------- tar

LONG = "folder/" + "n" * 140 + "/1.txt"


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("kind", PACKERS)
def test_members_are_those_of_tarfile_in_order_of_name(tmp_path: Path, kind: str, form: int) -> None:
    members = {"./b/2": b"two", "a/10": b"", "a/1": bytes(range(256)) * 5, LONG: b"long", "fünf/中": b"x" * 512}
    path = put(tmp_path, PACKERS[kind](tar(members, form)))
    expected = {name.removeprefix("./"): data for name, data in members.items()}
    assert list(archive.iter_members(path, ["*"])) == sorted(expected.items())


def test_only_members_of_the_patterns_are_given(tmp_path: Path) -> None:
    path = put(tmp_path, tar({"d/a.sgm": b"1", "d/b.SGM": b"2", "d/README": b"3"}))
    assert dict(archive.iter_members(path, ["*.sgm", "*/README"])) == {"d/a.sgm": b"1", "d/README": b"3"}
    assert list(archive.iter_members(path, ["*.txt"])) == []


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "a\\..\\x", "C:/x", "a/..", "a\nb", "./../x"])
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_name_that_leads_out_is_refused(tmp_path: Path, name: str, form: int) -> None:
    path = put(tmp_path, tar({name: b"evil"}, form))
    with pytest.raises(DataFormatError, match="refers to a file outside the archive"):
        archive.iter_members(path, ["nothing"])


@pytest.mark.parametrize("kind", ["SYMTYPE", "LNKTYPE", "CHRTYPE", "BLKTYPE", "FIFOTYPE", "GNUTYPE_SPARSE"])
def test_links_and_devices_are_refused(tmp_path: Path, kind: str) -> None:
    info = tarfile.TarInfo("member")
    info.type, info.linkname = getattr(tarfile, kind), "/etc/passwd"
    with pytest.raises(DataFormatError, match="'member' is a link, a device or the like"):
        archive.iter_members(put(tmp_path, special_tar(info)), ["*"])


@pytest.mark.parametrize(
    "headers", [{"GNU.sparse.major": "1", "GNU.sparse.realsize": "9" * 11}, {"size": "-5"}, {"size": "9" * 30}]
)
def test_a_size_beyond_the_archive_is_refused(tmp_path: Path, headers: dict[str, str]) -> None:
    info = tarfile.TarInfo("member")
    info.pax_headers = headers
    with pytest.raises(DataFormatError, match="truncated or damaged"):
        archive.iter_members(put(tmp_path, special_tar(info)), ["*"])


@pytest.mark.parametrize("kind", [b"0", b"L", b"x", b"g", b"S"])
def test_a_negative_size_ends_in_an_error_and_no_loop(tmp_path: Path, kind: bytes) -> None:
    header = bytearray(tar({"member": b""})[:512])
    header[124:136] = b"\xff" * 10 + (-512).to_bytes(2, "big", signed=True)
    header[156:157] = kind
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(DataFormatError):
        archive.iter_members(put(tmp_path, bytes(header) + bytes(1024)), ["*"])


def test_a_chain_of_long_names_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1
    link = info.tobuf(tarfile.GNU_FORMAT) + b"a".ljust(512, b"\0")
    with pytest.raises(DataFormatError, match="damaged"):
        archive.iter_members(put(tmp_path, link * 5000 + bytes(1024)), ["*"])


def test_a_member_that_stands_twice_is_refused(tmp_path: Path) -> None:
    first, second = tar({"a": b"1"}), tar({"./a": b"2"})
    path = put(tmp_path, first[: 2 * 512] + second)
    with pytest.raises(DataFormatError, match="'a' occurs twice"):
        archive.iter_members(path, ["*"])


@pytest.mark.parametrize("length", [0, 100, 512, 700, 2 * 512, 3 * 512 + 17])
def test_a_tar_cut_anywhere_is_refused(tmp_path: Path, length: int) -> None:
    whole = tar({"a": b"1" * 600, "b": b"2" * 600})
    with pytest.raises(DataFormatError, match="the tar archive is truncated or damaged"):
        archive.iter_members(put(tmp_path, whole[:length]), ["*"])


@pytest.mark.parametrize("offset", [0, 124, 130, 148, 300])
def test_a_damaged_header_is_no_silent_end(tmp_path: Path, offset: int) -> None:
    whole = bytearray(tar({"a": b"1", "b": b"2"}))
    whole[2 * 512 + offset] ^= 0x15
    with pytest.raises(DataFormatError, match="the tar archive is truncated or damaged"):
        archive.iter_members(put(tmp_path, bytes(whole)), ["*"])


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    path = put(tmp_path, tar({str(i): b"" for i in range(4)}))
    with pytest.raises(DataFormatError, match="more than 3 members"):
        archive.iter_members(path, ["nothing"])


def test_a_line_that_does_not_end_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_LINE", 2**20)
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb") as stream:
        for _ in range(64):
            stream.write(b"x" * 2**20)
    tracemalloc.start()
    with pytest.raises(DataFormatError, match=r"look for a missing line end|unpacks"):
        list(archive.iter_lines(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24
    plain = tmp_path / "long.csv"
    plain.write_bytes(b"short\n" + b"x" * 101 + b"\n")
    monkeypatch.setattr(archive, "MAX_LINE", 100)
    with pytest.raises(DataFormatError, match="line 2: is longer than 100 bytes"):
        list(archive.iter_lines(plain))
    monkeypatch.setattr(archive, "MAX_LINE", 102)
    assert len(list(archive.iter_lines(plain))) == 2


def test_the_limit_of_all_lines_binds_exactly(tmp_path: Path) -> None:
    text = b"a line\n" * 10
    path = put(tmp_path, gzip.compress(text))
    assert b"".join(archive.iter_lines(path, len(text))) == text
    with pytest.raises(DataFormatError, match="unpacks to more than"):
        list(archive.iter_lines(path, len(text) - 1))


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("text", [b"", b"a", b"ab", b"abc", b"abcd", b"a\nb", b"a\nbc"])
def test_a_file_is_said_to_end_a_line_where_its_last_byte_does(tmp_path: Path, kind: str, text: bytes) -> None:
    assert archive.ends_line(put(tmp_path, PACKERS[kind](text))) == (text == b"")
    assert archive.ends_line(put(tmp_path, PACKERS[kind](text + b"\n"), "ended"))


# ------------------------------------------------------------------------------------------------------------- zip


def make_zip(path: Path, members: dict[str, bytes] | list[tuple[str, bytes]], mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items() if isinstance(members, dict) else members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = mode << 16
            packed.writestr(info, data)
    return path


def test_a_member_of_a_wheel_is_read(tmp_path: Path) -> None:
    wheel = make_zip(tmp_path / "w.whl", {"p/data.tab": TEXT, "p/x": b""})
    assert archive.read_wheel(wheel, "p/data.tab", limit=len(TEXT)) == TEXT


@pytest.mark.parametrize(
    ("members", "wanted", "mode", "limit", "message"),
    [
        ({"a": b"1"}, "b", 0, 10, "has 0 members 'b'"),
        ({"../a": b"1"}, "../a", 0, 10, "outside the archive"),
        ({"a": b"/etc/passwd"}, "a", stat.S_IFLNK | 0o777, 99, "is a link or a folder"),
        ({"a": b"0123456789"}, "a", 0, 9, "unpacks to more than 9 bytes"),
        ({"a": bytes(30 * 2**20)}, "a", 0, 2**31, "unpacks to more than"),
        ({"d/a": b"12345", "d/b": b"12345"}, "d/*", 0, 9, "unpacks to more than"),
    ],
)
def test_a_bad_member_of_a_wheel_is_refused(
    tmp_path: Path, members: dict[str, bytes], wanted: str, mode: int, limit: int, message: str
) -> None:
    path = make_zip(tmp_path / "w.whl", members, mode)
    with pytest.raises(DataFormatError, match=f"w.whl: .*{message}"):
        archive.read_wheel(path, wanted, limit)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_member_that_stands_twice_is_refused(tmp_path: Path) -> None:
    make_zip(tmp_path / "w.whl", [("a", b"1"), ("a", b"2")])
    with pytest.raises(DataFormatError, match="has 2 members 'a'"):
        archive.read_wheel(tmp_path / "w.whl", "a", 99)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.97])
def test_a_damaged_zip_is_refused(tmp_path: Path, share: float) -> None:
    path = make_zip(tmp_path / "w.whl", {"a": bytes(range(256)) * 20})
    data = path.read_bytes()
    cut = int(len(data) * share)
    path.write_bytes(data[:cut] + bytes(20) + data[cut + 20 :])
    with pytest.raises(DataFormatError, match=r"w\.whl"):
        archive.read_wheel(path, "a", 2**20)


def test_members_of_a_pattern_become_one_tar_the_same_each_time(tmp_path: Path) -> None:
    members = {"p/data/b/2.txt": b"two", "p/data/a/1.txt": b"one", "p/code.py": b"no"}
    one, two = (
        archive.read_wheel(make_zip(tmp_path / name, content), "p/data/*/*.txt", 99)
        for name, content in (("one", members), ("two", dict(reversed(members.items()))))
    )
    assert one == two
    packed = list(archive.iter_members(put(tmp_path, one), ["*"]))
    assert packed == [("p/data/a/1.txt", b"one"), ("p/data/b/2.txt", b"two")]


def test_a_zip_of_many_files_is_read_as_a_tar_of_the_same_files(tmp_path: Path) -> None:
    members = {f"news/c{n % 3}/{n}.txt": b"text %d" % n for n in range(2001)}
    long = {"d/" + "long/" * 60 + "ü.txt": b"x"}
    packed = make_zip(tmp_path / "all.zip", {"news/": b"", **members, **long, "__MACOSX/news/._1.txt": b"no"})
    (tmp_path / "all.tar").write_bytes(tar({**members, **long}, tarfile.GNU_FORMAT))
    found = list(archive.iter_members(packed, ["*.txt"]))
    assert found == list(archive.iter_members(tmp_path / "all.tar", ["*.txt"])) and len(found) == 2002
    read = [
        message_folder.read({"data": tmp_path / name}, {"name": "made", "members": ["news/*"]})
        for name in ("all.zip", "all.tar")
    ]
    assert read[0].ids == read[1].ids and read[0].label_names == ["c0", "c1", "c2"]
    assert list(archive.iter_members(make_zip(tmp_path / "one.zip", {"a.tar": tar(members)}), ["*"])) == sorted(
        members.items()
    )


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("members", "mode", "message"),
    [
        ([("a", b"1"), ("../b", b"1")], 0, "outside the archive"),
        ([("a", b"1"), ("a", b"2")], 0, "occurs twice"),
        ([("a", b"/etc/passwd"), ("b", b"1")], stat.S_IFLNK | 0o777, "is a link or a folder"),
        ([("a", b"12345678"), ("b", b"12345678")], 0, "unpacks to more than"),
    ],
)
def test_a_hostile_zip_of_many_files_is_refused(
    tmp_path: Path, members: list[tuple[str, bytes]], mode: int, message: str
) -> None:
    path = make_zip(tmp_path / "w.zip", members, mode)
    with pytest.raises(DataFormatError, match=f"w.zip: .*{message}"):
        archive.iter_members(path, ["*"], limit=10)
