"""Figures, one module a paper."""
