"""Measures and figures of the paper edcm."""
