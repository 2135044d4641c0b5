"""A result that is not what its job would make today is made again, whatever Snakemake remembers and clocks say."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from reproduction.flow.recipe import Recipe
from reproduction.plan import recipes
from reproduction.plan.recipes import Recipes
from tests.workflow.asking import Wildcards
from textmix.core import io
from textmix.core.errors import OUT_OF_TIME, MissingResult

RESULT, INPUT = "results/scores/a.csv", "config/published.csv"


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """Make a result with one input in a new folder, and give the recipe that made it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "score.py").write_text("import scipy\n")
    io.write_text(INPUT, "1\n")
    made = recipe_now(tmp_path)
    io.write_result(RESULT, "x\n", made.record({INPUT: io.result_digest(INPUT)}))
    return made


def recipe_now(folder: Path, **settings: object) -> Recipe:
    """Return the recipe of the job as a plan made now gives it."""
    recipes._state.cache_clear()
    given = {"seed": 3, "max_trials": 2, **settings}
    ask = Recipes(folder, lambda files: None, print).of("score", **given)
    return ask(Wildcards(method="a"), [], [])


def test_a_result_of_today_is_not_stale(recipe: Recipe, tmp_path: Path) -> None:
    assert recipes.stale(RESULT, recipe_now(tmp_path), [INPUT]) == ""
    assert recipes.stale("results/none.csv", recipe, [INPUT]) == ""


def test_what_changed_is_named(recipe: Recipe, tmp_path: Path) -> None:
    scipy = replace(recipe, environment={**recipe.environment, "scipy": "0.1"})
    assert recipes.stale(RESULT, scipy, [INPUT]) == "version of scipy"
    exchanged = recipe_now(tmp_path, seed=2, max_trials=3)
    assert recipes.stale(RESULT, exchanged, [INPUT]) == "configuration: max_trials, seed"
    (tmp_path / "score.py").write_text("import scipy\nX = 1\n")
    assert recipes.stale(RESULT, recipe_now(tmp_path), [INPUT]) == "code of score.py"
    assert recipes.stale(RESULT, recipe, []) == f"content of {INPUT}"


def test_an_edit_of_the_common_instructions_makes_every_result_again(recipe: Recipe) -> None:
    """Modules around a job are neutral; the one that chooses its processor's instructions changes last digits."""
    assert "textmix.core.processor" in recipe.code
    assert not {"textmix.core.environment", "textmix.core.provenance"} & set(recipe.code)


def test_an_input_with_an_older_date_counts_by_its_content(recipe: Recipe) -> None:
    Path(INPUT).write_text("2\n")
    os.utime(INPUT, ns=(0, 0))
    assert recipes.stale(RESULT, recipe, [INPUT]) == f"content of {INPUT}"
    Path(INPUT).write_text("1\n")
    assert recipes.stale(RESULT, recipe, [INPUT]) == ""


def test_a_copied_result_and_one_without_record_are_stale(recipe: Recipe) -> None:
    for ending in ("", ".meta.json"):
        shutil.copy(RESULT + ending, f"results/scores/b.csv{ending}")
    assert recipes.stale("results/scores/b.csv", recipe, [INPUT]) == "place"
    io.meta_path(RESULT).unlink()
    assert recipes.stale(RESULT, recipe, [INPUT]) == "record"


def test_stale_results_are_made_again_and_the_reason_is_said_once(recipe: Recipe, tmp_path: Path) -> None:
    again, said = list[str](), list[str]()
    known = Recipes(tmp_path, again.extend, said.append)
    ask = known.of("score", seed=3, max_trials=4)
    for _ in range(2):
        ask(Wildcards(method="a"), [INPUT], [RESULT])
    assert set(again) == {RESULT}
    assert said == ["score: made again, for the configuration: max_trials changed"]
    assert known.stale_below(Path("results"), Path("resources")) == [
        f"{RESULT}: is stale, for the configuration: max_trials changed; run the workflow again"
    ]
    leaves_out = {("score", "a")}.__contains__
    assert (
        known.stale_below(Path("results"), Path("resources"), lambda *job: leaves_out((job[0], job[1]["method"]))) == []
    )


def test_raw_data_replaced_by_others_are_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ask = Recipes(tmp_path, lambda files: None, print).of_fetch(lambda _: {"sha256": "1"}, lambda _: "")
    made = ask(Wildcards(dataset="news"), [], [])
    io.write_text("resources/news/raw.csv", "one")
    files = {"data": {"name": "raw.csv", "sha256": io.result_digest("resources/news/raw.csv"), "bytes": 3}}
    record, path = made.record({}), "resources/news/fetch.json"
    io.write_json(
        path, {**{key: record[key] for key in ("script", "wildcards", "settings")}, "path": path, "files": files}
    )
    assert recipes.stale(path, made, []) == ""
    assert recipes.stale(path, replace(made, settings={"entry": {"sha256": "2"}, "state": ""}), []) != ""
    io.write_text("resources/news/raw.csv", "two")
    os.utime("resources/news/raw.csv", ns=(0, 0))
    assert recipes.stale(path, made, []) == "content of raw.csv"


def test_a_result_without_time_is_tried_again_unless_the_results_at_hand_are_asked_for(
    recipe: Recipe, tmp_path: Path
) -> None:
    io.write_missing(RESULT, MissingResult(f"{OUT_OF_TIME}edcm was not tried"), recipe.record({}))
    for retry, expected in ((True, [RESULT]), (False, [])):
        again = list[str]()
        ask = Recipes(tmp_path, again.extend, lambda sentence: None, retry=retry).of("score", seed=3, max_trials=2)
        ask(Wildcards(method="a"), [], [RESULT])
        assert again == expected


def test_what_rests_on_a_result_that_a_run_has_not_made_is_named(recipe: Recipe, tmp_path: Path) -> None:
    for path, source in (
        ("results/papers/a/comparison.csv", RESULT),
        ("results/report/index.html", "results/papers/a/comparison.csv"),
    ):
        io.write_result(path, "x\n", recipe.record({source: io.result_digest(source)}))
    io.write_result("results/apart.csv", "x\n", recipe.record({INPUT: io.result_digest(INPUT)}))
    known = Recipes(tmp_path, lambda files: None, lambda sentence: None)
    ask = known.of("score", seed=3, max_trials=2)
    ask(Wildcards(method="a"), [INPUT], [RESULT])
    assert known.is_of_run(RESULT) and not known.is_of_run("results/report/index.html")
    assert known.unfounded(Path("results")) == []
    io.delete_result(RESULT)
    assert known.unfounded(Path("results")) == ["results/papers/a/comparison.csv", "results/report/index.html"]
    other = Recipes(tmp_path, lambda files: None, lambda sentence: None)
    assert other.unfounded(Path("results")) == [], "a run of something else says nothing about these"
