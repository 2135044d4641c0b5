"""The scope of a run: what finds room, in which order, and how much the shipped runs take by the table of costs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from reproduction.plan.costs import Costs
from reproduction.plan.graph import graph
from reproduction.plan.plan import Plan, make_plan
from reproduction.plan.reach import packages_alone, taken_roles
from reproduction.plan.reading_jobs import ReadingJobs
from reproduction.plan.schedule import known_seconds
from reproduction.plan.scope import LEFT_OUT, Work, fill
from textmix.core.config import load_yaml_strict
from textmix.data.registry import load_registry

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = load_yaml_strict(ROOT / "config/config.yaml")
OFFLINE = taken_roles(SHIPPED["roles"], packages_alone(load_registry(ROOT / "config/datasets.yaml")))


def test_the_most_numbers_for_a_second_come_first_and_a_smaller_job_takes_the_room_that_is_left() -> None:
    works = {"long": Work(60.0, rows=10), "short": Work(20.0, rows=1), "small": Work(30.0, rows=1)}
    assert {*fill(works, {}, 60.0, None)} == {"short", "small"}
    left = fill(works, {}, 85.0, None)
    assert {*left} == {"small"}
    assert left["small"] == f"{LEFT_OUT}: it takes about 30 s of the processor, for which run_seconds has no room"
    assert fill(works, {}, None, None) == fill(works, {}, 110.0, None) == {}


def test_what_jobs_read_in_common_is_counted_once_and_comes_with_the_first_of_them() -> None:
    works = {name: Work(10.0, ("counts",), rows=1) for name in "ab"} | {"c": Work(5.0, ("a",), rows=0)}
    assert fill(works, {"counts": 40.0}, 60.0, None).keys() == {"c"}
    assert fill(works, {"counts": 40.0}, 50.0, None).keys() == {"b", "c"}
    assert fill(works, {"counts": 40.0}, 45.0, None).keys() == {"a", "b", "c"}
    reads = {"a": Work(10.0), "b": Work(10.0, ("a",), rows=1)}
    assert fill(reads, {}, 20.0, 0.0) == {}, "a number rests on a, too, and it costs once"


def test_jobs_on_which_no_number_rests_have_a_share_of_their_own_the_cheapest_first() -> None:
    works = {"number": Work(50.0, rows=1), "dear": Work(20.0), "cheap": Work(5.0)}
    left = fill(works, {}, 1000.0, 20.0)
    assert {*left} == {"dear"} and "further_seconds has no room" in left["dear"]
    assert {*fill(works, {}, 52.0, 20.0)} == {"dear", "cheap"}


def expected(plan: Plan, folder: Path) -> float:
    """Return the seconds of all jobs of a plan by its table of costs."""
    return sum(known_seconds(graph(plan), folder, plan.costs).seconds.values())


@pytest.mark.parametrize(("roles", "minutes"), [(SHIPPED["roles"], 20), (OFFLINE, 5)])
def test_the_shipped_run_fits_its_minutes_on_two_cores_by_the_table(
    roles: dict[str, object], minutes: int, tmp_path: Path
) -> None:
    plan = make_plan(SHIPPED | {"roles": roles}, [], ROOT)
    assert 0 < expected(plan, tmp_path) <= 2 * 60 * minutes
    assert any(plan.scope.left_out(paper) for paper in plan.papers)


def test_nothing_is_left_out_for_a_job_that_no_number_rests_on() -> None:
    plan = make_plan(SHIPPED | {"dearest": None, "further_seconds": 0.001}, [], ROOT)
    taken = {f"fit/{run.name}" for paper in plan.papers for run in plan.runs(paper)}
    taken |= {f"measure/{paper}/{key}" for paper in plan.papers for key in plan.measures(paper)}
    worth = {name for name, rows in plan.scope.rows.items() if rows}
    read = {f"fit/{run.name}" for p in plan.papers for key in plan.measures(p) for _, run in plan.measure_runs(p, key)}
    assert taken and taken <= worth | read


def test_a_number_behind_a_job_that_is_too_dear_makes_no_other_job_worth_more() -> None:
    limited, whole = (make_plan(SHIPPED | {"dearest": limit}, [], ROOT).scope.rows for limit in (600, None))
    one, other = "measure/skipgrams/lr_elastic_net_curves", "measure/skipgrams/lr_l1_curves"
    assert limited[one] == 0 < whole[one], "its curves take 12 minutes"
    assert 0 < limited[other] < whole[other], "some claims compare both"


def test_data_that_only_stand_in_make_no_job_worth_more() -> None:
    plan = make_plan(SHIPPED | {"roles": OFFLINE}, [], ROOT)
    assert not any("imdb_wheel" in name or "yeast_wheel" in name for name in plan.scope.rows)
    assert any("newsgroups_wheel" in name for name in plan.scope.rows)


def test_without_costs_nothing_is_left_out_and_the_results_of_a_paper_are_named_without_it() -> None:
    plan = make_plan(SHIPPED, [], ROOT)
    left = plan.scope.left_out("skipgrams")
    assert all(name.split("/")[0] in ("fit", "measure", "features") for name in left)
    assert "measure/lr_elastic_net_curves" in left
    object.__setattr__(plan, "costs", Costs())
    del plan.__dict__["scope"]
    assert not any(plan.scope.left_out(paper) for paper in plan.papers)


def test_a_reading_is_bounded_by_the_limit_of_a_job_alone() -> None:
    jobs = ReadingJobs(make_plan(SHIPPED | {"dearest": 20.0, "run_seconds": 1.0}, [], ROOT))
    why = [one for paper in jobs.papers() for one in jobs.left_out(SimpleNamespace(paper=paper)).values()]
    assert why and all("more than dearest: 20" in one for one in why)


def test_what_an_earlier_run_made_and_this_run_leaves_out_is_none_of_its_results() -> None:
    scope = make_plan(SHIPPED | {"roles": OFFLINE}, [], ROOT).scope
    fit = {
        "paper": "naive_bayes",
        "experiment": "curve",
        "dataset": "newsgroups_wheel",
        "method": "logistic_regression",
    }
    for script in ("fit", "score"):
        assert scope.leaves_out_result(script, fit)
        assert not scope.leaves_out_result(script, fit | {"method": "none"})
    assert not scope.leaves_out_result("compare", {"paper": "naive_bayes"})
    whole = make_plan(
        SHIPPED | {"roles": OFFLINE, "dearest": None, "run_seconds": None, "further_seconds": None}, [], ROOT
    )
    assert not whole.scope.leaves_out_result("fit", fit)
