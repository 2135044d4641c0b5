"""The protocols: splits, seeds, the method registry, trials."""
