"""Parameters of estimators as JSON and back: plain values, lists and tuples of them, and types of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from textmix.core.errors import ConfigError


def to_json(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as JSON can hold them; raises ConfigError for one that it cannot."""
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        try:
            found[name] = _packed(value)
        except TypeError as error:
            head = f"model: {type(estimator).__name__}: the parameter {name} is {error}, which cannot be saved"
            raise ConfigError(f"{head}; give a number or a name") from error
    return found


def from_json(value: Any) -> Any:
    """Undo `to_json` for one parameter; a value of another form raises ValueError, TypeError or LookupError."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict) and "tuple" in value:
        return tuple(_plain(each) for each in value["tuple"])
    return _plain(value)


def _packed(value: Any) -> Any:
    """Return a parameter as JSON can hold it; a tuple becomes {"tuple": its values}."""
    if isinstance(value, tuple):
        return {"tuple": [_value(each) for each in value]}
    return [_value(each) for each in value] if isinstance(value, (list, np.ndarray)) else _value(value)


def _value(value: Any) -> Any:
    """Return one value as JSON can hold it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, type) and issubclass(plain, np.number):
        return {"type": np.dtype(plain).name}
    if not isinstance(plain, (str, int, float, bool, type(None))):
        raise TypeError(f"a {type(value).__name__}")
    return {"float": str(plain)} if isinstance(plain, float) and not np.isfinite(plain) else plain


def _plain(value: Any) -> Any:
    """Undo `_value`."""
    if isinstance(value, list):
        raise ValueError("a parameter is a list of lists")
    if not isinstance(value, dict):
        return value
    return float(value["float"]) if "float" in value else np.dtype(str(value["type"])).type
