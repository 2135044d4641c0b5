"""The views of a user's texts: kinds of features, among which a comparison of methods chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
#: Keys that a training part applies to its own documents (`textmix.text.weighting.TermWeighting`).
_LEAST = ("min_documents", "min_count")
#: The view of data that are counted already.
MATRIX_VIEWS: dict[str, dict[str, Any]] = {"matrix": {"tokenizer": "matrix"}}


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
