"""Entries of the configuration key ``own``: files of texts and options of ``textmix compare``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textmix.core.digests import digest_of
from textmix.core.errors import ConfigError, suggest

#: Keys of an entry that name files.
FILES = ("file", "test")
#: Options that the workflow sets itself.
_SET_BY_WORKFLOW = ("help", "keep", "output-dir", "overwrite", "quiet", "workers")


def check_own_texts(own: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that the files of all entries exist and that their options are those of ``textmix compare``.

    Parameters
    ----------
    own : mapping
        Name -> entry of the configuration key ``own``.

    Raises
    ------
    ConfigError
        If a file is missing, or an option is unknown, has a value of the wrong type, or is set by the workflow.
    """
    options = compare_options() if own else {}
    for name, entry in own.items():
        for key in FILES:
            if key in entry and not Path(entry[key]).exists():
                raise ConfigError(f"configuration: own.{name}.{key}: {entry[key]} does not exist; correct the path")
        for key, value in entry.items():
            if key != "file":
                _check_option(f"configuration: own.{name}.{key}", key, value, options)


def _check_option(where: str, key: str, value: Any, options: Mapping[str, bool]) -> None:
    if key in _SET_BY_WORKFLOW:
        raise ConfigError(f"{where}: the workflow sets this option; remove it (results are in results/own/<name>)")
    if key not in options:
        raise ConfigError(f"{where}: unknown option of textmix compare; {suggest(key, sorted(options))}")
    if options[key] != isinstance(value, bool):
        expected = "is a switch; write true or false" if options[key] else "needs a value, not true or false"
        raise ConfigError(f"{where}: this option {expected}")


def compare_options() -> dict[str, bool]:
    """Return the long options of ``textmix compare`` that an entry may set, and whether each is a switch."""
    from textmix.__main__ import parser

    commands = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    options = {}
    for action in commands.choices["compare"]._actions:
        for text in action.option_strings:
            if text.startswith("--"):
                options[text.removeprefix("--")] = action.nargs == 0
    return {name: is_switch for name, is_switch in options.items() if name not in _SET_BY_WORKFLOW}


def arguments_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the options of an entry as command-line arguments."""
    arguments = []
    for key, value in entry.items():
        if key == "file" or value is False:
            continue
        arguments.append(f"--{key}" if value is True else f"--{key}={value}")
    return arguments


def input_files(entry: Mapping[str, Any]) -> list[str]:
    """Return the files of an entry that Snakemake can watch.

    Snakemake does not detect edits of files inside a folder, and interprets braces in a path as a wildcard.
    `state_of_files` watches such paths.
    """
    return [entry[key] for key in FILES if key in entry and _is_plain_file(entry[key])]


def state_of_files(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return path -> digest of names, sizes and modification times, for paths that are not in `input_files`."""
    paths = [entry[key] for key in FILES if key in entry and not _is_plain_file(entry[key])]
    return {path: _digest_of_state(Path(path)) for path in paths}


def _is_plain_file(path: str) -> bool:
    return Path(path).is_file() and not {"{", "}"} & set(path)


def _digest_of_state(path: Path) -> str:
    files = sorted(file for file in (path, *path.rglob("*")) if file.is_file())
    states = [(file, file.stat()) for file in files]
    return digest_of([(str(file), state.st_size, state.st_mtime_ns) for file, state in states])
