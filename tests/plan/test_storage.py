"""All parts of a result travel with it, and the plan knows results by the same names wherever they lie."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_storage_plugins.io import Mtime

from reproduction.plan.storage import Bucket, Here, storage_of
from textmix.core import io
from textmix.core.errors import ConfigError, MissingResult

RESULT, FOLDER, FETCHED = "results/scores/a.csv", "results/splits/b", "resources/c/fetch.json"


class Object:
    """An object of a store that is the folder ``store``, as Snakemake's plugins have them."""

    def __init__(self, query: str) -> None:
        self.query, self.provider = query, PROVIDER
        self._local: Path | None = None

    @property
    def _there(self) -> Path:
        return Path("store") / self.query.partition("://")[2]

    def local_suffix(self) -> str:
        return self.query.partition("://")[2]

    def local_path(self) -> Path:
        return self._local or Path(".snakemake/storage/s3") / self.local_suffix()

    def set_local_path(self, path: Path) -> None:
        self._local = path

    def exists(self) -> bool:
        return self._there.exists()

    def store_object(self) -> None:
        _copy(self.local_path(), self._there)

    def retrieve_object(self) -> None:
        _copy(self._there, self.local_path())

    def remove(self) -> None:
        _delete(self._there)

    async def inventory(self, cache: Any) -> None:
        for path in filter(Path.is_file, Path("store").rglob("*")):
            place = Path(".snakemake/storage/s3") / path.relative_to("store")
            cache.mtime[str(place)] = Mtime(storage=path.stat().st_mtime)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a folder."""
    target.parent.mkdir(parents=True, exist_ok=True)
    (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)


def _delete(path: Path) -> None:
    """Delete a file or a folder."""
    (shutil.rmtree if path.is_dir() else Path.unlink)(path)


PROVIDER = SimpleNamespace()


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """A bucket with a result in a file, a result in a folder, and a fetched data set; no copy is left here."""
    monkeypatch.chdir(tmp_path)
    PROVIDER.get_storage_object_cls = lambda: Object

    def made_of(query: str) -> Any:
        """Return the object of the class that the provider names now."""
        return PROVIDER.get_storage_object_cls()(query)

    PROVIDER.object = made_of
    made = Bucket(PROVIDER, "s3://bucket/run/")
    here = Path(made.folder)
    io.write_result(here / RESULT, "x\n", {})
    io.write_missing(here / FOLDER, MissingResult("none"), {})
    io.write_text(here / FETCHED, '{"files": {"all": {"name": "raw.txt"}}}')
    io.write_text(here / "resources/c/raw.txt", "raw")
    io.write_text(here / "resources/c/other.txt", "not fetched")
    for name in (RESULT, FOLDER, FETCHED):
        made.provider.object(f"s3://bucket/run/{name}").store_object()
    shutil.rmtree(here)
    return made


def stored() -> set[str]:
    """Return the names of the files in the bucket."""
    return {path.relative_to("store/bucket/run").as_posix() for path in Path("store").rglob("*") if path.is_file()}


def test_records_and_raw_files_travel_with_what_they_belong_to(bucket: Bucket) -> None:
    sides = {f"{RESULT}.meta.json", "resources/c/raw.txt"}
    assert stored() == {RESULT, f"{FOLDER}/meta.json", FETCHED} | sides
    for name in (RESULT, FOLDER, FETCHED):
        bucket.provider.object(f"s3://bucket/run/{name}").retrieve_object()
    here = Path(bucket.folder)
    assert io.check_result(here / RESULT)
    assert (here / "resources/c/raw.txt").read_text(encoding="utf-8") == "raw"
    with pytest.raises(MissingResult):
        io.check_result(here / FOLDER)


def test_the_plan_reads_records_alone(bucket: Bucket) -> None:
    assert bucket.place(RESULT).read_bytes() == b""
    assert io.read_meta(bucket.place(RESULT))["files"] and io.read_meta(bucket.place(FOLDER))["missing"]
    assert io.read_json(bucket.place(FETCHED))["files"]
    assert bucket.place("config/config.yaml") == Path("config/config.yaml")
    assert [bucket.name(path) for path in (f"{bucket.folder}/{RESULT}", bucket.place(RESULT), "a.csv")] == [
        *(RESULT, RESULT, "a.csv")
    ]
    assert bucket.at_hand(RESULT).read_text(encoding="utf-8") == "x\n"


def test_a_deleted_result_leaves_no_record(bucket: Bucket) -> None:
    assert bucket.place(RESULT).exists()
    bucket.delete(RESULT)
    assert not {RESULT, f"{RESULT}.meta.json"} & stored()
    assert not bucket.place(RESULT).exists()


def test_a_storage_whose_records_cannot_be_listed_is_refused() -> None:
    settings = SimpleNamespace(default_storage_provider="fs", default_storage_prefix="x")
    with pytest.raises(ConfigError, match="--default-storage-provider fs: "):
        storage_of(SimpleNamespace(storage_settings=settings))
    settings.default_storage_provider = None
    assert type(storage_of(SimpleNamespace(storage_settings=settings))) is Here
