"""The configuration is read strictly, with line numbers, and the plan of the run is made. No rule stands here."""

import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path


def source_folder(rules):
    """Return the folder of this workflow; of a module from git, a checkout of its commit in the user's cache.

    Snakemake brings the rules of such a module and neither ``config/`` nor ``src/``.
    """
    if isinstance(rules, os.PathLike):
        return Path(rules).parents[1]
    from git import Repo

    repository = (
        rules.hosted_repo.repo
        if hasattr(rules, "hosted_repo")
        else Repo(rules.repo_path)
    )
    commit = repository.commit(rules.ref).hexsha
    cache = next(
        filter(None, map(os.environ.get, ("TEXTMIX_CACHE", "XDG_CACHE_HOME"))),
        "~/.cache",
    )
    folder = Path(cache).expanduser() / "textmix-source" / commit
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            Repo.clone_from(
                repository.common_dir, f"{made}/checkout", no_checkout=True
            ).git.checkout(commit)
            if not folder.exists():
                os.rename(f"{made}/checkout", folder)
    # The jobs import the code of this commit, as this process does.
    os.environ.update(
        PYTHONPATH=os.pathsep.join(
            filter(None, (str(folder / "src"), os.environ.get("PYTHONPATH")))
        )
    )
    sys.path.insert(0, str(folder / "src"))
    return folder


STARTED = time.time()
# The folder of this workflow, also where another workflow uses it as a module.
ROOT = source_folder(workflow.current_basedir)
# The rules are included from there: Snakemake finds no scripts of rules that it took from a local git repository.
RULES = ROOT / "workflow/rules"
MAIN_CONFIG = ROOT / "config/config.yaml"

from snakemake.logging import logger

from reproduction.flow.folders import RESOURCES
from reproduction.flow.rule_inputs import RECORDS, STYLES, TEMPLATES, Jobs, untold
from reproduction.flow.papers import make_importable, outside
from reproduction.flow.plan import make_plan, with_defaults
from reproduction.flow.cpu_features import use_common_instructions
from reproduction.verdict.reference_check import check_papers
from reproduction.verdict.wording import closing_line
from textmix.core.config import load_yaml_strict
from textmix.core.errors import TextmixError
from textmix.core.io import read_json

# All jobs inherit it: the same bytes on every processor.
use_common_instructions(os.environ)
# The script that ends the set-up of a conda environment installs textmix from here.
os.environ.update(TEXTMIX_SOURCE=str(ROOT))


if set("{}") & set(str(ROOT)):
    raise WorkflowError(
        f"the folder {ROOT} has a brace in its path, which Snakemake takes for a wildcard; rename or move it"
    )


@contextmanager
def one_sentence():
    """Turn an error of textmix into a WorkflowError: its one sentence, without a traceback, ends the run."""
    try:
        yield
    except TextmixError as error:
        sys.tracebacklimit = 0
        raise WorkflowError(str(error))


MIRROR = Path(asked) if (asked := os.environ.get("TEXTMIX_MIRROR")) else None
with one_sentence():
    for path in dict.fromkeys((str(MAIN_CONFIG), *workflow.configfiles)):
        load_yaml_strict(path)
    SETTINGS = with_defaults(config, MAIN_CONFIG)
    make_importable(outside(SETTINGS))
    PLAN = make_plan(SETTINGS, ROOT, RESOURCES, MIRROR)
    check_papers(PLAN.papers, PLAN.folders, ROOT)
JOBS = Jobs(PLAN, MIRROR, here=not workflow.deployment_settings.deployment_method)


def grows(megabytes):
    """Return how much memory a job asks a cluster for, more with each attempt."""
    return lambda wildcards, attempt: megabytes * attempt


def print_verdicts():
    """Print the verdicts of each report that this run made, a line each, after those of its jobs: by the same queue."""
    reports = {
        paper: f"results/papers/{paper}/report/{paper}.html" for paper in PLAN.papers
    }
    for name, page in {**reports, "Report": "results/report/index.html"}.items():
        summary = Path(page).with_name("summary.json")
        if summary.exists() and summary.stat().st_mtime >= STARTED:
            counts = read_json(summary)["verdicts"]
            logger.info(closing_line(name, counts, page))


wildcard_constraints:
    paper="|".join(PLAN.papers),
    dataset="[a-z0-9_]+",
    features="[a-z0-9_]+",
    split="[a-z0-9_]+",
    experiment="[a-z0-9_]+",
    method="[a-z0-9_]+",
    measure="[a-z0-9_]+",
