"""Each job tells its seconds of the processor, and the target ``spent`` adds them up by rule."""

from __future__ import annotations

from pathlib import Path

from reproduction.job.spent import WORKFLOW, Spent, in_words, seconds_by_kind, spent_by_rule, write_own_seconds


def write(path: Path, text: str) -> None:
    """Write a log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_seconds_are_added_by_rule_and_the_last_line_of_a_log_counts(tmp_path: Path) -> None:
    write(tmp_path / "fit/a/b.log", f"a line\n{Spent(9, 9, 9, 9)}\n{Spent(1, 0.5, 2, 3)}\n")
    write(tmp_path / "fit/c.log", f"{Spent(0.5, 0.25, 0, 0.25)}\n")
    write(tmp_path / "page.log", f"{Spent(1, 0, 0, 1)}\n")
    write(tmp_path / "score/unfinished.log", "interrupted\n")
    found = spent_by_rule(tmp_path)
    assert found == {"fit": (2, Spent(1.5, 0.75, 2, 3.25)), "page": (1, Spent(1, 0, 0, 1))}
    lines = in_words(found).splitlines()
    assert ["fit", "2", "1.5", "0.8", "2.0", "3.2", "7.5", "79%"] in [line.split() for line in lines]
    assert lines[-1].split()[:2] == ["together", "3"]


def test_the_work_of_a_rule_counts_by_its_kind_and_every_second_counts_once() -> None:
    one = Spent(1.0, 2.0, 3.0, 4.0)
    rules = ("fetch", "split", "part", "score", "figure", "a rule of tomorrow", WORKFLOW)
    found = seconds_by_kind({rule: (1, one) for rule in rules})
    assert found == {
        **{"start": 7.0, "checks": 14.0, "compilation": 21.0, "reading": 4.0, "features": 4.0, "fits": 4.0},
        **{"measures": 4.0, "pages": 8.0, "Snakemake's process": 4.0},
    }
    assert sum(found.values()) == len(rules) * one.total


def test_snakemakes_own_process_has_a_row(tmp_path: Path) -> None:
    write_own_seconds(tmp_path)
    (number, spent) = spent_by_rule(tmp_path)[WORKFLOW]
    assert number == 1 and spent == Spent(work=spent.work) and spent.work > 0


def test_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    assert "run the workflow first" in in_words(spent_by_rule(tmp_path))
