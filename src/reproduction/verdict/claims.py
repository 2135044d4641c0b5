"""Claims of a paper as checks: each claim is translated into comparisons between pairs of reproduced values.

The types of check and their keys are documented in ``workflow/schemas/checks.schema.yaml``.  Means over random splits
are compared by the corrected resampled t-test on their common splits, means over several data sets by the paired t-test
over data sets, with Holm's correction over the pairs of a check.  If no test decides a pair, the claim is undecided
unless enough other pairs decide it.
"""

from __future__ import annotations

import itertools
import operator
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reproduction.flow.locators import (
    DataLocator,
    FeaturesLocator,
    Locator,
    MeasureLocator,
    ScoreLocator,
    TimeLocator,
    parse_locator,
)
from reproduction.flow.results import Results
from reproduction.verdict.published import Check, Published
from reproduction.verdict.resolve import Trials, locate, roles_of_check
from reproduction.verdict.wording import SINGLE_SPLIT, exceptions_text, first_of, role_title, short
from textmix.core.errors import ConfigError, MissingResult
from textmix.metrics.significance import LEVEL, Estimate, holm, resampled_difference

#: Sign of a comparison -> the sign if it fails.
OPPOSITE_SIGNS = {">": "≤", "≥": "<", "<": "≥", "≤": ">", "=": "≠"}
#: Maximum number of pairs, or of chains of pairs, that a reason lists in full.
_MAX_PAIRS_IN_REASON = 4
#: Type of check -> bound with which its numbers are compared, for the types that have a constant one.
_BOUNDS = {"holds": 1.0, "positive": 0.0, "negative": 0.0}


@dataclass(frozen=True)
class Operand:
    """One number of a check.

    Parameters
    ----------
    name : str
        Short name of the number in the reason, without its data set; "" for a bound.
    value : float
        Number or bound in stored units (fractions and seconds).
    trials : Trials or None, default=None
        The random splits or data sets over which ``value`` is averaged.
    interval : tuple of float or None, default=None
        Limits of the 95 % interval, for a ratio of times or a measure that reports one.
    is_single : bool, default=False
        Whether it is a score on the paper's own single split, which no test over trials can compare.
    role, metric : str, default=""
        Data set and metric of a score.
    """

    name: str
    value: float
    trials: Trials | None = None
    interval: tuple[float, float] | None = None
    is_single: bool = False
    role: str = ""
    metric: str = ""

    def __str__(self) -> str:
        data = f" on {role_title(self.role)}" if self.role else ""
        return f"{self.name}{data} {short(self.value)}".strip()

    @property
    def without_role(self) -> str:
        """The number as text without its data set."""
        return f"{self.name} {short(self.value)}".strip()


@dataclass(frozen=True)
class Outcome:
    """The result of a check.

    Parameters
    ----------
    holds : bool or None
        True if the number of compared pairs that fail or are undecided is within the allowed ``exceptions``; False if
        more pairs fail; None otherwise.
    pairs_text : str
        Description of the compared numbers; if the check fails or is undecided, only of the pairs responsible.
    n_compared, n_pairs : int
        Number of pairs with two available numbers, and of all pairs.
    missing : sequence of MissingResult
        First missing number of each pair that is not compared.
    roles : sequence of str
        Sorted roles of all numbers of the check, including missing ones.
    """

    holds: bool | None
    pairs_text: str
    n_compared: int
    n_pairs: int
    missing: Sequence[MissingResult]
    roles: Sequence[str]


#: (Experiment, method, variant) of a score -> name of its method in the paper.
MethodNames = Mapping[tuple[str, str, str | None], str]
_Side = Sequence["Operand | MissingResult"]
_Pair = tuple[Operand, Operand]
_Pairs = list[tuple["Operand | MissingResult", "Operand | MissingResult"]]
_Compared = Sequence[tuple[_Pair, bool | None]]


def _left_with_right(left: _Side, right: _Side) -> _Pairs:
    """Pair the sides elementwise if they have the same length, otherwise form the Cartesian product."""
    if len(left) == len(right):
        return list(zip(left, right, strict=True))
    return list(itertools.product(left, right))


def _each_with_next(left: _Side, _: _Side) -> _Pairs:
    return list(itertools.pairwise(left))


def _first_with_rest(left: _Side, right: _Side) -> _Pairs:
    """Pair the first number on the left with all other numbers of both sides."""
    first, *operands = [*left, *right]
    return [(first, operand) for operand in operands]


