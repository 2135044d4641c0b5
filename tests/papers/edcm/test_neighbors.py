"""Accuracy of k nearest neighbours against k, and the choices that the EDCM paper leaves open."""

from __future__ import annotations


def test_neighbors_as_printed_are_those_of_the_curves(measured):
    for row in measured[0]["knn_curves"].tables["curves"]:
        assert 0 <= row["accuracy"] <= 1
    rows = measured[0]["knn_variants"].tables["variants"]
    cosine = {(row["representation"], row["vectors"]): row["accuracy"] for row in rows if row["vote"] == "nearest"}
    assert cosine["l2", "printed"] == cosine["l2", "cosine"] == cosine["l1", "cosine"]
