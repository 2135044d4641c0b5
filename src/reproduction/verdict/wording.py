"""Wording of the report: verdicts, reasons, labels, and formatted values.

All sentences about results that Python code composes are in this module; the others are in the templates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reproduction.flow.results import LEFT_OUT

#: Verdicts in the order of the report.
VERDICTS = ("reproduced", "differs", "undecided", "data missing", "not run", "open")
REPRODUCED, DIFFERS, UNDECIDED, MISSING, NOT_RUN, OPEN = VERDICTS
#: Verdicts of values that were judged.
JUDGED = (REPRODUCED, DIFFERS, UNDECIDED)
#: Verdict -> symbol, for narrow cells.
SIGNS = dict(zip(VERDICTS, ("✓", "≠", "≈", "∅", "○", "?"), strict=True))
TEX_SIGNS = dict(
    zip(VERDICTS, (r"$\checkmark$", r"$\neq$", r"$\approx$", r"$\emptyset$", r"$\circ$", "?"), strict=True)
)
#: Appended to the symbol of a value with fits that did not converge.
UNCONVERGED_SIGN = "†"

#: Smaller numbers use scientific notation, unless the published number has `MAX_PLAIN_DECIMALS`.
MIN_PLAIN_NUMBER = 1e-5
MAX_PLAIN_DECIMALS = 6
#: A relative difference in percent is shown without decimals from this value on,
MIN_WHOLE_PERCENT = 1000
#: with one decimal from this value on and with two significant digits below it,
MIN_PERCENT_WITH_DECIMAL = 0.05
#: and as 0 below this value.
MIN_SHOWN_PERCENT = 5e-4
#: Maximum number of cells listed in a note under a table.
MAX_CELLS_IN_NOTE = 3
#: Maximum number of rows of a verdict that the reason of a main claim lists.
MAX_ROWS_OF_CLAIM = 4
#: Maximum number of reports that the last line of a failed run lists.
MAX_PAGES_IN_LINE = 3
#: Maximum number of reasons for missing results that the reason of a claim lists.
MAX_MISSING_REASONS = 2

# Constant reasons.
NO_SOURCE = "not reproduced by this version"
NOT_CHOSEN = "the paper is not part of this configuration"
UNCONVERGED = "did not converge"
FOREIGN = "not the paper's data: shown, not judged"
LEFT_OPEN = "the paper does not say what to compare: shown, not judged"
NO_NUMBER = "the paper gives no number: shown, not judged"
NOTHING_TO_COMPARE = "the paper gives no number to compare"
NOT_A_NUMBER = "the reproduced value is not a number"
UNDECIDABLE = "more trials of ours cannot decide it because the published value is too uncertain"
SINGLE_SPLIT = "; single split: compared directly, without a test"
NOT_DRAWN = f"{NOT_RUN}: this run did not draw it"
NOT_READ = "not read in this run"
NO_DATASET_CONFIGURED = "the configuration names no data set"
#: Group of the rows of a main claim that no data can judge.
NO_DATASET_NAMED = "the thesis names no data set, so the claim is shown but not judged"
LEFT_OUT_OF_RUN = f"{LEFT_OUT}, make full"
#: Prefix for a result that is missing in this run.
ABSENT_RESULT = "not in this run"
#: Prefix of a cause that leaves the difference unexplained.
NOT_EXPLAINED = "Not explained."
UNKNOWN_CAUSE = "No cause is known."
#: Column of a table in list form.
LISTED = "value"

# Outcomes of the comparison of a reproduced value with the recorded one.
EQUAL = "equal"
UNEQUAL = "not equal"
OTHER_DATA = "other data"
ABSENT = "not reproduced here"
TIMED = "a measured time"
# Reasons, in addition to other data, not to compare a value with the recorded one.
TIMES = "times"
LEFT_TO_FULL_RUN = LEFT_OUT
OTHER_SETTINGS = "other settings by a cap"

#: Types of wrong values in placebo tests.
PLACEBO_VALUES = "other published values"
PLACEBO_ORDERS = "orders"
PLACEBO_SIGNS = "signs"
PLACEBO_WORDS = "random words"

#: Labels of the evidence levels, from all judged rows to the strictest test.
ALL_JUDGED = "all judged rows"
WITHOUT_FACTS = "without facts about data files"
METHOD_RESULTS = "results of methods"
NARROW_MARGINS = "… with margins three quarters as wide"
CORRECTED = "… with both tests corrected over each table (Holm)"
CHOSEN_BEFORE = "… not marked as chosen or widened after results were seen"
OWN_METHODS = "own methods"

#: Replication criteria of the scorecard.
CRITERION_DIRECTION = "same order of two methods"
CRITERION_THEIRS_IN_OURS = "published mean in our 95 % prediction interval"
CRITERION_OURS_IN_THEIRS = "our mean in the published 95 % prediction interval"
CRITERION_NOT_DIFFERENT = "no significant difference"
CRITERION_EQUIVALENT = "equivalent within the margin"
#: Answers to a main claim.
YES = "yes"
NO = "no"
NOT_TESTABLE = "not testable here"
#: Label of a row that a perfect replication would reproduce in less than half of all cases.
NOT_DECIDABLE = "not decidable from the published data"

# Labels of the summary figure.
SUMMARY_TITLE = "Published and reproduced results of methods"
PUBLISHED_AXIS = "published score (%)"
REPRODUCED_AXIS = "reproduced score (%)"
DIFFERENCE_AXIS = "difference from the published value (%),\nlinear within ±1 %, logarithmic beyond"
CLAIMS_TITLE = "one mark for each claim"

#: Role -> name of its data set in a sentence.
ROLE_TITLES = {
    "newsgroups": "20 Newsgroups",
    "newsgroups_by_date": "20 Newsgroups (by date)",
    "newsgroups_text": "20 Newsgroups",
    "industry": "Industry Sector",
    "reuters": "Reuters-21578",
    "imdb": "IMDB",
    "imdb_whole": "IMDB",
    "amazon_baby": "Amazon Baby",
    "amazon_phone": "Amazon Phone",
    "bbc": "BBC News",
    "webkb": "WebKB",
    "lingspam": "Ling-Spam",
    "spamassassin": "SpamAssassin",
    "scene": "SCENE",
    "rcv1": "RCV1",
    "tmc2007": "TMC2007",
    "mediamill": "MEDIAMILL",
    "nus_wide": "NUS-WIDE",
}

#: Part of the name of an artefact -> place in the paper.
PLACES = {
    "claims": "claims of the text",
    "data": "description of the data",
    "eq": "equations",
    "time": "times",
    "figs": "figures",
    "stat": "statistics of the data",
    "hyper": "settings",
    "derived": "derived from its tables",
    "perp": "perplexities",
    "approx": "the approximation",
    "methods": "overview of the methods",
    "illus": "illustration",
    "stmt": "statements of the text",
    "sel": "selection of skip-grams",
    "rare": "rare skip-grams",
    "wv": "word vectors",
    "extract": "extraction of skip-grams",
    "imdb": "results on IMDB",
    "examples": "examples",
    "counts": "numbers of skip-grams",
    "four": "four data sets",
    "beyond": "later works",
    "extra_data": "public descriptions of the data",
    "related": "related work",
}
#: Values of ``where`` that need formatting: lines or equations of a document, and two keywords.
_CATALOGUED = re.compile(r"\d{3}(:.*)?|derived|public")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


# Number formatting.


def number(text: Any) -> float | None:
    """Parse a cell (text, number or None) as a number; None if it is empty or text."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def text_of(value: Any) -> str:
    """Convert a value to text; "" for None."""
    return "" if value is None else str(value)


