"""Errors, files, configuration, provenance, determinism, jobs: all other packages of textmix may import from here."""
