"""Stored results are whole, carry their digests, and say so when a hand has touched them."""

from __future__ import annotations

import os
import pickle
import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textmix.core import digests, io
from textmix.core.errors import IntegrityError, MissingResult

META = {"rule": "fit", "seed": 7}


def make_folder(path: Path) -> Path:
    """Seal a folder of two files, one of them in a folder of its own."""
    with io.new_folder(path, META) as target:
        io.save_arrays(target, numbers=np.arange(3))
        io.write_text(target / "deep/words.csv", "a,b\n1,2\n")
    return path


def make_file(path: Path) -> Path:
    """Write a one-file result."""
    io.write_result(path, "a,b\n1,2\n", META)
    return path


@pytest.fixture
def umask():
    """Let a test set the umask and put it back."""
    before = os.umask(0)
    os.umask(before)
    yield os.umask
    os.umask(before)


# --- atomic files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken_step", ["fsync", "replace", "chmod"])
def test_failed_write_leaves_the_old_content_and_nothing_else(tmp_path, monkeypatch, broken_step):
    path = tmp_path / "result.csv"
    io.write_text(path, "old")

    def fail(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken_step, fail)
    with pytest.raises(OSError, match="No space left"):
        io.write_text(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.csv"]


def test_data_are_on_disk_before_the_name_points_to_them(tmp_path, monkeypatch):
    order = []
    real_fsync, real_replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append("fsync"), real_fsync(handle)))
    monkeypatch.setattr(os, "replace", lambda old, new: (order.append("replace"), real_replace(old, new)))
    io.write_text(tmp_path / "a.csv", "x")
    assert order == ["fsync", "replace"]


@pytest.mark.parametrize(("mask", "file_mode", "folder_mode"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700)])
def test_umask_decides_who_may_read_results(tmp_path, umask, mask, file_mode, folder_mode):
    umask(mask)
    path, folder = make_file(tmp_path / "a.csv"), make_folder(tmp_path / "folder")
    files = [path, io.meta_path(path), folder / io.META, folder / "numbers.npy", folder / "deep/words.csv"]
    assert {file.name: oct(file.stat().st_mode & 0o777) for file in files} == {f.name: oct(file_mode) for f in files}
    assert oct(folder.stat().st_mode & 0o777) == oct(folder_mode)
    assert os.umask(mask) == mask, "the umask itself must not change"


# --- folders ----------------------------------------------------------------------------------------------------------


def test_failed_folder_leaves_the_old_result_and_nothing_else(tmp_path):
    folder = make_folder(tmp_path / "folder")
    before = io.result_digest(folder)
    with pytest.raises(RuntimeError, match="half way"), io.new_folder(folder, META) as target:
        io.save_arrays(target, numbers=np.arange(9))
        raise RuntimeError("half way")
    io.check_result(folder)
    assert io.result_digest(folder) == before
    assert os.listdir(tmp_path) == ["folder"]


def test_new_folder_replaces_the_older_result_as_a_whole(tmp_path):
    folder = make_folder(tmp_path / "folder")
    with io.new_folder(folder, META) as target:
        io.write_text(target / "only.txt", "x")
    assert sorted(path.name for path in folder.iterdir()) == [io.META, "only.txt"]
    assert io.check_result(folder)["files"].keys() == {"only.txt"}


def test_folder_appears_only_when_it_is_sealed(tmp_path):
    folder = tmp_path / "folder"
    with io.new_folder(folder, META) as target:
        io.write_text(target / "a.txt", "x")
        assert not folder.exists()
    assert io.check_result(folder)["rule"] == "fit"
    assert os.listdir(tmp_path) == ["folder"]


# --- records ----------------------------------------------------------------------------------------------------------


def test_untouched_results_pass_with_their_record(tmp_path):
    for path in (make_file(tmp_path / "a.csv"), make_folder(tmp_path / "folder")):
        record = io.check_result(path)
        assert {key: record[key] for key in META} == META
        assert io.changed_files(path) == []


@pytest.mark.parametrize(
    ("make", "touch", "named"),
    [
        (
            make_folder,
            lambda f: (f / "numbers.npy").write_bytes((f / "numbers.npy").read_bytes()[:-1] + b"\xff"),
            "numbers.npy",
        ),
        (make_folder, lambda f: (f / "numbers.npy").unlink(), "numbers.npy"),
        (make_folder, lambda f: (f / "note.txt").write_text("mine"), "note.txt"),
        (make_folder, lambda f: (f / "deep/words.csv").rename(f / "words.csv"), "deep/words.csv, words.csv"),
        (make_file, lambda f: f.write_text("a,b\n1,3\n"), "result"),
        (make_file, lambda f: f.unlink(), "result"),
        (make_file, lambda f: f.write_text(""), "result"),
    ],
)
def test_a_result_touched_by_hand_is_refused_with_the_files_name(tmp_path, make, touch, named):
    path = make(tmp_path / "result")
    touch(path)
    with pytest.raises(IntegrityError, match=f"result: {named} changed since it was made; delete the result"):
        io.check_result(path)


