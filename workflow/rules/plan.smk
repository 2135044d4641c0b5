"""The plan of this run, made once; rules ask JOBS for inputs and parameters, TARGETS for files. No rule stands here."""

import os

from textmix.plan.jobs import Jobs
from textmix.plan.making import make_plan
from textmix.plan.targets import Targets, verdicts_said

with one_sentence():
    PLAN = make_plan(config, [MAIN_CONFIG, *CONFIG_FILES], ROOT)

MIRROR = os.environ.get("TEXTMIX_MIRROR")
JOBS = Jobs(PLAN, Path(MIRROR) if MIRROR else None)
TARGETS = Targets(PLAN)
OWN, MODEL = PLAN.own, PLAN.model


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


def own_files(wildcards):
    """Return the files of the target own; without data end with a sentence that says how to name them."""
    with one_sentence():
        return TARGETS.own()


def model_folder(wildcards):
    """Return the folder of the target model; without a model end with a sentence that says how to name one."""
    with one_sentence():
        return TARGETS.model()


def describe_papers():
    """Set the description of each paper's target in `snakemake --list-target-rules` to the paper's citation."""
    for paper, spec in PLAN.papers.items():
        name = workflow.modifier.modify_rulename(paper)
        if workflow.is_rule(name):
            workflow.get_rule(name).docstring = spec["citation"]