def typeset(text: str) -> str:
    """Replace numbers such as ``1.16e-18`` in a text with ``1.16 × 10⁻¹⁸``."""
    return re.sub(r"(?<=\d)e([+-]?)0*(\d+)\b", _typeset_power, text)


def _typeset_power(match: re.Match[str]) -> str:
    exponent = match[1].replace("+", "") + match[2]
    return f" × 10{exponent.translate(_SUPERSCRIPTS)}"


def decimals(printed: str) -> int:
    """Return the number of decimals of a published number: 4 for ``1.5e-3``, 0 for an integer or text."""
    if number(printed) is None:
        return 0
    mantissa, _, exponent = printed.lower().partition("e")
    fraction = mantissa.partition(".")[2]
    return max(0, len(fraction) - int(exponent or 0))


def role_title(role: str) -> str:
    """Return the name of a data set in a sentence, such as 20 Newsgroups or Yahoo Arts."""
    if role in ROLE_TITLES:
        return ROLE_TITLES[role]
    family, _, category = role.partition("_")
    if family == "yahoo" and category:
        return f"Yahoo {category.replace('_', ' ').title()}"
    return role.replace("_", " ")


def short(value: float, sign: str = "") -> str:
    """Format a number with at most four significant digits and no trailing zeros after the decimal point.

    Absolute values below 1e-4 or from 1e7 on use scientific notation with three digits; inf and nan are kept.
    """
    if not math.isfinite(value) or (value and not 1e-4 <= abs(value) < 1e7):
        return f"{value:{sign}.3g}"
    digits = 3 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:{sign}.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def shown(value: Any, printed: str, significant: int = 3) -> str:
    """Format a value with the decimals of the published number and thousands separators.

    Decimals are added until ``significant`` digits are shown, except for the published number itself and integers.
    Text, inf and nan are kept; None becomes "".
    """
    amount = number(value)
    if amount is None or not math.isfinite(amount):
        return text_of(value)
    places = decimals(printed)
    if text_of(value) != printed and not amount.is_integer():
        if abs(amount) < MIN_PLAIN_NUMBER and places < MAX_PLAIN_DECIMALS:
            return typeset(f"{amount:.{significant - 1}e}")
        places = max(places, significant - 1 - math.floor(math.log10(abs(amount))))
    return f"{amount:,.{places}f}"


