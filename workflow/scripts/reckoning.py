"""Reckon what more documents cost, from the measured growth of each stage."""

from reproduction.bench.reckoning import COLUMNS, reckon
from reproduction.flow.job import job
from textmix.core.io import format_csv, read_csv, write_result

with job(snakemake) as running:
    rows = reckon(read_csv(snakemake.input[0]), running.settings.memory_gib)
    write_result(snakemake.output[0], format_csv(rows, COLUMNS), running.record)
