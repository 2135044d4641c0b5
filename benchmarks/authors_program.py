"""Compare a run with the CBM authors' program on the public data: ``python benchmarks/authors_program.py RESULTS``.

Prints two tables in Markdown.  The first has the subset accuracies that the paper published, those of the authors' own
program (Pyramid, commit 82fb765, release 0.5.0 and version 0.12.9), those of the record of 2026-11-27, and
those of the run in the folder ``RESULTS``.  The second has the accuracy after each of the first M steps: that of the
authors' program, and those of several solvers of this library from the same initial responsibilities.  It needs the
measure ``m_steps``, which only the full run computes; without that, run

    snakemake --cores 1 --configfile config/full.yaml -- results/papers/cbm/measures/m_steps

The initial responsibilities of the authors' program are not public.  The measure starts all solvers from those of this
library, so that the rows of the authors' program differ from the others in their initialisation as well.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple


class Cell(NamedTuple):
    """Subset accuracies of a published row, in percent, as text: of the authors' program, and of the former record."""

    row: str
    authors: str
    recorded: str


CELLS = (
    Cell("cbm.t.BinRel.LR.SCENE", "51.6, 51.3", "50.9"),
    Cell("cbm.t.PowSet.LR.SCENE", "67.7", "68.0"),
    Cell("cbm.t.pairCRF.linear.SCENE", "68.9 (variance 2)", "68.5"),
    Cell("cbm.t.CBM.LR.SCENE", "69.4, 69.0", "69.11 (0.59)"),
    Cell("cbm.t.BinRel.GB.SCENE", "55.5 (100 rounds, 5 leaves)", "60.2"),
    Cell("cbm.t.PowSet.GB.SCENE", "69.6 (100 rounds, 5 leaves)", "69.0"),
    Cell("cbm.t.CBM.GB.SCENE", "70.15 (K = 20)", "71.84 (0.48)"),
    Cell("cbm.t.BinRel.LR.RCV1", "45.9 to 46.3", "41.3"),
    Cell("cbm.t.PowSet.LR.RCV1", "54.2", "45.0"),
    Cell("cbm.t.CBM.LR.RCV1", "53.1 to 55.4 (K = 50)", "48.4 (0.87)"),
    Cell("cbm.t.PowSet.GB.RCV1", "27.6 (20 rounds, 2 leaves)", "51.7"),
)
#: Subset accuracy of CBM with logistic regression after each M step of the authors' program, in percent, by role.
AUTHORS_M_STEPS = {
    "scene": (69.65, 69.40, 68.90, 69.06, 68.90, 69.23, 68.98, 69.23, 69.40, 69.15, 69.40, 69.31, 69.23),
    "rcv1": (53.13, 54.63, 55.43, 55.23),
}


def accuracy_rows(comparison: Path) -> Iterator[list[str]]:
    """Yield the rows of the first table: row, published, authors' program, former record, run."""
    with comparison.open(newline="", encoding="utf-8") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    for cell in CELLS:
        row = rows[cell.row]
        yield [f"`{cell.row}`", row["published"], cell.authors, cell.recorded, _reproduced(row)]


def _reproduced(row: dict[str, str]) -> str:
    """Format a reproduced value with its sample standard deviation over the trials."""
    if not row["reproduced"]:
        return "not run"
    value = f"{float(row['reproduced']):.2f}"
    return f"{value} ({float(row['reproduced_sd']):.2f})" if row["reproduced_sd"] else value


def m_step_rows(steps: Path) -> Iterator[list[str]]:
    """Yield the rows of the second table: role, solver, accuracy after each M step, agreement with the reference."""
    with steps.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for role, accuracies in AUTHORS_M_STEPS.items():
        yield [role, "authors' program, own initialisation", " ".join(f"{value:.2f}" for value in accuracies), ""]
        solvers = dict.fromkeys(row["solver"] for row in rows if row["role"] == role)
        for solver in solvers:
            m_steps = [row for row in rows if (row["role"], row["solver"]) == (role, solver)]
            accuracy = " ".join(f"{100.0 * float(row['subset_accuracy']):.2f}" for row in m_steps)
            agreement = [float(row["agreement"]) for row in m_steps]
            yield [role, solver, accuracy, f"{min(agreement):.2f} to {max(agreement):.2f}"]


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown."""
    for cells in (header, ["---"] * len(header), *rows):
        print(f"| {' | '.join(cells)} |")


def main(results: Path) -> None:
    """Print both tables."""
    header = ["row", "published", "authors' program", "record of 2026-11-27", "this run"]
    print_table(header, accuracy_rows(results / "papers/cbm/comparison.csv"))
    steps = results / "papers/cbm/measures/m_steps/steps.csv"
    if not steps.is_file():
        print(f"\n{steps} not found: the measure m_steps is computed by the full run only")
        return
    print()
    print_table(["data set", "solver", "accuracy after each M step", "same label sets"], m_step_rows(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
