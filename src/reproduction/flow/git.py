"""The commit of the folder with the workflow, as git knows it."""

from __future__ import annotations

import getpass
import shutil
import subprocess
from pathlib import Path


def commit_of(folder: Path) -> dict[str, str]:
    """Return hash, date and changes since of a folder's commit, in words, or under ``commit`` why git knows of none."""
    git = shutil.which("git")
    if git is None:
        return {"commit": "not known: git is not installed"}
    if not (folder / ".git").exists():
        return {"commit": "not known: the folder is no git checkout"}
    found, date = _output(git, folder, "log", "-1", "--format=%H %cI").split()
    changed = _output(git, folder, "status", "--porcelain", "--untracked-files=no").splitlines()
    return {
        "commit": found,
        "date": date,
        "changes": f"{len(changed)} files changed since" if changed else "none since",
    }


def agent_of(folder: Path) -> str:
    """Return who works in a folder: the name by which git knows them there, else the name of their account."""
    git = shutil.which("git")
    known = _output(git, folder, "config", "--get", "--default", "", "user.name").strip() if git else ""
    return known or getpass.getuser()


def _output(git: str, folder: Path, *arguments: str) -> str:
    command = [git, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - no shell
