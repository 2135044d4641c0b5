"""The measures of Kauchak, Madsen & Elkan and of Madsen's thesis, by name; each subject has a module of its own."""

from reproduction.papers.edcm.likeness import approximation, dcm_parameters, gamma_ratio
from reproduction.papers.edcm.neighbours import knn_curves, knn_curves_industry, knn_variants
from reproduction.papers.edcm.readings import dcm_methods, deviation_readings, perplexity_readings
from reproduction.papers.edcm.repetition import burstiness, normalisation
from reproduction.papers.edcm.tfidf import tfidf_forms
from reproduction.papers.edcm.times import training_time
from reproduction.papers.edcm.topics import latent_topics, latent_topics_time, newsgroup_topics
from reproduction.papers.edcm.unseen import mixtures, perplexity
from reproduction.papers.edcm.weights import fisher_tfidf

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
