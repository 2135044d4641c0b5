"""Packs: what holds today is taken, the rest is named, and a damaged, forged or hostile pack is refused whole."""

from __future__ import annotations

import gzip
import io as streams
import tarfile
from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path

import pytest

from reproduction.flow.recipe import Recipe
from reproduction.job import pack as packing
from reproduction.job.pack import PackedJob, take_pack, write_pack
from textmix.core import io
from textmix.core.digests import sha256_file
from textmix.core.errors import IntegrityError

FIT, SCORE, SPLIT = "results/predictions/fit", "results/scores/fit.csv", "results/splits/s.csv"
BENCHMARK = "results/benchmarks/fit/fit.tsv"


def jobs(code: str = "1") -> list[PackedJob]:
    """Return a fit and its score."""
    fit = Recipe("fit", {"method": "fit"}, {"seed": 1}, {"model": code}, {"numpy": "2"})
    score = Recipe("score", {"method": "fit"}, {"metrics": ["accuracy"]}, {"metric": "1"}, {"numpy": "2"})
    return [PackedJob((FIT,), BENCHMARK, fit, (SPLIT,)), PackedJob((SCORE,), "none", score, (FIT, SPLIT))]


def data(run: Path, split: str = "s") -> Path:
    """Write the results on which the fit rests."""
    run.mkdir(exist_ok=True)
    with chdir(run):
        io.write_result(SPLIT, split, {"inputs": {}})
    return run


def made(run: Path) -> Path:
    """Write the results of a run."""
    fit, score = jobs()
    data(run)
    with chdir(run):
        with io.new_folder(FIT, fit.recipe.record({SPLIT: io.result_digest(SPLIT)})) as folder:
            io.write_text(folder / "labels.csv", "a\nb\n")
        io.write_text(BENCHMARK, "s\n1.5\n")
        inputs = {path: io.result_digest(path) for path in (FIT, SPLIT)}
        io.write_result(SCORE, "0.8\n", score.recipe.record(inputs))
    return run


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """Return the pack of a run."""
    target = tmp_path / "results.tar.gz"
    count, sha256 = write_pack(target, made(tmp_path / "maker"), jobs())
    assert (count, sha256) == (2, sha256_file(target))
    return target


def left(run: Path) -> set[str]:
    """Return the files of a run, beside those of its data."""
    files = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}
    return {name for name in files if not name.startswith("results/splits/")}


def test_results_of_the_same_digests_are_taken_with_their_records(packed: Path, tmp_path: Path) -> None:
    run = data(tmp_path / "taker")
    assert take_pack(packed, sha256_file(packed), run, jobs()) == ([FIT, SCORE], {})
    assert left(run) == left(tmp_path / "maker")
    for path in (FIT, SCORE):
        io.check_result(run / path)
    assert take_pack(packed, sha256_file(packed), run, jobs())[1] == {FIT: "here already", SCORE: "here already"}


def test_the_same_results_give_the_same_pack(packed: Path, tmp_path: Path) -> None:
    write_pack(tmp_path / "again.tar.gz", made(tmp_path / "other folder"), jobs())
    assert (tmp_path / "again.tar.gz").read_bytes() == packed.read_bytes()


def test_what_rests_on_other_data_or_code_is_left_and_named(packed: Path, tmp_path: Path) -> None:
    other = data(tmp_path / "taker", "another split")
    taken, rest = take_pack(packed, sha256_file(packed), other, jobs())
    assert (taken, rest[FIT]) == ([], f"content of {SPLIT}")
    assert left(other) == set()
    taken, rest = take_pack(packed, sha256_file(packed), data(tmp_path / "newer"), jobs(code="2"))
    assert (taken, rest[FIT]) == ([], "code of model")
    assert rest[SCORE].startswith("content of ")


