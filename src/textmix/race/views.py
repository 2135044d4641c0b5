"""The views of texts in a race: those of every comparison, and further ones that join where there is time for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textmix.experiment.entries import TEXT_VIEWS, compared
from textmix.experiment.methods import Method

#: Further view -> how it is counted.
FURTHER: dict[str, dict[str, Any]] = {
    "trigrams": {"tokenizer": "scripts", "max_n": 3, "min_documents": 2},
    "long_characters": {"tokenizer": "characters", "max_n": 5, "min_documents": 2},
}
#: All views of a race.
VIEWS: dict[str, dict[str, Any]] = {**TEXT_VIEWS, **FURTHER}
#: Further view -> the view whose methods take it, too.
LIKE = {"trigrams": "bigrams", "long_characters": "characters"}
#: Method -> the views that it takes in a race besides those of the registry: its weights suit any counts.
MORE = {"nbsvm": ("characters",), "multinomial": ("characters",), "complement": ("bigrams", "characters")}

#: The view of the vectors of an encoder that the user names, the methods that take it, and how it is weighted.
ENCODER = "encoder"
ENCODED = ("linear_svm", "logistic_regression", "svm_relevance", "binary_relevance", "svm_power_set")
WEIGHTED = ("reals", "scaled")


def all_views(encoder: str) -> dict[str, dict[str, Any]]:
    """Return view -> how it is counted, with the vectors of an encoder where one is named."""
    return {**VIEWS, ENCODER: {"encoder": encoder}} if encoder else VIEWS


def choices_of(entry: Mapping[str, Any], weightings: Sequence[str]) -> list[dict[str, str]]:
    """Return the representations of a method: each view with each weighting that suits it.

    Parameters
    ----------
    entry : of `entry_of`.
    weightings : those that suit counts.
    """
    suited = {view: weightings for view in entry["views"]}
    if ENCODER in suited:
        suited[ENCODER] = WEIGHTED
    return [{"view": view, "weighting": weighting} for view in suited for weighting in suited[view]]


def entry_of(method: Method, encoder: str = "") -> dict[str, Any]:
    """Return the entry of a method in a race (`textmix.experiment.entries.compared`), with its further views.

    Parameters
    ----------
    method : of the registry.
    encoder : that the user names; empty for none.
    """
    views = [*method.views, *(view for view in MORE.get(method.name, ()) if view not in method.views)]
    views += [view for view, like in LIKE.items() if like in views]
    views += [ENCODER] * bool(encoder and method.name in ENCODED)
    return compared(method, {"views": views}, all_views(encoder), validated=True)
