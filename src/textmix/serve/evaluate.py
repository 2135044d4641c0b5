"""Evaluate a saved model on labelled texts: scores, results per label, and calibration of its probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.data.feature_rows import with_feature_rows
from textmix.data.labels import label_name, match_variants
from textmix.data.user_data import is_numeric, read_numeric
from textmix.data.user_table import columns_from_card, read_table
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.per_label import by_label, calibration, precision_at_recall
from textmix.metrics.registry import METRICS, shown_metrics
from textmix.serve.average_model import AveragedModel
from textmix.serve.model import PersistedModel

MAX_LABELS_IN_MESSAGE = 10
MIN_LABEL_WIDTH = 20

Model = PersistedModel | AveragedModel


def read_labelled_texts(
    path: Path,
    model: Model,
    *,
    text: str | None = None,
    label: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> Corpus:
    """Read a table of labelled texts; options that are None are those of the training table.

    Parameters
    ----------
    path : Path
    model : PersistedModel or AveragedModel
    text, label : str, default=None
        Columns of texts and labels.
    separator : str, default=None
        Label separator.
    encoding : str, default=None
        File encoding.

    Raises
    ------
    ConfigError or DataFormatError
        See `textmix.data.user_table.read_table`.
    """
    is_multi_label = model.task == "multi"
    label = label or model.card.get("label column")
    if model.is_numeric and is_numeric(path):
        return read_numeric(path, label)[0]
    if separator is None and is_multi_label:
        separator = model.card.get("separator")
    table = read_table(
        path,
        labels=label,
        label_separator=separator,
        encoding=encoding,
        multi_label=is_multi_label,
        features=model.extra_columns,
        option_names=("--text", "--label"),
        is_numeric=model.is_numeric,
        **columns_from_card(model.card, text),
    )
    return with_feature_rows(table.corpus) if model.is_numeric else table.corpus


class Predicted(NamedTuple):
    """True and predicted labels of N texts.

    Parameters
    ----------
    true, predicted : ndarray of shape (N,) or (N, L)
        Indices of labels, or label indicators.
    probability : ndarray of shape (N, L) or None
        nan for labels without training documents; None if the model has no probabilities.
    """

    true: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray | None

    def calibration(self) -> list[dict[str, Any]]:
        """Compute `textmix.metrics.per_label.calibration` of the predicted label, or of all labels."""
        if self.probability is None:
            return []
        if self.true.ndim > 1:
            return calibration(self.probability, self.true)
        confidence = self.probability[np.arange(len(self.predicted)), self.predicted]
        return calibration(confidence, self.true == self.predicted)


def predict_corpus(model: Model, corpus: Corpus) -> Predicted:
    """Predict the labels of labelled texts.

    Parameters
    ----------
    model : Model
        The model.
    corpus : Corpus
        The labelled texts.

    Returns
    -------
    Predicted
        True and predicted labels, and probabilities.

    Raises
    ------
    ConfigError
        If a label is unknown to the model, or the corpus has no texts.
    """
    index = {label_name(name): number for number, name in enumerate(model.label_names)}
    names = [str(name) for name in corpus.label_names]
    variants = match_variants(names, index)
    unknown = sorted(set(names) - set(index) - set(variants))
    if unknown:
        labels = ", ".join(list(index)[:MAX_LABELS_IN_MESSAGE])
        raise ConfigError(f"{corpus.name}: unknown label {unknown[0]!r}; the labels of the model are {labels}")
    columns = np.array([index[variants.get(name, name)] for name in names])
    if corpus.text is None:
        raise ConfigError(f"{corpus.name}: contains no texts")
    predicted, probability = model.label(corpus.text)
    if model.task == "single":
        return Predicted(columns[corpus.classes()], predicted, probability)
    true = np.zeros((corpus.n_documents, len(index)), dtype=np.int8)
    rows, positions = np.nonzero(corpus.indicators())
    true[rows, columns[positions]] = 1  # several spellings may be the same label
    return Predicted(true, predicted, probability)


def compute_scores(model: Model, predicted: Predicted) -> dict[str, float]:
    """Compute the metrics of decisions by name."""
    evaluation = Evaluation(predicted.true, predicted.predicted, np.full(len(predicted.true), np.nan))
    names = [name for name in shown_metrics(model.task) if METRICS[name].input == "decisions"]
    return {name: metric_value(name, evaluation) for name in names}


def format_report(model: Model, predicted: Predicted, recall: float | None = None) -> Iterator[str]:
    """Yield the lines of ``textmix evaluate``: scores, results per label, and calibration.

    Parameters
    ----------
    model : PersistedModel or AveragedModel
    predicted : Predicted
    recall : float, default=None
        Recall at which the precision of each label is shown.

    Raises
    ------
    ConfigError
        If a recall is passed for a model without probabilities.
    """
    if recall is not None and predicted.probability is None:
        raise ConfigError("--recall: requires a model with probabilities; drop the option")
    yield f"{'documents':<20} {len(predicted.true)}"
    for name, value in compute_scores(model, predicted).items():
        yield f"{name:<20} {value:.4f}"
    yield ""
    yield from _format_labels(list(model.label_names), predicted, recall)
    bins = predicted.calibration()
    if bins:
        yield ""
        yield f"{'mean probability':<20} {'fraction true':>13} {'documents':>9}"
        yield from (f"{row['stated']:<20.3f} {row['observed']:>13.3f} {row['number']:>9}" for row in bins)


def _format_labels(names: Sequence[str], predicted: Predicted, recall: float | None) -> Iterator[str]:
    width = max(MIN_LABEL_WIDTH, *(len(name) for name in names))
    true = _as_indicators(predicted.true, len(names))
    header = f"{'label':<{width}} {'documents':>9} {'precision':>9} {'recall':>9} {'F':>9}"
    at_recall = {}
    if recall is not None:
        header += f" {f'precision at recall {recall:g}':>26} {'threshold':>16}"
        at_recall = _format_precision_at_recall(predicted, true, names, recall)
    yield header
    for row in by_label(true, _as_indicators(predicted.predicted, len(names)), names):
        values = " ".join(_format_value(row[key], 9) for key in ("precision", "recall", "f"))
        yield f"{row['label']:<{width}} {row['support']:>9} {values}{at_recall.get(row['label'], '')}"


def _as_indicators(labels: np.ndarray, n_labels: int) -> np.ndarray:
    """Convert label indices to indicators, int8 (N, L)."""
    indicators = np.eye(n_labels, dtype=np.int8)[labels] if labels.ndim == 1 else labels
    return indicators.astype(np.int8)


def _format_value(value: float | None, width: int) -> str:
    text = "-" if value is None else f"{value:.4f}"
    return f"{text:>{width}}"


def _format_precision_at_recall(
    predicted: Predicted, true: np.ndarray, names: Sequence[str], recall: float
) -> dict[str, str]:
    cells = {}
    for column, name in enumerate(names):
        point = precision_at_recall(predicted.probability[:, column], true[:, column], recall)  # type: ignore[index]
        precision, threshold = (None, None) if point is None else point
        cells[name] = f" {_format_value(precision, 26)} {_format_value(threshold, 16)}"
    return cells
