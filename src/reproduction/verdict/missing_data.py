"""The data that a report lacks: each data set once, with what waits for it and how to get it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reproduction.verdict.published import COUNTED
from reproduction.verdict.report_rows import Item
from reproduction.verdict.wording import MISSING


@dataclass(frozen=True)
class DataUsed:
    """The data set that stands for a role.

    Parameters
    ----------
    dataset, title, terms : name, title and terms of use in the registry; empty where no data set is at hand.
    comparable : whether it is the paper's own data: ``fully``, ``nearly`` (the same collection in another form) or
        ``not``.
    note : difference from the paper's data, or empty.
    size : numbers of documents and labels in words; empty where they are not known.
    missing : reason why there are no data; empty where there are.
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
        """One clause that says what is wrong with the data: why there are none, or how they differ."""
        return self.missing or (f"{self.dataset} stands in: {self.note}" if self.note else f"{self.dataset} stands in")


@dataclass(frozen=True)
class Remedy:
    """How to get the data set of a role: kinds of its sources (`textmix.data.registry.KINDS`), names of its files in
    ``resources/<dataset>/``, and their bytes as stored at a source, None where not known.
    """

    dataset: str
    title: str
    sources: Sequence[str]
    files: Sequence[str]
    bytes: int | None = None


@dataclass(frozen=True)
class Lacking:
    """Data without which items are not judged.  ``waiting`` maps paper -> number of the counted items that wait for
    them, perhaps beside further data; ``remedy`` is None where the configuration names none.
    """

    data: DataUsed
    remedy: Remedy | None
    waiting: Mapping[str, int]

    @property
    def total(self) -> int:
        """Number of counted items that wait for the data."""
        return sum(self.waiting.values())


@dataclass(frozen=True)
class Fetched:
    """The data that a run with all data fetches: titles of the data sets, the megabytes of those of known size, and how
    many are of unknown size.
    """

    titles: Sequence[str]
    megabytes: int
    unknown: int


def fetched(lacking: Iterable[Lacking]) -> Fetched:
    """Return what a run fetches that has all of the lacking data."""
    remedies = {one.remedy.dataset: one.remedy for one in lacking if one.remedy}.values()
    sizes = [one.bytes for one in remedies]
    size = round(sum(filter(None, sizes)) / 1e6)
    return Fetched([one.title for one in remedies], size, sizes.count(None))


def lacking(items: Iterable[Item], data: Iterable[DataUsed], remedies: Mapping[str, Remedy]) -> list[Lacking]:
    """Return the data that are lacking, those for which most items wait first."""
    known = {used.role: used for used in data}
    waiting: dict[str, dict[str, int]] = {}
    for item in items:
        if item.counts_as in COUNTED and item.cell.verdict == MISSING:
            for role in _blamed(item, known):
                counts = waiting.setdefault(role, {})
                counts[item.paper] = counts.get(item.paper, 0) + 1
    found = [Lacking(known[role], remedies.get(role), counts) for role, counts in waiting.items()]
    return sorted(found, key=lambda one: (-one.total, one.data.role))


def _blamed(item: Item, known: Mapping[str, DataUsed]) -> list[str]:
    """Return the roles whose data an unjudged item lacks: missing or foreign ones, else all its roles."""
    worst = [role for role in item.roles if known[role].missing or known[role].comparable == "not"]
    return worst or list(item.roles)
