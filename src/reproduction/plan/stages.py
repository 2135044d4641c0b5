"""The stages of the workflow: the names of each one's jobs, the paths of their results, and how they are started.

Every path of a result stands here once.  The rules, the inputs of jobs, the targets, the graph of jobs, the table of
costs, the state of a run and its schedule read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reproduction.flow.folders import RESULTS

#: Outcomes of the tests, which no job writes but `make test`.
OUTCOMES = RESULTS / "tests/outcomes.json"
_RUN = "{paper}/{experiment}/{dataset}/{method}"


class _Filled(dict[str, str]):
    """Names of a path; a name that is not given stays as it is, for Snakemake to fill."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


@dataclass(frozen=True)
class Stage:
    """A stage: a rule of the workflow, and its jobs.

    Parameters
    ----------
    name : of the rule, and of its folder of benchmark and log files.
    job : pattern of the names of its jobs.
    outputs : name of an output -> pattern of its path; the first one stands for the job.
    group : with which a cluster is asked for jobs together: ``data``, ``work`` and ``end``; empty for none.
    makes_data : whether costly jobs wait for it, so that its jobs start first.
    reads_data : whether a job ends at once where a data set that it reads could not be had.
    long : whether its jobs may take long: each is shown by itself and has a row of its own in the table of costs.
    """

    name: str
    job: str
    outputs: Mapping[str, str]
    group: str = ""
    makes_data: bool = False
    reads_data: bool = False
    long: bool = False

    def path(self, output: str = "", **names: str) -> str:
        """Return the path of an output, of the first by default, with the given names; the others stay wildcards."""
        return self.outputs[output or next(iter(self.outputs))].format_map(_Filled(names))

    def node(self, **names: str) -> str:
        """Return the name of a job among the jobs of all stages."""
        return f"{self.name}/{self.job.format_map(_Filled(names))}"

    @property
    def log(self) -> str:
        """Pattern of the paths of the logs."""
        return log_of(self.node())

    @property
    def benchmark(self) -> str:
        """Pattern of the paths of Snakemake's files on time and memory."""
        return benchmark_of(self.node())

    def of(self, **names: str) -> Job:
        """Return the job with the given names."""
        return Job(self, names)


@dataclass(frozen=True)
class Job:
    """A job of a stage: the names in the paths of its results."""

    stage: Stage
    names: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name among the jobs of all stages."""
        return self.stage.node(**self.names)

    @property
    def path(self) -> str:
        """The path of its first output."""
        return self.stage.path(**self.names)


def benchmark_of(node: str) -> str:
    """Return the path of Snakemake's file on time and memory of a job, by its name among the jobs of all stages."""
    return f"{RESULTS}/benchmarks/{node}.tsv"


def log_of(node: str) -> str:
    """Return the path of the log of a job, by its name among the jobs of all stages."""
    return f"logs/{node}.log"


