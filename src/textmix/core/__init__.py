"""Errors, files, configuration, provenance, determinism, jobs: every room uses them, they use no room."""
