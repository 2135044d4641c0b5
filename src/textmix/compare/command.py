"""The command ``textmix compare``: from a table of texts to a report and a model, within a time budget."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from textmix.compare import candidates
from textmix.compare.comparison import Settings, describe_test_score, no_score_error, run
from textmix.compare.finish import Result
from textmix.compare.options import check_time, check_workers
from textmix.compare.output_folder import MODEL, REPORT, check_folder
from textmix.compare.terminal import LiveTable
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.data.feature_rows import with_feature_rows
from textmix.data.table_schema import NumericTableError
from textmix.data.user_data import is_numeric, read_folder, read_numeric
from textmix.data.user_table import Table, read_table

#: Options that select the test documents, and the roles of their columns in `read_table`.
SPLIT_OPTIONS = ("split", "group", "date", "test")
COLUMN_ROLES = {"split": "parts", "group": "groups", "date": "dates"}
#: Options of a table that a folder of texts does not have.
TABLE_OPTIONS = (*SPLIT_OPTIONS, "features", "text", "label", "separator", "format")
#: Options that do not apply to ARFF and LIBSVM files.
TEXT_OPTIONS = ("text", "separator", "features", "split", "group", "date", "encoding", "encoder")
#: Value of ``--time`` for no limit.
NO_LIMIT = "all"
DEFAULT_STEM = "texts"

#: Warnings are printed even with ``--quiet``, as they change the result.
warning_logger = logging.getLogger("textmix.compare.warnings")
warning_logger.setLevel(logging.WARNING)


class CompareOptions(NamedTuple):
    """Options of ``textmix compare``; see `textmix.compare.arguments`."""

    file: str
    time: str | None = "60"
    metric: str | None = None
    text: str | None = None
    label: str | None = None
    separator: str | None = None
    features: str | None = None
    format: str | None = None
    encoding: str | None = None
    split: str | None = None
    group: str | None = None
    date: str | None = None
    test: str | None = None
    output_dir: str | None = None
    overwrite: bool = False
    workers: int | None = None
    seed: int = 0
    never_empty: bool = False
    encoder: str | None = None
    quiet: bool = False


def compare_file(options: CompareOptions, start: float) -> list[str]:
    """Compare methods on a table, or on a folder of texts.

    Parameters
    ----------
    options : CompareOptions
        Options of the command line.
    start : float
        When the time budget began, in the time of the monotonic clock.

    Returns
    -------
    list of str
        Lines that summarise the result.

    Raises
    ------
    ConfigError
        If an option is invalid, a column is missing, or the comparison ended before there was a model.
    """
    check_options(options)
    check_folder(output_dir_of(options), overwrite=options.overwrite)
    path = Path(options.file)
    seconds = None if options.time in (None, NO_LIMIT) else check_time(options.time)
    n_workers = check_workers(options.workers)
    if options.encoder:
        from textmix.text.encoder import allow

        allow(options.encoder)
    table = LiveTable(path.name, sys.stderr if sys.stderr.isatty() and not options.quiet else None)
    folder = output_dir_of(options)
    try:
        corpus, task, facts = read_input(options)
        settings = Settings(
            seconds=seconds,
            metric=options.metric,
            n_workers=n_workers,
            seed=options.seed,
            never_empty=options.never_empty,
            encoder=options.encoder or "",
            overwrite=options.overwrite,
            title=_stem(path),
            source=path.name,
            facts=facts,
            start=start,
        )
        result = run(corpus, task, folder, settings, table)
    except KeyboardInterrupt as error:
        raise _interrupted(time.monotonic() - start, folder, has_scores=table.has_scores) from error
    finally:
        table.close()
    for warning in result.warnings:
        warning_logger.warning("warning: %s", warning)
    return summary_lines(result, options)


def check_options(options: CompareOptions) -> None:
    """Check options that contradict each other or the input.

    Raises
    ------
    ConfigError
        If an option is invalid.
    """
    for path in (options.file, options.test):
        if path is not None and not Path(path).exists():
            raise ConfigError(f"{path}: no such file or folder; give a table or a folder of texts")
    splits = [name for name in SPLIT_OPTIONS if getattr(options, name) is not None]
    if len(splits) > 1:
        raise ConfigError(f"--{splits[0]} and --{splits[1]} both select the test documents; give one of them")
    if Path(options.file).is_dir():
        for name in TABLE_OPTIONS:
            if getattr(options, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise ConfigError(f"{option}: applies to a table, but {options.file} is a folder; omit {option}")
    if options.separator == "":
        raise ConfigError("--separator: is empty; give the text between two labels, such as ';'")


def _interrupted(seconds: float, folder: Path, *, has_scores: bool) -> ConfigError:
    """Return the error of a comparison that the user ended before or after the search."""
    if not has_scores:
        return no_score_error(seconds, interrupted=True)
    return ConfigError(
        f"interrupted after {seconds:.0f} s, while the best method was tested and refitted; {folder} may lack the "
        "model and the report"
    )


def output_dir_of(options: CompareOptions) -> Path:
    """Return the output directory."""
    return Path(options.output_dir) if options.output_dir else Path(f"{_stem(Path(options.file))}-compared")


def summary_lines(result: Result, options: CompareOptions) -> list[str]:
    """Summarise a result: the method, its scores, and the command that labels new texts.

    Parameters
    ----------
    result : Result
        Result of the comparison.
    options : CompareOptions
        Options of the command line.

    Returns
    -------
    list of str
    """
    model = quote(str(result.folder / MODEL))
    needs_encoder = any(member.view == candidates.ENCODER for member in result.winner.members)
    encoder = f" --encoder {quote(str(options.encoder))}" if needs_encoder else ""
    ended_early = " (ended early)" if result.interrupted else ""
    return [
        f"{result.winner.title}: {result.winner.describe_score(result.metric.title)}{ended_early}",
        f"{describe_test_score(result)} · report: {result.folder / REPORT}",
        f"textmix predict {model} new.csv{encoder}",
    ]


def _stem(path: Path) -> str:
    """Return the name of a file without its extensions."""
    return path.name.split(".")[0] or DEFAULT_STEM


def read_input(options: CompareOptions) -> tuple[Corpus, str, dict[str, Any]]:
    """Read the table or folder.

    Parameters
    ----------
    options : CompareOptions
        Options of the command line.

    Returns
    -------
    corpus : Corpus
    task : {"single", "multi"}
    facts : dict
        Facts for the model card.

    Raises
    ------
    ConfigError
        If an option does not match the data, or the columns cannot be inferred.
    DataFormatError
        If the input is invalid.
    """
    path = Path(options.file)
    facts: dict[str, Any] = {"description": path.name}
    task = "single"
    files = path if options.test is None else {"train": path, "test": Path(options.test)}
    if path.is_dir():
        corpus = read_folder(path, options.encoding)
    elif options.format is None and is_numeric(path):
        _reject_text_options(options)
        corpus, task = read_numeric(files, options.label)
        facts["label column"] = options.label
    else:
        corpus, schema = _read_table(files, options)
        task = "multi" if schema.multi_label else "single"
        facts |= schema.card()
    if options.never_empty and task == "single":
        raise ConfigError("--never-empty: applies to several labels per text; omit it, or give --separator")
    return corpus, task, facts


def _read_table(files: Path | Mapping[str, Path], options: CompareOptions) -> Table:
    """Read a table of texts, or of numeric columns if it has no text."""
    columns = {role: getattr(options, name) for name, role in COLUMN_ROLES.items()}
    roles = {role: column for role, column in columns.items() if column is not None}
    arguments: dict[str, Any] = {
        "labels": options.label,
        "label_separator": options.separator,
        "features": options.features,
        "roles": roles,
        "format": options.format,
        "encoding": options.encoding,
        "option_names": ("--text", "--label"),
    }
    try:
        return read_table(files, text=options.text, **arguments)
    except NumericTableError:
        table = read_table(files, is_numeric=True, **arguments)
    return table._replace(corpus=with_feature_rows(table.corpus))


def _reject_text_options(options: CompareOptions) -> None:
    """Reject options that do not apply to a file of numbers."""
    for name in TEXT_OPTIONS:
        if getattr(options, name) is not None:
            raise ConfigError(f"--{name}: does not apply to {Path(options.file).name}, which contains numbers; omit it")
