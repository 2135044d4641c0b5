"""Repeated words under multinomial, DCM and EDCM (sections 2 and 3), and the normalisation of the EDCM."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import optimize, sparse
from scipy.special import gammaln

from reproduction.flow.measures import Measure, Rows, Settings, Sources, Values, only
from reproduction.papers.edcm.approximation import log_edcm
from textmix.experiment.trial import Documents
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier


def burstiness(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the probability that a word occurs again in a document, for the models and the documents of a class.

    Settings: ``proportion``, mean proportion of the word with the measured second occurrence, for each s of
    ``concentrations``; ``words``, number of words in the limit s -> infinity, with documents of ``length`` words and
    ``infinite`` as s; ``class``, index of the class to evaluate; ``bands``, the ranks by frequency of
    the first word (from 0) and after the last one, by name; ``occurrences``, the largest m.
    Result: see `_repeats` for the values of a band. The table ``occurrences`` has the proportion of (document, word)
    pairs in which the word occurs exactly m times, in the documents of the class and as expected by each model, for
    each band and each m from 1.
    """
    train = only(sources).first().train
    values: Values = {}
    for s in settings["concentrations"]:
        values[f"repetition_factor_s_{s}"] = _repetition_factor(s, settings["proportion"])
    shape = np.arange(1.0, settings["words"] + 1)
    alpha = settings["infinite"] * shape / shape.sum()
    values["largest_difference_dcm_multinomial"] = _distance_to_multinomial(alpha, settings["length"])
    rows_of_class = np.flatnonzero(train.y == settings["class"])
    X = train[rows_of_class].X
    documents = Documents(X, np.zeros(len(rows_of_class), dtype=train.y.dtype))
    values["largest_error_of_repetition_factor"] = _error_of_repetition(documents, settings["occurrences"])
    rows = _occurrences(documents, settings["bands"], settings["occurrences"])
    for band in settings["bands"]:
        repeats = [row for row in rows if row["band"] == band and row["m"] > 1]
        values.update(_repeats(band, repeats))
    return Measure(values, {"occurrences": rows})


def _repeats(band: str, rows: Rows) -> Values:
    """Compare the proportions of repeated occurrences that are observed and expected by each model, for one band.

    Values ending in ``observed_over_<model>`` are ratios, values ending in ``factor_<model>`` the larger of the ratio
    and its reciprocal.
    """
    observed = sum(row["seen"] for row in rows)
    values: Values = {}
    for model in ("multinomial", "dcm", "edcm"):
        expected = sum(row[model] for row in rows)
        ratio = observed / expected
        values[f"{band}_repeats_observed_over_{model}"] = ratio
        values[f"{band}_repeats_factor_{model}"] = max(ratio, 1.0 / ratio) if ratio else np.inf
    return values


def _log_rising(a: float, x: int) -> float:
    """Compute log a (a + 1) ... (a + x - 1) as a sum, because a difference of log Gamma cancels for large a."""
    factors = a + np.arange(x)
    return float(np.log(factors).sum())


def _log_dcm(x: Sequence[int], alpha: np.ndarray) -> float:
    """Compute log p of counts x (V,) under a DCM with parameters alpha (V,), equation (1)."""
    n = sum(x)
    terms = [_log_rising(a, count) - gammaln(count + 1) for a, count in zip(alpha, x, strict=True)]
    log_scale = gammaln(n + 1) - _log_rising(alpha.sum(), n)
    return float(log_scale + sum(terms))