def with_deviation(value: str, deviation: str) -> str:
    """Return ``value ± deviation``, or only the value if one of them is empty."""
    return f"{value} ± {deviation}" if value and deviation else value


def value_text(value: Any, deviation: Any, printed: str) -> str:
    """Format a reproduced value and its standard deviation with the digits of the published value."""
    return with_deviation(shown(value, printed), shown(deviation, printed, significant=1))


def published_text(value: str, deviation: str) -> str:
    """Format a published value and its standard deviation with their own digits."""
    return with_deviation(shown(value, value), shown(deviation, deviation))


def interval_text(low: float | None, high: float | None) -> str:
    """Format the interval of a difference; "" for None."""
    if low is None or high is None:
        return ""
    return typeset(f"{short(low, '+')} to {short(high, '+')}")


def percent_text(fraction: float | None) -> str:
    """Format a relative difference in percent; "" for None."""
    if fraction is None:
        return ""
    percent = 100 * fraction
    if abs(percent) < MIN_SHOWN_PERCENT:
        return "0 %"
    if abs(percent) >= MIN_WHOLE_PERCENT:
        return leading_minus(f"{percent:+,.0f} %")
    if abs(percent) >= MIN_PERCENT_WITH_DECIMAL:
        return leading_minus(f"{percent:+.1f} %")
    return leading_minus(f"{percent:+.2g} %")


def leading_minus(text: str) -> str:
    """Replace the leading hyphen of a negative number with a minus sign."""
    return f"−{text[1:]}" if text.startswith("-") else text


def first_of(names: Sequence[str], limit: int) -> str:
    """List the first elements and the number of remaining ones."""
    remaining = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f"{', '.join(names[:limit])}{remaining}"


def unit_suffix(unit: str) -> str:
    """Return the suffix for the unit of a difference, with a leading space; "" for a fraction or no unit."""
    if unit.startswith("percent"):
        return " points"
    return f" {unit}" if unit and unit != "fraction" else ""


# Reasons of verdicts.


def join_clauses(*clauses: str) -> str:
    """Join the nonempty clauses of a reason by semicolons."""
    return "; ".join(clause for clause in clauses if clause)


def margin_text(tolerance: str, margin: str, unit: str) -> str:
    """Describe the largest difference that a tolerance accepts."""
    if tolerance == "exact":
        return "only rounding"
    size = float(margin.removesuffix("%"))
    if margin.endswith("%"):
        return f"{size:g} %"
    suffix = unit_suffix(unit)
    if size == 1:
        suffix = suffix.replace("points", "point")
    return f"{size:g}{suffix}"


def difference_reason(difference: float, target: float, unit: str, margin: str, allowed: str) -> str:
    """Describe a difference in the same terms as the margin: relative, or in the unit of the row."""
    if margin.endswith("%") and target:
        percent = 100 * abs(difference / target)
        direction = "lower" if difference < 0 else "higher"
        return f"{short(percent)} % {direction} than published where {allowed} is allowed"
    return f"differs by {short(difference, '+')}{unit_suffix(unit)} where {allowed} is allowed"


