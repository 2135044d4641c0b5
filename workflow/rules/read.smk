"""The configuration files are read strictly, with line numbers, before Snakemake reads them. No rule stands here."""

import os
import sys
import tempfile
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


# The folder of this workflow, also where another workflow uses it as a module.
ROOT = source_folder(workflow.current_basedir)
# The rules are included from there: Snakemake finds no scripts of rules that it took from a local git repository.
RULES = ROOT / "workflow/rules"

from textmix.core.config import load_yaml_strict
from textmix.core.processor import use_common_instructions
from textmix.core.errors import TextmixError
from reproduction.flow.interrupt import RUN_ENDS, Interrupts, end_quietly
from reproduction.plan.snakemake_private import Snakemake

SNAKEMAKE = Snakemake(workflow)
end_quietly(RUN_ENDS)

# All jobs inherit it: the same bytes on every processor.
use_common_instructions(os.environ)
# The script that ends the set-up of a conda environment installs textmix from here.
os.environ.update(TEXTMIX_SOURCE=str(ROOT))
MAIN_CONFIG = ROOT / "config/config.yaml"
# The configuration files of the command line: Snakemake adds the main file to the list later.
CONFIG_FILES = SNAKEMAKE.configuration_files()


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


with one_sentence():
    for path in (MAIN_CONFIG, *CONFIG_FILES):
        load_yaml_strict(path)
