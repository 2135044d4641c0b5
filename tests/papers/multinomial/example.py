"""Parts that several tests of the document on multinomial models share."""

from __future__ import annotations

from typing import Any

from reproduction.flow.measures import MeasureData
from reproduction.papers.multinomial import other_classifiers as rivals
from tests.papers.files import spec_of
from textmix.data.corpus import TEST

SPEC = spec_of("multinomial")


SETTINGS: dict[str, Any] = {
    **{"discount": "upper_bound", "discount_counts": "pooled", "length": "none", "folds": 4},
    **{"low": 0, "high": 1, "steps": 40, "powers": 9, "standard": 0.5, "validation": 0.3, "min_class_documents": 3},
    **{"tol": 1e-4, "max_iter": 200},
    **{"models": list(rivals.CLASSIFIERS), "C": 10, "hidden": 4, "decay": 10.0},
    **{"discounts": ["upper_bound", 0.1], "priors": ["training", "uniform"]},
    "constants": [0.001, 0.5, 1],
    **{"unlabelled": ["ignore", "smoothing", "others"]},
    **{"sums": [1, 10, None], "variance": 1.0, "beam_width": 3, "mixture": {"n_components": 2, "max_iter": 5}},
}


N, N_WORDS, N_LABELS = 260, 80, 6


def halves(source: MeasureData) -> tuple[Any, ...]:
    """Return training counts and labels, test counts and labels, dense."""
    X, Y, test = source.corpus.features.toarray(), source.corpus.labels.toarray(), source.corpus.split == TEST
    return X[~test], Y[~test], X[test], Y[test].astype(bool)
