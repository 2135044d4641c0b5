"""Costs: what is known of a job, what is guessed of one like it, and what a cluster is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from reproduction.job.spent import Spent
from reproduction.plan.costs import Cost, Costs, Measured, load_costs, read_measured, save_costs
from reproduction.plan.graph import Node, measured_costs
from reproduction.plan.schedule import DATA, LEAST_MEGABYTES, SOON, Needs
from reproduction.plan.stages import FIT, PARSE, PART, SCORE, benchmark_of, log_of

ROOT = Path(__file__).resolve().parents[2]
HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
ROWS = [
    Cost("fit", "edcm/table1/news/knn", "knn", 20_000, 100.0, 300),
    Cost("fit", "edcm/table1/industry/knn", "knn", 10_000, 80.0, 200),
    Cost("score", "", "", 0, 2.0, 150),
]


def ran(folder: Path, name: str, seconds: float, memory: str) -> None:
    """Write a benchmark file as Snakemake does, of twice the seconds, and a log as a job does."""
    for path, text in (
        (benchmark_of(name), f"{HEAD}{2 * seconds}\t0:00:01\t{memory}\t1\t1\t1\t1\t1\t50.00\t1\n"),
        (log_of(name), f"{Spent(work=seconds)}\n"),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def test_a_measured_job_has_its_own_cost_and_a_like_job_that_of_the_nearest_size() -> None:
    costs = Costs.of(ROWS)
    assert costs.estimate("fit", "edcm/table1/news/knn", "knn", 20_000) == ROWS[0]
    small = costs.estimate("fit", "own/methods/mine/knn", "knn", 5_000)
    assert small == Cost("fit", "own/methods/mine/knn", "knn", 5_000, 40.0, 200), "memory is not scaled down"
    large = costs.estimate("fit", "own/methods/mine/knn", "knn", 40_000)
    assert large == Cost("fit", "own/methods/mine/knn", "knn", 40_000, 200.0, 600)


def test_a_job_of_a_cheap_stage_has_the_cost_of_the_stage_and_an_unknown_job_none() -> None:
    costs = Costs.of(ROWS)
    assert costs.estimate("score", "edcm/table1/news/knn", "", 20_000) == ROWS[2]
    assert costs.estimate("fit", "own/methods/mine/svm", "svm", 5_000) is None
    assert costs.estimate("fit", "own/methods/mine/knn", "knn", 0) is None, "its size is not known"


def test_a_table_comes_back_as_it_was_saved_and_a_later_row_stays(tmp_path: Path) -> None:
    again = Cost("score", "", "", 0, 3.0, 160)
    save_costs(tmp_path / "costs.csv", [*ROWS, again])
    assert load_costs(tmp_path / "costs.csv") == [ROWS[1], ROWS[0], again]


def test_the_committed_table_is_sorted_and_has_a_row_a_job() -> None:
    rows = load_costs(ROOT / "config/costs.csv")
    keys = [(row.stage, row.job) for row in rows]
    assert keys == sorted(set(keys)) and len(keys) > 50
    assert all(row.seconds > 0 and row.megabytes >= 0 for row in rows)


@pytest.mark.parametrize(("memory", "megabytes"), [("100.00", 105), ("NA", 0)])
def test_a_log_tells_seconds_of_the_processor_and_a_benchmark_file_megabytes(
    tmp_path: Path, memory: str, megabytes: int
) -> None:
    ran(tmp_path, "fit/x", 12.5, memory)
    assert read_measured("fit/x", tmp_path) == Measured(12.5, megabytes)
    (tmp_path / benchmark_of("fit/x")).write_text("", encoding="utf-8")
    assert read_measured("fit/x", tmp_path) == Measured(12.5, 0), "it ended before Snakemake looked at it"
    (tmp_path / log_of("fit/x")).write_text("interrupted\n", encoding="utf-8")
    assert read_measured("fit/x", tmp_path) is None


def test_single_fits_count_in_their_job_and_short_jobs_in_their_stage(tmp_path: Path) -> None:
    nodes = [
        *(Node("part", f"p/e/d/m/{cell}", method="knn", documents=9) for cell in range(2)),
        Node("fit", "p/e/d/m", ("part/p/e/d/m/0", "part/p/e/d/m/1"), "knn", 9),
        *(Node("score", f"p/e/d/{name}") for name in ("m", "n")),
        Node("table", "p/never"),
    ]
    for name, seconds, memory in (
        ("part/p/e/d/m/0", 30.0, "200"),
        ("part/p/e/d/m/1", 40.0, "100"),
        ("fit/p/e/d/m", 2.0, "90"),
        ("score/p/e/d/m", 1.0, "50"),
        ("score/p/e/d/n", 3.0, "40"),
    ):
        ran(tmp_path, name, seconds, memory)
    assert measured_costs({node.name: node for node in nodes}, tmp_path) == [
        Cost("fit", "p/e/d/m", "knn", 9, 72.0, 210),
        Cost("score", "", "", 0, 2.0, 52),
    ]


def test_a_job_whose_data_could_not_be_had_leaves_no_row(tmp_path: Path) -> None:
    nodes = [Node("parse", "lost"), Node("fit", "p/e/lost/m", ("parse/lost",), "knn", 9)]
    for node in nodes:
        ran(tmp_path, node.name, 0.5, "50")
    (tmp_path / "results/datasets/lost").mkdir(parents=True)
    (tmp_path / "results/datasets/lost/meta.json").write_text('{"missing": {}}', encoding="utf-8")
    assert measured_costs({node.name: node for node in nodes}, tmp_path) == []


class Asked(SimpleNamespace):
    """Wildcards in the form in which Snakemake gives them."""

    def items(self) -> list[tuple[str, str]]:
        return list(vars(self).items())


def planned(costs: Costs, cells: int = 0) -> Needs:
    """Return the needs of a plan of which nothing but costs and sizes is asked."""
    sizes: Mapping[str, int] = {"news": 20_000}
    plan = SimpleNamespace(costs=costs, documents=lambda name: sizes.get(name, 0), cells=lambda run: cells)
    plan.cost = lambda run: costs.estimate("fit", run.name)
    return Needs(plan)  # type: ignore[arg-type]


def test_each_attempt_asks_for_more() -> None:
    job = Asked(paper="edcm", experiment="table1", dataset="news", method="knn")
    ask, cut = planned(Costs.of(ROWS)), planned(Costs.of(ROWS), cells=10)
    assert [ask.resources(FIT)["mem_mb"](job, attempt) for attempt in (1, 2, 3)] == [500, 1000, 1500]
    assert [ask.resources(FIT)["runtime"](job, attempt) for attempt in (1, 2)] == [12, 24]
    assert [cut.resources(stage)["runtime"](job, 1) for stage in (PART, FIT)] == [6, 6]
    assert ask.resources(SCORE)["mem_mb"](job, 1) == LEAST_MEGABYTES


def test_a_short_job_joins_a_group_and_a_long_one_stands_alone() -> None:
    job = Asked(paper="edcm", experiment="table1", dataset="news", method="knn")
    assert planned(Costs.of(ROWS)).group(FIT)(job) is None
    assert planned(Costs.of(ROWS), cells=10).group(FIT)(job) == "work", "it joins single fits"
    assert planned(Costs.of(ROWS), cells=10).group(PART)(job) is None, "the stage has no group"
    assert planned(Costs()).group(SCORE)(job) == "work", "a job of a short stage, though none was measured"


def test_the_longer_a_job_the_earlier_it_starts_but_for_own_data() -> None:
    whole, cut = planned(Costs.of(ROWS)), planned(Costs.of(ROWS), cells=10)
    job = Asked(paper="edcm", experiment="table1", dataset="news", method="knn")
    seconds = [needs.priority(stage)(job) for needs, stage in ((whole, FIT), (cut, PART), (cut, FIT))]
    assert seconds[0] > 9 * seconds[1] > 0 and seconds[2] == 10
    assert max(seconds) < DATA
    assert whole.priority(SCORE)(Asked(paper="own", experiment="own", dataset="x", method="knn")) == SOON
    assert DATA == whole.priority(PARSE)(Asked(dataset="news"))


def test_a_job_like_none_in_the_table_asks_for_much() -> None:
    asked = planned(Costs()).resources(PARSE)
    assert {name: ask(Asked(dataset="news"), 1) for name, ask in asked.items()} == {"mem_mb": 4050, "runtime": 65}
