"""Every job opens only the files that its rule declares: results, raw data and configuration alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow


def test_every_job_opens_only_what_its_rule_declares(everything: Clone, tmp_path: Path) -> None:
    assert (everything.folder / "results/report/index.html").exists()
    clone = everything.copy(tmp_path / "copy")
    clone.edit("workflow/rules/papers.smk", '        lists=JOBS.paper_file("paper.yaml"),\n', "")
    undeclared = clone.run_warm("--cores", "1", "-R", "compare", "--", "results/papers/naive_bayes/comparison.csv")
    assert undeclared.returncode != 0
    assert "rule compare does not declare" in undeclared.stdout
