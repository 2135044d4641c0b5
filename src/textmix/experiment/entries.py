"""Entries of methods in a comparison: the views of texts that are counted, and among what each method is tuned.

It is imported while a workflow is parsed, so it imports nothing heavier than the registry of methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textmix.experiment.methods import DEFAULT_WEIGHTINGS, Method
from textmix.metrics.table import main_metric

#: Folds of methods that are not of low cost; those of low cost have what `textmix.experiment.search` gives them.
FOLDS = 3
#: View -> how it is counted.  Counts are kept for all words, since each training part makes its own cut.
TEXT_VIEWS: dict[str, dict[str, Any]] = {
    "words": {"tokenizer": "scripts"},
    "bigrams": {"tokenizer": "scripts", "max_n": 2, "min_documents": 2},
    "skipgrams": {"tokenizer": "scripts", "max_n": 2, "max_slop": 2, "subsume": False, "min_documents": 2},
    "characters": {"tokenizer": "characters", "max_n": 4, "min_documents": 2},
    "sequences": {"tokenizer": "scripts", "keep_tokens": True, "min_documents": 2},
}
#: Keys of ``features`` by which a user describes a view of their own, which is then the only one.
_OWN_VIEW = {"tokenizer", "max_n", "max_slop", "subsume", "vectors"}
#: Keys that a training part applies to its own documents (`textmix.text.term_weighting.TermWeighting`, and for words in
#: order `textmix.text.sequences.FrequentWords`).
_LEAST = ("min_documents", "min_count")
#: The view of data that are counted already.
MATRIX_VIEWS: dict[str, dict[str, Any]] = {"matrix": {"tokenizer": "matrix"}}


def compared(
    method: Method,
    change: Mapping[str, Any] | None = None,
    views: Mapping[str, Any] | None = None,
    *,
    validated: bool = False,
) -> dict[str, Any]:
    """Return an experiment's entry of a method in a comparison, in which its grid is tuned on training documents only.

    The key ``compared`` of the entry says that a method which does not apply leaves a reason instead of an error;
    ``views`` and ``weightings`` say among which representations it is tuned.

    Parameters
    ----------
    method : the registry entry.
    change : ``params`` and ``tune`` in place of the registry's parameters, grid and the default folds and metric;
        ``tune: null`` turns tuning off; ``views`` and ``weightings`` in place of the registry's.
    views : view -> how its features are counted; None for data whose features are the experiment's.
    validated : whether a method of which nothing is tuned gets its score on folds of the training documents, too, by
        which methods are chosen.
    """
    change = change or {}
    params = dict(change.get("params", method.params))
    entry: dict[str, Any] = {"use": method.name, "params": params, "compared": True}
    entry |= _representations(method, change, views)
    tune = change.get("tune", {})
    grid = {} if tune is None else tune.get("grid", method.grid)
    if tune is not None and (validated or grid or len(entry["views"]) * len(entry["weightings"]) > 1):
        folds = {} if method.cost == "low" else {"folds": FOLDS}
        default = {"metric": main_metric(method.task), **folds}
        entry["tune"] = {**default, **(tune or {}), "grid": {key: list(values) for key, values in grid.items()}}
    return entry


def _representations(method: Method, change: Mapping[str, Any], views: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the part of an entry on representations; a view that the data lack gives way to their first one."""
    weightings = [*(change.get("weightings") or method.weightings or DEFAULT_WEIGHTINGS[method.takes])]
    if views is None:
        return {"views": {"matrix": {}}, "weightings": weightings}
    asked = [view for view in change.get("views", method.views) if view in views] or list(views)[:1]
    found = {view: least_of(views[view]) for view in asked}
    return {"views": found, "weightings": weightings}


def views_of(features: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return view -> how it is counted, from the key ``features`` of my.yaml, which overrides single keys.

    A key that says how text is cut makes one view of its own in place of all views.
    """
    if _OWN_VIEW & set(features):
        return {"words": {**TEXT_VIEWS["words"], **features}}
    return {view: {**spec, **features} for view, spec in TEXT_VIEWS.items()}


def least_of(spec: Mapping[str, Any]) -> dict[str, int]:
    """Return what a training part asks of a feature, from the entry by which all documents were counted.

    A feature that is too rare in all documents is too rare in each part of them, so that the first cut loses none.
    """
    return {key: spec[key] for key in _LEAST if key in spec}
