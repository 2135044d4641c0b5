"""Training times side by side, in one run: the three models (section 6), and the latent topics by both methods."""

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

#: Minka's estimators, among which the paper took the fastest.
MINKA: tuple[Literal["fixed_point", "leave_one_out", "newton"], ...] = ("fixed_point", "leave_one_out", "newton")


def training_time(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Time the training of every model on the first split, in turns, and take medians (section 6, seconds).

    The measure's name ends in ``_time`` because its values differ from run to run.  ``ratio_dcm_edcm`` is the time of
    the fastest of `MINKA` over the EDCM's, with its interval, and ``ratio_own_dcm_edcm`` that of `DCMClassifier`'s
    default method.

    Settings: ``repeats``, how often each is timed.
    """
    train = only(sources).first().train
    models: dict[str, Any] = {"multinomial": MultinomialClassifier(), "edcm": EDCMClassifier(), "dcm": DCMClassifier()}
    models |= {f"dcm_{method}": DCMClassifier(method=method) for method in MINKA}
    calls = {name: functools.partial(train.fitted, model) for name, model in models.items()}
    seconds = in_turns(calls, settings["repeats"])
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    values: Values = {f"{name}_seconds": value for name, value in medians.items()}
    fastest = min((f"dcm_{method}" for method in MINKA), key=lambda name: medians[name])
    values |= ratio_of_times("ratio_dcm_edcm", seconds[fastest], seconds["edcm"])
    values["ratio_own_dcm_edcm"] = medians["dcm"] / medians["edcm"]
    rows = [{"model": name, "repeat": i, "seconds": s} for name, all_s in seconds.items() for i, s in enumerate(all_s)]
    return Measure(values, {"seconds": rows})


def mean_field_time(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Time the training of the latent topics by the mean field and by maximum likelihood, in turns.

    ``ratio_mean_field_likelihood`` is the time of the first over that of the second, with its interval.

    Settings: ``documents``, how many of the first training documents; ``topics``; ``prior``; ``max_iter``; ``repeats``,
    how often each is timed.
    """
    X, _dropped = packed(only(sources).first().train.X[: settings["documents"]])
    shared = {"n_components": settings["topics"], "prior": settings["prior"], "max_iter": settings["max_iter"]}
    models = {name: LatentTopicEDCM(method=name, n_init=1, random_state=0, **shared) for name in METHODS}
    seconds = in_turns({name: functools.partial(model.fit, X) for name, model in models.items()}, settings["repeats"])
    return Measure(ratio_of_times("ratio_mean_field_likelihood", seconds["mean_field"], seconds["likelihood"]))
