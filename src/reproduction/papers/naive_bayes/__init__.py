"""Measures and figures of the paper naive_bayes."""
