"""The pages of the two comparisons of methods: on the user's own data, and on all data sets (the matrix)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textmix.contest.findings import Finding
from textmix.core import io
from textmix.core.errors import LEFT_BEHIND, OUT_OF_TIME, MissingResult
from textmix.metrics.table import METRICS, main_metric
from textmix.pages.rendering import environment, style


@dataclass(frozen=True)
class Account:
    """The account of the user's own data.

    Parameters
    ----------
    summary : the data as read, of `textmix.contest.description.describe`.
    chosen : method -> point of its grid -> number of trials in which tuning chose it; tuned methods only.
    ends : method -> parameters that tuning chose at an end of their grid.
    choice : of `textmix.contest.choice.choose`, or None where no method has a score.
    unconverged : method -> number of its fits that stopped before they converged, where there are any.
    model : path of the model that was kept; empty where there is none.
    encoder : of the user's that the model needs; empty where it needs none.
    """

    summary: Mapping[str, Any]
    chosen: Mapping[str, Mapping[str, int]]
    ends: Mapping[str, Sequence[str]]
    choice: Mapping[str, Any] | None
    unconverged: Mapping[str, int]
    model: str = ""
    encoder: str = ""


@dataclass(frozen=True)
class Study:
    """The content of the page of a comparison of methods.

    Parameters
    ----------
    kicker, title, lead : the line above the heading, the heading, and the first sentences.
    tables : data set -> its `score_table`.
    facts : data set -> its ``title`` and what is ``said`` of it.
    tasks : data set -> ``single`` or ``multi``.
    methods : task -> the methods of its overview; read where there are several data sets.
    findings : what the tests say, one for each kind of data.
    provenance : heading -> name -> value.
    account : the account of the user's own data, or None.
    """

    kicker: str
    title: str
    lead: str
    tables: Mapping[str, Mapping[str, Any]]
    facts: Mapping[str, Mapping[str, str]]
    tasks: Mapping[str, str]
    methods: Mapping[str, Sequence[str]]
    findings: Sequence[Finding]
    provenance: Mapping[str, Mapping[str, str]]
    account: Account | None = None


def render_study(study: Study) -> str:
    """Return the page of a comparison as HTML."""
    pages = environment()
    pages.filters |= {"figure": figure, "memory": memory, "seconds": seconds}
    pages.globals |= {"metrics": METRICS, "main_metric": main_metric, **vars(study)}
    return pages.get_template("study.html").render(style=style("page.css", "study.css"))


def figure(value: float | None) -> str:
    """Return a share or a loss with three decimals; empty for None."""
    return "" if value is None else f"{value:.3f}"


def seconds(value: float | None) -> str:
    """Return a time with its unit: milliseconds below 0.1 s, else seconds, one decimal below 10 s; empty for None."""
    if value is None:
        return ""
    if value < 0.1:
        return f"{1000 * value:.2g} ms" if value < 0.01 else f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 10 else f"{value:,.0f} s"


def memory(value: float | None) -> str:
    """Return a number of bytes in units of 2**20 bytes, printed as MB; empty for None."""
    return "" if value is None else f"{value / 2**20:,.0f} MB" if value >= 2**20 else "< 1 MB"


def score_table(
    cells: Sequence[Mapping[str, Any]], dataset: str, costs: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return the table of one data set: a row for each method, a column for each metric, the best method on top.

    The first metric orders the rows.

    Parameters
    ----------
    cells : rows of `textmix.contest.rows.SCORES`.
    dataset : the data set.
    costs : rows of `textmix.contest.rows.COSTS`.

    Returns
    -------
    ``metrics`` : names.
    ``best`` : metric -> best value, or None.
    ``spread`` : whether any value has a standard deviation.
    ``rows`` : of the methods that were scored, each with ``method``, ``family``, ``values`` (metric -> its row of
    ``cells``) and ``cost`` (its row of ``costs``, or None).
    ``without`` : for each reason the pair (names of the methods that were not scored for it, the reason).
    """
    shown = [cell for cell in cells if cell["dataset"] == dataset]
    metrics = list(dict.fromkeys(cell["metric"] for cell in shown if cell.get("metric")))
    cost = {row["method"]: row for row in costs if row["dataset"] == dataset}
    rows: dict[str, dict[str, Any]] = {}
    without: dict[str, list[str]] = {}
    for cell in shown:
        method = cell["method"]
        if cell.get("metric"):
            empty = {"method": method, "family": cell["family"], "values": {}, "cost": cost.get(method)}
            rows.setdefault(method, empty)["values"][cell["metric"]] = cell
        else:
            reason = cell["reason"].removeprefix(OUT_OF_TIME).removeprefix(LEFT_BEHIND).removeprefix(f"{method} ")
            without.setdefault(reason, []).append(method)
    return {
        "metrics": metrics,
        "best": {metric: _best(metric, rows.values()) for metric in metrics},
        "spread": any(cell.get("spread") is not None for cell in shown),
        "rows": sorted(rows.values(), key=lambda row: _order(row, metrics)),
        "without": [(names, reason) for reason, names in without.items()],
    }


