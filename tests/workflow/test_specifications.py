"""Registered alternatives of a paper are ordinary jobs that the default run skips; reports show current curves."""

from __future__ import annotations

import pytest
import yaml

from reproduction.flow.plan import make_plan
from reproduction.flow.rule_params import RuleParams
from tests.workflow.test_reruns import planned
from tests.workflow.tiny import Clone
from textmix.core.config import load_yaml_strict
from textmix.core.io import read_csv

pytestmark = pytest.mark.workflow

ROW = "edcm.made,edcm.t1,number,newsgroups,EDCM,accuracy,percent,50,,,derived,near,5,{source},made up for the test\n"
SPECIFICATIONS = """
made:
  rows: [edcm.made]
  factors:
    least count:
      "2": {reason: it is that of the table}
      "30": {reason: it is another, set: {features.rainbow.min_count: 30}}
"""
PAGE = "results/report/edcm.html"


def curves_of_today(clone: Clone) -> dict[str, object]:
    """Return paper -> specification curves that the report would show."""
    params = RuleParams(make_plan(load_yaml_strict(clone.folder / "config/config.yaml"), clone.folder))
    return params.page({})["curves"]


def test_alternatives_run_on_request_and_are_shown_until_they_change(
    copy: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copy.folder)
    folder = copy.folder / "config/papers/edcm"
    with open(folder / "published.csv", "a", encoding="utf-8") as published:
        published.write(ROW.format(source="score:table1/newsgroups/edcm/accuracy"))
    choice = {"id": "made", "where": "unsaid", "source_says": "a", "we_do": "b", "why": "c"}
    choices = [choice | {"alternatives": yaml.safe_load(SPECIFICATIONS)}]
    (folder / "choices.yaml").write_text(yaml.safe_dump(choices, sort_keys=False), encoding="utf-8")
    assert "fit" not in planned(copy), "the default run makes no reading"
    jobs = planned(copy, "specifications")
    assert {jobs[rule] for rule in ("fit", "score", "features", "alternatives")} == {1}, "the choice is made already"

    done = copy.run_warm("--cores", "1", "specifications")
    assert done.returncode == 0, done.stdout
    rows = read_csv(copy.folder / "results/papers/edcm/specifications/curves.csv")
    assert rows[0]["levels"] == "least count=2"
    own = read_csv(copy.folder / "results/scores/edcm/table1/tiny_news/edcm.csv")
    accuracies = [float(row["value"]) for row in own if row["metric"] == "accuracy"]
    assert float(rows[0]["value"]) == pytest.approx(100 * sum(accuracies) / len(accuracies))
    assert len({row["value"] for row in rows}) > 1, "every reading gave the value of the table"

    assert copy.run_warm("--cores", "1", PAGE).returncode == 0
    assert "edcm.made" in (copy.folder / PAGE).read_text(encoding="utf-8").partition('id="curves"')[2]
    assert curves_of_today(copy).keys() == {"edcm"}
    copy.edit("config/papers/edcm/choices.yaml", "min_count: 30", "min_count: 31")
    jobs = planned(copy, PAGE)
    assert "page" in jobs and not jobs.keys() & {"fit", "alternatives"}
    assert curves_of_today(copy) == {}, "the curves are those of yesterday"
