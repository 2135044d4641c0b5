"""The measures of the other methods of Madsen's thesis, by name; each subject has a module of its own."""

from reproduction.papers.thesis.comparison import comparison, comparison_time
from reproduction.papers.thesis.fusion import fusion
from reproduction.papers.thesis.latent_topics import latent_topics
from reproduction.papers.thesis.longer import longer, thinned
from reproduction.papers.thesis.pruning import pruning
from reproduction.papers.thesis.sparse_counts import sparse_counts
from reproduction.papers.thesis.word_order import word_order

__all__ = [
    "comparison",
    "comparison_time",
    "fusion",
    "latent_topics",
    "longer",
    "pruning",
    "sparse_counts",
    "thinned",
    "word_order",
]