def methods_of(cells: Sequence[Mapping[str, Any]], datasets: Collection[str]) -> list[str]:
    """Return the methods with a value on at least one of the data sets named, in the order of the cells."""
    scored = [cell["method"] for cell in cells if cell["dataset"] in datasets and cell.get("value") is not None]
    return list(dict.fromkeys(scored))


def data_facts(folder: Path, title: str, split: str) -> dict[str, str]:
    """Return the facts on a data set that a page prints.

    Parameters
    ----------
    folder : of the parsed data set.
    title : of the data set.
    split : the sentence on its split.

    Returns
    -------
    ``title``, and ``said``: its size and split in words, or the reason why its result is missing.
    """
    try:
        io.check_result(folder)
    except MissingResult as missing:
        return {"title": title, "said": f"{missing.reason}."}
    statistics = io.read_json(folder / "corpus.json")["statistics"]
    return {"title": title, "said": f"{said(statistics)} {split}"}


def said(statistics: Mapping[str, Any]) -> str:
    """Return the size of a data set in words.

    Parameters
    ----------
    statistics : of `textmix.data.corpus.Corpus.statistics`.
    """
    sets = f", {statistics['label_sets']:,} different label sets" if statistics["multi_label_share"] else ""
    return f"{statistics['documents']:,} documents, {statistics['labels']:,} labels{sets}."


def own_lead(methods: int, splits: int, further: int, reasons: Sequence[str] = ()) -> str:
    """Return the first sentences of the page of own data.

    Parameters
    ----------
    methods, splits : numbers of methods on the page, and of splits.
    further : number of methods that are only on the page on all methods.
    reasons : of the methods on the page that have no score.
    """
    parts = "1 split" if splits == 1 else f"{splits} splits"
    scored = methods - len(reasons)
    lead = f"{scored} method{'s' * (scored != 1)} on {parts} into training and test documents."
    late = sum(reason.startswith(OUT_OF_TIME) for reason in reasons)
    if late:
        lead += f" For {late} more the time budget left no time."
    behind = sum(reason.startswith(LEFT_BEHIND) for reason in reasons)
    if behind:
        lead += f" {behind} more {'was' if behind == 1 else 'were'} left behind on training documents and not tested."
    unfit = len(reasons) - late - behind
    if unfit:
        lead += f" {unfit} more {'does' if unfit == 1 else 'do'} not apply, for the reasons below the scores."
    if not further:
        return lead
    costlier = "1 costlier method" if further == 1 else f"{further} costlier methods"
    return f"{lead} These are the methods of low cost; the page index.html one folder up shows {costlier} too."


def matrix_lead(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the first sentences of the page of the matrix: how many data sets there are, and how they are compared."""
    had = sum(bool(table["metrics"]) for table in tables.values())
    without = f" ({len(tables) - had} more could not be had)" if had < len(tables) else ""
    return (
        f"{had} data sets{without}. All methods of the registry that apply are compared on the same documents, splits "
        "and metrics."
    )


def _best(metric: str, rows: Any) -> float | None:
    """Return the best value of a metric among rows of `score_table`: the smallest loss, else the largest value.

    It is None where no row has a value.
    """
    values = [row["values"][metric]["value"] for row in rows if row["values"].get(metric, {}).get("value") is not None]
    return (min if METRICS[metric].loss else max)(values, default=None)


def _order(row: Mapping[str, Any], metrics: Sequence[str]) -> tuple[bool, float, str]:
    """Return the sort key of a row of `score_table`: best first by the first metric, rows without its value last."""
    value = row["values"].get(metrics[0], {}).get("value") if metrics else None
    sign = 1.0 if metrics and METRICS[metrics[0]].loss else -1.0
    return value is None, 0.0 if value is None else sign * value, row["method"]
