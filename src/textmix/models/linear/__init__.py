"""Linear classifiers and their solvers."""
