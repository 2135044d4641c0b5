"""Which jobs each job reads, and with them the graph of a run: the rules and the simulated schedule both ask here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from reproduction.plan.costs import Cost, read_measured
from reproduction.plan.plan import Plan, Run
from reproduction.plan.stages import (
    ACCEPT,
    COMPARE,
    CRATE,
    FEATURES,
    FETCH,
    FIGURE,
    FIT,
    MEASURE,
    PAGE,
    PARSE,
    PART,
    PROVENANCE,
    SCORE,
    SPLIT,
    STAGES,
    TABLE,
    Job,
)
from textmix.core.io import META, read_json

#: Stages whose jobs take long enough to be shown one by one, and to have a row each in the table of costs.
LONG = tuple(stage.name for stage in STAGES.values() if stage.long)
#: The stages of one job each that end a run, and the stages that they wait for.
ENDS = {
    PAGE.name: (PARSE.name, COMPARE.name, TABLE.name, FIGURE.name),
    PROVENANCE.name: LONG,
    CRATE.name: (PAGE.name, PROVENANCE.name),
    ACCEPT.name: (PAGE.name,),
}


@dataclass(frozen=True)
class Inputs:
    """The jobs whose results each job of a plan reads."""

    plan: Plan

    def raw(self, dataset: str) -> list[Job]:
        """Return what the parsing of a data set reads: its files, and those of its stand-ins."""
        return [FETCH.of(dataset=name) for name in (dataset, *self.plan.stand_ins(dataset))]

    def views(self, run: Run) -> list[Job]:
        """Return the counts that a fit reads: one a view, and one alone where its entry names no views."""
        features, _ = self.plan.run_inputs(run)
        views = self.plan.run_entry(run).get("features") or [features]
        return [FEATURES.of(dataset=run.dataset, features=view) for view in views]

    def counts(self, run: Run) -> Job:
        """Return the counts that the score of a fit reads."""
        return FEATURES.of(dataset=run.dataset, features=self.plan.run_inputs(run)[0])

    def split(self, run: Run) -> Job:
        """Return the split that a fit and its score read."""
        return SPLIT.of(dataset=run.dataset, split=self.plan.run_inputs(run)[1])

    def parts(self, run: Run) -> list[Job]:
        """Return the single fits that a fit job joins, in order; none where it makes all its fits itself."""
        return [PART.of(**vars(run), cell=str(cell)) for cell in range(self.plan.cells(run))]

    def sources(self, paper: str, measure: str) -> dict[str, list[Job]]:
        """Return role -> the counts, the split and the further counts that a measure reads."""
        beside = dict(self.plan.measure_beside(paper, measure))
        return {
            role: [
                FEATURES.of(dataset=dataset, features=features),
                SPLIT.of(dataset=dataset, split=split),
                *(FEATURES.of(dataset=dataset, features=beside[dataset]) for _ in [dataset] if dataset in beside),
            ]
            for role, (dataset, features, split) in self.plan.measure_sources(paper, measure).items()
        }

    def fits(self, paper: str, measure: str) -> list[tuple[str, Job]]:
        """Return role and fit of the predictions that a measure reads."""
        return [(role, FIT.of(**vars(run))) for role, run in self.plan.measure_runs(paper, measure)]

    def measures(self, paper: str) -> list[Job]:
        """Return the measures that comparison and figures of a paper read."""
        return [MEASURE.of(paper=paper, measure=measure) for measure in self.plan.measures(paper)]

    def data(self, paper: str) -> list[Job]:
        """Return the parsed data sets and the counts of a paper, of which the comparison reads the statistics."""
        return [
            *(PARSE.of(dataset=dataset) for dataset in self.plan.datasets(paper)),
            *(FEATURES.of(dataset=dataset, features=features) for dataset, features in self.plan.feature_sets(paper)),
        ]


@dataclass(frozen=True)
class Node:
    """One job.

    Parameters
    ----------
    stage, job : the rule, and the job's name within it; both together name its benchmark file.
    waits : names of the jobs whose results it reads.
    method : what it does, as `reproduction.plan.costs.Cost` has it.
    documents : size of its data set; 0 where it is not known, or the job reads none.
    path : of its first result.
    """

    stage: str
    job: str
    waits: tuple[str, ...] = ()
    method: str = ""
    documents: int = 0
    path: str = ""

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
        found[f"{stage}/report"] = Node(stage, "report", waits, path=STAGES[stage].path())
    return found


def _paper(plan: Plan, paper: str) -> Iterator[Node]:
    """Yield the jobs of one paper, with those that it shares with further papers."""
    inputs, runs, measures = Inputs(plan), list(plan.runs(paper)), plan.measures(paper)
    for dataset in plan.datasets(paper):
        raw = inputs.raw(dataset)
        yield from (_node(plan, job) for job in raw)
        yield _node(plan, PARSE.of(dataset=dataset), raw)
    for dataset, features in plan.feature_sets(paper):
        yield _node(plan, FEATURES.of(dataset=dataset, features=features), [PARSE.of(dataset=dataset)], features)
    for dataset, split in plan.split_sets(paper):
        yield _node(plan, SPLIT.of(dataset=dataset, split=split), [PARSE.of(dataset=dataset)])
    for run in runs:
        data, use = [*inputs.views(run), inputs.split(run)], plan.run_entry(run)["use"]
        parts = inputs.parts(run)
        yield from (_node(plan, part, data, use) for part in parts)
        yield _node(plan, FIT.of(**vars(run)), parts or data, use)
        yield _node(plan, SCORE.of(**vars(run)), [FIT.of(**vars(run)), inputs.counts(run), inputs.split(run)])
    for measure in measures:
        yield _measure(plan, paper, measure)
    results = [stage.of(**vars(run)) for run in runs for stage in (FIT, SCORE)]
    yield _node(plan, COMPARE.of(paper=paper), [*inputs.data(paper), *results, *inputs.measures(paper)])
    # One job writes all tables of a paper, and one draws all its figures.
    for table in list(plan.papers[paper]["tables"])[:1]:
        yield _node(plan, TABLE.of(paper=paper, table=table), [COMPARE.of(paper=paper)])
    for figure in plan.drawable(paper)[:1]:
        yield _node(plan, FIGURE.of(paper=paper, figure=figure), [COMPARE.of(paper=paper)])


def _node(plan: Plan, job: Job, reads: Sequence[Job] = (), method: str = "") -> Node:
    """Return a job of the graph; the number of documents counts where the job may take long."""
    documents = plan.documents(job.names.get("dataset", "")) if job.stage.long else 0
    waits = tuple(before.name for before in reads)
    return Node(job.stage.name, job.name.partition("/")[2], waits, method, documents, job.path)


def _measure(plan: Plan, paper: str, measure: str) -> Node:
    """Return the job of a measure; its size is that of its largest data set."""
    inputs, name = Inputs(plan), f"{paper}/{measure}"
    reads = [job for jobs in inputs.sources(paper, measure).values() for job in jobs]
    reads += [job for _, job in inputs.fits(paper, measure)]
    node = _node(plan, MEASURE.of(paper=paper, measure=measure), reads, name)
    sizes = (plan.documents(dataset) for dataset, _, _ in plan.measure_sources(paper, measure).values())
    return replace(node, documents=max(sizes, default=0))


def long_waits(nodes: Mapping[str, Node]) -> dict[str, list[str]]:
    """Return name -> names of the jobs that it waits for, both of the stages of `LONG` alone."""
    kept = {name: node for name, node in nodes.items() if node.stage in LONG}
    return {name: [before for before in node.waits if before in kept] for name, node in kept.items()}


def without_data(nodes: Mapping[str, Node], folder: Path) -> frozenset[str]:
    """Return the names of the jobs that end at once, for a data set that they read could not be had.

    Parameters
    ----------
    nodes : name -> job, each behind the jobs that it waits for.
    folder : in which the workflow runs; a data set that was not parsed yet counts as one that can be had.
    """
    found: set[str] = set()
    for name, node in nodes.items():
        record = folder / PARSE.path(dataset=node.job) / META
        if node.stage == PARSE.name:
            lost = record.is_file() and "missing" in read_json(record)
        else:
            lost = STAGES[node.stage].reads_data and not found.isdisjoint(node.waits)
        if lost:
            found.add(name)
    return frozenset(found)


def measured_costs(nodes: Mapping[str, Node], folder: Path) -> list[Cost]:
    """Return a row for each long job that was measured, and for each further stage one of all its jobs.

    A job whose data could not be had tells nothing of what it takes, and has no row.

    Parameters
    ----------
    nodes : the jobs of the plan.
    folder : in which the workflow ran.
    """
    spent: dict[tuple[str, str], list[Cost]] = {}
    lost = without_data(nodes, folder)
    for node in (node for name, node in nodes.items() if name not in lost):
        found = read_measured(node.name, folder)
        if found is not None:
            row = _row(node, found.seconds, found.megabytes)
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
