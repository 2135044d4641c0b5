"""A value that is no text is named with its place, by every vectoriser."""

from __future__ import annotations

from typing import Any

import pytest

import textmix
from textmix import SequenceVectorizer, SkipgramVectorizer, WordVectorizer

TEXTS = ["a goal and a ball", "paint on a stage", "a ball"]
ODD = [float("nan"), None, b"bytes", 7, ["a", "list"]]


def vectorisers() -> list[Any]:
    """Return every public vectoriser, and one with a tokeniser of the user's own."""
    named = [getattr(textmix, name) for name in textmix.__all__ if name.endswith("Vectorizer")]
    assert {WordVectorizer, SkipgramVectorizer, SequenceVectorizer} <= set(named)
    few = {"max_n": 1, "min_df": 1}
    return [
        *(kind(**(few if kind is SkipgramVectorizer else {})) for kind in named),
        SkipgramVectorizer(tokenizer=str.split, **few),
    ]


@pytest.mark.parametrize("vectoriser", vectorisers(), ids=repr)
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_what_is_no_string_is_named(vectoriser: Any, odd: object) -> None:
    message = rf"text 1 is .* \({type(odd).__name__}\), not a string; "
    with pytest.raises(ValueError, match=message):
        vectoriser.fit_transform([TEXTS[0], odd])
    vectoriser.fit(TEXTS)
    with pytest.raises(ValueError, match=message):
        vectoriser.transform([TEXTS[0], odd])


@pytest.mark.parametrize("vectoriser", vectorisers(), ids=repr)
def test_half_of_a_pair_of_surrogates_and_what_is_no_list_are_told(vectoriser: Any) -> None:
    with pytest.raises(ValueError, match="text 1 contains a lone surrogate at 2"):
        vectoriser.fit(["a", "b \ud800"])
    for no_list in ("one", b"one", None):
        with pytest.raises(ValueError, match="a list of texts"):
            vectoriser.fit(no_list)
