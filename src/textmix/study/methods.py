"""The method registry: names to estimators, without importing any estimator before it is needed."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textmix.config import load_yaml_strict
from textmix.errors import ConfigError

REGISTRY_FILE = Path(__file__).with_name("methods.yaml")


@dataclass(frozen=True)
class Method:
    """One entry of the registry: where the estimator is, what it takes and which document it comes from."""

    name: str
    estimator: str
    family: str
    task: str
    takes: str
    paper: str

    @property
    def module(self) -> str:
        """Module of the estimator."""
        return self.estimator.split(":")[0]

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
    """Read the method registry."""
    return {name: Method(name=name, **entry) for name, entry in load_yaml_strict(path).items()}


def variants(params: Mapping[str, Any], grid: Mapping[str, list[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and parameters of every point of a grid, in the grid's order; one unnamed point without a grid.

    The name is ``key=value`` joined by ``;`` and is what locators and score files call the variant.
    """
    for point in itertools.product(*grid.values()):
        chosen = dict(zip(grid, point, strict=True))
        yield ";".join(f"{key}={value}" for key, value in chosen.items()), {**params, **chosen}
