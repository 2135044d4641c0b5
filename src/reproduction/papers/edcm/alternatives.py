"""Studies of what the document leaves open: the DCM by each method, readings of the deviations and the perplexities.

Each study lists every reading that was tried, so that the reader sees which printed numbers none of them gives.
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

#: Name of a relation -> the deviation of log q from log p, all (N,), for documents of the given lengths (N,).
Relation = Callable[[np.ndarray, np.ndarray, np.ndarray], float]
RELATIONS: Mapping[str, Relation] = {
    "mean |q - p| / |p|": lambda p, q, _: float(np.mean(np.abs((q - p) / p))),
    "mean |q - p| / |q|": lambda p, q, _: float(np.mean(np.abs((q - p) / q))),
    "|mean (q - p) / p|": lambda p, q, _: float(np.abs(np.mean((q - p) / p))),
    "median |q - p| / |p|": lambda p, q, _: float(np.median(np.abs((q - p) / p))),
    "sum |q - p| / sum |p|": lambda p, q, _: float(np.abs(q - p).sum() / np.abs(p).sum()),
    "|sum (q - p)| / |sum p|": lambda p, q, _: float(np.abs((q - p).sum() / p.sum())),
    "mean |change of the probability of a word|": lambda p, q, n: float(np.mean(np.abs(np.expm1((q - p) / n)))),
}
#: Name of a level -> perplexity by the log probabilities (N,) of documents of all classes.
LEVELS: Mapping[str, Callable[[np.ndarray, Documents], float]] = {
    "mean of the classes": lambda log_p, documents: float(by_class(log_p, documents).mean()),
    "all documents": lambda log_p, documents: float(np.exp(-log_p.sum() / documents.lengths.sum())),
    "mean of the documents": lambda log_p, documents: _mean_of_documents(log_p, documents.lengths),
}
CONVENTIONS: Mapping[str, Literal["sequence", "bag"]] = {"left out": "sequence", "counted": "bag"}


def dcm_methods(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure accuracy and perplexity of the DCM by each of its methods, beside multinomial and EDCM.

    Settings: ``trials``, how many splits; ``multinomial``, the smoothing constant of the multinomial.
    Result: the table ``splits`` has accuracy and perplexity for each model and split; ``edcm_above_<method>`` and
    ``<method>_above_multinomial`` are the shares of the splits in which the first is the more accurate.
    """
    models: dict[str, Any] = {"multinomial": MultinomialClassifier(smoothing=settings["multinomial"])}
    models |= {"edcm": EDCMClassifier(), **{f"dcm_{method}": DCMClassifier(method=method) for method in METHODS}}  # type: ignore[arg-type]
    rows: Rows = []
    source = only(sources)
    for trial in source.trials(most=settings["trials"]):
        split, train, test = trial.number, trial.train, trial.test
        for name, model in models.items():
            train.fitted(model)
            accuracy = float(np.mean(model.predict(test.X) == test.y))
            perplexity = float(of_classes(model, test, "sequence").mean())
            rows.append({"model": name, "split": split, "accuracy": accuracy, "perplexity": perplexity})
    values: Values = {}
    rows_of = {name: [row for row in rows if row["model"] == name] for name in models}
    for name, metric in itertools.product(models, ("accuracy", "perplexity")):
        values[f"{name}_{metric}"] = Repeated([row[metric] for row in rows_of[name]], source.test_ratio)
    for method in METHODS:
        values[f"edcm_above_{method}"] = _share_above(rows_of["edcm"], rows_of[f"dcm_{method}"])
        values[f"{method}_above_multinomial"] = _share_above(rows_of[f"dcm_{method}"], rows_of["multinomial"])
    return Measure(values, {"splits": rows})


def _share_above(better: Rows, worse: Rows) -> float:
    return float(np.mean([a["accuracy"] > b["accuracy"] for a, b in zip(better, worse, strict=True)]))


