"""Metrics of predictions, rules that decide on label sets, and tests of differences between methods.

Every metric can be imported from here by its name, as in ``from textmix.metrics import micro_f``; `textmix.scorer`
makes one a ``scoring`` of scikit-learn.  A name's module is imported when the name is first asked for.
"""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """Return the metric of this name; raises AttributeError where there is none."""
    from textmix.metrics.registry import METRICS

    if name not in METRICS:
        raise AttributeError(f"textmix.metrics has no {name!r}; its metrics are {', '.join(METRICS)}")
    return getattr(importlib.import_module(f"{__name__}.{METRICS[name].module}"), name)


def __dir__() -> list[str]:
    """Return the names of the metrics, for ``dir`` and for completion in editors."""
    from textmix.metrics.registry import METRICS

    return list(METRICS)
