"""Training times from alternating runs: the three models (section 6), and latent topics with both methods."""

from __future__ import annotations

import functools
import statistics
from typing import Any, Literal

from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, Values, in_turns, only, ratio_of_times
from reproduction.papers.edcm.topics import METHODS
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.dirichlet.latent_edcm import LatentTopicEDCM, packed
from textmix.models.naive_bayes.multinomial import MultinomialClassifier

#: Minka's estimators; the paper used the fastest one.
MINKA: tuple[Literal["fixed_point", "leave_one_out", "newton"], ...] = ("fixed_point", "leave_one_out", "newton")


def training_time(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Time the training of each model on the first split in alternating runs; report medians (section 6), in seconds.

    The name of the measure ends in ``_time`` because its values are not reproducible. ``ratio_dcm_edcm`` is the ratio
    of the training time of the fastest of `MINKA` to the EDCM, with its interval, and ``ratio_own_dcm_edcm`` the same
    ratio for the default method of `DCMClassifier`.

    Settings: ``repeats``, the number of rounds.
    """
    train = only(sources).first().train
    models: dict[str, Any] = {
        "multinomial": MultinomialClassifier(),
        "edcm": EDCMClassifier(),
        "dcm": DCMClassifier(),
    }
    for method in MINKA:
        models[f"dcm_{method}"] = DCMClassifier(method=method)
    calls = {name: functools.partial(train.fitted, model) for name, model in models.items()}
    seconds = in_turns(calls, settings["repeats"])
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    values: Values = {f"{name}_seconds": value for name, value in medians.items()}
    fastest = min((f"dcm_{method}" for method in MINKA), key=lambda name: medians[name])
    values |= ratio_of_times("ratio_dcm_edcm", seconds[fastest], seconds["edcm"])
    values["ratio_own_dcm_edcm"] = medians["dcm"] / medians["edcm"]
    rows = []
    for name, times in seconds.items():
        for repeat, time in enumerate(times):
            rows.append({"model": name, "repeat": repeat, "seconds": time})
    return Measure(values, {"seconds": rows})


def mean_field_time(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Time the training of latent topics by mean field and by maximum likelihood in alternating runs.

    ``ratio_mean_field_likelihood`` is the ratio of the mean-field to the maximum-likelihood time, with its interval.

    Settings: ``documents``, number of initial training documents to use; ``topics``; ``prior``; ``max_iter``;
    ``repeats``, the number of rounds.
    """
    train = only(sources).first().train
    X, _dropped = packed(train.X[: settings["documents"]])
    shared = {"n_components": settings["topics"], "prior": settings["prior"], "max_iter": settings["max_iter"]}
    models = {name: LatentTopicEDCM(method=name, n_init=1, random_state=0, **shared) for name in METHODS}
    calls: dict[str, Any] = {name: functools.partial(model.fit, X) for name, model in models.items()}
    seconds = in_turns(calls, settings["repeats"])
    ratio = ratio_of_times("ratio_mean_field_likelihood", seconds["mean_field"], seconds["likelihood"])
    return Measure(ratio)
