"""The command ``textmix compare``: from a table of texts to a page and a model, within a time."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from textmix.compare.comparison import (
    Result,
    Settings,
    checked_seconds,
    checked_workers,
    run,
    score_words,
    too_soon,
)
from textmix.compare.terminal import LiveTable
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.data.user_data import read_folder
from textmix.data.user_table import read_table

#: Options that say which documents are for the test, and those of them that name a column.
SPLITS, COLUMNS = ("parts", "groups", "dates", "test"), ("parts", "groups", "dates")


class Asked(NamedTuple):
    """The options that the user asks for; see ``textmix compare --help``."""

    file: str
    time: str | None = "60"
    metric: str | None = None
    text: str | None = None
    labels: str | None = None
    separator: str | None = None
    further: str | None = None
    parts: str | None = None
    groups: str | None = None
    dates: str | None = None
    test: str | None = None
    encoding: str | None = None
    keep: str | None = None
    workers: int | None = None
    seed: int = 0
    never_empty: bool = False
    encoder: str | None = None
    quiet: bool = False


def compare_file(asked: Asked, began: float) -> list[str]:
    """Compare methods on a table or a folder of texts; return the three lines of the end.  ``began`` is of the
    monotonic clock.  ConfigError if an option is wrong, a column is not found, or the user or the time ended it before
    a model was there.
    """
    path = Path(asked.file)
    for name in (asked.file, asked.test):
        if name is not None and not Path(name).exists():
            raise ConfigError(f"{name}: there is no such file; name a table or a folder of texts")
    splits = [name for name in SPLITS if getattr(asked, name) is not None]
    if len(splits) > 1:
        raise ConfigError(f"--{splits[0]} and --{splits[1]} both say which documents are for the test; give one")
    of_table = next(iter(splits or (["further"] if asked.further is not None else [])), None)
    if of_table and path.is_dir():
        raise ConfigError(f"--{of_table}: goes with a table, not with a folder; leave it out")
    if asked.separator == "":
        raise ConfigError("--separator: is empty; give the text between two labels, such as ';'")
    seconds = None if asked.time in (None, "all") else checked_seconds(asked.time)
    workers = checked_workers(asked.workers)
    if asked.encoder:
        from textmix.text.encoder import allow

        allow(asked.encoder)
    table = LiveTable(path.name, sys.stderr if sys.stderr.isatty() and not asked.quiet else None)
    folder = folder_of(asked)
    try:
        corpus, task, about = read_asked(path, asked)
        options = (seconds, asked.metric, workers, asked.seed, asked.never_empty, asked.encoder or "")
        settings = Settings(*options, title=_stem(path), source=path.name, about=about, began=began)
        result = run(corpus, task, folder, settings, table)
    except KeyboardInterrupt as error:
        spent = time.monotonic() - began
        if not table.scored:
            raise too_soon(spent, interrupted=True) from error
        what = f"interrupted after {spent:.0f} s, while the choice was tested and its model fitted"
        raise ConfigError(f"{what}; {folder} holds what was known, and may lack the model and the page") from error
    finally:
        table.close()
    return last_lines(result, asked)


def folder_of(asked: Asked) -> Path:
    """Return the folder of page, tables and model."""
    return Path(asked.keep) if asked.keep else Path(f"{_stem(Path(asked.file))}-compared")


def last_lines(result: Result, asked: Asked) -> list[str]:
    """Return the lines at the end of a comparison: the method, its score with interval, the command for new texts."""
    encoded = any(part.view == "encoder" for part in result.chosen.parts)
    encoder = f" --encoder {quote(str(asked.encoder))}" if encoded else ""
    ahead = result.chosen.evidence
    beside = "the pipeline by hand" if ahead is None else f"{ahead.value:+.3f} over the pipeline by hand"
    early = " (ended early)" if result.interrupted else ""
    return [
        f"{result.chosen.name}: {result.chosen.value:.3f} in cross-validation, {beside}{early}",
        f"{score_words(result)}; page: {result.folder / 'index.html'}",
        f"textmix predict {quote(str(result.folder / 'model'))} new.csv{encoder}",
    ]


def _stem(path: Path) -> str:
    """Return the name of a file without its endings."""
    return path.name.split(".")[0] or "texts"


def read_asked(path: Path, asked: Asked) -> tuple[Corpus, str, dict[str, Any]]:
    """Return the corpus of a table or of a folder, its task, and facts for the card of the model."""
    about: dict[str, Any] = {"description": path.name}
    task = "single"
    if path.is_dir():
        corpus = read_folder(path)
    else:
        table = read_table(
            path if asked.test is None else {"train": path, "test": Path(asked.test)},
            text=asked.text,
            labels=asked.labels,
            separator=asked.separator,
            further=asked.further,
            marks={key: column for key in COLUMNS if (column := getattr(asked, key)) is not None},
            encoding=asked.encoding,
        )
        corpus, task = table.corpus, "multi" if table.layout.several else "single"
        about |= table.layout.card()
    if asked.never_empty and task == "single":
        raise ConfigError("--never-empty: goes with several labels a document; leave it out, or give --separator")
    return corpus, task, about
