r"""Regression trees fitted by weighted least squares over equal-width bins, with clipped Newton steps as leaf values.

A tree grows leaf by leaf: the next split is the one that reduces the weighted sum of squared residuals most.  A split
candidate of a node is the upper edge of one of `N_BINS` equal-width bins between the smallest and the largest value of
a feature in the node.  Instances of weight 0 belong to nodes, and count for the range of the features, but not in sums:
only the other instances, the active ones, are binned.

The bins of a node depend on its range, so that the histogram of a node is not the difference of two others.  The range
comes from the sorted order of each feature: the first instance of a child is searched from that of its parent.  A node
is searched for its best split only if an upper bound on the gain exceeds the gains of the other leaves.  The root is
the same for trees on the same weights: its histograms are summed for many of them in one pass over the bins.

References: J. H. Friedman, Annals of Statistics 29, 2001 (gradient boosting, multi-class Newton steps); C. Li, B. Wang,
V. Pavlu and J. Aslam, ICML 2016, section 3.2 (weights in the least-squares fit, not in the gradient).
"""

from __future__ import annotations

import math

import numpy as np

from textmix.numerics.jit import njit

#: Number of equal-width bins of a feature in a node.
N_BINS = 100
#: Minimum reduction of the weighted sum of squared residuals; smaller reductions are rounding errors.
MIN_GAIN = 1e-12
#: Maximum number of trees whose histograms of the root are summed together: one histogram takes 25 KiB.
MAX_TOGETHER = 31
#: Factor that lowers a bound by more than its rounding error.
ROUNDING = 1.0 - 1e-9


@njit
def bin_values(values: np.ndarray, low: float, high: float, bins: np.ndarray) -> None:
    """Compute the bins of values (A,) in the range from ``low`` to ``high``, in place: ``bins``, uint8 (A,).

    With the scale `N_BINS` / (high - low), bin b contains the values above low + b / scale up to low + (b + 1) / scale.
    """
    scale = N_BINS / (high - low)
    for j in range(len(values)):
        # Floating-point arithmetic, which the compiler vectorises.
        index = np.ceil((values[j] - low) * scale) - 1.0
        bins[j] = np.uint8(min(max(index, 0.0), N_BINS - 1.0))


