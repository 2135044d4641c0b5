"""Print the lowest versions that pyproject.toml allows of what a user installs, for `make lowest`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

#: Extras of the library; `workflow` has one version a package, that of the lock.
PARTS = ("data", "boosting", "lemmas", "tags", "plot")


def lowest(path: Path) -> list[str]:
    """Return the requirements of a pyproject.toml, each with its lowest version alone."""
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    texts = [*project["dependencies"], *(text for part in PARTS for text in project["optional-dependencies"][part])]
    return [text.replace(">=", "==") for text in texts]


if __name__ == "__main__":
    sys.stdout.write("\n".join(lowest(Path(__file__).resolve().parents[2] / "pyproject.toml")) + "\n")