#: Type of check -> function that pairs the numbers of both sides, sign between the numbers of a pair, and comparison of
#: two numbers without trials.  ``near`` and ``significant`` have separate rules.
COMPARISONS: dict[str, tuple[Callable[[_Side, _Side], _Pairs], str, Callable[[float, float], bool]]] = {
    "above": (_left_with_right, ">", operator.gt),
    "near": (_left_with_right, "≈", operator.eq),
    "largest": (_first_with_rest, "≥", operator.ge),
    "rising": (_each_with_next, "<", operator.lt),
    "falling": (_each_with_next, ">", operator.gt),
    "at_least": (_left_with_right, "≥", operator.ge),
    "at_most": (_left_with_right, "≤", operator.le),
    "positive": (_left_with_right, ">", operator.gt),
    "negative": (_left_with_right, "<", operator.lt),
    "holds": (_left_with_right, "=", operator.eq),
    "significant": (_left_with_right, "significantly >", operator.gt),
}


def method_names(published: Iterable[Published]) -> MethodNames:
    """Return the method names used in the paper, except names that refer to several methods."""
    names: dict[tuple[str, str, str | None], str] = {}
    for row in published:
        locator = row.locator
        if isinstance(locator, ScoreLocator) and row.method:
            names.setdefault((locator.experiment, locator.method, locator.variant), row.method)
    counts = Counter((experiment, name) for (experiment, _, _), name in names.items())
    return {key: name for key, name in names.items() if counts[key[0], name] == 1}


def evaluate(name: str, check: Check, results: Results, methods: MethodNames | None = None) -> Outcome:
    """Compare the reproduced numbers of a check.

    Parameters
    ----------
    name : str
        Name of the check, for messages.
    check : Check
        Its entry in ``checks.yaml``.
    results : Results
        The results of the paper.
    methods : MethodNames or None, default=None
        Method names for the reason; other methods are shown by their id.

    Returns
    -------
    outcome : Outcome
        Missing numbers are listed in ``missing`` instead of raising an error.
    """
    pairs = _pairs(name, check, results, methods or {})
    if not pairs:
        raise ConfigError(f"check {name}: nothing to compare; name at least two numbers")
    available: list[_Pair] = []
    missing: list[MissingResult] = []
    for a, b in pairs:
        if isinstance(a, Operand) and isinstance(b, Operand):
            available.append((a, b))
        elif isinstance(a, MissingResult):
            missing.append(a)
        elif isinstance(b, MissingResult):
            missing.append(b)
    compared = list(zip(available, compare_pairs(name, check, available), strict=True))
    text = _pairs_text(check, compared)
    if any(operand.is_single for pair in available for operand in pair):
        text += SINGLE_SPLIT
    roles = sorted(roles_of_check(results, check))
    return Outcome(_holds(check, compared), text, len(available), len(pairs), missing, roles)


def distance(name: str, check: Check, results: Results) -> float:
    """Compute the signed distance of a check from its boundary; negative if the check fails.

    This is the smallest distance of its pairs, excluding the allowed exceptions.
    """
    distances = []
    for a, b in _pairs(name, check, results, {}):
        if isinstance(a, Operand) and isinstance(b, Operand):
            distances.append(_distance(check, a.value, b.value))
    n_allowed = check.get("exceptions", 0)
    return sorted(distances)[n_allowed]


def _distance(check: Check, a: float, b: float) -> float:
    """Return the signed distance of a pair from the boundary of its check."""
    match check["kind"]:
        case "near":
            return float(check["margin"]) - abs(a - b)
        case "holds":
            return -abs(a - b)
        case "rising" | "at_most" | "negative":
            return b - a
    return a - float(check.get("factor", 1.0)) * b


def compare_pairs(name: str, check: Check, pairs: Sequence[_Pair]) -> list[bool | None]:
    """Decide each pair of a check; None if its trials are inconclusive."""
    if check["kind"] == "near":
        return [_near(name, check["margin"], pair) for pair in pairs]
    factor = check.get("factor", 1.0)
    estimates = [_estimate(name, pair, factor) for pair in pairs]
    adjusted = iter(holm([estimate.p for estimate in estimates if estimate is not None]))
    outcomes = []
    for pair, estimate in zip(pairs, estimates, strict=True):
        if estimate is None:
            outcomes.append(_compare_values(check, pair))
        else:
            p = float(next(adjusted))
            outcomes.append(_tested(check, estimate.value, p))
    return outcomes


