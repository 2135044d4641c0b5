"""Common modules of the estimators: validation, base classes, kernels for counts, boosted trees."""
