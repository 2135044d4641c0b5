"""Check that a run left the page and every published number once, and lost no verdict of the recorded run; and causes.

A row whose data are those of the recorded run must keep its verdict.  A run with a cap on trials is held to the rows
that it rebuilt by the same settings.  While no run is recorded, a minimum of reproduced numbers is asked for.

Each number or claim that differs needs an entry under ``explains`` in the ``deviations.yaml`` of its paper.
"""

import sys
from collections import Counter
from pathlib import Path

from reproduction.stored.origins import read_origins
from reproduction.verdict.causes import causes_of
from reproduction.verdict.published import read_record
from reproduction.verdict.recorded import lost_verdicts, read_recorded, recorded_files
from textmix.core.io import read_csv, read_json

#: Reproduced numbers and claims of the smallest run that is checked here, while no run is recorded.
MINIMUM = 20

page = "".join(path.read_text(encoding="utf-8") for path in sorted(Path("results/report").glob("*.html")))
rows = read_csv("results/report/comparison.csv")
published = {path.parent.name: read_csv(path) for path in sorted(Path("config/papers").glob("*/published.csv"))}
counted = [row for row in rows if row["kind"] in ("number", "claim")]
verdicts = Counter(row["verdict"] for row in counted)
faults = []
if Counter(row["id"] for row in rows) != Counter(row["id"] for part in published.values() for row in part):
    faults.append(f"comparison.csv has {len(rows)} rows, the published files {sum(map(len, published.values()))}")
if "<figure" not in page or any(paper not in page for paper in published):
    faults.append("the pages lack a document or its figures")
capped = read_json("results/report/config.json")["max_trials"] is not None
origins = [read_origins(path) for path in sorted(Path("results/papers").glob("*/origins.csv"))]
recorded = read_recorded(recorded_files(Path("config")))
if recorded is None:
    held = f"no run is recorded yet, and at least {MINIMUM} must be reproduced"
    if verdicts["reproduced"] < MINIMUM:
        faults.append(f"{verdicts['reproduced']} numbers and claims are reproduced; {held}")
else:
    lost, compared = lost_verdicts(
        rows, {name: one for part in origins for name, one in part.items()}, recorded, fewer_trials=capped
    )
    held = f"{compared} verdicts held to the record"
    if lost:
        faults.append(f"{len(lost)} verdicts of the recorded run of {recorded.day} are lost: {'; '.join(lost)}")
equations = [row for row in rows if row["kind"] == "equation" and "does not name the paper" not in row["reason"]]
judged = sum(row["verdict"] in ("reproduced", "differs") for row in equations)
if judged < len(equations) - 10 or any(row["verdict"] == "differs" for row in equations):
    faults.append(f"of {len(equations)} equations {judged} are judged; make test writes the outcomes of their tests")
records = [read_record(f"config/papers/{paper}", "workflow/schemas") for paper in published]
explained = {row for record in records for row in causes_of(record.deviations, record.rows)}
lacking = [row["id"] for row in counted if row["verdict"] == "differs" and row["id"] not in explained]
if lacking:
    faults.append(f"no deviations.yaml explains why these differ: {', '.join(lacking)}; write the cause under explains")
if faults:
    sys.exit("; ".join(faults))
sys.stdout.write(f"{len(rows)} rows; numbers and claims: {dict(verdicts)}; {held}\n")
