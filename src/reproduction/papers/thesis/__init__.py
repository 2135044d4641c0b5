"""Measures and figures of the paper thesis."""
