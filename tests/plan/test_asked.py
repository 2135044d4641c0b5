"""A target that nothing makes is refused, and the message gives the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.plan.plan import Plan, make_plan
from reproduction.plan.targets import check_target
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
RULES = ("all", "edcm", "tables", "figures")
FIT = {"paper": "edcm", "experiment": "smoothing", "dataset": "r52_wheel", "method": "edcm"}


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Return the plan of the real configuration."""
    return make_plan(load_yaml_strict(ROOT / "config/config.yaml"), [], ROOT)


@pytest.mark.parametrize(
    ("target", "made", "near"),
    [
        ("tabels", None, "'tables'"),
        ("results/papers/edm/comparison.csv", None, "'results/papers/edcm/comparison.csv'"),
        ("results/datasets/yeast_whel", {"dataset": "yeast_whel"}, "'yeast_wheel'"),
        ("results/features/r52_wheel/lettrs", {"dataset": "r52_wheel", "features": "lettrs"}, "'letters'"),
        ("results/papers/pmm/tables/tabl2.csv", None, "'results/papers/pmm/tables/table2.csv'"),
        ("results/scores/...", FIT | {"experiment": "smoothin"}, "'smoothing'"),
        ("results/scores/...", FIT | {"method": "edmc"}, "'edcm'"),
    ],
)
def test_a_wrong_name_is_answered_by_the_nearest(plan: Plan, target: str, made: dict[str, str], near: str) -> None:
    with pytest.raises(ConfigError, match=f"did you mean {near}"):
        check_target(target, RULES, made, plan)


def test_a_path_like_nothing_is_answered_by_the_place_to_look(plan: Plan) -> None:
    with pytest.raises(ConfigError, match="--list-target-rules"):
        check_target("/nowhere", RULES, None, plan)


def test_a_path_of_known_names_passes(plan: Plan) -> None:
    check_target("results/scores/edcm/smoothing/r52_wheel/edcm.csv", RULES, FIT, plan)