@njit
def bin_columns(columns: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Compute the bins of all instances in the root node, uint8 (V, N); all values of a constant feature are in bin 0.

    ``columns``, float64 (V, N), are the features, and ``order``, uint32 (V, N), sorts the instances of each feature.
    """
    n_features, n = columns.shape
    bins = np.zeros((n_features, n), dtype=np.uint8)
    for feature in range(n_features):
        smallest = columns[feature, order[feature, 0]]
        largest = columns[feature, order[feature, n - 1]]
        if largest > smallest:
            bin_values(columns[feature], smallest, largest, bins[feature])
    return bins


@njit
def _best_bin(
    weights: np.ndarray, sums: np.ndarray, total_weight: float, total_sum: float, min_weight: float, min_gain: float
) -> tuple[float, int]:
    """Find the last bin of the left child with the largest gain; return the gain and the bin.

    ``weights`` and ``sums``, (N_BINS,), are the sums of weights and of weighted residuals of each bin.  If no gain
    exceeds ``min_gain``, the results are ``min_gain`` and -1.
    """
    best_gain = min_gain
    best_bin = -1
    parent = total_sum * total_sum / total_weight
    bound = (best_gain + parent) * ROUNDING
    left_weight = 0.0
    left_sum = 0.0
    for b in range(N_BINS - 1):
        left_weight += weights[b]
        left_sum += sums[b]
        right_weight = total_weight - left_weight
        if right_weight < min_weight:
            break
        if left_weight < min_weight:
            continue
        right_sum = total_sum - left_sum
        numerator = left_sum * left_sum * right_weight + right_sum * right_sum * left_weight
        denominator = left_weight * right_weight
        # Divide only if the gain may exceed the largest one.
        if numerator > bound * denominator:
            gain = numerator / denominator - parent
            if gain > best_gain:
                best_gain = gain
                best_bin = b
                bound = (best_gain + parent) * ROUNDING
    return best_gain, best_bin


@njit
def find_root_splits(
    columns: np.ndarray,
    order: np.ndarray,
    bins: np.ndarray,
    weight: np.ndarray,
    products: np.ndarray,
    min_weight: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the best split of the root of R trees with the same weights.

    Parameters
    ----------
    columns : ndarray of shape (V, N)
        Features of all instances.
    order : uint32 ndarray of shape (V, N)
        Instances in the order of each feature.
    bins : uint8 ndarray of shape (V, A)
        Bins of the active instances, see `bin_columns`.
    weight : ndarray of shape (A,)
        Weights of the active instances.
    products : ndarray of shape (A, R)
        Residuals of each tree times weights.
    min_weight : float
        Minimum weight of each child.

    Returns
    -------
    gain, feature, threshold : ndarray of shape (R,)
        Best split of each tree; the feature is -1 if no split reduces the sum of squared residuals.
    """
    n_features, n = columns.shape
    n_active, n_trees = products.shape
    gains = np.zeros(n_trees)
    features = np.full(n_trees, -1)
    thresholds = np.zeros(n_trees)
    total_weight = 0.0
    for j in range(n_active):
        total_weight += weight[j]
    if total_weight < 2.0 * min_weight:
        return gains, features, thresholds
    gains[:] = MIN_GAIN
    for first in range(0, n_trees, MAX_TOGETHER):
        size = min(MAX_TOGETHER, n_trees - first)
        # Column 0 contains the weights, and the others the products of each tree.
        terms = np.empty((n_active, size + 1))
        terms[:, 0] = weight
        terms[:, 1:] = products[:, first : first + size]
        totals = np.zeros(size + 1)
        for j in range(n_active):
            totals += terms[j]
        histogram = np.zeros((N_BINS, size + 1))
        for feature in range(n_features):
            low = columns[feature, order[feature, 0]]
            extent = columns[feature, order[feature, n - 1]] - low
            if extent <= 0.0:
                continue
            histogram[:] = 0.0
            feature_bins = bins[feature]
            for j in range(n_active):
                sums = histogram[feature_bins[j]]
                for k in range(size + 1):
                    sums[k] += terms[j, k]
            for k in range(size):
                tree = first + k
                gain, last = _best_bin(
                    histogram[:, 0], histogram[:, k + 1], total_weight, totals[k + 1], min_weight, gains[tree]
                )
                if last >= 0:
                    gains[tree] = gain
                    features[tree] = feature
                    thresholds[tree] = low + (last + 1) * (extent / N_BINS)
    return gains, features, thresholds


@njit
def _find_split(
    columns: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    members: np.ndarray,
    weight: np.ndarray,
    products: np.ndarray,
    min_weight: float,
) -> tuple[float, int, float]:
    """Find the best split of a node other than the root: its gain, feature and threshold.

    ``columns``, (V, A), are the features of the active instances.  The node has the active instances ``members``;
    ``low`` and ``high``, (V,), are the range of each feature in the node.
    """
    member_weight = weight[members]
    member_products = products[members]
    total_weight = 0.0
    total_sum = 0.0
    for j in range(len(members)):
        total_weight += member_weight[j]
        total_sum += member_products[j]
    best_gain = MIN_GAIN
    best_feature = -1
    best_threshold = 0.0
    histogram = np.zeros((N_BINS, 2))
    values = np.empty(len(members))
    bins = np.empty(len(members), dtype=np.uint8)
    for feature in range(len(columns)):
        extent = high[feature] - low[feature]
        if extent <= 0.0:
            continue
        column = columns[feature]
        for j in range(len(members)):
            values[j] = column[members[j]]
        bin_values(values, low[feature], high[feature], bins)
        histogram[:] = 0.0
        for j in range(len(members)):
            b = bins[j]
            histogram[b, 0] += member_weight[j]
            histogram[b, 1] += member_products[j]
        gain, last = _best_bin(histogram[:, 0], histogram[:, 1], total_weight, total_sum, min_weight, best_gain)
        if last >= 0:
            best_gain = gain
            best_feature = feature
            best_threshold = low[feature] + (last + 1) * (extent / N_BINS)
    return best_gain, best_feature, best_threshold


@njit
def _gain_bound(members: np.ndarray, residual: np.ndarray, weight: np.ndarray, min_weight: float) -> float:
    """Compute an upper bound on the gain of any split of a node: its weighted sum of squared residuals.

    The bound is -1 if the node has less than twice the minimum weight of a child.
    """
    total_weight = 0.0
    total_sum = 0.0
    squares = 0.0
    for i in members:
        product = weight[i] * residual[i]
        total_weight += weight[i]
        total_sum += product
        squares += product * residual[i]
    if total_weight < 2.0 * min_weight:
        return -1.0
    return squares / ROUNDING - total_sum * total_sum / total_weight * ROUNDING


@njit
def _narrow_range(order: np.ndarray, leaf_of: np.ndarray, leaf: int, first: np.ndarray, last: np.ndarray) -> None:
    """Move the positions of a node's first and last instance in each order, (V,), from its parent's to its own."""
    for feature in range(len(order)):
        row = order[feature]
        position = first[feature]
        while leaf_of[row[position]] != leaf:
            position += 1
        first[feature] = position
        position = last[feature]
        while leaf_of[row[position]] != leaf:
            position -= 1
        last[feature] = position


@njit
def _values_at(columns: np.ndarray, order: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Return the value of each feature at a position of its order, float64 (V,)."""
    values = np.empty(len(columns))
    for feature in range(len(columns)):
        values[feature] = columns[feature, order[feature, position[feature]]]
    return values


@njit
def newton_step(members: np.ndarray, residual: np.ndarray, weight: np.ndarray, factor: float, limit: float) -> float:
    r"""Compute the value of a leaf, factor \sum w r / \sum w |r| (1 - |r|), clipped to ``limit`` in absolute value."""
    numerator = 0.0
    denominator = 0.0
    for i in members:
        size = abs(residual[i])
        numerator += weight[i] * residual[i]
        denominator += weight[i] * size * (1.0 - size)
    numerator *= factor
    if abs(numerator) >= limit * denominator:
        return 0.0 if numerator == 0.0 else math.copysign(limit, numerator)
    return numerator / denominator


@njit
def grow_tree(  # noqa: PLR0915 - the state of the leaves
    columns: np.ndarray,
    order: np.ndarray,
    active: np.ndarray,
    active_columns: np.ndarray,
    root_split: tuple[float, int, float],
    residual: np.ndarray,
    weight: np.ndarray,
    max_leaves: int,
    min_weight: float,
    factor: float,
    limit: float,
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Grow one tree on residuals (A,) with positive weights (A,) of the active instances.

    Parameters
    ----------
    columns : ndarray of shape (V, N)
        Features of all instances.
    order : uint32 ndarray of shape (V, N)
        Instances in the order of each feature.
    active : ndarray of shape (A,), dtype intp
        Indices of the active instances, increasing.
    active_columns : ndarray of shape (V, A)
        Features of the active instances.
    root_split : tuple of (float, int, float)
        Gain, feature and threshold of the best split of the root, see `find_root_splits`.
    residual, weight : ndarray of shape (A,)
        Residuals and weights of the active instances.
    max_leaves : int
        Maximum number of leaves.
    min_weight : float
        Minimum weight of each child of a split.
    factor, limit : float
        See `newton_step`.

    Returns
    -------
    root, feature, threshold, child, value
        The tree as in `textmix.models.common.boosted_trees.Forest`: a child is the index of a split, or ~leaf.
    leaf_of : uint32 ndarray of shape (N,)
        Leaf of each instance.
    """
    n_features, n = columns.shape
    products = weight * residual
    members_of = np.arange(len(active), dtype=np.uint32)
    start = np.zeros(max_leaves, dtype=np.int64)
    stop = np.zeros(max_leaves, dtype=np.int64)
    bounds = np.zeros(max_leaves)
    is_searched = np.zeros(max_leaves, dtype=np.bool_)
    gains = np.zeros(max_leaves)
    features = np.full(max_leaves, -1)
    thresholds = np.zeros(max_leaves)
    parent = np.full(max_leaves, -1)
    side = np.zeros(max_leaves, dtype=np.int64)
    first = np.zeros((max_leaves, n_features), dtype=np.int64)
    last = np.full((max_leaves, n_features), n - 1)
    leaf_of = np.zeros(n, dtype=np.uint32)
    split_feature = np.zeros(max_leaves - 1, dtype=np.int32)
    split_threshold = np.zeros(max_leaves - 1)
    child = np.zeros((max_leaves - 1, 2), dtype=np.int32)
    stop[0] = len(active)
    gains[0], features[0], thresholds[0] = root_split
    is_searched[0] = True
    n_leaves = 1
    while n_leaves < max_leaves:
        while True:
            leaf = -1
            for candidate in range(n_leaves):
                if features[candidate] >= 0 and (leaf < 0 or gains[candidate] > gains[leaf]):
                    leaf = candidate
            pending = -1
            for candidate in range(n_leaves):
                if not is_searched[candidate] and (pending < 0 or bounds[candidate] > bounds[pending]):
                    pending = candidate
            if pending < 0 or (leaf >= 0 and bounds[pending] < gains[leaf]):
                break
            _narrow_range(order, leaf_of, pending, first[pending], last[pending])
            gains[pending], features[pending], thresholds[pending] = _find_split(
                active_columns,
                _values_at(columns, order, first[pending]),
                _values_at(columns, order, last[pending]),
                members_of[start[pending] : stop[pending]],
                weight,
                products,
                min_weight,
            )
            is_searched[pending] = True
        if leaf < 0:
            break
        feature = features[leaf]
        threshold = thresholds[leaf]
        node = n_leaves - 1
        split_feature[node] = feature
        split_threshold[node] = threshold
        child[node, 0] = ~leaf
        child[node, 1] = ~n_leaves
        if parent[leaf] >= 0:
            child[parent[leaf], side[leaf]] = node
        members = members_of[start[leaf] : stop[leaf]]
        goes_left = active_columns[feature][members] <= threshold
        left = members[goes_left]
        right = members[~goes_left]
        middle = start[leaf] + len(left)
        members_of[start[leaf] : middle] = left
        members_of[middle : stop[leaf]] = right
        column = columns[feature]
        for i in range(n):
            if leaf_of[i] == leaf and column[i] > threshold:
                leaf_of[i] = n_leaves
        start[n_leaves] = middle
        stop[n_leaves] = stop[leaf]
        stop[leaf] = middle
        parent[leaf] = node
        parent[n_leaves] = node
        side[leaf] = 0
        side[n_leaves] = 1
        first[n_leaves] = first[leaf]
        last[n_leaves] = last[leaf]
        bounds[leaf] = _gain_bound(left, residual, weight, min_weight)
        bounds[n_leaves] = _gain_bound(right, residual, weight, min_weight)
        # A node that is too light for a split needs no search.
        is_searched[leaf] = bounds[leaf] < 0.0
        is_searched[n_leaves] = bounds[n_leaves] < 0.0
        features[leaf] = -1
        n_leaves += 1
    value = np.zeros(n_leaves)
    for leaf in range(n_leaves):
        value[leaf] = newton_step(members_of[start[leaf] : stop[leaf]], residual, weight, factor, limit)
    root = 0 if n_leaves > 1 else ~0
    splits = n_leaves - 1
    return root, split_feature[:splits], split_threshold[:splits], child[:splits], value, leaf_of
