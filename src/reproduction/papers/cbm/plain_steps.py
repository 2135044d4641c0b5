"""The linear methods solved by L-BFGS that starts from the identity, as the authors' published code does.

With next to no penalty a fit never reaches its optimum, so that the path of the solver decides what it predicts.  Our
solver scales each weight by its own curvature, so that a rare word takes large steps from the first iteration on; in
the authors' all weights move by the gradient alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Repeated, Settings, Sources, seed_from
from textmix.experiment.folds import halves_of
from textmix.experiment.trial import Documents
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.cbm.learners import Experts, Gate, LogisticExperts, LogisticGate, MStep
from textmix.models.label_sets.estimators import BinaryRelevance, LinearMultiLabel, PairwiseCRF, PowerSet
from textmix.models.linear.problems import BatchProblem, LogisticBatch, Multinomial, Solution
from textmix.models.linear.row_space import RowSpace
from textmix.models.linear.solvers import minimise


class Unscaled:
    """A batch of problems whose descent starts from the identity in the place of a guess of the inverse Hessian."""

    #: Broadcasts to (P, B).
    inverse_diagonal = np.ones((1, 1))

    def __init__(self, problem: BatchProblem) -> None:
        self.problem = problem

    def __getattr__(self, name: str) -> Any:
        return getattr(self.problem, name)

    def select(self, problems: np.ndarray) -> Unscaled:
        """Return the batch of the problems in the given columns, int (b,)."""
        return Unscaled(self.problem.select(problems))


class _Plain(LinearMultiLabel):
    """Solve by plain steps."""

    def _solve(self, problem: BatchProblem, size: tuple[int, int]) -> Solution:
        return super()._solve(Unscaled(problem), size)


class PlainBinaryRelevance(_Plain, BinaryRelevance):
    """`BinaryRelevance` by plain steps."""


class PlainPowerSet(_Plain, PowerSet):
    """`PowerSet` by plain steps."""


class PlainPairwiseCRF(_Plain, PairwiseCRF):
    """`PairwiseCRF` by plain steps."""


class PlainMStep(MStep):
    """A partial M step by plain steps, whatever the number of instances."""

    def improve(self, problem: LogisticBatch | Multinomial, W: np.ndarray) -> np.ndarray:
        """See `MStep.improve`."""
        return minimise(Unscaled(problem), W, self.max_iter, self.tol).unknowns


class PlainCBM(CBMClassifier):
    """`CBMClassifier` with M steps by plain steps."""

    def _learners(self, X: Any, Y: np.ndarray) -> tuple[Gate, Experts]:
        """Return the two halves, not yet trained."""
        gate, experts = super()._learners(X, Y)
        for half in (gate, experts):
            if isinstance(half, LogisticGate | LogisticExperts):
                half.step = PlainMStep(**asdict(half.step))
        return gate, experts


#: The methods that are compared.
METHODS = {"binrel": PlainBinaryRelevance, "powset": PlainPowerSet, "paircrf": PlainPairwiseCRF}


def plain_steps(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Score linear methods by plain steps, on test documents and by folds of the training documents.

    Settings: ``variance`` of all methods; ``steps``, numbers of iterations of L-BFGS for the methods of `METHODS`;
    ``cbm``, parameters of `CBMClassifier`; ``folds`` of the training documents.
    Result: the table ``runs`` (role, variant, documents, subset_accuracy), where documents are those of ``test`` or the
    ``held`` out training documents of a fold.  The values are the accuracies of each variant on test documents,
    ``<role>_<method>_<steps>`` and ``<role>_cbm``, and on held-out ones, the same with ``_held``.
    """
    rows: list[dict[str, Any]] = []
    accuracies: dict[str, list[float]] = {}
    for role, source in sources.items():
        trial, seed = source.first("indicators"), seed_from(generator)
        fold = generator.permutation(len(trial.train)) % settings["folds"]
        folds = ((trial.train[outside], trial.train[inside]) for outside, inside in halves_of(fold))
        for documents, (train, scored) in (("test", (trial.train, trial.test)), *(("held", part) for part in folds)):
            for variant, accuracy in _accuracies(train, scored, settings, seed):
                row = {"role": role, "variant": variant, "documents": documents}
                rows.append({**row, "subset_accuracy": accuracy})
                name = f"{role}_{variant}" + ("_held" if documents == "held" else "")
                accuracies.setdefault(name, []).append(accuracy)
    return Measure({name: Repeated(found) for name, found in accuracies.items()}, {"runs": rows})


def _accuracies(train: Documents, test: Documents, settings: Settings, seed: int) -> Iterator[tuple[str, float]]:
    """Yield each variant, trained on some documents, and its accuracy on others."""
    space = RowSpace.of(train.X, most=len(train))
    train, test = Documents(space.inputs, train.y), Documents(space.coordinates(test.X), test.y)
    for variant, model in _models(settings, seed):
        yield variant, test.accuracy(train.fitted(model))


def _models(settings: Settings, seed: int) -> Iterator[tuple[str, LinearMultiLabel | CBMClassifier]]:
    """Yield each variant, not fitted."""
    variance = settings["variance"]
    for name, kind in METHODS.items():
        for steps in settings["steps"]:
            yield f"{name}_{steps}", kind(variance=variance, max_iter=steps, tol=0.0)
    yield "cbm", PlainCBM(variance=variance, random_state=seed, **settings["cbm"])
