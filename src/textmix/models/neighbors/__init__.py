"""Nearest-neighbour classifiers on document representations."""
