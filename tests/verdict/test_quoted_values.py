"""References to recorded results in prose become the value of the row or reading that they name, or an error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reproduction.flow.recorded_curves import RECORDED_CURVES
from reproduction.verdict.published import Published, read_record
from reproduction.verdict.quoted_values import quoted
from reproduction.verdict.recorded_run import RecordedRow, read_recorded, recorded_files
from textmix.core.errors import ConfigError
from textmix.core.io import read_csv

ROOT = Path(__file__).parents[2]
ROW = Published(
    **dict.fromkeys(("artefact", "dataset", "method", "metric", "unit", "spread", "trials", "where", "margin"), ""),
    **dict.fromkeys(("source", "note"), ""),
    id="p.t.a, given test",
    kind="number",
    value="69.7",
    tolerance="open",
    line=2,
)
PUBLISHED = {row.id: row for row in (ROW, replace(ROW, id="p.count", value="400000"), replace(ROW, id="p.never"))}
RECORDED = {
    "p.t.a, given test": RecordedRow("p.t.a, given test", "68.887959", "0.42897", "10", "differs", *[""] * 6),
    "p.count": RecordedRow("p.count", "318371.0", "", "", "differs", *[""] * 6),
    "p.never": RecordedRow("p.never", "", "", "", "not run", *[""] * 6),
}
POINT_COLUMNS = [
    {"row": ROW.id, "point": str(point), "levels": levels, "value": value}
    for point, (levels, value) in enumerate(
        [
            ("variance=10; rounds=as the authors'; seed=0", "68.887959"),
            ("variance=10; rounds=as the authors'; seed=1", "69.13"),
            ("variance=1; rounds=as the authors'; seed=0", "48.5"),
            ("variance=1; rounds=8; seed=1", ""),
        ]
    )
]


def words(text: str) -> str:
    return quoted(text, PUBLISHED, RECORDED, POINT_COLUMNS, "choices.yaml: x.effect")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no reference", "no reference"),
        ("{p.t.a, given test} percent", "68.9 ± 0.4 percent"),
        ("{p.count} words", "318,371 words"),
        ("{p.t.a, given test at seed=1}", "69.1"),
        ("{p.t.a, given\n  test at variance=1}", "48.5"),
        ("{p.t.a, given test at rounds=as the authors'; seed=1}, {p.count}", "69.1, 318,371"),
    ],
    ids=["none", "row with deviation", "count", "another seed", "over two lines", "level of several words"],
)
def test_a_reference_becomes_the_value_of_its_row_or_reading(text: str, expected: str) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{p.t.b}", r"x\.effect: published\.csv has no 'p\.t\.b'"),
        ("{p.never}", r"recorded/rows\.csv has no value of 'p\.never'; name another or record a run"),
        ("{p.count at seed=1}", r"the recorded curve of 'p\.count' has no factor 'seed'; record its curve"),
        ("{p.t.a, given test at sed=1}", r"has no factor 'sed'; did you mean 'seed'\?"),
        (
            "{p.t.a, given test at variance=1; seed=1}",
            r"has no alternative 'variance=1; rounds=as the authors'",
        ),
        ("{p.t.a, given test at variance=1; rounds=8; seed=1}", "has no alternative"),
    ],
    ids=["no row", "no value", "no curve", "no factor", "reading not drawn", "reading without a value"],
)
def test_a_reference_without_a_recorded_value_is_an_error_that_names_it(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        words(text)


@pytest.mark.parametrize("folder", sorted((ROOT / "config/papers").iterdir()), ids=lambda folder: folder.name)
def test_the_values_that_the_choices_quote_are_recorded(folder: Path) -> None:
    record = read_record(folder, ROOT / "workflow/schemas")
    run = read_recorded(recorded_files([folder]))
    assert run is not None
    points = list(read_csv(folder / RECORDED_CURVES))
    published = {row.id: row for row in record.rows}
    for choice in record.choices:
        quoted(choice.effect, published, run.rows, points, choice.id)
