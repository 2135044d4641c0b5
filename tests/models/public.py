"""Every public class of textmix, ready for a test: small where a fit by default takes seconds, with a seed."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier

import textmix

#: Smaller than by default where a fit takes seconds.
SMALL: dict[str, dict[str, Any]] = {
    "CBMClassifier": {"n_components": 2, "n_init": 1, "max_iter": 3},
    "ChainEnsemble": {"n_chains": 2},
    "BoostedRelevance": {"trees": 5},
    "BoostedPowerSet": {"trees": 5},
    "DependencyNetwork": {"sweeps": 40, "kept": 20},
    "LabelNetwork": {"hidden": 3, "decays": (1.0,), "max_iter": 50},
    "LabelSVM": {"costs": (1.0,), "cost_factors": (1.0,)},
    "LatentTopicEDCM": {"n_components": 2, "max_iter": 5},
    "ClusteredHMMClassifier": {"n_clusters": 5, "n_states": 2, "max_iter": 10},
    "HMMClassifier": {"n_states": 2, "max_iter": 10},
    "LDAClassifier": {"n_components": 2},
    "SkipgramVectorizer": {"min_df": 2, "max_n": 2},
    # A tenth of eleven words, which is the default, is one word; the default criterion trains ten networks a fit.
    "PrunedLSIClassifier": {"share": 0.9, "criterion": "information_gain"},
}
CLASSES: dict[str, type] = {name: kind for name in textmix.__all__ if hasattr(kind := getattr(textmix, name), "fit")}


def make(name: str, **params: Any) -> Any:
    """Return a small unfitted estimator of a public class, with a seed where it takes one."""
    estimator = CLASSES[name](**{**SMALL.get(name, {}), **params})
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


def _input_tags(name: str) -> Any:
    """Return what a class tells of its input."""
    return make(name).__sklearn_tags__().input_tags


#: Classes of matrices, of texts, and of sequences of words, by name.
OF_MATRICES = sorted(name for name in CLASSES if _input_tags(name).two_d_array)
OF_TEXTS = sorted(name for name in CLASSES if _input_tags(name).string)
OF_SEQUENCES = sorted(CLASSES.keys() - {*OF_MATRICES, *OF_TEXTS})
CLASSIFIERS = sorted(name for name in CLASSES if is_classifier(make(name)))
SEVERAL = [name for name in CLASSIFIERS if make(name).__sklearn_tags__().classifier_tags.multi_label]
SINGLE = [name for name in CLASSIFIERS if make(name).__sklearn_tags__().target_tags.single_output]
TWO_CLASSES = [name for name in SINGLE if not make(name).__sklearn_tags__().classifier_tags.multi_class]