@pytest.mark.parametrize("make", [lambda p: make_file(p / "a.csv"), lambda p: make_folder(p / "folder")])
def test_missing_record_is_said(tmp_path, make):
    path = make(tmp_path)
    io.meta_path(path).unlink()
    with pytest.raises(
        IntegrityError, match=r"the record .*meta\.json is missing; name a result or a saved model, or run again"
    ):
        io.check_result(path)


@pytest.mark.parametrize("content", ["", "[]", '{"rule": "fit"}', '{"files": 3}', "\udcff", "[" * 100_000])
def test_damaged_record_is_an_integrity_error_not_a_crash(tmp_path, content):
    path = make_file(tmp_path / "a.csv")
    io.meta_path(path).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(IntegrityError, match="is damaged; run again"):
        io.check_result(path)


def test_digest_of_a_result_depends_on_its_files_only(tmp_path):
    io.write_result(tmp_path / "a/x.csv", "1\n", {"rule": "one"})
    io.write_result(tmp_path / "b/x.csv", "1\n", {"rule": "another"})
    io.write_result(tmp_path / "c/x.csv", "2\n", {"rule": "one"})
    a, b, c = (io.result_digest(tmp_path / name / "x.csv") for name in "abc")
    assert a == b != c
    io.write_text(tmp_path / "plain.yaml", "x: 1\n")
    assert io.result_digest(tmp_path / "plain.yaml") == digests.sha256_bytes(b"x: 1\n")


# --- missing results --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scores.csv", "folder"])
@pytest.mark.parametrize("broken", [True, False])
def test_missing_results_travel_with_reason_and_kind(tmp_path, name, broken):
    io.write_missing(tmp_path / name, MissingResult("the host was down; try again", broken), META)
    with pytest.raises(MissingResult) as caught:
        io.check_result(tmp_path / name)
    assert (caught.value.reason, caught.value.broken) == ("the host was down; try again", broken)
    assert io.read_meta(tmp_path / name)["rule"] == "fit"
    io.write_missing(tmp_path / "next.csv", caught.value, {})
    with pytest.raises(MissingResult, match="the host was down"):
        io.check_result(tmp_path / "next.csv")


@pytest.mark.parametrize("name", ["scores.csv", "folder"])
def test_missing_result_filled_by_hand_is_refused(tmp_path, name):
    path = tmp_path / name
    io.write_missing(path, MissingResult("not there"), META)
    (path / "numbers.npy" if name == "folder" else path).write_text("1\n")
    with pytest.raises(IntegrityError):
        io.check_result(path)


