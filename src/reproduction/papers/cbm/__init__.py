"""Measures and figures of the paper cbm."""
