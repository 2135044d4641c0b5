"""The plan of this run, made once.

Rules ask JOBS, CONTEST, OWN_JOBS and READING_JOBS for inputs and parameters, TARGETS for files, RECIPES for parameters.
"""

import os

from snakemake.logging import logger
from snakemake_logger_plugin_textmix import expect, nothing_to_do

from textmix.core.environment import versions
from reproduction.flow.commit import agent_of
from reproduction.flow.folders import RESOURCES, RESULTS
from reproduction.job.spent import write_own_seconds
from reproduction.plan.carried import workflow_files
from reproduction.plan.contest_jobs import FIRST, ContestJobs, OwnJobs
from reproduction.plan.jobs import Jobs
from reproduction.plan.packing import packed_jobs
from reproduction.plan.page_jobs import PageJobs
from reproduction.flow.places import make_importable, outside
from reproduction.plan.plan import make_plan
from reproduction.plan.reading_jobs import ReadingJobs
from reproduction.plan.recipes import Recipes
from reproduction.plan.request import with_defaults
from reproduction.plan.schedule import SOON, Needs
from reproduction.plan.snakemake_private import forget_backup
from reproduction.plan.stages import (
    ACCEPT,
    ACCEPT_PAPER,
    COMPARE,
    CRATE,
    FEATURES,
    FETCH,
    FIGURE,
    FIT,
    MATRIX_PAGE,
    MATRIX_TABLE,
    MEASURE,
    MODEL,
    OWN_CHOICE,
    OWN_PAGE,
    OWN_PEERS,
    OWN_SUMMARY,
    PAGE,
    PAPER_PAGE,
    PARSE,
    PART,
    PROVENANCE,
    READINGS,
    SCORE,
    SPLIT,
    STUDY,
    TABLE,
)
from reproduction.plan.storage import storage_of
from reproduction.plan.targets import Targets, check_target
from reproduction.flow.curves import read_folder
from reproduction.flow.recorded_curves import RECORDED_CURVES, recorded_curves
from reproduction.verdict.references import check_papers
from reproduction.verdict.said import run_said

MIRROR = Path(asked) if (asked := os.environ.get("TEXTMIX_MIRROR")) else None
with one_sentence():
    SETTINGS = with_defaults(config, MAIN_CONFIG)
    make_importable(outside(SETTINGS))
    STORE = storage_of(workflow)
    PLAN = make_plan(
        SETTINGS,
        [MAIN_CONFIG, *CONFIG_FILES],
        ROOT,
        STORE.place(RESOURCES),
        MIRROR,
    )
    check_papers(PLAN.papers, PLAN.folders, ROOT)

JOBS = Jobs(PLAN, MIRROR, STORE)
CONTEST = ContestJobs(PLAN)
OWN_JOBS = OwnJobs(PLAN)
READING_JOBS = ReadingJobs(PLAN)
TARGETS = Targets(PLAN)
PAGES = PageJobs(PLAN)
NEEDS = Needs(PLAN)
RECIPES = Recipes(
    ROOT / "workflow/scripts",
    SNAKEMAKE.make_again,
    logger.info,
    here=SNAKEMAKE.runs_here(),
    store=STORE,
    # The peers stand beside the results at hand: a method without time is tried again for the target own alone.
    retry={"own", "peers"} & set(sys.argv[1:]) != {"peers"},
)
OWN, ASKED = PLAN.own, PLAN.model
INTERRUPTS = Interrupts()


wildcard_constraints:
    paper="|".join(PLAN.studies),
    dataset="[a-z0-9_]+",
    features="[a-z0-9_]+",
    split="[a-z0-9_]+",
    experiment="[a-z0-9_]+",
    method="[a-z0-9_]+",
    cell="[0-9]+",
    measure="[a-z0-9_]+",
