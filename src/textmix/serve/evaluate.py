"""Scores of a persisted model on labelled texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.data.readers.text_table import read
from textmix.experiment.scoring import Evaluation, metric_value
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


def evaluate(model: PersistedModel, corpus: Corpus) -> dict[str, float]:
    """Return metric -> value of a model on labelled texts; metrics of probabilities are left out.

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
    predicted, _ = model.label(corpus.text)
    if model.task == "single":
        true = columns[corpus.classes()]
    else:
        true = np.zeros((corpus.n_documents, len(place)), dtype=np.int8)
        true[:, columns] = corpus.indicators()
    found = Evaluation(true, predicted, np.full(len(true), np.nan))
    names = [name for name in shown_metrics(model.task) if METRICS[name].takes == "decisions"]
    return {name: metric_value(name, found) for name in names}
