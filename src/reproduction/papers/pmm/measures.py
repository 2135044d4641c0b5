"""The measures of Ueda & Saito's paper, by name: summaries of its tables, and properties of its models."""

from reproduction.papers.pmm.model import assumption, calibration, convergence, prediction, words
from reproduction.papers.pmm.tables import means, problems, wins

__all__ = ["assumption", "calibration", "convergence", "means", "prediction", "problems", "wins", "words"]
