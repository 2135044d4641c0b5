"""The everyday edits of CONTRIBUTING.md fit the code of today: their files exist, and their diffs apply."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
#: Heading of an edit -> the most files that it may touch; a paper touches its two folders.
MOST = {
    "A method": 3,
    "A data set": 2,
    "A metric": 3,
    "A figure": 2,
    "A column of the comparison": 2,
    "An option of own data": 3,
    "A paper": None,
}
EDITS = dict(re.findall(r"^### ([^:\n]+):.*?^```diff\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE))
MADE = {"config/README.md", "src/textmix/__init__.pyi"}


def files(edit: str) -> dict[str, str]:
    """Return the hunks of an edit's diff by the path of their file, the part before the hunks being cut off."""
    parts = re.split(r"^--- (?:a/\S+|/dev/null)\n\+\+\+ b/(\S+)\n", EDITS[edit], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def is_new(edit: str, path: str) -> bool:
    """Return whether the diff makes a file."""
    return f"--- /dev/null\n+++ b/{path}\n" in EDITS[edit]


def test_every_everyday_edit_is_shown() -> None:
    assert set(EDITS) == set(MOST)


@pytest.mark.parametrize("edit", MOST)
def test_an_edit_touches_few_files(edit: str) -> None:
    touched = files(edit)
    assert not MADE & set(touched)
    most = MOST[edit]
    if most is None:
        folders = {str(Path(path).parent) for path in touched}
        assert folders == {"config/papers/toy", "src/reproduction/papers/toy"}
    else:
        assert len(touched) == most


@pytest.mark.parametrize("edit", MOST)
def test_the_files_of_an_edit_exist_or_are_new(edit: str) -> None:
    for path in files(edit):
        assert (ROOT / path).exists() != is_new(edit, path), path
        folder = (ROOT / path).parent
        assert folder.exists() or folder.parent.name == "papers", path


@pytest.mark.parametrize("edit", MOST)
def test_the_diffs_of_an_edit_apply(edit: str) -> None:
    for path, hunks in files(edit).items():
        if is_new(edit, path):
            continue
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        for hunk in re.split(r"^@@ .*\n", hunks, flags=re.MULTILINE)[1:]:
            old = [line[1:] for line in hunk.splitlines() if not line.startswith("+")]
            found = sum(lines[start : start + len(old)] == old for start in range(len(lines)))
            assert found == 1, f"{path} has the lines of the diff {found} times; write its diff anew:\n{hunk}"
