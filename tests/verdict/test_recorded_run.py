"""The recorded run: read strictly, set beside every row, and never counted as rebuilt here."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from reproduction.flow.lineage import Origin
from reproduction.flow.results import LEFT_OUT, Results, RoleEntry
from reproduction.verdict.causes import Cause
from reproduction.verdict.missing_data import DataUsed, Remedy, dataset_needs
from reproduction.verdict.page import Report, render_front, render_numbers, render_paper
from reproduction.verdict.paper_section import PaperSection
from reproduction.verdict.published import COUNTED, FACT, Record
from reproduction.verdict.read_sections import make_section
from reproduction.verdict.record_check import lost_verdicts
from reproduction.verdict.record_writer import check_no_loss, write_record
from reproduction.verdict.recorded_run import (
    OUT_OF_DATE,
    RECORDED_COLUMNS,
    Facts,
    RecordedRow,
    RecordedRun,
    out_of_date_patterns,
    read_recorded,
    recorded_files,
)
from reproduction.verdict.report_rows import Context, same_digits, standing
from reproduction.verdict.wording import JUDGED
from tests.verdict.reporting import row as printed
from tests.verdict.test_page import SPEC, Reader, comparison, made_of
from textmix.core import io
from textmix.core.errors import ConfigError, IntegrityError

ROOT = Path(__file__).parents[2]


def recorded(name: str = "p.x", verdict: str = "reproduced", rebuilt: str = "0.81", data: str = "d") -> RecordedRow:
    return RecordedRow(name, rebuilt, "", "", verdict, verdict, "", "", data, "s", "c")


def run_of(*rows: RecordedRow) -> RecordedRun:
    facts = Facts("2026-11-23T19:00:00+00:00", "0123456789abcdef", "f" * 64, 74, 90, "one kind", 3)
    return RecordedRun({row.id: row for row in rows}, {"p": facts})


def origin(data: str = "d", settings: str = "s", results: str = "results/scores/p/table/news_set/nb.csv") -> Origin:
    return Origin("p.x", data, settings, "c", results)


@pytest.mark.parametrize(
    ("verdict", "rebuilt", "found", "record", "message"),
    [
        ("reproduced", 0.81, origin(), recorded(), "equal"),
        ("reproduced", 0.8149, origin(), recorded(), "equal"),
        ("reproduced", 0.87, origin(), recorded(), "not equal"),
        ("reproduced", 0.81, origin("e"), recorded(), "other data"),
        ("reproduced", 0.81, None, recorded(data=""), "equal"),
        ("reproduced", 0.81, origin(results="results/timings/a.csv"), recorded(), "a measured time"),
        ("data missing", "", None, recorded(), "not reproduced here"),
        ("reproduced", 0.81, origin(), recorded(verdict="data missing"), ""),
        ("data missing", "", None, recorded(verdict="open"), ""),
    ],
)
def test_a_row_is_equal_to_the_record_only_with_the_same_data(
    verdict: str, rebuilt: float | str, found: Origin | None, record: RecordedRow, message: str
) -> None:
    row = comparison(verdict, reproduced=rebuilt)
    assert standing(row, found, record) == message


@pytest.mark.parametrize(
    ("one", "other", "printed", "same"),
    [
        ("78.24", "78.21", "78.2", True),
        ("1000.4", "1000.0", "1,000", True),
        ("holds", "fails", "", False),
        ("", "0.8", "0.8", False),
        ("0.8124", "0.8123", "", False),
    ],
)
def test_values_are_equal_at_the_digits_that_are_printed(one: str, other: str, printed: str, same: bool) -> None:
    assert same_digits(one, other, printed) is same


def section_beside(*, absent: bool, verdict: str = "reproduced") -> PaperSection:
    """Return a section with one row, whose recorded value stands beside a missing or a rebuilt one."""
    row = comparison("data missing" if absent else "reproduced", dataset="news")
    if absent:
        row = replace(row, reproduced=None, difference=None, ci_low=None, ci_high=None)
    context = Context({"p.x": recorded(rebuilt="0.8125", verdict=verdict)}, {} if absent else {"p.x": origin()})
    record = Record((printed(id="p.x", dataset="news", source=""),), {}, ())
    results = Results(Path("results"), "p", {"news": RoleEntry(None)}, SPEC)
    data = [DataUsed("news", "", "", "", "fully", "", "", "is in no package")]
    spec = {**SPEC, "figures": {}}
    return make_section("p", spec, record, [row], results, data=data, context=context)


def test_a_row_without_data_shows_the_recorded_value_marked_and_uncounted() -> None:
    section = section_beside(absent=True)
    report = Report([section], {}, run_of(recorded(rebuilt="0.8125")))
    assert (report.counts["reproduced"], report.counts["data missing"]) == (0, 1)
    assert report.recorded_counts["reproduced"] == 1
    assert "recorded 0.812 ✓ reproduced" in Reader(render_numbers(report)).text
    paper = render_paper(report, "p")
    assert '<span class="reproduced recorded">' in paper
    text = " ".join(Reader(paper).text.split())
    assert (
        "1 value in italics is of the recorded run of 2026-11-23, with the sign of the verdict there: 1 repro" in text
    )
    front = " ".join(Reader(render_front(report)).text.split())
    assert "Recorded run 2026-11-23" in front and "neither confirms nor contradicts" in front


def test_what_differs_in_the_recorded_run_alone_is_told_apart_with_its_cause() -> None:
    section = section_beside(absent=True, verdict="differs")
    cause = Cause("A reason.", ("curve",))
    report = Report([replace(section, causes={"p.x": cause})], {}, run_of(recorded(rebuilt="0.8125")))
    assert report.differing == [] and len(report.recorded_differing) == 1
    for html in (render_front(report), render_paper(report, "p")):
        text = " ".join(Reader(html).text.split())
        assert "In the recorded run only 1" in text
        assert "0.8, recorded 0.812" in text and "A reason." in text


def test_a_row_with_the_same_data_says_whether_it_equals_the_record() -> None:
    report = Report([section_beside(absent=False)], {}, run_of(recorded(rebuilt="0.8125")))
    assert "= recorded" in render_numbers(report)
    front = " ".join(Reader(render_front(report)).text.split())
    assert "Agrees with the recorded run" in front


def test_a_data_set_of_several_roles_is_one_need_with_the_results_of_both() -> None:
    rows = [comparison("data missing", id=f"p.{role}", dataset=role) for role in ("news", "parts")]
    items = [replace(item, roles=(item.row.dataset,)) for item in made_of(rows).items]
    data = [DataUsed(role, "", "", "", "fully", "", "", "is in no package") for role in ("news", "parts")]
    both = {role: Remedy("set", "The set") for role in ("news", "parts")}
    (need,) = dataset_needs(items, data, both)
    assert (need.n_needed, need.n_waiting, [used.role for used in need.used]) == (2, 2, ["news", "parts"])


def test_without_a_record_no_page_speaks_of_one() -> None:
    report = Report([made_of([comparison("reproduced")])], {})
    for html in (render_front(report), render_numbers(report), render_paper(report, "p")):
        assert "recorded" not in Reader(html).text


@pytest.mark.parametrize(
    ("verdict", "found", "was", "fewer", "lost"),
    [
        ("reproduced", origin(), "reproduced", False, 0),
        ("differs", origin(), "reproduced", False, 1),
        ("reproduced", origin(), "differs", False, 0),
        ("differs", origin("e"), "reproduced", False, 0),
        ("differs", origin(settings="t"), "reproduced", False, 1),
        ("differs", origin(settings="t"), "reproduced", True, 0),
        ("differs", None, "reproduced", False, 1),
        ("not run", origin(data=""), "reproduced", True, 1),
        ("data missing", None, "reproduced", False, 0),
        ("not run", origin(results="results/timings/a.csv"), "reproduced", False, 0),
    ],
)
def test_a_verdict_that_is_lost_with_the_same_data_is_named(
    verdict: str, found: Origin | None, was: str, fewer: bool, lost: int
) -> None:
    origins = {"p.x": found} if found else {}
    run = run_of(recorded(verdict=was))
    sentences, counts = lost_verdicts([comparison(verdict)], origins, run, fewer_trials=fewer)
    assert len(sentences) == lost and sum(counts.values()) == 1
    assert all("p.x was" in sentence and verdict in sentence for sentence in sentences)


def test_a_verdict_that_this_configuration_leaves_to_the_full_run_is_not_lost() -> None:
    left = comparison("not run", reason=f"{LEFT_OUT}: it takes about 70 s of the processor")
    run = run_of(recorded(verdict="reproduced"))
    lost, counts = lost_verdicts([left], {"p.x": origin()}, run)
    assert not lost and counts["left to the full run"] == 1 and counts["compared"] == 0


def test_rows_that_a_later_entry_of_the_history_names_are_out_of_date(tmp_path: Path) -> None:
    entry = "\n## 2026-11-28: a change\n\n- Before: `p.z`.\n- Out of date: `p.x` and\n  `q.*`.\n- Why: `p.y`.\n"
    path = tmp_path / "history.md"
    earlier = "\n## 2026-11-28: on the same day, before the run\n\n- Out of date: `p.w`.\n"
    path.write_text(f"# Changes\n{earlier}{entry}", encoding="utf-8")
    assert out_of_date_patterns(path, 1) == ["p.x", "q.*"]
    assert out_of_date_patterns(path, 2) == []
    run = run_of(recorded(verdict=OUT_OF_DATE))
    row = comparison("differs")
    assert standing(row, origin(), run.rows["p.x"]) == OUT_OF_DATE
    lost, counts = lost_verdicts([row], {"p.x": origin()}, run)
    assert not lost and counts[OUT_OF_DATE] == 1 and counts["compared"] == 0


def test_no_judged_row_of_the_record_can_be_lost_unseen() -> None:
    """A run that judges nothing though it has the data of the record loses each verdict, those of tests included."""
    run = read_recorded(recorded_files((ROOT / "config/papers").iterdir()))
    assert run is not None
    published = [row for path in (ROOT / "config/papers").glob("*/published.csv") for row in io.read_csv(path)]
    judged = [row for row in published if row["kind"] in (*COUNTED, FACT) and row["id"] in run.rows]
    judged = [row for row in judged if run.rows[row["id"]].verdict in JUDGED]
    assert len(judged) > 150
    origins = {name: Origin(name, row.data, row.settings, row.code, "") for name, row in run.rows.items()}
    for found in (origins, {}):
        now = [comparison("not run", id=row["id"], kind=row["kind"], reason="") for row in judged]
        lost, counts = lost_verdicts(now, found, run, fewer_trials=True)
        assert len(lost) == counts["compared"] == len(judged)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p/recorded/run.json", "{}"),
        ("p/recorded/run.json", '{"commit": "c"}'),
        ("p/recorded/run.json", "no json"),
        ("p/recorded/rows.csv", "id,other\np.x,1\n"),
        ("q/recorded/rows.csv", None),
    ],
)
def test_a_damaged_record_is_refused(tmp_path: Path, name: str, text: str | None) -> None:
    run = run_of(recorded())
    rows = io.format_csv(map(asdict, run.rows.values()), RECORDED_COLUMNS)
    write_record(run, {"p": tmp_path / "p"}, {"p": rows})
    io.write_text(tmp_path / name, rows if text is None else text)
    with pytest.raises(ConfigError, match="snakemake record"):
        read_recorded(recorded_files([tmp_path / "p", tmp_path / "q"]))


def test_a_run_that_judged_less_than_the_recorded_one_is_refused() -> None:
    old = run_of(recorded(), recorded("p.y"))
    check_no_loss(None, old)
    check_no_loss(old, run_of(recorded(verdict="differs"), recorded("p.y")))
    with pytest.raises(IntegrityError, match=r"did not judge 1 rows .* p\.y"):
        check_no_loss(old, run_of(recorded(), recorded("p.y", "data missing")))
