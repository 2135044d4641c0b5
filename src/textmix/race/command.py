"""The command ``textmix compare``: from a table of texts to a page and a model, within a time."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.data.formats import parts_of
from textmix.data.own import check_labels, read_own
from textmix.data.user_table import read_table
from textmix.race.comparison import cores, options_of, race, score_line
from textmix.race.state import Options, Outcome
from textmix.race.terminal import Table, words_of

#: Options that say which documents are for the test.
SPLITS = ("parts", "groups", "dates", "test")
#: Of these, the ones that name a column.
COLUMNS = ("parts", "groups", "dates")


class Asked(NamedTuple):
    """The options that the user asks for; see ``textmix compare --help``."""

    file: str
    time: str = "60"
    metric: str | None = None
    text: str | None = None
    labels: str | None = None
    separator: str | None = None
    encoding: str | None = None
    parts: str | None = None
    groups: str | None = None
    dates: str | None = None
    test: str | None = None
    keep: str | None = None
    workers: int | None = None
    seed: int = 0
    never_empty: bool = False
    encoder: str | None = None
    quiet: bool = False


def compare_file(asked: Asked, began: float) -> list[str]:
    """Compare methods on a table or a folder of texts; return the three lines of the end.

    Parameters
    ----------
    asked : the options of the command.
    began : when the command began, of the monotonic clock.

    Raises
    ------
    ConfigError : an option is wrong, a column is not found, or no method has a score in time.
    DataFormatError : the data are not what they should be.
    """
    path = Path(asked.file)
    for name in (asked.file, asked.test):
        if name is not None and not Path(name).exists():
            raise ConfigError(f"{name}: there is no such file; name a table or a folder of texts")
    splits = [name for name in SPLITS if getattr(asked, name) is not None]
    if len(splits) > 1:
        raise ConfigError(f"--{splits[0]} and --{splits[1]} both say which documents are for the test; give one")
    if splits and path.is_dir():
        raise ConfigError(f"--{splits[0]}: goes with a table, not with a folder; leave it out")
    if asked.separator == "":
        raise ConfigError("--separator: is empty; give the text between two labels, such as ';'")
    options_of("single", asked.time, None, workers=asked.workers)  # told before the data are read
    if asked.encoder:
        from textmix.text.encoder import allow

        allow(asked.encoder)
    folder = folder_of(asked)
    terminal = sys.stderr if sys.stderr.isatty() and not asked.quiet else None
    table = Table(path.name, terminal)
    number = asked.workers or cores()
    try:
        outcome = race(lambda: read_asked(path, asked), folder, number=number, began=began, watch=table)
    finally:
        table.close()
    return last_lines(outcome)


def folder_of(asked: Asked) -> Path:
    """Return the folder of page, tables and model."""
    return Path(asked.keep) if asked.keep else Path(f"{_stem(Path(asked.file))}-compared")


def last_lines(outcome: Outcome) -> list[str]:
    """Return the lines at the end of a comparison: the method, its score with interval, the command for new texts."""
    choice = outcome.choice
    point = ";".join(f"{key}={value}" for key, value in choice["point"].items())
    row = next((row for row in outcome.rows if row.method == choice["method"] and row.folds), None)
    over = "on a part of the training documents"
    if row is not None:
        whole = f"{row.times} cross-validations" if row.times > 1 else "cross-validation"
        over = f"in {whole} over {row.folds} fold{'s' * (row.folds > 1)}"
    encoder = f" --encoder {quote(choice['encoder'])}" if choice.get("encoder") else ""
    early = " (ended early)" if outcome.interrupted else ""
    return [
        f"{choice['method']} ({words_of(point)}): {choice['validation']:.3f} {over}{early}",
        f"{score_line(choice).partition(': ')[2]}; page: {outcome.folder / 'index.html'}",
        f"textmix predict {quote(str(outcome.folder / 'model'))} new.csv{encoder}",
    ]


def _stem(path: Path) -> str:
    """Return the name of a file without its endings."""
    return path.name.split(".")[0] or "texts"


def read_asked(path: Path, asked: Asked) -> tuple[Corpus, Options]:
    """Return the corpus of a table or of a folder, and the checked options of the race."""
    about: dict[str, Any] = {"description": path.name}
    task = "single"
    if path.is_dir():
        name = re.sub("[^a-z0-9]+", "_", _stem(path).lower()).strip("_") or "texts"
        files = {role: str(folder) for role, folder in parts_of(path).items()} or {"data": str(path)}
        head = {"name": name, "source": path.name, "task": task, "format": "folder"}
        corpus = read_own({**head, "files": files, "options": {}})
    else:
        table = read_table(
            path if asked.test is None else {"train": path, "test": Path(asked.test)},
            text=asked.text,
            labels=asked.labels,
            separator=asked.separator,
            marks={key: column for key in COLUMNS if (column := getattr(asked, key)) is not None},
            encoding=asked.encoding,
        )
        corpus, task = table.corpus, "multi" if table.layout.several else "single"
        check_labels(corpus)
        about |= table.layout.card()
    more: dict[str, Any] = {
        "source": path.name,
        "title": _stem(path),
        "about": about,
        "model": str(folder_of(asked) / "model"),
    }
    if asked.never_empty and task == "single":
        raise ConfigError("--never-empty: goes with several labels a document; leave it out, or give --separator")
    more |= {"never_empty": asked.never_empty, "encoder": asked.encoder or ""}
    return corpus, options_of(task, asked.time, asked.metric, workers=asked.workers, seed=asked.seed, **more)
