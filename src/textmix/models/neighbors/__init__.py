"""Nearest neighbours over representations of documents."""
