"""Classes of estimators and transformers that a saved model may contain.

Only public classes of textmix that declare their fitted attributes, and the classes of `SCHEMAS`, are allowed, so that
a forged model cannot run other code.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import textmix
from textmix.core.errors import ConfigError

#: Class that is not a public class of textmix -> its module.
MODULES = {
    "LogisticRegression": "sklearn.linear_model",
    "ComplementNB": "sklearn.naive_bayes",
    "DummyClassifier": "sklearn.dummy",
    "CountVectorizer": "sklearn.feature_extraction.text",
    "TfidfVectorizer": "sklearn.feature_extraction.text",
    "TfidfTransformer": "sklearn.feature_extraction.text",
    # Without an encoder of the user it does nothing.
    "TextEncoder": "textmix.text.encoder",
    "NgramTfidf": "textmix.text.ngram_tfidf",
    "TableTfidf": "textmix.text.table_tfidf",
    "NumericFeatures": "textmix.text.numeric_features",
    "LinearTexts": "textmix.models.linear.linear_texts",
}
#: Class of `MODULES` -> schema of its fitted attributes, see `textmix.serve.state_schema`.
SCHEMAS: dict[str, Mapping[str, Any]] = {
    "LogisticRegression": {
        "classes_": "int C",
        "coef_": "float64 R V",
        "intercept_": "float64 R",
        "n_iter_": "int *",
        "n_features_in_": "int",
    },
    "ComplementNB": {
        "classes_": "int C",
        "class_count_": "float64 C",
        "class_log_prior_": "logs C",
        "feature_count_": "float64 C V",
        "feature_all_": "float64 V",
        "feature_log_prob_": "logs C V",
        "n_features_in_": "int",
    },
    "DummyClassifier": {
        "classes_": "int C",
        "class_prior_": "float64 C",
        "n_classes_": "int",
        "n_outputs_": "int",
        "sparse_output_": "bool",
        "_strategy": "str",
        "n_features_in_": "int",
    },
    "CountVectorizer": {"vocabulary_": "vocabulary V", "fixed_vocabulary_": "bool"},
    "TfidfVectorizer": {"vocabulary_": "vocabulary V", "fixed_vocabulary_": "bool", "idf_": "float64 V"},
    "TfidfTransformer": {"idf_": "float64 V", "n_features_in_": "int"},
    "TextEncoder": {"n_vectors_": "int"},
    "NgramTfidf": {"vocabulary_": "vocabulary V", "idf_": "float64 V"},
    "TableTfidf": {
        "vocabulary_": "vocabulary V",
        "idf_": "float64 V",
        "names_": "vocabulary W",
        "points_": "float64 M P",
    },
    "NumericFeatures": {"vocabulary_": "vocabulary V", "scale_": "float64 V", "fill_": "float64 V"},
    "LinearTexts": {
        "classes_": "int C",
        "coef_": "float32 K V",
        "intercept_": "float32 K",
        "several_": "bool",
        "n_features_in_": "int",
    },
}


def class_of(name: str) -> type:
    """Look up a class by name; `allowed_class` checks that a model may contain it."""
    module = importlib.import_module(MODULES[name]) if name in MODULES else textmix
    cls: type = getattr(module, name)
    return cls


def is_allowed(cls: type) -> bool:
    """Check whether a class declares its fitted attributes and `class_of` finds it."""
    name = cls.__name__
    is_declared = name in SCHEMAS or (name in dir(textmix) and hasattr(cls, "_fitted_forms"))
    return is_declared and class_of(name) is cls


def allowed_class(name: str) -> type:
    """Look up a class that a model may contain.

    Raises
    ------
    AttributeError
        If the name is unknown.
    ConfigError
        If a model may not contain the class.
    """
    cls = class_of(name)
    if not isinstance(cls, type) or not is_allowed(cls):
        raise ConfigError(f"model: {name} is not a class that a model may contain")
    return cls


def schema_of(step: Any) -> Mapping[str, Any]:
    """Return the schema of the fitted attributes of an estimator.

    Parameters
    ----------
    step : estimator
        The estimator.

    Returns
    -------
    mapping
        Attribute -> schema.

    Raises
    ------
    ConfigError
        If the estimator cannot be saved.
    """
    name = type(step).__name__
    if not is_allowed(type(step)):
        raise ConfigError(f"model: {name} does not declare fitted attributes and cannot be saved; choose another class")
    schema: Mapping[str, Any] = SCHEMAS[name] if name in SCHEMAS else step._fitted_forms
    return schema
