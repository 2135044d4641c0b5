"""Write the tables of a paper with published and reproduced values side by side, as csv and as LaTeX."""

from pathlib import Path

from reproduction.flow.job_context import job
from reproduction.verdict.comparison_row import read_comparison
from reproduction.verdict.report_rows import Item
from reproduction.verdict.tables import make_table, table_csv, table_tex
from textmix.core.io import write_result

with job(snakemake) as running:
    items = [Item(row) for row in read_comparison(snakemake.input[0])]
    for csv, tex in zip(snakemake.output.csv, snakemake.output.tex, strict=True):
        name = Path(csv).stem
        table = make_table(name, running.settings.entries[name], items)
        write_result(csv, table_csv(table), running.record)
        write_result(tex, table_tex(table), running.record)
