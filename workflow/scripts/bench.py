"""Run one suite of the bench: candidates and their peers in turns."""

from textmix.io import format_csv, write_result
from textmix.runtime import job
from textmix.study.bench.running import run_suite
from textmix.study.bench.suites import load_suites
from textmix.study.bench.timing import COLUMNS

with job(snakemake) as running:
    rows = run_suite(load_suites()[snakemake.wildcards.suite], list(snakemake.input))
    write_result(snakemake.output[0], format_csv(rows, COLUMNS), running.record)
