"""The published numbers: complete, each at its place in the source, and read strictly."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from reproduction.flow.published_table import PUBLISHED_COLUMNS
from reproduction.verdict.claims import COMPARISONS
from reproduction.verdict.published import (
    CHECK_KINDS,
    COUNTED,
    IDENTITY,
    Published,
    read_checks,
    read_choices,
    read_published,
    read_record,
)
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "workflow/schemas"
PAPERS = sorted(path.name for path in (ROOT / "config/papers").iterdir())
#: Where the documents and their catalogue lie beside a checkout; the tests that need them are skipped elsewhere.
SHARED = ROOT.parent / "shared"
CATALOGUE = SHARED / "reference/published.yaml"

#: Numbers printed beside another number of the same cell, which the catalogue does not count, claims on
#: six problems only, the claims of the thesis' conclusion, single reasons of a claim, counts of skip-grams judged
#: once more, a learner without a printed number, later works, statements of the text beside an equation.
EXTRA = re.compile(
    r"vil\.t1\..*\.percent|pmm\.derived\.\w+_six\w*\..*|pmm\.six\..*|pmm\.c10\.best|pmm\.c1[12].*|vil\.c([6-9]|1[0-3])|edcm\.c1[0-6]|sg\.c([89]|10)|cbm\.c[56]\..*|edcm\.a\.one_group|th\..*"
    r"|zh\.c5|zh\.c1\.(sparse|sparse\.accuracy|prior)|sg\.n\d\.s\d\.patterns|sg\.imdb\.svm_l1|beyond\..*"
    r"|cbm\.eq\.reduction|edcm\.eq1\.(integral|urn)|pmm\.(objective|hyper\.greedy)"
)
#: Numbers that the source prints in another form.
PRINTED = {
    "pmm.time.train": "five",
    "pmm.time.test": "one",
    "pmm.data.trials": "five",
    "pmm.data.multilabel.low": "3045%",
    "pmm.data.multilabel.high": "3045%",
    "edcm.d.ind_split": "halves",
    "edcm.d.ng_split": "80/20",
}
WHOLE_POWER = re.compile(r"([1-9])(0{4,})")
SPACED_THOUSANDS = re.compile("(?<=\\d)[ ,\u2009\u202f](?=\\d{3}\\b)")


def rows_of(paper: str) -> tuple[Published, ...]:
    return read_record(ROOT / "config/papers" / paper, SCHEMAS).rows


def is_of_full_paper(row: Published) -> bool:
    """Whether a row cites only a full paper behind the slides, which the catalogue of the five documents lacks."""
    return re.match(r"(ecir2016|icml2016):", row.where) is not None


def is_number(row: Published) -> bool:
    """Whether a row is one of the numbers that the documents print."""
    if is_of_full_paper(row):
        return False
    numeric = re.fullmatch(r"[\d.]+", row.value) is not None and row.unit != "version"
    printed = row.where not in ("derived", "public")
    return printed and numeric and not EXTRA.fullmatch(row.id)


def catalogue() -> Iterator[dict[str, Any]]:
    for document in yaml.safe_load(CATALOGUE.read_text(encoding="utf-8"))["documents"]:
        for artefact in document["artefacts"]:
            yield from artefact["values"]


def test_an_id_stands_once_in_all_papers() -> None:
    ids = Counter(row.id for paper in PAPERS for row in rows_of(paper))
    assert ids.most_common(1)[0][1] == 1


@pytest.mark.parametrize("paper", PAPERS)
def test_a_rebuilt_value_or_check_counts_once(paper: str) -> None:
    sources = Counter(row.source for row in rows_of(paper) if row.kind in COUNTED and row.source)
    assert [source for source, times in sources.items() if times > 1] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_a_setting_is_no_number(paper: str) -> None:
    assert {row.kind for row in rows_of(paper) if row.source.startswith("setting:")} <= {"setting"}


@pytest.mark.parametrize("paper", PAPERS)
def test_a_margin_and_a_row_that_nothing_can_judge_say_why(paper: str) -> None:
    def needs_note(row: Published) -> bool:
        unjudged = {"equation": not row.source.startswith(("test:", "check:")), "claim": not row.check}
        return row.tolerance == "near" or unjudged.get(row.kind, row.kind == IDENTITY)

    assert [row.id for row in rows_of(paper) if needs_note(row) and not row.note] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_every_check_judges_a_row(paper: str) -> None:
    record = read_record(ROOT / "config/papers" / paper, SCHEMAS)
    assert {row.check for row in record.rows if row.check} == set(record.checks)


@pytest.mark.skipif(not CATALOGUE.exists(), reason="the catalogue of published values is not at hand")
def test_every_catalogued_value_is_there_unchanged() -> None:
    rows = {row.id: row for paper in PAPERS for row in rows_of(paper)}
    used = set()
    for entry in catalogue():
        parts = {name: row for name, row in rows.items() if name == entry["id"] or name.startswith(f"{entry['id']}.")}
        # An id may itself begin with another one: sg.ex1 and sg.ex1.m1.
        parts = {name: row for name, row in parts.items() if name == entry["id"] or entry["id"] not in rows}
        assert parts, f"{entry['id']} is missing"
        used |= set(parts)
        assert entry["kind"] != "equation" or {row.kind for row in parts.values()} == {"equation"}
        values, printed = entry.get("value"), [row.value for row in parts.values()]
        if isinstance(values, int | float):
            assert [float(text) for text in printed] == [values], entry["id"]
        elif isinstance(values, list | dict):
            expected = list(values.values()) if isinstance(values, dict) else values
            assert [float(text) for text in printed] == expected, entry["id"]
        spread = entry.get("spread")
        assert {row.spread for row in parts.values()} == {"" if spread is None else f"{spread}"}, entry["id"]
    extra = {name for name, row in rows.items() if EXTRA.fullmatch(name) or is_of_full_paper(row)}
    assert rows.keys() - used - extra == set()


def full_paper_values(file: str) -> list[dict[str, str]]:
    """Read a transcription of the tables of a full paper."""
    return list(csv.DictReader((SHARED / "reference/papers" / file).open(encoding="utf-8"), delimiter="\t"))


@pytest.mark.skipif(not CATALOGUE.exists(), reason="the transcriptions of the full papers are not available")
def test_accuracies_of_the_skip_gram_paper_equal_their_transcription() -> None:
    # Five cells are also on the slides; each is one row, found by the measure that reproduces it.
    values = {row.source: row.value for row in rows_of("skipgrams") if row.kind == "number"}
    measures = {"amazon_baby": "baby_table", "imdb": "imdb_table", "amazon_phone": "phone_table"}
    learners = {"lr_l1l2": "lr_elastic_net"}
    cells = full_paper_values("ecir2016_tables_1_2_3.tsv")
    assert len(cells) == 195
    for cell in cells:
        learner = learners.get(cell["learner"], cell["learner"])
        source = f"measure:{measures[cell['data']]}/{learner}_n{cell['max_n']}_s{cell['max_slop']}"
        assert float(values[source]) == float(cell["accuracy_percent"]), source


@pytest.mark.skipif(not CATALOGUE.exists(), reason="the transcriptions of the full papers are not available")
def test_scores_of_the_cbm_supplement_equal_their_transcription() -> None:
    values = {row.id: row.value for row in rows_of("cbm")}
    measures = {"jaccard_percent": "jaccard", "hamming_loss_percent": "hamming"}
    cells = [cell for cell in full_paper_values("icml2016_cbm_supplement.tsv") if cell["measure"] in measures]
    published = {
        f"cbm.{measures[cell['measure']]}.{cell['method'].replace(' ', '.')}.{cell['data']}": float(cell["value"])
        for cell in cells
    }
    assert len(published) == 120
    assert {name: float(values[name]) for name in published} == published


def source_lines(where: str) -> str:
    """Return the lines of a document that a place like ``001:L351,L361-L363`` names."""
    document, _, places = where.partition(":")
    (path,) = (SHARED / "seeds").glob(f"{document}_*.txt")
    lines = path.read_text(encoding="utf-8").split("\n")
    found = [lines[int(low) - 1 : int(high or low)] for low, high in re.findall(r"L(\d+)(?:-L(\d+))?", places)]
    return SPACED_THOUSANDS.sub("", "\n".join(line for part in found for line in part))


def printed_forms(row: Published, text: str) -> list[str]:
    """Return how a number may stand in the source: as it is, in thousands, or as a power of ten."""
    forms = [PRINTED.get(row.id, text)]
    if text.endswith("000"):
        forms.append(f"{text.removesuffix('000')}K")
    if power := WHOLE_POWER.fullmatch(text):
        exponent = len(power[2])
        forms += [f"{power[1]}×10^{exponent}", f"10^{exponent}"]
    return forms


@pytest.mark.skipif(not (SHARED / "seeds").exists(), reason="the documents are not at hand")
@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_number_stands_at_its_place(paper: str) -> None:
    for row in filter(is_number, rows_of(paper)):
        lines = source_lines(row.where)
        for text in filter(None, (row.value, row.spread)):
            forms = "|".join(map(re.escape, printed_forms(row, text)))
            assert re.search(rf"(?<![\d.])({forms})(?!\d|\.\d)", lines), (row.id, text, row.where)


def test_schema_reader_and_evaluation_know_the_same_kinds_of_check() -> None:
    schema = load_yaml_strict(SCHEMAS / "checks.schema.yaml")
    kinds = schema["additionalProperties"]["properties"]["kind"]["enum"]
    assert set(kinds) == set(CHECK_KINDS) == set(COMPARISONS)


# Strictness: one fault at a time in files that are otherwise right.

GOOD = {
    "id": "edcm.x",
    "artefact": "edcm.t1",
    "kind": "number",
    "dataset": "industry",
    "method": "DCM",
    "metric": "accuracy",
    "unit": "fraction",
    "value": "0.795",
    "spread": "0.01",
    "trials": "5",
    "where": "001:L311",
    "tolerance": "near",
    "margin": "0.02",
    "source": "score:table1/industry/dcm/accuracy",
    "note": "",
}
CHECKS = "edcm_above: {text: above, kind: above, left: ['score:t/r/edcm/accuracy'], right: ['score:t/r/dcm/accuracy']}"
CHOICE = {"id": "sign", "where": "001:(4)", "source_says": "a", "we_do": "b", "why": "c"}


def write_csv(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "published.csv"
    lines = [PUBLISHED_COLUMNS, *([row[name] for name in PUBLISHED_COLUMNS] for row in rows)]
    path.write_text("".join(",".join(cells) + "\n" for cells in lines))
    return path


def write_paper(folder: Path, row: dict[str, str], checks: str = CHECKS) -> Path:
    write_csv(folder, row)
    (folder / "checks.yaml").write_text(checks)
    (folder / "paper.yaml").write_text("{role_lists: {both: [a, b]}}")
    (folder / "choices.yaml").write_text(yaml.safe_dump([CHOICE]))
    return folder


def test_a_good_row_keeps_its_printed_digits(tmp_path: Path) -> None:
    (row,) = read_published(write_csv(tmp_path, {**GOOD, "value": "0.790"}))
    assert (row.value, row.margin, row.spread, row.line, row.check) == ("0.790", "0.02", "0.01", 2, None)


@pytest.mark.parametrize(
    ("change", "column", "remedy"),
    [
        ({"tolerance": "nearly"}, "tolerance", "did you mean 'near'"),
        ({"kind": "numbr"}, "kind", "did you mean 'number'"),
        ({"id": "édcm"}, "id", "edcm.t1.industry.c1"),
        ({"where": ""}, "where", "such as Table 2, page 7, derived or public"),
        ({"where": "line\t311"}, "where", "such as Table 2"),
        ({"value": "79.5 %"}, "value", "not a number"),
        ({"value": "1_000"}, "value", "not a number"),
        ({"value": "1e999"}, "value", "not a number"),
        ({"value": ""}, "value", "requires a number"),
        ({"unit": "percent", "value": "850"}, "value", "is not between 0 and 100; correct"),
        ({"trials": "0"}, "trials", "not a positive integer"),
        ({"trials": "1"}, "spread", "single trial has no standard deviation"),
        ({"spread": "ten"}, "spread", "not a number"),
        ({"spread": "-0.1"}, "spread", "negative standard deviation"),
        ({"value": "\u0664\u0662"}, "value", "not a number"),
        ({"trials": "1\u0660"}, "trials", "not a positive integer"),
        ({"tolerance": "test", "margin": ""}, "source", "use both or neither"),
        ({"margin": ""}, "margin", "not a positive number"),
        ({"margin": "-1"}, "margin", "not a positive number"),
        ({"margin": "2"}, "margin", "accepts every proportion, so that the row cannot fail; write it in fraction"),
        ({"margin": "101%"}, "margin", "accepts every proportion"),
        ({"tolerance": "exact"}, "margin", "does not accept a margin"),
        ({"note": " padded"}, "note", "remove it"),
        ({"tolerance": "order", "margin": ""}, "source", "use both or neither"),
    ],
)
def test_a_wrong_cell_names_file_line_column_and_remedy(
    tmp_path: Path, change: dict[str, str], column: str, remedy: str
) -> None:
    path = write_csv(tmp_path, GOOD, {**GOOD, "id": "edcm.y", **change})
    with pytest.raises(ConfigError) as error:
        read_published(path)
    assert str(error.value).startswith(f"{path}, line 3, column {column}:")
    assert remedy in str(error.value)


@pytest.mark.parametrize(
    ("locator", "form"),
    [
        ("scores:table1/industry/dcm/accuracy", "did you mean 'score'"),
        ("accuracy", "is no locator"),
        ("score:table1/industry/dcm", "score:<experiment>/<role>/<method>/<metric>"),
        ("data:industry", "data:<role>/<statistic>"),
        ("time:table1/industry/dcm/seconds", "fit_seconds|predict_seconds"),
        ("check:../x", "check:<name>"),
    ],
)
def test_a_wrong_locator_shows_the_right_form(tmp_path: Path, locator: str, form: str) -> None:
    path = write_csv(tmp_path, {**GOOD, "source": locator})
    with pytest.raises(ConfigError, match="line 2, column source") as error:
        read_published(path)
    assert form in str(error.value)


def test_text_is_a_value_where_nothing_is_judged(tmp_path: Path) -> None:
    (row,) = read_published(write_csv(tmp_path, {**GOOD, "value": "L(L+1)/2", "tolerance": "open", "margin": ""}))
    assert row.value == "L(L+1)/2"


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"line 3, column id: duplicate id 'edcm\.x', first on line 2"):
        read_published(write_csv(tmp_path, GOOD, GOOD))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1: missing columns: id, artefact"),
        (",".join(PUBLISHED_COLUMNS).encode() + b"\na,b\n", "line 2: 2 cells, expected 15"),
        (",".join(PUBLISHED_COLUMNS).encode() + b'\n"a\n', "not valid CSV"),
        (
            ",".join(PUBLISHED_COLUMNS).replace("metric", "metrik").encode(),
            "unknown column 'metrik'; did you mean 'metric'",
        ),
        (";".join(PUBLISHED_COLUMNS).encode(), "separated by ';'; save the file with commas"),
        (b"\xff\xfe", "not UTF-8 text"),
        (None, "cannot be read"),
    ],
)
def test_a_wrong_or_missing_file_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "published.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read_published(path)


def test_a_row_must_name_a_check_that_there_is(tmp_path: Path) -> None:
    claim = {**GOOD, "kind": "claim", "value": "", "spread": "", "margin": "", "tolerance": "order"}
    record = read_record(write_paper(tmp_path, {**claim, "source": "check:edcm_above"}), SCHEMAS)
    assert record.rows[0].check == "edcm_above"
    with pytest.raises(
        ConfigError, match="line 2, column source: unknown check 'edcm_abov'; did you mean 'edcm_above'"
    ):
        read_record(write_paper(tmp_path, {**claim, "source": "check:edcm_abov"}), SCHEMAS)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{text: t, kind: holds, left: ['data:r/s'], lft: 1}", "a: unknown key 'lft'; did you mean 'left'"),
        ("{text: t, kind: above, left: ['data:r/s']}", "a: kind above requires 'right'"),
        ("{text: t, kind: at_least, left: ['data:r/s']}", "a: kind at_least requires 'bound'"),
        ("{text: t, kind: holds, left: ['data:r/s'], bound: 1}", "a: kind holds has no 'bound'"),
        ("{text: t, kind: holds, left: ['check:other']}", "a: left: 'check:other' is not a locator"),
        (
            "{text: t, kind: near, left: ['data:r/s'], right: ['data:r'], margin: 1}",
            "a: right: 'data:r' does not follow",
        ),
        (
            "{text: t, kind: near, left: ['score:e/r/m/accuracy'], right: ['score:e/r/n/accuracy'], margin: 1.5}",
            "a: margin: 1.5 decides nothing because scores are between 0 and 1; write 1.5 percent as 0.015",
        ),
        ("{text: t, kind: at_least, left: ['score:e/r/m/accuracy'], bound: 85}", "a: bound: 85 decides nothing"),
    ],
)
def test_a_wrong_check_is_refused(tmp_path: Path, entry: str, message: str) -> None:
    path = tmp_path / "checks.yaml"
    path.write_text(f"a: {entry}")
    with pytest.raises(ConfigError) as error:
        read_checks(path, SCHEMAS, {})
    assert message in str(error.value)
    assert str(error.value).startswith(str(path))


def test_a_margin_of_what_is_no_share_may_be_above_one(tmp_path: Path) -> None:
    path = tmp_path / "checks.yaml"
    path.write_text("a: {text: t, kind: near, left: ['score:e/r/m/log_loss'], right: ['measure:m/n'], margin: 1.5}")
    assert read_checks(path, SCHEMAS, {})["a"]["margin"] == 1.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ([{**CHOICE, "reason": "x"}], "unknown key 'reason'"),
        ([{**CHOICE, "readings": {}}], "unknown key 'readings'; it is now called 'alternatives'"),
        ([CHOICE, CHOICE], "sign: duplicate id"),
    ],
)
def test_a_wrong_deviation_is_refused(tmp_path: Path, change: object, message: str) -> None:
    path = tmp_path / "choices.yaml"
    path.write_text(yaml.safe_dump(change))
    with pytest.raises(ConfigError) as error:
        read_choices(path, SCHEMAS)
    assert message in str(error.value)
