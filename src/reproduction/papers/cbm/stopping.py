"""Effect of early stopping of plain L-BFGS on the linear methods.

With a negligible penalty and separable documents the solver does not reach the optimum, so that the predictions depend
on its stopping criterion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, seed_from
from textmix.experiment.trial import Documents
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.common.multilabel import MultiLabelClassifier
from textmix.models.label_sets.chains import ClassifierChain
from textmix.models.label_sets.estimators import BinaryRelevance, PairwiseCRF, PowerSet
from textmix.models.linear.row_space import RowSpace

#: Maximum number of iterations if only the tolerance is varied.
MAX_ITER = 1000
#: Methods other than CBM, with their estimator class and distinctive parameters.
METHODS: dict[str, tuple[type[MultiLabelClassifier], dict[str, Any]]] = {
    "binrel": (BinaryRelevance, {"penalise_intercept": True}),
    "powset": (PowerSet, {"penalise_intercept": True}),
    "paircrf": (PairwiseCRF, {}),
    "chain": (ClassifierChain, {"penalise_intercept": True}),
}


def early_stopping(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the accuracy of the linear methods for several maximum numbers of iterations and several tolerances.

    Settings: ``variance`` of the methods, overridden by ``variances``; ``max_iter``, maximum numbers of iterations with
    zero tolerance; ``tolerances``, used without an effective iteration limit; ``cbm``, the number of components and of
    M steps (``max_iter``), and the maximum numbers of iterations per M step (``steps``).
    Result: the table ``runs`` (role, method, rule, limit, subset_accuracy), where the rule is ``max_iter`` or ``tol``;
    the values are ``<role>_<method>_<rule>_<limit>``.
    """
    rows: list[dict[str, Any]] = []
    for role, source in sources.items():
        trial = source.first("indicators")
        space = RowSpace.of(trial.train.X, most=len(trial.train))
        train = Documents(space.inputs, trial.train.y)
        test = Documents(space.coordinates(trial.test.X), trial.test.y)
        for method, rule, limit, model in _models(settings, seed_from(generator)):
            accuracy = test.accuracy(train.fitted(model))
            row: dict[str, Any] = {
                "role": role,
                "method": method,
                "rule": rule,
                "limit": limit,
                "subset_accuracy": accuracy,
            }
            rows.append(row)
    values: dict[str, float] = {}
    for row in rows:
        key = f"{row['role']}_{row['method']}_{row['rule']}_{row['limit']:g}"
        values[key] = row["subset_accuracy"]
    return Measure(values, {"runs": rows})


def _models(settings: Settings, seed: int) -> Iterator[tuple[str, str, float, MultiLabelClassifier]]:
    """Yield method, rule, limit and the unfitted estimator."""
    rules = [("max_iter", limit) for limit in settings["max_iter"]]
    rules += [("tol", limit) for limit in settings["tolerances"]]
    for method, (kind, params) in METHODS.items():
        variance = settings.get("variances", {}).get(method, settings["variance"])
        for rule, limit in rules:
            ends = {"max_iter": limit, "tol": 0.0}
            if rule == "tol":
                ends = {"max_iter": MAX_ITER, "tol": limit}
            model = kind(variance=variance, solver="plain_lbfgs", **params, **ends)
            if "random_state" in model.get_params():
                model.set_params(random_state=seed)
            yield method, rule, limit, model
    mixture = settings["cbm"]
    m_steps = [("max_iter", limit) for limit in mixture["steps"]]
    m_steps += [("tol", limit) for limit in settings["tolerances"]]
    for rule, limit in m_steps:
        ends = {"steps": limit, "step_tol": 0.0}
        if rule == "tol":
            ends = {"steps": 40, "step_tol": limit}
        cbm = CBMClassifier(
            n_components=mixture["n_components"],
            variance=settings["variance"],
            max_iter=mixture["max_iter"],
            tol=0.0,
            solver="plain_lbfgs",
            penalise_intercept=True,
            random_state=seed,
            **ends,
        )
        yield "cbm", rule, limit, cbm
