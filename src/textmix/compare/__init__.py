"""Methods compared on the user's own texts: the pipeline an expert writes by hand first, and what is ahead of it."""

from textmix.compare.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
