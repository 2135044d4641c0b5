"""Read the configuration, make the plan of the run, and define what all rules use."""

import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path


def source_folder(rules):
    """Return the folder of this workflow; of a module from git, a checkout of its commit in the user's cache.

    Snakemake loads the rules of such a module, but neither ``config/`` nor ``src/``.
    """
    if isinstance(rules, os.PathLike):
        return Path(rules).parents[1]
    from git import Repo

    if hasattr(rules, "hosted_repo"):
        repository = rules.hosted_repo.repo
    else:
        repository = Repo(rules.repo_path)
    commit = repository.commit(rules.ref).hexsha
    cache = (
        os.environ.get("TEXTMIX_CACHE")
        or os.environ.get("XDG_CACHE_HOME")
        or "~/.cache"
    )
    folder = Path(cache).expanduser() / "textmix-source" / commit
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            checkout = f"{temporary}/checkout"
            clone = Repo.clone_from(repository.common_dir, checkout, no_checkout=True)
            clone.git.checkout(commit)
            if not folder.exists():
                os.rename(checkout, folder)
    # The jobs import the code of this commit, as this process does.
    search_path = [str(folder / "src"), os.environ.get("PYTHONPATH")]
    os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, search_path)))
    sys.path.insert(0, str(folder / "src"))
    return folder


STARTED = time.time()
# The folder of this workflow, also if another workflow uses it as a module.
ROOT = source_folder(workflow.current_basedir)
# Rules are included from this folder: Snakemake finds no scripts of rules that it took from a local git repository.
RULES = ROOT / "workflow/rules"
MAIN_CONFIG = ROOT / "config/config.yaml"

import pandas as pd
import snakemake_logger_plugin_textmix as progress
from snakemake.logging import logger

from reproduction.flow.announcement import (
    RECORDED_JOBS,
    PlannedJob,
    announce,
    downloads_of,
    estimate_run,
    read_measurements,
)
from reproduction.flow.availability import survey
from reproduction.flow.cpu_features import use_common_instructions
from reproduction.flow.folders import RESOURCES
from reproduction.flow.own_texts import check_own_texts
from reproduction.flow.papers import make_importable, outside
from reproduction.flow.plan import (
    check_cores,
    check_writable,
    make_plan,
    with_defaults,
)
from reproduction.flow.rule_inputs import (
    RECORDS,
    FeatureRow,
    FitRow,
    MeasureRow,
    RuleInputs,
    feature_rows,
    fit_rows,
    measure_rows,
)
from reproduction.flow.rule_params import (
    STYLES,
    TEMPLATES,
    RuleParams,
    count_published_rows,
    unrecorded,
)
from reproduction.verdict.reference_check import check_papers
from reproduction.verdict.wording import closing_line, failure_line
from textmix.core.config import load_yaml_strict
from textmix.core.errors import TextmixError
from textmix.core.io import read_json, remove_result
from textmix.data.sources import check_mirror

# Jobs inherit this setting: results are the same bytes on every processor.
use_common_instructions(os.environ)
# workflow/envs/run.post-deploy.sh installs textmix from this folder into a conda environment.
os.environ.update(TEXTMIX_SOURCE=str(ROOT))


if set("{}") & set(str(ROOT)):
    raise WorkflowError(
        f"the folder {ROOT} has a brace in its path, which Snakemake takes for a wildcard; rename or move it"
    )


@contextmanager
def report_errors_briefly():
    """Turn errors of textmix into a WorkflowError, which is printed as one sentence without a traceback."""
    try:
        yield
    except TextmixError as error:
        sys.tracebacklimit = 0
        raise WorkflowError(str(error))


MIRROR_FOLDER = os.environ.get("TEXTMIX_MIRROR")
MIRROR = Path(MIRROR_FOLDER) if MIRROR_FOLDER else None
CONFIG_FILES = [
    os.path.relpath(path)
    for path in dict.fromkeys((str(MAIN_CONFIG), *workflow.configfiles))
]
with report_errors_briefly():
    check_writable(Path())
    check_cores(workflow.resource_settings.cores)
    check_mirror(MIRROR)
    for path in CONFIG_FILES:
        load_yaml_strict(path)
    SETTINGS = with_defaults(config, MAIN_CONFIG)
    make_importable(outside(SETTINGS))
    PLAN = make_plan(SETTINGS, ROOT, RESOURCES, MIRROR, CONFIG_FILES)
    check_papers(PLAN.papers, PLAN.folders, ROOT)
    check_own_texts(PLAN.settings["own"])

INPUTS = RuleInputs(PLAN)
PARAMS = RuleParams(
    PLAN, MIRROR, here=not workflow.deployment_settings.deployment_method
)

# The jobs of the run, for lookup().
FITS = pd.DataFrame(fit_rows(PLAN), columns=FitRow._fields)
MEASURES = pd.DataFrame(measure_rows(PLAN), columns=MeasureRow._fields)
FEATURE_SETS = pd.DataFrame(feature_rows(PLAN), columns=FeatureRow._fields)
# Query for the rows of the papers that the configuration selects.
CHOSEN = f"paper in {PLAN.chosen()}"

SCHEMAS = os.path.relpath(ROOT / "workflow/schemas")
LOCK = os.path.relpath(ROOT / "requirements.lock")


