"""Metrics, decision rules for label sets, and statistical tests for comparing methods.

All metrics can be imported from here, as in ``from textmix.metrics import micro_f``; `textmix.scorer` turns one into
a scorer for scikit-learn.  The module of a metric is imported on first access.
"""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """Import a metric by name; raise AttributeError if it does not exist."""
    from textmix.metrics.registry import METRICS

    if name not in METRICS:
        raise AttributeError(f"textmix.metrics has no metric {name!r}; available metrics: {', '.join(METRICS)}")
    return getattr(importlib.import_module(f"{__name__}.{METRICS[name].module}"), name)


def __dir__() -> list[str]:
    """List the metrics, for ``dir`` and tab completion."""
    from textmix.metrics.registry import METRICS

    return list(METRICS)
