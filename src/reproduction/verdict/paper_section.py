"""One paper of the report: its items, tables, figures and causes, and what the pages count and say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reproduction.figures.svg_sanitize import Drawing
from reproduction.flow.curves import Curve
from reproduction.verdict.causes import Cause
from reproduction.verdict.evidence_levels import Rung, all_known, ladder, own
from reproduction.verdict.missing_data import DataUsed
from reproduction.verdict.provenance import HOME, made_by, shown_in
from reproduction.verdict.published import CLAIM, COUNTED, Choice
from reproduction.verdict.recorded_run import EQUAL, UNEQUAL
from reproduction.verdict.report_rows import Item
from reproduction.verdict.tables import PaperTable
from reproduction.verdict.wording import DIFFERS, MISSING, REPRODUCED, VERDICTS, short
from textmix.pages.rendering import with_minus

#: How the words begin for a result that this run does not have.
ABSENT_RESULT = "not in this run"
#: Beginning of the sentence of a cause that is none.
NOT_EXPLAINED = "Not explained."


@dataclass(frozen=True)
class Specified:
    """The specification curves of a paper, each with its drawing; ``factors`` maps specification -> factor -> level ->
    why the source allows it.
    """

    curves: Sequence[tuple[Curve, Drawing]] = ()
    factors: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Unexplained:
    """A number or claim that differs, why it counts as not explained, and what was tried, in sentences: the rest of the
    cause, and the values of the readings.
    """

    item: Item
    why: str
    tried: str = ""


def unexplained(differing: Iterable[Item], causes: Mapping[str, Cause], curves: Iterable[Curve]) -> list[Unexplained]:
    """Return the items that differ and have no known cause, or whose printed value no reading reaches."""
    drawn = {curve.row: curve for curve in curves}
    found = []
    for item in differing:
        curve, cause = drawn.get(item.cell.id), causes.get(item.cell.id)
        outside = curve is not None and curve.holds is False
        unknown = cause is None or cause.reason.startswith(NOT_EXPLAINED)
        if outside or unknown:
            why = ["No cause is known."] if unknown else []
            tried = [cause.reason.removeprefix(NOT_EXPLAINED).strip()] if cause and unknown else []
            if curve and curve.span:
                least, most = (with_minus(short(end)) for end in curve.span)
                what = "distances from the boundary of the claim" if curve.is_claim else "values"
                why.append(curve.sentence)
                factors = ", ".join(curve.readings[0].levels)
                tried.append(f"The readings vary {factors}; their {what} are {least} to {most}.")
            found.append(Unexplained(item, " ".join(why), " ".join(filter(None, tried))))
    return found


def _by_verdict(verdicts: Iterable[str]) -> dict[str, int]:
    """Return verdict -> how often it stands in a list, in the order of `VERDICTS`."""
    found = Counter(verdicts)
    return {verdict: found[verdict] for verdict in VERDICTS}


class ItemGroup:
    """Some rows of comparisons, in order, and what the pages count and say of them."""

    items: Sequence[Item]

    @property
    def counted(self) -> list[Item]:
        """The items that the counts of verdicts count: numbers and claims that are not weak."""
        return [item for item in self.items if item.counts_as in COUNTED]

    @property
    def weak(self) -> list[Item]:
        """The numbers that count apart, for their margins accept too much."""
        return [item for item in self.items if item.weak]

    @property
    def weak_counts(self) -> dict[str, int]:
        """Verdict -> number of the weak numbers."""
        return _by_verdict(item.cell.verdict for item in self.weak)

    @property
    def known(self) -> list[Item]:
        """The rows of the ladder: those that this run or the recorded one judged."""
        return all_known(self.items)

    @property
    def ladder(self) -> list[Rung]:
        return ladder(self.known)

    @property
    def results(self) -> Rung:
        """The results of methods that are known, and how many of them came out."""
        return self.ladder[2]

    @property
    def judged(self) -> list[Item]:
        return [item for item in self.counted if item.judged]

    @property
    def waiting(self) -> int:
        return self.counts[MISSING]

    @property
    def counts(self) -> dict[str, int]:
        """Verdict -> number of the counted items."""
        return _by_verdict(item.cell.verdict for item in self.counted)

    @property
    def recorded_counts(self) -> dict[str, int]:
        """Verdict -> number of the counted items in the recorded run."""
        return _by_verdict(item.recorded.verdict for item in self.counted if item.recorded)

    @property
    def repeated(self) -> dict[str, list[Item]]:
        """``equal`` and ``not equal`` -> the counted items whose value from the same data is so beside the record."""
        known = [(item, item.recorded.standing) for item in self.counted if item.recorded]
        return {wanted: [item for item, standing in known if standing == wanted] for wanted in (EQUAL, UNEQUAL)}

    @property
    def beside(self) -> Counter[str]:
        """Kind -> number of the items that the counts leave out."""
        return Counter(item.counts_as for item in self.items if item.counts_as not in COUNTED)

    @property
    def bounded(self) -> list[Item]:
        """The reproduced numbers that are means over trials, which two one-sided tests bound by their margin."""
        return [one for one in self.reproduced if one.margin_p is not None]

    @property
    def reproduced(self) -> list[Item]:
        return [one for one in self.counted if one.cell.verdict == REPRODUCED]

    @property
    def differing(self) -> list[Item]:
        """The numbers and claims that differ, weak ones too, failed claims first."""
        found = [item for item in (*self.counted, *self.weak) if item.cell.verdict == DIFFERS]
        return sorted(found, key=lambda item: item.kind != CLAIM)

    @property
    def recorded_differing(self) -> list[Item]:
        """The numbers and claims that differ in the recorded run and that this one did not judge, claims first."""
        then = [one for one in (*self.counted, *self.weak) if one.recorded and one.recorded.absent]
        found = [one for one in then if one.recorded and one.recorded.verdict == DIFFERS]
        return sorted(found, key=lambda item: item.kind != CLAIM)


@dataclass(frozen=True)
class PaperSection(ItemGroup):
    """The section of one paper.

    Parameters
    ----------
    spec : its ``paper.yaml``.
    items : all rows of its comparison, in order.
    tables, figures : in the order of ``paper.yaml``.
    choices : as in ``choices.yaml``.
    data : the data set that stands for each of its roles.
    causes : id of a published row -> why it is not reproduced.
    given : locator of a result that a cause names -> its value in words, or why this run has none.
    specified : its specification curves; none where they were not drawn, or are those of other results.
    home : the folder of the workflow as seen from the page.
    means : the mean differences of its methods (`reproduction.verdict.compare.method_means`).
    """

    name: str
    spec: Mapping[str, Any]
    items: Sequence[Item]
    tables: Sequence[PaperTable]
    figures: Sequence[Drawing]
    choices: Sequence[Choice]
    data: Sequence[DataUsed]
    causes: Mapping[str, Cause]
    specified: Specified = field(default_factory=Specified)
    home: str = HOME
    given: Mapping[str, str] = field(default_factory=dict)
    means: Sequence[Mapping[str, Any]] = ()

    @property
    def own(self) -> Rung:
        """The printed numbers of the paper's own methods that are known, and how many of them came out."""
        return own(self.known, self.spec.get("own_methods", ()))

    @property
    def drawn(self) -> set[str]:
        return {figure.name for figure in self.figures if figure.svg}

    @property
    def tabled(self) -> set[str]:
        return {table.name for table in self.tables}

    def by_cause(self, items: Iterable[Item]) -> list[tuple[Cause | None, list[Item]]]:
        """Return items that differ by their cause, causes of most items first and unknown ones last."""
        groups: dict[Cause | None, list[Item]] = {}
        for item in items:
            groups.setdefault(self.causes.get(item.cell.id), []).append(item)
        return sorted(groups.items(), key=lambda group: (group[0] is None, -len(group[1])))

    @property
    def unexplained(self) -> list[Unexplained]:
        return unexplained(self.differing, self.causes, [curve for curve, _ in self.specified.curves])

    @property
    def standings(self) -> dict[str, str]:
        """Row -> a clause on its printed value and its readings, for the rows that have a curve."""
        return {curve.row: curve.finding for curve, _ in self.specified.curves if curve.holds is not None}

    def results_of(self, cause: Cause) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
        """Return the results that a cause names: (name, value) of those of this run, and why -> names of the others."""
        present, absent = [], dict[str, list[str]]()
        for locator in cause.values:
            name, value = locator.partition(":")[2], self.given.get(locator, ABSENT_RESULT)
            if value.startswith(ABSENT_RESULT):
                absent.setdefault(value.removeprefix(ABSENT_RESULT).strip(": ").partition(":")[0], []).append(name)
            else:
                present.append((name, value))
        return present, absent

    def made_by(self, item: Item) -> list[tuple[str, str]]:
        """Return label and address of the settings, code, records and logs behind an item."""
        return made_by(self.name, item.origin, self.spec, self.home)

    def shown_in(self, item: Item) -> list[tuple[str, str]]:
        figures = {name: entry for name, entry in self.spec.get("figures", {}).items() if name in self.drawn}
        return shown_in(self.name, item.cell.id, figures, self.tables)

    def of_kind(self, kind: str) -> list[Item]:
        """Return the items of a kind that stand in none of the tables."""
        shown = {cell.id for table in self.tables for cell in table.cells}
        return [item for item in self.items if item.kind == kind and (kind == CLAIM or item.cell.id not in shown)]
