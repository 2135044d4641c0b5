"""Zhai's lecture: the limits of its two smoothed estimates, its IDF-like effect and its linear form, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse

from reproduction.flow.measures import Measure, Settings, Sources, only, seed_from
from textmix.experiment.trial import Documents
from textmix.models.naive_bayes.mixture import MultinomialMixture
from textmix.models.naive_bayes.multinomial import DirichletSmoothedClassifier


def _background(X: sparse.csr_array) -> np.ndarray:
    """Return p(w|theta_B), the share of each word in all training text X (N, V), float64 (V,)."""
    counts = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
    return counts / counts.sum()


def limits(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure how far priors and word probabilities are from their limits 1/k and p(w|theta_B).

    Settings: ``delta`` and ``mu``, increasing lists; the values are taken at the last of each.
    Result: the table ``limits`` has the largest absolute distance at each delta (priors) and mu (words).
    """
    train = only(sources).first().train
    background = _background(train.X)
    rows, last = [], {}
    for parameter in ("delta", "mu"):
        for value in settings[parameter]:
            model = train.fitted(DirichletSmoothedClassifier(**{parameter: value}))
            estimate = np.exp(model.class_log_prior_ if parameter == "delta" else model.feature_log_prob_)
            target = 1.0 / len(model.classes_) if parameter == "delta" else background
            last[parameter] = float(np.max(np.abs(estimate - target)))
            rows.append({"parameter": parameter, "value": float(value), "distance": last[parameter]})
    values = {"prior_max_abs_difference": last["delta"], "word_max_abs_difference": last["mu"]}
    return Measure(values, {"limits": rows})