FETCH = Stage("fetch", "{dataset}", {"record": "resources/{dataset}/fetch.json"}, makes_data=True)
PARSE = Stage("parse", "{dataset}", {"corpus": "results/datasets/{dataset}"}, "data", makes_data=True, long=True)
FEATURES = Stage(
    *("features", "{dataset}/{features}", {"corpus": "results/features/{dataset}/{features}"}, "data"),
    makes_data=True,
    reads_data=True,
    long=True,
)
SPLIT = Stage(
    *("split", "{dataset}/{split}", {"splits": "results/splits/{dataset}/{split}"}, "data"),
    makes_data=True,
    reads_data=True,
)
PART = Stage("part", f"{_RUN}/{{cell}}", {"part": f"results/parts/{_RUN}/{{cell}}"}, reads_data=True, long=True)
FIT = Stage(
    *("fit", _RUN, {"predictions": f"results/predictions/{_RUN}", "timings": f"results/timings/{_RUN}.csv"}, "work"),
    reads_data=True,
    long=True,
)
SCORE = Stage("score", _RUN, {"scores": f"results/scores/{_RUN}.csv"}, "work", reads_data=True)
MEASURE = Stage(
    *("measure", "{paper}/{measure}", {"measure": "results/papers/{paper}/measures/{measure}"}, "work"),
    reads_data=True,
    long=True,
)
COMPARE = Stage(
    "compare",
    "{paper}",
    {kind: f"results/papers/{{paper}}/{kind}.csv" for kind in ("comparison", "origins", "causes")},
    "end",
)
TABLE = Stage(
    "table", "{paper}", {kind: f"results/papers/{{paper}}/tables/{{table}}.{kind}" for kind in ("csv", "tex")}, "end"
)
FIGURE = Stage("figure", "{paper}", {"figure": "results/papers/{paper}/figures/{figure}.svg"}, "end")
PAGE = Stage(
    *("page", "report"),
    {
        "front": "results/report/index.html",
        "numbers": "results/report/numbers.html",
        "papers": "results/report/{paper}.html",
        "comparison": "results/report/comparison.csv",
        "placebo": "results/report/placebo.csv",
        "means": "results/report/means.csv",
        "light": "results/report/results-light.svg",
        "dark": "results/report/results-dark.svg",
        "summary": "results/report/summary.json",
    },
    "end",
)
#: The report of one paper, by its target.
PAPER_PAGE = Stage(
    *("paper_page", "{paper}"),
    {
        "paper": "results/papers/{paper}/report/{paper}.html",
        **{
            output: f"results/papers/{{paper}}/report/{Path(path).name}"
            for output, path in PAGE.outputs.items()
            if output != "papers"
        },
    },
    "end",
)
PROVENANCE = Stage("provenance", "report", {"page": "results/report/provenance.html"}, "end")
CRATE = Stage(
    *("crate", "report"),
    {
        "metadata": "results/report/ro-crate-metadata.json",
        "readme": "results/report/README.md",
        "source": "results/report/source",
        "configuration": "results/report/config.json",
    },
    "end",
)
ACCEPT_PAPER = Stage("paper_accepted", "{paper}", {"accepted": "results/papers/{paper}/accepted.json"}, "end")
ACCEPT = Stage("accept", "report", {"accepted": "results/report/accepted.json"}, "end")
#: The stages of a run of papers, in order of work.
STAGES = {
    stage.name: stage
    for stage in (
        *(FETCH, PARSE, FEATURES, SPLIT, PART, FIT, SCORE, MEASURE),
        *(COMPARE, TABLE, FIGURE, PAGE, PROVENANCE, CRATE, ACCEPT),
    )
}

# Stages of other targets: the matrix, readings, a model, and data of the user's own.
MATRIX_TABLE = Stage("matrix", "table", {kind: f"results/matrix/{kind}.csv" for kind in ("matrix", "costs", "trials")})
MATRIX_PAGE = Stage("matrix", "page", {"page": "results/matrix/index.html"})
STUDY = Stage("matrix", "study", {"table": "results/matrix/study.csv", "page": "results/matrix/study.html"})
READINGS = Stage("readings", "{paper}", {"curves": "results/papers/{paper}/specifications"})
MODEL = Stage("model", "{dataset}/{method}", {"model": "results/models/{dataset}/{method}"})
OWN_SUMMARY = Stage("own", "{dataset}/summary", {"summary": "results/own/{dataset}/summary.json"})
OWN_CHOICE = Stage(
    "own",
    "{dataset}/{part}choice",
    {
        "choice": "results/own/{dataset}/{part}choice.json",
        "predictions": "results/own/{dataset}/{part}predictions.csv",
    },
)
OWN_PAGE = Stage(
    "own",
    "{dataset}/{part}page",
    {
        "page": "results/own/{dataset}/{part}index.html",
        **{kind: f"results/own/{{dataset}}/{{part}}{kind}.csv" for kind in ("scores", "costs", "trials")},
    },
)
OWN_PEERS = Stage("own", "{dataset}/peers", {"peers": "results/own/{dataset}/peers.csv"})
