"""Check that a run left the page and every published number once, that the built documents were judged, and causes.

Each number or claim that differs needs an entry under ``explains`` in the ``deviations.yaml`` of its paper.
"""

import sys
from collections import Counter
from pathlib import Path

from reproduction.verdict.causes import causes_of
from reproduction.verdict.published import read_record
from textmix.core.io import read_csv

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
minimum = {"config/config.yaml": 20, "config/full.yaml": 35}[sys.argv[1]]
if verdicts["reproduced"] < minimum:
    faults.append(f"{verdicts['reproduced']} numbers and claims reproduced, expected at least {minimum}")
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
sys.stdout.write(f"{sys.argv[1]}: {len(rows)} rows; numbers and claims: {dict(verdicts)}\n")
