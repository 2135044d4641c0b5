"""Private scikit-learn API used by the estimators; no other module imports private names.

Scikit-learn provides ``_parameter_constraints`` and their validation only as private API.  If a release renames it,
only this module must be changed.
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

#: Decorator of ``fit`` that validates the parameters against ``_parameter_constraints`` first.
checks_parameters: Callable[[Fit], Fit] = _fit_context(prefer_skip_nested_validation=True)


def check_parameters(estimator: Any) -> None:
    """Validate the parameters of an estimator against its ``_parameter_constraints``."""
    estimator._validate_params()


def check_values(estimator: type, values: Mapping[str, Any]) -> None:
    """Raise ValueError if parameter values violate the ``_parameter_constraints`` of an estimator class, if any."""
    constraints = getattr(estimator, "_parameter_constraints", {})
    validate_parameter_constraints(constraints, values, caller_name=estimator.__name__)
