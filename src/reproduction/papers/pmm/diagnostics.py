"""PMM1 and PMM2 beyond the scores of the tables: convergence, search, calibration, and the labels of single words.

Each measure uses the first trial of each of its data sets. A value over several data sets is the maximum or the mean,
as documented there, and the tables have one row per data set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import sparse

from reproduction.flow.measures import Measure, Settings, Sources, seed_from
from textmix.core.errors import MissingResult
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trial import Documents, Trial
from textmix.metrics.multilabel import sample_f
from textmix.models.pmm.estimator import PMM1, PMM2

MODELS = {"pmm1": PMM1, "pmm2": PMM2}
#: Probabilities are clipped to at least this value before taking logarithms.
MIN_PROBABILITY = 1e-6


def _trials(sources: Sources) -> Iterator[tuple[str, Trial]]:
    """Yield role and first trial of each data set, with label indicators."""
    for role, source in sources.items():
        yield role, source.first("indicators")


def convergence(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Record the training objective J in each EM iteration, from the default start and from random starts.

    Settings: ``starts``, number of random starts; ``tol`` and ``max_iter``, see `PMM1`.
    Result: the table ``paths`` (start 0 is the default one). ``.._relative_spread_of_optima`` is the range of the final
    J over the starts, relative to the largest |J|. ``pmm2_largest_relative_fall`` is the largest decrease of J in one
    iteration, relative to the final |J|. Both are maxima over the data sets.
    """
    rows: list[dict[str, Any]] = []
    spread = {"pmm1": 0.0, "pmm2": 0.0}
    largest_decrease = 0.0
    for role, trial in _trials(sources):
        for name in MODELS:
            paths = _run_starts(name, trial.train, settings, generator)
            for start, path in enumerate(paths):
                for iteration, objective in enumerate(path):
                    row = {
                        "role": role,
                        "model": name,
                        "start": start,
                        "iteration": iteration,
                        "objective": float(objective),
                    }
                    rows.append(row)
            final = np.array([path[-1] for path in paths])
            relative_range = float(np.ptp(final) / abs(final.max()))
            spread[name] = max(spread[name], relative_range)
            if name == "pmm2":
                for path in paths:
                    decrease = np.max(-np.diff(path))
                    largest_decrease = max(largest_decrease, float(decrease / abs(path[-1])))
    values = {
        "pmm1_relative_spread_of_optima": spread["pmm1"],
        "pmm2_relative_spread_of_optima": spread["pmm2"],
        "pmm2_largest_relative_fall": largest_decrease,
    }
    return Measure(values, {"paths": rows})


def _run_starts(name: str, train: Documents, settings: Settings, generator: Generator) -> list[np.ndarray]:
    """Return the objective in each iteration for the default start and each random start."""
    paths = []
    for start in range(settings["starts"] + 1):
        init: dict[str, Any] = {}
        if start > 0:
            init = {"init": "random", "random_state": seed_from(generator)}
        model = MODELS[name](tol=settings["tol"], max_iter=settings["max_iter"], **init)
        paths.append(train.fitted(model).objective_path_)
    return paths


