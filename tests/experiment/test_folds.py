"""Folds: every document is held out once, and folds are stratified by class."""

from __future__ import annotations

import numpy as np
import pytest

from textmix.experiment.folds import cross_validate, evenly, fold_numbers, halves_of


@pytest.mark.parametrize("generator", [None, 0])
def test_folds_share_the_documents_out(generator: int | None) -> None:
    drawn = None if generator is None else np.random.default_rng(generator)
    halves = list(halves_of(fold_numbers(11, 3, drawn)))
    np.testing.assert_array_equal(np.sort(np.concatenate([inside for _, inside in halves])), np.arange(11))
    assert sorted(len(inside) for _, inside in halves) == [3, 4, 4]
    for outside, inside in halves:
        np.testing.assert_array_equal(np.setdiff1d(np.arange(11), inside), outside)


def test_folds_without_a_generator_take_the_documents_in_turn() -> None:
    np.testing.assert_array_equal(fold_numbers(7, 3), [0, 1, 2, 0, 1, 2, 0])


@pytest.mark.parametrize("n_folds", [2, 3, 5])
@pytest.mark.parametrize("counts", [[20, 20], [17, 4, 9], [30, 2]])
def test_stratified_folds_hold_as_many_documents_of_a_class(counts: list[int], n_folds: int) -> None:
    classes = np.random.default_rng(1).permutation(np.repeat(np.arange(len(counts)), counts))
    numbers = fold_numbers(len(classes), n_folds, np.random.default_rng(2), classes)
    for label in range(len(counts)):
        of_fold = np.bincount(numbers[classes == label], minlength=n_folds)
        assert of_fold.max() - of_fold.min() <= 1
    sizes = np.bincount(numbers, minlength=n_folds)
    assert sizes.max() - sizes.min() <= 1


def test_stratified_folds_are_drawn() -> None:
    classes = np.arange(40) % 2
    first, second = (fold_numbers(40, 4, np.random.default_rng(seed), classes) for seed in (0, 1))
    assert (first != second).any()


def test_the_even_order_is_that_of_its_definition() -> None:
    """Document k of a class of n has position (k + 1/2) / n; the permutation breaks ties."""
    classes = np.repeat(np.arange(5), [100, 100, 100, 50, 10])
    order = np.random.default_rng(3).permutation(len(classes))
    seen, positions = [0] * 5, []
    for rank, row in enumerate(order):
        label = classes[row]
        positions.append(((seen[label] + 0.5) / np.sum(classes == label), rank, row))
        seen[label] += 1
    assert evenly(order, classes).tolist() == [row for *_, row in sorted(positions)]


class Nearest:
    """Predict the class with the nearest shifted mean."""

    def __init__(self, shift: float) -> None:
        self.shift = shift

    def fit(self, X: np.ndarray, y: np.ndarray) -> Nearest:
        """Keep the means."""
        self.means = np.array([X[y == label].mean() for label in (0, 1)]) + self.shift
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the nearest class."""
        return np.argmin(np.abs(X - self.means), axis=1)


def test_each_value_is_that_of_its_point_on_its_fold() -> None:
    """Rows are grid points and columns are folds; scores use held-out documents only."""
    generator = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = generator.normal(size=(40, 1)) + y[:, np.newaxis]
    folds = list(halves_of(fold_numbers(40, 4, generator)))
    seen = []

    def score(model: Nearest, documents: tuple, rows: np.ndarray) -> float:
        seen.append(rows)
        np.testing.assert_array_equal(documents[1], y[rows])
        return float(np.mean(model.predict(documents[0]) == documents[1]))

    found = cross_validate(Nearest, [0.0, 0.5], (X, y), folds, score)
    expected = [
        [np.mean(Nearest(shift).fit(X[fit], y[fit]).predict(X[held]) == y[held]) for fit, held in folds]
        for shift in (0.0, 0.5)
    ]
    np.testing.assert_array_equal(found, expected)
    assert [rows.tolist() for rows in seen[::2]] == [held.tolist() for _, held in folds]