def deviation_readings(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the deviations of q from p (sections 3 and 4) by every reading of "deviates on average".

    A reading is a training of the DCM, a smoothing constant of both models, the training or the unseen documents, log
    probabilities with or without the multinomial coefficient, and one of `RELATIONS`.  Smoothing 0 has no unseen
    documents, whose words may be unknown, and no leave-one-out training, which gives known words a parameter of 0.

    Settings: ``smoothing``, constants; ``steps``, numbers of steps of Minka's fixed point, which is also run to its
    end; ``per_class``, documents drawn of each class; ``printed``, both printed deviations; ``margin``, the relative
    distance within which a deviation is that in print.
    Result: the table ``readings`` (both deviations of each reading) and the number of readings that give both printed
    numbers, or one of the two.
    """
    trial = only(sources).first()
    train, test = trial.train, trial.test
    samples = {"training": sample(train, settings["per_class"], generator)}
    samples["unseen"] = sample(test, settings["per_class"], generator)
    rows: Rows = []
    for smoothing, training, alpha, beta in _trainings_of(train, settings["smoothing"], settings["steps"]):
        for documents, drawn in samples.items():
            if smoothing or documents == "training":
                head = {"smoothing": smoothing, "training": training, "documents": documents}
                rows += [head | row for row in _deviations(drawn, alpha, beta)]
    printed, margin = settings["printed"], settings["margin"]
    near = {name: [abs(row[name] / printed[name] - 1.0) <= margin for row in rows] for name in ("same", "own")}
    both = sum(a and b for a, b in zip(near["same"], near["own"], strict=True))
    values: Values = {"readings": len(rows), "with_same": sum(near["same"]), "with_own": sum(near["own"])}
    return Measure(values | {"with_both": both}, {"readings": rows})


def _trainings_of(
    train: Documents, constants: Sequence[float], steps: Sequence[int]
) -> Iterator[tuple[float, str, np.ndarray, np.ndarray]]:
    """Yield smoothing constant, name of the training, and alpha and beta (C, V) of each training."""
    ways: dict[str, dict[str, Any]] = {"maximum": {}, "leave one out": {"method": "leave_one_out"}}
    ways |= {f"{n} steps": {"method": "fixed_point", "max_iter": n, "tol": 0.0} for n in steps}
    for smoothing in constants:
        beta = train.fitted(EDCMClassifier(smoothing=smoothing)).beta_
        for name, options in ways.items():
            if smoothing or name != "leave one out":
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a training that is stopped early on purpose
                    alpha = train.fitted(DCMClassifier(smoothing=smoothing, **options)).alpha_
                yield smoothing, name, alpha, beta


def _deviations(sample: Documents, alpha: np.ndarray, beta: np.ndarray) -> Rows:
    """Return both deviations for each convention of the coefficient and each relation."""
    rows: Rows = []
    for coefficient, convention in CONVENTIONS.items():
        p, same = log_dcm(sample, alpha, convention), log_edcm(sample, alpha, convention)
        refitted = log_edcm(sample, beta, convention)
        for name, relation in RELATIONS.items():
            pair = {"same": relation(p, same, sample.lengths), "own": relation(p, refitted, sample.lengths)}
            rows.append({"coefficient": coefficient, "relation": name, **pair})
    return rows


def perplexity_readings(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the perplexities of multinomial and DCM (section 6.2) by every reading of them.

    A reading is the way to train the DCM, a smoothing constant of each model, one of `LEVELS`, and the documents:
    unseen ones, unseen ones without the words that their class lacks, or training documents.

    Settings: ``smoothing``, constants of the multinomial and, as shares of the smallest parameter, of the DCM;
    ``absolute``, further constants of the DCM, which are the amounts themselves; ``methods`` of the DCM; ``printed``,
    both printed perplexities; ``margin``, the relative distance within which one is that in print.
    Result: the table ``readings`` (each perplexity with its reading; ``unit`` is the unit of the smoothing constant)
    and the number of pairs with equal documents and level that give both printed numbers; ``with_both`` takes any two
    constants, ``with_both_at_0.01`` the constant of the paper for the multinomial.
    """
    trial = only(sources).first()
    train, test = trial.train, trial.test
    samples = {"unseen": test, "unseen, known words": _without_unseen_words(train, test), "training": train}
    rows: Rows = []
    for head, log_p in _models(train, settings):
        for documents, drawn in samples.items():
            logs = log_p(drawn)
            for name, level in LEVELS.items():
                rows.append({**head, "documents": documents, "level": name, "perplexity": level(logs, drawn)})
    printed, margin = settings["printed"], settings["margin"]
    near = [row for row in rows if abs(row["perplexity"] / printed[row["model"]] - 1.0) <= margin]
    pairs = [
        (a["smoothing"], b["smoothing"])
        for a, b in itertools.product(near, near)
        if (a["model"], b["model"]) == ("multinomial", "dcm") and a["documents"] == b["documents"]
        if a["level"] == b["level"]
    ]
    values: Values = {"with_both": len(pairs), "with_both_at_0.01": sum(a == 0.01 for a, _b in pairs)}
    return Measure(values, {"readings": rows})


def _models(train: Documents, settings: Settings) -> Iterator[tuple[dict[str, Any], Callable[[Documents], np.ndarray]]]:
    """Yield each trained model of `perplexity_readings`: its cells of the table, and its log probabilities (N,)."""
    for smoothing in settings["smoothing"]:
        log_theta = train.fitted(MultinomialClassifier(smoothing=smoothing)).feature_log_prob_
        head = {"model": "multinomial", "method": "", "smoothing": smoothing, "unit": "absolute"}
        yield head, partial(_log_multinomial, log_theta=log_theta)
    constants = [(value, "smallest") for value in settings["smoothing"]]
    constants += [(value, "absolute") for value in settings["absolute"]]
    for method, (smoothing, unit) in itertools.product(settings["methods"], constants):
        model = train.fitted(DCMClassifier(method=method, smoothing=smoothing, smoothing_unit=unit))
        head = {"model": "dcm", "method": method, "smoothing": smoothing, "unit": unit}
        yield head, partial(log_dcm, alpha=model.alpha_)


def _log_multinomial(documents: Documents, log_theta: np.ndarray) -> np.ndarray:
    """Return log p of each document under its class's multinomial without the coefficient, float64 (N,)."""
    return sum_of(documents, documents.X.data * cells_of(documents, log_theta))


def _without_unseen_words(train: Documents, test: Documents) -> Documents:
    """Return the test documents without the words that no training document of their class has."""
    seen = np.zeros((int(train.y.max()) + 1, train.X.shape[1]))
    np.add.at(seen, (np.repeat(train.y, np.diff(train.X.indptr)), train.X.indices), 1.0)
    X = test.X.copy()
    X.data = X.data * (cells_of(test, seen) > 0)
    X.eliminate_zeros()
    return Documents(X, test.y)


def _mean_of_documents(log_p: np.ndarray, lengths: np.ndarray) -> float:
    """Return the mean of the perplexities of the documents that have words."""
    full = lengths > 0
    return float(np.exp(-log_p[full] / lengths[full]).mean())
