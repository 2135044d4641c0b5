"""Times that the PMM paper claims: training compared with the network, prediction compared with k-NN."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, in_turns, only, ratio_of_times
from textmix.experiment.trial import Trial
from textmix.models.neighbors.labels import LabelNeighbors
from textmix.models.network.label_network import LabelNetwork
from textmix.models.pmm.estimator import PMM1, PMM2

#: Task -> baseline that is slower than the mixture models according to the paper.
BASELINES = {"training": "nn", "prediction": "knn"}
MIXTURES = ("pmm1", "pmm2")


def claims_time(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Time training and prediction of the first trial in alternating runs, without tuning for any method.

    ``training_nn_pmm1`` is the ratio of the training times of the network and PMM1, and ``prediction_knn_pmm1`` the
    ratio of the prediction times of k-NN and PMM1, each with its interval. The same values exist for ``pmm2``.

    Settings: ``network`` and ``neighbors``, parameters of `LabelNetwork` and `LabelNeighbors`; ``xi`` and ``zeta`` of
    the mixture models; ``repeats``, the number of rounds.
    """
    seconds = _seconds(only(sources).first("indicators"), settings)
    values: dict[str, float] = {}
    for mixture in MIXTURES:
        for task, method in BASELINES.items():
            name = f"{task}_{method}_{mixture}"
            values |= ratio_of_times(name, seconds[task][method], seconds[task][mixture])
    return Measure(values)


def problems_time(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Time training and prediction as `claims_time` does, for the first trial of each available problem.

    The ratio ``training_nn_pmm1`` is the geometric mean over the problems and rounds, with the smallest and the largest
    ratio of a problem (``_smallest``, ``_largest``); the other ratios are named as in `claims_time`.

    Settings: see `claims_time`.
    Result: the table ``problems`` has the mean CPU seconds of each method and task, and the numbers of labels and
    words of each problem.
    """
    rows: list[dict[str, Any]] = []
    ratios: dict[str, list[float]] = {}
    for role, source in sources.items():
        trial = source.first("indicators")
        seconds = _seconds(trial, settings)
        row: dict[str, Any] = {"role": role, "labels": trial.train.y.shape[1], "words": trial.train.X.shape[1]}
        for task, methods in seconds.items():
            for method, of_rounds in methods.items():
                row[f"{task}_{method}"] = float(np.mean(of_rounds))
        rows.append(row)
        for mixture in MIXTURES:
            for task, method in BASELINES.items():
                name = f"{task}_{method}_{mixture}"
                ratio = ratio_of_times(name, seconds[task][method], seconds[task][mixture])[name]
                ratios.setdefault(name, []).append(ratio)
    values: dict[str, float] = {"problems": len(rows)}
    for name, of_problems in ratios.items():
        values[name] = float(np.exp(np.mean(np.log(of_problems))))
        values[f"{name}_smallest"] = min(of_problems)
        values[f"{name}_largest"] = max(of_problems)
    return Measure(values, {"problems": rows})


def _seconds(trial: Trial, settings: Settings) -> dict[str, dict[str, list[float]]]:
    """Return the CPU seconds of training and prediction in each round, by task and method."""
    models: dict[str, Any] = {
        "nn": LabelNetwork(**settings["network"]),
        "knn": LabelNeighbors(**settings["neighbors"]),
        "pmm1": PMM1(xi=settings["xi"]),
        "pmm2": PMM2(xi=settings["xi"], zeta=settings["zeta"]),
    }
    train = trial.train
    fit = {name: functools.partial(train.fitted, models[name]) for name in ("nn", *MIXTURES)}
    training = in_turns(fit, settings["repeats"])
    fitted = {name: train.fitted(models[name]) for name in ("knn", *MIXTURES)}
    X = trial.test.X
    predict = {name: functools.partial(model.predict, X) for name, model in fitted.items()}
    return {"training": training, "prediction": in_turns(predict, settings["repeats"])}
