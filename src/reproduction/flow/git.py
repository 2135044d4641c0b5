"""Commit and author of the folder with the workflow, from git."""

from __future__ import annotations

import getpass
import shutil
import subprocess
from pathlib import Path


def commit_of(folder: Path) -> dict[str, str]:
    """Return hash, date and state of a folder's commit, or under ``commit`` the reason why it is unknown."""
    git = shutil.which("git")
    if git is None:
        return {"commit": "not known: git is not installed"}
    if not (folder / ".git").exists():
        return {"commit": "not known: the folder is no git checkout"}
    commit, date = _run_git(git, folder, "log", "-1", "--format=%H %cI").split()
    # The folder of results is no part of the code, even if its README was deleted with the results.
    code = ("--", ".", ":(exclude)results")
    changed = _run_git(git, folder, "status", "--porcelain", "--untracked-files=no", *code).splitlines()
    return {
        "commit": commit,
        "date": date,
        "changes": f"{len(changed)} files changed since" if changed else "none since",
    }


def agent_of(folder: Path) -> str:
    """Return the user name configured in git for a folder, or else the login name."""
    git = shutil.which("git")
    name = _run_git(git, folder, "config", "--get", "--default", "", "user.name").strip() if git else ""
    return name or getpass.getuser()


def _run_git(git: str, folder: Path, *arguments: str) -> str:
    command = [git, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - no shell
