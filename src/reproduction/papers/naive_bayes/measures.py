"""Measures of Zhai's lecture: limits of the smoothed estimates, their IDF-like effect, and the linear form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse

from reproduction.flow.measures import Measure, Settings, Sources, only, seed_from
from textmix.experiment.trial import Documents
from textmix.models.naive_bayes.mixture import MultinomialMixture
from textmix.models.naive_bayes.multinomial import DirichletSmoothedClassifier


def _background_model(X: sparse.csr_array) -> np.ndarray:
    """Compute p(w|theta_B), the relative frequency of each word in the training counts X (N, V), float64 (V,)."""
    counts = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
    return counts / counts.sum()


def limits(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the distance of priors and word probabilities from their limits 1/k and p(w|theta_B).

    Settings: ``delta`` and ``mu``, increasing lists. The values are those at the last element of each list.
    Result: the table ``limits`` has the largest absolute distance for each delta (priors) and mu (words).
    """
    train = only(sources).first().train
    background = _background_model(train.X)
    rows: list[dict[str, Any]] = []
    final_distance: dict[str, float] = {}
    for parameter in ("delta", "mu"):
        for value in settings[parameter]:
            params = {parameter: value}
            model = train.fitted(DirichletSmoothedClassifier(**params))
            if parameter == "delta":
                difference = np.exp(model.class_log_prior_) - 1.0 / len(model.classes_)
            else:
                difference = np.exp(model.feature_log_prob_) - background
            distance = float(np.max(np.abs(difference)))
            rows.append({"parameter": parameter, "value": float(value), "distance": distance})
            final_distance[parameter] = distance
    values = {
        "prior_max_abs_difference": final_distance["delta"],
        "word_max_abs_difference": final_distance["mu"],
    }
    return Measure(values, {"limits": rows})


