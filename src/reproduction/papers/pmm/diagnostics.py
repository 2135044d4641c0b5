"""PMM1 and PMM2 beyond the scores of the tables: convergence, search, calibration, and the labels of single words.

Every measure takes the first trial of each of its data sets; a value over several data sets is the largest or the
mean, as its key says, and the tables have one row a data set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
#: A smaller probability is raised to this before its logarithm is taken.
SURE = 1e-6


def _trials(sources: Sources) -> Iterator[tuple[str, Trial]]:
    """Yield role and first trial of each data set: counts and label indicators."""
    for role, source in sources.items():
        yield role, source.first("indicators")


def convergence(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Record J, the objective of training, in every EM iteration, from the default start and from random starts.

    Settings: ``starts``, number of random starts; ``tol`` and ``max_iter``, see `PMM1`.
    Result: the table ``paths`` (start 0 is the default one).  ``.._relative_spread_of_optima`` is the range of the
    final J over the starts, as a share of the largest |J|; ``pmm2_largest_relative_fall`` is the largest decrease of J
    in one iteration, as a share of the final |J|. Both are the largest over the data sets.
    """
    rows: list[dict[str, Any]] = []
    spread, fall, optima = 0.0, 0.0, 0.0
    for role, trial in _trials(sources):
        for name, model in MODELS.items():
            paths = []
            for start in range(settings["starts"] + 1):
                init: dict[str, Any] = {"init": "random", "random_state": seed_from(generator)} if start else {}
                unfitted = model(tol=settings["tol"], max_iter=settings["max_iter"], **init)
                paths.append(trial.train.fitted(unfitted).objective_path_)
                rows += [
                    {"role": role, "model": name, "start": start, "iteration": i, "objective": float(j)}
                    for i, j in enumerate(paths[-1])
                ]
            ends = np.array([path[-1] for path in paths])
            relative = float(np.ptp(ends) / abs(ends.max()))
            spread, optima = (max(spread, relative), optima) if name == "pmm1" else (spread, max(optima, relative))
            fall = max([fall, *(float(np.max(-np.diff(path)) / abs(path[-1])) for path in paths if name == "pmm2")])
    values = {
        "pmm1_relative_spread_of_optima": spread,
        "pmm2_relative_spread_of_optima": optima,
        "pmm2_largest_relative_fall": fall,
    }
    return Measure(values, {"paths": rows})


