"""Data sets: registry, fetching, readers and the canonical `Corpus`."""
