"""Run the Python code of README.md and docs/start.md with the installed package, in an empty folder."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import textmix

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/start.md")


def run() -> None:
    """Run all Python blocks of each page in one namespace; raise AssertionError if a page has none."""
    assert "site-packages" in textmix.__file__, "textmix is imported from the checkout, not from the installed package"
    for page in PAGES:
        blocks = re.findall(
            r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
        assert blocks, f"{page} contains no Python code"
        namespace: dict[str, object] = {}
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for block in blocks:
                exec(compile(block, page, "exec"), namespace)
            os.chdir(ROOT)
        print(f"{page}: {len(blocks)} Python blocks run")


if __name__ == "__main__":
    run()
