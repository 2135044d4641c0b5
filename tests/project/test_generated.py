"""Files that a program makes lie outside git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_git_holds_no_file_that_it_is_told_to_ignore() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    listed = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    assert subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout == ""
