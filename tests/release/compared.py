"""What `make release-check` runs where textmix and its extra `compare` are installed, and no other package."""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import textmix
from textmix.__main__ import main

WORDS = {"sport": "goal match team player score league", "art": "paint stage opera museum colour sculpture"}


def rows() -> list[tuple[str, str, str]]:
    """Return texts, prices and labels; each text has four words of its label and two of the other one."""
    found = []
    for row in range(120):
        label, other = ("sport", "art") if row % 2 else ("art", "sport")
        words = [WORDS[label].split()[(row + step * (1 + row % 5)) % 6] for step in range(4)]
        words += [WORDS[other].split()[(row + step) % 6] for step in range(2)]
        found.append((" ".join(words), str(row % 7 + 5 * (label == "art")), label))
    return found


def run(*arguments: str) -> None:
    """Run the command line; raise AssertionError where it ends with an error."""
    assert main([*arguments]) == 0, arguments


def check() -> None:
    """Compare to the end, and use the model; raise AssertionError where one of them is wrong."""
    assert "site-packages" in textmix.__file__, "not the installed package"
    with tempfile.TemporaryDirectory() as place:
        table, kept, labelled = Path(place, "shop.csv"), Path(place, "kept"), Path(place, "labelled.csv")
        with open(table, "w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([("text", "price", "label"), *rows()])
        run("compare", str(table), "--features", "price", "--time", "120", "--output-dir", str(kept))
        assert "</html>" in (kept / "index.html").read_text(encoding="utf-8"), "there is no page"
        run("predict", str(kept / "model"), str(table), "--explain", "--output", str(labelled))
        assert len(labelled.read_text(encoding="utf-8").splitlines()) == 121
        run("evaluate", str(kept / "model"), str(table))
    print(f"textmix {textmix.__version__} on Python {sys.version.split()[0]}: compares to the end")


if __name__ == "__main__":
    check()
