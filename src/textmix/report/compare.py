"""Published against rebuilt: every published number and claim gets one verdict and, unless plain, one reason.

Verdicts: ``reproduced`` and ``differs`` are judged by the row's tolerance class; ``data missing`` where the paper's data
are not at hand (a value rebuilt on other data is shown, not judged); ``not run`` where nothing has rebuilt it yet;
``open`` where the source leaves open what to judge.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import stdtrit

from textmix.errors import ConfigError, Hole, IntegrityError
from textmix.report.locate import NotRun, Results, RoleEntry, Value, split_locator
from textmix.report.published import Published

COLUMNS = (
    *("id", "paper", "artefact", "dataset", "method", "metric", "unit", "published", "spread"),
    *("rebuilt", "rebuilt_spread", "difference", "tolerance", "verdict", "reason"),
)
REPRODUCED, DIFFERS, MISSING, NOT_RUN, OPEN = VERDICTS = ("reproduced", "differs", "data missing", "not run", "open")
_NO_SOURCE = "nothing in this version rebuilds it yet"
_SHOWN_PAIRS = 4


@dataclass(frozen=True)
class Finding:
    """What was found for one published row: the rebuilt value as text or number, and the verdict on it."""

    verdict: str
    reason: str = ""
    rebuilt: float | str | None = None
    spread: float | None = None
    difference: float | None = None


def compare_paper(
    published: Sequence[Published], checks: Mapping[str, Mapping[str, Any]], results: Results
) -> list[dict[str, Any]]:
    """Return one row (`COLUMNS`) for every published row of a paper, in the given order.

    Parameters
    ----------
    published : the rows of ``published.csv``.
    checks : the paper's named checks.
    results : where its rebuilt values lie.

    Raises
    ------
    ConfigError : a source, tolerance or check is not what the contract allows.
    IntegrityError : a result was changed by hand.
    """
    return [_row(row, results.paper, _find(row, checks, results)) for row in published]


def merge_comparisons(papers: Iterable[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Join the comparisons of several papers.

    Raises
    ------
    IntegrityError : an id stands twice.
    """
    merged: dict[str, dict[str, Any]] = {}
    for row in (row for rows in papers for row in rows):
        if row["id"] in merged:
            raise IntegrityError(
                f"the id '{row['id']}' stands twice in the comparisons; give each published row its own"
            )
        merged[row["id"]] = dict(row)
    return list(merged.values())


