"""Alternatives that the EDCM paper leaves open: methods for the DCM, interpretations of deviations and perplexities.

Each measure lists all specifications that were tried, including those that reproduce no published value.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Repeated, Rows, Settings, Sources, Values, only
from reproduction.papers.edcm.approximation import cells_of, log_dcm, log_edcm, sample, sum_of
from reproduction.papers.edcm.held_out_perplexity import by_class, of_classes
from textmix.experiment.trial import Documents
from textmix.models.dirichlet.dcm import METHODS, DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier


def _mean_deviation_relative_to_p(p: np.ndarray, q: np.ndarray, _: np.ndarray) -> float:
    deviation = (q - p) / p
    return float(np.mean(np.abs(deviation)))


def _mean_deviation_relative_to_q(p: np.ndarray, q: np.ndarray, _: np.ndarray) -> float:
    deviation = (q - p) / q
    return float(np.mean(np.abs(deviation)))


def _signed_mean_deviation(p: np.ndarray, q: np.ndarray, _: np.ndarray) -> float:
    deviation = (q - p) / p
    return float(np.abs(np.mean(deviation)))


def _median_deviation(p: np.ndarray, q: np.ndarray, _: np.ndarray) -> float:
    deviation = (q - p) / p
    return float(np.median(np.abs(deviation)))


def _ratio_of_absolute_sums(p: np.ndarray, q: np.ndarray, _: np.ndarray) -> float:
    return float(np.abs(q - p).sum() / np.abs(p).sum())


def _ratio_of_sums(p: np.ndarray, q: np.ndarray, _: np.ndarray) -> float:
    difference = q - p
    return float(np.abs(difference.sum() / p.sum()))


def _mean_change_per_word(p: np.ndarray, q: np.ndarray, n: np.ndarray) -> float:
    change = np.expm1((q - p) / n)
    return float(np.mean(np.abs(change)))


#: Deviation of log q from log p, by name of the relation. The arguments are log p, log q and document lengths, all of
#: shape (n_documents,).
Relation = Callable[[np.ndarray, np.ndarray, np.ndarray], float]
RELATIONS: Mapping[str, Relation] = {
    "mean |q - p| / |p|": _mean_deviation_relative_to_p,
    "mean |q - p| / |q|": _mean_deviation_relative_to_q,
    "|mean (q - p) / p|": _signed_mean_deviation,
    "median |q - p| / |p|": _median_deviation,
    "sum |q - p| / sum |p|": _ratio_of_absolute_sums,
    "|sum (q - p)| / |sum p|": _ratio_of_sums,
    "mean |change of the probability of a word|": _mean_change_per_word,
}


def _mean_perplexity_of_classes(log_p: np.ndarray, documents: Documents) -> float:
    return float(by_class(log_p, documents).mean())


def _perplexity_of_all(log_p: np.ndarray, documents: Documents) -> float:
    return float(np.exp(-log_p.sum() / documents.lengths.sum()))


def _mean_perplexity_of_documents(log_p: np.ndarray, documents: Documents) -> float:
    """Compute the mean perplexity of the nonempty documents."""
    lengths = documents.lengths
    is_nonempty = lengths > 0
    perplexity = np.exp(-log_p[is_nonempty] / lengths[is_nonempty])
    return float(perplexity.mean())


#: Perplexity of documents of all classes, by level of averaging. Arguments are log probabilities and documents.
LEVELS: Mapping[str, Callable[[np.ndarray, Documents], float]] = {
    "mean of the classes": _mean_perplexity_of_classes,
    "all documents": _perplexity_of_all,
    "mean of the documents": _mean_perplexity_of_documents,
}
#: Convention of the probabilities with and without the multinomial coefficient.
CONVENTIONS: Mapping[str, Literal["sequence", "bag"]] = {"left out": "sequence", "counted": "bag"}


def dcm_methods(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure accuracy and perplexity of multinomial, EDCM and the DCM by each of its methods.

    Settings: ``trials``, number of splits; ``multinomial``, the smoothing constant of the multinomial.
    Result: the table ``splits`` has accuracy and perplexity for each model and split. ``edcm_above_<method>`` and
    ``<method>_above_multinomial`` are the proportions of splits on which the first model is more accurate.
    """
    models: dict[str, Any] = {
        "multinomial": MultinomialClassifier(smoothing=settings["multinomial"]),
        "edcm": EDCMClassifier(),
    }
    for method in METHODS:
        models[f"dcm_{method}"] = DCMClassifier(method=method)  # type: ignore[arg-type]
    rows: Rows = []
    source = only(sources)
    for trial in source.trials(most=settings["trials"]):
        for name, model in models.items():
            trial.train.fitted(model)
            predicted = model.predict(trial.test.X)
            accuracy = float(np.mean(predicted == trial.test.y))
            perplexity = float(of_classes(model, trial.test, "sequence").mean())
            row = {
                "model": name,
                "split": trial.number,
                "accuracy": accuracy,
                "perplexity": perplexity,
            }
            rows.append(row)
    values: Values = {}
    rows_of = {name: [row for row in rows if row["model"] == name] for name in models}
    for name, metric in itertools.product(models, ("accuracy", "perplexity")):
        scores = [row[metric] for row in rows_of[name]]
        values[f"{name}_{metric}"] = Repeated(scores, source.test_ratio)
    for method in METHODS:
        rows_of_dcm = rows_of[f"dcm_{method}"]
        values[f"edcm_above_{method}"] = _proportion_above(rows_of["edcm"], rows_of_dcm)
        values[f"{method}_above_multinomial"] = _proportion_above(rows_of_dcm, rows_of["multinomial"])
    return Measure(values, {"splits": rows})


