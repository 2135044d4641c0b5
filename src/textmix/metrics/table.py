"""The table of metrics: of each its name, its task, whether less is better, and whether comparisons show it.

A metric is a function of one of `MODULES` with the decorator `metric`; no list names it.  The table is read from the
text of these modules without importing them: the plan of the workflow needs the names and must not import NumPy.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from textmix.core.errors import ConfigError, suggest

#: Modules with metrics, beside this one, in the order of the table.
MODULES = ("classification", "multilabel", "likelihood", "calibration", "selective")

Function = TypeVar("Function", bound=Callable[..., float])


@dataclass(frozen=True)
class Metric:
    """One row of the table.

    Parameters
    ----------
    name : of the metric in the configuration and in results; also that of its function.
    module : one of `MODULES`, which holds the function.
    meaning : the first sentence of the function's docstring, without "Return".
    tasks : ``single`` (one class a document), ``multi`` (label sets), or both.
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
    meaning: str
    tasks: tuple[str, ...]
    takes: str = "decisions"
    loss: bool = False
    main: bool = False
    shown: bool = True


def metric(*tasks: str, **facts: Any) -> Callable[[Function], Function]:
    """Mark a function as a metric; the decorator returns the function unchanged.

    Parameters
    ----------
    tasks : ``single``, ``multi`` or both.
    facts : values of the fields ``takes``, ``loss``, ``main`` and ``shown`` of `Metric`, as literals.
    """
    del tasks, facts  # `_marked` reads them from the text of the module.

    def unchanged(function: Function) -> Function:
        """Return the function."""
        return function

    return unchanged


def _marked(module: str) -> Iterator[Metric]:
    """Yield the metrics of one module in the order of its text."""
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_bytes())
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        for mark in function.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == metric.__name__:
                meaning = (ast.get_docstring(function) or "").split("\n")[0].removeprefix("Return ").rstrip(".")
                tasks = tuple(ast.literal_eval(task) for task in mark.args)
                facts = {str(fact.arg): ast.literal_eval(fact.value) for fact in mark.keywords}
                yield Metric(function.name, module, meaning, tasks, **facts)


#: name -> row of the table.
METRICS = {row.name: row for module in MODULES for row in _marked(module)}


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
    """Check that each name of a metric is allowed.

    Parameters
    ----------
    names : the names to check.
    allowed : the allowed names, for example `metrics_for` of a task.
    where : the file and the key that give the names, for the message.

    Raises
    ------
    ConfigError : a name is not allowed; the message begins with ``where``.
    """
    for name in names:
        if name not in allowed:
            raise ConfigError(f"{where}: '{name}' is not allowed; {suggest(name, allowed)}")
