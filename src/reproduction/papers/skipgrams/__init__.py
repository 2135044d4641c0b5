"""Measures and figures of the paper skipgrams."""