def idf_effect(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure how smoothing by the background reduces the weight of the words that are frequent in it.

    The weight of a word is its mean absolute deviation over the classes, |log p(w|c) - mean log p(w|.)|, which for two
    classes is half of |beta_w|.  Words are grouped by their rank in the background.

    Settings: ``mu``, an increasing list, and ``quantiles``, the number of groups of equal numbers of words.
    Result: the table ``weights`` has the mean weight (nats) of each group at each mu; its values are the mean weights
    of the group of the most frequent words, and these over the weights of the group of the rarest words.
    """
    train = only(sources).first().train
    background = _background(train.X)
    seen = np.flatnonzero(background)
    groups = np.array_split(np.argsort(background[seen], kind="stable"), settings["quantiles"])
    rows, values = [], {}
    for mu in settings["mu"]:
        log_prob = train.fitted(DirichletSmoothedClassifier(mu=mu)).feature_log_prob_[:, seen]
        weight = np.mean(np.abs(log_prob - log_prob.mean(axis=0)), axis=0)
        for number, group in enumerate(groups):
            share = (number + 1) / len(groups)
            rows.append({"mu": float(mu), "background_quantile": share, "mean_abs_weight": float(weight[group].mean())})
        frequent, rare = rows[-1]["mean_abs_weight"], rows[-len(groups)]["mean_abs_weight"]
        values[f"frequent_weight_mu_{int(mu)}"] = frequent
        values[f"frequent_over_rare_mu_{int(mu)}"] = frequent / rare
    return Measure(values, {"weights": rows})


def weight_form(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Compare the linear form beta_0 + sum_w c(w) beta_w with the log-odds of each category against the last.

    c(w) is the count of a word in a test document.  Joint log probabilities reach some ten thousands on long documents,
    where their last digit is worth 1e-11; ``max_abs_difference`` is therefore relative to the largest one of the
    document, or to one.  ``argmax_agreement`` is the share of test documents whose predicted category has the largest
    posterior.  Words that no training document holds are left out: their probability is zero under every category.

    Settings: ``mu``.
    """
    trial = only(sources).first()
    seen = np.flatnonzero(_background(trial.train.X))
    model = trial.train.columns(seen).fitted(DirichletSmoothedClassifier(mu=settings["mu"]))
    X_test = trial.test.columns(seen).X
    coef, intercept = model.linear_form()
    joint = model.predict_joint_log_proba(X_test)
    odds = joint[:, :-1] - joint[:, -1:]
    linear = np.asarray(X_test @ coef.T) + intercept
    difference = np.abs(linear - odds) / np.maximum(1.0, np.abs(joint).max(axis=1, keepdims=True))
    likeliest = model.classes_[np.argmax(model.predict_proba(X_test), axis=1)]
    agreement = float(np.mean(likeliest == model.predict(X_test)))
    return Measure({"max_abs_difference": float(difference.max()), "argmax_agreement": agreement})


def normalisation(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure how far the priors and each category's word probabilities are from summing to one.

    Settings: ``delta`` and ``mu``, lists, all pairs of which are fitted.
    """
    train = only(sources).first().train
    error = 0.0
    for delta in settings["delta"]:
        for mu in settings["mu"]:
            model = train.fitted(DirichletSmoothedClassifier(delta=delta, mu=mu))
            sums = np.append(np.exp(model.feature_log_prob_).sum(axis=1), np.exp(model.class_log_prior_).sum())
            error = max(error, float(np.max(np.abs(sums - 1.0))))
    return Measure({"max_abs_error": error})


def smoothing_reasons(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the two reasons to smooth beside the IDF-like weights: sparse data and prior knowledge.

    Parts of the training documents, each inside the next larger one, train three models: almost without smoothing (mu
    ``least``), with the uniform background, and with the background of the collection, which is the prior knowledge.

    Settings: ``shares`` of the training documents, increasing; ``mu``; ``least``, the mu that is almost none.
    Result: the table ``accuracy`` has the accuracy of each model on each part; ``impossible_share_<percent>`` is the
    share of the test documents with a word that their own class lacks in this part, whose probability is 0 without
    smoothing; ``gain_<percent>`` is the accuracy with the uniform background less that almost without smoothing.
    """
    trial = only(sources).first()
    order = generator.permutation(len(trial.train))
    ways = {
        "none": {"mu": settings["least"], "background": "uniform"},
        "uniform": {"mu": settings["mu"], "background": "uniform"},
        "collection": {"mu": settings["mu"], "background": "training"},
    }
    rows: list[dict[str, Any]] = []
    values: dict[str, float] = {}
    for share in settings["shares"]:
        part = trial.train[order[: max(1, round(share * len(order)))]]
        percent = f"{100 * share:g}"
        for name, way in ways.items():
            accuracy = trial.test.accuracy(part.fitted(DirichletSmoothedClassifier(**way)))
            rows.append({"documents": len(part), "background": name, "accuracy": accuracy})
            values[f"accuracy_{name}_{percent}"] = accuracy
        values[f"gain_{percent}"] = values[f"accuracy_uniform_{percent}"] - values[f"accuracy_none_{percent}"]
        values[f"impossible_share_{percent}"] = _impossible_share(part, trial.test)
    return Measure(values, {"accuracy": rows})


def _impossible_share(train: Documents, test: Documents) -> float:
    """Return the share of test documents that have a word which no training document of their class has."""
    classes, n_train = int(max(train.y.max(), test.y.max())) + 1, len(train)
    member = sparse.csr_array((np.ones(n_train), (train.y, np.arange(n_train))), shape=(classes, n_train))
    seen = member @ (train.X > 0)
    possible = np.asarray((test.X > 0).multiply(seen[test.y] > 0).sum(axis=1)).ravel()
    return float(np.mean(possible < np.diff(test.X.indptr)))


def clustering(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Cluster documents without their classes: each goes to the component of a mixture of multinomials that maximises
    p(theta_i) p(d | theta_i).

    Settings: ``documents``, how many; ``clusters``, an increasing list of k; ``smoothing`` and ``max_iter`` of the
    mixture; ``rarest``, the fewest documents of a word that counts, and ``commonest``, its largest share of them.
    Result: the table ``clusters`` has for each k the purity (the share of documents in the most frequent class of their
    cluster) and that of clusters drawn at random, of the same sizes.
    """
    train = only(sources).first().train
    chosen = train[np.sort(generator.permutation(len(train))[: settings["documents"]])]
    X, y = chosen.X, chosen.y
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    X = X[:, (frequency >= settings["rarest"]) & (frequency <= settings["commonest"] * len(y))]
    rows: list[dict[str, Any]] = []
    for k in settings["clusters"]:
        shape = {"n_components": k, "smoothing": settings["smoothing"], "max_iter": settings["max_iter"]}
        model = MultinomialMixture(**shape, random_state=seed_from(generator)).fit(X)
        with np.errstate(divide="ignore"):
            cluster = np.argmax(np.asarray(X @ model.log_prob_.T) + np.log(model.weights_), axis=1)
        chance = purity(generator.permutation(cluster), y)
        rows.append({"clusters": k, "purity": purity(cluster, y), "purity_at_random": chance})
    values = {f"purity_{row['clusters']}": row["purity"] for row in rows}
    values |= {f"purity_over_random_{row['clusters']}": row["purity"] / row["purity_at_random"] for row in rows}
    return Measure(values, {"clusters": rows})


def purity(cluster: np.ndarray, y: np.ndarray) -> float:
    """Return the share of documents in the most frequent class of their cluster; both int (N,), not negative."""
    table = np.zeros((cluster.max() + 1, y.max() + 1))
    np.add.at(table, (cluster, y), 1.0)
    return float(table.max(axis=1).sum() / len(y))
