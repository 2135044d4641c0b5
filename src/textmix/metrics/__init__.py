"""Metrics of predictions, rules that decide on label sets, and tests of differences between methods."""
