r"""Fisher kernels with the information matrix instead of the identity (section 5 of the EDCM paper).

The Fisher kernel of a distribution is k(x, y) = s(x)^T I^{-1} s(y) with the score s and the information matrix I. The
paper, as is usual, replaces I by the identity. Here I is the negative mean Hessian of the log-likelihood over the
training documents. For the DCM it is a diagonal matrix minus a constant, which the Sherman-Morrison formula inverts:

    I = diag(a) - z 1 1^T,   I^{-1} = diag(1 / a) + z / (1 - z S) (1 / a) (1 / a)^T,   S = \sum_w 1 / a_w
    a_w = mean_d [\Psi'(\alpha_w) - \Psi'(x_dw + \alpha_w)],   z = mean_d [\Psi'(s) - \Psi'(s + n_d)]

For the multinomial on the simplex, k(x, y) is proportional to \sum_w x_w y_w / \theta_w - n_x n_y.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

import numpy as np
from numpy.random import Generator
from scipy import sparse
from scipy.special import polygamma

from reproduction.flow.measures import Measure, Repeated, Rows, Settings, Sources, Values, mean_and_deviation, only
from textmix.experiment.trial import Documents
from textmix.models.common.count_kernels import row_sums
from textmix.models.neighbors.neighbor_kernels import nearest, postings, votes
from textmix.models.neighbors.representations import FisherDCM, FisherMultinomial, Representation, Vectors
from textmix.numerics.threads import by_rows


class InformationDCM(FisherDCM):
    """Fisher score of the DCM with the inverse of the information matrix as inner product.

    Attributes
    ----------
    inverse : ndarray of shape (V,)
        1 / a_w, 0 for words that do not occur in training.
    coupling : float
        z / (1 - z S), the weight of the rank-one term of the inverse.
    """

    def fit(self, X: sparse.csr_array) -> Self:
        """Estimate the EDCM and the information matrix of the DCM at its parameters."""
        super().fit(X)
        beta = self.beta[X.indices]
        drop = polygamma(1, beta) - polygamma(1, X.data + beta)
        curvature = np.bincount(X.indices, drop, minlength=X.shape[1]) / X.shape[0]
        self.inverse = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0)
        concentration = self.beta.sum()
        lengths = row_sums(X.indptr, X.data.astype(np.float64))
        z = float(np.mean(polygamma(1, concentration) - polygamma(1, concentration + lengths)))
        remainder = 1.0 - z * self.inverse.sum()
        if remainder <= 0:
            raise ValueError("the information matrix of the DCM is not positive definite; use more training documents")
        self.coupling = z / remainder
        return self

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Compute vectors whose inner products are the kernel."""
        scores = super().transform(X)
        rise = scores.sparse
        constant = scores.left[:, 0]
        inverse = self.inverse[rise.indices]
        total = row_sums(rise.indptr, rise.data * inverse)
        total_score = self.inverse.sum() * constant + total
        left = np.column_stack([constant, total, self.coupling * total_score])
        right = np.column_stack([total_score, constant, total_score])
        values = rise.data * np.sqrt(inverse)
        return Vectors(sparse.csr_array((values, rise.indices, rise.indptr), shape=rise.shape), left, right)


class InformationMultinomial(FisherMultinomial):
    """Fisher score of the multinomial on the simplex with the inverse of the information matrix as inner product."""

    def transform(self, X: sparse.csr_array) -> Vectors:
        """Compute vectors whose inner products are the kernel; words that do not occur in training are dropped."""
        theta = self.theta[X.indices]
        counts = X.data * (theta > 0)
        values = np.divide(counts, np.sqrt(theta), out=np.zeros(len(theta)), where=theta > 0)
        length = row_sums(X.indptr, counts.astype(np.float64))[:, np.newaxis]
        return Vectors(sparse.csr_array((values, X.indices, X.indptr), shape=X.shape), length, -length)


