"""Comparison of published and reproduced values: verdicts, tables and the report."""
