"""Scores of a persisted model on labelled texts, label by label, and the calibration of its probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.data.readers.text_table import read
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.details import by_label, calibration
from textmix.metrics.table import METRICS, shown_metrics
from textmix.serve.model import PersistedModel


def labelled(path: Path, form: str, model: PersistedModel, options: Mapping[str, Any]) -> Corpus:
    """Return the labelled texts of a table.

    Parameters
    ----------
    path, form : the file and its format.
    model : by whose task rows have one label or several.
    options : further options of `textmix.data.readers.text_table.read`.
    """
    head = {"name": path.name, "format": form, "several": model.task == "multi", "detect": True}
    return read({"data": path}, {**head, **options})


class Assessed(NamedTuple):
    """What a model says of labelled texts, beside what is true.

    Parameters
    ----------
    true, predicted : indices of labels (N,), or label indicators (N, L).
    probability : of the predicted label (N,), or of each label (N, L); None where the model gives none.
    """

    true: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray | None

    @property
    def happened(self) -> np.ndarray:
        """Whether that came true of which the probability is stated."""
        return self.true == self.predicted if self.true.ndim == 1 else self.true


def assess(model: PersistedModel, corpus: Corpus) -> Assessed:
    """Return what a model says of labelled texts.

    Raises
    ------
    ConfigError : a label is not among those of the model.
    """
    place = {str(name): i for i, name in enumerate(model.label_names)}
    unknown = sorted({str(name) for name in corpus.label_names} - set(place))
    if unknown:
        known = ", ".join(list(place)[:10])
        raise ConfigError(f"{corpus.name}: the label {unknown[0]!r} is not among those of the model: {known}")
    columns = np.array([place[str(name)] for name in corpus.label_names])
    if corpus.text is None:
        raise ConfigError(f"{corpus.name}: has no texts")
    predicted, probability = model.label(corpus.text)
    if model.task == "single":
        stated = None if probability is None else probability[np.arange(len(predicted)), predicted]
        return Assessed(columns[corpus.classes()], predicted, stated)
    true = np.zeros((corpus.n_documents, len(place)), dtype=np.int8)
    true[:, columns] = corpus.indicators()
    return Assessed(true, predicted, probability)


def scores(model: PersistedModel, found: Assessed) -> dict[str, float]:
    """Return metric -> value; metrics of probabilities are left out."""
    evaluation = Evaluation(found.true, found.predicted, np.full(len(found.true), np.nan))
    names = [name for name in shown_metrics(model.task) if METRICS[name].takes == "decisions"]
    return {name: metric_value(name, evaluation) for name in names}


def lines(model: PersistedModel, found: Assessed) -> Iterator[str]:
    """Yield the lines of ``textmix evaluate``: the scores, each label, and the calibration where there is one."""
    yield f"{'documents':<20} {len(found.true)}"
    for name, value in scores(model, found).items():
        yield f"{name:<20} {value:.4f}"
    names = [str(name) for name in model.label_names]
    width = max(20, *(len(name) for name in names))
    eye = np.eye(len(names), dtype=np.int8)
    both = [eye[part] if part.ndim == 1 else part.astype(np.int8) for part in (found.true, found.predicted)]
    yield f"\n{'label':<{width}} {'documents':>9} {'precision':>9} {'recall':>9} {'F':>9}"
    for row in by_label(both[0], both[1], names):
        shares = " ".join(
            f"{'-' if row[key] is None else f'{row[key]:.4f}':>9}" for key in ("precision", "recall", "f")
        )
        yield f"{row['label']:<{width}} {row['support']:>9} {shares}"
    bins = [] if found.probability is None else calibration(found.probability, found.happened)
    if bins:
        yield f"\n{'stated probability':<20} {'came true':>9} {'number':>9}"
        yield from (f"{each['stated']:<20.3f} {each['observed']:>9.3f} {each['number']:>9}" for each in bins)
