"""The precision of a label at a recall, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from textmix.metrics.per_label import precision_at_recall

STATED = np.array([0.9, 0.8, 0.7, 0.6, np.nan])
TRUE = np.array([1, 0, 1, 1, 0])


@pytest.mark.parametrize(
    ("recall", "precision", "threshold"), [(0.3, 1.0, 0.9), (0.6, 2 / 3, 0.7), (2 / 3, 2 / 3, 0.7), (1.0, 0.75, 0.6)]
)
def test_precision_is_that_of_the_largest_threshold_that_reaches_the_recall(
    recall: float, precision: float, threshold: float
) -> None:
    assert precision_at_recall(STATED, TRUE, recall) == pytest.approx((precision, threshold))


def test_a_label_that_no_document_has_gives_none() -> None:
    assert precision_at_recall(STATED, np.zeros(5), 0.9) is None
