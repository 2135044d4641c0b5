"""Wrong names on the command line: a target that nothing makes is refused with the nearest name that exists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from reproduction.plan.plan import Plan
from reproduction.plan.targets import Targets
from textmix.core.errors import ConfigError, suggest


def check_target(target: str, rules: Collection[str], made: Mapping[str, str] | None, plan: Plan) -> None:
    """Check one target of the command line that is no rule and no file at hand.

    Parameters
    ----------
    target : the target, a path or a misspelt name.
    rules : the names of the target rules.
    made : the wildcards with which a rule makes this path; None if no rule makes it.
    plan : the plan.

    Raises
    ------
    ConfigError : nothing makes the target; the message gives the nearest name.
    """
    if made is not None:
        check_wildcards(target, made, plan)
    elif "/" in target:
        targets = Targets(plan)
        paths = [
            *(path for paths in targets.results().values() for path in paths),
            *targets.tables(),
            *targets.figures(),
        ]
        raise ConfigError(f"target {target}: no rule makes this file; {_nearest(target, paths)}")
    else:
        raise ConfigError(f"target {target}: there is none; {suggest(target, sorted(rules))}")


def check_wildcards(target: str, wildcards: Mapping[str, str], plan: Plan) -> None:
    """Check that the names in the path of a target exist.

    Parameters
    ----------
    target : the path.
    wildcards : kind of name (``dataset``, ``features``, ``split``, ``measure`` ...) -> the name in the path.
    plan : the plan.

    Raises
    ------
    ConfigError : a name does not exist; the message gives the nearest one.
    """
    known = _known(wildcards, plan)
    for kind, name in wildcards.items():
        if kind in known and name not in known[kind]:
            raise ConfigError(f"target {target}: no {kind} '{name}'; {suggest(name, known[kind])}")


def _known(wildcards: Mapping[str, str], plan: Plan) -> dict[str, list[str]]:
    """Return kind of name -> the names that exist, for a path with these wildcards."""
    own = [plan.own.name] if plan.own else []
    known = {
        "dataset": sorted([*plan.registry, *own]),
        "features": sorted(plan.features),
        "split": sorted(plan.splits),
        "paper": list(plan.studies),
        "suite": list(plan.suites),
    }
    study = plan.studies.get(wildcards.get("paper", ""), {})
    for kind in ("experiment", "measure"):
        known[kind] = list(study.get(f"{kind}s", ()))
    experiment = study.get("experiments", {}).get(wildcards.get("experiment", ""), {})
    known["method"] = list(experiment.get("methods", ()))
    return known


def _nearest(word: str, allowed: Iterable[str]) -> str:
    """Return the remedy for a wrong path: the nearest path, or the place to look; all paths are too many to list."""
    found = suggest(word, allowed).partition("? ")
    return f"{found[0]}?" if found[1] else "snakemake --list-target-rules names the targets"
