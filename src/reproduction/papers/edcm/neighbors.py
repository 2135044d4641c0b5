"""The k-NN methods: accuracy against k (the last Figure 4), forms of TF-IDF, weights of words (section 5).

Rainbow names weights of words after SMART, by the count, the document frequency and the length, and its own methods
after what a document frequency counts (documents or occurrences) and its function (log, root, as it is).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse
from scipy.special import digamma

from reproduction.flow.measures import Measure, Repeated, Rows, Settings, Sources, Values, mean_and_deviation, only
from textmix.experiment.trial import Documents, Trial
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.neighbors.representations import REPRESENTATIONS, FisherDCM, TfIdf

#: Representations whose vectors depend on a model of the documents; there can be one model a class.
FISHER = ("fisher_dcm", "fisher_multinomial")


def knn_curves(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure accuracy against the number of neighbours, one search a split for all k.

    ``<representation>_gain`` is the accuracy at the largest k less that at the smallest, mean over the splits.

    Settings: ``representations``; ``neighbours``, an increasing list of k, from 1; ``trials``, how many splits.
    Result: the table ``curves`` has mean accuracy and its standard deviation over the splits (column ``spread``) for
    each representation and k.
    """
    values: Values = {}
    rows: Rows = []
    source, ks = only(sources), np.array(settings["neighbours"])
    for name in settings["representations"]:
        curves = np.array([_curve(name, trial, ks) for trial in source.trials(most=settings["trials"])])
        values[f"{name}_gain"] = Repeated(curves[:, -1] - curves[:, 0], source.test_ratio)
        for k, accuracies in zip(ks, curves.T, strict=True):
            mean, deviation = mean_and_deviation(accuracies)
            rows.append({"representation": name, "k": int(k), "accuracy": mean, "spread": deviation})
    return Measure(values, {"curves": rows})


def _curve(name: str, trial: Trial, ks: np.ndarray) -> np.ndarray:
    """Return the accuracy of a representation at each k of ``ks``, float64 (K,)."""
    model = trial.train.fitted(KNNClassifier(representation=name))
    elected = model.elect(*model.kneighbors(trial.test.X, int(ks[-1])))
    columns = np.minimum(ks, elected.shape[1]) - 1
    return np.mean(elected[:, columns] == trial.test.y[:, np.newaxis], axis=0)


