"""Gradient-boosted trees for several outputs on one data set.

`LightGBMTrees` are grown by LightGBM, `EqualWidthTrees` by `textmix.models.common.tree_kernels`.  Both store their
trees as arrays in a `Forest`, which predicts without LightGBM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, log_softmax

from textmix.core.errors import extra
from textmix.models.common.forest_kernels import add_trees
from textmix.models.common.tree_kernels import bin_columns, find_root_splits, grow_tree

#: Minimum of the Hessian diagonal; LightGBM divides by sums of its elements.
MIN_HESSIAN = 1e-12
#: L2 penalty on leaf values, added to the sum of the Hessian in a leaf.  For a class with few instances this sum is
#: close to 0; without the penalty, the scores diverge if there are hundreds of classes.
LEAF_PENALTY = 1.0
#: Maximum number of elements of a dense feature matrix for `EqualWidthTrees`: 2 GiB of float64.
MAX_DENSE_ELEMENTS = 1 << 28


class Forest(NamedTuple):
    """Regression trees stored as arrays.

    An instance goes to child 0 of a node if its feature value is at most the threshold, else to child 1.

    Parameters
    ----------
    root : int32 ndarray of shape (T,)
        Root node of each tree; a negative node r denotes the leaf ~r.
    feature : int32 ndarray of shape (M,)
        Feature of each node.
    threshold : ndarray of shape (M,)
        Threshold of each node.
    child : int32 ndarray of shape (M, 2)
        Children of each node.
    value : ndarray of shape (Q,)
        Value of each leaf.
    """

    root: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray
    value: np.ndarray

    @classmethod
    def of_booster(cls, booster: Any, only: int | None = None) -> Forest:
        """Read the trees of a LightGBM model with numeric features and no missing values.

        ``only`` restricts the result to one boosting round.  LightGBM's text format has seventeen digits, which
        represent every float64 exactly.
        """
        rounds = {} if only is None else {"start_iteration": only, "num_iteration": 1}
        lines = [line.split("=", 1) for line in booster.model_to_string(**rounds).split("\n") if "=" in line]

        def numbers(name: str, kind: type) -> np.ndarray:
            """Parse the numbers of all trees in the lines with this name."""
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
        """Return a forest without trees."""
        none = np.empty(0, dtype=np.int32)
        return cls(none, none, np.empty(0), np.empty((0, 2), dtype=np.int32), np.empty(0))

    @classmethod
    def joined(cls, forests: Sequence[Forest]) -> Forest:
        """Concatenate the trees of several forests."""
        forests = [cls.empty(), *forests]
        nodes = np.cumsum([0, *(len(forest.feature) for forest in forests[:-1])])
        leaves = np.cumsum([0, *(len(forest.value) for forest in forests[:-1])])
        moved = [
            forest._replace(root=_moved(forest.root, first, leaf), child=_moved(forest.child, first, leaf))
            for forest, first, leaf in zip(forests, nodes, leaves, strict=True)
        ]
        return cls(*(np.concatenate(part) for part in zip(*moved, strict=True)))

    def check(self, n_features: int) -> None:
        """Raise ValueError if a deserialized forest contains an out-of-range index or a cycle."""
        nodes = np.concatenate([self.root, self.child.ravel()])
        inside = -len(self.value) <= nodes.min(initial=0) and nodes.max(initial=-1) < len(self.feature)
        forward = (self.child > np.arange(len(self.feature))[:, np.newaxis]) | (self.child < 0)
        has_valid_features = 0 <= self.feature.min(initial=0) and self.feature.max(initial=-1) < n_features
        if not (inside and forward.all() and has_valid_features):
            raise ValueError("a tree contains a node, leaf or feature index that is out of range")

    def add_scores(self, X: Any, score: np.ndarray) -> None:
        """Add the scores of sparse or dense instances X (n, V) to ``score``, float64 (n, C), in place."""
        rows = sparse.csr_array(X)
        data = rows.data.astype(np.float64, copy=False)
        add_trees(rows.indptr, rows.indices, data, *self, np.zeros(rows.shape[1]), score)


#: Types of the fields, see `textmix.serve.state_schema`.
FOREST_FORMS: dict[str, str] = {
    "root": "int32 *",
    "feature": "int32 *",
    "threshold": "float64 *",
    "child": "int32 * *",
    "value": "float64 *",
}


def _moved(nodes: np.ndarray, first: Any, leaf: Any) -> np.ndarray:
    """Shift node indices by ``first`` and leaf indices by ``leaf``."""
    return np.where(nodes < 0, nodes - leaf, nodes + first).astype(np.int32)


class Growth(NamedTuple):
    """Parameters of boosted trees.

    Parameters
    ----------
    trees : int
        Number of trees that one call of `Trees.grow` adds to each output.
    leaves : int
        Maximum number of leaves of a tree.
    shrinkage : float
        Learning rate.
    method : {"lightgbm", "equal_width"}, default="lightgbm"
        See `make_trees`.
    min_leaf_weight : float, default=1.0
        Minimum sum of the instance weights in a leaf of "equal_width".
    """

    trees: int
    leaves: int
    shrinkage: float
    method: str = "lightgbm"
    min_leaf_weight: float = 1.0


class Loss(NamedTuple):
    """The loss that one call of `Trees.grow` decreases: log loss for one output, cross-entropy for several.

    Parameters
    ----------
    target : ndarray of shape (N, C)
        Target probabilities: of a binary label (C = 1), or of C classes.
    weight : ndarray of shape (N,)
        Weights of the instances.
    """

    target: np.ndarray
    weight: np.ndarray

    @property
    def n_outputs(self) -> int:
        """Number of outputs C."""
        return int(self.target.shape[1])

    @property
    def class_factor(self) -> float:
        """Friedman's factor (C - 1) / C of a multi-class Newton step; 1 for a binary label."""
        return (self.n_outputs - 1.0) / self.n_outputs if self.n_outputs > 1 else 1.0

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Compute the predicted probabilities (N, C) from scores (N, C)."""
        if self.n_outputs == 1:
            return np.asarray(expit(scores))
        return np.exp(log_softmax(scores, axis=1))

    def derivatives(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Compute the gradient and the Hessian diagonal of the weighted loss in the scores, (N, C) each."""
        probabilities = self.probabilities(scores)
        weight = self.weight[:, np.newaxis]
        hessian = probabilities * (1.0 - probabilities) / self.class_factor
        return weight * (probabilities - self.target), weight * hessian


