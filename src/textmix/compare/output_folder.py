"""Output folder of a comparison."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from textmix.core.errors import ConfigError, IntegrityError
from textmix.core.io import META, read_meta

LEADERBOARD = "leaderboard.csv"
PREDICTIONS = "predictions.csv"
CHOICE = "choice.json"
MODEL = "model"
REPORT = "index.html"
#: Files of a comparison, in the order they are written.
FILES = (LEADERBOARD, PREDICTIONS, CHOICE, MODEL, REPORT)
#: A folder without this file is not the output of a comparison.
REQUIRED_FILE = CHOICE


def check_folder(folder: Path, *, overwrite: bool) -> None:
    """Check that no file of the user would be overwritten.

    Parameters
    ----------
    folder : Path
        Output folder.
    overwrite : bool
        Whether the output of an earlier comparison may be overwritten; other files never are.

    Raises
    ------
    ConfigError
        If the folder contains other files, or the output of an earlier comparison that must not be overwritten.
    """
    if not os.path.lexists(folder):
        return
    remedy = "choose another folder with --output-dir"
    if not folder.is_dir():
        raise ConfigError(f"{folder}: is not a folder; {remedy}")
    names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    if names and (REQUIRED_FILE not in names or not names <= {*FILES}):
        raise ConfigError(f"{folder}: is not empty and is not the output of a comparison; {remedy}")
    if names and not overwrite:
        raise ConfigError(f"{folder}: contains an earlier comparison; replace it with --overwrite, or {remedy}")
    if MODEL in names:
        _check_model(folder / MODEL, remedy)


def _check_model(model: Path, remedy: str) -> None:
    """Check that a model folder contains no other files."""
    try:
        files = {META, *read_meta(model)["files"]}
    except IntegrityError as error:
        raise ConfigError(f"{model}: is not a model of a comparison; move it elsewhere, or {remedy}") from error
    paths = (path.relative_to(model).as_posix() for path in model.rglob("[!.]*") if not path.is_dir())
    foreign = sorted(path for path in paths if path not in files)
    if foreign:
        raise ConfigError(f"{model}: {foreign[0]} is not a file of the model; move it elsewhere, or {remedy}")


def clear_folder(folder: Path) -> None:
    """Create the output folder, and remove the files of an earlier comparison."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
