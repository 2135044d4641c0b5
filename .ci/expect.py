"""Check that a run left the page and every published number once, and lost no verdict of the recorded run; and causes.

A row whose data are those of the recorded run must keep its verdict.  A run with a cap on trials is held to the rows
that it rebuilt by the same settings.  The last line counts the rows that could not be compared.

Each number or claim that differs needs an entry under ``explains`` in the ``choices.yaml`` of its paper.
"""

import sys
from collections import Counter
from pathlib import Path

from reproduction.flow.lineage import read_origins
from reproduction.verdict.causes import causes_of
from reproduction.verdict.published import COUNTED, read_record
from reproduction.verdict.recorded_run import lost_verdicts, read_recorded, recorded_files
from textmix.core.io import read_csv, read_json

page = "".join(path.read_text(encoding="utf-8") for path in sorted(Path("results/report").glob("*.html")))
rows = read_csv("results/report/comparison.csv")
published = {path.parent.name: read_csv(path) for path in sorted(Path("config/papers").glob("*/published.csv"))}
counted = [row for row in rows if row["kind"] in COUNTED]
verdicts = Counter(row["verdict"] for row in counted if not row["weak"])
weak = Counter(row["verdict"] for row in counted if row["weak"])
faults = []
if Counter(row["id"] for row in rows) != Counter(row["id"] for part in published.values() for row in part):
    faults.append(f"comparison.csv has {len(rows)} rows, the published files {sum(map(len, published.values()))}")
if "<figure" not in page or any(paper not in page for paper in published):
    faults.append("the pages lack a document or its figures")
settings = read_json("results/report/config.json")
capped = settings["max_trials"] is not None
# A run of fewer papers leaves the origins of an earlier run in place, and they are none of its own.
run = settings["papers"] or published
origins = [read_origins(Path("results/papers", paper, "origins.csv")) for paper in run]
recorded = read_recorded(recorded_files(Path("config/papers").iterdir()))
if recorded is None:
    sys.exit("no run is recorded; snakemake record writes one from a finished run")
found = {name: one for part in origins for name, one in part.items()}
lost, counts = lost_verdicts([row for row in rows if row["paper"] in run], found, recorded, fewer_trials=capped)
if lost or not counts["compared"]:
    faults.append(
        f"{len(lost)} of {counts['compared']} verdicts of the recorded run of {recorded.day} are lost: "
        f"{'; '.join(lost)}"
    )
beside = f"beside the record: {counts}"
equations = [row for row in rows if row["kind"] == "equation" and "does not name the paper" not in row["reason"]]
judged = sum(row["verdict"] in ("reproduced", "differs") for row in equations)
if judged < len(equations) - 10 or any(row["verdict"] == "differs" for row in equations):
    faults.append(f"of {len(equations)} equations {judged} are judged; make test writes the outcomes of their tests")
records = [read_record(f"config/papers/{paper}", "workflow/schemas") for paper in published]
explained = {row for record in records for row in causes_of(record.choices, record.rows)}
lacking = [row["id"] for row in counted if row["verdict"] == "differs" and row["id"] not in explained]
if lacking:
    faults.append(f"no choices.yaml explains why these differ: {', '.join(lacking)}; write the cause under explains")
if faults:
    sys.exit("; ".join(faults))
sys.stdout.write(f"{len(rows)} rows; numbers and claims: {dict(verdicts)}; weak: {dict(weak)}; {beside}\n")
