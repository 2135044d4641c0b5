"""Measures and figures of the paper multinomial."""
