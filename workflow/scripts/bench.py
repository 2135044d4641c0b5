"""Run one suite of the bench, which times textmix's kernels and other implementations in turns."""

import os

from textmix.core.environment import use_all_instructions

use_all_instructions(os.environ)  # before NumPy is imported

from reproduction.bench.running import run_suite
from reproduction.bench.timing import COLUMNS
from reproduction.flow.job import job
from reproduction.plan.suites import Suite
from textmix.core.io import format_csv, write_result

with job(snakemake) as running:
    rows = run_suite(Suite(**running.settings.suite), list(snakemake.input), running.settings.repeats)
    write_result(snakemake.output[0], format_csv(rows, COLUMNS), running.record)
