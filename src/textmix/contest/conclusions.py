"""The conclusions of a comparison in sentences; each claim of a difference rests on a test at `LEVEL`.

Over several data sets one method is called better than another only where Friedman's test rejects and their mean ranks
differ by Nemenyi's critical difference or more; with two methods alone, only where Wilcoxon's test rejects.  On one
data set a method is called better only where the corrected resampled t-test over the trials rejects.  Sentences about
times report measured values and may rest on no test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from textmix.contest.comparison import Comparison
from textmix.metrics import ranking
from textmix.metrics.significance import LEVEL, Estimate
from textmix.metrics.table import METRICS

#: With fewer data sets no outcome of Wilcoxon's test is below 0.05.
FEWEST = 6


@dataclass(frozen=True)
class Paragraph:
    """The conclusions on one kind of data.

    Parameters
    ----------
    kind : the kind, in words.
    lead : the main conclusion, one sentence, for the top of the page.
    details : further sentences, for the section on this kind.
    """

    kind: str
    lead: str
    details: Sequence[str]


def summarise(comparison: Comparison) -> Paragraph:
    """Return the conclusions of a comparison with at least two methods."""
    if len(comparison.datasets) == 1:
        lead, details = _on(comparison, comparison.datasets[0], named=True), _by_trials(comparison)
    else:
        lead, details = _lead(comparison), [_overall(comparison), *_by_pairs(comparison)]
        details += [_on(alone, alone.datasets[0]) for alone in comparison.by_dataset]
    details += [*_time(comparison), *_left_out(comparison)]
    return Paragraph(comparison.kind, lead, details)


def _lead(c: Comparison) -> str:
    """Return the main conclusion over several data sets: from which methods the best one is distinguishable."""
    where = f"On {c.kind} ({_count(len(c.datasets), 'data set')}, {_in_words(c.metric)})"
    best, pairs = c.best, c.pairs()
    if len(c.methods) == 2:
        below = [k for k, pair in pairs.items() if pair.p < LEVEL]
    else:
        below = [k for k in pairs if c.differ and c.ranks[k] - c.ranks[best] >= c.difference]
    equal = [k for k in pairs if k not in below]
    name = c.methods[best]
    if not below:
        return f"{where} no method is distinguishable from {name}, which has the best mean rank."
    tail = f"; it is not distinguishable from {_names(c, equal)}" if equal else ""
    return f"{where} {name} is better than {_names(c, below, pairs)}{tail}."


def _overall(c: Comparison) -> str:
    """Return the sentences on the mean ranks and Friedman's test."""
    order = np.lexsort((-c.scores.mean(axis=0), c.ranks))
    ranked = ", ".join(f"{c.methods[k]} {c.ranks[k]:.2f}" for k in order)
    ranks = f"Mean ranks of {_count(len(c.methods), 'method')}, 1 is best: {ranked}."
    if c.friedman is None:
        return ranks
    p = f"Friedman's test, F = {c.friedman.f:.3g}, p {_p(c.friedman.f_p)}"
    if not c.differ:
        return f"{ranks} Chance alone may explain these ranks ({p}), so that no method is called better than another."
    apart = f"methods whose ranks differ by {c.difference:.2f} or more are distinguishable (Nemenyi, {LEVEL})"
    return f"{ranks} The methods differ ({p}); {apart}."


def _by_pairs(c: Comparison) -> list[str]:
    """Return a sentence on each method's difference from the best one over the data sets, by Wilcoxon's test.

    There is none where Friedman's test does not reject for three methods or more.
    """
    n = len(c.datasets)
    if not c.differ and len(c.methods) > 2:
        return []
    if n < FEWEST:
        return [f"{n} data sets are too few to distinguish two methods by Wilcoxon's test, which needs {FEWEST}."]
    sentences = []
    for k, pair in c.pairs().items():
        interval = f"median difference {pair.value:.3f}, 95% interval {pair.low:.3f} to {pair.high:.3f}"
        sentences.append(
            f"{c.methods[c.best]} compared with {c.methods[k]}: {interval}, p {_p(pair.p)} (Wilcoxon, Holm)."
        )
    return sentences


