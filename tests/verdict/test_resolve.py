"""Locators: each kind finds its value, and an absent value is either a missing result or not run."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import pytest

from reproduction.flow.locators import parse_locator
from reproduction.flow.results import NotRun, as_read, role_entries
from reproduction.verdict.resolve import Reproduced, _test_ratio, locate, roles_behind
from tests.verdict.reporting import SETTINGS, Made
from textmix.core import io
from textmix.core.errors import ConfigError, IntegrityError, MissingResult


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def located(made: Made, locator: str) -> Reproduced:
    return locate(made.results, parse_locator(locator))


def test_score_is_the_mean_over_trials_with_the_sample_deviation(made: Made) -> None:
    trials = [0.7, 0.8, 0.81]
    made.scores("dcm", {"": trials})
    value = located(made, "score:table1/news/dcm/accuracy")
    assert value.value == pytest.approx(sum(trials) / 3)
    assert value.standard_deviation == pytest.approx(statistics.stdev(trials))
    assert value.n == 3


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"kind": "folds", "folds": 4}, 1 / 3),
        ({"kind": "random", "train": 0.8}, 0.2 / 0.8),
        ({"kind": "random", "train": 0.5, "test": 0.1}, 0.1 / 0.9),
        ({"kind": "random", "train": 20}, 70 / 20),
        ({"kind": "random", "train": 20, "test": 10}, 10 / 80),
        ({"kind": "random", "train": 20, "test": 0.1}, 9 / 81),
        ({"kind": "random", "train": 0.5, "test": 9}, 9 / 81),
    ],
)
def test_the_test_ratio_of_ninety_documents_is_by_hand(spec: dict[str, Any], expected: float) -> None:
    assert _test_ratio(spec, lambda: 90) == pytest.approx(expected)


def test_variant_is_chosen_by_name_and_all_are_listed(made: Made) -> None:
    made.scores("grid", {"mu=1": [0.1], "mu=10;delta=2": [0.2]})
    assert located(made, "score:table1/news/grid/accuracy/mu=10;delta=2").value == 0.2
    assert made.results.scores("table1", "news", "grid", "accuracy") == {"mu=1": [0.1], "mu=10;delta=2": [0.2]}
    with pytest.raises(ConfigError, match=r"must name a variant.*mu=1"):
        located(made, "score:table1/news/grid/accuracy")
    with pytest.raises(ConfigError, match="no 'mu=2'"):
        located(made, "score:table1/news/grid/accuracy/mu=2")
    made.scores("dcm", {"mu=1": [0.1]})
    assert located(made, "score:table1/news/dcm/accuracy").value == 0.1, "the only variant needs no name"


def test_fits_that_did_not_converge_are_counted_for_their_variant_alone(made: Made) -> None:
    made.scores("grid", {"a=1": [0.1, 0.2], "a=2": [0.3, 0.4]})
    facts = [("a=1", "False"), ("a=1", "True"), ("a=2", "False"), ("a=2", "False")]
    rows = [{"variant": variant, "trial": 0, "converged": converged} for variant, converged in facts]
    made.fits("paper/table1/news_set/grid", io.format_csv(rows, ("variant", "trial", "converged")))
    assert located(made, "score:table1/news/grid/accuracy/a=1").unconverged == 1
    assert located(made, "score:table1/news/grid/accuracy/a=2").unconverged == 2


def test_time_is_the_median(made: Made) -> None:
    made.seconds("dcm", [1.0, 2.0, 90.0])
    assert located(made, "time:table1/news/dcm/fit_seconds").value == 2.0
    assert located(made, "time:table1/news/dcm/predict_seconds").value == 1.0


def test_data_and_features_have_statistics_of_their_own(made: Made) -> None:
    made.data("news_set", {"documents": 7, "labels": 2})
    made.data("news_set", {"documents": 6, "features": 99}, "words")
    assert located(made, "data:news/documents").value == 7
    assert located(made, "features:news/words/features").value == 99
    with pytest.raises(ConfigError, match="no 'colour'; there are documents, labels"):
        located(made, "data:news/colour")


def test_measure_is_found_by_key(made: Made) -> None:
    made.measure("own", {"a.b": 0.5})
    assert located(made, "measure:own/a.b").value == 0.5
    with pytest.raises(ConfigError, match=r"no table curve\.csv"):
        made.results.measure_table("own", "curve")


def test_value_of_a_role_without_data_is_missing_and_not_misspelt(made: Made) -> None:
    settings = {**SETTINGS, "measures": {"own": {"roles": {"news": "halves", "gone": "halves"}}}}
    partial = Made(made.root, settings)
    partial.measure("own", {"news_a": 0.5}, unread_roles=["gone"])
    assert located(partial, "measure:own/news_a").value == 0.5
    with pytest.raises(MissingResult, match="no data set for 'gone': was never public"):
        located(partial, "measure:own/ratio")


def test_unknown_value_of_a_complete_measure_is_an_error(made: Made) -> None:
    made.measure("own", {"news_a": 0.5})
    with pytest.raises(ConfigError, match="news_b"):
        located(made, "measure:own/news_b")


def test_missing_setting_names_where_it_stopped(made: Made) -> None:
    with pytest.raises(ConfigError, match=r"no 'splits\.thirds\.trials'.*stopped at 'thirds'"):
        located(made, "setting:splits.thirds.trials")


@pytest.mark.parametrize(
    ("locator", "words"),
    [
        ("score:table1/gone/dcm/accuracy", "no data set for 'gone': was never public"),
        ("data:gone/documents", "was never public"),
        ("measure:lost/x", "was never public"),
    ],
)
def test_unmapped_role_is_a_missing_result_with_its_reason(made: Made, locator: str, words: str) -> None:
    with pytest.raises(MissingResult, match=words) as found:
        located(made, locator)
    assert not isinstance(found.value, NotRun)


def test_missing_result_keeps_its_reason(made: Made) -> None:
    made.missing("scores/paper/table1/news_set/dcm.csv", "the archive is truncated")
    for _ in range(2):
        with pytest.raises(MissingResult, match="the archive is truncated") as found:
            located(made, "score:table1/news/dcm/accuracy")
        assert not isinstance(found.value, NotRun)


@pytest.mark.parametrize(
    ("locator", "words"),
    [
        ("score:table1/news/absent/accuracy", "this run has made no scores"),
        ("data:news/documents", "this run has made no datasets"),
        ("measure:free/x", "this run has made no papers"),
    ],
)
def test_what_nothing_makes_is_not_run_even_without_data(made: Made, locator: str, words: str) -> None:
    with pytest.raises(NotRun, match=words):
        located(made, locator)


@pytest.mark.parametrize(
    ("locator", "words"),
    [
        ("score:table9/news/dcm/accuracy", r"experiments: there is no 'table9'; there are table1"),
        ("score:table1/gone/knn/accuracy", r"experiments\.table1\.methods: there is no 'knn'"),
        ("features:gone/letters/features", r"features: there is no 'letters'"),
        ("measure:perplexity/x", r"measures: there is no 'perplexity'"),
    ],
)
def test_what_paper_yaml_lacks_is_refused_even_without_data(made: Made, locator: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        located(made, locator)


def test_result_changed_by_hand_is_refused(made: Made) -> None:
    made.scores("dcm", {"": [0.7]})
    path = made.root / "scores/paper/table1/news_set/dcm.csv"
    path.write_text(path.read_text().replace("0.7", "0.9"))
    with pytest.raises(IntegrityError, match=r"dcm\.csv changed"):
        located(made, "score:table1/news/dcm/accuracy")


@pytest.mark.parametrize(
    ("locator", "roles"),
    [
        ("score:table1/news/dcm/accuracy", ["news"]),
        ("data:gone/documents", ["gone"]),
        ("measure:own/x", ["news"]),
        ("setting:status", []),
    ],
)
def test_roles_behind_a_value(made: Made, locator: str, roles: list[str]) -> None:
    assert roles_behind(made.results, parse_locator(locator)) == roles


def test_an_entry_says_which_stand_in_was_read(tmp_path: Path) -> None:
    part = {"dataset": "part", "comparable": "not", "note": "a tenth of it"}
    entries = role_entries({"a": {"dataset": "whole", "comparable": "fully", "substitutes": [part]}})
    assert as_read(entries, tmp_path) == entries
    (tmp_path / "whole").mkdir()
    for name, expected in (("whole", ("fully", "", "whole")), ("part", ("not", "a tenth of it", "part"))):
        io.write_json(tmp_path / "whole/corpus.json", {"name": name})
        found = as_read(entries, tmp_path)["a"]
        assert (found.comparable, found.note, found.data) == expected
        assert found.dataset == "whole"