def _compare_values(check: Check, pair: _Pair) -> bool | None:
    """Compare two numbers without trials: both limits of an interval must agree; significance is undecided."""
    if check["kind"] == "significant":
        return None
    compare = COMPARISONS[check["kind"]][2]
    a, b = pair
    if a.interval is not None:
        low, high = (compare(end, b.value) for end in a.interval)
        return low if low == high else None
    factor = check.get("factor", 1.0)
    return compare(a.value, factor * b.value)


def _tested(check: Check, difference: float, p: float) -> bool | None:
    """Decide a pair by the sign of its difference if the adjusted p-value is below the level."""
    if p >= LEVEL:
        return None
    if check["kind"] in ("rising", "at_most", "negative"):
        return difference < 0
    return difference > 0


def _near(name: str, margin: float, pair: _Pair) -> bool | None:
    """Decide whether two numbers are within a margin, for means over trials by two one-sided tests."""
    narrow = _estimate(name, pair, level=1.0 - 2.0 * LEVEL)
    wide = _estimate(name, pair, level=1.0 - LEVEL)
    allowed = margin * (1 + 1e-9)  # tolerates the rounding of decimal fractions to binary
    if narrow is None or wide is None:
        a, b = pair
        return abs(a.value - b.value) <= allowed
    if -allowed <= narrow.low and narrow.high <= allowed:
        return True
    if wide.low > allowed or wide.high < -allowed:
        return False
    return None


def _estimate(name: str, pair: _Pair, factor: float = 1.0, level: float = 1.0 - LEVEL) -> Estimate | None:
    """Return ``a - factor b`` over the common trials; None if neither number has trials.

    Split schemes that differ only in the number of trials have their first trials in common.
    """
    trials = [operand.trials for operand in pair if operand.trials is not None]
    if not trials:
        return None
    if len(trials) == 2 and trials[0].scheme != trials[1].scheme:
        raise ConfigError(f"check {name}: {pair[0]} and {pair[1]} are means over different splits; compare others")
    n_trials = min(len(series.values) for series in trials)
    a, b = (_values(operand, n_trials) for operand in pair)
    scaled = [factor * value for value in b]
    return resampled_difference(a, scaled, trials[0].test_ratio, level)


def _values(operand: Operand, n_trials: int) -> Sequence[float]:
    """Return the first values over trials; a number without trials is repeated."""
    if operand.trials is None:
        return [operand.value] * n_trials
    return operand.trials.values[:n_trials]


def _pairs(name: str, check: Check, results: Results, methods: MethodNames) -> _Pairs:
    """Return the pairs of numbers that a check compares; the right side defaults to the bound, 1 or 0."""
    left = _side(name, check, "left", results, methods)
    right = _side(name, check, "right", results, methods)
    kind = check["kind"]
    bound = _BOUNDS.get(kind, check.get("bound"))
    if bound is not None:
        right = [Operand("", float(bound))]
    pair_sides = COMPARISONS[kind][0]
    return pair_sides(left, right)


def _side(name: str, check: Check, side: str, results: Results, methods: MethodNames) -> list[Operand | MissingResult]:
    """Return the numbers of one side of a check, or their mean with the key ``average``."""
    locators = [parse_locator(text, f"check {name}") for text in check.get(side, ())]
    operands = [_operand(locator, results, methods) for locator in locators]
    if not check.get("average") or not operands:
        return operands
    available: list[Operand] = []
    for operand in operands:
        if isinstance(operand, MissingResult):
            return [operand]
        available.append(operand)
    has_fixed_data_sets = bool(check.get("fixed_data_sets"))
    return [_mean(available, has_fixed_data_sets)]


def _mean(operands: Sequence[Operand], has_fixed_data_sets: bool = False) -> Operand:
    """Average several numbers.

    The trials of the mean are the means of the data sets, which are then a sample of problems. For a single data set,
    or if the data sets are fixed, they are the means of each trial.
    """
    by_role: dict[str, list[Operand]] = {}
    for operand in operands:
        by_role.setdefault(operand.role, []).append(operand)
    series = [operand.trials for operand in operands if operand.trials is not None]
    trials = None
    if len(by_role) > 1 and not has_fixed_data_sets:
        means = [statistics.fmean(operand.value for operand in group) for group in by_role.values()]
        scheme = f"data sets {', '.join(by_role)}"
        trials = Trials(means, scheme, test_ratio=0.0)
    elif len(series) == len(operands):
        rows = zip(*(values.values for values in series), strict=False)
        means = [statistics.fmean(row) for row in rows]
        trials = Trials(means, series[0].scheme, series[0].test_ratio)
    name = f"mean of {operands[0].name} and {len(operands) - 1} more"
    if len(by_role) > 1:
        methods = " and ".join(dict.fromkeys(operand.name for operand in operands))
        name = f"mean of {methods} on {len(by_role)} data sets"
    is_single = len(by_role) == 1 and any(operand.is_single for operand in operands)
    value = statistics.fmean(operand.value for operand in operands)
    return Operand(name, value, trials, is_single=is_single, metric=operands[0].metric)


