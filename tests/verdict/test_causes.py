"""Causes of rows that are not reproduced: every row that differs has one, and the pages show them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from reproduction.verdict.causes import Cause, cause_rows, causes_of
from reproduction.verdict.published import Choice, read_choices, read_published
from reproduction.verdict.recorded_run import read_recorded, recorded_files
from tests.verdict.reporting import Made
from tests.verdict.test_page import comparison, made_of, pages, part
from tests.verdict.test_page import row as published
from textmix.core.errors import ConfigError

ROOT = Path(__file__).parents[2]
#: Rows that differ only with the form of the data that stands in where the paper's own is out of reach.
OTHER_FORM = {"edcm.d.ng_docs"}
EXPLAINED = {"rows": ["p.n"], "reason": "The rule is another one.", "evidence": ["curve"]}


def explaining(*entries: dict[str, Any]) -> list[Choice]:
    """Return a deviation that explains rows."""
    return [Choice("rule", "unsaid", "s", "d", "w", "built", explains=entries)]


def test_a_result_that_a_cause_names_is_read_in_the_run_and_shown(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.scores("dcm", {"": [0.7, 0.8]})
    names = ["score:table1/news/dcm/accuracy", "score:table1/news/edcm/accuracy"]
    rows = cause_rows([*names, names[0]], made.results)
    assert [(row["locator"], row["value"]) for row in rows] == [(names[0], 0.75), (names[1], None)]
    assert not rows[0]["reason"] and rows[1]["reason"]
    cause = causes_of(explaining({**EXPLAINED, "values": names}), [published(id="p.n")])["p.n"]
    assert cause.values == tuple(names)
    section = made_of([comparison("differs", id="p.n")], explaining({**EXPLAINED, "values": names}))
    assert "In this run:" not in pages(section)["p"], "no value was read"
    html = pages(dataclasses.replace(section, cause_values={names[0]: "0.75"}))["p"]
    assert "In this run: <code>table1/news/dcm/accuracy</code> 0.75." in html
    assert "Not in this run: <code>table1/news/edcm/accuracy</code>." in html


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([{**EXPLAINED, "rows": ["p.m"]}], "published.csv has no 'p.m'; did you mean 'p.n'?"),
        ([EXPLAINED, EXPLAINED], "'p.n' has a cause already"),
    ],
)
def test_a_wrong_cause_is_refused(entries: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        causes_of(explaining(*entries), [published(id="p.n")])
    assert message in str(error.value)


@pytest.mark.parametrize("folder", sorted((ROOT / "config/papers").iterdir()), ids=lambda path: path.name)
def test_each_row_that_differs_in_the_recorded_run_has_a_cause_and_none_that_is_reproduced(folder: Path) -> None:
    rows = read_published(folder / "published.csv")
    causes = causes_of(read_choices(folder / "choices.yaml", ROOT / "workflow/schemas"), rows)
    recorded = read_recorded(recorded_files([folder]))
    assert recorded is not None
    verdicts = {name: row.verdict for name, row in recorded.rows.items()}
    is_open = {row.id for row in rows if row.tolerance == "open"}
    differing = {row for row, verdict in verdicts.items() if verdict == "differs"}
    assert sorted(differing - is_open - causes.keys()) == []
    # A row that another form of the data changes has its cause for runs with that form.
    assert [row for row in causes if verdicts.get(row) == "reproduced" and row not in OTHER_FORM] == []


def test_the_page_shows_the_cause_of_a_row_that_differs_or_that_it_is_not_known() -> None:
    rows = [comparison("differs", id=f"p.{name}", metric=name) for name in ("n", "m")]
    section = made_of(rows, explaining(EXPLAINED))
    made = pages(section)
    for html, unknown in ((made["index"], "no cause is known."), (made["p"], "No cause is known.")):
        assert "The rule is another one. Evidence: <code>curve</code>." in html
        assert unknown in html
    assert made["numbers"].count("No cause is known.") == 1


def test_a_cause_links_to_the_figure_and_the_table_that_show_it() -> None:
    section = part()
    shown = Cause("The rule is another one.", ("curve", "table1", "experiment"))
    html = pages(dataclasses.replace(section, causes=dict.fromkeys((item.row.id for item in section.items), shown)))[
        "index"
    ]
    assert '<a href="edcm.html#f-edcm-curve">figure curve</a>' in html
    assert '<a href="edcm.html#table-table1">table table1</a>, <code>experiment</code>' in html
