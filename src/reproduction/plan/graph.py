"""The jobs of a run and which of them waits for which, as the rules of the workflow say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from reproduction.plan.costs import Cost, read_benchmark
from reproduction.plan.plan import Plan, Run
from textmix.core.io import META, read_json

#: Stages whose jobs take long enough to be shown one by one, and to have a row each in the table of costs.
LONG = ("parse", "features", "part", "fit", "measure")
#: Stages whose jobs end at once where a data set that they read could not be had.
OF_DATA = ("features", "split", "part", "fit", "score", "measure")
#: The stages of one job each that end a run, and the stages that they wait for.
ENDS = {
    "page": ("parse", "compare", "table", "figure"),
    "provenance": LONG,
    "crate": ("page", "provenance"),
    "accept": ("page",),
}


@dataclass(frozen=True)
class Node:
    """One job.

    Parameters
    ----------
    stage, job : the rule, and the job's name within it; both together name its benchmark file.
    waits : names of the jobs whose results it reads.
    method : what it does, as `reproduction.plan.costs.Cost` has it.
    documents : size of its data set; 0 where it is not known, or the job reads none.
    """

    stage: str
    job: str
    waits: tuple[str, ...] = ()
    method: str = ""
    documents: int = 0

    @property
    def name(self) -> str:
        """The path of its benchmark file, without folder and ending."""
        return f"{self.stage}/{self.job}"


def graph(plan: Plan) -> dict[str, Node]:
    """Return name -> job, of all papers that the configuration asks for; each stands behind those that it waits for."""
    found: dict[str, Node] = {}
    for paper in plan.chosen():
        for node in _paper(plan, paper):
            found.setdefault(node.name, node)
    for stage, before in ENDS.items():
        waits = tuple(node.name for node in found.values() if node.stage in before)
        found[f"{stage}/report"] = Node(stage, "report", waits)
    return found


def _paper(plan: Plan, paper: str) -> Iterator[Node]:
    """Yield the jobs of one paper, with those that it shares with further papers."""
    for dataset in plan.datasets(paper):
        candidates = [dataset, *plan.stand_ins(dataset)]
        yield from (Node("fetch", name) for name in candidates)
        fetched = tuple(f"fetch/{name}" for name in candidates)
        yield Node("parse", dataset, fetched, documents=plan.documents(dataset))
    for dataset, features in plan.feature_sets(paper):
        documents = plan.documents(dataset)
        yield Node("features", f"{dataset}/{features}", (f"parse/{dataset}",), features, documents)
    for dataset, split in plan.split_sets(paper):
        yield Node("split", f"{dataset}/{split}", (f"parse/{dataset}",))
    runs = list(plan.runs(paper))
    for run in runs:
        yield from _run(plan, run)
    for measure in plan.measures(paper):
        yield _measure(plan, paper, measure)
    read = (
        *(f"parse/{dataset}" for dataset in plan.datasets(paper)),
        *(f"features/{dataset}/{features}" for dataset, features in plan.feature_sets(paper)),
        *(f"{stage}/{run.name}" for run in runs for stage in ("fit", "score")),
        *(f"measure/{paper}/{measure}" for measure in plan.measures(paper)),
    )
    yield Node("compare", paper, read)
    if plan.papers[paper]["tables"]:
        yield Node("table", paper, (f"compare/{paper}",))
    if plan.drawable(paper):
        yield Node("figure", paper, (f"compare/{paper}",))


def _run(plan: Plan, run: Run) -> Iterator[Node]:
    """Yield the single fits of a fit job, the job and the score."""
    features, split = plan.run_inputs(run)
    data = (f"features/{run.dataset}/{features}", f"split/{run.dataset}/{split}")
    method, documents = plan.run_entry(run)["use"], plan.documents(run.dataset)
    parts = [Node("part", f"{run.name}/{cell}", data, method, documents) for cell in range(plan.cells(run))]
    yield from parts
    yield Node("fit", run.name, tuple(part.name for part in parts) or data, method, documents)
    yield Node("score", run.name, (f"fit/{run.name}", *data))


def _measure(plan: Plan, paper: str, measure: str) -> Node:
    """Return the job of a measure."""
    sources = plan.measure_sources(paper, measure).values()
    used = [*((dataset, features) for dataset, features, _ in sources), *plan.measure_beside(paper, measure)]
    counted = (f"features/{dataset}/{features}" for dataset, features in used)
    splits = (f"split/{dataset}/{split}" for dataset, _, split in sources)
    fits = (f"fit/{run.name}" for _, run in plan.measure_runs(paper, measure))
    documents = max((plan.documents(dataset) for dataset, _, _ in sources), default=0)
    return Node("measure", f"{paper}/{measure}", (*counted, *splits, *fits), f"{paper}/{measure}", documents)


def long_waits(nodes: Mapping[str, Node]) -> dict[str, list[str]]:
    """Return name -> names of the jobs that it waits for, both of the stages of `LONG` alone."""
    kept = {name: node for name, node in nodes.items() if node.stage in LONG}
    return {name: [before for before in node.waits if before in kept] for name, node in kept.items()}


def without_data(nodes: Mapping[str, Node], results: Path) -> frozenset[str]:
    """Return the names of the jobs that end at once, for a data set that they read could not be had.

    Parameters
    ----------
    nodes : name -> job, each behind the jobs that it waits for.
    results : the folder of results; a data set that was not parsed yet counts as one that can be had.
    """
    found: set[str] = set()
    for name, node in nodes.items():
        record = results / "datasets" / node.job / META
        if node.stage == "parse":
            lost = record.is_file() and "missing" in read_json(record)
        else:
            lost = node.stage in OF_DATA and not found.isdisjoint(node.waits)
        if lost:
            found.add(name)
    return frozenset(found)


def measured_costs(nodes: Mapping[str, Node], results: Path) -> list[Cost]:
    """Return a row for each long job that Snakemake measured, and for each further stage one of all its jobs.

    A job whose data could not be had tells nothing of what it takes, and has no row.

    Parameters
    ----------
    nodes : the jobs of the plan.
    results : the folder of results; Snakemake's benchmark files and the parsed data sets lie below it.
    """
    spent: dict[tuple[str, str], list[Cost]] = {}
    lost = without_data(nodes, results)
    for node in (node for name, node in nodes.items() if name not in lost):
        path = results / "benchmarks" / f"{node.name}.tsv"
        found = read_benchmark(path) if path.is_file() else None
        if found is not None:
            row = _row(node, found.busy, found.megabytes)
            spent.setdefault((row.stage, row.job), []).append(row)
    return [_joined(rows) for rows in spent.values()]


def _row(node: Node, seconds: float, megabytes: int) -> Cost:
    """Return the row of one measured job: a single fit counts in the row of its fit job, a short job in its stage's."""
    if node.stage not in LONG:
        return Cost(node.stage, "", "", 0, seconds, megabytes)
    stage, job = ("fit", node.job.rpartition("/")[0]) if node.stage == "part" else (node.stage, node.job)
    return Cost(stage, job, node.method, node.documents, seconds, megabytes)


def _joined(rows: Sequence[Cost]) -> Cost:
    """Return one row for several: the largest memory, and the sum of seconds or, of the jobs of a stage, the median."""
    seconds = [row.seconds for row in rows]
    taken = sum(seconds) if rows[0].job else median(seconds)
    return replace(rows[0], seconds=round(taken, 2), megabytes=max(row.megabytes for row in rows))
