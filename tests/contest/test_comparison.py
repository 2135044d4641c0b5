"""Comparisons on data that no paper names: what is measured is shown, and what is not says why."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.plan.contest_jobs import ContestJobs
from reproduction.plan.jobs import Jobs
from reproduction.plan.matrix import load_matrix
from reproduction.plan.plan import make_plan
from reproduction.plan.stages import SCORE
from textmix.contest.description import describe
from textmix.contest.pages import Account, Study, data_facts, memory, methods_of, render_study, score_table, seconds
from textmix.contest.rows import COSTS, SCORES, empty_row, read_costs, read_scores, read_table, read_trials
from textmix.contest.tuned import at_the_end, chosen_points
from textmix.core.config import load_yaml_strict
from textmix.core.errors import OUT_OF_TIME, ConfigError, MissingResult
from textmix.core.io import format_csv, write_missing, write_result
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.compared import misfit, run_compared
from textmix.experiment.cost import measured
from textmix.experiment.methods import Method, load_methods
from textmix.experiment.scoring import score
from textmix.experiment.splits import make_splits
from textmix.experiment.trials import TIMINGS

ROOT = Path(__file__).resolve().parents[2]
METHODS = load_methods()
REGISTRY = load_yaml_strict(ROOT / "config/datasets.yaml")


def corpus(documents: int = 60, classes: int = 3, reals: bool = False, several: bool = False) -> Corpus:
    """Return documents of random counts, each class with a favourite word; the last label on one document only."""
    generator = np.random.default_rng(5)
    kinds = np.arange(documents) % classes
    counts = generator.poisson(0.4, (documents, 12)) + 3 * np.eye(12, dtype=int)[kinds]
    matrix = sparse.csr_array(counts * (0.5 if reals else 1), dtype=np.float64 if reals else np.int32)
    rows = [[kind, *([classes] if several and row == 7 else [])] for row, kind in enumerate(kinds.tolist())]
    n_labels = classes + several
    return Corpus(
        name="tiny",
        ids=[str(row) for row in range(documents)],
        label_names=[f"class {label}" for label in range(n_labels)],
        labels=label_matrix(rows, n_labels),
        text=Ragged.from_texts(b"some words" if row < 2 else f"document {row}".encode() for row in range(documents)),
        features=matrix,
        feature_names=[f"word {column}" for column in range(12)],
    )


SPLIT = {"kind": "random", "train": 0.5, "trials": 2, "stratified": True}


def compared(data: Corpus, method: str, **entry: Any) -> Any:
    splits = make_splits(data, SPLIT, 1, "s", None)
    entry = {"use": method, "compared": True, "views": {"words": {}}, "weightings": ["counts"], **entry}
    return run_compared([data], splits, METHODS[method], entry, 1), splits


def test_method_that_fails_leaves_its_reason():
    with pytest.raises(MissingResult, match=r"dropout_\w+ cannot be fitted to tiny: .*binary.*3 classes"):
        compared(corpus(), "dropout_logistic_regression")


def test_too_few_documents_for_the_folds_leave_their_reason():
    with pytest.raises(
        MissingResult, match="multinomial cannot be fitted to tiny: tune: folds: 2 training documents make no 3"
    ):
        tune = {"grid": {"smoothing": [0.1]}, "folds": 3, "metric": "accuracy"}
        compared(corpus(documents=4, classes=2), "multinomial", tune=tune)


def test_counts_are_asked_for_and_limits_kept():
    method = METHODS["multinomial"]
    assert misfit(corpus(), 30, method) == ""
    assert misfit(corpus(reals=True), 30, method) == (
        "multinomial takes whole numbers, not negative; tiny has other values"
    )
    slow = Method(**{**vars(method), "most": {"documents": 20, "labels": 5}})
    assert misfit(corpus(), 30, slow) == (
        "multinomial is left out above 20 documents, 5 labels to save time and memory; tiny has 30 documents"
    )


def test_scores_and_costs_are_read_back_as_they_were_measured(tmp_path):
    data = corpus()
    (predictions, timings), splits = compared(data, "multinomial")
    rows = score(predictions, data, splits, ["accuracy", "log_loss", "calibration_error"])
    write_result(tmp_path / "multinomial.csv", format_csv(rows, ("variant", "trial", "metric", "value")), {})
    write_result(tmp_path / "times.csv", format_csv(timings, TIMINGS), {})
    cells = read_scores(tmp_path / "multinomial.csv", "tiny", METHODS["multinomial"])
    values = [row["value"] for row in rows if row["metric"] == "accuracy"]
    assert cells[0]["value"] == pytest.approx(np.mean(values))
    assert cells[0]["spread"] == pytest.approx(np.std(values, ddof=1))
    assert [cell["metric"] for cell in cells] == ["accuracy", "log_loss", "calibration_error"]
    (cost,) = read_costs(tmp_path / "times.csv", "tiny", "multinomial")
    assert cost["fit_seconds"] == np.median([row["fit_seconds"] for row in timings])
    assert cost["tune_seconds"] is None
    trials = read_trials(tmp_path / "multinomial.csv", tmp_path / "times.csv", "tiny", METHODS["multinomial"])
    assert [row["value"] for row in trials if row["metric"] == "accuracy"] == values
    assert trials[0]["fit_seconds"] == timings[0]["fit_seconds"]
    write_result(tmp_path / "scores.csv", format_csv(cells, SCORES), {})
    assert [row["value"] for row in read_table(tmp_path / "scores.csv")] == [cell["value"] for cell in cells]


@pytest.mark.parametrize(("value", "reason"), [("nan", "no probability"), ("inf", "finds a true label impossible")])
def test_value_that_is_none_says_why(tmp_path, value, reason):
    rows = [{"variant": "", "trial": trial, "metric": "log_loss", "value": value} for trial in (0, 1)]
    write_result(tmp_path / "a.csv", format_csv(rows, ("variant", "trial", "metric", "value")), {})
    (cell,) = read_scores(tmp_path / "a.csv", "tiny", METHODS["edcm"])
    assert reason in cell["reason"] and "value" not in cell


def test_missing_result_is_a_cell_with_its_reason_and_no_cost(tmp_path):
    for name in ("a.csv", "b.csv"):
        write_missing(tmp_path / name, MissingResult("edcm takes counts"), {})
    write_missing(tmp_path / "predictions", MissingResult("edcm takes counts"), {})
    assert read_scores(tmp_path / "a.csv", "tiny", METHODS["edcm"])[0]["reason"] == "edcm takes counts"
    assert read_costs(tmp_path / "b.csv", "tiny", "edcm") == []
    assert chosen_points(tmp_path / "predictions") == {}


def test_what_tuning_chose_is_counted(tmp_path):
    tune = {"grid": {"smoothing": [0.01, 0.1]}, "folds": 2, "metric": "accuracy"}
    (predictions, _), _ = compared(corpus(), "multinomial", tune=tune)
    predictions.save(tmp_path / "folder", {})
    points = chosen_points(tmp_path / "folder")
    assert sum(points.values()) == 2
    assert all(re.fullmatch(r"view=words;weighting=counts;smoothing=[\d.]+", point) for point in points)


# --- costs ------------------------------------------------------------------------------------------------------------


def test_memory_of_a_call_is_what_it_took():
    _, cost = measured(lambda: np.ones(8_000_000).sum())
    assert cost["seconds"] > 0
    assert cost["bytes"] is None or 50e6 < cost["bytes"] < 90e6
    assert measured(lambda: None)[1]["bytes"] in (None, *range(2_000_000))


# --- what was understood ----------------------------------------------------------------------------------------------


def test_summary_counts_and_remarks():
    data = corpus(several=True)
    description = describe(data, data, make_splits(data, SPLIT, 1, "s", None))
    assert description["statistics"]["documents"] == 60
    assert description["vocabulary"] == 12
    assert description["labels"][0] == ["class 0", 20]
    assert description["labels_a_document"] == [[1, 59], [2, 1]]
    assert description["lengths"][0][0] == "least" and description["lengths"][0][1] == data.features.sum(axis=1).min()
    assert description["splits"] == [{"train": 30, "test": 30}] * 2
    assert description["examples"][0] == {"id": "0", "labels": ["class 0"], "text": "some words"}
    assert any("1 of 4 labels occur in one document only" in remark for remark in description["remarks"])
    assert any("1 of 60 documents repeat the text" in remark for remark in description["remarks"])


# --- pages ------------------------------------------------------------------------------------------------------------


def cells() -> list[dict[str, Any]]:
    """Return the cells of two methods with values, the second with the better loss, and of one without."""
    head = {"dataset": "tiny", "spread": 0.01, "trials": 3, "reason": ""}
    rows = [
        {**head, "method": method, "family": "f", "metric": metric, "value": value}
        for method, values in (("edcm", (0.9, 0.5)), ("multinomial", (0.8, 0.4)))
        for metric, value in zip(("accuracy", "log_loss"), values, strict=True)
    ]
    return [*rows, empty_row("tiny", METHODS["cbm"], "cbm is for <several> labels")]


def test_table_has_the_best_on_top_and_knows_losses():
    table = score_table(cells(), "tiny")
    assert [row["method"] for row in table["rows"]] == ["edcm", "multinomial"]
    assert table["best"] == {"accuracy": 0.9, "log_loss": 0.4}
    assert table["without"] == [(["cbm"], "is for <several> labels")]
    assert methods_of(cells(), ["tiny"]) == ["edcm", "multinomial"]


def test_methods_without_time_share_one_reason():
    late = [empty_row("tiny", METHODS[name], f"{OUT_OF_TIME}{name} was not tried") for name in ("cbm", "edcm")]
    assert score_table(late, "tiny")["without"] == [(["cbm", "edcm"], "was not tried")]


def study(title: str, table: dict[str, Any], facts: dict[str, str], account: Account | None = None) -> str:
    """Return the page of a comparison on the data set ``tiny``."""
    methods = {"single": ["edcm", "multinomial"], "multi": []}
    content = (
        ({"tiny": table, "other": table}, {"tiny": facts, "other": {**facts, "title": "Other"}})
        if account is None
        else (
            {"tiny": table},
            {"tiny": facts},
        )
    )
    tasks = dict.fromkeys(content[0], "single")
    return render_study(
        Study("k", title, "Two methods.", *content, tasks, methods, [], {"Run": {"seed": "1"}}, account)
    )


def both_pages(folder: Path) -> tuple[str, str]:
    """Return the page on own data and that on the matrix, which are written with a folder for missing data."""
    write_missing(folder / "folder", MissingResult("tiny could not be had"), {})
    cost = {**dict.fromkeys(COSTS), "dataset": "tiny", "method": "edcm", "fit_seconds": 0.0123, "fit_bytes": 5e6}
    table = score_table(cells(), "tiny", [cost, {**cost, "method": "multinomial"}])
    data = corpus()
    summary = describe(data, data, make_splits(data, SPLIT, 1, "s", None))
    facts = data_facts(folder / "folder", "Tiny & small", "A split.")
    account = Account(summary, {"edcm": {"a=1": 2}}, {"edcm": ["a"]}, None, {"edcm": 3})
    return study("<b>", table, facts, account), study("Matrix", table, facts)


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


def test_real_valued_features_have_no_lengths():
    real = corpus(reals=True)
    description = describe(real, real, make_splits(real, SPLIT, 1, "s", None))
    assert description["lengths"] == [] and not any("vocabulary" in remark for remark in description["remarks"])


def test_seconds_and_bytes_are_said_with_the_digits_they_bear():
    assert [seconds(value) for value in (None, 0.00043, 0.05, 3.14, 123.4)] == [
        "",
        "0.43 ms",
        "50 ms",
        "3.1 s",
        "123 s",
    ]
    assert [memory(value) for value in (None, 10.0, 5 * 2**20)] == ["", "< 1 MB", "5 MB"]


# --- the plan of the matrix -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cap", "beginning"), [(1, "1 random split: "), (2, "2 random splits: "), (9, "3 random splits: ")]
)
def test_the_page_names_the_splits_that_run(cap, beginning):
    assert load_matrix(ROOT, ["r52_wheel"], REGISTRY, METHODS, max_trials=cap).splits["r52_wheel"].startswith(beginning)


def test_matrix_has_a_cell_for_every_method_and_data_set():
    matrix = load_matrix(ROOT, ["r52_wheel", "yeast_wheel"], REGISTRY, METHODS)
    cells_run = {
        (dataset, method)
        for experiment in matrix.spec["experiments"].values()
        for dataset in experiment["roles"]
        for method in experiment["methods"]
    }
    assert not cells_run & set(matrix.empty)
    assert cells_run | set(matrix.empty) == {(data, name) for data in ("r52_wheel", "yeast_wheel") for name in METHODS}
    assert matrix.empty["r52_wheel", "cbm"] == (
        "cbm is for several labels a document; r52_wheel has one label a document"
    )


def test_matrix_leaves_out_methods_that_cost_too_much_and_the_study_has_them():
    matrix = load_matrix(ROOT, ["r52_wheel"], REGISTRY, METHODS, sizes=["few"], cost="low")
    dear = [name for name, method in METHODS.items() if method.task == "single" and method.cost != "low"]
    assert {"edcm", "knn"} <= set(dear)
    assert {matrix.empty["r52_wheel", name] for name in dear} == {
        f"{name} takes more time than matrix_cost: low allows; the target study fits it" for name in dear
    }
    assert ("r52_wheel", "multinomial") not in matrix.empty
    (few,) = matrix.sizes["matrix_few"]["experiments"].values()
    assert set(dear) < set(few["methods"])


def test_table_of_the_matrix_reads_the_cells_that_are_not_empty():
    plan = make_plan(load_yaml_strict(ROOT / "config/config.yaml"), [], ROOT)
    read = ContestJobs(plan).matrix_files(SCORE)
    cells = {tuple(Path(path).with_suffix("").parts[-2:]) for path in read}
    assert ("bbc_wheel", "multinomial") in cells
    assert not plan.matrix.empty.keys() & cells


def test_a_method_of_the_matrix_has_the_time_that_the_configuration_gives():
    settings = load_yaml_strict(ROOT / "config/config.yaml")
    fit = SimpleNamespace(paper="matrix_few", experiment="single_matrix_words", dataset="r52_wheel", method="edcm")
    for configured, expected in ((None, 0), (90, 90)):
        jobs = Jobs(make_plan({**settings, "matrix_seconds": configured}, [], ROOT))
        assert (jobs.started(fit), jobs.budget(fit)) == (0, expected)


def test_new_method_joins_by_its_entry_alone():
    new = Method(
        "new",
        "textmix.models.dirichlet.edcm:EDCMClassifier",
        "f",
        "single",
        "counts",
        "edcm",
        grid={"smoothing": [0.1]},
    )
    matrix = load_matrix(ROOT, ["bbc_wheel"], REGISTRY, {**METHODS, "new": new})
    (experiment,) = matrix.spec["experiments"].values()
    assert experiment["methods"]["new"]["tune"]["grid"] == {"smoothing": [0.1]}


def test_matrix_of_unknown_data_is_refused():
    with pytest.raises(ConfigError, match="configuration: matrix: no data set 'nowhere'; allowed: newsgroups_wheel, "):
        load_matrix(ROOT, ["nowhere"], REGISTRY, METHODS)


def test_default_run_makes_neither_own_nor_matrix():
    plan = make_plan(load_yaml_strict(ROOT / "config/config.yaml"), [], ROOT)
    assert set(plan.studies) - set(plan.papers) == {"matrix", "matrix_few"}
    assert {run.paper for run in plan.runs("matrix")} == {"matrix"}
    assert {run.dataset for run in plan.runs("matrix")} == set(plan.settings["matrix"])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"tasks": "x"}, r"methods\.yaml: m: unknown key 'tasks'; did you mean 'task'\?"),
        ({"task": "both"}, r"methods\.yaml: m\.task: 'both' is not allowed; allowed: single, multi"),
        ({"takes": "words"}, r"methods\.yaml: m\.takes: 'words' is not allowed; allowed: counts, reals, sequences"),
    ],
)
def test_wrong_entry_of_the_method_registry_is_refused(tmp_path, entry, message):
    whole = {"estimator": "a:b", "family": "f", "task": "single", "takes": "counts", "paper": "edcm", **entry}
    (tmp_path / "methods.yaml").write_text(repr({"m": whole}), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load_methods(tmp_path / "methods.yaml", ROOT / "workflow/schemas/methods.schema.yaml")


def test_a_choice_at_an_end_of_its_grid_is_named() -> None:
    grid = {"smoothing": [0.1, 1.0, 10.0], "kind": ["a", "b", "c"], "two": [1, 2]}
    points = {"smoothing=100000.0;kind=a;two=2": 3, "smoothing=1.0;kind=c;two=2": 2}
    assert at_the_end(points, grid) == ["smoothing"]
    assert at_the_end({**points, "smoothing=1.0;kind=b;two=1": 2}, grid) == []
    assert at_the_end({}, grid) == []


def test_an_end_of_the_grid_beyond_which_a_value_was_tried_is_no_end() -> None:
    assert at_the_end({"C=10.0": 3}, {"C": [0.1, 1.0, 10.0]}) == []
    assert at_the_end({"C=100000.0": 3}, {"C": [0.1, 1.0, 10.0]}) == ["C"]
    assert at_the_end({"delta=0.9": 3}, {"delta": [0.3, 0.6, 0.9]}) == ["delta"]
    assert at_the_end({"n=1": 3}, {"n": [1, 4, 16]}) == ["n"]
