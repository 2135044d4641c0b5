"""What the document says of times: the mixtures beside the network in training, beside k-NN in prediction."""

from __future__ import annotations

import functools
from typing import Any

from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, in_turns, only, ratio_of_times
from textmix.models.neighbors.labels import LabelNeighbors
from textmix.models.network.label_network import LabelNetwork
from textmix.models.pmm.estimator import PMM1, PMM2


def claims_time(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Time training and prediction of the first trial, in turns; tuning is left out, on both sides.

    ``training_nn_pmm1`` is the network's time over that of PMM1, ``prediction_knn_pmm1`` that of k-NN over that of
    PMM1, each with its interval; the same with ``pmm2``.

    Settings: ``network`` and ``neighbors``, the parameters of `LabelNetwork` and `LabelNeighbors`; ``xi`` and ``zeta``
    of the mixtures; ``repeats``, how often each is timed.
    """
    trial, xi = only(sources).first("indicators"), settings["xi"]
    models: dict[str, Any] = {
        "nn": LabelNetwork(**settings["network"]),
        "knn": LabelNeighbors(**settings["neighbors"]),
        "pmm1": PMM1(xi=xi),
        "pmm2": PMM2(xi=xi, zeta=settings["zeta"]),
    }
    fits = {name: functools.partial(trial.train.fitted, models[name]) for name in ("nn", "pmm1", "pmm2")}
    training = in_turns(fits, settings["repeats"])
    fitted = {name: trial.train.fitted(models[name]) for name in ("knn", "pmm1", "pmm2")}
    labels = {name: functools.partial(model.predict, trial.test.X) for name, model in fitted.items()}
    prediction = in_turns(labels, settings["repeats"])
    values: dict[str, float] = {}
    for mixture in ("pmm1", "pmm2"):
        values |= ratio_of_times(f"training_nn_{mixture}", training["nn"], training[mixture])
        values |= ratio_of_times(f"prediction_knn_{mixture}", prediction["knn"], prediction[mixture])
    return Measure(values)
