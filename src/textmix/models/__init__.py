"""scikit-learn estimators, one file a model family."""