def prediction(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Compare the greedy search with beam and flip searches, and with all label sets of the most frequent labels.

    Settings: ``beam_width``; ``exact_labels``, the number of most frequent labels for the exhaustive search;
    ``exact_pages``, the number of test pages for the exhaustive search, each with at least one of these labels.
    Result: the tables ``searches`` (rows of `_gain_over_greedy` and F) and ``exact`` (rows of `_compare_with_exact`).
    The values are means over data sets and models, and ``largest_share_of_allowed_evaluations`` is the maximum of
    `_proportion_of_evaluations`.
    """
    rows: list[dict[str, Any]] = []
    exact: list[dict[str, Any]] = []
    max_proportion = 0.0
    for role, trial in _trials(sources):
        for name, model in MODELS.items():
            fitted = trial.train.fitted(model())
            greedy = fitted.predict(trial.test.X)
            max_proportion = max(max_proportion, _proportion_of_evaluations(greedy))
            for search in ("greedy", "beam", "flip"):
                fitted.set_params(search=search, beam_width=settings["beam_width"])
                row: dict[str, Any] = {"role": role, "model": name, "search": search}
                row |= _gain_over_greedy(greedy, fitted, trial.test.X)
                predicted = fitted.predict(trial.test.X)
                row["sample_f"] = sample_f(trial.test.y, predicted)
                rows.append(row)
            comparison = _compare_with_exact(model, trial, settings)
            exact.append({"role": role, "model": name, **comparison})
    values = {"largest_share_of_allowed_evaluations": max_proportion}
    for search in ("beam", "flip"):
        rows_of_search = [row for row in rows if row["search"] == search]
        for key in ("pages_changed", "gain_in_nats", "sample_f"):
            values[f"{search}_{key}"] = _mean_of(rows_of_search, key)
    rows_of_greedy = [row for row in rows if row["search"] == "greedy"]
    values["greedy_sample_f"] = _mean_of(rows_of_greedy, "sample_f")
    for key in exact[0]:
        if key not in ("role", "model"):
            values[f"exact_{key}"] = _mean_of(exact, key)
    return Measure(values, {"searches": rows, "exact": exact})


def _mean_of(rows: list[dict[str, Any]], key: str) -> float:
    """Compute the mean of a column."""
    return float(np.mean([row[key] for row in rows]))


def _proportion_of_evaluations(predicted: np.ndarray) -> float:
    """Compute the largest number of posterior evaluations for one page, relative to L (L + 1) / 2."""
    n_labels = predicted.shape[1]
    largest_set = int(predicted.sum(axis=1).max())
    steps = min(largest_set + 1, n_labels)
    return steps * (2 * n_labels - steps + 1) / (n_labels * (n_labels + 1))


def _gain_over_greedy(greedy: np.ndarray, fitted: PMM1 | PMM2, X: sparse.csr_array) -> dict[str, float]:
    """Compute the proportion of pages with a set other than the greedy one, and their mean gain in log posterior."""
    predicted = fitted.predict(X)
    is_changed = np.any(predicted != greedy, axis=1)
    mean_gain = 0.0
    if is_changed.any():
        X_changed = X[np.flatnonzero(is_changed)]
        log_posterior = fitted.score_samples(X_changed, predicted[is_changed])
        log_posterior_greedy = fitted.score_samples(X_changed, greedy[is_changed])
        mean_gain = float(np.mean(log_posterior - log_posterior_greedy))
    return {"pages_changed": float(is_changed.mean()), "gain_in_nats": mean_gain}


def _compare_with_exact(model: type[PMM1 | PMM2], trial: Trial, settings: Settings) -> dict[str, float]:
    """Compute how often greedy and flip search find the best label set of the most frequent labels, by exhaustion."""
    Y_train, Y_test = trial.train.y, trial.test.y
    by_frequency = np.argsort(-Y_train.sum(axis=0), kind="stable")
    labels = np.sort(by_frequency[: settings["exact_labels"]])
    train_rows = np.flatnonzero(Y_train[:, labels].any(axis=1))
    test_rows = np.flatnonzero(Y_test[:, labels].any(axis=1))[: settings["exact_pages"]]
    train = Documents(trial.train.X[train_rows], Y_train[np.ix_(train_rows, labels)])
    fitted = train.fitted(model(search="exact"))
    X = trial.test.X[test_rows]
    best = fitted.predict(X)
    marginal = fitted.predict_proba(X)
    values = {}
    for search in ("greedy", "flip"):
        predicted = fitted.set_params(search=search).predict(X)
        is_best = np.all(predicted == best, axis=1)
        values[f"{search}_is_best"] = float(np.mean(is_best))
    approximate = fitted.set_params(search="greedy").predict_proba(X)
    values["marginal_difference"] = float(np.mean(np.abs(approximate - marginal)))
    return values


def calibration(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare label probabilities with label frequencies: as in the paper, with a learned prior, and tempered.

    The temperature minimises the mean log loss of the labels in cross-validation on the training pages.

    Settings: ``temperatures``, increasing; ``folds``, their number; ``bins``, the number of bins of equal width.
    Result: the tables ``reliability`` (rows of `_reliability`) and ``errors``. The values are means over the data sets.
    ``calibration_error`` is the mean over pages and labels of the distance between the mean probability and the
    proportion of true labels in the bin. ``sample_f_threshold`` is F of the labels with a probability above 0.5.
    """
    rows: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for role, trial in _trials(sources):
        temperature = _choose_temperature(trial, settings, generator)
        for kind, params in _priors(temperature).items():
            fitted = trial.train.fitted(PMM1(**params))
            proba = fitted.predict_proba(trial.test.X)
            bins = _reliability(proba, trial.test.y, settings["bins"])
            rows += [{"role": role, "kind": kind, **bin_} for bin_ in bins]
            total_error = sum(bin_["count"] * abs(bin_["proba"] - bin_["share"]) for bin_ in bins)
            predicted = fitted.predict(trial.test.X)
            row: dict[str, Any] = {"role": role, "kind": kind}
            row["temperature"] = float(params.get("temperature", 1.0))
            row["calibration_error"] = total_error / proba.size
            row["log_loss"] = _log_loss(proba, trial.test.y)
            row["sample_f"] = sample_f(trial.test.y, predicted)
            row["sample_f_threshold"] = sample_f(trial.test.y, proba > 0.5)
            errors.append(row)
    values = {}
    for kind in ("paper", "prior", "tempered"):
        rows_of_kind = [row for row in errors if row["kind"] == kind]
        for key in ("temperature", "calibration_error", "log_loss", "sample_f", "sample_f_threshold"):
            values[f"{kind}_{key}"] = _mean_of(rows_of_kind, key)
    return Measure(values, {"reliability": rows, "errors": errors})


def _priors(temperature: float) -> dict[str, dict[str, Any]]:
    """Return the parameters of PMM1 for each type of probabilities that `calibration` compares."""
    return {
        "paper": {},
        "prior": {"set_prior": "training"},
        "tempered": {"set_prior": "training", "temperature": temperature},
    }


def _choose_temperature(trial: Trial, settings: Settings, generator: Generator) -> float:
    """Return the temperature with the lowest log loss in cross-validation on the training pages."""
    losses = np.zeros(len(settings["temperatures"]))
    for fit_rows, fold_rows in halves_of(fold_numbers(len(trial.train), settings["folds"], generator)):
        fitted = trial.train[fit_rows].fitted(PMM1(set_prior="training"))
        held_out = trial.train[fold_rows]
        for number, temperature in enumerate(settings["temperatures"]):
            fitted.set_params(temperature=temperature)
            losses[number] += _log_loss(fitted.predict_proba(held_out.X), held_out.y)
    return float(settings["temperatures"][int(np.argmin(losses))])


def _log_loss(proba: np.ndarray, Y: np.ndarray) -> float:
    """Compute the mean log loss over pages and labels, in nats."""
    proba_of_truth = np.where(Y > 0, proba, 1.0 - proba)
    return float(-np.mean(np.log(np.clip(proba_of_truth, MIN_PROBABILITY, 1.0))))


def _reliability(proba: np.ndarray, Y: np.ndarray, n_bins: int) -> list[dict[str, float]]:
    """Return mean probability, proportion of true labels and number of labels of each nonempty bin."""
    bin_of = np.minimum((proba * n_bins).astype(int), n_bins - 1)
    rows = []
    for number in range(n_bins):
        is_inside = bin_of == number
        if is_inside.any():
            probability = float(proba[is_inside].mean())
            proportion = float(Y[is_inside].mean())
            rows.append({"proba": probability, "share": proportion, "count": float(is_inside.sum())})
    return rows


def assumption(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Check that pages with several labels are mixtures of the words of pages with one label (section 2.2).

    The word distribution of a label is estimated from the training pages with only this label. The test pages have
    several labels, each with enough of these training pages. The log-likelihood of a test page under the mean of the
    distributions of its labels is compared with the log-likelihood under the best single label (an oracle), and with
    the mean log-likelihood over its labels.

    Settings: ``min_pages``, the minimum number of training pages with only this label.
    Result: the table ``problems`` has the number of test pages, log-likelihoods in nats per word, and the proportion of
    pages that are more likely under the mean. The values are means over the data sets, except for the sum of ``pages``.
    """
    rows: list[dict[str, Any]] = []
    for role, trial in _trials(sources):
        has_one_label = trial.train.y.sum(axis=1) == 1
        fitted = trial.train[has_one_label].fitted(PMM1())
        is_frequent = fitted.label_count_ >= settings["min_pages"]
        pages = _select_pages(trial.test, is_frequent)
        X, Y = pages.X, pages.y
        log_p_mixture = fitted.score_samples(X, Y)
        single_labels = np.eye(Y.shape[1], dtype=int)
        log_p = np.array([fitted.score_samples(X, np.tile(row, (len(pages), 1))) for row in single_labels])
        is_label = Y.T > 0
        log_p_best = np.where(is_label, log_p, -np.inf).max(axis=0)
        log_p_sum = np.where(is_label, log_p, 0.0).sum(axis=0)
        log_p_mean = log_p_sum / Y.sum(axis=1)
        n_words = float(X.sum())
        is_mixture_better = log_p_mixture > log_p_best
        row: dict[str, Any] = {"role": role, "pages": float(len(pages))}
        row["log_likelihood_mixture"] = float(log_p_mixture.sum()) / n_words
        row["log_likelihood_best_single"] = float(log_p_best.sum()) / n_words
        row["log_likelihood_mean_single"] = float(log_p_mean.sum()) / n_words
        row["share_of_pages_for_mixture"] = float(np.mean(is_mixture_better))
        rows.append(row)
    values = {key: _mean_of(rows, key) for key in rows[0] if key != "role"}
    values["pages"] = sum(row["pages"] for row in rows)
    return Measure(values, {"problems": rows})


def _select_pages(test: Documents, is_frequent: np.ndarray) -> Documents:
    """Select the nonempty test pages with several labels, all of them frequent."""
    has_several_labels = test.y.sum(axis=1) > 1
    has_rare_label = test.y[:, ~is_frequent].any(axis=1)
    is_nonempty = np.diff(test.X.indptr) > 0
    return test[has_several_labels & ~has_rare_label & is_nonempty]


class PageWords(NamedTuple):
    """The n words of a page, their counts, the proportions (n, K) of its K predicted labels, and these labels."""

    words: np.ndarray
    counts: np.ndarray
    proportions: np.ndarray
    labels: np.ndarray

    @property
    def label_proportions(self) -> np.ndarray:
        """Proportion of each label in all words of the page, shape (K,)."""
        return np.asarray(self.counts @ self.proportions / self.counts.sum())


def words(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Assign the words of one test page to its labels with PMM1.

    The page is selected among pages with the required numbers of labels and words and exactly correct predictions: it
    maximises the smallest proportion of any of its labels in its words.

    Settings: ``labels``, number of labels of the page; ``min_words`` and ``max_words``, limits of its number of
    distinct words; ``n_shown``, the number of words in the table, ranked by their count times the log ratio of their
    mean probabilities under the labels of the page and under all labels.
    Result: the table ``words`` has the proportion of each label in each word; ``share_k`` is the proportion of the
    page's label k in all its words.
    Raises MissingResult if no page meets the conditions.
    """
    ((role, trial),) = _trials(sources)
    corpus = sources[role].corpus
    fitted = trial.train.fitted(PMM1())
    candidates = _find_pages(fitted, trial.test, settings)
    if not len(candidates):
        raise MissingResult(
            f"no page of {role} has {settings['labels']} correctly predicted labels and between "
            f"{settings['min_words']} and {settings['max_words']} words; widen the settings"
        )
    pages = [_assign_words(fitted, trial.test.X, int(row)) for row in candidates]
    smallest_proportion = [page.label_proportions.min() for page in pages]
    page = pages[int(np.argmax(smallest_proportion))]
    theta = fitted.theta_[page.words]
    mean_of_page = theta[:, page.labels].mean(axis=1)
    lift = np.log(mean_of_page / theta.mean(axis=1))
    most_typical = np.argsort(-page.counts * lift, kind="stable")[: settings["n_shown"]]
    order = np.argsort(page.proportions[most_typical, 0], kind="stable")
    vocabulary = corpus.feature_names or ()
    names = [corpus.label_names[label] for label in page.labels]
    rows = []
    for i in most_typical[order]:
        proportions = dict(zip(names, page.proportions[i].tolist(), strict=True))
        rows.append({"word": vocabulary[page.words[i]], "count": float(page.counts[i]), **proportions})
    values = {f"share_{number}": float(value) for number, value in enumerate(page.label_proportions)}
    return Measure(values, {"words": rows})


def _find_pages(fitted: PMM1, test: Documents, settings: Settings) -> np.ndarray:
    """Return the rows of the test pages that meet the conditions of `words`."""
    n_words = np.diff(test.X.indptr)
    has_labels = test.y.sum(axis=1) == settings["labels"]
    has_length = (n_words >= settings["min_words"]) & (n_words <= settings["max_words"])
    return np.flatnonzero(has_labels & test.right(fitted) & has_length)


def _assign_words(fitted: PMM1, X: sparse.csr_array, row: int) -> PageWords:
    """Compute the proportions of the predicted labels in each word of a page."""
    entries = slice(X.indptr[row], X.indptr[row + 1])
    labels = np.flatnonzero(fitted.predict(X[[row]])[0])
    theta = fitted.theta_[X.indices[entries]][:, labels]
    proportions = theta / theta.sum(axis=1, keepdims=True)
    return PageWords(X.indices[entries], X.data[entries].astype(np.float64), proportions, labels)
