"""Registry of metrics: name, task, direction, and whether a comparison of methods shows it.

A metric is a function of this package plus a row in this registry.  The workflow reads the registry while it is parsed,
so a row names the module of its function and the registry does not import NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textmix.core.errors import ConfigError, suggest

SINGLE = "single"
MULTI = "multi"


@dataclass(frozen=True)
class Metric:
    """One row of the registry.

    Parameters
    ----------
    name : str
        Name of the metric in configuration files and results, and of its function.
    module : str
        Module of this package that defines the function.
    tasks : tuple of str
        ``"single"`` (one class per document), ``"multi"`` (label sets), or both.
    meaning : str
        Definition in a few words, as shown in tables and reports.
    input : str, default="decisions"
        Arguments of the function:

        - ``"decisions"``: true and predicted classes, (N,), or label indicators, (N, L);
        - ``"true_log_proba"``: log probability of the true class or label set in nats, (N,);
        - ``"marginals"``: probability of the predicted class, (N,), or of each label, (N, L), and whether it is true;
        - ``"confidence"``: probability of the predicted label set, (N,), and whether the set is correct;
        - ``"text"``: log-likelihood and number of words of each document, (N, 2).
    loss : bool, default=False
        Whether lower values are better.
    main : bool, default=False
        Whether methods are tuned and ranked by this metric unless the configuration names another.  Exactly one metric
        per task is the main one.
    shown : bool, default=True
        Whether comparisons of methods show the metric unless the configuration names other metrics.
    """

    name: str
    module: str
    tasks: tuple[str, ...]
    meaning: str
    input: str = "decisions"
    loss: bool = False
    main: bool = False
    shown: bool = True

    @property
    def is_share(self) -> bool:
        """Whether values lie between 0 and 1."""
        return self.input not in ("true_log_proba", "text")


_ROWS = (
    Metric(
        name="accuracy",
        module="classification",
        tasks=(SINGLE,),
        meaning="fraction of documents classified correctly",
        main=True,
    ),
    Metric(
        name="error_rate",
        module="classification",
        tasks=(SINGLE,),
        meaning="fraction of misclassified documents",
        loss=True,
        shown=False,
    ),
    Metric(
        name="macro_f1",
        module="classification",
        tasks=(SINGLE,),
        meaning="unweighted mean of the F1 scores of all true or predicted classes",
    ),
    Metric(
        name="subset_accuracy",
        module="multilabel",
        tasks=(MULTI,),
        meaning="fraction of documents whose label set is predicted exactly",
        main=True,
    ),
    Metric(
        name="hamming_loss",
        module="multilabel",
        tasks=(MULTI,),
        meaning="fraction of wrong decisions among all pairs of a document and a label",
        loss=True,
    ),
    Metric(
        name="jaccard",
        module="multilabel",
        tasks=(MULTI,),
        meaning="mean Jaccard index of the true and the predicted label set; 1 if both are empty",
    ),
    Metric(
        name="sample_f",
        module="multilabel",
        tasks=(MULTI,),
        meaning="mean F1 score per document; 0 if nothing is predicted for a labelled document",
    ),
    Metric(
        name="sample_f_skip",
        module="multilabel",
        tasks=(MULTI,),
        meaning="mean F1 score per document over documents with a nonempty prediction",
        shown=False,
    ),
    Metric(
        name="micro_f",
        module="multilabel",
        tasks=(MULTI,),
        meaning="F1 score over all pairs of a document and a label; 1 if no label is true or predicted",
    ),
    Metric(
        name="macro_f",
        module="multilabel",
        tasks=(MULTI,),
        meaning="unweighted mean of the F1 scores of all labels; 0 for a label that is never true or predicted",
    ),
    Metric(
        name="log_loss",
        module="probability",
        tasks=(SINGLE,),
        meaning="mean negative log posterior probability of the true class, in nats",
        input="true_log_proba",
        loss=True,
    ),
    Metric(
        name="set_log_loss",
        module="probability",
        tasks=(MULTI,),
        meaning="mean negative log probability of the true label set, in nats",
        input="true_log_proba",
        loss=True,
    ),
    Metric(
        name="calibration_error",
        module="probability",
        tasks=(SINGLE, MULTI),
        meaning="expected calibration error: mean gap between predicted probability and observed frequency, in bins",
        input="marginals",
        loss=True,
    ),
    Metric(
        name="set_calibration_error",
        module="probability",
        tasks=(MULTI,),
        meaning="expected calibration error of the probabilities of predicted label sets",
        input="confidence",
        loss=True,
    ),
    Metric(
        name="selective_accuracy",
        module="probability",
        tasks=(MULTI,),
        meaning="mean accuracy over all coverages when the least confident predictions are rejected first",
        input="confidence",
    ),
    Metric(
        name="perplexity",
        module="probability",
        tasks=(SINGLE,),
        meaning="perplexity per word of the documents under the models of their true classes",
        input="text",
        loss=True,
    ),
)
#: Metric by name.
METRICS = {row.name: row for row in _ROWS}


def metrics_for(task: str) -> list[str]:
    """List the metrics of a task, ``"single"`` or ``"multi"``."""
    return [name for name, row in METRICS.items() if task in row.tasks]


def shown_metrics(task: str) -> list[str]:
    """List the metrics of a task that a comparison shows by default."""
    return [name for name in metrics_for(task) if METRICS[name].shown]


def main_metric(task: str) -> str:
    """Return the metric by which methods of a task are tuned and ranked by default."""
    return next(name for name in metrics_for(task) if METRICS[name].main)


def tuning_metrics(task: str) -> list[str]:
    """List the metrics of a task that hyperparameter tuning can optimise."""
    return [name for name in metrics_for(task) if METRICS[name].input in ("decisions", "true_log_proba")]


def check_metrics(names: Iterable[str], allowed: list[str], where: str) -> None:
    """Raise ConfigError if a metric is not allowed; the message starts with ``where`` and suggests a name."""
    for name in names:
        if name not in allowed:
            raise ConfigError(f"{where}: '{name}' is not allowed; {suggest(name, allowed)}")
