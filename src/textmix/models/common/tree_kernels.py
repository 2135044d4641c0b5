r"""Regression trees fitted by weighted least squares over equal-width bins, with clipped Newton steps as leaf values.

A tree grows leaf by leaf: the next split is the one that reduces the weighted sum of squared residuals most.  A split
candidate of a node is the upper edge of one of `N_BINS` equal-width bins between the smallest and the largest value of
a feature in the node.  Instances of weight 0 belong to nodes, and count for the range of the features, but not in sums.

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


@njit
def bin_index(value: float, low: float, scale: float) -> np.uint8:
    """Compute the bin of a value: bin b contains values above ``low + b / scale`` up to ``low + (b + 1) / scale``."""
    index = math.ceil((value - low) * scale) - 1
    return np.uint8(min(max(index, 0), N_BINS - 1))  # unsigned, so that no kernel checks for negative indices


@njit
def bin_columns(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the bins of all instances for the root node.

    ``columns``, float64 (V, N), are the features.  The results are the bins, uint8 (V, N), and the lower edge and the
    width of the bins of each feature, (V,) each; the width of a constant feature is 0.
    """
    n_features, n = columns.shape
    bins = np.zeros((n_features, n), dtype=np.uint8)
    low = np.zeros(n_features)
    width = np.zeros(n_features)
    for feature in range(n_features):
        smallest = columns[feature].min()
        largest = columns[feature].max()
        low[feature] = smallest
        if largest > smallest:
            width[feature] = (largest - smallest) / N_BINS
            scale = N_BINS / (largest - smallest)
            for i in range(n):
                bins[feature, i] = bin_index(columns[feature, i], smallest, scale)
    return bins, low, width


@njit
def _best_bin(
    weights: np.ndarray, sums: np.ndarray, total_weight: float, total_sum: float, min_weight: float
) -> tuple[float, int]:
    """Find the last bin of the left child with the largest gain; return the gain and the bin.

    ``weights`` and ``sums``, float64 (N_BINS,), are the sums of weights and of weighted residuals in each bin.
    """
    best_gain = 0.0
    best_bin = -1
    parent = total_sum * total_sum / total_weight
    left_weight = 0.0
    left_sum = 0.0
    for b in range(N_BINS - 1):
        if weights[b] == 0.0:
            continue
        left_weight += weights[b]
        left_sum += sums[b]
        right_weight = total_weight - left_weight
        if right_weight < min_weight:
            break
        if left_weight < min_weight:
            continue
        right_sum = total_sum - left_sum
        products = left_sum * left_sum * right_weight + right_sum * right_sum * left_weight
        gain = products / (left_weight * right_weight) - parent
        if gain > best_gain:
            best_gain = gain
            best_bin = b
    return best_gain, best_bin


@njit
def split_root(
    bins: np.ndarray,
    low: np.ndarray,
    width: np.ndarray,
    weight: np.ndarray,
    products: np.ndarray,
    min_weight: float,
) -> tuple[float, int, float]:
    """Find the best split of the root node: its gain, feature and threshold; see `bin_columns`."""
    active = np.flatnonzero(weight > 0.0).astype(np.uint32)
    active_weight = weight[active]
    active_products = products[active]
    best_gain = MIN_GAIN
    best_feature = -1
    best_threshold = 0.0
    total_weight = 0.0
    total_sum = 0.0
    for j in range(len(active)):
        total_weight += active_weight[j]
        total_sum += active_products[j]
    if total_weight < 2.0 * min_weight:
        return 0.0, -1, 0.0
    weights = np.zeros(N_BINS)
    sums = np.zeros(N_BINS)
    for feature in range(len(width)):
        if width[feature] <= 0.0:
            continue
        weights[:] = 0.0
        sums[:] = 0.0
        row = bins[feature]
        for j in range(len(active)):
            b = row[active[j]]
            weights[b] += active_weight[j]
            sums[b] += active_products[j]
        gain, last = _best_bin(weights, sums, total_weight, total_sum, min_weight)
        if gain > best_gain:
            best_gain = gain
            best_feature = feature
            best_threshold = low[feature] + (last + 1) * width[feature]
    return best_gain, best_feature, best_threshold


