"""The matrix: every method of the registry on every data set at hand, as a study in the form of a paper's.

It is imported while Snakemake parses the workflow, so it imports nothing heavier than a YAML and a JSON schema library.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, suggest
from textmix.experiment.entries import compared
from textmix.experiment.methods import COSTS, TASKS, Method
from textmix.metrics.table import shown_metrics

#: Name of the study.
MATRIX = "matrix"
_SOURCE = "config/matrix.yaml"
#: Features of methods that take words in order.
SEQUENCES = "matrix_sequences"


@dataclass(frozen=True)
class Matrix:
    """The study, and the cells of its table that stay empty: the method does not apply, or takes too much time.

    Parameters
    ----------
    spec : the study in the form of a paper.yaml; its roles are names of data sets, and it has one experiment for each
        pair of a task and features.
    tasks : data set -> ``single`` or ``multi``.
    splits : data set -> its split, in words.
    empty : (data set, method) -> why the table has no score there, in one sentence.
    sizes : name of a study -> the same study with another number of training documents.
    """

    spec: Mapping[str, Any]
    tasks: Mapping[str, str]
    splits: Mapping[str, str]
    empty: Mapping[tuple[str, str], str]
    sizes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def load_matrix(
    root: Path,
    chosen: Sequence[str],
    registry: Mapping[str, Any],
    methods: Mapping[str, Method],
    *,
    sizes: Sequence[str] = (),
    cost: str = COSTS[-1],
    max_trials: int | None = None,
) -> Matrix:
    """Read config/matrix.yaml for the chosen data sets.

    Parameters
    ----------
    root : the folder with ``config/`` and ``workflow/``.
    chosen : names of the data sets to compare methods on; for none the study is empty and the file is not read.
    registry : the registry of data sets, by name.
    methods : the registry of methods, by name.
    sizes : names of the file's ``sizes`` with which the study is repeated.
    max_trials : most trials of a split, as config.yaml caps them; the sentence on the split names those that run.
    cost : the dearest class of methods (`textmix.experiment.methods.COSTS`) in the table; the study has all.

    Raises
    ------
    ConfigError : the file breaks its schema, or a data set, method, features, split or size is named that does not
        exist.
    """
    if not chosen:
        return Matrix(_study({}, {}, [], {}), {}, {}, {})
    raw = load_yaml_strict(root / _SOURCE)
    validate(raw, root / "workflow/schemas/matrix.schema.yaml", _SOURCE)
    names = raw.get("methods", list(methods))
    _check_names(raw, chosen, registry, methods, names, sizes=sizes)
    fitting = {name: methods[name] for name in names}
    experiments = _experiments(raw, chosen, fitting)
    tasks = {dataset: raw["data"][dataset]["task"] for dataset in chosen}
    empty = {
        (dataset, name): reason
        for dataset, task in tasks.items()
        for name in names
        if (reason := _left_out(methods[name], dataset, task, cost))
    }
    said = {dataset: _said(raw["splits"][raw["data"][dataset]["split"]], max_trials) for dataset in chosen}
    return Matrix(
        _study(raw["features"], raw["splits"], chosen, experiments),
        *(tasks, said, empty),
        {
            f"{MATRIX}_{size}": _study(
                raw["features"], raw["splits"], chosen, _experiments(raw, chosen, fitting, raw["sizes"][size])
            )
            for size in sizes
        },
    )


def _left_out(method: Method, dataset: str, task: str, cost: str) -> str:
    """Return why the table has no score of a method on a data set, in one sentence; empty where it has one."""
    if method.task != task:
        return f"{method.name} is for {TASKS[method.task]}; {dataset} has {TASKS[task]}"
    if COSTS.index(method.cost) > COSTS.index(cost):
        return f"{method.name} takes more time than matrix_cost: {cost} allows; the target study fits it"
    return ""


def _experiments(
    raw: Mapping[str, Any], chosen: Sequence[str], methods: Mapping[str, Method], split: str = ""
) -> dict[str, Any]:
    """Return the experiments of a study, one for each pair of a task and features.

    Parameters
    ----------
    raw : content of config/matrix.yaml.
    chosen : data sets.
    methods : the methods to compare, by name.
    split : the split of all data sets; by default each data set's own.
    """
    experiments: dict[str, Any] = {}
    for dataset in chosen:
        entry = raw["data"][dataset]
        key = f"{entry['task']}_{entry['features']}"
        fitting = {
            name: _entry(method, raw["features"], entry["features"])
            for name, method in methods.items()
            if method.task == entry["task"]
        }
        common = {"features": entry["features"], "metrics": shown_metrics(entry["task"]), "methods": fitting}
        experiments.setdefault(key, {"roles": {}, **common})["roles"][dataset] = split or entry["split"]
    return experiments


def _entry(method: Method, features: Mapping[str, Any], words: str) -> dict[str, Any]:
    """Return the experiment's entry of a method, whose training parts cut rare words as all documents did.

    Parameters
    ----------
    method : the registry entry.
    features : name -> how all documents are counted.
    words : name of the features; methods of words in order have features of their own.
    """
    if method.takes == "sequences":
        return {**compared(method, views={MATRIX: features[SEQUENCES]}), "features": [SEQUENCES]}
    return compared(method, views={MATRIX: features[words]})


def _said(split: Mapping[str, Any], cap: int | None) -> str:
    """Return a split scheme in words, with the trials that a cap leaves."""
    if split["kind"] == "given":
        return "The split of its authors."
    if split["kind"] == "folds":
        part = f"{cap} of " if cap and cap < split["folds"] else ""
        return f"Cross-validation in {part}{split['folds']} folds."
    if split["kind"] == "groups":
        return "One group of documents is left out for the test, each in turn."
    if split["kind"] == "first":
        return f"The first {split['train']} documents of the file for training, the rest for the test."
    sizes = [
        f"{size:,}" if isinstance(size, int) else f"{100 * size:.0f} %"
        for size in (split["train"], split.get("test", 1 - split["train"] if split["train"] < 1 else 0))
    ]
    trials = min(split["trials"], cap or split["trials"])
    number = "1 random split" if trials == 1 else f"{trials} random splits"
    return f"{number}: {sizes[0]} documents for training, {sizes[1]} for the test."


def _study(
    features: Mapping[str, Any], splits: Mapping[str, Any], roles: Sequence[str], experiments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the study in the form of a paper.yaml."""
    title = "Every method on every data set"
    parts = {"features": dict(features), "splits": dict(splits), "experiments": dict(experiments)}
    return {"title": title, "roles": list(roles), **parts}