def count_verdicts(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many rows have each verdict, in the order of `VERDICTS`."""
    counts = dict.fromkeys(VERDICTS, 0)
    for row in rows:
        counts[row["verdict"]] += 1
    return counts


def _row(row: Published, paper: str, found: Finding) -> dict[str, Any]:
    """Return a published row and what was found as a row of the comparison."""
    return {
        **{name: getattr(row, name) for name in ("id", "artefact", "dataset", "method", "metric", "unit", "tolerance")},
        "paper": paper,
        "published": row.value,
        "spread": row.spread,
        "rebuilt": _rounded(found.rebuilt),
        "rebuilt_spread": _rounded(found.spread),
        "difference": _rounded(found.difference),
        "verdict": found.verdict,
        "reason": found.reason,
    }


def _rounded(value: Any) -> Any:
    """Drop the digits of a float that depend on the machine."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _find(row: Published, checks: Mapping[str, Mapping[str, Any]], results: Results) -> Finding:
    """Locate and judge one published row."""
    if not row.source:
        return Finding(NOT_RUN, _NO_SOURCE)
    kind, _, name = row.source.partition(":")
    try:
        if kind == "check":
            if name not in checks:
                raise ConfigError(
                    f"{row.id}: there is no check '{name}'; there are {', '.join(sorted(checks)) or 'none'}"
                )
            return _find_check(name, checks[name], results)
        return _find_value(row, kind, results)
    except NotRun as hole:
        return Finding(NOT_RUN, hole.reason)
    except Hole as hole:
        return Finding(MISSING, hole.reason)


def _find_value(row: Published, kind: str, results: Results) -> Finding:
    """Judge a row whose source is one value."""
    value = results.locate(row.source)
    entry = results.roles.get(results.role(row.source) or row.dataset) if kind != "setting" else None
    scale = _scale(row.unit, kind)
    if isinstance(value.value, str):
        return _same_text(row, value.value)
    rebuilt = value.value * scale if scale != 1 else value.value
    spread = None if value.spread is None else value.spread * scale
    target = number(row.value)
    difference = None if target is None else rebuilt - target
    verdict, reason = _without_judgement(row, entry) or judge(row, Value(rebuilt, spread, value.n))
    if verdict in (REPRODUCED, DIFFERS) and entry is not None and entry.comparable == "approximately":
        reason = _join(reason, f"rebuilt on {_form(entry)}")
    return Finding(verdict, reason, rebuilt, spread, difference)


def _scale(unit: str, kind: str) -> float:
    """Return the factor from stored units (fractions, seconds) to a published row's unit."""
    if unit.startswith("percent") and kind != "setting":
        return 100.0
    return 1 / 60 if unit.startswith("minutes") and kind == "time" else 1.0


def _form(entry: RoleEntry) -> str:
    """Say on which data a value was rebuilt."""
    return f"{entry.dataset}, {entry.note or 'the same collection in another form'}"


def _without_judgement(row: Published, entry: RoleEntry | None) -> tuple[str, str] | None:
    """Return the verdict of a row that must not be judged: other data, nothing printed, source garbled."""
    comparable = "yes" if entry is None else entry.comparable
    if comparable == "no":
        return MISSING, f"rebuilt on {_form(entry)}, which is not the paper's data: shown, not judged"  # type: ignore[arg-type]
    if comparable == "approximately" and row.tolerance == "exact":
        return MISSING, f"rebuilt on {_form(entry)}: an exact count is shown, not judged"  # type: ignore[arg-type]
    if row.tolerance == "open":
        return OPEN, row.note or "the source leaves open what to compare: shown, not judged"
    if number(row.value) is None:
        return OPEN, "the source prints no number: shown, not judged"
    return None


def _same_text(row: Published, rebuilt: str) -> Finding:
    """Judge a setting that is a word rather than a number."""
    if row.tolerance == "open":
        return Finding(OPEN, row.note or "the source leaves open what to compare: shown, not judged", rebuilt)
    if rebuilt.strip() == str(row.value).strip():
        return Finding(REPRODUCED, "", rebuilt)
    return Finding(DIFFERS, f"this reproduction uses {rebuilt} instead of {row.value}", rebuilt)


def number(text: Any) -> float | None:
    """Return printed text as a number, or None where it is empty or no number."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def decimals(printed: str) -> int:
    """Return how many decimals a number is printed with; 0 for a whole number."""
    mantissa, _, exponent = str(printed).lower().partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))


def judge(row: Published, value: Value) -> tuple[str, str]:
    """Judge a rebuilt number by the row's tolerance class.

    Parameters
    ----------
    row : published row with a printed number and tolerance exact, sd or near.
    value : rebuilt value and spread in the row's unit.

    Returns
    -------
    verdict, reason : ``reproduced`` with no reason, or ``differs`` with the difference, what was allowed and, where there
        are several trials, the 95 % t interval of the rebuilt mean.
    """
    rebuilt, target = float(value.value), float(row.value)
    allowed, text = _allowed(row, target)
    if math.isnan(rebuilt):
        return DIFFERS, "the rebuilt value is not a number"
    # Decimal fractions have no exact binary form: without the slack, 0.3 would not lie within 0.1 of 0.2.
    if abs(rebuilt - target) <= allowed + 1e-9 * max(abs(target), allowed):
        return REPRODUCED, ""
    return (
        DIFFERS,
        f"differs by {short(rebuilt - target, '+')}{_unit(row.unit)} where {text} is allowed{_interval(value)}",
    )


def _allowed(row: Published, target: float) -> tuple[float, str]:
    """Return the largest allowed difference and its words."""
    unit = _unit(row.unit)
    if row.tolerance == "exact":
        return 0.5 * 10.0 ** -decimals(str(row.value)), "only rounding to the printed digits"
    if row.tolerance == "sd":
        spread, k = number(row.spread), number(row.margin)
        if spread is None or k is None:
            raise ConfigError(f"{row.id}: tolerance sd needs a spread and a margin; give both or use near")
        return k * spread, f"{k:g} x the published spread of {spread:g}{unit}"
    if row.tolerance == "near":
        return margin_of(row.margin, target, row.id), f"{row.margin}{'' if str(row.margin).endswith('%') else unit}"
    raise ConfigError(f"{row.id}: tolerance {row.tolerance} cannot judge a number; use exact, sd, near or open")


def margin_of(margin: Any, target: float, where: str) -> float:
    """Return a margin in units of the target; ``5%`` is relative to it.

    Raises
    ------
    ConfigError : the margin is no number.
    """
    text = str(margin).strip()
    size = number(text.removesuffix("%"))
    if size is None:
        raise ConfigError(f"{where}: the margin '{margin}' is no number; write 0.5 or 5%")
    return abs(target) * size / 100 if text.endswith("%") else size


def _unit(unit: str) -> str:
    """Return the unit as it follows a difference."""
    return " points" if unit.startswith("percent") else f" {unit}" if unit and unit != "fraction" else ""


def short(value: float, sign: str = "") -> str:
    """Return a number with four significant digits, never in exponent form between 1e-4 and 1e7."""
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:{sign}.3g}"
    digits = 3 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:{sign}.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _interval(value: Value) -> str:
    """Return the 95 % t interval of a mean over trials in words, or nothing."""
    if value.spread is None or value.n is None or value.n < 2:
        return ""
    half = float(stdtrit(value.n - 1, 0.975)) * value.spread / math.sqrt(value.n)
    low, high = float(value.value) - half, float(value.value) + half
    return f"; 95 % interval of the rebuilt mean {short(low)} to {short(high)} ({value.n} trials)"


def _join(*parts: str) -> str:
    """Join the parts of a reason that are there."""
    return "; ".join(part for part in parts if part)


# Checks: a claim as comparisons of pairs of numbers.


@dataclass(frozen=True)
class Operand:
    """One number of a check by name; ``value`` is the hole it fell into where there is none."""

    name: str
    value: float | Hole

    def __str__(self) -> str:
        return f"{self.name} {self.value if isinstance(self.value, Hole) else short(self.value)}".strip()


def _above(left: list[Operand], right: list[Operand]) -> list[tuple[Operand, Operand]]:
    """Pair one to one where both sides are equally long, else each with each."""
    return list(zip(left, right, strict=True)) if len(left) == len(right) else [(a, b) for a in left for b in right]


def _neighbours(left: list[Operand], _: list[Operand]) -> list[tuple[Operand, Operand]]:
    """Pair each with the next."""
    return list(itertools.pairwise(left))


#: kind -> how to pair left and right, the sign shown between them, and when a pair (a, b) holds within a margin.
_KINDS: dict[str, tuple[Callable[..., list[tuple[Operand, Operand]]], str, Callable[[float, float, float], bool]]] = {
    "above": (_above, ">", lambda a, b, _: a > b),
    "near": (_above, "≈", lambda a, b, margin: abs(a - b) <= margin + 1e-9 * max(abs(b), margin)),
    "largest": (lambda left, right: [(left[0], other) for other in left[1:] + right], "≥", lambda a, b, _: a >= b),
    "rising": (_neighbours, "≤", lambda a, b, _: a <= b),
    "falling": (_neighbours, "≥", lambda a, b, _: a >= b),
    "at_least": (_above, "≥", lambda a, b, _: a >= b),
    "at_most": (_above, "≤", lambda a, b, _: a <= b),
    "holds": (_above, "=", lambda a, b, _: a == b),
}


def _find_check(name: str, check: Mapping[str, Any], results: Results) -> Finding:
    """Judge a claim by its check."""
    decided, undecided = _evaluate(name, check, results)
    failing = [text for text, holds in decided if not holds]
    seen = _listed(failing or [text for text, _ in decided])
    word = "fails" if failing else "holds"
    if undecided:
        verdict = NOT_RUN if all(isinstance(hole, NotRun) for hole in undecided) else MISSING
        share = f"{word} on {len(decided)} of {len(decided) + len(undecided)} comparisons" if decided else None
        return Finding(verdict, _join(*list(dict.fromkeys(hole.reason for hole in undecided))[:2], seen), share)
    entries = _entries([*check["left"], *check.get("right", ())], results)
    foreign = [f"rebuilt on {_form(entry)}: shown, not judged" for entry in entries if entry.comparable == "no"]
    if foreign:
        return Finding(MISSING, _join(seen, *foreign), word)
    notes = [f"rebuilt on {_form(entry)}" for entry in entries if entry.comparable == "approximately"]
    return Finding(DIFFERS if failing else REPRODUCED, _join(seen, *notes), word)


def _entries(sources: Iterable[str], results: Results) -> list[RoleEntry]:
    """Return the configuration's entries of the roles that locators name, each once, in order of name."""
    roles = sorted({role for role in map(results.role, sources) if role in results.roles})
    return [results.roles[role] for role in roles]


def _evaluate(name: str, check: Mapping[str, Any], results: Results) -> tuple[list[tuple[str, bool]], list[Hole]]:
    """Return every comparison that could be made, in words and whether it holds, and the holes of the others."""
    kind = check.get("kind", "")
    if kind not in _KINDS:
        raise ConfigError(f"check {name}: unknown kind '{kind}'; allowed: {', '.join(_KINDS)}")
    pairing, sign, test = _KINDS[kind]
    left = [_operand(source, results) for source in check["left"]]
    right = [_operand(source, results) for source in check.get("right", ())]
    if kind in ("at_least", "at_most", "holds"):
        right = [Operand("", 1.0 if kind == "holds" else float(check["bound"]))]
    decided, undecided = [], []
    for a, b in pairing(left, right):
        if isinstance(a.value, Hole) or isinstance(b.value, Hole):
            undecided += [operand.value for operand in (a, b) if isinstance(operand.value, Hole)][:1]
            continue
        margin = margin_of(check["margin"], b.value, f"check {name}") if kind == "near" else 0.0
        decided.append((f"{a} {sign} {b}", test(a.value, b.value, margin)))
    if kind in ("rising", "falling") and not undecided and left[0].value == left[-1].value:
        decided.append((f"{left[0]} does not differ from {left[-1]}", False))
    if not decided and not undecided:
        raise ConfigError(f"check {name}: there is nothing to compare; name at least two numbers")
    return decided, undecided


def _operand(source: str, results: Results) -> Operand:
    """Locate one number of a check, by the shortest name that tells it from the others."""
    kind, parts = split_locator(source)
    name = f"{' '.join([parts[2], *parts[4:]])} on {parts[1]}" if kind in ("score", "time") else parts[-1]
    try:
        value = results.locate(source).value
    except Hole as hole:
        return Operand(name, hole)
    if isinstance(value, str):
        raise ConfigError(f"locator '{source}' is the word '{value}', not a number; a check compares numbers")
    return Operand(name, float(value))


def _listed(texts: Sequence[str]) -> str:
    """Return comparisons as one line, the first few in full."""
    more = len(texts) - _SHOWN_PAIRS
    return ", ".join(texts[:_SHOWN_PAIRS]) + (f" and {more} more" if more > 0 else "")
