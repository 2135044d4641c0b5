"""Errors, files, configuration, digests, the cache: all other packages of textmix may import from here."""
