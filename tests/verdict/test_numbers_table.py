"""The table of all numbers in a browser: filters and order stand in the address, and no row is ever out of reach."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reproduction.verdict.page import Report, render_numbers
from tests.pages.browser import BROWSER, NAMES, browser
from tests.verdict.test_page import comparison, made_of

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"no browser is installed: {', '.join(NAMES)}")


#: The ids of the rows that are shown, in order.
SHOWN = "[...document.querySelectorAll('#numbers tbody tr:not([hidden])')].map(row => row.id)"


def opened(folder: Path, address: str) -> tuple[list[str], str]:
    """Return the ids of the rows that a browser shows at an address of the page, in order, and its document."""
    off = {"p.a": 0.01, "p.b": -0.3, "p.c": 0.2, "p.d": 0.0}
    rows = [comparison("differs", id=name, difference=0.8 * value) for name, value in off.items()]
    rows.append(comparison("data missing", id="p.e"))
    (folder / "numbers.html").write_text(render_numbers(Report([made_of(rows)], {})), encoding="utf-8")
    with browser(str(BROWSER), folder / "profile") as page:
        page.window(1440)
        page.open(f"{(folder / 'numbers.html').as_uri()}{address}")
        return page.run(SHOWN), page.run("document.documentElement.outerHTML")


def test_the_address_holds_filters_and_order(tmp_path: Path) -> None:
    assert opened(tmp_path, "")[0] == ["p.a", "p.b", "p.c", "p.d", "p.e"]
    found, html = opened(tmp_path, "?verdict=differs&sort=relative,descending")
    assert found == ["p.b", "p.c", "p.a", "p.d"]
    assert 'aria-sort="descending"' in html
    assert opened(tmp_path, "?sort=relative,ascending")[0] == ["p.d", "p.a", "p.e", "p.c", "p.b"]
    assert opened(tmp_path, "?sort=none,ascending&unknown=1")[0] == ["p.a", "p.b", "p.c", "p.d", "p.e"]


def test_a_permanent_link_shows_its_row_and_keeps_the_filters(tmp_path: Path) -> None:
    found, html = opened(tmp_path, "?verdict=differs#p.e")
    assert found == ["p.a", "p.b", "p.c", "p.d", "p.e"]
    assert re.search(r'<tr id="p\.e"[^>]*class="chosen"', html)


def test_1200_rows_are_filtered_sorted_and_remembered(tmp_path: Path) -> None:
    rows = [comparison("differs", id=f"p.{n}", difference=0.8 * (n + 1) / 1200) for n in range(1200)]
    (tmp_path / "numbers.html").write_text(render_numbers(Report([made_of(rows)], {})), encoding="utf-8")
    address = (tmp_path / "numbers.html").as_uri()
    with browser(str(BROWSER), tmp_path / "profile") as page:
        page.window(1440)
        page.open(f"{address}?q=p.11&sort=relative,descending")
        found = page.run(SHOWN)
        assert found == [f"p.{n}" for n in range(1199, 1099, -1)] + [f"p.{n}" for n in range(119, 109, -1)] + ["p.11"]
        page.click("#numbers thead th:nth-child(7) button")
        assert page.run(SHOWN) == found[::-1]
        assert page.run("location.search").endswith("q=p.11&sort=relative%2Cascending")
        page.click("#filters button[type=reset]")
        page.run("new Promise(done => setTimeout(done, 50))")
        assert page.text("#shown") == "1200 of 1200 rows"


def test_filters_that_no_row_fits_say_so(tmp_path: Path) -> None:
    found, html = opened(tmp_path, "?q=nowhere")
    assert found == []
    assert re.search(r'<p id="none" class="prose">No row matches all filters', html)
    assert re.search(r'<p id="none" class="prose" hidden', opened(tmp_path, "")[1])
