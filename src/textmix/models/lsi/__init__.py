"""Latent semantic indexing and the classifiers in its space."""