def idf_effect(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure how smoothing with the background model reduces the weight of words that are frequent in it.

    The weight of a word is its mean absolute deviation over the classes, |log p(w|c) - mean log p(w|.)|, which equals
    |beta_w| / 2 for two classes. Words are grouped by their rank in the background model.

    Settings: ``mu``, an increasing list; ``quantiles``, the number of groups with equal numbers of words.
    Result: the table ``weights`` has the mean weight (nats) of each group for each mu. The values are the mean weight
    of the group of the most frequent words, and its ratio to the mean weight of the group of the rarest words.
    """
    train = only(sources).first().train
    background = _background_model(train.X)
    vocabulary = np.flatnonzero(background)
    order = np.argsort(background[vocabulary], kind="stable")
    groups = np.array_split(order, settings["quantiles"])
    rows: list[dict[str, Any]] = []
    values: dict[str, float] = {}
    for mu in settings["mu"]:
        model = train.fitted(DirichletSmoothedClassifier(mu=mu))
        log_prob = model.feature_log_prob_[:, vocabulary]
        weight = np.mean(np.abs(log_prob - log_prob.mean(axis=0)), axis=0)
        mean_weights = [float(weight[group].mean()) for group in groups]
        for number, mean_weight in enumerate(mean_weights, start=1):
            quantile = number / len(groups)
            rows.append({"mu": float(mu), "background_quantile": quantile, "mean_abs_weight": mean_weight})
        rarest = mean_weights[0]
        most_frequent = mean_weights[-1]
        values[f"frequent_weight_mu_{int(mu)}"] = most_frequent
        values[f"frequent_over_rare_mu_{int(mu)}"] = most_frequent / rarest
    return Measure(values, {"weights": rows})


def weight_form(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Compare the linear form beta_0 + sum_w c(w) beta_w with the log-odds of each class against the last one.

    c(w) is the count of a word in a test document. Joint log probabilities of long documents are of the order of 1e4,
    with a rounding error of 1e-11. Therefore ``max_abs_difference`` is relative to the largest joint log probability
    of the document, or to one. ``argmax_agreement`` is the proportion of test documents for which the predicted class
    has the largest posterior. Out-of-vocabulary words are dropped, because their probability is zero in every class.

    Settings: ``mu``.
    """
    trial = only(sources).first()
    vocabulary = np.flatnonzero(_background_model(trial.train.X))
    model = trial.train.columns(vocabulary).fitted(DirichletSmoothedClassifier(mu=settings["mu"]))
    X_test = trial.test.columns(vocabulary).X
    coef, intercept = model.linear_form()
    joint = model.predict_joint_log_proba(X_test)
    log_odds = joint[:, :-1] - joint[:, -1:]
    linear = np.asarray(X_test @ coef.T) + intercept
    magnitude = np.abs(joint).max(axis=1, keepdims=True)
    difference = np.abs(linear - log_odds) / np.maximum(1.0, magnitude)
    posterior = model.predict_proba(X_test)
    most_probable = model.classes_[np.argmax(posterior, axis=1)]
    agreement = np.mean(most_probable == model.predict(X_test))
    return Measure({"max_abs_difference": float(difference.max()), "argmax_agreement": float(agreement)})


def normalisation(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure how far the sums of the priors and of each class's word probabilities are from one.

    Settings: ``delta`` and ``mu``, lists; all combinations are fitted.
    """
    train = only(sources).first().train
    max_error = 0.0
    for delta in settings["delta"]:
        for mu in settings["mu"]:
            model = train.fitted(DirichletSmoothedClassifier(delta=delta, mu=mu))
            sums_of_words = np.exp(model.feature_log_prob_).sum(axis=1)
            sum_of_priors = np.exp(model.class_log_prior_).sum()
            sums = np.append(sums_of_words, sum_of_priors)
            error = float(np.max(np.abs(sums - 1.0)))
            max_error = max(max_error, error)
    return Measure({"max_abs_error": max_error})


def smoothing_reasons(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure two other benefits of smoothing: for sparse data, and as prior knowledge.

    Three models are trained on nested subsets of the training documents: almost without smoothing, with the uniform
    background model, and with the background model of the collection, which represents prior knowledge.

    Settings: ``proportions`` of the training documents, increasing; ``mu``; ``min_mu``, the mu of the model that is
    almost unsmoothed.
    Result: the table ``accuracy`` has the accuracy of each model on each subset. ``impossible_share_<percent>``
    is the proportion of test documents with a word that no training document of their class contains; they have
    probability 0 without smoothing. ``gain_<percent>`` is the accuracy with the uniform background model minus that
    almost without smoothing.
    """
    trial = only(sources).first()
    order = generator.permutation(len(trial.train))
    models = {
        "none": {"mu": settings["min_mu"], "background": "uniform"},
        "uniform": {"mu": settings["mu"], "background": "uniform"},
        "collection": {"mu": settings["mu"], "background": "training"},
    }
    rows: list[dict[str, Any]] = []
    values: dict[str, float] = {}
    for proportion in settings["proportions"]:
        n_documents = max(1, round(proportion * len(order)))
        subset = trial.train[order[:n_documents]]
        percent = f"{100 * proportion:g}"
        for name, params in models.items():
            model = subset.fitted(DirichletSmoothedClassifier(**params))
            accuracy = trial.test.accuracy(model)
            rows.append({"documents": len(subset), "background": name, "accuracy": accuracy})
            values[f"accuracy_{name}_{percent}"] = accuracy
        gain = values[f"accuracy_uniform_{percent}"] - values[f"accuracy_none_{percent}"]
        values[f"gain_{percent}"] = gain
        values[f"impossible_share_{percent}"] = _impossible_proportion(subset, trial.test)
    return Measure(values, {"accuracy": rows})


def _impossible_proportion(train: Documents, test: Documents) -> float:
    """Compute the proportion of test documents with a word that no training document of their class contains."""
    n_train = len(train)
    n_classes = int(max(train.y.max(), test.y.max())) + 1
    ones = np.ones(n_train)
    membership = sparse.csr_array((ones, (train.y, np.arange(n_train))), shape=(n_classes, n_train))
    occurs_in_class = membership @ (train.X > 0) > 0
    n_possible_words = (test.X > 0).multiply(occurs_in_class[test.y]).sum(axis=1)
    n_words = np.diff(test.X.indptr)
    return float(np.mean(np.asarray(n_possible_words).ravel() < n_words))


def clustering(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Cluster documents with a mixture of multinomials, without using their classes.

    Each document is assigned to the component i that maximises p(theta_i) p(d | theta_i).

    Settings: ``documents``, the number of documents; ``clusters``, an increasing list of k; ``smoothing`` and
    ``max_iter`` of the mixture; ``min_df`` and ``max_df``, limits of the document frequency of a word, a number and a
    proportion.
    Result: the table ``clusters`` has the purity for each k, and the purity of random clusters of the same sizes.
    Purity is the proportion of documents in the most frequent class of their cluster.
    """
    train = only(sources).first().train
    shuffled = generator.permutation(len(train))
    rows_of_sample = np.sort(shuffled[: settings["documents"]])
    sample = train[rows_of_sample]
    frequency = np.bincount(sample.X.indices, minlength=sample.X.shape[1])
    max_frequency = settings["max_df"] * len(sample.y)
    is_kept = (frequency >= settings["min_df"]) & (frequency <= max_frequency)
    X = sample.X[:, is_kept]
    rows: list[dict[str, Any]] = []
    for k in settings["clusters"]:
        mixture = MultinomialMixture(
            n_components=k,
            smoothing=settings["smoothing"],
            max_iter=settings["max_iter"],
            random_state=seed_from(generator),
        )
        mixture.fit(X)
        with np.errstate(divide="ignore"):
            log_joint = np.asarray(X @ mixture.log_prob_.T) + np.log(mixture.weights_)
        cluster = np.argmax(log_joint, axis=1)
        chance = purity(generator.permutation(cluster), sample.y)
        rows.append({"clusters": k, "purity": purity(cluster, sample.y), "purity_at_random": chance})
    values: dict[str, float] = {}
    for row in rows:
        values[f"purity_{row['clusters']}"] = row["purity"]
    for row in rows:
        values[f"purity_over_random_{row['clusters']}"] = row["purity"] / row["purity_at_random"]
    return Measure(values, {"clusters": rows})


def purity(cluster: np.ndarray, y: np.ndarray) -> float:
    """Compute the proportion of documents in the most frequent class of their cluster.

    Parameters
    ----------
    cluster, y : ndarray of shape (n_documents,)
        Indices of clusters and classes.

    Returns
    -------
    float
    """
    table = np.zeros((cluster.max() + 1, y.max() + 1))
    np.add.at(table, (cluster, y), 1.0)
    return float(table.max(axis=1).sum() / len(y))
