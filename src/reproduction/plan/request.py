"""One run's request: the settings of the configuration files, the user's own data and the model that it names.

It is imported while Snakemake parses the workflow, so it imports nothing heavier than a YAML and a JSON schema library.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproduction.plan.own import Own, load_own, view_features
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, suggest
from textmix.experiment.methods import Method
from textmix.metrics.table import main_metric

#: How text becomes counts, or words in order, for a model, unless a paper's ``features`` are named.
WORDS = {
    "model_words": {"tokenizer": "unicode", "min_count": 2},
    "model_sequences": {"tokenizer": "unicode", "min_count": 2, "keep_tokens": True},
}
USAGE = "snakemake --cores 1 model --config data=<data set> method=<method>"
_TRUTH = {"true": True, "false": False}
#: The keys that are true or false.
_SWITCHES = ("strict",)
_DESCRIPTIONS = (".yaml", ".yml")


@dataclass(frozen=True)
class Model:
    """The model that the target ``model`` fits.

    Parameters
    ----------
    dataset : name of a data set of the registry, or of the user's own data.
    method : name in the registry of methods.
    features : name of a ``features`` entry of a paper, of the user's own data, or of `WORDS`.
    params : parameter of the estimator -> value.
    search : the parameters to tune on all documents (``grid``, ``folds``, ``metric``), or None.
    """

    dataset: str
    method: str
    features: str
    params: Mapping[str, Any]
    search: Mapping[str, Any] | None


@dataclass(frozen=True)
class Request:
    """Everything that one run is asked for.

    Parameters
    ----------
    settings : the keys of config.yaml, checked against their schema.
    own : the user's own data, or None.
    model : the model to fit, or None.
    """

    settings: Mapping[str, Any]
    own: Own | None
    model: Model | None


def read_request(
    config: Mapping[str, Any],
    files: Iterable[Path],
    schemas: Path,
    methods: Mapping[str, Method],
    taken: Collection[str] = (),
) -> Request:
    """Read one run's request; the configuration stays as it is.

    Parameters
    ----------
    config : the merged configuration of files and command line.
    files : the configuration files; one with the key ``files`` describes the user's own data.
    schemas : folder of the schemas.
    methods : the registry of methods.
    taken : names of the data sets of the registry, which the user's own data do not get.

    Raises
    ------
    ConfigError : a key is wrong, two descriptions of own data are named, or a model lacks its data set or method.
    """
    contents = {str(path): load_yaml_strict(path) for path in files}
    described = {path: keys for path, keys in contents.items() if isinstance(keys, Mapping) and "files" in keys}
    foreign = {key for keys in described.values() for key in keys}
    settings = {key: _plain(value) for key, value in config.items() if key not in foreign}
    # The command line gives a truth value as text.
    settings |= {key: _TRUTH.get(str(settings[key]).lower(), settings[key]) for key in _SWITCHES if key in settings}
    validate(settings, schemas / "config.schema.yaml", "configuration")
    own = _own(settings, list(described), schemas)
    own = own.apart_from(taken) if own else None
    return Request(settings, own, _model(settings, own, methods))


def with_defaults(config: Mapping[str, Any], main: Path) -> dict[str, Any]:
    """Return a configuration with the values of the main file where it has none, as for a module that names some keys.

    Parameters
    ----------
    config : the merged configuration of files and command line; it stays as it is.
    main : config/config.yaml.

    Raises
    ------
    ConfigError : the main file cannot be read.
    """
    return _over(load_yaml_strict(main), _plain(config))


def _over(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return both mappings in one, also where they are nested; the given values count."""
    both = {key: _over(defaults[key], given[key]) for key in given if _nested(defaults.get(key), given[key])}
    return {**defaults, **given, **both}


def _nested(default: Any, given: Any) -> bool:
    """Return whether both are mappings."""
    return isinstance(default, Mapping) and isinstance(given, Mapping)


def _own(settings: Mapping[str, Any], described: list[str], schemas: Path) -> Own | None:
    """Return the user's own data, named by ``data`` or by a configuration file that describes them."""
    data = settings.get("data")
    # With a method, ``data`` may also be the name of a data set of the registry.
    if data is not None and ("method" not in settings or Path(data).suffix in _DESCRIPTIONS):
        described = [*described, data]
    if len(described) > 1:
        raise ConfigError(f"configuration: data: {' and '.join(described)} both describe data of your own; name one")
    return load_own(described[0], schemas) if described else None


def _model(settings: Mapping[str, Any], own: Own | None, methods: Mapping[str, Method]) -> Model | None:
    """Return the model that ``method`` asks for, or None without this key."""
    if "method" not in settings:
        return None
    method, dataset = settings["method"], own.name if own else settings.get("data")
    if dataset is None:
        raise ConfigError(f"configuration: a model needs one data set and one method: {USAGE}")
    if method not in methods:
        raise ConfigError(f"configuration: method={method}: there is none; {suggest(method, methods)}")
    grid = _typed(settings.get("grid", {}))
    search = {"grid": grid, "folds": 3, "metric": main_metric(methods[method].task)} if grid else None
    view = "sequences" if methods[method].takes == "sequences" else "words"
    features = settings.get("features", view_features(view) if own else f"model_{view}")
    return Model(dataset, method, features, _typed(settings.get("params", {})), search)


def _typed(value: Any) -> Any:
    """Return a value of the command line, in which a text that reads as a number, truth value or null becomes one.

    Snakemake gives every value inside a mapping as text.
    """
    if isinstance(value, Mapping):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return {**_TRUTH, "null": None}.get(value.lower(), value)


def _plain(value: Any) -> Any:
    """Return a copy with nested mappings as plain dicts, as the schema validator wants them."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
