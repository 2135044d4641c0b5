"""TF-IDF by each form that Rainbow offers, beside the form that the document prints and beside Bhattacharyya.

Rainbow names weights of words after SMART, by the count, the document frequency and the length, and its own methods
after what a document frequency counts (documents or occurrences) and its function (log, root, as it is).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from reproduction.flow.measures import Measure, MeasureData
from reproduction.papers.edcm.documents import Rows, Values, mean_and_deviation, only
from textmix.experiment.trial import Documents
from textmix.models.neighbors.knn import KNNClassifier

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


def tfidf_forms(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Measure the accuracy of k-NN with TF-IDF in each form, and with Bhattacharyya.

    Vectors have length 1.  A vote counts one for each neighbour, a tie going to the nearest, or counts the similarity.

    Parameters
    ----------
    sources : role -> data set, one.
    settings : ``neighbours``, k; ``trials``, how many splits; ``forms``, triples of a name of `COUNTS`, a name of
        `WORDS` and the documents that count document frequencies, ``training`` or ``all``.

    Returns
    -------
    a measure with the table ``forms`` (mean accuracy and deviation over the splits of each form and vote) and, for each
    vote, the best accuracies of TF-IDF with whole counts x, of TF-IDF in any form, and of Bhattacharyya.
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

    def weighed(part: sparse.csr_array) -> sparse.csr_array:
        """Return the weighted counts of some documents."""
        lengths = np.repeat(np.asarray(part.sum(axis=1), dtype=np.float64).ravel(), np.diff(part.indptr))
        values = COUNTS[count](part.data.astype(np.float64), lengths, mean) * weight[part.indices]
        return sparse.csr_array((values, part.indices, part.indptr), shape=part.shape)

    return weighed


def _accuracies(representation: str, train: Documents, test: Documents, k: int) -> dict[str, float]:
    """Return the accuracy by each vote; one search serves all."""
    search = train.fitted(KNNClassifier(representation=representation)).kneighbors(test.X, k)
    accuracies = {}
    for vote, (weights, ties) in VOTES.items():
        voter = train.fitted(KNNClassifier(representation=representation, weights=weights, ties=ties))  # type: ignore[arg-type]
        accuracies[vote] = float(np.mean(voter.elect(*search)[:, -1] == test.y))
    return accuracies
