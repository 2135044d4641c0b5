"""The views of texts in a race: those of every comparison, and further ones that join where there is time for them."""

from __future__ import annotations

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


def entry_of(method: Method) -> dict[str, Any]:
    """Return the entry of a method in a race (`textmix.experiment.entries.compared`), with its further views."""
    views = [*method.views, *(view for view in MORE.get(method.name, ()) if view not in method.views)]
    views += [view for view, like in LIKE.items() if like in views]
    return compared(method, {"views": views}, VIEWS, validated=True)
