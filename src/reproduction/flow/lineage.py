"""Where a rebuilt value comes from: the results that it was read from, and digests of their data, settings and code.

The digests come from the records beside the results.  Two values with the same digests were rebuilt from the same
content by the same code, on whatever machine and in whatever folder.
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

#: Folders of results whose numbers are measured times, which no other run repeats.
TIMED = "results/timings/"
#: Ending of the names of measures whose numbers are measured times.
TIMED_MEASURE = "_time"
#: Folder of the parsed data sets.
DATA = "results/datasets/"


@dataclass(frozen=True)
class Origin:
    """The origin of one rebuilt value.

    ``data``, ``settings`` (splits by their content) and ``code`` are digests of those of all jobs behind it, empty
    where there are none; ``results`` are the paths that it was read from, joined by blanks.
    """

    id: str
    data: str
    settings: str
    code: str
    results: str

    @property
    def timed(self) -> bool:
        """Whether a measured time is behind the value."""
        return any(path.startswith(TIMED) or path.endswith(TIMED_MEASURE) for path in self.results.split())


#: Columns of the file ``origins`` of the stage ``compare``.
ORIGIN_COLUMNS = tuple(field.name for field in fields(Origin))


#: Path -> digest of data sets, path -> digest of settings, and (module, digest) of code behind some results.
_Ancestry = tuple[dict[str, str], dict[str, str], set[tuple[str, str]]]


class Ancestors:
    """The origins of the results in a run's folder, read from the records.  ``inputs`` maps path -> digest of the
    results whose records may be read; any other stands for itself by its digest.
    """

    def __init__(self, run: Path, inputs: Mapping[str, str]) -> None:
        self.run, self.inputs = run, inputs
        self._behind = functools.cache(self._behind_one)

    def origin(self, name: str, results: Iterable[str]) -> Origin:
        """Return the origin of a value, named ``name``, that was read from some results."""
        paths = [path for path in results if path in self.inputs]
        data, settings, code = _joined(self._behind(path, self.inputs[path]) for path in paths)
        digests = _short(sorted(set(data.values()))), _short(sorted(settings.items())), _short(sorted(code))
        return Origin(name, *digests, " ".join(paths))

    def _behind_one(self, path: str, digest: str) -> _Ancestry:
        """Return what is behind the result at a path that had a digest when it was read."""
        record = io.read_meta(self.run / path) if path in self.inputs else {}
        code = set(record.get("code", {}).items())
        if path.startswith(DATA):
            return {path: digest}, {}, code
        if not record:
            return {}, {path: digest}, code
        data, settings, earlier = _joined(self._behind(name, value) for name, value in record.get("inputs", {}).items())
        return data, settings | {path: _short(record.get("settings", {}))}, earlier | code


def _joined(parts: Iterable[_Ancestry]) -> _Ancestry:
    data, settings, code = dict[str, str](), dict[str, str](), set[tuple[str, str]]()
    for its_data, its_settings, its_code in parts:
        data |= its_data
        settings |= its_settings
        code |= its_code
    return data, settings, code


def _short(value: Any) -> str:
    """Return a short digest of a value; empty for an empty one."""
    return digest_of(value)[:SHORT] if value else ""


def read_origins(path: Path) -> dict[str, Origin]:
    """Return the rows of an ``origins.csv`` by the ids of the published rows."""
    return {row["id"]: Origin(**row) for row in io.read_csv(path)}