#: Fisher kernels by name of the model and of the matrix.
KERNELS: Mapping[tuple[str, str], type[Representation]] = {
    ("dcm", "identity"): FisherDCM,
    ("dcm", "information"): InformationDCM,
    ("multinomial", "identity"): FisherMultinomial,
    ("multinomial", "information"): InformationMultinomial,
}


def fisher_information(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the accuracy of k-NN by Fisher kernels with the identity and with the information matrix.

    ``<model>_gain`` is the accuracy with the information matrix minus the accuracy with the identity, as published
    without normalisation, and ``<model>_cosine_gain`` is the same with L2-normalised vectors, both for k =
    ``n_neighbors``.

    Settings: ``n_neighbors``; ``neighbours``, an increasing list of k that contains it; ``trials``, number of splits.
    Result: the table ``accuracies`` has the mean accuracy and its standard deviation over the splits for each model,
    matrix, normalisation and k.
    """
    source = only(sources)
    ks = np.array(settings["neighbours"])
    accuracies: dict[tuple[str, str, str], list[np.ndarray]] = {}
    for trial in source.trials(most=settings["trials"]):
        for kernel, curve in _curves(trial.train, trial.test, ks):
            accuracies.setdefault(kernel, []).append(curve)
    rows: Rows = []
    for (model, matrix, vectors), curves in accuracies.items():
        for k, of_splits in zip(ks, np.transpose(curves), strict=True):
            mean, deviation = mean_and_deviation(of_splits)
            row = {
                "model": model,
                "matrix": matrix,
                "vectors": vectors,
                "k": int(k),
                "accuracy": mean,
                "spread": deviation,
            }
            rows.append(row)
    column = settings["neighbours"].index(settings["n_neighbors"])
    values: Values = {}
    for model in ("dcm", "multinomial"):
        for vectors, infix in (("printed", ""), ("cosine", "_cosine")):
            identity = np.array(accuracies[model, "identity", vectors])[:, column]
            information = np.array(accuracies[model, "information", vectors])[:, column]
            gain = information - identity
            values[f"{model}{infix}_identity"] = Repeated(identity.tolist(), source.test_ratio)
            values[f"{model}{infix}_information"] = Repeated(information.tolist(), source.test_ratio)
            values[f"{model}{infix}_gain"] = Repeated(gain.tolist(), source.test_ratio)
    return Measure(values, {"accuracies": rows})


def _curves(train: Documents, test: Documents, ks: np.ndarray) -> Iterator[tuple[tuple[str, str, str], np.ndarray]]:
    """Yield model, matrix and normalisation, and the accuracy for each k, float64 (K,)."""
    for (model, matrix), kernel in KERNELS.items():
        representation = kernel().fit(train.X)
        indexed = representation.transform(train.X)
        queries = representation.transform(test.X)
        yield (model, matrix, "printed"), _accuracies(indexed, queries, train, test, ks)
        yield (model, matrix, "cosine"), _accuracies(indexed.cosine(), queries.cosine(), train, test, ks)


def _accuracies(indexed: Vectors, queries: Vectors, train: Documents, test: Documents, ks: np.ndarray) -> np.ndarray:
    """Compute the accuracy of unweighted votes for each k, float64 (K,)."""
    matrix = indexed.sparse
    inverted = postings(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])
    n_neighbors = min(int(ks[-1]), len(train.y))
    rows = queries.sparse

    def nearest_of(low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        """Compute similarities and indices of the neighbours of documents ``low:high``."""
        part = rows.indptr[low : high + 1], rows.indices, rows.data, queries.left[low:high]
        similarity, index = nearest(*part, *inverted, indexed.right, n_neighbors)
        return similarity, index

    _similarity, index = by_rows(nearest_of, rows.indptr)
    n_classes = int(max(train.y.max(), test.y.max())) + 1
    elected = votes(train.y[index], np.ones(index.shape), n_classes, True)
    columns = np.minimum(ks, n_neighbors) - 1
    is_correct = elected[:, columns] == test.y[:, np.newaxis]
    return np.asarray(is_correct.mean(axis=0))
