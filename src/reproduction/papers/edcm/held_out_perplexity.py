"""Perplexity of held-out documents (section 6.2), and of mixtures of multinomials compared with the DCM."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from scipy.special import bdtrc

from reproduction.flow.measures import Measure, Rows, Settings, Sources, Values, mean_and_deviation, only, seed_from
from reproduction.papers.edcm.burstiness import log_total_by_saddle_point
from textmix.experiment.trial import Documents
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.mixture import MultinomialMixture
from textmix.models.naive_bayes.multinomial import MultinomialClassifier

MODELS: Mapping[str, Any] = {"multinomial": MultinomialClassifier, "dcm": DCMClassifier, "edcm": EDCMClassifier}


def perplexity(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the perplexity exp(-sum_d log p(x_d) / sum_d n_d) of held-out documents under their class models.

    Values are means, with standard deviations over classes and splits. Keys without a suffix consider documents as
    sequences of words, keys in ``_bag`` as count vectors. The EDCM is evaluated with q, which is not normalised; for
    ``edcm_normalised_on_first_split``, q is divided by its sum over all documents of the same length.

    Settings: ``smoothing``, the smoothing constant of the values; ``others``, constants that are tried on the first
    split only; optionally ``dcm_smoothing``, another constant for DCM and EDCM, and ``dcm_method``, the training method
    of the DCM.
    Result: the tables ``smoothing`` (perplexity of each model with each of the other constants) and ``classes`` (mean
    perplexity of each class under each model over the splits). ``chance_of_a_dcm_no_better`` is the one-sided p-value
    of the sign test over the classes.
    """
    perplexities: dict[tuple[str, str], list[np.ndarray]] = {}
    conventions: tuple[Literal["sequence", "bag"], ...] = ("sequence", "bag")
    rows: Rows = []
    firsts: dict[str, tuple[Any, Documents]] = {}
    for trial in only(sources).trials():
        train, test = trial.train, trial.test
        for name, kind in MODELS.items():
            model = train.fitted(kind(**_parameters(name, settings)))
            for order in conventions:
                perplexities.setdefault((name, order), []).append(of_classes(model, test, order))
            if trial.number == 0:
                rows += [_smoothed(name, smoothing, train, test) for smoothing in settings["others"]]
                firsts[name] = model, test
    normalised = float(_normalised(*firsts["edcm"]).mean())
    values: Values = {}
    for name in MODELS:
        values[f"{name}_on_first_split"] = float(perplexities[name, "sequence"][0].mean())
    dcm = float(perplexities["dcm", "sequence"][0].mean())
    values["edcm_normalised_on_first_split"] = normalised
    values["edcm_normalised_distance_from_dcm"] = abs(normalised / dcm - 1.0)
    for (name, convention), by_split in perplexities.items():
        key = name if convention == "sequence" else f"{name}_bag"
        values[key] = mean_and_deviation(by_split)
        _mean, deviation = mean_and_deviation(np.mean(by_split, axis=1))
        values[f"{key}_spread_over_splits"] = deviation
    means = {name: np.mean(perplexities[name, "sequence"], axis=0) for name in MODELS}
    values["chance_of_a_dcm_no_better"] = _chance_of_no_gain(means["multinomial"], means["dcm"])
    classes = []
    for c in range(len(means["dcm"])):
        row: dict[str, Any] = {"class": c}
        for name, mean_of_class in means.items():
            row[name] = float(mean_of_class[c])
        classes.append(row)
    return Measure(values, {"smoothing": rows, "classes": classes})


def _parameters(name: str, settings: Settings) -> dict[str, Any]:
    """Return the parameters of a model, with the constant and training method of the Dirichlet models if given."""
    smoothing = settings["smoothing"]
    if name == "multinomial":
        return {"smoothing": smoothing}
    parameters = {"smoothing": settings.get("dcm_smoothing", smoothing)}
    if name == "dcm" and "dcm_method" in settings:
        parameters["method"] = settings["dcm_method"]
    return parameters