def _check_names(
    raw: Mapping[str, Any],
    chosen: Sequence[str],
    registry: Collection[str],
    methods: Mapping[str, Method],
    names: Sequence[str],
    *,
    sizes: Sequence[str],
) -> None:
    """Check that every data set, method, features and split that is named exists.

    Parameters
    ----------
    raw : content of config/matrix.yaml.
    chosen : data sets of the configuration.
    registry, methods : the registries.
    names : methods to compare.
    sizes : names of sizes of the configuration.
    """
    wanted = [("configuration: matrix", "data set", dataset, raw["data"]) for dataset in chosen]
    wanted += [(f"{_SOURCE}: data", "data set", dataset, registry) for dataset in raw["data"]]
    wanted += [("configuration: matrix_sizes", "size", size, raw.get("sizes", {})) for size in sizes]
    wanted += [
        (f"{_SOURCE}: sizes.{size}", "split", split, raw["splits"]) for size, split in raw.get("sizes", {}).items()
    ]
    wanted += [(f"{_SOURCE}: methods", "method", name, methods) for name in names]
    for dataset, entry in raw["data"].items():
        for kind, known in (("features", raw["features"]), ("split", raw["splits"])):
            wanted.append((f"{_SOURCE}: data.{dataset}.{kind}", kind, entry[kind], known))
    for where, kind, name, known in wanted:
        if name not in known:
            raise ConfigError(f"{where}: no {kind} '{name}'; {suggest(name, known)}")
