"""Where the results of a run lie: below its folder, or in a bucket that Snakemake copies from and to.

With ``--default-storage-provider s3`` Snakemake puts each declared output into the bucket and fetches each declared
input.  A result is more than its path: the record beside it belongs to it, and the raw files beside the record of a
fetch.  `carry` makes these travel with it, whatever rule names it.  A job works in the folder of the copies, so that
its results and their records are those of a run without a bucket to the byte.  The plan reads the records alone, from
`Bucket.records`.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from reproduction.flow.folders import RESOURCES, RESULTS
from reproduction.plan.snakemake_private import RECORDS
from textmix.core import io
from textmix.core.errors import ConfigError
from textmix.data.registry import RECORD


class Here:
    """Results below the folder in which the workflow runs."""

    #: Folder in which jobs work, from the one in which the workflow runs.
    folder = ""

    def name(self, path: str | Path) -> str:
        """Return the path by which records and plan know a file that Snakemake names."""
        return str(path)

    def place(self, name: str | Path) -> Path:
        """Return where the plan reads the record of a file."""
        return Path(name)

    def at_hand(self, name: str) -> Path:
        """Return the place of a whole result that the plan itself reads."""
        return self.place(name)

    def delete(self, name: str) -> None:
        """Delete a result and its record."""
        io.delete_result(name)

    def look_again(self) -> None:
        """Forget what the plan knew of the results, since jobs have made some."""

    def check_folder(self) -> None:
        """Check that results lie in a folder through which a target can look.

        Raises
        ------
        ConfigError : they lie in a bucket.
        """


class Bucket(Here):
    """Results in the default storage of a run.

    Parameters
    ----------
    provider : Snakemake's object of the storage.
    prefix : of the names of all objects, with a slash at its end.
    plans : whether this process plans the run; one that makes a job of it needs no records of results.
    """

    def __init__(self, provider: Any, prefix: str, *, plans: bool = True) -> None:
        self.provider, self.prefix, self.plans = provider, prefix, plans
        carry(provider)
        results = self._object(RESULTS)
        self.folder = str(results.local_path().parent)
        #: The records of the results in the bucket, each beside an empty file in place of its result.
        self.records = (RECORDS / results.local_suffix()).parent
        self._looked = set[Path]()

    def _object(self, name: str | Path) -> Any:
        """Return Snakemake's object of a file in the bucket."""
        return self.provider.object(f"{self.prefix}{Path(name).as_posix()}")

    def name(self, path: str | Path) -> str:
        """Return the path by which records and plan know a file that Snakemake names."""
        for folder in (self.folder, self.records):
            if Path(path).is_relative_to(folder):
                return Path(path).relative_to(folder).as_posix()
        return str(path)

    def place(self, name: str | Path) -> Path:
        """Return where the plan reads the record of a file, after a look into the bucket."""
        for folder in (RESULTS, RESOURCES):
            if Path(name).is_relative_to(folder):
                if self.plans or folder == RESOURCES:
                    self._look(folder)
                return self.records / name
        return Path(name)

    def at_hand(self, name: str) -> Path:
        """Return the place of a copy of a whole result."""
        self._fetch(name)
        return self.records / name

    def delete(self, name: str) -> None:
        """Delete a result and its record from the bucket."""
        self._object(name).remove()
        self.look_again()

    def look_again(self) -> None:
        """Forget what the plan knew of the results, since jobs have made some."""
        self._looked.clear()

    def check_folder(self) -> None:
        """End with the remedy: the targets that look through a folder have none here."""
        raise ConfigError(
            f"this target looks through results/, and the results lie in {self.prefix}: copy what is below it into "
            "this folder and leave out --default-storage-provider"
        )

    def _fetch(self, name: str) -> None:
        """Copy one object, without what travels with it, to the records."""
        one = self._object(name)
        one.set_local_path(self.records / name)
        one.local_path().parent.mkdir(parents=True, exist_ok=True)
        one.retrieve_alone()

    def _look(self, below: Path) -> None:
        """Make the records below a folder those of the bucket, once."""
        if below in self._looked:
            return
        self._looked.add(below)
        times = self._listed(below)
        for path in [path for path in (self.records / below).rglob("*") if path.is_file()]:
            if self.name(path) not in times:
                path.unlink(missing_ok=True)
        for name in filter(lambda name: _is_read(name, times), times):
            path = self.records / name
            if not path.is_file() or path.stat().st_mtime != times[name]:
                self._fetch(name)
                os.utime(path, (times[name], times[name]))
        for name in times:
            if f"{name}.{io.META}" in times:
                (self.records / name).touch()

    def _listed(self, below: Path) -> dict[str, float]:
        """Return name -> time of each object of the bucket below a folder."""
        found = SimpleNamespace(exists_in_storage={}, mtime={}, size={})
        # Snakemake asks for parameters within its own loop of events, so that this one needs a thread.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, self._object(below / "any").inventory(found)).result()
        names = {self.name(path): time.storage() for path, time in found.mtime.items()}
        return {name: time for name, time in names.items() if Path(name).is_relative_to(below)}


