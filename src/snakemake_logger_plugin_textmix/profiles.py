"""Check that the executor plugin of a profile is installed; Snakemake would print its whole usage instead."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

#: Executors that Snakemake contains.
BUILT_IN = ("local", "dryrun", "touch")


def check_executor(arguments: Sequence[str]) -> None:
    """End the program if the executor of a profile is not installed.

    Parameters
    ----------
    arguments : sequence of str
        Command line of Snakemake.

    Raises
    ------
    SystemExit
        If a profile names an executor whose plugin cannot be imported.
    """
    for profile in _profiles(arguments):
        path = Path(profile, "config.yaml")
        if not path.is_file():
            continue
        match = re.search(r"^executor:\s*([\w-]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        executor = match[1] if match else "local"
        if executor in BUILT_IN or find_spec(f"snakemake_executor_plugin_{executor.replace('-', '_')}"):
            continue
        install = f"{sys.executable} -m pip install snakemake-executor-plugin-{executor}"
        raise SystemExit(f"{path}: the plugin of the executor '{executor}' is not installed; run {install}")


def _profiles(arguments: Sequence[str]) -> list[str]:
    """Return the folders of the profiles that a command line or the environment names."""
    profiles = [os.environ.get("SNAKEMAKE_PROFILE", "")]
    for index, argument in enumerate(arguments):
        option, _, value = argument.partition("=")
        if option in ("--profile", "--workflow-profile"):
            profiles += [value] if value else arguments[index + 1 : index + 2]
    return [profile for profile in profiles if profile]
