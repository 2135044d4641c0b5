"""Conditional Bernoulli Mixtures (Li et al. 2016)."""
