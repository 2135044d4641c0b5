"""A fitted model to keep: fit, save, load, predict."""