def scale_with_attempt(megabytes):
    """Return the memory that a job requests, which grows with each attempt."""
    return lambda wildcards, attempt: megabytes * attempt


# A run of fewer jobs is not announced.
MIN_ANNOUNCED_JOBS = 20


def announce_run():
    """Print what this run downloads and stores, how long it takes, and which reports come first."""
    dag = workflow.dag
    planned = {}
    reports = {}
    datasets = set()
    for job in dag.needrun_jobs():
        number = dag.jobid(job)
        benchmark = str(job.benchmark or f"{job.rule.name}/")
        name = benchmark.removeprefix("results/benchmarks/").removesuffix(".tsv")
        needs = tuple(dag.jobid(need) for need in dag.dependencies[job])
        planned[number] = PlannedJob(name, job.threads, dag.priority(job), needs)
        if job.rule.name == "page_of_paper":
            reports[job.wildcards.paper] = number
        elif job.rule.name == "fetch":
            datasets.add(job.wildcards.dataset)
    if len(planned) < MIN_ANNOUNCED_JOBS or not workflow.local_exec:
        return
    entries = [PLAN.registry[name] for name in datasets]
    measurements = read_measurements(ROOT / RECORDED_JOBS)
    estimate = None
    if measurements:
        estimate = estimate_run(planned, measurements, workflow.cores)
        progress.expect(estimate.seconds, estimate.total)
        reports = {paper: estimate.ends[number] for paper, number in reports.items()}
    else:
        reports = dict.fromkeys(reports, 0.0)
    lines = announce(
        estimate,
        len(planned),
        workflow.cores,
        downloads_of(datasets, survey(entries, RESOURCES, MIRROR)),
        reports=reports,
        free_mb=shutil.disk_usage(".").free / 1e6,
    )
    for line in lines:
        logger.info(line)


#: Rules that write the pages of a report.
PAGES = ("page", "page_of_paper")


def report_failure():
    """Mark each report that this run should have written completely, and print which jobs failed."""
    # Imported here, because the templates slow down the planning of a run.
    from reproduction.verdict.failed_run import FailedRun, mark_report, read_failed_job

    dag = workflow.dag
    failed = []
    for job in workflow.scheduler.failed:
        # A cluster runs some jobs in groups.
        failed += list(job) if job.is_group() else [job]
    failed.sort(key=dag.jobid)
    # Rules without output only collect results.
    planned = [
        job for job in dag.needrun_jobs(exclude_finished=False) if job.output or job.log
    ]
    unfinished = {job for job in planned if not dag.finished(job)}
    run = FailedRun(
        start=time.strftime("%Y-%m-%d %H:%M", time.localtime(STARTED)),
        n_jobs=len(planned),
        n_open=len(unfinished.difference(failed)),
        jobs=[
            read_failed_job(job.message or job.rule.name, "".join(job.log[:1]))
            for job in failed
        ],
    )
    # Snakemake has removed the output of a failed job.  It does not repeat the job as long as results exist that were
    # computed from the former output, so that these are removed, too.
    without_output = [
        job for job in unfinished if not all(Path(path).exists() for path in job.output)
    ]
    for job in dag.bfs(dag.depending, *without_output):
        if job in unfinished and job.rule.name not in PAGES:
            for path in map(Path, job.output):
                remove_result(path)
    fronts = []
    for job in dag.jobs:
        if job.rule.name not in PAGES:
            continue
        is_complete = job not in unfinished and not any(
            job in dag.dependencies[other] for other in unfinished
        )
        if is_complete:
            continue
        front = job.output.front
        pages = [Path(path) for path in job.output if path.endswith(".html")]
        try:
            mark_report(run, Path(front), pages, is_present=job not in unfinished)
            fronts.append(front)
        except OSError as error:
            logger.warning(f"{front} is out of date and cannot be marked: {error}")
    logger.error(failure_line(len(failed), run.n_open, fronts))


def print_verdicts():
    """Print one line with the verdicts of each report that this run has written, and one on missing data sets."""
    reports = {
        paper: f"results/papers/{paper}/report/{paper}.html" for paper in PLAN.papers
    }
    reports["Report"] = "results/report/index.html"
    if PLAN.settings["rehearsal"]:
        logger.warning("rehearsal with synthetic data: no number is a result")
    for name, page in reports.items():
        summary = Path(page).with_name("summary.json")
        if summary.exists() and summary.stat().st_mtime >= STARTED:
            content = read_json(summary)
            line = closing_line(name, content["verdicts"], page, content["weak"])
            logger.info(line)
    missing = {
        PLAN.wanted[role]["dataset"] for role in PLAN.out_of_reach(PLAN.chosen())
    }
    if missing and Path(reports["Report"]).exists():
        count = (
            "1 data set is" if len(missing) == 1 else f"{len(missing)} data sets are"
        )
        logger.info(
            f"{count} not available here: {', '.join(sorted(missing))}; snakemake --cores 1 doctor "
            "lists the addresses and checksums of their files, and make retry uses them"
        )


wildcard_constraints:
    paper="|".join(PLAN.papers),
    dataset="[a-z0-9_]+",
    features="[a-z0-9_]+",
    split="[a-z0-9_]+",
    experiment="[a-z0-9_]+",
    method="[a-z0-9_]+",
    measure="[a-z0-9_]+",
