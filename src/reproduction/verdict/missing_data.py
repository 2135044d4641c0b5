"""Missing data: each data set once, with the rows that need it and how to obtain it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reproduction.verdict.published import CLAIM, NUMBER
from reproduction.verdict.report_rows import Item
from reproduction.verdict.wording import MISSING, stand_in_text
from textmix.data.catalogue import CatalogueRow

#: Kinds of rows that are results of methods.
RESULT_KINDS = (NUMBER, CLAIM)


@dataclass(frozen=True)
class DataUsed:
    """The data set of a role.

    Parameters
    ----------
    role : str
        Name of the role.
    dataset, title, terms : str
        Name, title and terms of use in the registry; "" if no data set is available.
    comparable : {"fully", "nearly", "not"}
        ``fully`` for the paper's data, ``nearly`` for another version of the same collection.
    note : str
        Difference from the paper's data, or "".
    size : str
        Description of the numbers of documents and labels; "" if unknown.
    missing : str, default=""
        Reason why the data are missing; "" if they are available.
    is_named : bool, default=True
        Whether the paper names the data set.  Values on a data set of our own choice are never judged.
    is_broken : bool, default=False
        Whether the data set was found but could not be read.
    parsed : str, default=""
        Name of the folder of the parsed data.
    wanted, wanted_title : str, default=""
        Name and title of the data set that the configuration prefers, which a substitute may replace.
    """

    role: str
    dataset: str
    title: str
    terms: str
    comparable: str
    note: str
    size: str
    missing: str = ""
    is_named: bool = True
    is_broken: bool = False
    parsed: str = ""
    wanted: str = ""
    wanted_title: str = ""

    @property
    def is_substitute(self) -> bool:
        """Whether this run read another data set than the preferred one."""
        return self.is_named and self.dataset != self.wanted and not self.missing

    @property
    def log(self) -> str:
        """Path of the log of the job that read the data."""
        return f"logs/parse/{self.parsed or self.dataset}.log"

    @property
    def stands_in(self) -> str:
        """One clause on the problem with the data: why they are missing, or how they differ."""
        return self.missing or stand_in_text(self.dataset, self.note)


@dataclass(frozen=True)
class Remedy:
    """How to obtain the data set of a role.

    Parameters
    ----------
    dataset, title : str
        Name and title of the data set.
    files : sequence of CatalogueRow, default=()
        Its files with addresses, sizes and checksums.
    terms : str, default=""
        Licence or terms of use.
    """

    dataset: str
    title: str
    files: Sequence[CatalogueRow] = ()
    terms: str = ""

    @property
    def is_public(self) -> bool:
        """Whether every file has a public address."""
        return all(file.addresses for file in self.files)


def as_remedy(entry: Mapping[str, Any]) -> Remedy:
    """Convert an entry of the parameter ``remedies`` of the rule ``page``."""
    files = [CatalogueRow(**file) for file in entry["files"]]
    return Remedy(**dict(entry, files=files))


@dataclass(frozen=True)
class DatasetNeed:
    """A data set with the results that need it.

    Parameters
    ----------
    remedy : Remedy or None
        How to obtain it; None if the configuration does not define a data set.
    used : sequence of DataUsed
        What this run read for each role of the data set.
    needed : mapping of str to int
        Paper -> number of results that need the data set, possibly among others.
    waiting : mapping of str to int
        Paper -> number of results that this run could not evaluate without it.
    """

    remedy: Remedy | None
    used: Sequence[DataUsed]
    needed: Mapping[str, int]
    waiting: Mapping[str, int]

    @property
    def name(self) -> str:
        """Name of the data set, or of its role if no data set is configured."""
        if self.remedy:
            return self.remedy.dataset
        return self.used[0].role

    @property
    def title(self) -> str:
        if self.remedy:
            return self.remedy.title
        return self.used[0].role.replace("_", " ")

    @property
    def n_needed(self) -> int:
        return sum(self.needed.values())

    @property
    def n_waiting(self) -> int:
        return sum(self.waiting.values())


def dataset_needs(items: Iterable[Item], data: Iterable[DataUsed], remedies: Mapping[str, Remedy]) -> list[DatasetNeed]:
    """Return the data sets of the roles, those first that most results wait for."""
    by_role = {used.role: used for used in data}
    groups: dict[str, list[DataUsed]] = {}
    for role, used in by_role.items():
        name = remedies[role].dataset if role in remedies else role
        groups.setdefault(name, []).append(used)
    needed: dict[str, dict[str, int]] = {name: {} for name in groups}
    waiting: dict[str, dict[str, int]] = {name: {} for name in groups}
    names = {used.role: name for name, group in groups.items() for used in group}
    for item in items:
        if item.counts_as not in RESULT_KINDS:
            continue
        needed_names = {names[role] for role in item.roles if role in names}
        _count(needed, needed_names, item.row.paper)
        if item.verdict == MISSING and not is_unnamed(item, by_role):
            missing_names = {names[role] for role in _missing_roles(item, by_role) if role in names}
            _count(waiting, missing_names, item.row.paper)
    needs = []
    for name, group in groups.items():
        remedy = remedies.get(group[0].role)
        need = DatasetNeed(remedy, group, needed[name], waiting[name])
        needs.append(need)
    return sorted(needs, key=lambda need: (-need.n_waiting, -need.n_needed, need.name))


def _count(counts: Mapping[str, dict[str, int]], names: Iterable[str], paper: str) -> None:
    """Add one result of a paper to the counts of data sets."""
    for name in names:
        counts[name][paper] = counts[name].get(paper, 0) + 1


def _missing_roles(item: Item, by_role: Mapping[str, DataUsed]) -> list[str]:
    """Return the roles of an unjudged item with missing or different data, or else all its roles."""
    roles = []
    for role in item.roles:
        used = by_role.get(role)
        if used and (used.missing or used.comparable == "not"):
            roles.append(role)
    return roles or list(item.roles)


def is_unnamed(item: Item, data: Mapping[str, DataUsed]) -> bool:
    """Check whether a row cannot be judged with any data, because the paper does not name a data set."""
    described = [data[role] for role in _missing_roles(item, data) if role in data]
    return bool(described) and not any(used.is_named for used in described)
