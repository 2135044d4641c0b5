"""The one cross-validation, beside a loop that anybody would write."""

from __future__ import annotations

import numpy as np

from textmix.experiment.folds import cross_validate, fold_numbers, halves_of


class Nearest:
    """Predicts the class whose mean is nearest, moved by a shift."""

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
    """Points are rows and folds columns; a score sees the rows that are held out, and no others."""
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
