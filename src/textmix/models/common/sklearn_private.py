"""The private names of scikit-learn that our estimators need; no other module imports one.

scikit-learn offers ``_parameter_constraints`` and its checks under private names only.  A release may rename them: then
only this module needs an edit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_parameter_constraints
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_parameters",
    "check_sample_weight",
    "check_values",
    "checks_parameters",
]

Fit = TypeVar("Fit", bound=Callable[..., Any])

#: Decorator of a ``fit`` method: compares the parameters with ``_parameter_constraints`` before the method runs.
checks_parameters: Callable[[Fit], Fit] = _fit_context(prefer_skip_nested_validation=True)


def check_parameters(estimator: Any) -> None:
    """Compare the parameters of an estimator with its ``_parameter_constraints``."""
    estimator._validate_params()


def check_values(estimator: type, values: Mapping[str, Any]) -> None:
    """Raise ValueError if some parameters' values violate the ``_parameter_constraints`` of a class that has any."""
    constraints = getattr(estimator, "_parameter_constraints", {})
    validate_parameter_constraints(constraints, values, caller_name=estimator.__name__)
