"""Provenance of reproduced values: the results they were read from, and digests of their data, settings and code.

The digests come from the records of the results.  Two values with equal digests were reproduced from the same content
with the same code, regardless of machine and folder.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from reproduction.flow.code_digests import SHORT
from textmix.core import io
from textmix.core.digests import digest_of

#: Folders of results that contain measured times, which are not reproducible.
TIMED = "results/timings/"
#: Suffix of the names of measures that contain measured times.
TIMED_MEASURE = "_time"
#: Folder of the parsed data sets.
DATA = "results/datasets/"


@dataclass(frozen=True)
class Origin:
    """Provenance of one reproduced value.

    Parameters
    ----------
    id : str
        Id of the published row.
    data, settings, code : str
        Digests over all jobs that contribute to the value, "" if not applicable; splits count by their content.
    results : str
        Paths of the results that the value was read from, joined by spaces.
    """

    id: str
    data: str
    settings: str
    code: str
    results: str

    @property
    def timed(self) -> bool:
        """Whether the value depends on a measured time."""
        return any(path.startswith(TIMED) or path.endswith(TIMED_MEASURE) for path in self.results.split())


#: Columns of the output ``origins`` of the rule ``compare``.
ORIGIN_COLUMNS = tuple(field.name for field in fields(Origin))


#: Path -> digest of data sets, path -> digest of settings, and (module, digest) of the code of some results.
_Ancestry = tuple[dict[str, str], dict[str, str], set[tuple[str, str]]]


class Ancestors:
    """Provenance of the results of a run, read from their records.

    Parameters
    ----------
    run : Path
        Folder of the run.
    inputs : mapping
        Path -> digest of results with readable records; any other result is represented by its own digest.
    """

    def __init__(self, run: Path, inputs: Mapping[str, str]) -> None:
        self.run, self.inputs = run, inputs
        self._behind = functools.cache(self._behind_one)

    def origin(self, name: str, results: Iterable[str]) -> Origin:
        """Return the provenance of the value ``name`` that was read from some results."""
        paths = [path for path in results if path in self.inputs]
        data, settings, code = _joined(self._behind(path, self.inputs[path]) for path in paths)
        digests = _short(sorted(set(data.values()))), _short(sorted(settings.items())), _short(sorted(code))
        return Origin(name, *digests, " ".join(paths))

    def _behind_one(self, path: str, digest: str) -> _Ancestry:
        """Collect the ancestry of the result at a path with the digest that it had when it was read."""
        record = io.read_meta(self.run / path) if path in self.inputs else {}
        code = set(record.get("code", {}).items())
        if path.startswith(DATA):
            return {path: digest}, {}, code
        if not record:
            return {}, {path: digest}, code
        inputs = record.get("inputs", {})
        data, settings, earlier = _joined(self._behind(name, value) for name, value in inputs.items())
        return data, settings | {path: _short(record.get("settings", {}))}, earlier | code


def _joined(ancestries: Iterable[_Ancestry]) -> _Ancestry:
    data: dict[str, str] = {}
    settings: dict[str, str] = {}
    code: set[tuple[str, str]] = set()
    for its_data, its_settings, its_code in ancestries:
        data |= its_data
        settings |= its_settings
        code |= its_code
    return data, settings, code


def _short(value: Any) -> str:
    """Return a short digest of a value; "" for an empty value."""
    return digest_of(value)[:SHORT] if value else ""


def read_origins(path: Path) -> dict[str, Origin]:
    """Return published row id -> origin from an ``origins.csv``."""
    return {row["id"]: Origin(**row) for row in io.read_csv(path)}
