"""Snakemake, imported once and forked for each run, so that a test does not wait a second for its imports.

Each line of the standard input is a run as JSON: arguments, folder and environment.  Each line of the standard output
is its exit code and the text that it printed.  Nothing of textmix is imported before the fork, so that a run has the
library of its clone.  The jobs of a run are processes of their own, as they are for a person.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from typing import Any

import snakemake.cli

#: Snakemake imports them as it reads a Snakefile.
LATE = ("jsonschema", "snakemake.dag", "snakemake.workflow", "yte")


def become(run: dict[str, Any], log: int) -> None:
    """Turn this process into a run of Snakemake, whose streams go to a file."""
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ.clear()
    os.environ.update(run["environment"])
    os.chdir(run["folder"])
    sys.path.insert(0, run["environment"]["PYTHONPATH"])
    sys.argv = ["snakemake", *run["arguments"]]
    snakemake.cli.main()


for name in LATE:
    importlib.import_module(name)
snakemake.cli.get_argument_parser()  # imports the plugins of Snakemake
for line in sys.stdin:
    with tempfile.TemporaryFile() as log:
        child = os.fork()
        if child == 0:
            become(json.loads(line), log.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        log.seek(0)
        sys.stdout.write(json.dumps([code, log.read().decode("utf-8", "replace")]) + "\n")
        sys.stdout.flush()
