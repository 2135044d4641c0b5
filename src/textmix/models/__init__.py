"""scikit-learn estimators, one folder a family, each with its kernels and its training."""