class Trees:
    """Boosted trees for C outputs.

    Parameters
    ----------
    X : {ndarray, sparse array} of shape (N, V)
        Features of the training instances.
    outputs : int
        Number of outputs C.
    growth : Growth
        Parameters of the trees.
    like : Trees, optional
        Trees on the same features; their binned data set is reused.

    Attributes
    ----------
    start : ndarray of shape (C,)
        Scores before the first tree.
    scores : ndarray of shape (N, C)
        Scores of the training instances.
    """

    #: Schema of the attributes required for prediction, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, Any]] = {"outputs": "int", "start": "float64 *", "forest": (Forest, FOREST_FORMS)}

    def __init__(self, X: Any, outputs: int, growth: Growth, like: Trees | None = None) -> None:
        self.outputs = outputs
        self.growth = growth
        self.start = np.zeros(outputs)
        self.scores = np.zeros((X.shape[0], outputs))
        self._data: Any = like._data if like else self._binned(X)

    def _binned(self, X: Any) -> Any:
        """Construct the binned data set of features (N, V)."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """Return the state required for prediction: a copied or unpickled object can predict, but not grow."""
        return {**vars(self), "forest": self.forest, "_data": None}

    @cached_property
    def forest(self) -> Forest:
        """Trees grown so far."""
        raise NotImplementedError

    @cached_property
    def can_split(self) -> bool:
        """Whether at least one feature has two or more values in the training instances."""
        raise NotImplementedError

    def grow(self, loss: Loss) -> None:
        """Add ``growth.trees`` trees to each output and update ``scores``."""
        raise NotImplementedError

    @classmethod
    def grow_all(cls, trees: Sequence[Self], losses: Sequence[Loss]) -> None:
        """Grow several objects on the same features, with losses that have the same weights."""
        for one, loss in zip(trees, losses, strict=True):
            one.grow(loss)

    def predict(self, X: Any) -> np.ndarray:
        """Compute the scores of instances X (n, V), float64 (n, C)."""
        scores = np.zeros((X.shape[0], self.outputs))
        self.forest.add_scores(X, scores)
        return scores + self.start


class LightGBMTrees(Trees):
    """Boosted trees grown by LightGBM: Newton trees with an L2 penalty on leaf values, see `Trees`."""

    def __init__(self, X: Any, outputs: int, growth: Growth, like: Trees | None = None) -> None:
        self._settings: dict[str, Any] = {
            "num_leaves": growth.leaves,
            "learning_rate": growth.shrinkage,
            "num_class": outputs,
            "min_data_in_leaf": 5,
            "num_threads": 1,
            "deterministic": True,
            "force_row_wise": True,
            "verbose": -1,
            "seed": 0,
            "objective": "none",
            "boost_from_average": False,
            "min_sum_hessian_in_leaf": 1e-3,
            "lambda_l2": LEAF_PENALTY,
        }
        self._booster: Any = None
        super().__init__(X, outputs, growth, like)

    def _binned(self, X: Any) -> Any:
        """Construct the LightGBM data set, which supports neither csr_array nor sparse matrices without elements."""
        if not sparse.issparse(X):
            values = X
        elif X.nnz:
            values = sparse.csr_matrix(X)
        else:
            values = X.toarray()
        return _lightgbm().Dataset(values, np.zeros(X.shape[0]), params=self._settings)

    def __getstate__(self) -> dict[str, Any]:
        """See `Trees`."""
        return {**super().__getstate__(), "_booster": None}

    @cached_property
    def forest(self) -> Forest:
        """Trees grown so far."""
        return Forest.empty() if self._booster is None else Forest.of_booster(self._booster)

    @cached_property
    def can_split(self) -> bool:
        """See `Trees`; LightGBM raises an error if no feature can be split."""
        data = self._data.construct()
        return any(data.feature_num_bin(column) > 1 for column in range(data.num_feature()))

    def grow(self, loss: Loss) -> None:
        """See `Trees`."""
        if self._booster is None:
            self._booster = _lightgbm().Booster(self._settings, self._data)
        vars(self).pop("forest", None)

        def in_columns(scores: np.ndarray, _: Any) -> tuple[np.ndarray, np.ndarray]:
            """Compute the derivatives in the layout of LightGBM: vectors (N C,) in column-major order."""
            gradient, hessian = loss.derivatives(scores.reshape(self.scores.shape, order="F") + self.start)
            return gradient.ravel(order="F"), np.maximum(hessian, MIN_HESSIAN).ravel(order="F")

        def read_scores(scores: np.ndarray, _: Any) -> tuple[str, float, bool]:
            """Store the training scores, which LightGBM passes to metric functions; the return value is not used."""
            self.scores = scores.reshape(self.scores.shape, order="F") + self.start
            return "scores", 0.0, True

        for _ in range(self.growth.trees):
            self._booster.update(fobj=in_columns)
        self._booster.eval_train(read_scores)


class _Selection(NamedTuple):
    """Values and bins of the root, (V, A) each, of the instances with the indices ``active``, (A,)."""

    active: np.ndarray
    columns: np.ndarray
    bins: np.ndarray


@dataclass
class _BinnedColumns:
    """Features as dense columns.

    Parameters
    ----------
    columns : ndarray of shape (V, N)
        Values.
    order : uint32 ndarray of shape (V, N)
        Instances in increasing order of each feature.
    bins : uint8 ndarray of shape (V, N)
        Bins in the root node, see `tree_kernels.bin_columns`.
    """

    columns: np.ndarray
    order: np.ndarray
    bins: np.ndarray
    _selection: _Selection | None = field(default=None, init=False, repr=False)

    @classmethod
    def of(cls, X: Any) -> _BinnedColumns:
        """Convert sparse or dense features X (N, V)."""
        dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
        columns = np.ascontiguousarray(dense.T, dtype=np.float64)
        order = np.empty(columns.shape, dtype=np.uint32)
        for feature, column in enumerate(columns):
            order[feature] = np.argsort(column, kind="stable")
        return cls(columns, order, bin_columns(columns, order))

    @property
    def can_split(self) -> bool:
        """Whether at least one feature has two or more values."""
        return bool((self.columns.max(axis=1) > self.columns.min(axis=1)).any())

    def select(self, active: np.ndarray) -> _Selection:
        """Select the instances with the indices ``active``; the labels of a component share one selection."""
        if len(active) == self.columns.shape[1]:
            return _Selection(active, self.columns, self.bins)
        if self._selection is None or not np.array_equal(self._selection.active, active):
            columns = np.ascontiguousarray(self.columns[:, active])
            bins = np.ascontiguousarray(self.bins[:, active])
            self._selection = _Selection(active, columns, bins)
        return self._selection


class EqualWidthTrees(Trees):
    """Boosted trees fitted by least squares over equal-width bins, with clipped Newton steps, see `Trees`.

    Each tree is fitted to the residuals of the probabilities by weighted least squares.  Leaf values are unpenalised
    Newton steps, clipped to an absolute value of 1 for classes, and of 2 for the log odds of a binary label, which are
    the difference between the scores of two classes.
    """

    def __init__(self, X: Any, outputs: int, growth: Growth, like: Trees | None = None) -> None:
        self._grown: list[Forest] = []
        super().__init__(X, outputs, growth, like)

    def _binned(self, X: Any) -> _BinnedColumns:
        """Convert the features to dense columns and compute their bins."""
        if X.shape[0] * X.shape[1] > MAX_DENSE_ELEMENTS:
            raise ValueError(
                f"tree_method='equal_width' needs dense features, but X has shape {X.shape}; use tree_method='lightgbm'"
            )
        return _BinnedColumns.of(X)

    @cached_property
    def forest(self) -> Forest:
        """Trees grown so far."""
        return Forest.joined(self._grown)

    def __getstate__(self) -> dict[str, Any]:
        """See `Trees`."""
        return {**super().__getstate__(), "_grown": []}

    @cached_property
    def can_split(self) -> bool:
        """See `Trees`."""
        return bool(self._data.can_split)

    def grow(self, loss: Loss) -> None:
        """See `Trees`."""
        self.grow_all([self], [loss])

    @classmethod
    def grow_all(cls, trees: Sequence[Self], losses: Sequence[Loss]) -> None:
        """See `Trees`; the roots of all trees of a round are split together."""
        if not trees:
            return
        data = trees[0]._data
        growth = trees[0].growth
        # Only instances with a positive weight are binned; all of them are assigned to leaves.
        active = np.flatnonzero(losses[0].weight > 0.0)
        selection = data.select(active)
        weight = losses[0].weight[active]
        for one in trees:
            vars(one).pop("forest", None)
        for _ in range(growth.trees):
            residuals = [
                (loss.target - loss.probabilities(one.scores))[active] for one, loss in zip(trees, losses, strict=True)
            ]
            products = weight[:, np.newaxis] * np.concatenate(residuals, axis=1)
            roots = find_root_splits(data.columns, data.order, selection.bins, weight, products, growth.min_leaf_weight)
            splits = zip(*(part.tolist() for part in roots), strict=True)
            for one, loss, residual in zip(trees, losses, residuals, strict=True):
                one._add_trees(loss, selection, weight, np.ascontiguousarray(residual.T), splits)

    def _add_trees(
        self,
        loss: Loss,
        selection: _Selection,
        weight: np.ndarray,
        residuals: np.ndarray,
        root_splits: Iterator[tuple[float, int, float]],
    ) -> None:
        """Add a tree to each output, from residuals (C, A) and weights (A,) of the selected instances."""
        limit = 1.0 if loss.n_outputs > 1 else 2.0
        sizes = (self.growth.leaves, self.growth.min_leaf_weight, loss.class_factor, limit)
        data = self._data
        for output, residual in enumerate(residuals):
            root, feature, threshold, child, value, leaf = grow_tree(
                data.columns,
                data.order,
                selection.active,
                selection.columns,
                next(root_splits),
                residual,
                weight,
                *sizes,
            )
            step = self.growth.shrinkage * value
            self.scores[:, output] += step[leaf]
            self._grown.append(Forest(np.array([root], dtype=np.int32), feature, threshold, child, step))


def make_trees(X: Any, outputs: int, growth: Growth, like: Trees | None = None) -> Trees:
    """Construct trees of the class selected by ``growth.method``, see `Trees`."""
    kind: type[Trees] = TREE_METHODS[growth.method]
    return kind(X, outputs, growth, like)


#: Class of the trees for each value of the estimator parameter ``tree_method``.
TREE_METHODS: dict[str, type[Trees]] = {
    "lightgbm": LightGBMTrees,
    "equal_width": EqualWidthTrees,
}


def _lightgbm() -> Any:
    """Import LightGBM, which is required for training but not for prediction."""
    with extra("boosting"):
        import lightgbm
    return lightgbm
