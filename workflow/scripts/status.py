"""Print which results are done, started and missing, and how long the rest takes."""

import sys
from pathlib import Path

from reproduction.plan.status import in_words, status

sys.stdout.write(in_words(status(snakemake.params.results, Path()), snakemake.params.cores) + "\n")
