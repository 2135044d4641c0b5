"""Missing data: each data set once, with the rows that need it and how to obtain it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reproduction.verdict.published import COUNTED
from reproduction.verdict.report_rows import Item
from reproduction.verdict.wording import MISSING, stand_in_text


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
    """

    role: str
    dataset: str
    title: str
    terms: str
    comparable: str
    note: str
    size: str
    missing: str = ""

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
    sources : sequence of str
        Types of its sources (`textmix.data.registry.KINDS`).
    files : sequence of str
        File names in ``resources/<dataset>/``.
    bytes : int or None, default=None
        Download size in bytes, if available.
    """

    dataset: str
    title: str
    sources: Sequence[str]
    files: Sequence[str]
    bytes: int | None = None


@dataclass(frozen=True)
class MissingData:
    """Missing data that prevent items from being judged.

    Parameters
    ----------
    data : DataUsed
        The data set.
    remedy : Remedy or None
        How to obtain it; None if the configuration does not define a data set.
    waiting : mapping of str to int
        Paper -> number of counted items that need these data, possibly among others.
    """

    data: DataUsed
    remedy: Remedy | None
    waiting: Mapping[str, int]

    @property
    def total(self) -> int:
        """Number of counted items that need the data."""
        return sum(self.waiting.values())


@dataclass(frozen=True)
class Download:
    """Download required for a run with all data.

    Parameters
    ----------
    titles : sequence of str
        Titles of the data sets.
    megabytes : int
        Total size of the data sets of known size, in MB.
    n_unknown : int
        Number of data sets of unknown size.
    """

    titles: Sequence[str]
    megabytes: int
    n_unknown: int


def download_of(missing: Iterable[MissingData]) -> Download:
    """Summarize the download of all missing data."""
    remedies = {entry.remedy.dataset: entry.remedy for entry in missing if entry.remedy}.values()
    sizes = [remedy.bytes for remedy in remedies]
    megabytes = round(sum(filter(None, sizes)) / 1e6)
    return Download([remedy.title for remedy in remedies], megabytes, sizes.count(None))


def missing_data(items: Iterable[Item], data: Iterable[DataUsed], remedies: Mapping[str, Remedy]) -> list[MissingData]:
    """Return the missing data, sorted by decreasing number of items that need them."""
    by_role = {used.role: used for used in data}
    waiting: dict[str, dict[str, int]] = {}
    for item in items:
        if item.counts_as in COUNTED and item.verdict == MISSING:
            for role in _missing_roles(item, by_role):
                counts = waiting.setdefault(role, {})
                counts[item.row.paper] = counts.get(item.row.paper, 0) + 1
    entries = [MissingData(by_role[role], remedies.get(role), counts) for role, counts in waiting.items()]
    return sorted(entries, key=lambda entry: (-entry.total, entry.data.role))


def _missing_roles(item: Item, by_role: Mapping[str, DataUsed]) -> list[str]:
    """Return the roles of an unjudged item with missing or different data, or else all its roles."""
    roles = [role for role in item.roles if by_role[role].missing or by_role[role].comparable == "not"]
    return roles or list(item.roles)
