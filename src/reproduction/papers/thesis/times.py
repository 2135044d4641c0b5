"""Time of the sensitivities by which the thesis prunes the vocabulary."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, in_turns, ratio_of_times
from textmix.experiment.trial import Documents
from textmix.models.lsi.classifiers import ProbabilisticNeuralNetwork
from textmix.models.lsi.scores import SCORES
from textmix.models.lsi.transformer import LSITransformer, unit_length

#: Score that the thesis suggests.
SUGGESTED = "sensitivity"
#: Computation that the time of the sensitivities is compared with, in addition to the other scores.
CLASSIFIER = "classifier"


def sensitivity_time(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Time the scores that rank the words for pruning, and one fit of the LSI classifier, on the first split.

    ``sensitivity_over_classifier`` is the CPU time of the sensitivities divided by that of the LSI classifier, the
    geometric mean over data sets and rounds; ``sensitivity_over_<score>`` is the same for another score.

    Settings: ``components`` and ``width`` of the classifier; ``repeats``, the number of rounds.
    Result: the table ``seconds`` has the mean CPU seconds of each computation on each data set.
    """
    rows: list[dict[str, Any]] = []
    logarithms: dict[str, list[float]] = {}
    for role, source in sources.items():
        train = source.first().train
        calls: dict[str, Callable[[], object]] = {
            name: functools.partial(score, train.X, train.y, rng) for name, score in SCORES.items()
        }
        calls[CLASSIFIER] = functools.partial(_fit_classifier, train, settings["components"], settings["width"])
        seconds = in_turns(calls, settings["repeats"])
        for name, of_rounds in seconds.items():
            rows.append({"role": role, "computation": name, "seconds": float(np.mean(of_rounds))})
            if name != SUGGESTED:
                ratio = ratio_of_times(name, seconds[SUGGESTED], of_rounds)[name]
                logarithms.setdefault(f"{SUGGESTED}_over_{name}", []).append(float(np.log(ratio)))
    values = {name: float(np.exp(np.mean(of_roles))) for name, of_roles in logarithms.items()}
    return Measure(values, {"seconds": rows})


def _fit_classifier(train: Documents, components: int, width: float) -> ProbabilisticNeuralNetwork:
    """Fit the LSI classifier with the weighting of the pruning experiment."""
    space = LSITransformer(n_components=components, weighting="log_tfidf", unit_length=False, random_state=0)
    coordinates = Documents(unit_length(space.fit_transform(train.X)), train.y)
    fitted: ProbabilisticNeuralNetwork = coordinates.fitted(ProbabilisticNeuralNetwork(width=width))
    return fitted