def undecided_reason(n_trials: int, n_needed: int | None) -> str:
    """Describe why no test is conclusive, and how many of our trials would be needed."""
    remedy = UNDECIDABLE if n_needed is None else f"about {n_needed} would do"
    return f"; {n_trials} trials are too few to tell; {remedy}"


def trials_text(trials: int | None) -> str:
    """Format the number of trials of a mean in parentheses; "" for None."""
    return f" ({trials} trials)" if trials and trials > 1 else ""


def overlap_reason(p: float) -> str:
    return f"; the spreads over trials overlap, but the means differ (p = {p:.2g}, Welch's test)"


def range_reason(low: float, high: float) -> str:
    return f"the range over the parts of the data is {short(low)} to {short(high)}"


def chance_reason(documents: int, error: float, unit: str) -> str:
    return f"a proportion of {documents} documents has a standard error of {short(error)}{unit_suffix(unit)}"


def unconverged_reason(fits: int) -> str:
    if not fits:
        return ""
    return f"{fits} fit{'s' if fits > 1 else ''} {UNCONVERGED}"


def setting_reason(ours: str, published: str) -> str:
    return f"this reproduction uses {ours} instead of {published}"


def test_reason(name: str) -> str:
    return f"tests/{name}"


def untested_reason(name: str) -> str:
    return f"tests/{name} has not been run with this code; run make test"


def data_reason(dataset: str | None, note: str) -> str:
    return f"reproduced on {dataset}{f' ({note})' if note else ''}"


def without_notes(reason: str, notes: Iterable[str]) -> str:
    """Remove the notes on data sets (``(note)`` or ``: note``) from a reason."""
    for note in notes:
        reason = reason.replace(f" ({note})", "").replace(f": {note}", "")
    return reason


def missing_reasons(reasons: Iterable[str]) -> list[str]:
    """Return the first distinct reasons and the number of remaining ones."""
    unique = list(dict.fromkeys(reasons))
    if len(unique) <= MAX_MISSING_REASONS:
        return unique
    return [*unique[:MAX_MISSING_REASONS], f"and {len(unique) - MAX_MISSING_REASONS} more reasons"]


def exceptions_text(n_allowed: int) -> str:
    return "1 exception allowed" if n_allowed == 1 else f"{n_allowed} exceptions allowed"


def partial_claim(word: str, n_compared: int, n_pairs: int) -> str:
    return f"{word} on {n_compared} of {n_pairs}"


# Labels and sentences of the report.


def closing_line(report: str, counts: Mapping[str, int], page: str, weak: Mapping[str, int] | None = None) -> str:
    """Return the last line of a run: the nonzero counts of verdicts, of weak numbers, and the path of the report."""
    tally = _tally(counts) or "no numbers or claims"
    if weak and any(weak.values()):
        tally = f"{_tally(counts) or 'no result'}; weak numbers: {_tally(weak)}"
    return f"{report}: {tally}; {page}"


def failure_line(n_failed: int, n_open: int, pages: Sequence[str]) -> str:
    """Return the last line of a run that did not complete: the numbers of jobs, and what to do next."""
    clauses = [f"{n_failed} job{'s' if n_failed != 1 else ''} failed"] if n_failed else ["interrupted"]
    if n_open:
        clauses.append(f"{n_open} did not run")
    remedy = "correct the cause and run the same command again" if n_failed else "run the same command again"
    where = f"; see {first_of(pages, MAX_PAGES_IN_LINE)}" if pages else ""
    return f"The run did not complete: {', '.join(clauses)}; {remedy}{where}"


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(count_text(counts[verdict], verdict) for verdict in VERDICTS if counts.get(verdict))


def count_text(count: int, verdict: str) -> str:
    """Format a number of rows with their verdict, such as ``6 differ``."""
    return f"{count} differ" if verdict == DIFFERS and count != 1 else f"{count} {verdict}"


def claim_support(by_verdict: Mapping[str, Sequence[str]]) -> str:
    """Describe the verdicts on the rows that support a main claim; rows that are not reproduced are listed."""
    n_rows = sum(map(len, by_verdict.values()))
    n_reproduced = len(by_verdict.get(REPRODUCED, ()))
    clauses = [f"{n_reproduced} of {n_rows} {'row' if n_rows == 1 else 'rows'} reproduced"]
    for verdict in (*VERDICTS, NO_DATASET_NAMED):
        if verdict != REPRODUCED and by_verdict.get(verdict):
            clauses.append(f"{verdict}: {first_of(by_verdict[verdict], MAX_ROWS_OF_CLAIM)}")
    return join_clauses(*clauses)


