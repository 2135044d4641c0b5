"""Latent topics of the EDCM."""

from __future__ import annotations

import numpy as np
import pytest


def test_topics_of_made_documents_get_nearer_with_more_of_them(measured):
    rows = measured[0]["latent_topics"].tables["distances"]
    for method in ("likelihood", "mean_field"):
        few, many = (
            np.mean([row["distance"] for row in rows if (row["method"], row["documents"]) == (method, number)])
            for number in (30, 300)
        )
        assert many < few


def test_information_is_one_for_the_classes_themselves_and_zero_for_one_topic():
    from reproduction.papers.edcm.topics import _information

    y = np.repeat([0, 1, 2], 5)
    assert _information(y, y[::-1]) == pytest.approx(1.0)
    assert _information(y, np.zeros_like(y)) == pytest.approx(0.0)
