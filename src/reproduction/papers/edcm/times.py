"""Training times of the three models side by side, in one run (section 6)."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from reproduction.flow.measures import Measure, MeasureData
from reproduction.papers.edcm.documents import Values, first
from textmix.experiment.cost import measured
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier

#: Minka's estimators, among which the paper took the fastest.
MINKA: tuple[Literal["fixed_point", "leave_one_out", "newton"], ...] = ("fixed_point", "leave_one_out", "newton")


def training_time(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Time the training of every model on the first split, in turns, and take medians (section 6, seconds).

    The measure's name ends in ``_time`` because its values differ from run to run.  ``ratio_dcm_edcm`` is the time of
    the fastest of `MINKA` over the EDCM's, ``ratio_own_dcm_edcm`` that of `DCMClassifier`'s default method.

    Parameters
    ----------
    sources : role -> data set, one.
    settings : ``repeats``, how often each is timed.
    """
    train = first(sources).train
    models: dict[str, Any] = {"multinomial": MultinomialClassifier(), "edcm": EDCMClassifier(), "dcm": DCMClassifier()}
    models |= {f"dcm_{method}": DCMClassifier(method=method) for method in MINKA}
    for model in models.values():
        train.fitted(model)  # compiles the kernels before they are timed
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for _repeat in range(settings["repeats"]):
        for name, model in models.items():
            _, cost = measured(functools.partial(train.fitted, model))
            seconds[name].append(cost["seconds"])
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    values: Values = {f"{name}_seconds": value for name, value in medians.items()}
    fastest = min(medians[f"dcm_{method}"] for method in MINKA)
    values |= {"ratio_dcm_edcm": fastest / medians["edcm"], "ratio_own_dcm_edcm": medians["dcm"] / medians["edcm"]}
    rows = [{"model": name, "repeat": i, "seconds": s} for name, all_s in seconds.items() for i, s in enumerate(all_s)]
    return Measure(values, {"seconds": rows})
