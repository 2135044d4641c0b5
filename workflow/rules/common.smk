"""Helpers: what the rules ask the plan for while the workflow is parsed. No rule stands here."""

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from textmix.data.fetch import source_state
from textmix.plan.own import settle
from textmix.plan.plan import Plan, Run

ROOT = Path(workflow.basedir)
MIRROR = os.environ.get("TEXTMIX_MIRROR")


with one_sentence():
    OWN = settle(config, [MAIN_CONFIG, *CONFIG_FILES], ROOT / "workflow/schemas")
    PLAN = Plan(config, ROOT, OWN)


wildcard_constraints:
    paper="|".join(PLAN.studies),
    dataset="[a-z0-9_]+",
    features="[a-z0-9_]+",
    split="[a-z0-9_]+",
    experiment="[a-z0-9_]+",
    method="[a-z0-9_]+",
    measure="[a-z0-9_]+",
    table="[a-z0-9_]+",
    figure="[a-z0-9_]+",
    suite="|".join(PLAN.suites),


def run_of(wildcards):
    """Return the fit job that wildcards name."""
    return Run(
        wildcards.paper, wildcards.experiment, wildcards.dataset, wildcards.method
    )


def fetch_state(wildcards):
    """Return what a fetch could use now; changes only when a missing data set becomes reachable."""
    entry = PLAN.registry[wildcards.dataset]
    folder = Path("resources") / wildcards.dataset
    return source_state(entry, folder, Path(MIRROR) if MIRROR else None)


def entry_digest(wildcards):
    """Return a digest of a data set's registry entry."""
    return PLAN.entry_digest(wildcards.dataset)


def parse_code(wildcards):
    """Return the code digest of a parse job."""
    return PLAN.reader_code(wildcards.dataset)


def run_features(wildcards):
    """Return the features folder of a fit job."""
    features, _ = PLAN.run_inputs(run_of(wildcards))
    return f"results/features/{wildcards.dataset}/{features}"


def run_splits(wildcards):
    """Return the splits folder of a fit job."""
    _, split = PLAN.run_inputs(run_of(wildcards))
    return f"results/splits/{wildcards.dataset}/{split}"


def method_spec(wildcards):
    """Return registry entry and parameters of a fit job."""
    return PLAN.run_entry(run_of(wildcards))


def method_code(wildcards):
    """Return the code digest of a fit job."""
    return PLAN.method_code(run_of(wildcards))


def metrics_of(wildcards):
    """Return the metrics of an experiment."""
    return PLAN.studies[wildcards.paper]["experiments"][wildcards.experiment]["metrics"]


def features_spec(wildcards):
    """Return the specification of a features set."""
    return PLAN.features[wildcards.features]


def split_spec(wildcards):
    """Return the specification of a split scheme."""
    return PLAN.splits[wildcards.split]


def measure_entry(wildcards):
    """Return a measure's entry in paper.yaml."""
    return PLAN.papers[wildcards.paper]["measures"][wildcards.measure]


def measure_sources(wildcards):
    """Return role -> [features folder, splits folder] of a measure."""
    sources = PLAN.measure_sources(wildcards.paper, wildcards.measure)
    return {
        role: [f"results/features/{data}/{features}", f"results/splits/{data}/{split}"]
        for role, (data, features, split) in sources.items()
    }


def measure_predictions(wildcards):
    """Return (role, method, predictions folder) of the fits that a measure reads."""
    return [
        (
            role,
            r.method,
            f"results/predictions/{r.paper}/{r.experiment}/{r.dataset}/{r.method}",
        )
        for role, r in PLAN.measure_runs(wildcards.paper, wildcards.measure)
    ]


def measure_inputs(wildcards):
    """Return the folders that a measure reads."""
    folders = [path for pair in measure_sources(wildcards).values() for path in pair]
    return folders + [path for _, _, path in measure_predictions(wildcards)]


def measure_code(wildcards):
    """Return the code digest of a measure: the script and the paper's own module."""
    return PLAN.code("measure", f"textmix.papers.{wildcards.paper}.measures")


