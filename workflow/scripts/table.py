"""Write one table of a paper with the published and the rebuilt values side by side, as csv and as LaTeX."""

from textmix.core.io import check_result, read_csv, write_result
from textmix.core.runtime import job
from textmix.verdict.tables import make_table, table_csv, table_tex

with job(snakemake) as running:
    check_result(snakemake.input[0])
    name = snakemake.wildcards.table
    table = make_table(name, running.settings.entry, read_csv(snakemake.input[0]))
    write_result(snakemake.output.csv, table_csv(table), running.record)
    write_result(snakemake.output.tex, table_tex(table), running.record)
