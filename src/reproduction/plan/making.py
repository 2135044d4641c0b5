"""From the merged configuration to the plan of a run; every name is checked against the entries that exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from reproduction.plan.costs import Costs, load_costs
from reproduction.plan.matrix import MATRIX, load_matrix
from reproduction.plan.own import OWN
from reproduction.plan.papers import check_references, load_papers, source_of
from reproduction.plan.plan import Plan
from reproduction.plan.request import WORDS, read_request
from reproduction.plan.suites import load_suites
from textmix.core.errors import ConfigError, suggest
from textmix.data.registry import load_registry
from textmix.experiment.methods import load_methods


def make_plan(config: Mapping[str, Any], files: Iterable[Path], root: Path) -> Plan:
    """Return the plan of one run.

    Parameters
    ----------
    config : the merged configuration (config.yaml, further files, ``--config``); it stays as it is.
    files : the configuration files.
    root : the folder with ``config/`` and ``workflow/``.

    Raises
    ------
    ConfigError : a key, name or reference is wrong; the message names file, key and remedy.
    """
    methods = load_methods(root / "config/methods.yaml")
    registry = load_registry(root / "config/datasets.yaml")
    asked = read_request(config, files, root / "workflow/schemas", methods, registry)
    papers = load_papers(root, methods)
    settings = asked.settings
    given = {name: settings[f"matrix_{name}"] for name in ("sizes", "cost") if f"matrix_{name}" in settings}
    matrix = load_matrix(root, settings["matrix"], registry, methods, max_trials=settings["max_trials"], **given)
    own = {OWN: asked.own.spec(methods)} if asked.own else {}
    studies = {**papers, MATRIX: matrix.spec, **matrix.sizes, **own}
    plan = Plan(
        root=root,
        settings=settings,
        registry=registry,
        methods=methods,
        papers=papers,
        studies=studies,
        features={**WORDS, **_shared("features", studies, papers)},
        splits=_shared("splits", studies, papers),
        suites=load_suites(root, papers),
        matrix=matrix,
        costs=Costs.of(load_costs(root / "config/costs.csv")),
        own=asked.own,
        model=asked.model,
    )
    for check in (_check_papers, _check_roles, _check_stand_ins, _check_doubles, _check_suites, _check_model):
        check(plan)
    return plan


def _shared(kind: str, studies: Mapping[str, Mapping[str, Any]], papers: Collection[str]) -> dict[str, Any]:
    """Return the features or splits of all studies by name.

    Studies share these results by name.  A name with two meanings therefore raises ConfigError.
    """
    found: dict[str, Any] = {}
    for name, study in studies.items():
        for key, spec in study[kind].items():
            if found.setdefault(key, spec) != spec:
                source = source_of(name) if name in papers else f"config/{name}.yaml"
                raise ConfigError(f"{source}: {kind}.{key} differs from another paper's; rename it")
    return found


def _check_papers(plan: Plan) -> None:
    """Check that the papers that the configuration asks for exist."""
    for place, name in enumerate(plan.settings["papers"] or ()):
        if name not in plan.papers:
            remedy = suggest(name, plan.papers)
            raise ConfigError(f"configuration: papers.{place}: {name!r} is not allowed; {remedy}")


def _check_roles(plan: Plan) -> None:
    """Check that roles name data sets, and that papers name roles, features and splits that exist."""
    roles = plan.settings["roles"]
    for role, entry in roles.items():
        for name in (one["dataset"] for one in (entry, *entry.get("stand_ins", ()))):
            if name is not None and name not in plan.registry:
                remedy = suggest(name, sorted(plan.registry))
                raise ConfigError(f"configuration: roles.{role}: no data set '{name}'; {remedy}")
    for name, paper in plan.papers.items():
        check_references(name, paper, roles)


def _check_stand_ins(plan: Plan) -> None:
    """Check that a data set with stand-ins is read under one role alone: the report could not say elsewhere which."""
    roles = plan.settings["roles"]
    used = [entry["dataset"] for entry in roles.values()]
    used += [*plan.settings["matrix"], *([plan.model.dataset] if plan.model else [])]
    for role, entry in roles.items():
        if "stand_ins" in entry and used.count(entry["dataset"]) > 1:
            raise ConfigError(
                f"configuration: roles.{role}: '{entry['dataset']}' has stand_ins and is named elsewhere too (another "
                "role, the matrix or the model); remove its stand_ins or the other place"
            )


def _check_doubles(plan: Plan) -> None:
    """Check that no experiment meets one data set under two roles with different splits.

    An experiment's results are stored by data set, so that the second role would overwrite the first one's.
    """
    for name, paper in plan.papers.items():
        for key, experiment in paper["experiments"].items():
            found: dict[str, str] = {}
            for role, split in experiment["roles"].items():
                dataset = plan.dataset(role)
                if dataset is not None and found.setdefault(dataset, split) != split:
                    raise ConfigError(
                        f"configuration: roles.{role}: '{dataset}' stands for two roles of {name}'s {key}, "
                        "which splits them differently; map one of them to another data set or to null"
                    )


def _check_suites(plan: Plan) -> None:
    """Check that the suites of the bench name roles, features and splits that exist."""
    for name, suite in plan.suites.items():
        for kind, key, known in (
            ("role", suite.role, plan.settings["roles"]),
            ("features", suite.features, plan.features),
            ("split", suite.split, plan.splits),
        ):
            if key is not None and key not in known:
                raise ConfigError(f"bench.yaml: {name}: no {kind} '{key}'; {suggest(key, known)}")


def _check_model(plan: Plan) -> None:
    """Check that the model names a data set and features that exist."""
    if plan.model is None:
        return
    datasets = [*plan.registry, *([plan.own.name] if plan.own else [])]
    for key, value, known in (
        ("data", plan.model.dataset, datasets),
        ("features", plan.model.features, plan.features),
    ):
        if value not in known:
            raise ConfigError(f"configuration: {key}={value}: there is none; {suggest(value, sorted(known))}")
