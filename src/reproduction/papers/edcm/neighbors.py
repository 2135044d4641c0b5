"""Measures of k-NN: accuracy against k (the last Figure 4), variants of TF-IDF, term weights (section 5).

Rainbow supports SMART weights, identified by count, document frequency and length, and its own weights, identified by
the unit of the document frequency (documents or occurrences) and its function (log, square root, identity).
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

#: Representations based on a model of the documents, which can also be fitted separately to each class.
FISHER = ("fisher_dcm", "fisher_multinomial")


def knn_curves(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure accuracy against the number of neighbours, with one search per split for all k.

    ``<representation>_gain`` is the increase of the mean accuracy over the splits from the smallest to the largest k.

    Settings: ``representations``; ``neighbours``, an increasing list of k, from 1; ``trials``, number of splits.
    Result: the table ``curves`` has the mean accuracy and its standard deviation over the splits (column ``spread``)
    for each representation and k.
    """
    values: Values = {}
    rows: Rows = []
    source = only(sources)
    ks = np.array(settings["neighbours"])
    for name in settings["representations"]:
        trials = source.trials(most=settings["trials"])
        curves = np.array([_curve(name, trial, ks) for trial in trials])
        gains = curves[:, -1] - curves[:, 0]
        values[f"{name}_gain"] = Repeated(gains, source.test_ratio)
        for k, accuracies in zip(ks, curves.T, strict=True):
            mean, deviation = mean_and_deviation(accuracies)
            rows.append({"representation": name, "k": int(k), "accuracy": mean, "spread": deviation})
    return Measure(values, {"curves": rows})


def _curve(name: str, trial: Trial, ks: np.ndarray) -> np.ndarray:
    """Compute the accuracy of a representation for each k, float64 (K,)."""
    model = trial.train.fitted(KNNClassifier(representation=name))
    similarity, index = model.kneighbors(trial.test.X, int(ks[-1]))
    elected = model.elect(similarity, index)
    columns = np.minimum(ks, elected.shape[1]) - 1
    true = trial.test.y[:, np.newaxis]
    is_correct = elected[:, columns] == true
    return np.mean(is_correct, axis=0)


