"""Convert parameters of estimators to JSON and back: plain values, lists, tuples and NumPy scalar types."""

from __future__ import annotations

from typing import Any

import numpy as np

from textmix.core.errors import ConfigError


def to_json(estimator: Any) -> dict[str, Any]:
    """Convert the parameters of an estimator to JSON.

    Parameters
    ----------
    estimator : estimator
        The estimator.

    Returns
    -------
    dict
        Parameter name -> JSON value.

    Raises
    ------
    ConfigError
        If a parameter is not supported.
    """
    converted = {}
    for name, value in estimator.get_params(deep=False).items():
        try:
            converted[name] = _encode(value)
        except TypeError as error:
            raise ConfigError(
                f"model: {type(estimator).__name__}: the parameter {name} is {error}, which cannot be saved; "
                "use a number or a string"
            ) from error
    return converted


def from_json(value: Any) -> Any:
    """Convert a parameter from JSON.

    Parameters
    ----------
    value : object
        The JSON value.

    Returns
    -------
    object
        The parameter.

    Raises
    ------
    ValueError, TypeError or LookupError
        If the value does not encode a parameter.
    """
    if isinstance(value, list):
        return [_decode_value(item) for item in value]
    if isinstance(value, dict) and "tuple" in value:
        return tuple(_decode_value(item) for item in value["tuple"])
    return _decode_value(value)


def _encode(value: Any) -> Any:
    """Convert a parameter to JSON; a tuple becomes {"tuple": its values}."""
    if isinstance(value, tuple):
        return {"tuple": [_encode_value(item) for item in value]}
    if isinstance(value, (list, np.ndarray)):
        return [_encode_value(item) for item in value]
    return _encode_value(value)


def _encode_value(value: Any) -> Any:
    """Convert a single value to JSON."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, type) and issubclass(plain, np.number):
        return {"type": np.dtype(plain).name}
    if not isinstance(plain, (str, int, float, bool, type(None))):
        raise TypeError(f"a {type(value).__name__}")
    return {"float": str(plain)} if isinstance(plain, float) and not np.isfinite(plain) else plain


def _decode_value(value: Any) -> Any:
    """Convert a single value back."""
    if isinstance(value, list):
        raise ValueError("a parameter is a list of lists")
    if not isinstance(value, dict):
        return value
    return float(value["float"]) if "float" in value else np.dtype(str(value["type"])).type
