"""Fisher kernels with the information matrix, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma, polygamma

from reproduction.papers.edcm import fisher_information
from textmix.experiment.trial import Documents
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.neighbors.representations import Representation


def gram_matrix(representation: Representation, X) -> np.ndarray:
    """Return the kernel of all pairs of documents."""
    vectors = representation.transform(X)
    return vectors.sparse.toarray() @ vectors.sparse.toarray().T + vectors.left @ vectors.right.T


@pytest.fixture(scope="module")
def train(source) -> Documents:
    """Return the training documents of the first split."""
    documents: Documents = source.first().train
    return documents


def test_kernel_of_the_dcm_has_the_inverse_of_the_mean_hessian(train):
    representation = fisher_information.InformationDCM().fit(train.X)
    is_seen = representation.beta > 0
    alpha, X = representation.beta[is_seen], train.X.toarray()[:, is_seen].astype(float)
    s, n = alpha.sum(), X.sum(axis=1)
    scores = (digamma(s) - digamma(s + n))[:, np.newaxis] + digamma(X + alpha) - digamma(alpha)
    constant = np.mean(polygamma(1, s) - polygamma(1, s + n))
    information = np.diag(np.mean(polygamma(1, alpha) - polygamma(1, X + alpha), axis=0)) - constant
    assert np.linalg.eigvalsh(information).min() > 0
    expected = scores @ np.linalg.solve(information, scores.T)
    np.testing.assert_allclose(gram_matrix(representation, train.X), expected, rtol=1e-8, atol=1e-8)


def test_kernel_of_the_multinomial_has_the_inverse_on_the_simplex(train):
    representation = fisher_information.InformationMultinomial().fit(train.X)
    is_seen = representation.theta > 0
    theta, X = representation.theta[is_seen], train.X.toarray()[:, is_seen].astype(float)
    n = X.sum(axis=1, keepdims=True)
    # In natural parameters the score is x - n theta, and the information is proportional to the covariance.
    scores = X - n * theta
    covariance = np.diag(theta) - np.outer(theta, theta)
    expected = scores @ np.linalg.pinv(covariance) @ scores.T
    np.testing.assert_allclose(gram_matrix(representation, train.X), expected, rtol=1e-6, atol=1e-6 * expected.max())


def test_identity_matrix_gives_the_representations_of_the_paper(source, measured):
    measure = measured[0]["fisher_information"]
    trial = source.first()
    for model in ("dcm", "multinomial"):
        predicted = trial.train.fitted(KNNClassifier(representation=f"fisher_{model}")).predict(trial.test.X)
        identity = measure.values[f"{model}_identity"].values
        information = measure.values[f"{model}_information"].values
        assert identity[0] == pytest.approx(np.mean(predicted == trial.test.y))
        np.testing.assert_allclose(measure.values[f"{model}_gain"].values, np.subtract(information, identity))
    rows = measure.tables["accuracies"]
    assert len(rows) == 2 * 2 * 2 * 3
    assert all(0 <= row["accuracy"] <= 1 for row in rows)
