"""Print where the processor's time of the jobs of this folder went."""

import sys
from pathlib import Path

from reproduction.job.spent import in_words, spent_by_rule

sys.stdout.write(in_words(spent_by_rule(Path("logs"))) + "\n")
