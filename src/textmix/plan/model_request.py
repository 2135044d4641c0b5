"""The target ``model``: what ``--config data=... method=...`` asks for.

It is imported while Snakemake parses the workflow, so it imports nothing heavier than a YAML library.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError
from textmix.metrics.table import main_metric
from textmix.plan.own import roles_of

#: How text becomes counts, unless a paper's ``features`` are named: words of any script.
WORDS = {"model_words": {"tokenizer": "unicode", "min_count": 2}}
#: Keys of ``--config`` that only this target has.
KEYS = ("method", "features", "params", "grid")
USAGE = "snakemake --cores 1 model --config data=<data set> method=<method>"


@dataclass(frozen=True)
class Request:
    """A model to be made.

    Parameters
    ----------
    dataset : name in config/datasets.yaml, or the path of a description of the user's own data (.yaml).
    method : name in the method registry.
    features : name of a paper's ``features`` entry, or of the one in `WORDS`.
    params : parameters of the estimator.
    search : what to tune on all documents (``grid``, ``folds``, ``metric``), or None.
    """

    dataset: str
    method: str
    features: str
    params: Mapping[str, Any]
    search: Mapping[str, Any] | None

    def on(self, dataset: str, features: str) -> Request:
        """Return the request on data of the user's own: counted as their description says unless features are named."""
        return replace(self, dataset=dataset, features=features if self.features in WORDS else self.features)

    def check(self, datasets: Collection[str], features: Collection[str]) -> None:
        """Check the names against those that there are.

        Raises
        ------
        ConfigError : a name is unknown.
        """
        for key, value, known in (("data", self.dataset, datasets), ("features", self.features, features)):
            if value not in known:
                raise ConfigError(f"configuration: {key}={value}: there is none; allowed: {', '.join(sorted(known))}")


def take_request(config: MutableMapping[str, Any], files: Iterable[Path], tasks: Mapping[str, str]) -> Request | None:
    """Take the keys of this target out of the configuration and return what they ask for; None without ``method``.

    Parameters
    ----------
    config : the merged configuration.  Where ``data`` names a data set, what stood there is put back from ``files``;
        where it names a .yaml file it stays, for the reader of the user's own data.
    files : the configuration files, in the order in which they were merged.
    tasks : method -> ``single`` or ``multi``.

    Raises
    ------
    ConfigError : there is no data set, or a key is not what it should be.
    """
    if "method" not in config:  # a description of own data may have brought the other keys
        return None
    asked = {key: _typed(config.pop(key)) for key in KEYS if key in config}
    data, method = config.get("data"), asked.get("method")
    if not isinstance(data, str) or not isinstance(method, str):
        raise ConfigError(f"configuration: a model needs one data set and one method: {USAGE}")
    if method not in tasks:
        raise ConfigError(f"configuration: method={method}: there is none; allowed: {', '.join(tasks)}")
    for key in ("params", "grid"):
        if not isinstance(asked.get(key, {}), Mapping):
            raise ConfigError(f"configuration: {key}={asked[key]}: write it as '{key}={{smoothing: ...}}'")
    if Path(data).suffix not in (".yaml", ".yml"):
        config["data"] = roles_of(load_yaml_strict(path) for path in files)
    search = None
    if asked.get("grid"):
        search = {"grid": dict(asked["grid"]), "folds": 3, "metric": main_metric(tasks[method])}
    return Request(data, method, asked.get("features", next(iter(WORDS))), dict(asked.get("params", {})), search)


def _typed(value: Any) -> Any:
    """Return a value of the command line with numbers for numbers: Snakemake gives text inside of mappings."""
    if isinstance(value, Mapping):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return {"true": True, "false": False, "null": None}.get(value.lower(), value)
