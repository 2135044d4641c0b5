"""The pages of a comparison: tables, times, and the sentences before them."""

from __future__ import annotations

from tests.contest.example import METHODS, both_pages, cells, study
from textmix.contest.pages import memory, methods_of, score_table, seconds
from textmix.contest.rows import COSTS, empty_row
from textmix.core.errors import OUT_OF_TIME


def test_table_has_the_best_on_top_and_knows_losses():
    table = score_table(cells(), "tiny")
    assert [row["method"] for row in table["rows"]] == ["edcm", "multinomial"]
    assert table["best"] == {"accuracy": 0.9, "log_loss": 0.4}
    assert table["without"] == [(["cbm"], "is for <several> labels")]
    assert methods_of(cells(), ["tiny"]) == ["edcm", "multinomial"]


def test_methods_without_time_share_one_reason():
    late = [empty_row("tiny", METHODS[name], f"{OUT_OF_TIME}{name} was not tried") for name in ("cbm", "edcm")]
    assert score_table(late, "tiny")["without"] == [(["cbm", "edcm"], "was not tried")]


def test_pages_show_values_and_reasons_and_load_nothing(tmp_path):
    own_page, matrix_page = both_pages(tmp_path)
    for page in (own_page, matrix_page):
        assert "0.900" in page and "is for &lt;several&gt; labels" in page and "12 ms" in page
        assert "standard deviation" in page and "tiny could not be had" in page and "Tiny &amp; small" in page
        assert "<script" not in page and "src=" not in page and "http" not in page
    assert "A lies at an end of what was" in own_page and "&lt;b&gt;" in own_page and 'id="understood"' in own_page
    assert "3 fits did not converge" in own_page and "did not converge" not in matrix_page
    assert 'id="overview"' in matrix_page and 'id="understood"' not in matrix_page


def test_a_single_split_promises_no_deviation():
    alone = [{**cell, "spread": None} for cell in cells()]
    costs = [{**dict.fromkeys(COSTS), "dataset": "tiny", "method": method} for method in ("edcm", "multinomial")]
    page = study("Own", score_table(alone, "tiny", costs), {"title": "Tiny", "said": ""})
    assert "Scores of one split" in page and "standard deviation" not in page


def test_seconds_and_bytes_are_said_with_the_digits_they_bear():
    assert [seconds(value) for value in (None, 0.00043, 0.05, 3.14, 123.4)] == [
        "",
        "0.43 ms",
        "50 ms",
        "3.1 s",
        "123 s",
    ]
    assert [memory(value) for value in (None, 10.0, 5 * 2**20)] == ["", "< 1 MB", "5 MB"]
