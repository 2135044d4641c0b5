"""The configuration files are read strictly, with line numbers, before Snakemake reads them. No rule stands here."""

import os
import sys
from contextlib import contextmanager
from pathlib import Path

from textmix.core.config import load_yaml_strict
from textmix.core.errors import TextmixError
from reproduction.plan.snakemake_private import Snakemake

SNAKEMAKE = Snakemake(workflow)

# The folder of this workflow, also where another workflow uses it as a module.
ROOT = Path(workflow.current_basedir).parents[1]
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
