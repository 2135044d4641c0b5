"""Ueda & Saito's Parametric Mixture Models: what their tables sum up to, and what is behind them."""

from textmix.papers.pmm.model import assumption, calibration, convergence, prediction, words
from textmix.papers.pmm.tables import means, problems, wins

__all__ = ["assumption", "calibration", "convergence", "means", "prediction", "problems", "wins", "words"]
