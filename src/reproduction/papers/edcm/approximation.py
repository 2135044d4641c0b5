"""How well the EDCM approximates the DCM on the training documents (sections 3 and 4).

Correlations and deviations are computed from log probabilities, because probabilities underflow. Equations (1) and (2)
include the multinomial coefficient n! / prod x_w!, which does not depend on the parameters. All statistics are computed
without it (convention "sequence") and with it ("bag").
"""

from __future__ import annotations

import itertools
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from scipy.special import gammaln

from reproduction.flow.measures import Measure, Rows, Settings, Sources, Values, only
from textmix.experiment.trial import Documents
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier


def sample(documents: Documents, per_class: int, generator: Generator) -> Documents:
    """Draw ``per_class`` nonempty documents from each class, or all of them if there are fewer."""
    is_nonempty = documents.lengths > 0
    drawn = []
    for c in np.unique(documents.y):
        rows = np.flatnonzero((documents.y == c) & is_nonempty)
        drawn.append(generator.permutation(rows)[:per_class])
    rows_of_sample = np.sort(np.concatenate(drawn))
    return documents[rows_of_sample]


def log_dcm(documents: Documents, alpha: np.ndarray, convention: Literal["bag", "sequence"] = "sequence") -> np.ndarray:
    """Compute log p of each document under the DCM of its class, equation (1).

    Parameters
    ----------
    documents : Documents
    alpha : ndarray of shape (n_classes, n_words)
        Positive for each word of a document of the class.
    convention : {"sequence", "bag"}, default="sequence"
        "bag" includes the coefficient n! / prod x_w!.

    Returns
    -------
    ndarray of shape (n_documents,)
        Log probabilities in nats.
    """
    a = cells_of(documents, alpha)
    x = documents.X.data.astype(np.float64)
    terms = gammaln(x + a) - gammaln(a)
    if convention == "bag":
        terms -= gammaln(x + 1)
    return sum_of(documents, terms) + _length_term(documents, alpha, convention)


def log_edcm(documents: Documents, beta: np.ndarray, convention: Literal["bag", "sequence"] = "sequence") -> np.ndarray:
    """Compute log q of each document under the EDCM of its class, equation (2); see `log_dcm`."""
    b = cells_of(documents, beta)
    x = documents.X.data.astype(np.float64)
    count_terms = -np.log(x) if convention == "bag" else gammaln(x)
    terms = np.log(b) + count_terms
    return sum_of(documents, terms) + _length_term(documents, beta, convention)


def cells_of(documents: Documents, parameters: np.ndarray) -> np.ndarray:
    """Return the parameter of the word in the class of the document for each stored count, float64 (nnz,)."""
    class_of_element = np.repeat(documents.y, np.diff(documents.X.indptr))
    return parameters[class_of_element, documents.X.indices]


def sum_of(documents: Documents, terms: np.ndarray) -> np.ndarray:
    """Sum the terms (nnz,) of each document, float64 (N,)."""
    n_documents = len(documents.y)
    rows = np.repeat(np.arange(n_documents), np.diff(documents.X.indptr))
    return np.bincount(rows, terms, minlength=n_documents)


def _length_term(documents: Documents, parameters: np.ndarray, convention: str) -> np.ndarray:
    """Compute log Gamma(s) - log Gamma(s + n) of each document, plus log n! for a bag of words, float64 (N,)."""
    n = documents.lengths
    s = parameters.sum(axis=1)[documents.y]
    log_coefficient = gammaln(n + 1) if convention == "bag" else 0
    return gammaln(s) - gammaln(s + n) + log_coefficient


def _fit(train: Documents) -> tuple[np.ndarray, np.ndarray]:
    """Compute the maximum-likelihood alpha and beta of each class, (C, V) each, 0 for words without occurrences."""
    alpha = train.fitted(DCMClassifier(smoothing=0.0)).alpha_
    beta = train.fitted(EDCMClassifier(smoothing=0.0)).beta_
    return alpha, beta


