"""Write what the jobs of this folder took into the table of costs; rows of jobs that did not run here stay."""

import sys
from pathlib import Path

from reproduction.plan.costs import load_costs, save_costs
from reproduction.plan.graph import measured_costs

table = Path(snakemake.params.table)
rows = measured_costs(snakemake.params.nodes, Path())
save_costs(table, [*load_costs(table), *rows])
sys.stdout.write(f"{table}: {len(rows)} rows measured in this folder\n")
