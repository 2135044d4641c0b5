"""Role lists are expanded in order wherever they are allowed; duplicate or ambiguous names are rejected."""

from __future__ import annotations

from typing import Any

import pytest

from reproduction.flow.locators import expand_locators
from reproduction.flow.papers import expand_paper
from textmix.core.errors import ConfigError

LISTS = {"both": ["a", "b"]}


def paper(**changes: Any) -> dict[str, Any]:
    """Return the sections of a paper.yaml that refer to roles."""
    sides = {"roles": ["both", "c"], "experiments": {}, "measures": {}, "figures": {}, "role_lists": LISTS}
    return {"title": "A paper", **sides, **changes}


def test_role_lists_are_expanded_in_order() -> None:
    found = expand_paper(
        paper(
            experiments={"e": {"roles": {"c": "halves", "both": "thirds"}, "metrics": ["accuracy"]}},
            measures={"m": {"roles": {"both": "halves"}}},
            figures={"f": {"roles": ["both"]}, "g": {"caption": "no roles"}},
        ),
        "paper.yaml",
    )
    assert found["roles"] == ["a", "b", "c"]
    assert list(found["experiments"]["e"]["roles"].items()) == [("c", "halves"), ("a", "thirds"), ("b", "thirds")]
    assert found["experiments"]["e"]["metrics"] == ["accuracy"]
    assert list(found["measures"]["m"]["roles"]) == ["a", "b"]
    assert found["figures"] == {"f": {"roles": ["a", "b"]}, "g": {"caption": "no roles"}}
    assert "role_lists" not in found


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"roles": ["both", "a"]}, "paper.yaml: roles: the role 'a' is repeated"),
        ({"experiments": {"e": {"roles": {"a": "s", "both": "t"}}}}, "experiments.e.roles: the role 'a' is repeated"),
        ({"roles": ["a", "b"], "role_lists": {"a": ["b"]}}, "the role 'b' is repeated"),
        ({"roles": ["c", "d"], "role_lists": {"e": ["d"], "d": ["e"]}}, "role_lists.e: 'e' is also a role"),
    ],
)
def test_duplicate_or_ambiguous_name_is_rejected(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        expand_paper(paper(**changes), "paper.yaml")
    assert message in str(error.value)


def test_locator_with_a_role_list_is_expanded() -> None:
    texts = ["score:t/both/dcm/accuracy/mu=1", "data:both/documents", "measure:m/both", "time:t/c/dcm/fit_seconds"]
    assert expand_locators(texts, LISTS, "checks.yaml") == [
        *("score:t/a/dcm/accuracy/mu=1", "score:t/b/dcm/accuracy/mu=1", "data:a/documents", "data:b/documents"),
        *("measure:m/both", "time:t/c/dcm/fit_seconds"),
    ]
    with pytest.raises(ConfigError, match=r"checks\.yaml: 'both' is no locator"):
        expand_locators(["both"], LISTS, "checks.yaml")
