"""Measures computed from stored predictions only, each with its paper's own convention."""
