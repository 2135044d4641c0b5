"""Scores of a persisted model on labelled texts, label by label, and the calibration of its probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.data.labels import label_name
from textmix.data.user_table import columns_from_card, read_table
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.per_label import by_label, calibration, precision_at_recall
from textmix.metrics.registry import METRICS, shown_metrics
from textmix.serve.average_model import AveragedModel
from textmix.serve.model import PersistedModel


def labelled(path: Path, model: PersistedModel | AveragedModel, text: str | None = None, **asked: str | None) -> Corpus:
    """Return the labelled texts of a table; the errors are those of `textmix.data.user_table.read_table`.  ``text`` is
    their column; what is not ``asked`` (``label``, ``separator``, ``encoding``) is as the model's card and task say.
    """
    separator = asked.get("separator") or (model.card.get("separator") if model.task == "multi" else None)
    return read_table(
        path,
        labels=asked.get("label") or model.card.get("label column"),
        label_separator=separator,
        encoding=asked.get("encoding"),
        multi_label=model.task == "multi",
        features=model.beside,
        option_names=("--column", "--label"),
        **columns_from_card(model.card, text),
    ).corpus


class Assessed(NamedTuple):
    """The answers of a model beside the true labels: indices (N,), or indicators (N, L).  ``probability`` (N, L) is nan
    of a label without training documents; None where the model gives none.
    """

    true: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray | None

    def indicators(self, labels: np.ndarray, n_labels: int) -> np.ndarray:
        """Return indices or indicators as indicators, int8 (N, L)."""
        return (np.eye(n_labels, dtype=np.int8)[labels] if labels.ndim == 1 else labels).astype(np.int8)

    def bins(self) -> list[dict[str, Any]]:
        """Return the `textmix.metrics.per_label.calibration`: of the predicted label, or of each of several labels."""
        if self.probability is None:
            return []
        if self.true.ndim > 1:
            return calibration(self.probability, self.true)
        stated = self.probability[np.arange(len(self.predicted)), self.predicted]
        return calibration(stated, self.true == self.predicted)


def assess(model: PersistedModel | AveragedModel, corpus: Corpus) -> Assessed:
    """Return what a model says of labelled texts; ConfigError if a label is not among those of the model."""
    place = {label_name(name): i for i, name in enumerate(model.label_names)}
    unknown = sorted({str(name) for name in corpus.label_names} - set(place))
    if unknown:
        known = ", ".join(list(place)[:10])
        raise ConfigError(f"{corpus.name}: the label {unknown[0]!r} is not among those of the model: {known}")
    columns = np.array([place[str(name)] for name in corpus.label_names])
    if corpus.text is None:
        raise ConfigError(f"{corpus.name}: has no texts")
    predicted, probability = model.label(corpus.text)
    if model.task == "single":
        return Assessed(columns[corpus.classes()], predicted, probability)
    true = np.zeros((corpus.n_documents, len(place)), dtype=np.int8)
    true[:, columns] = corpus.indicators()
    return Assessed(true, predicted, probability)


def scores(model: PersistedModel | AveragedModel, found: Assessed) -> dict[str, float]:
    """Return metric -> value; metrics of probabilities are left out."""
    evaluation = Evaluation(found.true, found.predicted, np.full(len(found.true), np.nan))
    names = [name for name in shown_metrics(model.task) if METRICS[name].input == "decisions"]
    return {name: metric_value(name, evaluation) for name in names}


def lines(model: PersistedModel | AveragedModel, found: Assessed, recall: float | None = None) -> Iterator[str]:
    """Yield the lines of ``textmix evaluate``: the scores, each label, and the calibration where there is one.
    ``recall`` is that of each label at which its precision is told; it asks for a model with probabilities.
    """
    if recall is not None and found.probability is None:
        raise ConfigError("--recall: the model gives no probabilities; leave it out")
    yield f"{'documents':<20} {len(found.true)}"
    for name, value in scores(model, found).items():
        yield f"{name:<20} {value:.4f}"
    names = [str(name) for name in model.label_names]
    width = max(20, *(len(name) for name in names))
    true, predicted = (found.indicators(part, len(names)) for part in (found.true, found.predicted))
    at_recall = {} if recall is None else _at_recall(found, true, names, recall)
    more = "" if recall is None else f" {f'precision at recall {recall:g}':>26} {'from probability':>16}"
    yield ""
    yield f"{'label':<{width}} {'documents':>9} {'precision':>9} {'recall':>9} {'F':>9}{more}"
    for row in by_label(true, predicted, names):
        shares = " ".join(_cell(row[key], 9) for key in ("precision", "recall", "f"))
        yield f"{row['label']:<{width}} {row['support']:>9} {shares}{at_recall.get(row['label'], '')}"
    bins = found.bins()
    if bins:
        yield ""
        yield f"{'stated probability':<20} {'came true':>9} {'number':>9}"
        yield from (f"{each['stated']:<20.3f} {each['observed']:>9.3f} {each['number']:>9}" for each in bins)


def _cell(value: float | None, width: int) -> str:
    return f"{'-' if value is None else f'{value:.4f}':>{width}}"


def _at_recall(found: Assessed, true: np.ndarray, names: Sequence[str], recall: float) -> dict[str, str]:
    cells = {}
    for column, name in enumerate(names):
        point = precision_at_recall(found.probability[:, column], true[:, column], recall)  # type: ignore[index]
        cells[name] = f" {_cell(point and point[0], 26)} {_cell(point and point[1], 16)}"
    return cells
