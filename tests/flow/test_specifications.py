"""Registered alternatives become jobs of the paper; only entries that change are added."""

from __future__ import annotations

import copy
import fnmatch
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from reproduction.flow.alternatives import MAX_SPECIFICATIONS, PaperAlternatives, base_of, load_alternatives
from reproduction.flow.locators import parse_locator
from reproduction.flow.papers import load_papers, paper_folders
from reproduction.flow.plan import Plan, make_plan
from reproduction.flow.rule_inputs import RuleInputs
from reproduction.flow.rule_params import RuleParams
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError
from textmix.experiment.methods import load_methods

ROOT = Path(__file__).parents[2]
METHODS = load_methods(ROOT / "config/methods.yaml", ROOT / "workflow/schemas/methods.schema.yaml")
SEED = 20021209
PERPLEXITY = {
    "rows": ["edcm.perp.mult"],
    "factors": {
        "smoothing": {
            "0.01": {"reason": "the table's"},
            **{
                str(value): {"reason": "open", "set": {"measures.perplexity.settings.smoothing": value}}
                for value in (0.1, 0.2, 0.3, 0.4, 0.5, 1.0)
            },
        },
        "least count": {
            "2": {"reason": "the table's"},
            **{
                str(value): {"reason": "open", "set": {"features.rainbow.min_count": value}}
                for value in (1, 3, 4, 5, 6, 7)
            },
        },
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config/papers/edcm").mkdir(parents=True)
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    for name in ("paper.yaml", "published.csv", "checks.yaml"):
        text = (ROOT / "config/papers/edcm" / name).read_text(encoding="utf-8")
        (tmp_path / "config/papers/edcm" / name).write_text(text, encoding="utf-8")
    return tmp_path


def grids_of(folder: Path, entry: dict, seed: int = SEED) -> PaperAlternatives:
    """Return the alternatives of edcm with one specification."""
    choice = {"id": "made", "where": "unsaid", "source_says": "a", "we_do": "b", "why": "c"}
    text = yaml.safe_dump([choice | {"alternatives": {"made": entry}}])
    (folder / "config/papers/edcm/choices.yaml").write_text(text, encoding="utf-8")
    return load_alternatives(folder, load_papers(folder, METHODS), paper_folders(folder), METHODS, seed)["edcm"]


def with_level(path: str, value: object) -> dict:
    """Return the specification with an additional level that sets a path."""
    entry = copy.deepcopy(PERPLEXITY)
    entry["factors"]["smoothing"]["new"] = {"reason": "open", "set": {path: value}}
    return entry


def test_curve_starts_with_the_choice_of_the_table_and_has_at_most_32_points(folder: Path) -> None:
    drawn = grids_of(folder, PERPLEXITY).grids[0]
    first = drawn.points[0]
    assert first.levels == {"smoothing": "0.01", "least count": "2"}
    assert first.names == {}
    assert (len(drawn.points), drawn.product) == (MAX_SPECIFICATIONS, 49)
    assert len({tuple(point.levels.values()) for point in drawn.points}) == MAX_SPECIFICATIONS, "a point stands twice"
    assert drawn == grids_of(folder, PERPLEXITY).grids[0]
    assert drawn.points != grids_of(folder, PERPLEXITY, SEED + 1).grids[0].points


def test_entry_that_reads_a_changed_entry_is_renamed(folder: Path) -> None:
    found = grids_of(folder, PERPLEXITY)
    point = next(p for p in found.grids[0].points if p.levels["least count"] == "5")
    features, measure = point.names["features.rainbow"], point.names["measures.perplexity"]
    assert found.spec["features"][features]["min_count"] == 5
    assert found.spec["measures"][measure]["features"] == features
    assert str(point.redirect(parse_locator("measure:perplexity/dcm"))) == f"measure:{measure}/dcm"
    assert found.spec["measures"]["perplexity"]["features"] == "rainbow", "the paper's own entry was changed"


def test_level_may_name_the_key_of_its_value(folder: Path) -> None:
    entry = copy.deepcopy(PERPLEXITY)
    entry["factors"]["smoothing"]["0.1"]["reads"] = {"perplexity/multinomial": "other"}
    point = next(p for p in grids_of(folder, entry).grids[0].points if p.levels["smoothing"] == "0.1")
    measure = point.names["measures.perplexity"]
    assert str(point.redirect(parse_locator("measure:perplexity/multinomial"))) == f"measure:{measure}/other"
    entry["factors"]["smoothing"]["0.1"]["reads"] = {"perplexity/multinomal": "other"}
    with pytest.raises(
        ConfigError, match=r"smoothing\.0\.1\.reads: unknown value 'perplexity/multinomal'.*multinomial"
    ):
        grids_of(folder, entry)


def test_level_with_another_source_changes_no_entry(folder: Path) -> None:
    entry = copy.deepcopy(PERPLEXITY)
    del entry["factors"]["least count"]
    entry["factors"]["words"] = {
        "sequence": {"reason": "the table's"},
        "bag": {"reason": "open", "reads": {"perplexity/multinomial": "multinomial_bag"}},
    }
    first, *others = grids_of(folder, entry).grids[0].points
    (bag,) = [one for one in others if {**one.levels, "words": "sequence"} == first.levels]
    assert first.levels["words"] == "sequence"
    assert (bag.names, bag.keys) == ({}, {"perplexity/multinomial": "multinomial_bag"})
    entry["factors"]["words"]["bag"]["reads"] = {"perplexity/multinomial": "multinomial"}
    with pytest.raises(ConfigError, match=r"words\.bag: has no effect on 'edcm\.perp\.mult'"):
        grids_of(folder, entry)


def test_points_that_share_a_level_share_its_entry(folder: Path) -> None:
    points = grids_of(folder, PERPLEXITY).grids[0].points
    named = {(p.levels["least count"], p.names.get("features.rainbow")) for p in points}
    assert len(named) == len({level for level, _ in named})


def test_other_split_keeps_the_order_of_the_documents(folder: Path) -> None:
    entry = copy.deepcopy(PERPLEXITY)
    entry["factors"] = {
        "trials": {"10": {"reason": "x"}, "3": {"reason": "x", "set": {"splits.random_80_20.trials": 3}}}
    }
    found = grids_of(folder, entry)
    name = found.grids[0].points[1].names["splits.random_80_20"]
    assert found.spec["splits"][name]["order"] == "random_80_20"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("measures.perplexty.settings.smoothing", 1, "perplexity"),
        ("features.rainbow.min_cuont", 1, "min_count"),
        ("features.rainbow.tokenizer", "leters", "letters"),
        ("measures.perplexity.features", "rainbw", "rainbow"),
        ("experiments.table1.methods.dcm.params.smoothng", 1, "smoothing"),
    ],
)
def test_level_invalid_in_a_paper_yaml_is_rejected(folder: Path, path: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as fault:
        grids_of(folder, with_level(path, value))
    assert "choices.yaml: made.factors.smoothing.new" in str(fault.value)


def test_row_in_two_sets_of_alternatives_is_rejected(folder: Path) -> None:
    choice = {"id": "made", "where": "unsaid", "source_says": "a", "we_do": "b", "why": "c"}
    text = yaml.safe_dump([choice | {"alternatives": {"one": PERPLEXITY, "two": PERPLEXITY}}])
    (folder / "config/papers/edcm/choices.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"two: '.*' is also a row of one"):
        load_alternatives(folder, load_papers(folder, METHODS), paper_folders(folder), METHODS, SEED)


def test_misspelt_row_or_factor_without_default_is_rejected(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"edcm\.perp\.mult"):
        grids_of(folder, {**PERPLEXITY, "rows": ["edcm.perp.mul"]})
    entry = copy.deepcopy(PERPLEXITY)
    entry["factors"]["smoothing"]["0.01"]["set"] = {"measures.perplexity.settings.smoothing": 0.02}
    with pytest.raises(ConfigError, match="exactly one level"):
        grids_of(folder, entry)


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The plan of this repository with every data set available."""
    return make_plan(load_yaml_strict(ROOT / "config/config.yaml"), ROOT)


def test_default_run_contains_no_job_of_an_alternative(plan: Plan) -> None:
    for paper, found in plan.alternatives.items():
        asked = {run.experiment for run in plan.fits(paper)} | set(plan.measures(paper))
        assert not asked & {name.partition(".")[2] for name in found.bases}


def test_every_value_of_an_alternative_is_planned(plan: Plan) -> None:
    inputs = RuleInputs(plan)
    for paper in inputs.papers_with_alternatives():
        assert inputs.alternative_results(SimpleNamespace(paper=paper))


def test_report_shows_recorded_curves_of_papers_that_are_not_selected(plan: Plan) -> None:
    report = SimpleNamespace(items=dict().items)
    everything = RuleParams(plan).page(report)["recorded_curves"]
    selected = make_plan(dict(plan.settings) | {"papers": ["naive_bayes"]}, ROOT)
    assert {"pmm", "naive_bayes"} <= set(everything)
    assert RuleParams(selected).page(report)["recorded_curves"] == everything


def test_seed_of_an_alternative_is_added_to_that_of_the_run(plan: Plan) -> None:
    found = [name for name in plan.alternatives["pmm"].spec["experiments"] if name.startswith("table2")]
    fits = [next(plan.fits_of("pmm", name, ["yahoo_arts"])) for name in found]
    assert {RuleParams(plan).fit(fit)["seed"] for fit in fits} == {SEED, SEED + 1}


def test_every_row_that_differs_or_is_undecided_has_a_registered_alternative() -> None:
    from reproduction.verdict.published import COUNTED
    from reproduction.verdict.recorded_run import out_of_date_patterns
    from textmix.core.io import read_csv, read_json

    # Counts of another edition of the data, and a proportion of published counts: no key of paper.yaml changes them.
    fixed = {"cbm.d.RCV1.labels", "cbm.d.RCV1.label_subsets", "vil.t1.train.unilabel.percent"}
    for folder in (ROOT / "config/papers").iterdir():
        published = read_csv(folder / "published.csv")
        kinds = {row["id"]: row["kind"] for row in published if row["tolerance"] != "open"}
        verdicts = {row["id"]: row["verdict"] for row in read_csv(folder / "recorded/rows.csv")}
        recorded = [row for row, verdict in verdicts.items() if verdict in ("differs", "undecided")]
        file = folder / "choices.yaml"
        choices = load_yaml_strict(file) if file.is_file() else []
        # Alternatives of a row whose protocol was changed after the recorded run belong to its former protocol.
        stale = out_of_date_patterns(folder / "history.md", read_json(folder / "recorded/run.json")["history_entries"])
        recorded = [row for row in recorded if not any(fnmatch.fnmatchcase(row, pattern) for pattern in stale)]
        rows = {row for choice in choices for entry in choice.get("alternatives", {}).values() for row in entry["rows"]}
        assert {row for row in recorded if kinds.get(row) in COUNTED} <= rows | fixed


def test_level_without_effect_on_its_row_is_rejected(folder: Path) -> None:
    row = "edcm.t1.industry.c2"  # the DCM
    dead = {"set": {"experiments.table1.methods.edcm.params.smoothing": 1.0}, "reason": "it is another method's"}
    live = {"set": {"experiments.table1.methods.dcm.params.smoothing": 1.0}, "reason": "it is another"}
    entries = [
        {"rows": [row], "factors": {"smoothing": {"old": {"reason": "the table"}, "new": level}}}
        for level in (live, dead)
    ]
    assert len(grids_of(folder, entries[0]).grids[0].points) == 2
    with pytest.raises(ConfigError, match=r"smoothing\.new: has no effect on 'edcm\.t1\.industry\.c2'"):
        grids_of(folder, entries[1])


def test_alternative_is_seeded_by_the_name_of_the_table() -> None:
    assert base_of("approximation_r0a1b2c3d") == base_of("approximation") == "approximation"
