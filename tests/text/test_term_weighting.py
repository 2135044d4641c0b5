"""Weighting of features: by definition, as scikit-learn does it, and fitted to training documents alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from textmix.core.errors import ConfigError
from textmix.text.term_weighting import TermWeighting

COUNTS = sparse.csr_array(np.random.default_rng(2).poisson(0.4, (30, 12)).astype(np.int32))
TRAIN, TEST = COUNTS[:20], COUNTS[20:]


def test_tfidf_is_that_of_scikit_learn() -> None:
    theirs = TfidfTransformer(sublinear_tf=True).fit(TRAIN)
    ours = TermWeighting().fit(TRAIN)
    np.testing.assert_allclose(ours.transform(TEST).toarray(), theirs.transform(TEST)[:, ours.columns_].toarray())


def test_rare_features_of_the_training_part_are_dropped_whatever_the_test_holds() -> None:
    documents = (TRAIN.toarray() > 0).sum(axis=0)
    fitted = TermWeighting(weighting="counts", min_df=8, min_count=9).fit(TRAIN)
    frequent = (documents >= 8) & (TRAIN.toarray().sum(axis=0) >= 9)
    np.testing.assert_array_equal(fitted.columns_, np.flatnonzero(frequent))
    np.testing.assert_array_equal(fitted.transform(TEST).toarray(), TEST.toarray()[:, frequent])
    with pytest.raises(ValueError, match="no feature is in 99 of the 20 training documents"):
        TermWeighting(min_df=99).fit(TRAIN)


def test_dense_numbers_are_standardised_and_sparse_ones_divided_by_their_largest() -> None:
    dense = np.random.default_rng(1).normal(3.0, 2.0, (20, 4))
    scaled = TermWeighting(weighting="scaled").fit(dense)
    np.testing.assert_allclose(scaled.transform(dense).toarray(), StandardScaler().fit_transform(dense))
    few = sparse.csr_array([[0.0, -4.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    assert TermWeighting(weighting="scaled").fit_transform(few).toarray().tolist() == [[0, -1], [0, 0], [1, 0], [0, 0]]


def test_names_of_kept_features_and_wrong_parameters() -> None:
    fitted = TermWeighting(weighting="binary", min_df=2).fit([[1, 0, 3], [2, 1, 1]])
    assert fitted.get_feature_names_out(["a", "b", "c"]).tolist() == ["a", "c"]
    assert fitted.transform([[0, 5, 7]]).toarray().tolist() == [[0.0, 1.0]]
    for wrong, message in (({"weighting": "tf"}, "'tf' is unknown"), ({"min_df": 0}, "min_df: 0 is not")):
        with pytest.raises(ConfigError, match=message):
            TermWeighting(**wrong).fit(TRAIN)
