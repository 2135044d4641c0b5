"""Texts of the user's own are compared by the library, an entry of the configuration each."""

from __future__ import annotations

import pytest

from tests.workflow.test_reruns import planned
from tests.workflow.tiny import Clone, synthetic_tab

pytestmark = pytest.mark.workflow


def test_each_entry_of_own_texts_has_its_page_and_is_made_again_when_they_change(fresh: Clone) -> None:
    rows = [line.split("\t") for line in synthetic_tab(3, 60).splitlines()[4:]]
    table = "label,text\n" + "".join(f"{label},{text}\n" for label, text in rows)
    (fresh.folder / "texts.csv").write_text(table, encoding="utf-8")
    asked = ("--config", "own={mine: {file: texts.csv, time: '1'}}")
    done = fresh.run_warm("--cores", "1", "own", *asked)
    assert done.returncode == 0, done.stdout
    assert list((fresh.folder / "results/own/mine").glob("*.html"))
    assert planned(fresh, "own", *asked) == {}
    (fresh.folder / "texts.csv").write_text(table + "class.0,further words\n", encoding="utf-8")
    assert planned(fresh, "own", *asked) == {"compare_own": 1, "own": 1}
