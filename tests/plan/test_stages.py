"""The stages: their paths stand in one module, the rules write what it says, and no two share a path."""

from __future__ import annotations

import re
from pathlib import Path

from reproduction.plan import stages
from reproduction.plan.stages import FIT, STAGES, Stage
from tests.workflow.asking import workflow_of

ROOT = Path(__file__).resolve().parents[2]
EVERY = [value for value in vars(stages).values() if isinstance(value, Stage)]


def plain(path: object) -> str:
    """Return a pattern of a rule without the constraints of its wildcards."""
    return re.sub(r",[^{}]*\}", "}", str(path))


def test_no_two_stages_write_one_path() -> None:
    paths = [path for stage in EVERY for path in stage.outputs.values()]
    assert len(set(paths)) == len(paths)


def test_every_rule_of_a_run_writes_the_paths_of_its_stage() -> None:
    with workflow_of(ROOT) as workflow:
        rules = {rule.name: rule for rule in workflow.rules}
    for stage in STAGES.values():
        made = [rule for name, rule in rules.items() if name == stage.name or name.startswith(f"{stage.name}_")]
        assert made, stage.name
        for rule in made:
            assert [plain(rule.log[0]), plain(rule.benchmark)] == [stage.log, stage.benchmark], rule.name
        text = re.escape(stage.path()).replace(r"\{table\}", r"\w+").replace(r"\{figure\}", r"\w+")
        assert any(re.fullmatch(text, plain(output)) for rule in made for output in rule.output), stage.name


def test_names_fill_a_path_and_the_others_stay_wildcards() -> None:
    assert FIT.path("timings", paper="edcm", method="dcm") == "results/timings/edcm/{experiment}/{dataset}/dcm.csv"
    job = FIT.of(paper="edcm", experiment="table1", dataset="news", method="dcm")
    assert (job.name, job.path) == ("fit/edcm/table1/news/dcm", "results/predictions/edcm/table1/news/dcm")
