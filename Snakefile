"""textmix: every table, curve and number of five documents on text categorisation, rebuilt from raw data."""

import os

from snakemake.utils import min_version

min_version("9.20")


report: "workflow/report/workflow.rst"


include: "workflow/rules/read.smk"


configfile: MAIN_CONFIG


# Made by `make image`; used with --software-deployment-method apptainer.  The path is relative, because Snakemake refuses
# an image whose path has a space, also where no image is used.
container: os.path.relpath(ROOT / "textmix.sif")


include: "workflow/rules/plan.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/parse.smk"
include: "workflow/rules/features.smk"
include: "workflow/rules/splits.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/bench.smk"
include: "workflow/rules/own.smk"
include: "workflow/rules/matrix.smk"
include: "workflow/rules/model.smk"
include: "workflow/rules/status.smk"
include: "workflow/rules/costs.smk"
include: "workflow/rules/scaling.smk"
include: "workflow/rules/pack.smk"


onstart:
    SNAKEMAKE.start_jobs_at_once()


rule all:
    """Rebuild every document that config.yaml names, ending in the report page (the default)."""
    default_target: True
    input:
        ACCEPT.path(),
        CRATE.path(),
    localrule: True


for paper in PLAN.papers:

    rule:
        name:
            paper
        input:
            TARGETS.paper(paper),
        localrule: True
        message:
            TARGETS.said(paper)


for paper, spec in PLAN.papers.items():
    SNAKEMAKE.describe(paper, spec["citation"])


rule tables:
    """All tables, as csv."""
    input:
        TARGETS.tables(),
    localrule: True


rule figures:
    """All figures, as svg."""
    input:
        TARGETS.figures(),
    localrule: True


rule report:
    """The pages results/report/index.html and further, and comparison.csv."""
    input:
        PAGE.path(),
        CRATE.path(),
    localrule: True


check_targets()


onsuccess:
    if RECIPES.is_of_run(PAGE.path("summary")):
        print(verdicts_said(), file=sys.stderr)


onerror:
    delete_unfounded()
