"""Public methods of public classes: what they take, what they raise for wrong input, and what their docstrings say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from tests.models.public import CLASSES, CLASSIFIERS, OF_SEQUENCES, OF_TEXTS, SEVERAL, SINGLE, TWO_CLASSES, make

RNG = np.random.default_rng(4)
X = RNG.poisson(1.0, (24, 6)) + np.eye(24, 6, dtype=int)
TEXTS = [" ".join(f"w{column}" for column in np.flatnonzero(row)) for row in X]
SEQUENCES = [np.flatnonzero(row) for row in X]
#: Further arguments of a method by their names.
FURTHER: dict[str, Any] = {"decision": "mode", "classes": None}
_SIZE = r"(?:\d+|[A-Za-z](?:_\w+)?)(?: [+-] \d+)?"
#: A shape, such as (N,), (N, V + 1) or (T_d,); or how many texts or sequences a list holds.
SHAPE = re.compile(rf"\({_SIZE}(?:, {_SIZE})*,?\)|\bN (?:texts|sequences|documents)\b")


def functions(kind: type) -> dict[str, Callable[..., Any]]:
    """Return the public methods of a class that textmix defines, by name; properties are left out."""
    found: dict[str, Callable[..., Any]] = {}
    for base in kind.__mro__:
        if not base.__module__.startswith("textmix."):
            continue
        for key, value in vars(base).items():
            made = getattr(value, "fn", getattr(value, "__func__", value))
            made = inspect.unwrap(made) if callable(made) else made
            if not key.startswith("_") and inspect.isfunction(made):
                found.setdefault(key, made)
    return found


def target(name: str) -> Any:
    """Return targets of the documents: classes, indicators, or None."""
    if name not in CLASSIFIERS:
        return None
    code = np.arange(24) % (2 if name in TWO_CLASSES else 3)
    return code if name in SINGLE or name not in SEVERAL else (code[:, np.newaxis] == np.arange(3)).astype(int)


def wrong(name: str) -> Iterator[tuple[str, Any]]:
    """Yield the names of faults, and documents that have them."""
    if name in OF_TEXTS:
        yield from (("one string", "a text"), ("no string", [*TEXTS[:23], None]))
    elif name in OF_SEQUENCES:
        yield from (("a fraction", [np.array([0.5]), *SEQUENCES[1:]]), ("unknown", [np.array([99]), *SEQUENCES[1:]]))
    else:
        yield "columns", np.hstack([X, X])
        yield "nan", np.where(np.eye(24, 6), np.nan, X)
        yield "negative", -1.0 - X


def documents(name: str) -> Any:
    """Return documents in the form that a class takes."""
    return TEXTS if name in OF_TEXTS else SEQUENCES if name in OF_SEQUENCES else X


def raised(name: str) -> Iterator[tuple[str, str, Exception]]:
    """Yield method, fault and error of each public method of a class that takes documents and refuses them."""
    fitted = make(name).fit(documents(name), target(name))
    for key, function in functions(CLASSES[name]).items():
        first, *rest = list(inspect.signature(function).parameters.values())[1:] or [None]
        if first is None or first.name not in ("X", "raw_documents") or "sparse." in str(first.annotation):
            continue  # the last takes what the class itself has checked
        given = {
            each.name: target(name) if each.name in ("y", "Y") else FURTHER[each.name]
            for each in rest
            if each.default is each.empty or each.name in ("y", "Y")
        }
        learns = key.startswith(("fit", "partial_fit"))
        calibrated = {"calibrate": True} if "calibrate" in fitted.get_params() else {}
        faults = [] if learns else [("unfitted", make(name, **calibrated), documents(name))]
        for fault, odd in wrong(name):
            if not learns or fault not in ("columns", "unknown"):
                faults.append((fault, make(name) if learns else fitted, odd))
        for fault, model, odd in faults:
            if hasattr(model, key):
                try:
                    getattr(model, key)(odd, **given)
                except Exception as error:
                    yield key, fault, error


def said_errors(function: Callable[..., Any], kind: type) -> set[str]:
    """Return the names of the errors that a docstring lists, or those of the method to which it refers."""
    doc = inspect.getdoc(function) or ""
    found = set(re.findall(r"^(\w+(?:, \w+)*) : ", doc.partition("Raises\n------")[2], re.MULTILINE))
    names = {name for each in found for name in each.split(", ")}
    for other in re.findall(r"errors are those of\s+`(?:\w+\.)*?(\w+)`", doc):
        names |= said_errors(getattr(kind, other), kind) if hasattr(kind, other) else set()
    return names


def is_said(error: Exception, said: set[str]) -> bool:
    """Return whether an error is among the names; one that says that there was no fit needs its own name."""
    if isinstance(error, NotFittedError):
        return "NotFittedError" in said
    return any(base.__name__ in said for base in type(error).__mro__[:-2])
