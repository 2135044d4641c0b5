"""Errors, files, configuration, digests and the cache; every other package of textmix may import from here."""