def _operand(locator: Locator, results: Results, methods: MethodNames) -> Operand | MissingResult:
    """Return one number of a check, or the reason why it is missing."""
    try:
        reproduced = locate(results, locator)
    except MissingResult as missing:
        return missing
    if isinstance(reproduced.value, str):
        raise ConfigError(
            f"locator '{locator}' is the word '{reproduced.value}', not a number; a check compares numbers"
        )
    name = _name(locator).replace("_", " ")
    operand = Operand(name, float(reproduced.value), reproduced.trials, reproduced.interval)
    if not isinstance(locator, ScoreLocator):
        return operand
    method = (locator.experiment, locator.method, locator.variant)
    return replace(
        operand,
        name=methods.get(method, name),
        is_single=reproduced.trials is None,
        role=locator.role,
        metric=locator.metric,
    )


def _name(locator: Locator) -> str:
    """Return a short name of a value for a reason: its method, or the last part of its locator."""
    match locator:
        case ScoreLocator(method=method, variant=variant):
            return f"{method} {variant}" if variant else method
        case TimeLocator(method=method, role=role):
            return f"{method} on {role}"
        case DataLocator(statistic=name) | FeaturesLocator(statistic=name) | MeasureLocator(key=name):
            return name
    return str(locator).partition(":")[2]


def _holds(check: Check, compared: _Compared) -> bool | None:
    """Decide a check with its allowed exceptions; None if undecided pairs could change the outcome."""
    n_failing = sum(outcome is False for _, outcome in compared)
    n_undecided = sum(outcome is None for _, outcome in compared)
    n_allowed = check.get("exceptions", 0)
    if n_failing > n_allowed:
        return False
    return True if n_failing + n_undecided <= n_allowed else None


def _pairs_text(check: Check, compared: _Compared) -> str:
    """Describe the compared pairs; if the check does not succeed, only the pairs that fail or are undecided."""
    sign, opposite = _signs(check)
    prefix = _common_prefix(compared)
    is_short = bool(prefix)
    pairs: dict[bool | None, list[_Pair]] = {True: [], False: [], None: []}
    for pair, outcome in compared:
        pairs[outcome].append(pair)
    failing = _list_pairs(pairs[False], opposite, is_short)
    undecided = _list_pairs(pairs[None], f"undecided {sign}", is_short)
    exceptions = "; ".join(filter(None, (failing, undecided)))
    if _holds(check, compared) is not True:
        return prefix + exceptions
    holding = _list_pairs(pairs[True], sign, is_short)
    if not exceptions:
        return prefix + holding
    allowed = exceptions_text(check.get("exceptions", 0))
    return f"{prefix}{exceptions} ({allowed}); {holding}"


def _signs(check: Check) -> tuple[str, str]:
    """Return the signs between the numbers of a pair that holds and of one that fails, with the factor of the check."""
    sign = COMPARISONS[check["kind"]][1]
    factor = check.get("factor", 1.0)
    multiple = f" {factor:g} ×" if factor != 1.0 else ""
    if sign in OPPOSITE_SIGNS:
        return sign + multiple, OPPOSITE_SIGNS[sign] + multiple
    return sign + multiple, f"not {sign}{multiple}"


def _common_prefix(compared: _Compared) -> str:
    """Return the metric and data set common to all compared scores; "" if they differ."""
    operands = [operand for pair, _ in compared for operand in pair if operand.name]
    contexts = {(operand.metric, operand.role) for operand in operands}
    if len(contexts) != 1:
        return ""
    metric, role = contexts.pop()
    if not metric or not role:
        return ""
    return f"{metric.replace('_', ' ')} on {role_title(role)}: "


def _list_pairs(pairs: Sequence[_Pair], sign: str, is_short: bool) -> str:
    """List the first pairs and the number of remaining ones, merging pairs with a common number into one chain."""
    texts: list[str] = []
    last: Operand | None = None
    for a, b in pairs:
        first, second = (operand.without_role if is_short else str(operand) for operand in (a, b))
        if texts and a is last:
            texts[-1] += f" {sign} {second}"
        else:
            texts.append(f"{first} {sign} {second}")
        last = b
    return first_of(texts, _MAX_PAIRS_IN_REASON)
