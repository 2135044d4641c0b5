"""The checks here are those on GitHub."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def targets(text: str) -> set[str]:
    """Return the targets of the Makefile that a script calls."""
    called = re.findall(r"^\s*(?:if .*|then )?make ([a-z -]+?)(?: #.*| \|\|.*)?$", text, re.MULTILINE)
    return {target for words in called for target in words.split()}


def test_the_script_of_the_checks_calls_every_target_that_github_calls() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8"))
    steps = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    asked = targets("\n".join(steps))
    assert {"test", "check", "check-project", "docs", "tiny"} <= asked
    assert asked <= targets((ROOT / ".ci/run").read_text(encoding="utf-8"))


def test_the_rules_are_linted_by_both() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\ncheck-project:")[2].partition("\n\n")[0]
    assert "snakemake --lint" in recipe
