"""The measures of Kauchak, Madsen & Elkan and of Madsen's thesis, by name; each subject has a module of its own."""

from textmix.papers.edcm.likeness import approximation, dcm_parameters, gamma_ratio
from textmix.papers.edcm.neighbours import knn_curves, knn_curves_industry, knn_variants
from textmix.papers.edcm.repetition import burstiness, normalisation
from textmix.papers.edcm.times import training_time
from textmix.papers.edcm.topics import latent_topics, latent_topics_time, newsgroup_topics
from textmix.papers.edcm.unseen import mixtures, perplexity
from textmix.papers.edcm.weights import fisher_tfidf

__all__ = [
    "approximation",
    "burstiness",
    "dcm_parameters",
    "fisher_tfidf",
    "gamma_ratio",
    "knn_curves",
    "knn_curves_industry",
    "knn_variants",
    "latent_topics",
    "latent_topics_time",
    "mixtures",
    "newsgroup_topics",
    "normalisation",
    "perplexity",
    "training_time",
]
