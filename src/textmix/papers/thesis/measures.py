"""The measures of the other methods of Madsen's thesis, by name; each subject has a module of its own."""

from textmix.papers.thesis.comparison import comparison, comparison_time
from textmix.papers.thesis.fusion import fusion
from textmix.papers.thesis.latent_topics import latent_topics
from textmix.papers.thesis.longer import longer, thinned
from textmix.papers.thesis.pruning import pruning
from textmix.papers.thesis.sparse_counts import sparse_counts
from textmix.papers.thesis.word_order import word_order

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