def _repetition_factor(s: float, proportion: float) -> float:
    """Compute the ratio of the probabilities of a second and a first occurrence, for a word of mean ``proportion``."""
    alpha = np.array([s * proportion, s * (1 - proportion)])
    log_p_once = _log_dcm((1, 0), alpha)
    log_p_twice = _log_dcm((2, 0), alpha)
    return float(np.exp(log_p_twice - 2 * log_p_once))


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every vector of ``parts`` counts that sum to ``total``."""
    n_positions = total + parts - 1
    for bars in itertools.combinations(range(n_positions), parts - 1):
        edges = (-1, *bars, n_positions)
        yield tuple(after - before - 1 for before, after in itertools.pairwise(edges))


def _distance_to_multinomial(alpha: np.ndarray, length: int) -> float:
    """Compute the largest difference of the probabilities of DCM and multinomial over all documents of a length."""
    theta = alpha / alpha.sum()
    largest = 0.0
    for x in compositions(length, len(alpha)):
        log_coefficient = gammaln(length + 1) - gammaln(np.add(x, 1)).sum()
        multinomial = np.exp(log_coefficient + np.dot(x, np.log(theta)))
        dcm = np.exp(_log_dcm(x, alpha))
        difference = float(dcm - multinomial)
        largest = max(largest, abs(difference))
    return largest


def _error_of_repetition(documents: Documents, most: int) -> float:
    """Compute the maximum absolute error of the factor by which the m-th occurrence of a word multiplies q.

    q is equation (2) without n! Gamma(s) / Gamma(s + n). The factor is beta_w for m = 1 and (m - 1) / m for larger m.
    Up to ``most`` copies of a word are added to the first document. The words are those with the largest beta, at ranks
    1 % and 10 %, and with the smallest beta, except words of that document. All ``documents`` have the class 0.
    """
    beta = documents.fitted(EDCMClassifier(smoothing=0.0)).beta_
    s = beta.sum()
    vocabulary = np.flatnonzero(beta[0])
    ranked = vocabulary[np.argsort(-beta[0, vocabulary], kind="stable")]
    words = ranked[[0, len(ranked) // 100, len(ranked) // 10, -1]]
    start = documents.X[:1]
    largest = 0.0
    m = np.arange(2, most + 1)
    is_absent = ~np.isin(words, start.indices)
    for w in words[is_absent]:
        extra = sparse.coo_array(([1], ([0], [w])), shape=start.shape).tocsr()
        texts = [start]
        texts += [start + copies * extra for copies in range(1, most + 1)]
        X = sparse.vstack(texts, format="csr")
        chain = Documents(X, np.zeros(most + 1, dtype=np.int64))
        n = chain.lengths
        constant = gammaln(n + 1) + gammaln(s) - gammaln(s + n)
        log_q = log_edcm(chain, beta, "bag") - constant
        factors = np.exp(np.diff(log_q))
        expected = np.concatenate([[beta[0, w]], (m - 1) / m])
        error = float(np.abs(factors - expected).max())
        largest = max(largest, error)
    return largest


def _occurrences(documents: Documents, bands: Mapping[str, Sequence[int]], most: int) -> Rows:
    """Compute the proportion of (document, word) pairs with exactly m occurrences, for each band of words and m."""
    X = documents.X
    totals = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
    rank = np.empty(len(totals), dtype=np.int64)
    by_frequency = np.argsort(-totals, kind="stable")
    rank[by_frequency] = np.arange(len(totals))
    alpha = documents.fitted(DCMClassifier(smoothing=0.0)).alpha_[0]
    beta = documents.fitted(EDCMClassifier(smoothing=0.0)).beta_[0]
    n, number = np.unique(documents.lengths, return_counts=True)
    rows: Rows = []
    for band, (begin, end) in bands.items():
        words = (rank >= begin) & (rank < end) & (totals > 0)
        counts = X.data[words[X.indices]]
        theta = totals[words] / totals.sum()
        pairs = int(words.sum()) * X.shape[0]
        for m in range(1, most + 1):
            n_observed = float(np.sum(counts == m))
            n_multinomial = _expected(_log_binomial, theta, n, number, m)
            n_dcm = _expected(_log_urn, alpha[words], n, number, m, alpha.sum(), exact=True)
            n_edcm = _expected(_log_urn, beta[words], n, number, m, beta.sum(), exact=False)
            row: dict[str, Any] = {
                "band": band,
                "m": m,
                "seen": n_observed / pairs,
                "multinomial": n_multinomial / pairs,
                "dcm": n_dcm / pairs,
                "edcm": n_edcm / pairs,
            }
            rows.append(row)
    return rows


def _expected(
    log_chance: Callable[..., np.ndarray],
    parameters: np.ndarray,
    n: np.ndarray,
    number: np.ndarray,
    m: int,
    *others: float,
    **options: bool,
) -> float:
    """Compute the expected number of (document, word) pairs in which the word occurs m times."""
    distinct, copies = np.unique(parameters, return_counts=True)
    is_long = n >= m
    log_p = log_chance(distinct[:, np.newaxis], n[is_long], m, *others, **options)
    chance = np.exp(log_p)
    return float(copies @ chance @ number[is_long])


def _log_choose(n: np.ndarray, m: int) -> np.ndarray:
    """Compute the log binomial coefficient."""
    return gammaln(n + 1) - gammaln(n - m + 1) - gammaln(m + 1)


def _log_binomial(theta: np.ndarray, n: np.ndarray, m: int) -> np.ndarray:
    """Compute the log probability that a word with probability theta occurs m times among n words."""
    return _log_choose(n, m) + m * np.log(theta) + (n - m) * np.log1p(-theta)


def _log_urn(a: np.ndarray, n: np.ndarray, m: int, s: float, exact: bool) -> np.ndarray:
    r"""Compute the log probability that a word with parameter a occurs m >= 1 times among n words: DCM (exact) or EDCM.

    All other words are one word of a DCM with the parameter s - a. The EDCM has \Gamma(m) a instead of
    \Gamma(m + a) / \Gamma(a).
    """
    if exact:
        word = gammaln(m + a) - gammaln(a)
    else:
        word = gammaln(m) + np.log(a)
    others = gammaln(s - a + n - m) - gammaln(s - a)
    return _log_choose(n, m) + word + others + gammaln(s) - gammaln(s + n)


def normalisation(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the sum of the EDCM of a class over all count vectors of a length (section 3).

    Settings: ``lengths``, increasing, from 1; ``words`` and ``short``, number of words and length of the documents that
    are enumerated to check the sum.
    Result: the table ``totals`` has the sum for each class and length. ``edcm_distance_of_total_from_one`` is the
    median of |sum - 1| over the classes at the largest length, and ``saddle_point_largest_error`` the largest error of
    `log_total_by_saddle_point` for all lengths but the first.
    """
    train = only(sources).first().train
    beta = train.fitted(EDCMClassifier(smoothing=0.0)).beta_
    lengths = settings["lengths"]
    totals = np.array([log_totals(b[b > 0], lengths) for b in beta])
    by_beta = np.argsort(-beta[0], kind="stable")
    largest_beta = beta[0][by_beta[: settings["words"]]]
    vectors = np.array(list(compositions(settings["short"], len(largest_beta))))
    short = Documents(sparse.csr_array(vectors), np.zeros(len(vectors), int))
    enumerated = np.exp(log_edcm(short, largest_beta[np.newaxis], "bag"))
    log_total_short = log_totals(largest_beta, [settings["short"]])[0]
    difference = enumerated.sum() - np.exp(log_total_short)
    saddle = np.array([_log_totals_by_saddle_point(b[b > 0], lengths[1:]) for b in beta])
    errors = np.abs(saddle - totals[:, 1:])
    distances = np.abs(np.expm1(totals[:, -1]))
    values: Values = {
        "saddle_point_largest_error": float(errors.max()),
        "edcm_distance_of_total_from_one": float(np.median(distances)),
        "difference_to_enumeration": float(abs(difference)),
        "count_vectors_enumerated": len(vectors),
    }
    rows: Rows = []
    for c, totals_of_class in enumerate(totals):
        for length, total in zip(lengths, totals_of_class, strict=True):
            rows.append({"class": c, "length": length, "total": float(np.exp(total))})
    return Measure(values, {"totals": rows})


