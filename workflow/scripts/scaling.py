"""Measure how one stage grows on synthetic documents."""

import os

from textmix.core.environment import use_all_instructions

use_all_instructions(os.environ)  # before NumPy is imported

from reproduction.bench.growth import COLUMNS
from reproduction.bench.scaling import measure_case
from reproduction.flow.job import job
from textmix.core.io import format_csv, write_result
from textmix.data.corpus import Corpus

with job(snakemake) as running:
    spec, largest = running.settings.spec, running.settings.largest
    sizes = [size for size in spec["sizes"] if largest is None or size <= largest]
    rows = measure_case(snakemake.wildcards.case, spec["axis"], sizes, Corpus.load(snakemake.input[0]))
    write_result(snakemake.output[0], format_csv(rows, COLUMNS), running.record)
