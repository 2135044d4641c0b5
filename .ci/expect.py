"""Check that a run wrote the report with every published value once and kept the verdicts of the recorded run.

A row whose data are those of the recorded run must keep its verdict; in a run with a cap on trials only a row that was
reproduced with the same settings.  The last line counts the rows that could not be compared.

Each number or claim that differs needs an entry under ``explains`` in the ``choices.yaml`` of its paper.
"""

import sys
from collections import Counter
from pathlib import Path

from reproduction.flow.lineage import read_origins
from reproduction.verdict.causes import causes_of
from reproduction.verdict.comparison_row import read_comparison
from reproduction.verdict.published import COUNTED, read_record
from reproduction.verdict.record_check import lost_verdicts
from reproduction.verdict.recorded_run import read_recorded, recorded_files
from reproduction.verdict.wording import DIFFERS, NOT_CHOSEN, REPRODUCED
from textmix.core.io import read_json

#: Number of equations whose tests may lack an outcome.
MAX_UNTESTED_EQUATIONS = 10

report = "".join(path.read_text(encoding="utf-8") for path in sorted(Path("results/report").glob("*.html")))
rows = read_comparison("results/report/comparison.csv")
folders = sorted(path.parent for path in Path("config/papers").glob("*/published.csv"))
records = {folder.name: read_record(folder, "workflow/schemas") for folder in folders}
counted = [row for row in rows if row.kind in COUNTED]
verdicts = Counter(row.verdict for row in counted if not row.weak)
weak = Counter(row.verdict for row in counted if row.weak)
failures = []

published_ids = [row.id for record in records.values() for row in record.rows]
if Counter(row.id for row in rows) != Counter(published_ids):
    failures.append(f"comparison.csv has {len(rows)} rows, the published files have {len(published_ids)}")
if "<figure" not in report or any(paper not in report for paper in records):
    failures.append("a paper or its figures are missing from the report")

settings = read_json("results/report/config.json")
# A run of fewer papers leaves the origins of an earlier run in place, which do not belong to it.
papers = settings["papers"] or records
origins = {}
for paper in papers:
    origins.update(read_origins(Path("results/papers", paper, "origins.csv")))
recorded = read_recorded(recorded_files(Path("config/papers").iterdir()))
if recorded is None:
    sys.exit("no run is recorded; snakemake record writes one from a finished run")
lost, counts = lost_verdicts(
    [row for row in rows if row.paper in papers],
    origins,
    recorded,
    fewer_trials=settings["max_trials"] is not None,
)
if lost or not counts["compared"]:
    failures.append(
        f"{len(lost)} of {counts['compared']} verdicts of the recorded run of {recorded.day} are lost: "
        f"{'; '.join(lost)}"
    )

equations = [row for row in rows if row.kind == "equation" and NOT_CHOSEN not in row.reason]
n_judged = sum(row.verdict in (REPRODUCED, DIFFERS) for row in equations)
if n_judged < len(equations) - MAX_UNTESTED_EQUATIONS or any(row.verdict == DIFFERS for row in equations):
    failures.append(
        f"only {n_judged} of {len(equations)} equations are judged; make test writes the outcomes of their tests"
    )

explained = {row_id for record in records.values() for row_id in causes_of(record.choices, record.rows)}
unexplained = [row.id for row in counted if row.verdict == DIFFERS and row.id not in explained]
if unexplained:
    failures.append(f"no explanation in choices.yaml: {', '.join(unexplained)}; write the cause under explains")
if failures:
    sys.exit("; ".join(failures))
sys.stdout.write(
    f"{len(rows)} rows; numbers and claims: {dict(verdicts)}; weak: {dict(weak)}; compared with the record: {counts}\n"
)