@njit
def split_node(
    columns: np.ndarray, members: np.ndarray, weight: np.ndarray, products: np.ndarray, min_weight: float
) -> tuple[float, int, float]:
    """Find the best split of a node with the instances ``members``: its gain, feature and threshold."""
    active = members[weight[members] > 0.0]
    active_weight = weight[active]
    active_products = products[active]
    best_gain = MIN_GAIN
    best_feature = -1
    best_threshold = 0.0
    total_weight = 0.0
    total_sum = 0.0
    for j in range(len(active)):
        total_weight += active_weight[j]
        total_sum += active_products[j]
    if total_weight < 2.0 * min_weight:
        return 0.0, -1, 0.0
    weights = np.zeros(N_BINS)
    sums = np.zeros(N_BINS)
    for feature in range(len(columns)):
        column = columns[feature]
        smallest = column[members[0]]
        largest = smallest
        for i in members:
            if column[i] < smallest:
                smallest = column[i]
            elif column[i] > largest:
                largest = column[i]
        if largest <= smallest:
            continue
        width = (largest - smallest) / N_BINS
        scale = N_BINS / (largest - smallest)
        weights[:] = 0.0
        sums[:] = 0.0
        for j in range(len(active)):
            b = bin_index(column[active[j]], smallest, scale)
            weights[b] += active_weight[j]
            sums[b] += active_products[j]
        gain, last = _best_bin(weights, sums, total_weight, total_sum, min_weight)
        if gain > best_gain:
            best_gain = gain
            best_feature = feature
            best_threshold = smallest + (last + 1) * width
    return best_gain, best_feature, best_threshold


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
def _leaf_values(
    order: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    residual: np.ndarray,
    weight: np.ndarray,
    factor: float,
    limit: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the value of each leaf and the leaf of each instance; a leaf has the instances order[start:stop]."""
    value = np.zeros(len(start))
    leaf_of = np.zeros(len(order), dtype=np.int64)
    for leaf in range(len(start)):
        members = order[start[leaf] : stop[leaf]]
        value[leaf] = newton_step(members, residual, weight, factor, limit)
        leaf_of[members] = leaf
    return value, leaf_of


@njit
def grow_tree(  # noqa: PLR0915 - the state of the leaves
    columns: np.ndarray,
    bins: np.ndarray,
    low: np.ndarray,
    width: np.ndarray,
    residual: np.ndarray,
    weight: np.ndarray,
    max_leaves: int,
    min_weight: float,
    factor: float,
    limit: float,
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Grow one tree on residuals (N,) with weights (N,).

    ``columns`` and its bins are those of `bin_columns`.  Each child of a split has at least ``min_weight``.  See
    `newton_step` for ``factor`` and ``limit``.

    The results are the root, the feature and the threshold of each split, its children (an index of a split, or ~leaf),
    the value of each leaf, and the leaf of each instance, as in `textmix.models.common.boosted_trees.Forest`.
    """
    n = len(weight)
    products = weight * residual
    order = np.arange(n, dtype=np.uint32)
    start = np.zeros(max_leaves, dtype=np.int64)
    stop = np.zeros(max_leaves, dtype=np.int64)
    gains = np.zeros(max_leaves)
    features = np.full(max_leaves, -1)
    thresholds = np.zeros(max_leaves)
    parent = np.full(max_leaves, -1)
    side = np.zeros(max_leaves, dtype=np.int64)
    split_feature = np.zeros(max_leaves - 1, dtype=np.int32)
    split_threshold = np.zeros(max_leaves - 1)
    child = np.zeros((max_leaves - 1, 2), dtype=np.int32)
    stop[0] = n
    gains[0], features[0], thresholds[0] = split_root(bins, low, width, weight, products, min_weight)
    n_leaves = 1
    while n_leaves < max_leaves:
        leaf = -1
        for candidate in range(n_leaves):
            if features[candidate] >= 0 and (leaf < 0 or gains[candidate] > gains[leaf]):
                leaf = candidate
        if leaf < 0:
            break
        node = n_leaves - 1
        split_feature[node] = features[leaf]
        split_threshold[node] = thresholds[leaf]
        child[node, 0] = ~leaf
        child[node, 1] = ~n_leaves
        if parent[leaf] >= 0:
            child[parent[leaf], side[leaf]] = node
        members = order[start[leaf] : stop[leaf]]
        goes_left = columns[features[leaf]][members] <= thresholds[leaf]
        left = members[goes_left]
        right = members[~goes_left]
        middle = start[leaf] + len(left)
        order[start[leaf] : middle] = left
        order[middle : stop[leaf]] = right
        start[n_leaves] = middle
        stop[n_leaves] = stop[leaf]
        stop[leaf] = middle
        parent[leaf] = node
        parent[n_leaves] = node
        side[leaf] = 0
        side[n_leaves] = 1
        n_leaves += 1
        if n_leaves < max_leaves:
            gains[leaf], features[leaf], thresholds[leaf] = split_node(columns, left, weight, products, min_weight)
            last = n_leaves - 1
            gains[last], features[last], thresholds[last] = split_node(columns, right, weight, products, min_weight)
    value, leaf_of = _leaf_values(order, start[:n_leaves], stop[:n_leaves], residual, weight, factor, limit)
    root = 0 if n_leaves > 1 else ~0
    splits = n_leaves - 1
    return root, split_feature[:splits], split_threshold[:splits], child[:splits], value, leaf_of