def dcm_parameters(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the size of the DCM parameters of a newsgroup (section 3), as medians over the newsgroups.

    Values refer to the maximum of the likelihood.

    Settings: ``steps``, an increasing list of numbers of steps.
    Result: the tables ``steps`` (statistics of `_sizes` after 0 and each number of steps of Minka's fixed point,
    starting from the EDCM's parameters, and at the maximum), ``concentrations`` (s of each class under both models) and
    ``groups`` (statistics of each class). Values that end in ``_lowest`` and ``_highest`` are ranges over the classes.
    """
    source = only(sources)
    train = source.first().train
    beta = train.fitted(EDCMClassifier(smoothing=0.0)).beta_
    n_parameters = len(np.unique(train.X.indices))
    rows: Rows = [{"steps": 0, **_sizes(beta, beta, n_parameters)}]
    for steps in settings["steps"]:
        model = DCMClassifier(method="fixed_point", smoothing=0.0, max_iter=steps, tol=0.0)
        alpha_after_steps = train.fitted(model).alpha_
        rows.append({"steps": steps, **_sizes(alpha_after_steps, beta, n_parameters)})
    alpha = train.fitted(DCMClassifier(smoothing=0.0)).alpha_
    sizes = _sizes(alpha, beta, n_parameters)
    rows.append({"steps": "converged", **sizes})
    values: Values = {**sizes, "parameters": n_parameters}
    n_words = np.count_nonzero(alpha, axis=1)
    values["words_of_a_class"] = float(np.median(n_words))
    concentrations = [{"s_dcm": float(a.sum()), "s_edcm": float(b.sum())} for a, b in zip(alpha, beta, strict=True)]
    values["correlation_s"] = _correlation(alpha.sum(axis=1), beta.sum(axis=1))
    groups = []
    for row, c in enumerate(np.unique(train.y)):
        sizes_of_class = _sizes(alpha[[row]], beta[[row]], n_parameters)
        groups.append({"group": source.corpus.label_names[c], **sizes_of_class})
    tables = {"steps": rows, "concentrations": concentrations, "groups": groups}
    return Measure(values | _ranges(groups), tables)


def _ranges(groups: Rows) -> Values:
    """Return the lowest and highest value of each column in a table of classes, by ``<column>_lowest`` and so on."""
    columns = [name for name in groups[0] if name != "group"]
    lowest = {f"{name}_lowest": min(row[name] for row in groups) for name in columns}
    highest = {f"{name}_highest": max(row[name] for row in groups) for name in columns}
    return {**lowest, **highest}


def _sizes(alpha: np.ndarray, beta: np.ndarray, n_parameters: int) -> dict[str, float]:
    """Compute the statistics of section 3, as medians over the classes."""
    s = np.median(alpha.sum(axis=1))
    n_large = np.median(np.sum(alpha >= 0.1, axis=1))
    n_above_half = np.median(np.sum(alpha > 0.5, axis=1))
    n_above_one = np.median(np.sum(alpha > 1.0, axis=1))
    return {
        "mean_alpha": float(s / n_parameters),
        "share_below_0.1": float(1.0 - n_large / n_parameters),
        "above_0.5": float(n_above_half),
        "above_1.0": float(n_above_one),
        "correlation_alpha_beta": correlation_of_parameters(alpha, beta),
    }


def correlation_of_parameters(alpha: np.ndarray, beta: np.ndarray) -> float:
    """Compute the correlation of alpha and beta, (C, V) each, over all pairs of a class and one of its words."""
    occurs = beta > 0
    return _correlation(alpha[occurs], beta[occurs])


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Compute Pearson's correlation coefficient of two samples."""
    matrix = np.corrcoef(first, second)
    return float(matrix[0, 1])


def approximation(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare log probabilities of training documents under DCM and EDCM (sections 3 and 4).

    ``correlation_..`` is the correlation of log p and log q, ``deviation_..`` the mean of |log q - log p| / |log p|,
    ``signed_deviation_..`` the absolute value of the mean of (log q - log p) / |log p|, and ``deviation_per_word_..``
    the mean of |log q - log p| per word. Keys have ``same_parameters`` for q with the DCM's parameters and
    ``own_parameters`` for q with its own. They end in ``_bag`` if the multinomial coefficient is included.

    Settings: ``per_class``, number of documents drawn from each class; ``n_shown``, number of parameters in the figure.
    Result: the tables ``documents`` (length, log p and log q in nats of each drawn document), ``by_length`` (see
    `_by_length`) and ``parameters`` (see `_parameter_sample`).
    """
    train = only(sources).first().train
    alpha, beta = _fit(train)
    drawn = sample(train, settings["per_class"], generator)
    values: Values = {"documents": len(drawn), "correlation_alpha_beta": correlation_of_parameters(alpha, beta)}
    convention: Literal["bag", "sequence"]
    for convention, suffix in (("sequence", ""), ("bag", "_bag")):
        p = log_dcm(drawn, alpha, convention)
        for name, parameters in (("same_parameters", alpha), ("own_parameters", beta)):
            q = log_edcm(drawn, parameters, convention)
            key = f"{name}{suffix}"
            difference = np.abs(q - p)
            values[f"correlation_{key}"] = _correlation(p, q)
            values[f"deviation_{key}"] = float(np.mean(difference / np.abs(p)))
            signed_deviation = np.mean((q - p) / np.abs(p))
            values[f"signed_deviation_{key}"] = float(abs(signed_deviation))
            values[f"deviation_per_word_{key}"] = float(np.mean(difference / drawn.lengths))
    log_p = log_dcm(drawn, alpha)
    log_q_same = log_edcm(drawn, alpha)
    log_q_own = log_edcm(drawn, beta)
    documents = []
    for n, p, same, own in zip(drawn.lengths, log_p, log_q_same, log_q_own, strict=True):
        row = {"length": n, "log_p": p, "log_q_same": same, "log_q_own": own}
        documents.append(row)
    tables = {
        "documents": documents,
        "by_length": _by_length(drawn.lengths, log_p, log_q_same, log_q_own),
        "parameters": _parameter_sample(alpha, beta, settings["n_shown"], generator),
    }
    return Measure(values, tables)


def _by_length(lengths: np.ndarray, p: np.ndarray, same: np.ndarray, refitted: np.ndarray) -> Rows:
    """Compute correlation with and mean relative deviation from log p for each quartile of the document lengths."""
    rows: Rows = []
    edges = np.quantile(lengths, [0, 0.25, 0.5, 0.75, 1])
    for quarter, (low, high) in enumerate(itertools.pairwise(edges)):
        is_above = lengths > low if quarter else lengths >= low
        is_inside = is_above & (lengths <= high)
        row: dict[str, Any] = {"from": low, "to": high, "documents": int(is_inside.sum())}
        for name, q in (("same", same), ("own", refitted)):
            deviations = np.abs((q - p) / p)
            row[f"correlation_{name}"] = _correlation(p[is_inside], q[is_inside])
            row[f"deviation_{name}"] = float(np.mean(deviations[is_inside]))
        rows.append(row)
    return rows


def _parameter_sample(alpha: np.ndarray, beta: np.ndarray, n_pairs: int, generator: Generator) -> Rows:
    """Return alpha and beta of ``n_pairs`` pairs of class and word: half with the largest alpha, half at random."""
    occurs = np.flatnonzero(beta.ravel() > 0)
    a = alpha.ravel()[occurs]
    b = beta.ravel()[occurs]
    half = n_pairs // 2
    order = np.argsort(-a, kind="stable")
    random_pairs = generator.permutation(order[half:])[:half]
    pairs = np.concatenate([order[:half], random_pairs])
    return [{"alpha": float(a[i]), "beta": float(b[i])} for i in pairs]


def gamma_ratio(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the error of Gamma(x + alpha) / Gamma(alpha) ~ Gamma(x) alpha on the counts of a class (section 3).

    The relative error is averaged over the nonzero counts of each class. ``mean_relative_error`` is the median of these
    means over the classes, with their standard deviation, and ``counts`` the median number of counts.

    Settings: ``documents``, number of documents of each class, the first ones; ``alphas`` and ``counts`` of the table
    ``growth``.
    Result: the tables ``by_count`` (mean error at each of ``counts`` in the documents), ``growth`` (error at each pair
    of ``alphas`` and ``counts``) and ``groups`` (number of counts and mean error of each class). Values that end
    in ``_lowest`` and ``_highest`` are ranges over the classes.
    """
    source = only(sources)
    train = source.first().train
    alpha, _beta = _fit(train)
    groups: Rows = []
    by_count: dict[int, list[float]] = {}
    for c in np.unique(train.y):
        first_rows = np.flatnonzero(train.y == c)[: settings["documents"]]
        documents = train[first_rows]
        errors = relative_error(documents.X.data, cells_of(documents, alpha))
        name = source.corpus.label_names[c]
        mean_error = float(errors.mean())
        groups.append({"group": name, "counts": len(errors), "mean_relative_error": mean_error})
        for x in settings["counts"]:
            has_count = documents.X.data == x
            by_count.setdefault(x, []).extend(errors[has_count])
    mean_errors = [group["mean_relative_error"] for group in groups]
    n_counts = [group["counts"] for group in groups]
    values: Values = {
        "counts": float(np.median(n_counts)),
        "mean_relative_error": (float(np.median(mean_errors)), float(np.std(mean_errors, ddof=1))),
        **_ranges(groups),
    }
    rows_by_count = []
    for x, errors_of_count in by_count.items():
        if errors_of_count:
            mean_error = float(np.mean(errors_of_count))
            rows_by_count.append({"count": x, "mean_error": mean_error, "counts": len(errors_of_count)})
    growth = []
    for a, x in itertools.product(settings["alphas"], settings["counts"]):
        error = relative_error(np.array([x]), np.array([a]))
        growth.append({"alpha": a, "count": x, "error": float(error[0])})
    return Measure(values, {"by_count": rows_by_count, "growth": growth, "groups": groups})


def relative_error(x: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Compute |Gamma(x) alpha Gamma(alpha) / Gamma(x + alpha) - 1|, float64 (n,).

    For small alpha it is approximately alpha H_(x-1), where H is the harmonic number.
    """
    log_ratio = gammaln(x) + np.log(alpha) + gammaln(alpha) - gammaln(x + alpha)
    return np.abs(np.expm1(log_ratio))


def one_newsgroup(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Find the newsgroup that agrees with most of the published values for an unspecified newsgroup.

    A value agrees if it is within the relative ``margin`` of the published one, or rounds to its digits.

    Settings: see `dcm_parameters` and `gamma_ratio`; ``published``, published value and half a unit of its last digit,
    by column of their tables ``groups``; ``margin``.
    Result: ``groups_with_all``, the number of newsgroups that agree with all values; ``most_numbers``, the number of
    values that the best newsgroup agrees with; and the table ``groups`` (values of each newsgroup, and how many agree).
    """
    tables = [measure(sources, settings, _).tables["groups"] for measure in (dcm_parameters, gamma_ratio)]
    groups: list[dict[str, Any]] = [{**first, **second} for first, second in zip(*tables, strict=True)]
    published = settings["published"]
    margin = settings["margin"]
    for row in groups:
        row["fitting"] = 0
        for name, (value, half_unit) in published.items():
            row["fitting"] += _agrees(row[name], value, half_unit, margin)
    n_agreeing = [row["fitting"] for row in groups]
    n_groups_with_all = sum(number == len(published) for number in n_agreeing)
    values = {"groups_with_all": float(n_groups_with_all), "most_numbers": float(max(n_agreeing))}
    return Measure(values, {"groups": groups})


def _agrees(value: float, published: float, half_unit: float, margin: float) -> bool:
    """Check whether a value is within a relative margin of a published one, or rounds to its digits."""
    tolerance = max(half_unit, margin * abs(published))
    return abs(value - published) <= tolerance * (1 + 1e-9)