def expected_text(n_reproduced: int, n_evaluated: int, mean: float, low: float, high: float) -> str:
    """Compare the number of reproduced results with that of a perfect replication."""
    counts = f"{n_reproduced} of {results_text(n_evaluated)} {'is' if n_evaluated == 1 else 'are'} reproduced."
    if low == high:
        return f"{counts} A perfect replication would reproduce all of them."
    return (
        f"{counts} A perfect replication would reproduce {mean:.1f} ({low:.0f} to {high:.0f} in 90 % of all cases), "
        "because the published spreads and numbers of trials limit what the tests can show."
    )


def results_text(count: int) -> str:
    return f"{count} result{'s' if count != 1 else ''}"


def certain_text(n_simulated: int, n_certain: int) -> str:
    """State how many expected verdicts were simulated and how many were assumed."""
    text = f"The expected number is based on the simulation of {results_text(n_simulated)}."
    if not n_certain:
        return text
    remaining = f"The other {n_certain} are values without trials and claims" if n_certain > 1 else "The other one"
    return f"{text} {remaining}, which count{'s' if n_certain == 1 else ''} with probability 1."


def undecidable_text(n_undecidable: int, n_reproduced: int, n_evaluated: int, mean: float) -> str:
    """Give the headline without the results that are not decidable; "" if all are."""
    if not n_undecidable:
        return ""
    is_plural = n_undecidable > 1
    return (
        f"{results_text(n_undecidable)} {'are' if is_plural else 'is'} {NOT_DECIDABLE}: a perfect replication would "
        f"reproduce {'each of them' if is_plural else 'it'} in less than half of all cases. Without "
        f"{'them' if is_plural else 'it'}, {n_reproduced} of {n_evaluated} are reproduced, and {mean:.1f} are expected."
    )


def undecidable_row_text(probability: float) -> str:
    """Label a result that a perfect replication would reproduce in less than half of all cases."""
    return f"{NOT_DECIDABLE.capitalize()}: a perfect replication would reproduce it with probability {probability:.2f}."


def holm_text(n_surviving: int, n_tests: int, expected: float) -> str:
    """State how many means over trials survive Holm's correction, and how many would in a perfect replication."""
    if not n_tests:
        return ""
    return (
        f"{n_surviving} of {n_tests} means over trials are still reproduced after Holm's correction of both tests over "
        f"each table; {expected:.1f} would be in a perfect replication."
    )


def own_methods_text(n_reproduced: int, n_values: int, expected: float) -> str:
    """Compare the reproduced values of a paper's own methods with the expected number; "" without such values."""
    if not n_values:
        return ""
    return (
        f"Of {n_values} values of the papers' own methods, {n_reproduced} {'is' if n_reproduced == 1 else 'are'} "
        f"reproduced; {expected:.1f} would be in a perfect replication."
    )


def false_differs_text(expected: float, n_differs: int) -> str:
    """Compare the number of differing results with the number expected by chance."""
    verb = "differs" if n_differs == 1 else "differ"
    return f"{results_text(n_differs)} {verb}; {expected:.1f} would differ by chance in a perfect replication."


def criterion_text(name: str, count: int, n_cases: int, expected: float) -> str:
    return f"{name}: {count} of {n_cases} ({expected:.1f} expected in a perfect replication)"


def agreement_text(median_difference: float, correlation: float | None, n_scores: int) -> str:
    """Describe the agreement of published and reproduced scores."""
    scores = "1 score" if n_scores == 1 else f"{n_scores} scores"
    text = f"The median absolute difference of {scores} is {median_difference:.2f} points"
    return f"{text}, and their correlation is {correlation:.3f}." if correlation is not None else f"{text}."


def alternatives_text(n_changed: int, n_rows: int) -> str:
    """State how many verdicts depend on registered alternatives; "" without alternatives."""
    if not n_rows:
        return ""
    return f"A registered alternative would change {n_changed} of the {n_rows} verdicts with a specification curve."


