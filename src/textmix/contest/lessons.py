"""The lessons of the study in sentences; each rests on a named test, or reports counts.

Generative methods model the documents given their labels; other methods model the labels (`sizes.GENERATIVE`).  On each
data set the best method of either kind is taken by its score on the test documents, so that both are flattered alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from textmix.contest.characteristics import MEANINGS
from textmix.contest.figures import Point, front
from textmix.contest.sizes import Size
from textmix.metrics.bayesian import rank_correlation, signed_rank
from textmix.metrics.significance import LEVEL, holm
from textmix.metrics.table import METRICS, main_metric
from textmix.numerics.determinism import rng

#: Scores that differ by at most this count as equal in practice.
REGION = 0.01
#: Fewest data sets with which a characteristic is tested, or a kind of method is called the winner.
FEWEST = 5
#: Probability from which a posterior is called a finding.
SURE = 0.95

#: (study, data set) -> characteristic -> value.
Facts = Mapping[tuple[str, str], Mapping[str, float]]


def lessons(table: pd.DataFrame, all_sizes: Sequence[Size], facts: Facts, seed: int) -> dict[str, list[str]]:
    """Return task -> sentences.

    Parameters
    ----------
    table : rows of `textmix.contest.sizes.STUDY`.
    all_sizes : its `textmix.contest.sizes.sizes`.
    facts : see `Facts`.
    seed : of the run, for the draws of the tests.
    """
    sentences: dict[str, list[str]] = {}
    for task in dict.fromkeys(size.task for size in all_sizes):
        of_task = [size for size in all_sizes if size.task == task]
        sentences[task] = [
            *(sentence for size in of_task for sentence in _winner(size)),
            *(sentence for size in of_task for sentence in _gap(size, seed)),
            *_growth(of_task, seed),
            *_explained(of_task, facts, seed),
            *_never(table[table["task"] == task]),
        ]
    return sentences


def _winner(size: Size) -> Iterator[str]:
    """Yield the sentence on the best mean rank and the methods that are distinguishable from it."""
    ranked = size.ranks()
    if len(ranked) < 2:
        return
    best, n = ranked[0], size.scores.shape[0]
    head = f"With {size.in_words}, {best['method']} has the best mean rank, {best['rank']:.2f} of {len(ranked)} methods"
    if n == 1:
        yield f"{head}; one data set allows no test over data sets."
        return
    below = [row["method"] for row in ranked[1:] if row["low"] > best["high"]]
    tail = f"distinguishable from {_joined(below)}" if below else "distinguishable from no other method"
    yield f"{head} on {n} data sets; it is {tail} (Nemenyi's test at {LEVEL})."


def _gap(size: Size, seed: int) -> Iterator[str]:
    """Yield the sentence on the best generative method against the best other method."""
    gap = size.gaps().to_numpy()
    if not len(gap):
        return
    if len(gap) == 1:
        differs = f"differs by {gap[0]:+.3f} from the best other method"
        yield f"With {size.in_words}, the best generative method {differs} on the one data set, which allows no test."
        return
    ahead, median = int(np.sum(gap > REGION)), float(np.median(gap))
    head = f"With {size.in_words}, the best generative method is ahead by more than {REGION} on {ahead} of {len(gap)}"
    p = signed_rank(gap, REGION, rng(seed, "study", size.study, size.task))
    chances = f"probability {p.above:.2f} of better, {p.within:.2f} of equal in practice, {p.below:.2f} of worse"
    sentence = f"{head} data sets; median difference {median:+.3f}. Bayesian signed-rank test: {chances}."
    yield sentence + _sure(p, len(gap))


def _sure(p: Sequence[float], n: int) -> str:
    """Return the end of a sentence that says whether a posterior on n data sets is a finding."""
    if n < FEWEST:
        return f" {n} data sets are too few to call a winner."
    kinds = ("Generative methods win", "Neither kind wins", "Generative methods lose")
    sure = [kind for kind, chance in zip(kinds, p, strict=True) if chance >= SURE]
    return f" {sure[0]}." if sure else " No kind of method is called the winner."


def _growth(of_task: Sequence[Size], seed: int) -> Iterator[str]:
    """Yield the sentence on the difference between the fewest and the most training documents."""
    compared = [size for size in of_task if len(size.gaps())]
    if len(compared) < 2:
        return
    first, last = compared[0], compared[-1]
    change = (first.gaps() - last.gaps()).dropna().to_numpy()
    if len(change) < 2:
        return
    p = signed_rank(change, REGION, rng(seed, "study", "growth", first.task))
    more = (
        f"From {last.in_words} to {first.in_words} the difference of the best generative method to the best other "
        f"method changes by {np.median(change):+.3f} in the median"
    )
    kinds = ("Few documents favour generative methods", "The number of documents plays no part")
    enough = len(change) >= FEWEST
    chances = zip((*kinds, "Many documents favour them"), p, strict=True)
    sure = [kind for kind, chance in chances if enough and chance >= SURE]
    tail = sure[0] if sure else "The data sets do not decide whether few documents favour generative methods"
    yield f"{more} (Bayesian signed-rank test: probability {p.above:.2f} of a gain, {p.below:.2f} of a loss). {tail}."


def _explained(of_task: Sequence[Size], facts: Facts, seed: int) -> Iterator[str]:
    """Yield the sentences on characteristics of the data sets that go with the difference of the two kinds."""
    gaps = (
        pd.concat([size.gaps().rename(size.study) for size in of_task], axis=1).mean(axis=1) if of_task else pd.Series()
    )
    names = [key for key in MEANINGS if key != "train"]
    values = {
        key: {data: fact for data in gaps.index if (fact := _fact(facts, data, key)) is not None} for key in names
    }
    usable = {
        key: by_dataset
        for key, by_dataset in values.items()
        if len(by_dataset) >= FEWEST and len(set(by_dataset.values())) > 2
    }
    if not usable:
        if len(gaps):
            few = "One data set is" if len(gaps) == 1 else f"{len(gaps)} data sets are"
            yield f"{few} too few to test which characteristics of data favour generative methods."
        return
    tests = {
        key: rank_correlation(
            list(by_dataset.values()),
            gaps[list(by_dataset)].to_list(),
            rng(seed, "study", "explained", of_task[0].task, key),
        )
        for key, by_dataset in usable.items()
    }
    adjusted = holm([p for _, p in tests.values()])
    shown = [
        f"{MEANINGS[key]} (rank correlation {r:+.2f}, p = {p:.3f})"
        for (key, (r, _)), p in zip(tests.items(), adjusted, strict=True)
        if p < LEVEL
    ]
    tested = f"Of {len(tests)} characteristics, tested by Spearman's rank correlation with Holm's correction,"
    if shown:
        yield f"{tested} these go with an advantage (+) or a disadvantage (-) of generative methods: {_joined(shown)}."
    else:
        yield f"{tested} none goes with an advantage of generative methods at {LEVEL} on {len(gaps)} data sets."


def _fact(facts: Facts, dataset: str, key: str) -> float | None:
    """Return a characteristic of a data set in the first study that has it."""
    return next(
        (
            characteristics[key]
            for (_, name), characteristics in facts.items()
            if name == dataset and key in characteristics
        ),
        None,
    )


def _never(table: pd.DataFrame) -> Iterator[str]:
    """Yield the sentence on methods that no data set favours: never the best, never on the front of score and time."""
    main = table[table["metric"] == table["task"].map(main_metric)].dropna(subset=["seconds"])
    favoured: set[str] = set()
    for _, cell in main.groupby(["study", "dataset"]):
        metric = str(cell["metric"].iloc[0])
        sign = -1.0 if METRICS[metric].loss else 1.0
        points = [Point(row.method, sign * row.value, 0.0, 0.0, max(row.seconds, 1e-9)) for row in cell.itertuples()]
        favoured |= {points[index].name for index in front(points)}
    never = [name for name in main["method"].unique() if name not in favoured]
    if never:
        yield (
            "No data set at any size favours these methods, for another method is as good and as fast on each: "
            f"{_joined(never)}."
        )


def _joined(names: Sequence[str]) -> str:
    """Return names in one clause."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
