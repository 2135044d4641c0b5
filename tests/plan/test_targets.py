"""The sentences with which a run ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.plan.targets import paper_said

COMPARISON = """id,kind,verdict
p.a,number,reproduced
p.b,number,differs
p.c,claim,reproduced
p.d,setting,open
"""


def test_a_run_of_one_paper_says_its_verdicts_and_how_its_page_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("results/papers/edcm/comparison.csv")
    path.parent.mkdir(parents=True)
    path.write_text(COMPARISON, encoding="utf-8")
    said = paper_said("edcm")
    assert said.startswith("edcm: 2 reproduced, 1 differs, each beside its published value in ")
    assert said.endswith("; its page: snakemake --config 'papers=[edcm]' -- report")