def knn_variants(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the accuracy of each alternative: tied votes, L2-normalised vectors, one Fisher kernel per class.

    Settings: ``neighbours``, k.
    """
    trial = only(sources).first()
    train, test = trial.train, trial.test
    k = settings["neighbours"]
    votes = (("uniform", "nearest"), ("uniform", "first"), ("similarity", "nearest"))
    rows: Rows = []
    for name in REPRESENTATIONS:
        for scale, (similarity, index) in _searches(name, train, test, k):
            for weights, ties in votes:
                model = KNNClassifier(representation=name, weights=weights, ties=ties)  # type: ignore[arg-type]
                predicted = train.fitted(model).elect(similarity, index)[:, -1]
                accuracy = float(np.mean(predicted == test.y))
                vote = weights if weights == "similarity" else ties
                row: dict[str, Any] = {
                    "representation": name,
                    "vectors": scale,
                    "vote": vote,
                    "accuracy": accuracy,
                }
                rows.append(row)
    values: Values = {}
    for row in rows:
        key = f"{row['representation']}_{row['vectors']}_{row['vote']}"
        values[key] = row["accuracy"]
    return Measure(values, {"variants": rows})


def _searches(
    name: str, train: Documents, test: Documents, k: int
) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yield the name of each alternative for the vectors, and similarities and indices of the neighbours."""
    for cosine, scale in ((False, "printed"), (True, "cosine")):
        model = train.fitted(KNNClassifier(representation=name, cosine=cosine))
        yield scale, model.kneighbors(test.X, k)
    if name in FISHER:
        yield "per_class", _search_per_class(name, train, test, k)


def _search_per_class(name: str, train: Documents, test: Documents, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return similarities and indices (N, k) of the k nearest documents, with one model per class."""
    similarities, indices = [], []
    for c in np.unique(train.y):
        rows = np.flatnonzero(train.y == c)
        model = train[rows].fitted(KNNClassifier(representation=name))
        similarity, index = model.kneighbors(test.X, k)
        similarities.append(similarity)
        indices.append(rows[index])
    similarity = np.hstack(similarities)
    index = np.hstack(indices)
    order = np.argsort(-similarity, axis=1, kind="stable")
    nearest = order[:, :k]
    similarity = np.take_along_axis(similarity, nearest, axis=1)
    index = np.take_along_axis(index, nearest, axis=1)
    return similarity, index


def _raw_count(x: np.ndarray, n: np.ndarray, m: float) -> np.ndarray:
    return x


def _log_count(x: np.ndarray, n: np.ndarray, m: float) -> np.ndarray:
    return np.asarray(1.0 + np.log(x))


def _root_count(x: np.ndarray, n: np.ndarray, m: float) -> np.ndarray:
    return np.sqrt(x)


def _binary_count(x: np.ndarray, n: np.ndarray, m: float) -> np.ndarray:
    return np.ones_like(x)


def _okapi_count(x: np.ndarray, n: np.ndarray, m: float) -> np.ndarray:
    return np.asarray(x / (x + 0.5 + 1.5 * n / m))


#: Weights of counts x (nnz,) in documents of lengths n (nnz,) with mean length m, by name.
COUNTS: Mapping[str, Callable[[np.ndarray, np.ndarray, float], np.ndarray]] = {
    "x": _raw_count,
    "1 + log x": _log_count,
    "sqrt x": _root_count,
    "1": _binary_count,
    "x / (x + .5 + 1.5 n / m)": _okapi_count,
}


def _log_inverse_frequency(d: np.ndarray, o: np.ndarray, n_documents: int) -> np.ndarray:
    return np.log(n_documents / d)


def _log_inverse_occurrences(d: np.ndarray, o: np.ndarray, n_documents: int) -> np.ndarray:
    return np.maximum(np.log(n_documents / o), 0.0)


def _root_inverse_frequency(d: np.ndarray, o: np.ndarray, n_documents: int) -> np.ndarray:
    return np.sqrt(n_documents / d)


def _inverse_frequency(d: np.ndarray, o: np.ndarray, n_documents: int) -> np.ndarray:
    return np.asarray(n_documents / d)


def _probabilistic_inverse_frequency(d: np.ndarray, o: np.ndarray, n_documents: int) -> np.ndarray:
    odds = (n_documents - d + 0.5) / (d + 0.5)
    return np.maximum(np.log(odds), 0.0)


def _unit_weight(d: np.ndarray, o: np.ndarray, n_documents: int) -> np.ndarray:
    return np.ones(len(d))


#: Weights of words with document frequency d and o occurrences (V,), both positive, in D documents, by name.
WORDS: Mapping[str, Callable[[np.ndarray, np.ndarray, int], np.ndarray]] = {
    "log D / d": _log_inverse_frequency,
    "log D / o": _log_inverse_occurrences,
    "sqrt D / d": _root_inverse_frequency,
    "D / d": _inverse_frequency,
    "log (D - d + .5) / (d + .5)": _probabilistic_inverse_frequency,
    "1": _unit_weight,
}
VOTES = {"nearest": ("uniform", "nearest"), "similarity": ("similarity", "nearest")}


def tfidf_forms(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the accuracy of k-NN with each variant of TF-IDF, and with the Bhattacharyya kernel.

    Vectors are L2-normalised. Votes are unweighted, with ties broken by the nearest neighbour, or weighted by
    similarity.

    Settings: ``neighbours``, k; ``trials``, number of splits; ``forms``, triples of a name in `COUNTS`, a name in
    `WORDS` and the documents for document frequencies, ``training`` or ``all``.
    Result: the table ``forms`` (mean accuracy and standard deviation over the splits for each variant and vote) and,
    for each vote, the best accuracies of TF-IDF with raw counts x, of any TF-IDF, and of the Bhattacharyya kernel.
    """
    accuracies_of: dict[tuple[str, str, str, str], list[float]] = {}
    k = settings["neighbours"]
    for trial in only(sources).trials(most=settings["trials"]):
        weighted = _weigh_forms(trial, settings["forms"])
        for form, (representation, train, test) in weighted.items():
            for vote, accuracy in _accuracies(representation, train, test, k).items():
                accuracies_of.setdefault((*form, vote), []).append(accuracy)
    rows: Rows = []
    for (count, word, documents, vote), accuracies in accuracies_of.items():
        mean, deviation = mean_and_deviation(accuracies)
        row = {
            "count": count,
            "word": word,
            "documents": documents,
            "vote": vote,
            "accuracy": mean,
            "spread": deviation,
            "splits": len(accuracies),
        }
        rows.append(row)
    values: Values = {}
    for vote in VOTES:
        rows_of_vote = [row for row in rows if row["vote"] == vote]
        rows_of_kernel = [row for row in rows_of_vote if row["count"] == "bhattacharyya"]
        rows_of_tfidf = [row for row in rows_of_vote if row["count"] != "bhattacharyya"]
        rows_of_raw_counts = [row for row in rows_of_tfidf if row["count"] == "x"]
        values[f"bhattacharyya_{vote}"] = _best(rows_of_kernel)
        values[f"whole_counts_{vote}"] = _best(rows_of_raw_counts)
        values[f"any_form_{vote}"] = _best(rows_of_tfidf)
    return Measure(values, {"forms": rows})


def _weigh_forms(
    trial: Trial, forms: Iterable[tuple[str, str, str]]
) -> dict[tuple[str, str, str], tuple[str, Documents, Documents]]:
    """Yield representation and weighted training and test documents, for each TF-IDF and the Bhattacharyya kernel."""
    train, test = trial.train, trial.test
    X_all = sparse.vstack([train.X, test.X], format="csr")
    weighted: dict[tuple[str, str, str], tuple[str, Documents, Documents]] = {}
    for count, word, documents in forms:
        X = X_all if documents == "all" else train.X
        weigh = _make_weighting(count, word, X)
        weighted_train = Documents(weigh(train.X), train.y)
        weighted_test = Documents(weigh(test.X), test.y)
        weighted[count, word, documents] = ("l2", weighted_train, weighted_test)
    weighted["bhattacharyya", "", ""] = ("bhattacharyya", train, test)
    return weighted


def _best(rows: Iterable[Mapping[str, Any]]) -> float:
    """Return the largest accuracy of the rows, or nan if they are empty."""
    accuracies = [row["accuracy"] for row in rows]
    return max(accuracies, default=float("nan"))


def _make_weighting(count: str, word: str, X: sparse.csr_array) -> Callable[[sparse.csr_array], sparse.csr_array]:
    """Return a function that weights counts (n, V), with document frequencies and mean length of X."""
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    occurrences = np.bincount(X.indices, X.data, minlength=X.shape[1])
    weigh_words = WORDS[word]
    weight = weigh_words(np.maximum(frequency, 1), np.maximum(occurrences, 1), X.shape[0])
    weight = weight * (frequency > 0)
    mean = float(X.sum() / X.shape[0])

    def weigh(part: sparse.csr_array) -> sparse.csr_array:
        """Weight the counts of documents."""
        length_of_row = np.asarray(part.sum(axis=1), dtype=np.float64).ravel()
        lengths = np.repeat(length_of_row, np.diff(part.indptr))
        weight_of_count = COUNTS[count](part.data.astype(np.float64), lengths, mean)
        values = weight_of_count * weight[part.indices]
        return sparse.csr_array((values, part.indices, part.indptr), shape=part.shape)

    return weigh


def _accuracies(representation: str, train: Documents, test: Documents, k: int) -> dict[str, float]:
    """Compute the accuracy with each type of vote, from a single search."""
    searched = train.fitted(KNNClassifier(representation=representation))
    similarity, index = searched.kneighbors(test.X, k)
    accuracies = {}
    for vote, (weights, ties) in VOTES.items():
        model = KNNClassifier(representation=representation, weights=weights, ties=ties)  # type: ignore[arg-type]
        predicted = train.fitted(model).elect(similarity, index)[:, -1]
        accuracies[vote] = float(np.mean(predicted == test.y))
    return accuracies


def approximate_digamma(z: np.ndarray) -> np.ndarray:
    """Compute Minka's approximation of Psi(z) (section 5): log(z - 1/2) for z >= 0.6, otherwise -1/z + Psi(1)."""
    is_small = z < 0.6
    for_small = -1.0 / np.where(is_small, z, 1.0) - np.euler_gamma
    for_large = np.log(np.where(is_small, 1.0, z) - 0.5)
    return np.where(is_small, for_small, for_large)


def fisher_tfidf(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare the Fisher-DCM score of a word in a document with its TF-IDF weight, and with its approximation.

    Scores exclude the constant that is common to all words of a document.

    Settings: ``cells``, number of nonzero counts drawn; ``frequencies`` and ``counts``, the document frequencies and
    counts of the curves.
    Result: the table ``weights`` has both weights for each document frequency and count. The values are correlations of
    both weights, and relative errors of `approximate_digamma`, over the drawn counts.
    """
    from scipy import stats  # slow import that no other measure requires

    train = only(sources).first().train
    fisher = FisherDCM().fit(train.X)
    tfidf = TfIdf().fit(train.X)
    exact = fisher.transform(train.X).sparse.data
    shuffled = generator.permutation(len(exact))
    cells = np.sort(shuffled[: settings["cells"]])
    x = train.X.data[cells].astype(np.float64)
    words = train.X.indices[cells]
    beta = fisher.beta[words]
    weight_tfidf = x * tfidf.weight[words]
    score = exact[cells]
    is_single = x == 1
    log_tfidf = np.log(np.maximum(weight_tfidf, 1e-12))
    approximate = approximate_digamma(x + beta) - approximate_digamma(beta)
    error = np.abs(approximate / score - 1.0)
    rank_correlation = stats.spearmanr(score, weight_tfidf)
    rank_correlation_once = stats.spearmanr(score[is_single], weight_tfidf[is_single])
    correlations = np.corrcoef(np.log(score), log_tfidf)
    values: Values = {
        "rank_correlation": float(rank_correlation.statistic),
        "rank_correlation_seen_once": float(rank_correlation_once.statistic),
        "correlation_of_logarithms": float(correlations[0, 1]),
        "approximation_mean_error": float(error.mean()),
        "approximation_largest_error": float(error.max()),
    }
    frequency = np.bincount(train.X.indices, minlength=train.X.shape[1])
    rows: Rows = []
    for df in settings["frequencies"]:
        b = df * fisher.beta.sum() / frequency.sum()
        idf = float(np.log(len(train.y) / df))
        for count in settings["counts"]:
            weight = float(digamma(count + b) - digamma(b))
            rows.append({"frequency": df, "count": count, "fisher": weight, "tfidf": count * idf})
    return Measure(values, {"weights": rows})