def _chance_of_no_gain(before: np.ndarray, after: np.ndarray) -> float:
    """Compute the one-sided p-value of the sign test that ``after`` is not below ``before``, both (C,)."""
    n_lower = int(np.sum(after < before))
    n_changed = int(np.sum(after != before))
    return float(bdtrc(n_lower - 1, n_changed, 0.5)) if n_lower else 1.0


def _smoothed(name: str, smoothing: float, train: Documents, test: Documents) -> dict[str, Any]:
    """Return the row of a model with a smoothing constant: mean perplexity and its standard deviation."""
    model = train.fitted(MODELS[name](smoothing=smoothing))
    mean, deviation = mean_and_deviation(of_classes(model, test, "sequence"))
    return {"model": name, "smoothing": smoothing, "perplexity": mean, "spread": deviation}


def of_classes(model: Any, test: Documents, convention: Literal["sequence", "bag"]) -> np.ndarray:
    """Compute the perplexity of the documents of each class under its model, float64 (C,)."""
    return by_class(_log_likelihood_of_class(model, test, convention), test)


def _log_likelihood_of_class(model: Any, test: Documents, convention: Literal["sequence", "bag"]) -> np.ndarray:
    """Compute the log-likelihood of each document under the model of its class, float64 (N,)."""
    log_p = model.log_likelihood(test.X, convention)
    columns = np.searchsorted(model.classes_, test.y)
    return np.asarray(log_p[np.arange(len(test.y)), columns])


def _normalised(model: EDCMClassifier, test: Documents) -> np.ndarray:
    """Compute the perplexity of `of_classes` for q(x) / Z(n), with Z(n) by the saddle-point method, float64 (C,)."""
    log_p = _log_likelihood_of_class(model, test, "sequence")
    for c, beta in zip(model.classes_, model.beta_, strict=True):
        rows = np.flatnonzero((test.y == c) & (test.lengths > 1))
        distinct, index = np.unique(test.lengths[rows], return_inverse=True)
        log_totals = np.array([log_total_by_saddle_point(beta, n) for n in distinct])
        log_p[rows] -= log_totals[index]
    return by_class(log_p, test)


def by_class(log_p: np.ndarray, test: Documents) -> np.ndarray:
    """Compute exp(-sum log p / sum n) of each class with words, (C,)."""
    total = np.bincount(test.y, log_p)
    n_words = np.bincount(test.y, test.lengths)
    has_words = n_words > 0
    return np.exp(-total[has_words] / n_words[has_words])


def mixtures(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the perplexity of one mixture of multinomials per class against its number of components.

    Settings: ``components``, an increasing list; ``smoothing``, constants for the mixtures, the first also for the DCM;
    ``max_iter``, the maximum number of EM iterations.
    Result: the table ``curve`` has the mean perplexity of the classes for each constant and number of components.
    ``a_mixture_reaches_the_dcm`` is 1 if the lowest perplexity is at most the perplexity of the DCM, otherwise 0.
    """
    trial = only(sources).first()
    train, test = trial.train, trial.test
    rows: Rows = []
    for smoothing, components in itertools.product(settings["smoothing"], settings["components"]):
        shape = {"n_components": components, "smoothing": smoothing, "max_iter": settings["max_iter"]}
        log_p = np.zeros(len(test.y))
        for c in np.unique(train.y):
            model = MultinomialMixture(**shape, random_state=seed_from(generator))
            model.fit(train.X[train.y == c])
            is_in_class = test.y == c
            log_p[is_in_class] = model.score_samples(test.X[is_in_class], "sequence")
        mean = float(by_class(log_p, test).mean())
        rows.append({"smoothing": smoothing, "components": components, "perplexity": mean})
    dcm = train.fitted(DCMClassifier(smoothing=settings["smoothing"][0]))
    level = float(of_classes(dcm, test, "sequence").mean())
    best = min(rows, key=lambda row: row["perplexity"])
    values: Values = {
        "dcm": level,
        "best_mixture": best["perplexity"],
        "best_number": best["components"],
        "a_mixture_reaches_the_dcm": float(best["perplexity"] <= level),
    }
    return Measure(values, {"curve": rows})
