"""The measures of Kauchak, Madsen & Elkan and of Madsen's thesis, by name; each subject has a module of its own."""

from textmix.papers.edcm.likeness import approximation, dcm_parameters, gamma_ratio
from textmix.papers.edcm.neighbours import knn_curves, knn_curves_industry, knn_variants
from textmix.papers.edcm.readings import dcm_methods, deviation_readings, perplexity_readings
from textmix.papers.edcm.repetition import burstiness, normalisation
from textmix.papers.edcm.tfidf import tfidf_forms
from textmix.papers.edcm.times import training_time
from textmix.papers.edcm.topics import latent_topics, latent_topics_time, newsgroup_topics
from textmix.papers.edcm.unseen import mixtures, perplexity
from textmix.papers.edcm.weights import fisher_tfidf

__all__ = [
    "approximation",
    "burstiness",
    "dcm_methods",
    "dcm_parameters",
    "deviation_readings",
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
    "perplexity_readings",
    "tfidf_forms",
    "training_time",
]
