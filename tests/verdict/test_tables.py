"""Tables: the pivot loses and invents nothing, and numbers are shown with the printed digits."""

from __future__ import annotations

import csv
import io as text_io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction.verdict.report_rows import Item
from reproduction.verdict.tables import make_table, table_csv, table_tex
from reproduction.verdict.wording import SIGNS, VERDICTS, closing_line, shown, typeset
from tests.verdict.reporting import comparison_row
from textmix.core.errors import ConfigError


def line(**cells: Any) -> Item:
    fields = {
        "id": "p.a",
        "dataset": "yahoo_arts",
        "method": "NB",
        "metric": "F",
        "unit": "percent",
        "published": "41.6",
        "published_sd": "1.9",
        "reproduced": 42.123,
        "reproduced_sd": 0.9876,
        "difference": 0.5,
    }
    return Item(comparison_row(**{**fields, **cells}))


PIVOT = {"artefact": "p.t1", "rows": "dataset", "columns": "method", "caption": "Table."}


def test_pivot_places_every_value_once_in_the_order_of_the_paper() -> None:
    names = [(data, method) for data in ("z", "a") for method in ("SVM", "NB")]
    rows = [line(id=f"p.{data}.{method}", dataset=data, method=method) for data, method in names]
    table = make_table("t", PIVOT, [*rows, line(id="other", artefact="p.t2")])
    assert table.columns == ("SVM", "NB")
    assert [label for label, _ in table.rows] == ["z", "a"]
    assert [item.row.id for item in table.items] == [item.row.id for item in rows]


def test_a_table_of_mostly_empty_cells_is_a_list_that_loses_nothing() -> None:
    rows = [line(id=f"p.{n}", dataset=f"row {n}", method=f"column {n}") for n in range(4)]
    table = make_table("t", PIVOT, rows)
    assert table.is_list and [label for label, _ in table.rows] == [f"column {n}: row {n}" for n in range(4)]
    assert [item.row.id for item in table.items] == [item.row.id for item in rows]


def test_a_value_the_paper_does_not_have_stays_empty() -> None:
    rows = [line(id="p.1"), line(id="p.2", dataset="b", method="SVM")]
    table = make_table("t", PIVOT, rows)
    assert [[cell.row.id if cell else None for cell in cells] for _, cells in table.rows] == [
        ["p.1", None],
        [None, "p.2"],
    ]


def test_list_has_one_value_a_row_and_leaves_out_open_rows_without_one() -> None:
    nothing = {"published": "", "reproduced": None}
    rows = [line(id="p.1", metric="size"), line(id="p.2", metric="claim", verdict="open", **nothing)]
    rows.append(line(id="p.3", metric="lost claim", verdict="data missing", **nothing))
    table = make_table("t", {"artefact": ["p.t1"], "rows": "metric", "caption": "List."}, rows)
    assert table.is_list
    found = {label: [cell.row.id for cell in cells if cell] for label, cells in table.rows}
    assert found == {"size": ["p.1"], "lost claim": ["p.3"]}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"rows": "metric"}, "p.1 and p.2 fall into one cell"),
        ({"artefact": "p.t9"}, "no published value has the artefact p.t9"),
    ],
)
def test_wrong_specification_is_refused(spec: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        make_table("t", {**PIVOT, **spec}, [line(id="p.1"), line(id="p.2", dataset="b")])


@pytest.mark.parametrize(
    ("value", "printed", "text"),
    [
        (42.123, "41.6", "42.1"),
        ("18821.0", "18828", "18,821"),
        (0.0332, "19", "0.0332"),
        (0.8566, "0.791", "0.857"),
        (0.9999951, "0.999995", "0.999995"),
        ("", "1", ""),
        (float("nan"), "1", "nan"),
        (-0.5, "1.25", "-0.500"),
        (1.16e-18, "0", "1.16 × 10⁻¹⁸"),
        (0.00012345, "0.1", "0.000123"),
    ],
)
def test_values_are_shown_with_the_printed_digits(value: Any, printed: str, text: str) -> None:
    assert shown(value, printed) == text


#: Superscripts and the characters that they stand for.
SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@settings(deadline=None, derandomize=True)
@given(st.floats(1e-6, 1e6), st.integers(0, 6))
def test_shown_value_is_right_to_three_digits(value: float, places: int) -> None:
    text = shown(value, f"{1.0:.{places}f}")
    read = float(text.replace(",", "").replace(" × 10", "e").translate(SUPERSCRIPTS))
    assert abs(read - value) <= 0.5000001 * max(1.0, 10.0 ** -max(places, 0))
    assert read == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(
    ("text", "typeset_text"),
    [
        ("1.16e-18", "1.16 × 10⁻¹⁸"),
        ("differs by +2e+09 where 1e7 is allowed", "differs by +2 × 10⁹ where 1 × 10⁷ is allowed"),
        ("fold1e, 3element, 0.5", "fold1e, 3element, 0.5"),
    ],
)
def test_powers_of_ten_are_written_as_people_write_them(text: str, typeset_text: str) -> None:
    assert typeset(text) == typeset_text


def test_a_cell_has_value_deviation_and_sign_with_a_dagger_for_fits_that_did_not_converge() -> None:
    item = line()
    assert (item.row.published_text, item.row.reproduced_text, item.sign) == ("41.6 ± 1.9", "42.1 ± 1.0", "✓")
    assert line(reason="3 fits did not converge").sign == "✓†"


def test_every_verdict_has_its_own_sign() -> None:
    assert set(SIGNS) == set(VERDICTS)
    assert len(set(SIGNS.values())) == len(VERDICTS)


def test_csv_holds_published_rebuilt_and_verdict_of_every_cell() -> None:
    rows = [line(id="p.1"), line(id="p.2", dataset="b", method="S,V", verdict="differs")]
    found = list(csv.DictReader(text_io.StringIO(table_csv(make_table("t", PIVOT, rows)))))
    assert found[0]["NB reproduced"] == "42.1 ± 1.0"
    assert found[1]["S,V published"] == "41.6 ± 1.9"
    assert (found[1]["S,V verdict"], found[1]["NB verdict"]) == ("differs", "")


def test_tex_escapes_what_tex_would_read_as_a_command() -> None:
    rows = [line(method=r"\input{a} & 50 % _ $x$ #1 ~ ^")]
    text = table_tex(make_table("t", {**PIVOT, "caption": "100 % {x}"}, rows))
    assert r"\textbackslash{}input\{a\} \& 50 \% \_ \$x\$ \#1 \textasciitilde{} \textasciicircum{}" in text
    assert r"100 \% \{x\}" in text
    assert text.count(r"\\") == 2
    assert "41.6 $\\pm$ 1.9 / 42.1 $\\pm$ 1.0 $\\checkmark$" in text


def test_a_run_ends_with_its_verdicts_in_order_of_worth_and_the_path_of_its_page() -> None:
    counts = {"data missing": 21, "differs": 9, "open": 0, "reproduced": 39}
    assert closing_line("edcm", counts, "edcm.html") == "edcm: 39 reproduced, 9 differ, 21 data missing; edcm.html"
    weak = closing_line("edcm", {"open": 0}, "edcm.html", {"reproduced": 2, "differs": 1})
    assert weak == "edcm: no result; weak numbers: 2 reproduced, 1 differs; edcm.html"
    assert closing_line("edcm", {"open": 0}, "edcm.html") == "edcm: no numbers or claims; edcm.html"
