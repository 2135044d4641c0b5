"""Check that a run left the page and every published number once, and that the built documents were judged."""

import sys
from collections import Counter
from pathlib import Path

from textmix.core.io import read_csv

page = "".join(path.read_text(encoding="utf-8") for path in sorted(Path("results/report").glob("*.html")))
rows = read_csv("results/report/comparison.csv")
published = {path.parent.name: read_csv(path) for path in sorted(Path("config/papers").glob("*/published.csv"))}
verdicts = Counter(row["verdict"] for row in rows if row["kind"] in ("number", "claim"))
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
if faults:
    sys.exit("; ".join(faults))
sys.stdout.write(f"{sys.argv[1]}: {len(rows)} rows; numbers and claims: {dict(verdicts)}\n")
