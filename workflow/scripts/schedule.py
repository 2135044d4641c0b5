"""Print how long the run takes on different numbers of cores."""

import sys
from pathlib import Path

from reproduction.plan.costs import Costs, load_costs
from reproduction.plan.schedule import ENGINES, in_words, known_seconds

nodes = snakemake.params.nodes
costs = Costs.of(load_costs(Path(snakemake.params.table)))
known = known_seconds(nodes, Path(), costs)
sys.stdout.write(in_words(nodes, known, ENGINES) + "\n")