def knn_variants(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the accuracy under each open choice: tied votes, vectors of length 1, one Fisher kernel a class.

    Settings: ``neighbours``, k.
    """
    trial = only(sources).first()
    train, test = trial.train, trial.test
    k = settings["neighbours"]
    rows: Rows = []
    for name in REPRESENTATIONS:
        for scale, (similarity, index) in _searches(name, train, test, k):
            for weights, ties in (("uniform", "nearest"), ("uniform", "first"), ("similarity", "nearest")):
                voter = train.fitted(KNNClassifier(representation=name, weights=weights, ties=ties))  # type: ignore[arg-type]
                accuracy = float(np.mean(voter.elect(similarity, index)[:, -1] == test.y))
                vote = weights if weights == "similarity" else ties
                rows.append({"representation": name, "vectors": scale, "vote": vote, "accuracy": accuracy})
    values: Values = {f"{row['representation']}_{row['vectors']}_{row['vote']}": row["accuracy"] for row in rows}
    return Measure(values, {"variants": rows})


def _searches(
    name: str, train: Documents, test: Documents, k: int
) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yield, for each choice of the vectors, its name and its search: similarities and indices of the neighbours."""
    for cosine, scale in ((False, "printed"), (True, "cosine")):
        yield scale, train.fitted(KNNClassifier(representation=name, cosine=cosine)).kneighbors(test.X, k)
    if name in FISHER:
        yield "per_class", _per_class(name, train, test, k)


def _per_class(name: str, train: Documents, test: Documents, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return similarities and indices of the k nearest documents, (N, k) each; each class has a model of its own."""
    similarities, indices = [], []
    for c in np.unique(train.y):
        rows = np.flatnonzero(train.y == c)
        similarity, index = train[rows].fitted(KNNClassifier(representation=name)).kneighbors(test.X, k)
        similarities.append(similarity)
        indices.append(rows[index])
    similarity, index = np.hstack(similarities), np.hstack(indices)
    order = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(similarity, order, axis=1), np.take_along_axis(index, order, axis=1)


#: Name -> weight of counts x (nnz,) of documents of the lengths n (nnz,) with the mean length m.
COUNTS: Mapping[str, Callable[[np.ndarray, np.ndarray, float], np.ndarray]] = {
    "x": lambda x, n, m: x,
    "1 + log x": lambda x, n, m: 1.0 + np.log(x),
    "sqrt x": lambda x, n, m: np.sqrt(x),
    "1": lambda x, n, m: np.ones_like(x),
    "x / (x + .5 + 1.5 n / m)": lambda x, n, m: x / (x + 0.5 + 1.5 * n / m),
}
#: Name -> weight of words by document frequency d and number of occurrences o (V,), both positive, of D documents.
WORDS: Mapping[str, Callable[[np.ndarray, np.ndarray, int], np.ndarray]] = {
    "log D / d": lambda d, o, D: np.log(D / d),
    "log D / o": lambda d, o, D: np.maximum(np.log(D / o), 0.0),
    "sqrt D / d": lambda d, o, D: np.sqrt(D / d),
    "D / d": lambda d, o, D: D / d,
    "log (D - d + .5) / (d + .5)": lambda d, o, D: np.maximum(np.log((D - d + 0.5) / (d + 0.5)), 0.0),
    "1": lambda d, o, D: np.ones(len(d)),
}
VOTES = {"nearest": ("uniform", "nearest"), "similarity": ("similarity", "nearest")}


def tfidf_forms(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the accuracy of k-NN with TF-IDF in each form, and with Bhattacharyya.

    Vectors have length 1.  A vote counts one for each neighbour, a tie going to the nearest, or counts the similarity.

    Settings: ``neighbours``, k; ``trials``, how many splits; ``forms``, triples of a name of `COUNTS`, a name of
    `WORDS` and the documents that count document frequencies, ``training`` or ``all``.
    Result: the table ``forms`` (mean accuracy and deviation over the splits of each form and vote) and, for each vote,
    the best accuracies of TF-IDF with whole counts x, of TF-IDF in any form, and of Bhattacharyya.
    """
    accuracies_of: dict[tuple[str, str, str, str], list[float]] = {}
    for trial in only(sources).trials(most=settings["trials"]):
        train, test = trial.train, trial.test
        both = sparse.vstack([train.X, test.X], format="csr")
        ways: dict[tuple[str, str, str], tuple[str, Documents, Documents]] = {}
        for count, word, documents in settings["forms"]:
            weigh = _weighing(count, word, both if documents == "all" else train.X)
            weighed = [Documents(weigh(part.X), part.y) for part in (train, test)]
            ways[count, word, documents] = ("l2", weighed[0], weighed[1])
        ways["bhattacharyya", "", ""] = ("bhattacharyya", train, test)
        for form, way in ways.items():
            for vote, accuracy in _accuracies(*way, settings["neighbours"]).items():
                accuracies_of.setdefault((*form, vote), []).append(accuracy)
    rows: Rows = []
    for (count, word, documents, vote), accuracies in accuracies_of.items():
        mean, deviation = mean_and_deviation(accuracies)
        cells = {"count": count, "word": word, "documents": documents, "vote": vote}
        rows.append({**cells, "accuracy": mean, "spread": deviation, "splits": len(accuracies)})
    values: Values = {}
    for vote in VOTES:
        of_vote = [row for row in rows if row["vote"] == vote]
        values[f"bhattacharyya_{vote}"] = _best(row for row in of_vote if row["count"] == "bhattacharyya")
        values[f"whole_counts_{vote}"] = _best(row for row in of_vote if row["count"] == "x")
        values[f"any_form_{vote}"] = _best(row for row in of_vote if row["count"] != "bhattacharyya")
    return Measure(values, {"forms": rows})


def _best(rows: Iterable[Mapping[str, Any]]) -> float:
    """Return the largest accuracy of the rows, or nan where there is none."""
    return max((row["accuracy"] for row in rows), default=float("nan"))


def _weighing(count: str, word: str, X: sparse.csr_array) -> Callable[[sparse.csr_array], sparse.csr_array]:
    """Return the weighting of counts, CSR (n, V) to CSR (n, V); X counts document frequencies and lengths."""
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    occurrences = np.bincount(X.indices, X.data, minlength=X.shape[1])
    weight = WORDS[word](np.maximum(frequency, 1), np.maximum(occurrences, 1), X.shape[0]) * (frequency > 0)
    mean = float(X.sum() / X.shape[0])

    def weigh(part: sparse.csr_array) -> sparse.csr_array:
        lengths = np.repeat(np.asarray(part.sum(axis=1), dtype=np.float64).ravel(), np.diff(part.indptr))
        values = COUNTS[count](part.data.astype(np.float64), lengths, mean) * weight[part.indices]
        return sparse.csr_array((values, part.indices, part.indptr), shape=part.shape)

    return weigh


def _accuracies(representation: str, train: Documents, test: Documents, k: int) -> dict[str, float]:
    """Return the accuracy by each vote; one search serves all."""
    search = train.fitted(KNNClassifier(representation=representation)).kneighbors(test.X, k)
    accuracies = {}
    for vote, (weights, ties) in VOTES.items():
        voter = train.fitted(KNNClassifier(representation=representation, weights=weights, ties=ties))  # type: ignore[arg-type]
        accuracies[vote] = float(np.mean(voter.elect(*search)[:, -1] == test.y))
    return accuracies


def approximate_digamma(z: np.ndarray) -> np.ndarray:
    """Return Minka's approximation of Psi(z) (section 5): log(z - 1/2) for z >= 0.6, else -1/z + Psi(1); any shape."""
    low = z < 0.6
    return np.where(low, -1.0 / np.where(low, z, 1.0) - np.euler_gamma, np.log(np.where(low, 1.0, z) - 0.5))


def fisher_tfidf(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare the Fisher-DCM score of a word in a document with its TF-IDF weight, and with its approximation.

    Scores are of the words of a document, minus the constant that all its words share.

    Settings: ``cells``, how many non-zero counts are drawn; ``frequencies`` and ``counts``, the document frequencies
    and counts of the curves.
    Result: the table ``weights`` has both weights for each document frequency and count; its values are correlations of
    both weights, and relative errors of `approximate_digamma`, over the drawn counts.
    """
    from scipy import stats  # here, for it takes a second to import and no other measure needs it

    train = only(sources).first().train
    fisher, tfidf = FisherDCM().fit(train.X), TfIdf().fit(train.X)
    exact = fisher.transform(train.X).sparse.data
    cells = np.sort(generator.permutation(len(exact))[: settings["cells"]])
    x, words = train.X.data[cells].astype(np.float64), train.X.indices[cells]
    beta, plain = fisher.beta[words], x * tfidf.weight[words]
    score = exact[cells]
    approximate = approximate_digamma(x + beta) - approximate_digamma(beta)
    error = np.abs(approximate / score - 1.0)
    values: Values = {
        "rank_correlation": float(stats.spearmanr(score, plain).statistic),
        "rank_correlation_seen_once": float(stats.spearmanr(score[x == 1], plain[x == 1]).statistic),
        "correlation_of_logarithms": float(np.corrcoef(np.log(score), np.log(np.maximum(plain, 1e-12)))[0, 1]),
        "approximation_mean_error": float(error.mean()),
        "approximation_largest_error": float(error.max()),
    }
    frequency = np.bincount(train.X.indices, minlength=train.X.shape[1])
    rows: Rows = []
    for df in settings["frequencies"]:
        b, idf = df * fisher.beta.sum() / frequency.sum(), float(np.log(len(train.y) / df))
        for count in settings["counts"]:
            weight = float(digamma(count + b) - digamma(b))
            rows.append({"frequency": df, "count": count, "fisher": weight, "tfidf": count * idf})
    return Measure(values, {"weights": rows})
