"""Measures and figures of the paper pmm."""