def _proportion_above(left: Rows, right: Rows) -> float:
    """Compute the proportion of splits on which the left model is more accurate than the right one."""
    pairs = zip(left, right, strict=True)
    is_above = [a["accuracy"] > b["accuracy"] for a, b in pairs]
    return float(np.mean(is_above))


def deviation_readings(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the deviations of q from p (sections 3 and 4) for every interpretation of "deviates on average".

    A specification is a training method for the DCM, a smoothing constant of both models, the training or the held-out
    documents, log probabilities with or without the multinomial coefficient, and one of `RELATIONS`. Smoothing 0 is not
    combined with held-out documents, which may contain out-of-vocabulary words, or with leave-one-out training, which
    estimates some parameters as 0.

    Settings: ``smoothing``, constants; ``steps``, numbers of steps of Minka's fixed point, which is also run until it
    converges; ``per_class``, number of documents drawn from each class; ``published``, both published deviations;
    ``margin``, the relative distance within which a deviation agrees with the published one.
    Result: the table ``readings`` has both deviations of each specification. The values are the numbers of
    specifications that agree with both published deviations, or with one of them.
    """
    trial = only(sources).first()
    samples = {
        "training": sample(trial.train, settings["per_class"], generator),
        "unseen": sample(trial.test, settings["per_class"], generator),
    }
    rows: Rows = []
    for smoothing, training, alpha, beta in _train_models(trial.train, settings["smoothing"], settings["steps"]):
        for documents, drawn in samples.items():
            if smoothing or documents == "training":
                specification = {
                    "smoothing": smoothing,
                    "training": training,
                    "documents": documents,
                }
                rows += [specification | row for row in _deviations(drawn, alpha, beta)]
    agrees_same = _agreement_with_published(rows, "same", settings)
    agrees_own = _agreement_with_published(rows, "own", settings)
    agrees_with_both = [same and own for same, own in zip(agrees_same, agrees_own, strict=True)]
    values: Values = {
        "readings": len(rows),
        "with_same": sum(agrees_same),
        "with_own": sum(agrees_own),
        "with_both": sum(agrees_with_both),
    }
    return Measure(values, {"readings": rows})


def _agreement_with_published(rows: Rows, column: str, settings: Settings) -> list[bool]:
    """Check for each row whether its deviation is within the margin of the published one."""
    published, _half_unit = settings["published"][column]
    margin = settings["margin"]
    return [abs(row[column] / published - 1.0) <= margin for row in rows]


def _train_models(
    train: Documents, constants: Sequence[float], steps: Sequence[int]
) -> Iterator[tuple[float, str, np.ndarray, np.ndarray]]:
    """Yield smoothing constant, name of the training method, and alpha and beta (C, V) for each combination."""
    methods: dict[str, dict[str, Any]] = {"maximum": {}}
    methods["leave one out"] = {"method": "leave_one_out"}
    for n_steps in steps:
        methods[f"{n_steps} steps"] = {"method": "fixed_point", "max_iter": n_steps, "tol": 0.0}
    for smoothing in constants:
        beta = train.fitted(EDCMClassifier(smoothing=smoothing)).beta_
        for name, params in methods.items():
            if smoothing or name != "leave one out":
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # training is stopped early on purpose
                    model = DCMClassifier(smoothing=smoothing, **params)
                    alpha = train.fitted(model).alpha_
                yield smoothing, name, alpha, beta


def _deviations(sample: Documents, alpha: np.ndarray, beta: np.ndarray) -> Rows:
    """Compute both deviations for each convention of the coefficient and each relation."""
    rows: Rows = []
    for coefficient, convention in CONVENTIONS.items():
        log_p = log_dcm(sample, alpha, convention)
        log_q_same = log_edcm(sample, alpha, convention)
        log_q_own = log_edcm(sample, beta, convention)
        for name, relation in RELATIONS.items():
            same = relation(log_p, log_q_same, sample.lengths)
            own = relation(log_p, log_q_own, sample.lengths)
            row = {
                "coefficient": coefficient,
                "relation": name,
                "same": same,
                "own": own,
            }
            rows.append(row)
    return rows


def perplexity_readings(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the perplexities of multinomial and DCM (section 6.2) for every interpretation of them.

    A specification is a training method for the DCM, a smoothing constant of each model, one of `LEVELS`, and the
    documents: held-out documents, held-out documents without the words that no training document of their class
    contains, or training documents.

    Settings: ``smoothing``, constants of the multinomial and, relative to the smallest parameter, of the DCM;
    ``absolute``, absolute constants of the DCM; ``methods`` of the DCM; ``published``, both published perplexities;
    ``margin``, the relative distance within which a perplexity agrees with the published one.
    Result: the table ``readings`` has the perplexity of each specification (``unit`` is the unit of the smoothing
    constant). The values are the numbers of pairs with equal documents and level that agree with both published
    perplexities: ``with_both`` for any constants, ``with_both_at_0.01`` for the constant of the paper for the
    multinomial.
    """
    trial = only(sources).first()
    train, test = trial.train, trial.test
    samples = {
        "unseen": test,
        "unseen, known words": _without_new_words(train, test),
        "training": train,
    }
    rows: Rows = []
    for cells, log_probability in _models(train, settings):
        for documents, drawn in samples.items():
            log_p = log_probability(drawn)
            for name, level in LEVELS.items():
                perplexity = level(log_p, drawn)
                row = {**cells, "documents": documents, "level": name, "perplexity": perplexity}
                rows.append(row)
    multinomials = _agreeing_rows(rows, "multinomial", settings)
    dcms = _agreeing_rows(rows, "dcm", settings)
    constants = [
        multinomial["smoothing"]
        for multinomial, dcm in itertools.product(multinomials, dcms)
        if (multinomial["documents"], multinomial["level"]) == (dcm["documents"], dcm["level"])
    ]
    values: Values = {
        "with_both": len(constants),
        "with_both_at_0.01": constants.count(0.01),
    }
    return Measure(values, {"readings": rows})


def _agreeing_rows(rows: Rows, model: str, settings: Settings) -> Rows:
    """Select the rows of a model whose perplexity is within the margin of the published one."""
    published, _half_unit = settings["published"][model]
    margin = settings["margin"]
    rows_of_model = [row for row in rows if row["model"] == model]
    return [row for row in rows_of_model if abs(row["perplexity"] / published - 1.0) <= margin]


def _models(train: Documents, settings: Settings) -> Iterator[tuple[dict[str, Any], Callable[[Documents], np.ndarray]]]:
    """Yield the cells of each trained model of `perplexity_readings` and a function for log probabilities (N,)."""
    for smoothing in settings["smoothing"]:
        multinomial = train.fitted(MultinomialClassifier(smoothing=smoothing))
        cells = {"model": "multinomial", "method": "", "smoothing": smoothing, "unit": "absolute"}
        yield cells, partial(_log_multinomial, log_theta=multinomial.feature_log_prob_)
    constants = [(value, "smallest") for value in settings["smoothing"]]
    constants += [(value, "absolute") for value in settings["absolute"]]
    for method, (smoothing, unit) in itertools.product(settings["methods"], constants):
        model = train.fitted(DCMClassifier(method=method, smoothing=smoothing, smoothing_unit=unit))
        cells = {"model": "dcm", "method": method, "smoothing": smoothing, "unit": unit}
        yield cells, partial(log_dcm, alpha=model.alpha_)


def _log_multinomial(documents: Documents, log_theta: np.ndarray) -> np.ndarray:
    """Compute log p of each document under the multinomial of its class without the coefficient, float64 (N,)."""
    return sum_of(documents, documents.X.data * cells_of(documents, log_theta))


def _without_new_words(train: Documents, test: Documents) -> Documents:
    """Drop the words of test documents that no training document of their class contains."""
    frequency = np.zeros((int(train.y.max()) + 1, train.X.shape[1]))
    class_of_element = np.repeat(train.y, np.diff(train.X.indptr))
    np.add.at(frequency, (class_of_element, train.X.indices), 1.0)
    X = test.X.copy()
    X.data = X.data * (cells_of(test, frequency) > 0)
    X.eliminate_zeros()
    return Documents(X, test.y)