def test_a_stale_result_is_not_packed(tmp_path: Path) -> None:
    run = made(tmp_path / "maker")
    data(run, "another split")
    with pytest.raises(IntegrityError, match="holds no fit, score or measure"):
        write_pack(tmp_path / "p.tar.gz", run, jobs())


def refuse(pack: Path, run: Path, match: str, sha256: str = "") -> None:
    """Expect that a pack is refused and that nothing of it is left."""
    with pytest.raises(IntegrityError, match=match):
        take_pack(pack, sha256 or sha256_file(pack), run, jobs())
    assert left(run) == set()
    assert not any(path.name.startswith(".pack") for path in run.rglob("*"))


def test_a_pack_of_another_digest_is_refused(packed: Path, tmp_path: Path) -> None:
    refuse(packed, data(tmp_path / "taker"), "does not have the sha256", "0" * 64)
    refuse(tmp_path / "none", data(tmp_path / "taker"), "there is no such pack", "0" * 64)


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9])
def test_a_pack_that_was_cut_is_refused(packed: Path, tmp_path: Path, keep: float) -> None:
    whole = packed.read_bytes()
    packed.write_bytes(whole[: int(keep * len(whole))])
    refuse(packed, data(tmp_path / "taker"), "damaged or hostile")


def test_a_pack_with_a_changed_file_is_refused(packed: Path, tmp_path: Path) -> None:
    changed = gzip.decompress(packed.read_bytes()).replace(b"a\nb\n", b"a\na\n")
    packed.write_bytes(gzip.compress(changed))
    refuse(packed, data(tmp_path / "taker"), r"labels\.csv changed")


def archive(path: Path, members: Iterable[tarfile.TarInfo]) -> Path:
    """Write an archive of members, each with as many zeros as it says."""
    with tarfile.open(path, "w:gz") as target:
        for member in members:
            target.addfile(member, streams.BytesIO(bytes(member.size)) if member.isreg() else None)
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
    """Return one member of an archive."""
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.size = kind, link, size
    return found


@pytest.mark.parametrize(
    "hostile",
    [
        [member("results/../../escaped")],
        [member("/tmp/escaped")],
        [member("escaped")],
        [member("results/link", tarfile.SYMTYPE, "/etc")],
        [member("results/link", tarfile.SYMTYPE, ".."), member("results/link/escaped")],
        [member("results/hard", tarfile.LNKTYPE, "/etc/passwd")],
        [member("results/pipe", tarfile.FIFOTYPE)],
        [member("results/device", tarfile.CHRTYPE)],
        [member("results/twice"), member("results/twice")],
        [member("results/dir", tarfile.DIRTYPE)],
    ],
    ids=lambda members: f"{members[0].name}-{members[0].type.decode()}",
)
def test_a_hostile_member_is_refused(hostile: list[tarfile.TarInfo], tmp_path: Path) -> None:
    refuse(archive(tmp_path / "p.tar.gz", hostile), data(tmp_path / "taker"), "damaged or hostile")
    assert not (tmp_path / "escaped").exists() and not Path("/tmp/escaped").exists()


def test_a_pack_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MAX_BYTES", 10_000)
    big = archive(tmp_path / "p.tar.gz", [member("results/a", size=6000), member("results/b", size=6000)])
    refuse(big, data(tmp_path / "taker"), "unpacks to more")
    monkeypatch.setattr(packing, "MAX_FILES", 3)
    many = archive(tmp_path / "q.tar.gz", [member(f"results/{place}") for place in range(4)])
    refuse(many, data(tmp_path / "taker"), "unpacks to more")


def test_a_header_of_great_length_is_refused_before_it_is_read(tmp_path: Path) -> None:
    name = member("results/a")
    name.pax_headers = {"comment": "x" * (2 * packing.MAX_HEADER)}
    with tarfile.open(tmp_path / "p.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as target:
        target.addfile(name)
    refuse(tmp_path / "p.tar.gz", data(tmp_path / "taker"), "a header of it is too long")
