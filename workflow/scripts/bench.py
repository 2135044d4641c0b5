"""Run one suite of the bench, which times textmix's kernels and other implementations in turns."""

from textmix.bench.running import run_suite
from textmix.bench.timing import COLUMNS
from textmix.core.io import format_csv, write_result
from textmix.core.runtime import job
from textmix.plan.suites import Suite

with job(snakemake) as running:
    rows = run_suite(Suite(**running.settings.suite), list(snakemake.input))
    write_result(snakemake.output[0], format_csv(rows, COLUMNS), running.record)
