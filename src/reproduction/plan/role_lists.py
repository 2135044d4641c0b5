"""Role lists: one name for several roles, so that a paper's files need not repeat them.

``role_lists`` of a ``paper.yaml`` gives the lists.  Their names may stand wherever the files of the paper name roles:
in ``roles`` of the paper, of an experiment, of a measure or of a figure, and as the role of a locator in
``checks.yaml``.  The lists are expanded when a file is read; the rest of the code sees roles only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reproduction.plan.locators import RoleLocator, parse_locator
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError

#: Name of a list -> its roles in order.
RoleLists = Mapping[str, Sequence[str]]


def expand_paper(paper: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return a ``paper.yaml`` without ``role_lists``, every list in it replaced by its roles in order.

    Parameters
    ----------
    paper : the content of the file, which follows its schema.
    source : the path of the file, for messages.

    Raises
    ------
    ConfigError : a list has the name of a role, or a role stands twice in one entry.
    """
    expanded = {key: value for key, value in paper.items() if key != "role_lists"}
    lists: RoleLists = paper.get("role_lists", {})
    expanded["roles"] = _expand_roles(paper["roles"], lists, f"{source}: roles")
    for name in lists:
        if name in expanded["roles"]:
            raise ConfigError(f"{source}: role_lists.{name}: '{name}' is a role too; rename the list")
    for kind in ("experiments", "measures", "figures"):
        expanded[kind] = {
            key: _expand_entry(entry, lists, f"{source}: {kind}.{key}.roles") for key, entry in paper[kind].items()
        }
    return expanded


def expand_locators(locators: Iterable[str], lists: RoleLists, place: str) -> list[str]:
    """Return locators in order; a locator that names a list is replaced by one locator for each role of the list.

    Parameters
    ----------
    locators : as they are written in ``checks.yaml``.
    lists : the role lists of the paper.
    place : the file and key where they stand, for the message.

    Raises
    ------
    ConfigError : a locator does not follow the grammar; the message begins with ``place``.
    """
    expanded = []
    for text in locators:
        locator = parse_locator(text, place)
        if isinstance(locator, RoleLocator) and locator.role in lists:
            expanded += [str(replace(locator, role=role)) for role in lists[locator.role]]
        else:
            expanded.append(text)
    return expanded


def read_role_lists(path: str | Path) -> RoleLists:
    """Return the role lists of a ``paper.yaml``; empty where it has none.

    Raises
    ------
    ConfigError : the file cannot be read or is not YAML.
    """
    lists: RoleLists = load_yaml_strict(path).get("role_lists", {})
    return lists


def _expand_entry(entry: Mapping[str, Any], lists: RoleLists, place: str) -> dict[str, Any]:
    """Return an experiment, measure or figure with the lists in its ``roles`` expanded.

    An experiment or measure maps roles to splits: each role of a list gets the split of the list.
    """
    if "roles" not in entry:
        return dict(entry)
    roles = _expand_roles(entry["roles"], lists, place)
    if not isinstance(entry["roles"], Mapping):
        return {**entry, "roles": roles}
    splits = [split for name, split in entry["roles"].items() for _ in lists.get(name, [name])]
    return {**entry, "roles": dict(zip(roles, splits, strict=True))}


def _expand_roles(names: Iterable[str], lists: RoleLists, place: str) -> list[str]:
    """Return names of roles and of lists as roles in order."""
    roles = [role for name in names for role in lists.get(name, [name])]
    for role, count in Counter(roles).items():
        if count > 1:
            raise ConfigError(f"{place}: the role '{role}' stands twice; name it once, by itself or by one list")
    return roles
