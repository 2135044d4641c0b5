"""Registry of methods, which imports the module of an estimator only when it is used."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from textmix.core.config import load_yaml_strict, registry_file, validate
from textmix.core.errors import ConfigError

REGISTRY_FILE = registry_file("methods.yaml")

#: Value of ``task`` -> description of the labels.
TASKS = {"single": "one label per document", "multi": "several labels per document"}
#: Value of ``input`` -> description of the features.
INPUTS = {"counts": "nonnegative integers", "reals": "real numbers", "sequences": "token sequences"}
#: Keys of an entry that a fit depends on.
FITTED = ("estimator", "task", "input", "seen_only")
#: Keys of an entry that a fit within a comparison of methods depends on.
COMPARED = (*FITTED, "limits")
#: Module that tunes parameters, imported by name, so that only code digests of fits with tuning include it.
TUNING = "textmix.experiment.tuning"


@dataclass(frozen=True)
class Method:
    """One entry of the registry.

    Parameters
    ----------
    name : str
    estimator : str
        ``module:class``.
    family : str
        Group of methods under which tables list it.
    task : str
        Key of `TASKS`.
    input : str
        Key of `INPUTS`.
    paper : str
        Paper that introduces it or compares it.
    params : mapping of str to object, default={}
        Parameters in ``textmix compare``.
    seen_only : bool, default=False
        Whether features without training documents get weight 0, so that they can be dropped before the fit.
    prediction_params : sequence of str, default=()
        Parameters that the fit does not read: methods of an experiment that differ only in them share their fits.
    limits : mapping of str to int, default={}
        Largest numbers of ``documents``, ``labels`` or ``features`` for which a comparison includes the method.
    """

    name: str
    estimator: str
    family: str
    task: str
    input: str
    paper: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seen_only: bool = False
    prediction_params: Sequence[str] = ()
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """Module of the estimator."""
        return self.estimator.split(":")[0]

    def part(self, *keys: str) -> dict[str, Any]:
        """Return the entry as a dict where all keys except ``name`` and the selected ones are empty.

        A job depends only on the keys that it reads, so that editing another key does not trigger a rerun.
        """
        entry = asdict(self)
        selected = ("name", *keys)
        return {key: value if key in selected else type(value)() for key, value in entry.items()}

    def make(self, params: Mapping[str, Any]) -> Any:
        """Create an unfitted estimator.

        Raises
        ------
        ConfigError
            If the estimator does not have one of the parameters.
        """
        cls = getattr(importlib.import_module(self.module), self.estimator.split(":")[1])
        try:
            return cls(**params)
        except TypeError as error:
            allowed = ", ".join(sorted(cls().get_params()))
            raise ConfigError(f"method {self.name}: {error}; its parameters are {allowed}") from error


def load_methods(path: Path = REGISTRY_FILE, schema: Path | None = None) -> dict[str, Method]:
    """Read a registry file, in its order, and validate it if a schema is passed."""
    raw = load_yaml_strict(path)
    if schema is not None:
        validate(raw, schema, f"{path.parent.name}/{path.name}")
    return {name: Method(name=name, **entry) for name, entry in raw.items()}


def variants(params: Mapping[str, Any], grid: Mapping[str, list[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and parameters of each point of a grid, with the last key changing fastest.

    Parameters
    ----------
    params : mapping of str to object
        Parameters that all points share, unless the grid overrides them.
    grid : mapping of str to list
        Values of each parameter.  An empty grid has one point, whose name is empty.

    Yields
    ------
    name : str
        ``key=value`` pairs of the grid joined by ``;``, the variant in locators and score files.
    params : dict
    """
    for values in itertools.product(*grid.values()):
        point = dict(zip(grid, values, strict=True))
        name = ";".join(f"{key}={value}" for key, value in point.items())
        yield name, {**params, **point}


def point_of(name: str) -> dict[str, str]:
    """Parse the name of a point (`variants`) into parameters and their values as text."""
    return dict(pair.split("=", 1) for pair in name.split(";") if "=" in pair)
