"""The commit of a folder, and whether its code has been edited since."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from reproduction.flow.git import commit_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def test_deleted_results_do_not_mark_the_checkout_as_edited(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    git("init")
    (tmp_path / "results").mkdir()
    for name in ("results/README.md", "code.py"):
        (tmp_path / name).write_text("text\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "files")
    shutil.rmtree(tmp_path / "results")
    assert commit_of(tmp_path)["changes"] == "none since"
    (tmp_path / "code.py").write_text("other\n", encoding="utf-8")
    assert commit_of(tmp_path)["changes"] == "1 files changed since"
