"""Times that the PMM paper claims: training compared with the network, prediction compared with k-NN."""

from __future__ import annotations

import functools
from typing import Any

from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, in_turns, only, ratio_of_times
from textmix.models.neighbors.labels import LabelNeighbors
from textmix.models.network.label_network import LabelNetwork
from textmix.models.pmm.estimator import PMM1, PMM2


def claims_time(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Time training and prediction of the first trial in alternating runs, without tuning for any method.

    ``training_nn_pmm1`` is the ratio of the training times of the network and PMM1, and ``prediction_knn_pmm1`` the
    ratio of the prediction times of k-NN and PMM1, each with its interval. The same values exist for ``pmm2``.

    Settings: ``network`` and ``neighbors``, parameters of `LabelNetwork` and `LabelNeighbors`; ``xi`` and ``zeta`` of
    the mixture models; ``repeats``, the number of rounds.
    """
    trial = only(sources).first("indicators")
    models: dict[str, Any] = {
        "nn": LabelNetwork(**settings["network"]),
        "knn": LabelNeighbors(**settings["neighbors"]),
        "pmm1": PMM1(xi=settings["xi"]),
        "pmm2": PMM2(xi=settings["xi"], zeta=settings["zeta"]),
    }
    train = trial.train
    fit = {name: functools.partial(train.fitted, models[name]) for name in ("nn", "pmm1", "pmm2")}
    training = in_turns(fit, settings["repeats"])
    fitted = {name: train.fitted(models[name]) for name in ("knn", "pmm1", "pmm2")}
    X = trial.test.X
    predict = {name: functools.partial(model.predict, X) for name, model in fitted.items()}
    prediction = in_turns(predict, settings["repeats"])
    values: dict[str, float] = {}
    for mixture in ("pmm1", "pmm2"):
        values |= ratio_of_times(f"training_nn_{mixture}", training["nn"], training[mixture])
        values |= ratio_of_times(f"prediction_knn_{mixture}", prediction["knn"], prediction[mixture])
    return Measure(values)
