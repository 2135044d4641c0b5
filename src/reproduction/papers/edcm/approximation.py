"""How well the EDCM approximates the DCM: sections 3 and 4, on the documents that the models are trained on.

Correlations and deviations are of log probabilities, for the probabilities themselves underflow.  Equations (1) and (2)
print both models with the multinomial coefficient n! / prod x_w!, which does not depend on the parameters.  All
statistics are computed without it (convention "sequence") and with it ("bag").
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
    """Draw ``per_class`` documents that have words from each class, or all of them where there are fewer."""
    full = documents.lengths > 0
    groups = [np.flatnonzero((documents.y == c) & full) for c in np.unique(documents.y)]
    drawn = [generator.permutation(rows)[:per_class] for rows in groups]
    return documents[np.sort(np.concatenate(drawn))]


def log_dcm(documents: Documents, alpha: np.ndarray, convention: Literal["bag", "sequence"] = "sequence") -> np.ndarray:
    """Return log p of each document under its class's DCM, equation (1), in nats, float64 (N,).  ``alpha`` (C, V) is
    positive where a word of a document of the class is; "bag" is with n! / prod x_w!, "sequence" without.
    """
    a, x = cells_of(documents, alpha), documents.X.data.astype(np.float64)
    terms = gammaln(x + a) - gammaln(a) - (gammaln(x + 1) if convention == "bag" else 0)
    return sum_of(documents, terms) + _length_term(documents, alpha, convention)


def log_edcm(documents: Documents, beta: np.ndarray, convention: Literal["bag", "sequence"] = "sequence") -> np.ndarray:
    """Return log q of each document under its class's EDCM, equation (2), in nats, float64 (N,); see `log_dcm`."""
    b, x = cells_of(documents, beta), documents.X.data.astype(np.float64)
    terms = np.log(b) + (-np.log(x) if convention == "bag" else gammaln(x))
    return sum_of(documents, terms) + _length_term(documents, beta, convention)


def cells_of(documents: Documents, parameters: np.ndarray) -> np.ndarray:
    """Return for every stored count the parameter of its word in its document's class, float64 (nnz,)."""
    return parameters[np.repeat(documents.y, np.diff(documents.X.indptr)), documents.X.indices]


def sum_of(documents: Documents, terms: np.ndarray) -> np.ndarray:
    """Return the sum of the terms (nnz,) of each document, float64 (N,)."""
    rows = np.repeat(np.arange(len(documents.y)), np.diff(documents.X.indptr))
    return np.bincount(rows, terms, minlength=len(documents.y))


def _length_term(documents: Documents, parameters: np.ndarray, convention: str) -> np.ndarray:
    """Return log Gamma(s) - log Gamma(s + n) of each document, plus log n! for a bag of words, float64 (N,)."""
    n, s = documents.lengths, parameters.sum(axis=1)[documents.y]
    return gammaln(s) - gammaln(s + n) + (gammaln(n + 1) if convention == "bag" else 0)


def _fit(train: Documents) -> tuple[np.ndarray, np.ndarray]:
    """Return the maximum-likelihood alpha and beta of every class, (C, V) each, 0 for words that a class lacks."""
    dcm, edcm = DCMClassifier(smoothing=0.0), EDCMClassifier(smoothing=0.0)
    return train.fitted(dcm).alpha_, train.fitted(edcm).beta_


