"""The figures of the other methods of Madsen's thesis, by name; each subject has a module of its own."""

from __future__ import annotations

from collections.abc import Callable

from reproduction.pages.figures import FigureData
from reproduction.papers.thesis import (
    comparison_figures,
    fusion_figures,
    generative_figures,
    order_figures,
    pruning_figures,
)
from textmix.pages.style import Sheet

FIGURES: dict[str, Callable[[FigureData], Sheet]] = {
    "comparison": comparison_figures.comparison,
    "comparison_ranks": comparison_figures.comparison_ranks,
    "fusion": fusion_figures.fusion,
    "fusion_gains": fusion_figures.fusion_gains,
    "hmm_accuracy": order_figures.hmm_accuracy,
    "hmm_order": order_figures.hmm_order,
    "latent_topics": generative_figures.latent_topics,
    "longer": generative_figures.longer,
    "pruning": pruning_figures.pruning,
    "pruning_gains": pruning_figures.pruning_gains,
    "sparse_counts": pruning_figures.sparse_counts,
    "thinned": generative_figures.thinned,
}
