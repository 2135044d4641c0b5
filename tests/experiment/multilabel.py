"""A method for documents with several labels."""

from __future__ import annotations

from textmix.experiment.methods import Method

RIDGE = Method("ridge", "sklearn.linear_model:RidgeClassifier", "", "multi", "reals", "cbm")