def _by_trials(c: Comparison) -> list[str]:
    """Return a sentence on each method's difference from the best one over the trials of the only data set.

    There is none where the interval of the difference is infinite.
    """
    best, pairs = c.pairs_on(c.datasets[0])
    sentences = []
    for k in sorted(pairs, key=lambda k: -c.scores[0, k]):
        if np.isfinite(pairs[k].low):
            interval = f"{pairs[k].value:.3f}, 95% interval {pairs[k].low:.3f} to {pairs[k].high:.3f}"
            names = f"{c.methods[best]} compared with {c.methods[k]}"
            sentences.append(f"{names}: mean difference {interval}, p {_p(pairs[k].p)} (Holm).")
    return sentences


def _on(c: Comparison, data: str, named: bool = False) -> str:
    """Return the conclusion from the trials of one data set; ``named`` says whether it names the metric."""
    best, pairs = c.pairs_on(data)
    j = len(c.trials[data, c.methods[best]])
    value = abs(c.scores[c.datasets.index(data), best])
    extreme, metric = "smallest" if METRICS[c.metric].loss else "largest", f" {_in_words(c.metric)}" if named else ""
    lead = f"On {data} the {extreme} mean{metric} is that of {c.methods[best]}"
    if j == 1:
        return f"{lead}, {value:.3f}; one split allows no test."
    below = [k for k, pair in pairs.items() if pair.p < LEVEL]
    equal = [k for k in pairs if k not in below]
    better = f"it is better than {_names(c, below, pairs)}" if below else "no method is distinguishable from it"
    tail = f", and not distinguishable from {_names(c, equal)}" if below and equal else ""
    return f"{lead}, {value:.3f} over {j} trials; {better}{tail} (corrected resampled t-test, Holm)."


def _time(c: Comparison) -> list[str]:
    """Return a sentence on the seconds of the best method and of the fastest; none where they were not measured."""
    if np.isnan(c.seconds).any() or (c.seconds <= 0).any():
        return []
    log = np.log(c.seconds)
    fastest = int(np.argmin(log.mean(axis=0)))
    typical = np.exp(np.median(log, axis=0))
    sentence = f"{c.methods[c.best]} takes {typical[c.best]:.3g} s to fit and predict one trial"
    if len(c.datasets) == 1:
        least = f"{c.methods[fastest]}, the fastest, {typical[fastest]:.3g} s"
        return [f"{sentence}, the least of all." if fastest == c.best else f"{sentence}; {least}."]
    sentence += " (median over data sets)"
    if fastest == c.best:
        return [f"{sentence}, the least of all on the mean."]
    ratio = np.exp(log[:, c.best] - log[:, fastest])
    span = f"{ratio.min():.3g} to {ratio.max():.3g} times what {c.methods[fastest]} takes"
    if len(c.datasets) < FEWEST:
        return [f"{sentence}, as measured {span}."]
    ratios = ranking.median_difference(log[:, c.best], log[:, fastest])
    times = f"{np.exp(ratios.value):.3g} times, 95% interval {np.exp(ratios.low):.3g} to {np.exp(ratios.high):.3g}"
    return [f"{sentence}, {span} ({times}, p {_p(ratios.p)}, Wilcoxon)."]


def _left_out(c: Comparison) -> list[str]:
    """Return sentences on the methods that are left out and the data sets on which they lack a score."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for method, where in c.missing.items():
        alike.setdefault(tuple(where), []).append(method)
    return [
        f"Left out because a score of some trial is missing on {_joined(where)}: {_joined(methods)}."
        for where, methods in alike.items()
    ]


def _names(c: Comparison, places: Sequence[int], pairs: Mapping[int, Estimate] | None = None) -> str:
    """Return the names of methods in one clause, best mean rank first.

    A method in ``pairs`` gets the best method's difference from it and the interval in brackets, if this is finite.
    """
    names = []
    for k in sorted(places, key=lambda k: c.ranks[k]):
        pair = (pairs or {}).get(k)
        shown = f" (by {pair.value:.3f}, {pair.low:.3f} to {pair.high:.3f})" if pair and np.isfinite(pair.low) else ""
        names.append(f"{c.methods[k]}{shown}")
    return _joined(names)


def _joined(names: Sequence[str]) -> str:
    """Return names in one clause."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _in_words(metric: str) -> str:
    """Return the name of a metric in words."""
    return metric.replace("_", " ")


def _p(p: float) -> str:
    """Return a p-value as it is printed after "p"."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