def dcm_parameters(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the size of the parameters of the DCM of a newsgroup (section 3), medians over the newsgroups.

    Values are at the maximum of the likelihood.

    Settings: ``steps``, an increasing list of numbers of steps.
    Result: the tables ``steps`` (the statistics of `_sizes` after 0 steps and after each number of steps of Minka's
    fixed point from the EDCM's parameters, and at the maximum), ``concentrations`` (s of each class under both models)
    and ``groups`` (the statistics of each class); values that end in ``_lowest`` and ``_highest`` are the range over
    the classes.
    """
    source = only(sources)
    train = source.first().train
    beta = train.fitted(EDCMClassifier(smoothing=0.0)).beta_
    n_parameters = len(np.unique(train.X.indices))
    rows: Rows = [{"steps": 0, **_sizes(beta, beta, n_parameters)}]
    for steps in settings["steps"]:
        model = DCMClassifier(method="fixed_point", smoothing=0.0, max_iter=steps, tol=0.0)
        rows.append({"steps": steps, **_sizes(train.fitted(model).alpha_, beta, n_parameters)})
    alpha = train.fitted(DCMClassifier(smoothing=0.0)).alpha_
    best = _sizes(alpha, beta, n_parameters)
    values: Values = {**best, "parameters": n_parameters}
    rows.append({"steps": "converged", **best})
    values |= {"words_of_a_class": float(np.median(np.count_nonzero(alpha, axis=1)))}
    concentrations = [{"s_dcm": float(a.sum()), "s_edcm": float(b.sum())} for a, b in zip(alpha, beta, strict=True)]
    values["correlation_s"] = float(np.corrcoef(alpha.sum(axis=1), beta.sum(axis=1))[0, 1])
    groups = [
        {"group": source.corpus.label_names[c], **_sizes(alpha[[row]], beta[[row]], n_parameters)}
        for row, c in enumerate(np.unique(train.y))
    ]
    return Measure(values | _ranges(groups), {"steps": rows, "concentrations": concentrations, "groups": groups})


def _ranges(groups: Rows) -> Values:
    """Return the lowest and the highest value of each number in a table of classes, by ``<number>_lowest``."""
    names = [name for name in groups[0] if name != "group"]
    lowest = {f"{name}_lowest": min(row[name] for row in groups) for name in names}
    return {**lowest, **{f"{name}_highest": max(row[name] for row in groups) for name in names}}


def _sizes(alpha: np.ndarray, beta: np.ndarray, n_parameters: int) -> dict[str, float]:
    """Return medians over the classes of the statistics of section 3."""
    return {
        "mean_alpha": float(np.median(alpha.sum(axis=1)) / n_parameters),
        "share_below_0.1": float(1.0 - np.median(np.sum(alpha >= 0.1, axis=1)) / n_parameters),
        "above_0.5": float(np.median(np.sum(alpha > 0.5, axis=1))),
        "above_1.0": float(np.median(np.sum(alpha > 1.0, axis=1))),
        "correlation_alpha_beta": correlation_of_parameters(alpha, beta),
    }


def correlation_of_parameters(alpha: np.ndarray, beta: np.ndarray) -> float:
    """Return the correlation of both models' parameters, (C, V) each, over all pairs of a class and a word it has."""
    seen = beta > 0
    return float(np.corrcoef(alpha[seen], beta[seen])[0, 1])


def approximation(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare log probabilities of training documents under DCM and EDCM (sections 3 and 4).

    ``correlation_..`` is the correlation of log p and log q, ``deviation_..`` the mean of |log q - log p| / |log p|.
    Keys have ``same_parameters`` for q with the DCM's parameters and ``own_parameters`` for q with its own; they end in
    ``_bag`` where the multinomial coefficient is included.

    Settings: ``per_class``, documents drawn of each class; ``shown``, the number of parameters in the figure.
    Result: the tables ``documents`` (a drawn document a row: its words, log p and log q in nats), ``by_length`` (see
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
            values[f"correlation_{name}{suffix}"] = float(np.corrcoef(p, q)[0, 1])
            values[f"deviation_{name}{suffix}"] = float(np.mean(np.abs(q - p) / np.abs(p)))
    p, same, refitted = log_dcm(drawn, alpha), log_edcm(drawn, alpha), log_edcm(drawn, beta)
    documents = [
        {"length": n, "log_p": a, "log_q_same": b, "log_q_own": c}
        for n, a, b, c in zip(drawn.lengths, p, same, refitted, strict=True)
    ]
    tables = {"documents": documents, "by_length": _by_length(drawn.lengths, p, same, refitted)}
    return Measure(values, {**tables, "parameters": _parameter_sample(alpha, beta, settings["shown"], generator)})


def _by_length(lengths: np.ndarray, p: np.ndarray, same: np.ndarray, refitted: np.ndarray) -> Rows:
    """Return correlation and mean relative deviation from log p of each quarter of the documents by length."""
    rows: Rows = []
    edges = np.quantile(lengths, [0, 0.25, 0.5, 0.75, 1])
    for quarter, (low, high) in enumerate(itertools.pairwise(edges)):
        chosen = (lengths > low if quarter else lengths >= low) & (lengths <= high)
        row: dict[str, Any] = {"from": low, "to": high, "documents": int(chosen.sum())}
        for name, q in (("same", same), ("own", refitted)):
            row[f"correlation_{name}"] = float(np.corrcoef(p[chosen], q[chosen])[0, 1])
            row[f"deviation_{name}"] = float(np.mean(np.abs((q - p) / p)[chosen]))
        rows.append(row)
    return rows


def _parameter_sample(alpha: np.ndarray, beta: np.ndarray, shown: int, generator: Generator) -> Rows:
    """Return alpha and beta of ``shown`` pairs (class, word): half have the largest alpha, half are drawn."""
    seen = np.flatnonzero(beta.ravel() > 0)
    a, b = alpha.ravel()[seen], beta.ravel()[seen]
    order = np.argsort(-a, kind="stable")
    chosen = np.concatenate([order[: shown // 2], generator.permutation(order[shown // 2 :])[: shown // 2]])
    return [{"alpha": float(a[i]), "beta": float(b[i])} for i in chosen]


def gamma_ratio(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the error of Gamma(x + alpha) / Gamma(alpha) ~ Gamma(x) alpha on the counts of a class (section 3).

    The relative error of every non-zero count is averaged over a class; ``mean_relative_error`` is the median of these
    means over the classes, with their standard deviation, and ``counts`` the median number of counts.

    Settings: ``documents``, how many of each class, the first ones; ``alphas`` and ``counts``, where the error's growth
    is shown.
    Result: the tables ``by_count`` (mean error at each of ``counts`` in the documents), ``growth`` (error at each pair
    of ``alphas`` and ``counts``) and ``groups`` (the counts and the mean error of each class); values that end in
    ``_lowest`` and ``_highest`` are the range over the classes.
    """
    source = only(sources)
    train = source.first().train
    alpha, _beta = _fit(train)
    groups: Rows = []
    by_count: dict[int, list[float]] = {}
    for c in np.unique(train.y):
        chosen = train[np.flatnonzero(train.y == c)[: settings["documents"]]]
        errors = relative_error(chosen.X.data, cells_of(chosen, alpha))
        name = source.corpus.label_names[c]
        groups.append({"group": name, "counts": len(errors), "mean_relative_error": float(errors.mean())})
        for x in settings["counts"]:
            by_count.setdefault(x, []).extend(errors[chosen.X.data == x])
    error = [group["mean_relative_error"] for group in groups]
    values: Values = {
        "counts": float(np.median([group["counts"] for group in groups])),
        "mean_relative_error": (float(np.median(error)), float(np.std(error, ddof=1))),
        **_ranges(groups),
    }
    seen = [{"count": x, "mean_error": float(np.mean(e)), "counts": len(e)} for x, e in by_count.items() if e]
    grid = [
        {"alpha": a, "count": x, "error": float(relative_error(np.array([x]), np.array([a]))[0])}
        for a in settings["alphas"]
        for x in settings["counts"]
    ]
    return Measure(values, {"by_count": seen, "growth": grid, "groups": groups})


def relative_error(x: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return |Gamma(x) alpha Gamma(alpha) / Gamma(x + alpha) - 1|, float64 (n,); for a small alpha about alpha H_(x-1),
    with the harmonic number H.
    """
    return np.abs(np.expm1(gammaln(x) + np.log(alpha) + gammaln(alpha) - gammaln(x + alpha)))


def one_newsgroup(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Find the newsgroup that fits most of the numbers that the paper gives for one newsgroup without its name.

    A number fits where it lies within ``margin`` of the printed one, relative to it, or rounds to its printed digits.

    Settings: those of `dcm_parameters` and `gamma_ratio`; ``printed``, name of a number in their tables ``groups`` ->
    [printed value, half a unit of its last digit]; ``margin``.
    Result: ``groups_with_all``, how many newsgroups fit all numbers, ``most_numbers``, how many numbers the best
    newsgroup fits, and the table ``groups`` (each newsgroup's numbers, and how many of them fit).
    """
    tables = [measure(sources, settings, _).tables["groups"] for measure in (dcm_parameters, gamma_ratio)]
    joined: list[dict[str, Any]] = [{**first, **second} for first, second in zip(*tables, strict=True)]
    for row in joined:
        row["fitting"] = sum(
            _agrees(row[name], printed, half_unit, settings["margin"])
            for name, (printed, half_unit) in settings["printed"].items()
        )
    fitting = [row["fitting"] for row in joined]
    every = sum(number == len(settings["printed"]) for number in fitting)
    return Measure({"groups_with_all": float(every), "most_numbers": float(max(fitting))}, {"groups": joined})


def _agrees(value: float, printed: float, half_unit: float, margin: float) -> bool:
    """Return whether a number lies within a relative margin of a printed one, or rounds to its digits."""
    return abs(value - printed) <= max(half_unit, margin * abs(printed)) * (1 + 1e-9)
