"""Ueda & Saito's Parametric Mixture Models: what their tables sum up to, and what is behind them."""

from textmix.study.papers.pmm.model import assumption, calibration, convergence, prediction, words
from textmix.study.papers.pmm.tables import means, problems, wins

__all__ = [
    "assumption",
    "calibration",
    "calibration_newsgroups",
    "convergence",
    "convergence_newsgroups",
    "means",
    "means_four",
    "prediction",
    "prediction_newsgroups",
    "problems",
    "wins",
    "wins_four",
    "words",
]

# A measure has one features set and its function's name: one name for each set of problems.
means_four, wins_four = means, wins
calibration_newsgroups, convergence_newsgroups, prediction_newsgroups = calibration, convergence, prediction
