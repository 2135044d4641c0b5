"""The classes of estimators and transformers that a persisted model may hold, found by their public names.

`class_of` looks a name up, and `forms_of` accepts only a public class of `textmix` that declares its fitted state, or a
class of `SKLEARN`.  A forged model can therefore name no other code.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import textmix
from textmix.core.errors import ConfigError

_WORDS = {"vocabulary_": "vocabulary V", "fixed_vocabulary_": "bool"}
#: Name of a class of scikit-learn, or of one that is no public name of ours -> its module, and the declaration of its
#: fitted state in the language of `textmix.serve.state_schema`, which scikit-learn does not give.
SKLEARN: dict[str, tuple[str, Mapping[str, Any]]] = {
    "LogisticRegression": (
        "sklearn.linear_model",
        {
            **{"classes_": "int C", "coef_": "float64 R V", "intercept_": "float64 R", "n_iter_": "int *"},
            "n_features_in_": "int",
        },
    ),
    "ComplementNB": (
        "sklearn.naive_bayes",
        {
            **{"classes_": "int C", "class_count_": "float64 C", "class_log_prior_": "logs C"},
            **{"feature_count_": "float64 C V", "feature_all_": "float64 V", "feature_log_prob_": "logs C V"},
            "n_features_in_": "int",
        },
    ),
    "DummyClassifier": (
        "sklearn.dummy",
        {
            **{"classes_": "int C", "class_prior_": "float64 C", "n_classes_": "int", "n_outputs_": "int"},
            **{"sparse_output_": "bool", "_strategy": "str", "n_features_in_": "int"},
        },
    ),
    "CountVectorizer": ("sklearn.feature_extraction.text", _WORDS),
    "TfidfVectorizer": (
        "sklearn.feature_extraction.text",
        {**_WORDS, "idf_": "float64 V"},
    ),
    # A class of ours that is no public name: without an encoder of the user's it does nothing.
    "TextEncoder": ("textmix.text.encoder", {"n_vectors_": "int"}),
    # Classes of a comparison, which are no public names: `textmix.compare` makes and fits them.
    "NgramTfidf": ("textmix.text.ngram_tfidf", {"vocabulary_": "vocabulary V", "idf_": "float64 V"}),
    "TableTfidf": (
        "textmix.text.table_tfidf",
        {
            **{"vocabulary_": "vocabulary V", "idf_": "float64 V", "names_": "vocabulary W"},
            "points_": "float64 M P",
        },
    ),
    "LinearTexts": (
        "textmix.models.linear.linear_texts",
        {
            **{"classes_": "int C", "coef_": "float32 K V", "intercept_": "float32 K", "several_": "bool"},
            "n_features_in_": "int",
        },
    ),
    "TfidfTransformer": ("sklearn.feature_extraction.text", {"idf_": "float64 V", "n_features_in_": "int"}),
}


def class_of(name: str) -> type:
    """Return the class of a public name; `forms_of` checks that a model may hold it."""
    found: type = getattr(importlib.import_module(SKLEARN[name][0]) if name in SKLEARN else textmix, name)
    return found


def can_be_persisted(kind: type) -> bool:
    """Return whether a class declares its fitted state and `class_of` leads from its name back to it."""
    name = kind.__name__
    declared = name in SKLEARN or (name in dir(textmix) and hasattr(kind, "_fitted_forms"))
    return declared and class_of(name) is kind


def persisted_class(name: str) -> type:
    """Return the class of a public name; AttributeError without such a name, ConfigError if it is no class."""
    kind = class_of(name)
    if not isinstance(kind, type) or not can_be_persisted(kind):
        raise ConfigError(f"model: {name} is no class that a model may hold")
    return kind


def forms_of(step: Any) -> Mapping[str, Any]:
    """Return the declaration of the fitted state of an estimator; ConfigError if its class cannot be persisted."""
    name = type(step).__name__
    if not can_be_persisted(type(step)):
        raise ConfigError(f"model: {name} declares no fitted state, so that it cannot be saved; choose another class")
    forms: Mapping[str, Any] = SKLEARN[name][1] if name in SKLEARN else step._fitted_forms
    return forms
