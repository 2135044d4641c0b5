"""The method registry: names to estimators, without importing any estimator before it is needed."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from textmix.core.config import load_yaml_strict, registry_file, validate
from textmix.core.errors import ConfigError

REGISTRY_FILE = registry_file("methods.yaml")


#: Values of ``task`` and ``input``, the labels and the features that a method can be fitted to -> their names in words.
TASKS = {"single": "one label a document", "multi": "several labels a document"}
INPUTS = {"counts": "whole numbers, not negative", "reals": "any numbers", "sequences": "words in order"}
#: The weighting of words in order: none.
ORDER = "order"


#: The keys of an entry that a fit reads, and that a fit inside a comparison of methods reads.
FITTED = ("estimator", "task", "input", "seen_only")
COMPARED = (*FITTED, "limits")
#: Module that tunes parameters.  It is imported by name, so that only the code digests of fits that tune cover it.
TUNING = "textmix.experiment.tuning"


@dataclass(frozen=True)
class Method:
    """One entry of the registry: the place of the estimator, the data that it takes, and the document it comes from.

    Parameters
    ----------
    family : the group of methods under which tables show it.
    estimator : ``module:class``.
    task : a key of `TASKS`.
    input : a key of `INPUTS`.
    paper : the document that it comes from or is compared in.
    params : parameter -> value in ``textmix compare``.
    seen_only : whether a feature that no training document has gets weight 0, so that the fit may drop it.
    limits : ``documents``, ``labels`` or ``features`` -> the largest number with which a comparison fits the method.
    """

    name: str
    estimator: str
    family: str
    task: str
    input: str
    paper: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seen_only: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """Module of the estimator."""
        return self.estimator.split(":")[0]

    def part(self, *keys: str) -> dict[str, Any]:
        """Return the entry as a plain mapping, with ``name`` and the given keys as they are and all other keys empty.

        A job gets only the part that it reads, so that an edit of another key does not run the job again.
        """
        whole = asdict(self)
        return {key: whole[key] if key in ("name", *keys) else type(whole[key])() for key in whole}

    def make(self, params: Mapping[str, Any]) -> Any:
        """Import the estimator's module and return a new, unfitted estimator with the given parameters."""
        cls = getattr(importlib.import_module(self.module), self.estimator.split(":")[1])
        try:
            return cls(**params)
        except TypeError as error:
            allowed = ", ".join(sorted(cls().get_params()))
            raise ConfigError(f"method {self.name}: {error}; its parameters are {allowed}") from error


def load_methods(path: Path = REGISTRY_FILE, schema: Path | None = None) -> dict[str, Method]:
    """Return name -> entry of methods.yaml, in its order; without a schema unchecked, for tests check the package's."""
    raw = load_yaml_strict(path)
    if schema is not None:
        validate(raw, schema, f"{path.parent.name}/{path.name}")
    return {name: Method(name=name, **entry) for name, entry in raw.items()}


def variants(params: Mapping[str, Any], grid: Mapping[str, list[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and parameters of every point of a grid, which override ``params``, the last key changing fastest.

    The name of a point is ``key=value`` joined by ``;``; locators and score files call it the variant.  An empty grid
    has one point, whose name is empty.
    """
    for point in itertools.product(*grid.values()):
        chosen = dict(zip(grid, point, strict=True))
        yield ";".join(f"{key}={value}" for key, value in chosen.items()), {**params, **chosen}


def point_of(name: str) -> dict[str, str]:
    """Return parameter -> value, as text, of the name that `variants` gives a point."""
    return dict(part.split("=", 1) for part in name.split(";") if "=" in part)