def _log_totals_by_saddle_point(beta: np.ndarray, lengths: Sequence[int]) -> list[float]:
    """Approximate log Z(n) for each length."""
    return [log_total_by_saddle_point(beta, n) for n in lengths]


def log_totals(beta: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    r"""Compute log Z(n), where Z(n) = \sum_x q(x) over all count vectors of length n, for increasing lengths.

    An occurring word contributes \beta_w t^x / x, summed over x: \beta_w L(t), L = -log(1 - t). beta (V,) is positive.
    Hence

        Z(n) = n! \Gamma(s) / \Gamma(s + n) [t^n] \prod_w (1 + \beta_w L(t))
             = \Gamma(s) / \Gamma(s + n) \sum_m m! e_m c(n, m)

    with e_m the elementary symmetric polynomials of beta and c(n, m) the unsigned Stirling numbers of the first kind.
    All terms are positive, so that cancellation cannot occur.
    """
    longest = lengths[-1]
    e = np.full(longest + 1, -np.inf)
    e[0] = 0.0
    for log_b in np.log(beta):
        e[1:] = np.logaddexp(e[1:], e[:-1] + log_b)
    log_factor = gammaln(np.arange(longest + 1) + 1.0) + e
    stirling = np.full(longest + 1, -np.inf)
    s = beta.sum()
    stirling[0] = 0.0
    log_total = {}
    log_rising = 0.0
    for n in range(1, longest + 1):
        shifted = np.concatenate([[-np.inf], stirling[:-1]])
        log_step = np.log(n - 1) if n > 1 else -np.inf
        stirling = np.logaddexp(shifted, stirling + log_step)
        log_rising += np.log(s + n - 1)
        log_sum = np.logaddexp.reduce(log_factor + stirling)
        log_total[n] = log_sum - log_rising
    return np.array([log_total[n] for n in lengths])


def log_total_by_saddle_point(beta: np.ndarray, n: float) -> float:
    """Approximate log Z(n) for n > 1 words by the saddle-point method, with the tilted distribution of `edcm.draw`.

    Z(n) = n! Gamma(s) / Gamma(s + n) G(z) z^-n P_z(N = n), G(z) = prod_w (1 + beta_w L(z)), with L of `log_totals`. z
    is chosen so that n is the mean of the random length N. P_z(N = n) is approximated by the density of a normal
    distribution at its mean.
    """
    values, copies = np.unique(beta, return_counts=True)

    def moments(tilt: float) -> tuple[float, float]:
        """Compute mean and variance of N for tilt = L(z), where z / (1 - z) = exp(tilt) - 1."""
        present = values * tilt / (1.0 + values * tilt)
        rise = np.expm1(tilt)
        mean = rise / tilt
        second = rise * (1.0 + rise) / tilt
        means = present * mean
        variances = present * second - means**2
        return float(copies @ means), float(copies @ variances)

    high = 1.0
    while moments(high)[0] < n:
        high *= 2.0
    tilt = float(optimize.brentq(lambda t: moments(t)[0] - n, 1e-12, high))
    variance = moments(tilt)[1]
    s = float(beta.sum())
    log_z = float(np.log(-np.expm1(-tilt)))
    log_g = float(copies @ np.log1p(values * tilt))
    log_coefficient = gammaln(n + 1) + gammaln(s) - gammaln(s + n)
    half_log_variance = 0.5 * np.log(2.0 * np.pi * variance)
    return float(log_coefficient + log_g - n * log_z - half_log_variance)