def _is_read(name: str, listed: dict[str, float]) -> bool:
    """Return whether the plan reads the content of a file: of a record, and of a file that has none."""
    path = Path(name)
    if path.is_relative_to(RESOURCES):
        return path.name == RECORD
    in_folder = any((parent / io.META).as_posix() in listed for parent in path.parents)
    return name.endswith(io.META) or not (in_folder or f"{name}.{io.META}" in listed)


def carry(provider: Any) -> None:
    """Make what belongs to a result travel with it between the bucket and the folder of the copies."""
    carried = _carried(provider.get_storage_object_cls())
    provider.get_storage_object_cls = lambda: carried


@functools.cache
def _carried(plain: Any) -> Any:
    """Return a class of Snakemake's objects of files in a bucket that also handle what belongs to a result."""

    class Carried(plain):  # type: ignore[misc] # the plugin's class, known when it runs
        """A file or folder in a bucket, with what belongs to it."""

        def local_suffix(self) -> str:
            """Return the path of the copy; the plugin gives it as it was before a rule bounded its wildcards."""
            suffix: str = self.query.partition("://")[2]
            return suffix

        def retrieve_alone(self) -> None:
            """Copy the file from the bucket."""
            super().retrieve_object()

        def retrieve_object(self) -> None:
            """Copy file or folder, and what belongs to it, from the bucket, in place of an older copy."""
            io.delete_result(self.local_path())
            super().retrieve_object()
            for other in self.beside():
                if other.exists():
                    other.retrieve_alone()

        def store_object(self) -> None:
            """Copy file or folder, and what belongs to it, into the bucket."""
            super().store_object()
            for other in self.beside():
                if other.local_path().is_file():
                    super(Carried, other).store_object()

        def remove(self) -> None:
            """Delete file or folder from the bucket, the record before its result."""
            record = self.provider.object(f"{self.query}.{io.META}")
            if record.exists():
                super(Carried, record).remove()
            super().remove()

        def beside(self) -> Iterator[Any]:
            """Yield the objects of the files that belong to this one, whose copy is there."""
            folder = self.query.rpartition("/")[0]
            for name in _names_beside(self.local_path()):
                yield self.provider.object(f"{folder}/{name}")

    return Carried


def _names_beside(path: Path) -> list[str]:
    """Return the names of the files beside a file that belong to it; a folder holds its record."""
    if path.name == RECORD:
        return [file["name"] for file in io.read_json(path).get("files", {}).values()]
    return [] if path.is_dir() or path.name.endswith(io.META) else [io.meta_path(path).name]


def storage_of(workflow: Any) -> Here:
    """Return where the results of Snakemake's ``workflow`` lie.

    Raises
    ------
    ConfigError : the storage is not of a kind whose records the plan can list.
    """
    settings = workflow.storage_settings
    if settings.default_storage_provider is None:
        return Here()
    if settings.default_storage_provider != "s3":
        raise ConfigError(
            f"--default-storage-provider {settings.default_storage_provider}: results lie in a folder or in a bucket; "
            "leave it out or name s3"
        )
    prefix = (settings.default_storage_prefix or "").rstrip("/")
    provider = workflow.storage_registry.default_storage_provider
    return Bucket(provider, f"{prefix}/", plans=workflow.is_main_process)
