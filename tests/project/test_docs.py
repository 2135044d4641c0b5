"""The examples of the documentation print what their pages say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_first_example_of_the_site_prints_what_its_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/start.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    exec(compile(code, "start.md", "exec"), {})
    assert all(f"`{line}`" in page for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    "name",
    [
        "skipgram-vectoriser",
        "probability-of-a-label-set",
        "threshold-a-label",
        "perplexity",
        "millions-of-documents",
        "threads",
    ],
)
def test_the_examples_of_a_task_run(name: str) -> None:
    page = (ROOT / f"docs/how-to/{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, f"{name}.md", "exec"), names)


def test_the_settings_of_threads_run() -> None:
    page = (ROOT / "docs/how-to/threads.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