# --- arrays -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "array",
    [
        np.array([], dtype=np.int64),
        np.array([[1.5, np.nan], [-np.inf, 0.1]]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
    ids=["empty", "special values", "columns first"],
)
@pytest.mark.parametrize("mmap", [True, False])
def test_arrays_come_back_as_they_were(tmp_path, array, mmap):
    io.save_arrays(tmp_path, array=array)
    back = io.load_array(tmp_path, "array", mmap)
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def test_incomplete_write_of_an_array_is_reported_as_a_full_disk(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
    try:
        with pytest.raises(OSError) as caught:
            io.save_arrays(tmp_path, array=np.ones(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert io.is_full(caught.value)
    assert caught.value.filename == str(tmp_path / "array.npy")


def test_large_arrays_are_mapped_not_read(tmp_path):
    io.save_arrays(tmp_path, array=np.zeros(10_000))
    assert isinstance(io.load_array(tmp_path, "array"), np.memmap)
    assert not isinstance(io.load_array(tmp_path, "array", mmap=False), np.memmap)


def test_object_arrays_are_never_written(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle"):
        io.save_arrays(tmp_path, words=np.array(["a", None], dtype=object))


class Bomb:
    """Shows that it was unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was executed",))


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("padding", [0, 5000])
def test_object_arrays_and_pickles_are_never_read(tmp_path, mmap, padding):
    np.save(tmp_path / "words.npy", np.array([Bomb(), "x" * padding], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"allow_pickle|Python objects"):
        io.load_array(tmp_path, "words", mmap)
    (tmp_path / "raw.npy").write_bytes(pickle.dumps([Bomb(), "x" * padding]))
    with pytest.raises(ValueError, match=r"pickle|magic"):
        io.load_array(tmp_path, "raw", mmap)


# --- csv and json -----------------------------------------------------------------------------------------------------


def test_csv_bytes_are_stable():
    rows = [
        {"name": "a,b", "value": 0.1, "n": 3, "note": None},
        {"n": np.int64(2**40), "value": np.float64(1e-320), "name": 'say "x"', "note": "two\nlines"},
        {"name": "é", "value": np.float32(0.5), "n": np.bool_(True), "note": ""},
    ]
    expected = 'name,value,n,note\n"a,b",0.1,3,\n"say ""x""",1e-320,1099511627776,"two\nlines"\né,0.5,True,\n'
    assert io.format_csv(rows, ("name", "value", "n", "note")) == expected


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.text("ab,\"\n;'é "))))
@settings(deadline=None, derandomize=True, max_examples=50)
def test_csv_gives_every_number_and_word_back_exactly(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    io.write_text(path, io.format_csv([{"number": number, "word": word} for number, word in rows], ("number", "word")))
    back = [(float(row["number"]), row["word"]) for row in io.read_csv(path)]
    assert [(number.hex(), word) for number, word in back] == [(number.hex(), word) for number, word in rows]


def test_json_text_depends_on_the_value_only(tmp_path):
    assert io.canonical_json({"b": 1, "a": [1, 2.5, "é"]}) == io.canonical_json({"a": [1, 2.5, "é"], "b": 1})
    io.write_json(tmp_path / "a.json", {"b": None, "a": "é"})
    assert (tmp_path / "a.json").read_bytes() == '{\n "a": "é",\n "b": null\n}\n'.encode()
    assert io.read_json(tmp_path / "a.json") == {"a": "é", "b": None}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_json_refuses_what_is_no_json(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        io.canonical_json({"x": value})


def test_a_result_copied_over_another_is_refused_although_its_digests_fit(tmp_path):
    for name in ("a", "b"):
        with io.new_folder(tmp_path / f"predictions/{name}", {}) as folder:
            io.write_text(folder / "fits.csv", name)
    shutil.rmtree(tmp_path / "predictions/b")
    shutil.copytree(tmp_path / "predictions/a", tmp_path / "predictions/b")
    with pytest.raises(IntegrityError, match=r"predictions/b: is a copy of .*predictions/a; delete it and run again"):
        io.check_result(tmp_path / "predictions/b")
    assert io.check_result(tmp_path / "predictions/b", anywhere=True)


def test_what_a_killed_job_left_of_a_result_goes_with_the_next_writing(tmp_path):
    (tmp_path / ".a.csv.xyz.tmp").write_text("half")
    (tmp_path / ".b.xyz.tmp").mkdir()
    (tmp_path / ".other.csv.xyz.tmp").write_text("of another result")
    io.write_result(tmp_path / "a.csv", "x\n", {})
    with io.new_folder(tmp_path / "b", {}):
        pass
    assert sorted(path.name for path in tmp_path.glob(".*")) == [".other.csv.xyz.tmp"]


def test_one_file_of_a_folder_is_checked_against_its_record(tmp_path):
    with io.new_folder(tmp_path / "a", {}) as folder:
        io.write_text(folder / "fits.csv", "x\n")
    io.check_file(tmp_path / "a/fits.csv")
    (tmp_path / "a/fits.csv").write_text("y\n")
    with pytest.raises(IntegrityError, match=r"fits\.csv: changed since it was made"):
        io.check_file(tmp_path / "a/fits.csv")


def test_a_json_key_that_stands_twice_is_refused(tmp_path):
    (tmp_path / "a.json").write_text('{"a": 1, "b": {"c": 1, "c": 2}}')
    with pytest.raises(ValueError, match="duplicate key 'c'"):
        io.read_json(tmp_path / "a.json")


# --- one place that opens an output -----------------------------------------------------------------------------------


def test_what_is_no_file_is_written_through(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with io.replacing(tmp_path / "pipe") as stream:
        stream.write(b"rows")
    assert os.read(reader, 9) == b"rows"
    os.close(reader)
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for content in (b"new", b"newer"):  # of a link to nothing, and to a file
        with io.replacing(tmp_path / "link") as stream:
            stream.write(content)
        assert (tmp_path / "file").read_bytes() == content
    assert (tmp_path / "link").is_symlink()
    with pytest.raises(IsADirectoryError), io.replacing(tmp_path):
        pass


def test_a_folder_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    make_folder(tmp_path / "there/result")
    (tmp_path / "result").symlink_to("there/result")
    make_folder(tmp_path / "result")
    assert (tmp_path / "result").is_symlink()
    assert io.check_result(tmp_path / "result")["seed"] == 7
