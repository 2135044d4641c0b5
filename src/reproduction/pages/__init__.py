"""Figures and drawings of the reproduction's pages."""
