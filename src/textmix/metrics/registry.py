"""The table of metrics: of each its name, its task, whether less is better, and whether comparisons show it.

A metric is a function of this package and a row here.  The plan of the workflow reads the table, so that it imports no
NumPy: a row names the module of its function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textmix.core.errors import ConfigError, suggest

SINGLE, MULTI = "single", "multi"


@dataclass(frozen=True)
class Metric:
    """One row of the table.

    Parameters
    ----------
    name : of the metric in the configuration and in results; also that of its function.
    module : the module of this package that holds the function.
    tasks : ``single`` (one class a document), ``multi`` (label sets), or both.
    meaning : the first line of the function's docstring, without "Return".
    takes : the arguments of the function.  ``decisions``: true and predicted classes (N,) or label indicators (N, L).
        ``true_log_proba``: log probability of the true class or label set (N,), in nats.  ``marginals``: probability of
        the predicted class (N,) or of each label (N, L), and whether it came true.  ``confidence``: probability that
        the predicted label set is right (N,), and whether it is.  ``text``: log likelihood and words of texts (N, 2).
    loss : whether less is better.
    main : whether methods are tuned and ranked by it unless the configuration names another; one a task.
    shown : whether comparisons of methods show it unless the configuration names other metrics.
    """

    name: str
    module: str
    tasks: tuple[str, ...]
    meaning: str
    takes: str = "decisions"
    loss: bool = False
    main: bool = False
    shown: bool = True

    @property
    def is_share(self) -> bool:
        """Whether its values are from 0 to 1."""
        return self.takes not in ("true_log_proba", "text")


_ROWS = (
    Metric("accuracy", "classification", (SINGLE,), "the share of documents whose class is predicted", main=True),
    Metric(
        *("error_rate", "classification", (SINGLE,), "the share of documents whose class is not predicted"),
        loss=True,
        shown=False,
    ),
    Metric(
        *("macro_f1", "classification", (SINGLE,)),
        "the mean over the classes, true or predicted, of F_c = 2 hits_c / (true_c + predicted_c)",
    ),
    Metric(
        *("subset_accuracy", "multilabel", (MULTI,), "the share of documents whose whole label set is predicted"),
        main=True,
    ),
    Metric(
        *("hamming_loss", "multilabel", (MULTI,)),
        "the share of wrong decisions among the N L, one for each document and label",
        loss=True,
    ),
    Metric(
        *("jaccard", "multilabel", (MULTI,)),
        "the mean over the documents of the share of true or predicted labels that are both; 1 without a label",
    ),
    Metric(
        *("sample_f", "multilabel", (MULTI,)),
        "the mean over the documents of their F, 0 for an empty prediction of a document with labels",
    ),
    Metric(
        *("sample_f_skip", "multilabel", (MULTI,)),
        "the mean of each document's F over the documents with a predicted label; nan if there is none",
        shown=False,
    ),
    Metric(
        *("micro_f", "multilabel", (MULTI,)),
        "F over all documents and labels taken together; 1 if no label is true and none predicted",
    ),
    Metric(
        *("macro_f", "multilabel", (MULTI,)),
        "the mean over the labels of each label's F; 0 for a label that is neither true nor predicted anywhere",
    ),
    Metric(
        *("log_loss", "probability", (SINGLE,), "the mean of minus the log posterior of the true class, in nats"),
        takes="true_log_proba",
        loss=True,
    ),
    Metric(
        *("set_log_loss", "probability", (MULTI,)),
        "the mean of minus the log probability of the true label set, in nats; see `log_loss`",
        takes="true_log_proba",
        loss=True,
    ),
    Metric(
        *("calibration_error", "probability", (SINGLE, MULTI)),
        "the expected calibration error: mean distance of stated probability and observed share, in equal bins",
        takes="marginals",
        loss=True,
    ),
    Metric(
        *("set_calibration_error", "probability", (MULTI,)),
        "the expected calibration error of whole label sets: distance of confidence and accuracy in equal bins",
        takes="confidence",
        loss=True,
    ),
    Metric(
        *("selective_accuracy", "probability", (MULTI,)),
        "the mean over all coverages of the accuracy of the predictions with the largest confidence",
        takes="confidence",
    ),
    Metric(
        *("perplexity", "probability", (SINGLE,)),
        "the perplexity of the documents as word sequences in their true classes",
        takes="text",
        loss=True,
    ),
)
#: name -> row of the table.
METRICS = {row.name: row for row in _ROWS}


def metrics_for(task: str) -> list[str]:
    """Return the names of all metrics of a task, ``single`` or ``multi``."""
    return [name for name, row in METRICS.items() if task in row.tasks]


def shown_metrics(task: str) -> list[str]:
    """Return the names of the metrics of a task, ``single`` or ``multi``, that a comparison shows by default."""
    return [name for name in metrics_for(task) if METRICS[name].shown]


def main_metric(task: str) -> str:
    """Return the name of the metric by which methods of a task, ``single`` or ``multi``, are tuned and ranked."""
    return next(name for name in metrics_for(task) if METRICS[name].main)


def tuning_metrics(task: str) -> list[str]:
    """Return the names of the metrics of a task that tuning can use: of decisions, or of true labels' probabilities."""
    return [name for name in metrics_for(task) if METRICS[name].takes in ("decisions", "true_log_proba")]


def check_metrics(names: Iterable[str], allowed: list[str], where: str) -> None:
    """Check that each name of a metric is allowed."""
    for name in names:
        if name not in allowed:
            raise ConfigError(f"{where}: '{name}' is not allowed; {suggest(name, allowed)}")
