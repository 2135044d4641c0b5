"""The scope of a run: which jobs of its papers it takes, and which it leaves to the full run, by their measured costs.

A job of more than ``dearest`` seconds is left out, with all that reads it.  The others fill a budget in order of worth:
first those on which printed numbers rest that this run can judge, the most numbers for a second before all others;
then, within a share of their own, those that rebuild no such number, the cheapest first.  No result decides.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction.flow.locators import Locator, MeasureLocator, RoleLocator, ScoreLocator, locators_behind
from reproduction.flow.results import LEFT_OUT
from reproduction.plan.stages import COMPARE, FIGURE, FIT, MEASURE, PARSE, SCORE, SPLIT, TABLE

if TYPE_CHECKING:
    from reproduction.plan.costs import Cost
    from reproduction.plan.plan import Plan, Run

#: Kinds of published rows that make a job worth its time: those that the headlines count.
_WORTH = ("number", "claim")
#: Comparability of data that are not the paper's, on which no number is judged.
_FOREIGN = "not"


@dataclass(frozen=True)
class Work:
    """One job of a paper, or one that counts words.

    Parameters
    ----------
    seconds : of the processor; 0 where no job like it was measured.
    reads : names of the jobs that it reads.
    rows : number of the printed numbers and claims that rest on it and that the run can judge.
    """

    seconds: float
    reads: tuple[str, ...] = ()
    rows: int = 0


def fill(
    works: Mapping[str, Work], counts: Mapping[str, float], budget: float | None, further: float | None
) -> dict[str, str]:
    """Return why each job is left out for which a budget has no room.

    Parameters
    ----------
    works : name -> job.
    counts : name of the job of counts that a job reads -> its seconds; one that no job reads costs nothing.
    budget : seconds of the processor of all jobs; None for no limit.
    further : of the jobs on which no printed number rests that the run can judge; None for no limit.
    """
    seconds = {**counts, **{name: work.seconds for name, work in works.items()}}
    reads = {name: work.reads for name, work in works.items()}
    readers = Counter(chain.from_iterable(reads.values()))

    def order(name: str) -> tuple[bool, float, str]:
        """Return the place of a job: seconds for a printed number, of what it shares with others its part."""
        shared = sum(seconds[read] / readers[read] for read in reads[name])
        return not works[name].rows, (seconds[name] + shared) / max(1, works[name].rows), name

    def behind(name: str) -> Iterator[str]:
        """Yield a job and all that it reads."""
        yield name
        for read in reads.get(name, ()):
            yield from behind(read)

    found: dict[str, str] = {}
    taken: set[str] = set()
    spent = beside = 0.0
    for name in sorted(works, key=order):
        new = {*behind(name)} - taken
        more, apart = sum(seconds[one] for one in new), not works[name].rows
        why = _over(more, spent + more, "run_seconds", budget)
        why = why or (_over(more, beside + more, "further_seconds", further) if apart else "")
        if why:
            found[name] = why
        else:
            taken, spent, beside = taken | new, spent + more, beside + more * apart
    return found


def _over(seconds: float, together: float, key: str, limit: float | None) -> str:
    """Return why a job is left out; empty where a budget has room for it."""
    if limit is None or together <= limit:
        return ""
    return f"{LEFT_OUT}: it takes about {seconds:.0f} s of the processor, for which {key} has no room"


class Scope:
    """The scope of a plan.

    Parameters
    ----------
    plan : the plan.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def leaves_out(self, name: str) -> bool:
        """Return whether the run leaves out a job, ``fit/<run>`` or ``measure/<paper>/<measure>``."""
        return name in self._left

    def leaves_out_result(self, script: str, names: Mapping[str, str]) -> bool:
        """Return whether the run leaves out the job that made a result, such as a fit of an earlier run of one paper.

        Parameters
        ----------
        script, names : the job's script and wildcards, as the result's record has them.
        """
        if script in (FIT.name, SCORE.name):
            return self.leaves_out(
                "fit/" + "/".join(names[key] for key in ("paper", "experiment", "dataset", "method"))
            )
        return script == MEASURE.name and self.leaves_out(f"measure/{names['paper']}/{names['measure']}")

    def left_out(self, paper: str) -> dict[str, str]:
        """Return why each result of a paper is left out.

        Keys are ``fit/<experiment>/<data set>/<method>``, ``measure/<measure>``, ``features/<data set>/<features>``.
        """
        plan = self.plan
        names = {f"fit/{run.name}": {plan.counts(run)} for run in plan.all_runs(paper)}
        names |= {f"measure/{paper}/{key}": self._counts(paper, key) for key in plan.all_measures(paper)}
        found = {name.replace(f"/{paper}/", "/", 1): why for name in names if (why := self._left.get(name))}
        # Counts are left out where all is that reads them.
        made = {counts for name, read in names.items() if name not in self._left for counts in read}
        for name, read in names.items():
            for dataset, features in sorted(read - made):
                found.setdefault(f"features/{dataset}/{features}", self._left[name])
        return found

    @cached_property
    def _left(self) -> dict[str, str]:
        """Name of each job of the chosen papers that is left out -> the reason."""
        budget, further = (self.plan.settings.get(key) for key in ("run_seconds", "further_seconds"))
        if budget is None and further is None:
            return self._dear_jobs
        works = {name: work for name, work in self._works() if name not in self._dear_jobs}
        counts = {read for work in works.values() for read in work.reads if read.startswith("features/")}
        seconds = {name: self._features_seconds(*name.split("/")[1:]) for name in counts}
        room = None if budget is None else budget - self._always()
        return self._dear_jobs | fill(works, seconds, room, further)

    def _works(self) -> Iterator[tuple[str, Work]]:
        """Yield name and work of each fit and measure of the chosen papers."""
        plan = self.plan
        for paper in plan.chosen():
            for run in plan.all_runs(paper):
                name, seconds = f"fit/{run.name}", _seconds(plan.cost(run)) + self._each(SCORE.name)
                yield name, Work(seconds, (_counts_name(*plan.counts(run)),), self.rows[name])
            for key in plan.all_measures(paper):
                name = f"measure/{paper}/{key}"
                fits = (f"fit/{run.name}" for _, run in plan.measure_runs(paper, key))
                reads = {*fits, *(_counts_name(*counts) for counts in self._counts(paper, key))}
                yield name, Work(_seconds(self._measure_cost(paper, key)), tuple(sorted(reads)), self.rows[name])

    @cached_property
    def _dear_jobs(self) -> dict[str, str]:
        """Name of each job of the chosen papers that is, or reads what is, too dear for one job -> the reason."""
        plan, papers = self.plan, self.plan.chosen()
        found = {f"fit/{run.name}": self.dear_run(run) for paper in papers for run in plan.all_runs(paper)}
        for paper in papers:
            found |= {f"measure/{paper}/{key}": self.dear_measure(paper, key) for key in plan.all_measures(paper)}
        return {name: why for name, why in found.items() if why}

    @cached_property
    def rows(self) -> Counter[str]:
        """Number of the printed numbers and claims that rest on each job and that this run can judge, by its name."""
        found: Counter[str] = Counter()
        for paper in self.plan.chosen():
            for locators in _worthy(self.plan.folders[paper]):
                names = {self._job(paper, locator) for locator in locators}
                if None not in names and self._dear_jobs.keys().isdisjoint(names):
                    found.update(name for name in names if name)
        return found

    def _job(self, paper: str, locator: Locator) -> str | None:
        """Return the name of the job behind a value, empty for none; None where its data are not the paper's."""
        roles = self.plan.settings["roles"]
        if isinstance(locator, RoleLocator):
            dataset = self.plan.dataset(locator.role)
            if dataset is None or roles[locator.role]["comparable"] == _FOREIGN:
                return None
            if isinstance(locator, ScoreLocator):
                return f"fit/{paper}/{locator.experiment}/{dataset}/{locator.method}"
        if isinstance(locator, MeasureLocator) and locator.measure in self.plan.papers[paper]["measures"]:
            taken = self.plan.measure_sources(paper, locator.measure)
            foreign = any(roles[role]["comparable"] == _FOREIGN for role in taken)
            return None if foreign else f"measure/{paper}/{locator.measure}"
        return ""

    def _always(self) -> float:
        """Return the seconds of the jobs that the run makes whatever it leaves out."""
        plan, papers = self.plan, self.plan.chosen()
        datasets = {name for paper in papers for name in plan.datasets(paper)}
        parsed = (plan.costs.estimate(PARSE.name, name, "", plan.documents(name)) for name in datasets)
        splits = {(run.dataset, plan.run_inputs(run)[1]) for paper in papers for run in plan.all_runs(paper)}
        ends = sum(self._each(stage.name) for stage in (COMPARE, TABLE, FIGURE)) * len(papers)
        return sum(map(_seconds, parsed)) + len(splits) * self._each(SPLIT.name) + ends

    def _each(self, stage: str) -> float:
        """Return the seconds of each job of a short stage."""
        return _seconds(self.plan.costs.estimate(stage))

    def _counts(self, paper: str, measure: str) -> set[tuple[str, str]]:
        """Return the (data set, features) pairs that a measure reads."""
        sources = self.plan.measure_sources(paper, measure).values()
        return {*((dataset, name) for dataset, name, _ in sources), *self.plan.measure_beside(paper, measure)}

    def _measure_cost(self, paper: str, measure: str) -> Cost | None:
        """Return the cost of a measure, without what it reads."""
        name, sources = f"{paper}/{measure}", self.plan.measure_sources(paper, measure).values()
        documents = max((self.plan.documents(dataset) for dataset, _, _ in sources), default=0)
        return self.plan.costs.estimate("measure", name, name, documents)

    def _features_seconds(self, dataset: str, features: str) -> float:
        """Return the seconds in which the words of a data set are counted."""
        name = f"{dataset}/{features}"
        return _seconds(self.plan.costs.estimate("features", name, features, self.plan.documents(dataset)))

    def _dear(self, seconds: float) -> str:
        """Return why a job of so many seconds is left out, or nothing."""
        limit = self.plan.settings.get("dearest")
        if limit is None or seconds <= limit:
            return ""
        return f"{LEFT_OUT}: it takes about {seconds:.0f} s of the processor, more than dearest: {limit:g}"

    def dear_features(self, dataset: str, features: str) -> str:
        """Return why the counts of a data set are too dear, or nothing."""
        return self._dear(self._features_seconds(dataset, features))

    def dear_run(self, run: Run) -> str:
        """Return why a fit job, or the counts that it reads, is too dear, or nothing."""
        return self._dear(_seconds(self.plan.cost(run))) or self.dear_features(*self.plan.counts(run))

    def dear_measure(self, paper: str, measure: str) -> str:
        """Return why a measure, or what it reads, is too dear, or nothing."""
        why = [
            self._dear(_seconds(self._measure_cost(paper, measure))),
            *(self.dear_features(*counts) for counts in sorted(self._counts(paper, measure))),
            *(self.dear_run(run) for _, run in self.plan.measure_runs(paper, measure)),
        ]
        return next(filter(None, why), "")


def _seconds(cost: Cost | None) -> float:
    """Return the seconds of a cost; 0 where none is known."""
    return cost.seconds if cost else 0.0


def _counts_name(dataset: str, features: str) -> str:
    """Return the name of a job of counts."""
    return f"features/{dataset}/{features}"


def _worthy(folder: Path) -> Iterator[tuple[Locator, ...]]:
    """Yield the locators of the values behind each printed number and claim of a paper that is judged."""
    with open(folder / "published.csv", encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["kind"] in _WORTH and row["tolerance"] != "open"]
    sources = {row["id"]: row["source"] for row in rows if row["source"]}
    yield from locators_behind(folder, sources, f"{folder}/published.csv").values()
