"""Measures and figures of the papers, one subpackage per paper."""