def prediction(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Compare the greedy search with beam and flip searches, and with all label sets of the most frequent labels.

    Settings: ``beam_width``; ``exact_labels``, the number of most frequent labels whose label sets are all scored;
    ``exact_pages``, the number of test pages used there, each with at least one of these labels.
    Result: the tables ``searches`` (rows of `_gain_over_greedy` and F) and ``exact`` (rows of `_compare_with_exact`);
    its values are means over data sets and models, and ``largest_share_of_allowed_evaluations`` is that of
    `_share_of_evaluations`.
    """
    rows, exact, allowed = list[dict[str, Any]](), list[dict[str, Any]](), 0.0
    for role, trial in _trials(sources):
        for name, model in MODELS.items():
            fitted = trial.train.fitted(model())
            greedy = fitted.predict(trial.test.X)
            allowed = max(allowed, _share_of_evaluations(greedy))
            for search in ("greedy", "beam", "flip"):
                fitted.set_params(search=search, beam_width=settings["beam_width"])
                row = _gain_over_greedy(greedy, fitted, trial.test.X) | {
                    "sample_f": sample_f(trial.test.y, fitted.predict(trial.test.X))
                }
                rows.append({"role": role, "model": name, "search": search, **row})
            exact.append({"role": role, "model": name, **_compare_with_exact(model, trial, settings)})
    values = {
        "largest_share_of_allowed_evaluations": allowed,
        **{
            f"{search}_{key}": float(np.mean([row[key] for row in rows if row["search"] == search]))
            for search in ("beam", "flip")
            for key in ("pages_changed", "gain_in_nats", "sample_f")
        },
        "greedy_sample_f": float(np.mean([row["sample_f"] for row in rows if row["search"] == "greedy"])),
        **{
            f"exact_{key}": float(np.mean([row[key] for row in exact]))
            for key in exact[0]
            if key not in ("role", "model")
        },
    }
    return Measure(values, {"searches": rows, "exact": exact})


def _share_of_evaluations(predicted: np.ndarray) -> float:
    """Return the most posterior evaluations of the greedy search on one page, as a share of L (L + 1) / 2."""
    n_labels = predicted.shape[1]
    steps = min(int(predicted.sum(axis=1).max()) + 1, n_labels)
    return steps * (2 * n_labels - steps + 1) / (n_labels * (n_labels + 1))


def _gain_over_greedy(greedy: np.ndarray, fitted: PMM1 | PMM2, X: sparse.csr_array) -> dict[str, float]:
    """Return the share of pages whose set differs from the greedy one, and their mean gain in log posterior, nats."""
    predicted = fitted.predict(X)
    changed = np.any(predicted != greedy, axis=1)
    rows = X[np.flatnonzero(changed)]
    gain = (
        fitted.score_samples(rows, predicted[changed]) - fitted.score_samples(rows, greedy[changed])
        if changed.any()
        else 0.0
    )
    return {"pages_changed": float(changed.mean()), "gain_in_nats": float(np.mean(gain))}


def _compare_with_exact(model: type[PMM1 | PMM2], trial: Trial, settings: Settings) -> dict[str, float]:
    """Return how often greedy and flip search find the best label set of the most frequent labels, by exhaustion."""
    Y, Y_test = trial.train.y, trial.test.y
    labels = np.sort(np.argsort(-Y.sum(axis=0), kind="stable")[: settings["exact_labels"]])
    train = np.flatnonzero(Y[:, labels].any(axis=1))
    test = np.flatnonzero(Y_test[:, labels].any(axis=1))[: settings["exact_pages"]]
    fitted = Documents(trial.train.X[train], Y[np.ix_(train, labels)]).fitted(model(search="exact"))
    X = trial.test.X[test]
    best, marginal = fitted.predict(X), fitted.predict_proba(X)
    predicted = {search: fitted.set_params(search=search).predict(X) for search in ("greedy", "flip")}
    approximate = fitted.set_params(search="greedy").predict_proba(X)
    shares = {f"{name}_is_best": float(np.mean(np.all(sets == best, axis=1))) for name, sets in predicted.items()}
    return shares | {"marginal_difference": float(np.mean(np.abs(approximate - marginal)))}


def calibration(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Compare the labels' probabilities with their frequencies: as in the paper, with a learnt prior, and tempered.

    The temperature is the one with the least mean log loss of the labels in cross-validation on the training pages.

    Settings: ``temperatures``, increasing; ``folds``, their number; ``bins``, the number of bins of equal width.
    Result: the tables ``reliability`` (rows of `_reliability`) and ``errors``; its values are means over the data
    sets.  ``calibration_error`` is the mean over pages and labels of the distance between the mean probability and the
    share of true labels of the bin; ``sample_f_threshold`` is F of the labels with a probability above one half.
    """
    rows, errors = list[dict[str, Any]](), list[dict[str, Any]]()
    for role, trial in _trials(sources):
        chosen = _temperature(trial, settings, generator)
        for name, params in _kinds(chosen).items():
            fitted = trial.train.fitted(PMM1(**params))
            proba = fitted.predict_proba(trial.test.X)
            bins = _reliability(proba, trial.test.y, settings["bins"])
            rows += [{"role": role, "kind": name, **bin_} for bin_ in bins]
            errors.append(
                {
                    "role": role,
                    "kind": name,
                    "temperature": float(params.get("temperature", 1.0)),
                    "calibration_error": sum(bin_["count"] * abs(bin_["proba"] - bin_["share"]) for bin_ in bins)
                    / proba.size,
                    "log_loss": _log_loss(proba, trial.test.y),
                    "sample_f": sample_f(trial.test.y, fitted.predict(trial.test.X)),
                    "sample_f_threshold": sample_f(trial.test.y, proba > 0.5),
                }
            )
    values = {
        f"{kind}_{key}": float(np.mean([row[key] for row in errors if row["kind"] == kind]))
        for kind in ("paper", "prior", "tempered")
        for key in ("temperature", "calibration_error", "log_loss", "sample_f", "sample_f_threshold")
    }
    return Measure(values, {"reliability": rows, "errors": errors})


def _kinds(temperature: float) -> dict[str, dict[str, Any]]:
    """Return the parameters of the three kinds of probabilities that `calibration` compares."""
    prior = {"set_prior": "training"}
    return {"paper": {}, "prior": prior, "tempered": {**prior, "temperature": temperature}}


def _temperature(trial: Trial, settings: Settings, generator: Generator) -> float:
    """Return the temperature with the least log loss in cross-validation on the training pages."""
    losses = np.zeros(len(settings["temperatures"]))
    for fit, fold in halves_of(fold_numbers(len(trial.train), settings["folds"], generator)):
        fitted, held_out = trial.train[fit].fitted(PMM1(set_prior="training")), trial.train[fold]
        for number, temperature in enumerate(settings["temperatures"]):
            fitted.set_params(temperature=temperature)
            losses[number] += _log_loss(fitted.predict_proba(held_out.X), held_out.y)
    return float(settings["temperatures"][int(np.argmin(losses))])


def _log_loss(proba: np.ndarray, Y: np.ndarray) -> float:
    """Return the mean over pages and labels of -log of the probability of the true value, in nats."""
    right = np.clip(np.where(Y > 0, proba, 1.0 - proba), SURE, 1.0)
    return float(-np.mean(np.log(right)))


def _reliability(proba: np.ndarray, Y: np.ndarray, bins: int) -> list[dict[str, float]]:
    """Return mean probability, share of true labels and number of decisions of each bin that is not empty."""
    bin_of = np.minimum((proba * bins).astype(int), bins - 1)
    return [
        {"proba": float(proba[inside].mean()), "share": float(Y[inside].mean()), "count": float(inside.sum())}
        for inside in (bin_of == number for number in range(bins))
        if inside.any()
    ]


def assumption(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Check that pages with several labels are mixtures of the words of pages with one (section 2.2).

    The word distribution of a label comes from the training pages that have this label alone.  The test pages have
    several labels, each of them with enough of these training pages.  The log-likelihood of a test page under the mean
    of its labels' distributions is compared with the log-likelihood under the best of these distributions alone, chosen
    with hindsight, and with the mean log-likelihood under one of them.

    Settings: ``least_pages``, the fewest training pages that have a label alone.
    Result: the table ``problems``: number of test pages, log-likelihoods in nats a word, and the share of pages that
    are likelier under the mean.  Values are means over the data sets, but for the sum of ``pages``.
    """
    rows: list[dict[str, Any]] = []
    for role, trial in _trials(sources):
        fitted = trial.train[trial.train.y.sum(axis=1) == 1].fitted(PMM1())
        frequent = fitted.label_count_ >= settings["least_pages"]
        test, Y = trial.test, trial.test.y
        pages = test[(Y.sum(axis=1) > 1) & ~Y[:, ~frequent].any(axis=1) & (np.diff(test.X.indptr) > 0)]
        X, Y = pages.X, pages.y
        mixture = fitted.score_samples(X, Y)
        single = np.array(
            [fitted.score_samples(X, np.tile(row, (len(pages), 1))) for row in np.eye(Y.shape[1], dtype=int)]
        )
        best = np.where(Y.T > 0, single, -np.inf).max(axis=0)
        mean = np.where(Y.T > 0, single, 0.0).sum(axis=0) / Y.sum(axis=1)
        n_words = float(X.sum())
        rows.append(
            {
                "role": role,
                "pages": float(len(pages)),
                "log_likelihood_mixture": float(mixture.sum()) / n_words,
                "log_likelihood_best_single": float(best.sum()) / n_words,
                "log_likelihood_mean_single": float(mean.sum()) / n_words,
                "share_of_pages_for_mixture": float(np.mean(mixture > best)),
            }
        )
    keys = [key for key in rows[0] if key != "role"]
    values = {key: float(np.mean([row[key] for row in rows])) for key in keys}
    return Measure(values | {"pages": sum(row["pages"] for row in rows)}, {"problems": rows})


def words(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Show which words of one test page came from which of its labels, by PMM1.

    The page has the given numbers of labels and words, PMM1 finds exactly its labels, and the label with the smallest
    share of its words has the largest share among all these pages.

    Settings: ``labels``, number of labels of the page; ``least_words``, ``most_words``, limits of its number of
    different words; ``shown``, the number of words of the table: the ones whose probability under the page's labels
    most exceeds the mean over all labels, times their count.
    Result: the table ``words`` (the share of each label in each word); ``share_k`` is the share of the page's label k
    in all its words; `MissingResult` where no page is such.
    """
    ((role, trial),) = _trials(sources)
    corpus = sources[role].corpus
    fitted, test = trial.train.fitted(PMM1()), trial.test
    length = np.diff(test.X.indptr)
    fits = (test.y.sum(axis=1) == settings["labels"]) & test.right(fitted)
    pages = np.flatnonzero(fits & (length >= settings["least_words"]) & (length <= settings["most_words"]))
    if not len(pages):
        raise MissingResult(
            f"no page of {role} has {settings['labels']} labels, all found, and {settings['least_words']} to "
            f"{settings['most_words']} words; widen the settings"
        )
    shares = [_word_shares(fitted, test.X, int(page)) for page in pages]
    balance = [(counts @ share / counts.sum()).min() for _, counts, share, _ in shares]
    word, counts, share, labels = shares[int(np.argmax(balance))]
    lift = np.log(fitted.theta_[word][:, labels].mean(axis=1) / fitted.theta_[word].mean(axis=1))
    chosen = np.argsort(-counts * lift, kind="stable")[: settings["shown"]]
    chosen = chosen[np.argsort(share[chosen, 0], kind="stable")]
    names, vocabulary = [corpus.label_names[label] for label in labels], corpus.feature_names or ()
    rows = [
        {"word": vocabulary[word[i]], "count": float(counts[i]), **dict(zip(names, share[i].tolist(), strict=True))}
        for i in chosen
    ]
    whole = counts @ share / counts.sum()
    return Measure({f"share_{number}": float(value) for number, value in enumerate(whole)}, {"words": rows})


def _word_shares(fitted: PMM1, X: sparse.csr_array, page: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the n words of a page, their counts, the shares (n, K) of its K predicted labels, and these labels."""
    entries = slice(X.indptr[page], X.indptr[page + 1])
    labels = np.flatnonzero(fitted.predict(X[[page]])[0])
    part = fitted.theta_[X.indices[entries]][:, labels]
    return X.indices[entries], X.data[entries].astype(np.float64), part / part.sum(axis=1, keepdims=True), labels
