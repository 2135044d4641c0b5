"""Split the lock of all extras into the three lock files: python -m tests.project.locks WHOLE."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Extras for file formats that no job of the workflow reads or writes.
UNLOCKED = {"tables"}
#: The extra that each lock adds to the previous locks; the first lock contains all other extras.
LOCKS = {"requirements.lock": "", "requirements-bench.lock": "bench", "requirements-dev.lock": "dev"}


def canonical(name: str) -> str:
    """Return the name of a package, or of a requirement without its version, as the index writes it."""
    return re.sub("[-_.]+", "-", re.match(r"[\w.-]+", name)[0]).lower()


def entries(text: str) -> list[str]:
    """Return the entries of a lock, each with its digests and its comment."""
    return re.findall(r"^\w.*\n(?:[ ].*\n?)*", text, re.MULTILINE)


def asking(entry: str) -> list[str]:
    """Return the packages that require the package of an entry, including ``textmix (pyproject.toml)``."""
    lines = (
        line.strip(" #").removeprefix("via").strip() for line in entry.splitlines() if line.lstrip().startswith("#")
    )
    return [line for line in lines if line]


def closure(direct: Iterable[str], whole: list[str]) -> set[str]:
    """Return some packages and all that they ask for, directly or not."""
    found = set(direct)
    while more := {canonical(one) for one in whole if found & set(map(canonical, asking(one)))} - found:
        found |= more
    return found


def cut(whole: list[str], direct: dict[str, set[str]]) -> dict[str, str]:
    """Return the text of each lock.

    Parameters
    ----------
    whole : list of str
        Entries of the lock of all extras.
    direct : dict of str to set of str
        Direct dependencies of each lock in pyproject.toml.
    """
    texts, before = {}, set[str]()
    for lock, names in direct.items():
        mine = closure(names, whole) - before
        before |= mine
        texts[lock] = "".join(_commented(one, before) for one in whole if canonical(one) in mine)
    return texts


def _commented(entry: str, known: set[str]) -> str:
    """Remove packages of other locks from the comment of an entry."""
    asked = [name for name in asking(entry) if name.startswith("textmix (") or canonical(name) in known]
    lines = [line for line in entry.splitlines() if not line.lstrip().startswith("#")]
    lines += [f"    # via {asked[0]}"] if len(asked) == 1 else ["    # via", *(f"    #   {name}" for name in asked)]
    return "".join(f"{line}\n" for line in lines)


def declared() -> dict[str, set[str]]:
    """Return the direct dependencies of each lock in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    unlocked = {*LOCKS.values(), *UNLOCKED}
    run = [text for name, texts in extras.items() if name not in unlocked for text in texts]
    asked = {lock: extras[extra] if extra else [*project["dependencies"], *run] for lock, extra in LOCKS.items()}
    return {lock: set(map(canonical, texts)) for lock, texts in asked.items()}


if __name__ == "__main__":
    for name, text in cut(entries(Path(sys.argv[1]).read_text(encoding="utf-8")), declared()).items():
        (ROOT / name).write_text(text, encoding="utf-8")
