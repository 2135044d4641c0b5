"""The simulated schedule: worked by hand, within its bounds, and of the jobs that Snakemake runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reproduction.plan.costs import Cost, Costs
from reproduction.plan.graph import Node, without_data
from reproduction.plan.schedule import Engine, Known, expected, in_words, known_seconds, simulate
from tests.plan.test_costs import ran


def named(*nodes: Node) -> dict[str, Node]:
    """Return jobs by their names."""
    return {node.name: node for node in nodes}


#: a (4 s) and b (3 s) can start; c (2 s) waits for a, d (1 s) for a and b.
FOUR = named(Node("fit", "a"), Node("fit", "b"), Node("fit", "c", ("fit/a",)), Node("score", "d", ("fit/a", "fit/b")))
SECONDS = {"fit/a": 4.0, "fit/b": 3.0, "fit/c": 2.0, "score/d": 1.0}


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        (Engine("1", 1), 10.0),
        (Engine("2", 2), 6.0),
        (Engine("1, 0.5 s between jobs", 1, turn=0.5), 12.0),
        (Engine("cluster", 9, wait=10.0), 26.0),
        # d, a short job, shares its wait with nine more: a and b end at 14 and 13, c at 26, d at 16.
        (Engine("cluster, in groups", 9, wait=10.0, grouped=10), 26.0),
        (Engine("cluster of one place, in groups", 1, wait=10.0, grouped=10), 41.0),
    ],
)
def test_four_jobs_worked_by_hand(engine: Engine, expected: float) -> None:
    assert simulate(FOUR, SECONDS, engine) == pytest.approx(expected)


def test_data_come_first_then_the_longest_job() -> None:
    nodes = named(*(Node("fit", name) for name in "abc"), Node("features", "d"), Node("fit", "e", ("features/d",)))
    seconds = {"fit/a": 1.0, "fit/b": 2.0, "fit/c": 5.0, "features/d": 0.5, "fit/e": 6.0}
    # d and c start; e follows d and ends at 6.5; b follows c to 7, a follows e to 7.5.  By names, e would end at 8.5.
    assert simulate(nodes, seconds, Engine("", 2)) == pytest.approx(7.5)


def test_any_schedule_lies_between_its_bounds() -> None:
    generator = np.random.default_rng(3)
    for _ in range(50):
        nodes: list[Node] = []
        for row in range(30):
            waits = [node.name for node in nodes if generator.random() < 0.1]
            nodes.append(Node("fit", str(row), tuple(waits)))
        seconds = {node.name: float(generator.exponential()) for node in nodes}
        chain: dict[str, float] = {}
        for node in nodes:
            chain[node.name] = seconds[node.name] + max((chain[before] for before in node.waits), default=0.0)
        work, longest = sum(seconds.values()), max(chain.values())
        for cores in (1, 2, 16, 64):
            found = simulate(named(*nodes), seconds, Engine("", cores))
            assert max(longest, work / cores) - 1e-9 <= found <= work / cores + longest + 1e-9
        assert simulate(named(*nodes), seconds, Engine("", 1)) == pytest.approx(work)


def test_measured_seconds_come_first_and_the_table_fills_the_rest(tmp_path: Path) -> None:
    parts = [Node("part", f"p/e/d/m/{cell}", (), "knn", 10) for cell in range(2)]
    joins = Node("fit", "p/e/d/m", tuple(part.name for part in parts), "knn", 10)
    nodes = named(*parts, joins, Node("score", "p/e/d/m", (joins.name,)), Node("page", "report"))
    costs = Costs.of([Cost("fit", "p/e/d/m", "knn", 10, 80.0, 1), Cost("score", "", "", 0, 2.0, 1)])
    ran(tmp_path, "fit/p/e/d/m", 75.0, "1")  # by a run that did not cut the job
    ran(tmp_path, "part/p/e/d/m/0", 33.0, "1")
    ran(tmp_path, "page/report", 5.0, "1")
    known = known_seconds(nodes, tmp_path, costs)
    assert known.measured == {"part/p/e/d/m/0", "page/report"}
    assert known.seconds == {
        **{"part/p/e/d/m/0": 33.0, "part/p/e/d/m/1": 40.0, "fit/p/e/d/m": 2.0},
        **{"score/p/e/d/m": 2.0, "page/report": 5.0},
    }
    said = in_words(nodes, known, [Engine("1 core", 1), Engine("2 cores", 2)])
    assert said.splitlines()[0].startswith("5 jobs, 1 min of work; 2 of them, 38 s, were measured")
    assert [line.split()[-1] for line in said.splitlines()[2:4]] == ["1.0", "1.9"]
    assert said.endswith("Longest job: part/p/e/d/m/1, 40 s.")


def test_a_job_without_its_data_takes_what_a_score_takes_and_a_job_like_none_is_counted(tmp_path: Path) -> None:
    nodes = named(
        *(Node("parse", name, documents=10) for name in ("had", "lost")),
        *(Node("fit", f"p/e/{name}/m", (f"parse/{name}",), "knn", 10) for name in ("had", "lost")),
        Node("measure", "p/new", ("parse/had",), "p/new", 10),
        Node("compare", "p", ("fit/p/e/had/m", "fit/p/e/lost/m")),
    )
    for name, record in (("had", "{}"), ("lost", '{"missing": {"reason": "no address answers"}}')):
        (tmp_path / "results/datasets" / name).mkdir(parents=True)
        (tmp_path / "results/datasets" / name / "meta.json").write_text(record, encoding="utf-8")
    rows = [
        *(Cost("parse", "", "", 0, 3.0, 1), Cost("fit", "p/e/had/m", "knn", 10, 80.0, 1)),
        *(Cost("score", "", "", 0, 2.0, 1), Cost("compare", "", "", 0, 1.0, 1)),
    ]
    assert without_data(nodes, tmp_path) == {"parse/lost", "fit/p/e/lost/m"}
    known = known_seconds(nodes, tmp_path, Costs.of(rows))
    assert known.unlike == {"measure/p/new"}
    assert known.seconds == {
        **{"parse/had": 3.0, "parse/lost": 2.0, "fit/p/e/had/m": 80.0, "fit/p/e/lost/m": 2.0},
        **{"measure/p/new": 0.0, "compare/p": 1.0},
    }
    assert "1 of them are like no row" in in_words(nodes, known, [Engine("1 core", 1)])


def test_what_a_job_is_expected_to_take_holds_its_single_fits_and_no_job_like_none() -> None:
    nodes = named(
        *(Node("part", f"p/e/d/m/{cell}", path=f"parts/{cell}") for cell in range(2)),
        Node("fit", "p/e/d/m", ("part/p/e/d/m/0", "part/p/e/d/m/1"), path="fitted"),
        Node("measure", "p/new", path="new"),
    )
    seconds = {"part/p/e/d/m/0": 30.0, "part/p/e/d/m/1": 40.0, "fit/p/e/d/m": 2.0, "measure/p/new": 0.0}
    found = expected(nodes, Known(seconds, frozenset(), frozenset({"measure/p/new"})))
    assert found == {"parts/0": 30.0, "parts/1": 40.0, "fitted": 72.0}