def scores_of(wildcards):
    """Return the score files of a paper."""
    return [
        f"results/scores/{r.paper}/{r.experiment}/{r.dataset}/{r.method}.csv"
        for r in PLAN.runs(wildcards.paper)
    ]


def timings_of(wildcards):
    """Return the timing files of a paper."""
    return [
        f"results/timings/{r.paper}/{r.experiment}/{r.dataset}/{r.method}.csv"
        for r in PLAN.runs(wildcards.paper)
    ]


def measures_of(wildcards):
    """Return the measure folders of a paper."""
    return collect(
        "results/papers/{paper}/measures/{measure}",
        paper=wildcards.paper,
        measure=PLAN.measures(wildcards.paper),
    )


def data_of(wildcards):
    """Return the parsed data sets and the feature sets of a paper, for their statistics."""
    return [
        *collect("results/datasets/{name}", name=PLAN.datasets(wildcards.paper)),
        *(f"results/features/{d}/{f}" for d, f in PLAN.feature_sets(wildcards.paper)),
    ]


def roles_of(wildcards):
    """Return the roles of a paper with the data sets that stand for them."""
    return PLAN.roles(wildcards.paper)


def paper_spec(wildcards):
    """Return the whole paper.yaml of a paper."""
    return PLAN.papers[wildcards.paper]


def bench_inputs(wildcards):
    """Return what a suite of the bench reads; nothing where its role has no data."""
    return PLAN.bench_inputs(wildcards.suite)


def bench_suite_of(wildcards):
    """Return the entry of a suite of the bench."""
    return asdict(PLAN.suites[wildcards.suite])


def bench_code(wildcards):
    """Return the code digest of a suite: the script and the suite's module."""
    return PLAN.code("bench", PLAN.suites[wildcards.suite].module)


def figure_code(wildcards):
    """Return the code digest of a figure: the script, the paper's figure module and the style."""
    code = PLAN.code("figure", f"textmix.papers.{wildcards.paper}.figures")
    return [code, PLAN.data_code("pages/*.mplstyle")]


def paper_results(paper):
    """Return the files of a paper's target."""
    parts = [
        "comparison.csv",
        *(f"tables/{name}.csv" for name in PLAN.papers[paper]["tables"]),
        *(f"figures/{name}.svg" for name in drawable(paper)),
    ]
    return [f"results/papers/{paper}/{part}" for part in parts]


def drawable(paper):
    """Return the figures of a paper that is built and has at least one data set."""
    spec = PLAN.papers[paper]
    return list(spec["figures"]) if spec["status"] == "built" else []


def all_tables():
    """Return the tables of all papers that the configuration names."""
    return [
        f"results/papers/{paper}/tables/{name}.csv"
        for paper in PLAN.chosen()
        for name in PLAN.papers[paper]["tables"]
    ]


def all_figures():
    """Return the figures of all papers that the configuration names."""
    return [
        f"results/papers/{paper}/figures/{name}.svg"
        for paper in PLAN.chosen()
        for name in drawable(paper)
    ]


def all_datasets():
    """Return the parsed data sets of all papers that the configuration names."""
    names = {name for paper in PLAN.chosen() for name in PLAN.datasets(paper)}
    return collect("results/datasets/{name}", name=sorted(names))


def said(paper):
    """Return what a paper's target says when it is done."""
    page = f"results/papers/{paper}/comparison.csv"
    if PLAN.papers[paper]["status"] == "built":
        return f"{paper}: rebuilt; published beside rebuilt in {page}"
    return f"{paper}: NOT BUILT YET; only the statistics of its data stand in {page}"


def describe_papers():
    """Give the target of each paper its sentence in `snakemake --list-target-rules`."""
    for paper, spec in PLAN.papers.items():
        name = workflow.modifier.modify_rulename(paper)
        if workflow.is_rule(name):
            workflow.get_rule(name).docstring = spec["citation"]


def say_end():
    """Print the page's path and the counts of verdicts."""
    summary = Path("results/report/summary.json")
    if summary.is_file():
        counts = json.loads(summary.read_text(encoding="utf-8"))["verdicts"]
        words = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
        print(f"Report: results/report/index.html ({words})", file=sys.stderr)
