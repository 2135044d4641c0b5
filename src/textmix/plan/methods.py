"""The method registry: names to estimators, without importing any estimator before it is needed."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError

REGISTRY_FILE = Path(__file__).resolve().parents[3] / "config/methods.yaml"


#: What a method can be fitted to, and how it is said.
TASKS = {"single": "one label a document", "multi": "several labels a document"}
TAKES = {"counts": "whole numbers, not negative", "reals": "any numbers"}


#: The keys that a fit reads, a fit in a comparison of methods, and a table of their scores.
FITTED = ("estimator", "task", "takes", "seen_only")
COMPARED = (*FITTED, "most")
TABULATED = ("family", "task")
#: Module that tunes parameters.  It is imported by name so that it is code of those fits alone that tune.
TUNING = "textmix.experiment.tuning"


@dataclass(frozen=True)
class Method:
    """One entry of the registry: where the estimator is, what it takes and which document it comes from.

    Parameters
    ----------
    name, family : for people; the name stands in experiments, paths and tables.
    estimator : ``module:class``.
    task : a key of `TASKS`.
    takes : a key of `TAKES`.
    paper : the document that it comes from or is compared in.
    params, grid : what a comparison of methods (own data, the matrix) sets, and what it tunes on training documents.
    seen_only : whether features that no training document has get no weight, so that leaving them out changes nothing.
    most : ``documents``, ``labels`` or ``features`` above which a comparison leaves it out to save time and memory.
    """

    name: str
    estimator: str
    family: str
    task: str
    takes: str
    paper: str
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    seen_only: bool = False
    most: Mapping[str, int] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """Module of the estimator."""
        return self.estimator.split(":")[0]

    def part(self, *keys: str) -> dict[str, Any]:
        """Return the entry with the given keys as plain values and all other keys blank.

        A job gets the part that it reads, so that an edit of another key runs it not again.
        """
        whole = asdict(self)
        return {key: whole[key] if key in ("name", *keys) else type(whole[key])() for key in whole}

    def make(self, params: Mapping[str, Any]) -> Any:
        """Return a new estimator with the given parameters.

        Raises
        ------
        ConfigError : the estimator has no such parameter.
        """
        cls = getattr(importlib.import_module(self.module), self.estimator.split(":")[1])
        try:
            return cls(**params)
        except TypeError as error:
            allowed = ", ".join(sorted(cls().get_params()))
            raise ConfigError(f"method {self.name}: {error}; its parameters are {allowed}") from error


def load_methods(path: Path = REGISTRY_FILE) -> dict[str, Method]:
    """Read the method registry.

    Raises
    ------
    ConfigError : an entry has an unknown key or lacks one, or names a task or input that there is not.
    """
    return {name: _method(name, entry, path.name) for name, entry in load_yaml_strict(path).items()}


def _method(name: str, entry: Mapping[str, Any], source: str) -> Method:
    """Return one entry of the registry."""
    try:
        method = Method(name=name, **entry)
    except TypeError as error:
        raise ConfigError(f"{source}: {name}: {str(error).split('() ')[-1]}; the keys are those of Method") from error
    for key, value, known in (("task", method.task, TASKS), ("takes", method.takes, TAKES)):
        if value not in known:
            raise ConfigError(f"{source}: {name}.{key}: {value!r} is not allowed; allowed: {', '.join(known)}")
    return method


def variants(params: Mapping[str, Any], grid: Mapping[str, list[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and parameters of every point of a grid, in the grid's order; one unnamed point without a grid.

    The name is ``key=value`` joined by ``;`` and is what locators and score files call the variant.
    """
    for point in itertools.product(*grid.values()):
        chosen = dict(zip(grid, point, strict=True))
        yield ";".join(f"{key}={value}" for key, value in chosen.items()), {**params, **chosen}


def point_of(name: str) -> dict[str, str]:
    """Return the parameters of a variant's name, their values as text; the inverse of what `variants` yields."""
    return dict(part.split("=", 1) for part in name.split(";") if "=" in part)