def alternatives_not_run_text(n_rows: int, n_registered: int, n_without_data: int, cpu_hours: float | None) -> str:
    """State how many rows have registered alternatives that were not run, and the cost; "" if all were run."""
    if not n_rows:
        return ""
    without_data = f" ({n_without_data} of them because their data are missing)" if n_without_data else ""
    cost = f": all alternatives of this paper take about {cpu_hours:g} CPU hours" if cpu_hours else ""
    rows = f"{n_rows} of {n_registered} rows with registered alternatives"
    return f"The alternatives of {rows} are not run yet{without_data}{cost}."


def placebo_text(n_tried: int | None, n_passed: int | None, name: str) -> str:
    """Describe the fraction of wrong values that a row would accept; "" if none was tried."""
    if not n_tried or n_passed is None:
        return ""
    return f"{100 * n_passed / n_tried:.0f} % of {n_tried} {name} would pass"


def weak_by_width() -> str:
    return "its margin is at least a quarter of the number"


def weak_by_values(n_accepted: int, n_values: int) -> str:
    return f"its margin accepts {n_accepted} of {n_values} other published values"


def place_in_paper(artefact: str, where: str) -> str:
    """Format the place of a published row, such as ``Table 1, line 341``."""
    if not _CATALOGUED.fullmatch(where):
        return where
    name = artefact.partition(".")[2]
    match = re.fullmatch(r"([tf])(\d+)(\..*)?", name)
    if match:
        location = f"{'Table' if match[1] == 't' else 'Figure'} {match[2]}"
    else:
        section, _, _ = name.partition(".")
        location = PLACES.get(section, name.replace(".", " ").replace("_", " "))
    equations = re.findall(r"\((\d+)\)", where)
    equation = f"equation {'–'.join(equations)}" if equations else ""
    return ", ".join(filter(None, (location, _lines(where), equation)))


def where_in_words(where: str) -> str:
    """Format a place of ``choices.yaml``: lines such as ``001:L341``, or ``unsaid``; other text is kept."""
    if where == "unsaid":
        return "not stated in the paper"
    return _lines(where) if re.fullmatch(r"\d{3}:L[-L\d,]+", where) else where


def _lines(where: str) -> str:
    """Format the lines of a place, such as ``line 341`` or ``lines 21, 30–32``; "" without lines."""
    ranges = re.findall(r"L(\d+)(?:-L(\d+))?", where)
    if not ranges:
        return ""
    numbers = ", ".join(f"{first}–{last}" if last else first for first, last in ranges)
    plural = "s" if len(ranges) > 1 or ranges[0][1] else ""
    return f"line{plural} {numbers}"


def stand_in_text(dataset: str, note: str) -> str:
    return f"replaced by {dataset}: {note}" if note else f"replaced by {dataset}"


def span_text(factors: Iterable[str], low: float, high: float, *, is_claim: bool) -> str:
    """Describe the range of a specification curve."""
    least, most = (leading_minus(short(end)) for end in (low, high))
    quantity = "distances from the boundary of the claim" if is_claim else "values"
    return f"The specifications vary {', '.join(factors)}; their {quantity} range from {least} to {most}."


def number_of_scores(n_scores: int) -> str:
    return f"{n_scores} scores"


def number_of_numbers(n_numbers: int) -> str:
    return f"all {n_numbers} numbers"


def number_of_claims(n_claims: int) -> str:
    return f"{n_claims} claims"


def summary_note(n_numbers: int, n_claims: int) -> str:
    return f"The figure shows {n_numbers} published numbers and {n_claims} published claims, coloured by verdict."


def history_mark(word: str, heading: str) -> str:
    """State that a margin (``Widened``) or interpretation (``Chosen``) was set after seeing test results."""
    change = "Its margin was widened" if word == "Widened" else "Its interpretation was chosen"
    return f"{change} after test results had been seen: history.md, {heading}"


def no_digest_text(why: str) -> str:
    return f"no SHA-256 digest is available: {why}" if why else ""


def recorded_caption(day: str, notes: str) -> str:
    return f"Recorded on {day}. {notes}"


def size_text(documents: int, labels: int) -> str:
    return f"{documents:,} documents, {labels:,} labels"


def tex_caption(caption: str) -> str:
    return f"{caption} Each cell: published / reproduced, verdict."


def cells_text(places: Sequence[str], n_cells: int) -> str:
    """List the first cells affected by a note under a table."""
    if len(places) == n_cells:
        return "all cells"
    n_remaining = len(places) - MAX_CELLS_IN_NOTE
    text = "; ".join(places[:MAX_CELLS_IN_NOTE])
    return f"{text}; {n_remaining} more" if n_remaining > 0 else text
