"""Boosted trees for several outputs over one binned data set, by LightGBM, with a loss of the caller; trees as arrays.

A `Forest` is read from LightGBM's text form, joined, cut apart, checked, and applied without LightGBM.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from textmix.core.errors import extra
from textmix.models.common.forest_kernels import add_trees

#: Least entry of the Hessian's diagonal; LightGBM divides by sums of them.
LEAST_HESSIAN = 1e-12
#: L2 penalty of a leaf's value, added to the Hessian's sum in the leaf, as other boosting libraries do.  In a class of
#: few instances the Hessian's sum is close to 0; without the penalty, the scores of hundreds of classes diverge.
LEAF_PENALTY = 1.0


class Forest(NamedTuple):
    """Trees whose leaves hold numbers.  An instance goes to child 0 of a node if its feature is at most the threshold.

    ``root``, int32 (T,), is the first node of each tree; a negative node r stands for the leaf ~r.  A node has
    ``feature``, int32 (M,), ``threshold``, float64 (M,), ``child``, int32 (M, 2); a leaf has ``value``, float64 (Q,).
    """

    root: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray
    value: np.ndarray

    @classmethod
    def of_booster(cls, booster: Any, only: int | None = None) -> Forest:
        """Return the trees of a LightGBM model with numeric features and without missing values.

        Its text form has seventeen digits, so that every number comes back as it was.
        """
        rounds = {} if only is None else {"start_iteration": only, "num_iteration": 1}
        lines = [line.split("=", 1) for line in booster.model_to_string(**rounds).split("\n") if "=" in line]

        def numbers(name: str, kind: type) -> np.ndarray:
            """Return the numbers in the lines of a name, tree after tree."""
            return np.fromstring(" ".join([text for key, text in lines if key == name]), sep=" ").astype(kind)

        leaves = numbers("num_leaves", np.int32)
        first_node, first_leaf = (np.cumsum([0, *sizes[:-1]]) for sizes in (leaves - 1, leaves))
        child = np.column_stack([numbers(f"{side}_child", np.int32) for side in ("left", "right")])
        tree = np.repeat(np.arange(len(leaves)), leaves - 1)
        return cls(
            np.where(leaves > 1, first_node, ~first_leaf).astype(np.int32),
            numbers("split_feature", np.int32),
            numbers("threshold", np.float64),
            _moved(child, first_node[tree, np.newaxis], first_leaf[tree, np.newaxis]),
            numbers("leaf_value", np.float64),
        )

    @classmethod
    def empty(cls) -> Forest:
        """Return no tree."""
        none = np.empty(0, dtype=np.int32)
        return cls(none, none, np.empty(0), np.empty((0, 2), dtype=np.int32), np.empty(0))

    @classmethod
    def joined(cls, forests: Sequence[Forest]) -> Forest:
        """Return the trees of some forests one after the other."""
        forests = [cls.empty(), *forests]
        nodes = np.cumsum([0, *(len(forest.feature) for forest in forests[:-1])])
        leaves = np.cumsum([0, *(len(forest.value) for forest in forests[:-1])])
        moved = [
            forest._replace(root=_moved(forest.root, first, leaf), child=_moved(forest.child, first, leaf))
            for forest, first, leaf in zip(forests, nodes, leaves, strict=True)
        ]
        return cls(*(np.concatenate(part) for part in zip(*moved, strict=True)))

    def check(self, n_features: int) -> None:
        """Check a forest that was read from a file: a walk ends at a leaf and reads only features that exist."""
        nodes = np.concatenate([self.root, self.child.ravel()])
        inside = -len(self.value) <= nodes.min(initial=0) and nodes.max(initial=-1) < len(self.feature)
        forward = (self.child > np.arange(len(self.feature))[:, np.newaxis]) | (self.child < 0)
        known = 0 <= self.feature.min(initial=0) and self.feature.max(initial=-1) < n_features
        if not (inside and forward.all() and known):
            raise ValueError("a tree has a node, a leaf or a feature out of range")

    def add_scores(self, X: Any, score: np.ndarray) -> None:
        """Add the scores of instances X (n, V), sparse or dense, to ``score``, float64 (n, C), in place."""
        rows = sparse.csr_array(X)
        data = rows.data.astype(np.float64, copy=False)
        add_trees(rows.indptr, rows.indices, data, *self, np.zeros(rows.shape[1]), score)


#: Fields and their forms, see `textmix.serve.state_schema`.
FOREST_FORMS: dict[str, str] = {
    **{"root": "int32 *", "feature": "int32 *", "threshold": "float64 *", "child": "int32 * *", "value": "float64 *"}
}


def _moved(nodes: np.ndarray, first: Any, leaf: Any) -> np.ndarray:
    """Return nodes whose numbers start at ``first``, and whose leaves start at ``leaf``; int32 like ``nodes``."""
    return np.where(nodes < 0, nodes - leaf, nodes + first).astype(np.int32)


class Growth(NamedTuple):
    """The trees that one call of `Trees.grow` adds to each output, their most leaves, and the learning rate."""

    trees: int
    leaves: int
    shrinkage: float


class Trees:
    """Boosted trees for C outputs over one binned data set.

    ``growth`` is what one call of `grow` adds; with ``like``, other trees over the same features, the binned data are
    shared.  ``start``, float64 (C,), are the scores before the first tree, and ``scores``, float64 (N, C), those of the
    training instances.
    """

    #: Attributes that predictions read, and their forms, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, Any]] = {"outputs": "int", "start": "float64 *", "forest": (Forest, FOREST_FORMS)}

    def __init__(self, X: Any, outputs: int, growth: Growth, like: Trees | None = None) -> None:
        settings: dict[str, Any] = {
            **{"num_leaves": growth.leaves, "learning_rate": growth.shrinkage, "num_class": outputs},
            **{"min_data_in_leaf": 5},
            **{"num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1, "seed": 0},
            **{"objective": "none", "boost_from_average": False, "min_sum_hessian_in_leaf": 1e-3},
            **{"lambda_l2": LEAF_PENALTY},
        }
        self.outputs, self.growth = outputs, growth
        self.start, self.scores = np.zeros(outputs), np.zeros((X.shape[0], outputs))
        self._settings = settings
        self._data: Any = like._data if like else _binned(X, settings)
        self._booster: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that predictions read: a copied or pickled object can predict, but cannot grow."""
        return {**vars(self), "forest": self.forest, "_data": None, "_booster": None}

    @cached_property
    def forest(self) -> Forest:
        """The trees grown so far."""
        return Forest.empty() if self._booster is None else Forest.of_booster(self._booster)

    @cached_property
    def can_split(self) -> bool:
        """Whether a feature has two values or more in training; LightGBM raises an error where none has."""
        data = self._data.construct()
        return any(data.feature_num_bin(column) > 1 for column in range(data.num_feature()))

    def grow(self, derivatives: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> None:
        """Add ``growth.trees`` trees to each output and update ``scores``."""
        if self._booster is None:
            self._booster = _lightgbm().Booster(self._settings, self._data)
        vars(self).pop("forest", None)

        def in_columns(scores: np.ndarray, _: Any) -> tuple[np.ndarray, np.ndarray]:
            """Return the derivatives in LightGBM's form: vectors (N C,), one output after the other."""
            gradient, hessian = derivatives(scores.reshape(self.scores.shape, order="F") + self.start)
            return gradient.ravel(order="F"), np.maximum(hessian, LEAST_HESSIAN).ravel(order="F")

        def read_scores(scores: np.ndarray, _: Any) -> tuple[str, float, bool]:
            """Store the training instances' scores: LightGBM gives them to a metric, whose value is not used."""
            self.scores = scores.reshape(self.scores.shape, order="F") + self.start
            return "scores", 0.0, True

        for _ in range(self.growth.trees):
            self._booster.update(fobj=in_columns)
        self._booster.eval_train(read_scores)

    def predict(self, X: Any) -> np.ndarray:
        """Return the scores of instances with features X (N, V), float64 (N, C)."""
        scores = np.zeros((X.shape[0], self.outputs))
        self.forest.add_scores(X, scores)
        return scores + self.start


def _lightgbm() -> Any:
    """Return the package that grows trees; applying trees does not need it."""
    with extra("boosting"):
        import lightgbm
    return lightgbm


def _binned(X: Any, settings: dict[str, Any]) -> Any:
    """Return LightGBM's data set of features (N, V); it knows csr_matrix, not csr_array, and none without a value."""
    values = X if not sparse.issparse(X) else sparse.csr_matrix(X) if X.nnz else X.toarray()
    return _lightgbm().Dataset(values, np.zeros(X.shape[0]), params=settings)
