"""Modules that several families of estimators share: checks, base classes, kernels over counts, boosted trees."""
