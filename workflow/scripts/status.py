"""Print which results are done, started and missing, and how long the rest takes."""

import sys
from pathlib import Path

from reproduction.plan.costs import Costs, load_costs
from reproduction.plan.schedule import expected, known_seconds
from reproduction.plan.status import in_words, status

asked = snakemake.params
known = known_seconds(asked.nodes, Path(), Costs.of(load_costs(Path(asked.table))))
stages = status(asked.results, Path(), expected(asked.nodes, known))
sys.stdout.write(in_words(stages, asked.cores) + "\n")
