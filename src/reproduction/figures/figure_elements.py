"""Elements of figures: rows of trials, published values, axes with readable numbers, legends.

Each element adds its own legend entry and note to the figure when it is drawn, so that both describe only what the
figure shows.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator, ScalarFormatter

from reproduction.figures.style import (
    DASHES,
    GREY,
    INK,
    MARKERS,
    PAPER,
    PUBLISHED_BAND,
    PUBLISHED_LINE,
    SMALL,
    SOFT,
    Sheet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

#: Style of published values, which differs from that of all reproduced series.
DIAMOND: dict[str, Any] = {"color": INK, "linestyle": "none", "marker": "D", "markerfacecolor": PAPER, "zorder": 5}
#: Legend entry of the full marker in a row of trials.
REPRODUCED = "reproduced: mean ± standard deviation"
#: A logarithmic axis over fewer decades than this also has ticks between the powers of ten.
MIN_DECADES_WITH_POWERS_ONLY = 2.2
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class PublishedValue(NamedTuple):
    """A published value and its published standard deviation, if any."""

    value: float
    spread: float | None = None


def get_sheet(axes: Axes) -> Sheet:
    """Return the figure that contains the axes."""
    return cast("Sheet", axes.get_figure(root=True))


def sample_sd(values: Sequence[float]) -> float:
    """Compute the sample standard deviation, 0 for a single value."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def with_sample_size(noun: str, numbers: Iterable[int]) -> str:
    """Append the range of sample sizes to a noun, as in "split (n = 10)" or "split (n = 2 to 10)"."""
    sizes = sorted(set(numbers))
    end = f" to {sizes[-1]:,}" if len(sizes) > 1 else ""
    return f"{noun} (n = {sizes[0]:,}{end})"


def title_with_splits(title: str, numbers: Iterable[int]) -> str:
    """Append the number of splits to the title of a panel, as in "R52, one split" or "R52, 2 to 10 splits"."""
    sizes = sorted(set(numbers))
    if sizes == [1]:
        return f"{title}, one split"
    start = f"{sizes[0]} to " if len(sizes) > 1 else ""
    return f"{title}, {start}{sizes[-1]} splits"


def format_number(value: float, _: Any = None) -> str:
    """Format a number of an axis: plain from 0.001 to 10,000, otherwise with a power of ten."""
    if value == 0 or 1e-3 <= abs(value) <= 1e4:
        return f"{value:,.12g}".replace("-", "−")
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    factor = value / 10.0**exponent
    power = "10" + str(exponent).translate(_SUPERSCRIPT)
    if math.isclose(factor, 1):
        return power
    return f"{factor:.3g}·{power}".replace("-", "−")


class _ThousandsFormatter(ScalarFormatter):
    """Format the ticks of a linear axis as Matplotlib does, with commas from 1,000 on."""

    def __call__(self, value: float, position: int | None = None) -> str:
        """Format a tick."""
        if abs(value) >= 1000 and float(value).is_integer():
            return f"{value:,.0f}".replace("-", "−")
        return super().__call__(value, position)


def set_log_scale(axis: Axis, low: float, high: float, between: bool = True) -> None:
    """Make an axis logarithmic with readable ticks.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
    low, high : float
        Range of the data.
    between : bool, default=True
        Whether an axis over few decades has ticks between the powers of ten.
    """
    axis._set_axes_scale("log")  # type: ignore[attr-defined]
    is_narrow = math.log10(high / low) < MIN_DECADES_WITH_POWERS_ONLY
    multiples = (1.0, 2.0, 5.0) if between and is_narrow else (1.0,)
    axis.set_major_locator(LogLocator(subs=multiples, numticks=6))
    axis.set_major_formatter(FuncFormatter(format_number))
    axis.set_minor_formatter(NullFormatter())


def set_ticks(axis: Axis, values: Sequence[float], labels: Sequence[str] | None = None) -> None:
    """Set the ticks of an axis, labelled by their values or by ``labels``, and remove all others."""
    axis.set_major_locator(FixedLocator(list(values)))
    axis.set_minor_locator(NullLocator())
    names = dict(zip(values, labels or map(format_number, values), strict=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: names.get(value, "")))


def label_rows(axes: Axes, names: Sequence[str]) -> None:
    """Label rows at heights 0, 1, ..., the first at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.45, -0.55)
    for panel in axes.get_shared_y_axes().get_siblings(axes):
        panel.grid(axis="y", visible=False)
        panel.tick_params(axis="y", length=0)


def draw_trials(axes: Axes, height: float, values: Sequence[float], colour: str, noun: str) -> None:
    """Draw a row of trials: pale markers, and above them their mean with a bar of one standard deviation.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    height : float
        Vertical position of the row.
    values : sequence of float
    colour : str
    noun : str
        Name of a trial, for the note on the bars.
    """
    style: dict[str, Any] = {"color": colour, "marker": "o", "linestyle": "none"}
    axes.plot(values, [height + 0.13] * len(values), alpha=0.45, markersize=3, markeredgewidth=0, **style)
    mean = statistics.fmean(values)
    deviation = sample_sd(values)
    bar = [deviation] if deviation else None
    axes.errorbar([mean], [height - 0.13], xerr=bar, markersize=5, zorder=4, **style)
    if len(values) > 1:
        get_sheet(axes).note(f"Bars show one standard deviation over the {noun}s.")
    else:
        get_sheet(axes).note(f"Values of a single {noun} have no bars.")


def add_trials_legend(axes: Axes, noun: str, sizes: Iterable[int]) -> None:
    """Add the markers of `draw_trials` and the sample sizes to the legend."""
    numbers = list(sizes)
    style: dict[str, Any] = {"color": GREY, "marker": "o", "linestyle": "none"}
    label = with_sample_size(f"one {noun}", numbers)
    axes.plot([], [], alpha=0.45, markersize=3, markeredgewidth=0, label=label, **style)
    if max(numbers) > 1:
        axes.errorbar([], [], xerr=[], markersize=5, label=REPRODUCED, **style)
    else:
        axes.errorbar([], [], markersize=5, label="reproduced", **style)


def draw_published_point(axes: Axes, x: float, y: float, published: PublishedValue | None, across: bool = True) -> None:
    """Draw a published value as a white diamond, with a bar of its standard deviation if that is published.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    x, y : float
        Position of the point. The coordinate of the value is ignored: ``x`` if ``across``, otherwise ``y``.
    published : PublishedValue or None
        Draw nothing if None.
    across : bool, default=True
        Whether the horizontal axis is that of the value.
    """
    if published is None:
        return
    point = (published.value, y) if across else (x, published.value)
    bar: dict[str, Any] = {}
    label = "published"
    if published.spread:
        bar["xerr" if across else "yerr"] = [published.spread]
        label = "published ± standard deviation"
    labels = axes.get_legend_handles_labels()[1]
    new_label = None if label in labels else label
    axes.errorbar([point[0]], [point[1]], markersize=5, label=new_label, **bar, **DIAMOND)


def draw_published_line(
    axes: Axes, published: PublishedValue | None, what: str = "published", across: bool = False
) -> None:
    """Draw a published value as a dashed line over the panel, with a band of its standard deviation if published.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    published : PublishedValue or None
        Draw nothing if None.
    what : str, default="published"
        Legend entry, before the value.
    across : bool, default=False
        Whether the horizontal axis is that of the value.
    """
    if published is None:
        return
    draw_line, draw_band = (axes.axvline, axes.axvspan) if across else (axes.axhline, axes.axhspan)
    value, deviation = published
    label = f"{what}, {format_number(value)}"
    if deviation:
        label += f" ± {format_number(deviation)}"
        draw_band(value - deviation, value + deviation, **PUBLISHED_BAND)
        get_sheet(axes).note("Grey bands show the published standard deviation.")
    draw_line(value, label=label, **PUBLISHED_LINE)


def draw_labelled_line(axes: Axes, published: PublishedValue | None) -> None:
    """Draw a published value as a dashed horizontal line with the value at its left end, for panels with one legend."""
    if published is None:
        return
    axes.axhline(published.value, label="published", **PUBLISHED_LINE)
    axes.annotate(
        format_number(published.value),
        (0.02, published.value),
        xytext=(0, 2),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="bottom",
        fontsize=SMALL,
    )


def draw_with_bars(
    axes: Axes, x: Sequence[float], y: Sequence[float], bars: Any, number: int, *, label: str, **style: Any
) -> None:
    """Draw a series with error bars.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    x, y : sequence of float
    bars : array-like or None
        Half-lengths of the bars, or two rows of lengths downwards and upwards.
    number : int
        Number of the series, which determines colour, marker and dash pattern.
    label : str
        Legend entry.
    **style : object
        Properties that replace the defaults.
    """
    properties: dict[str, Any] = {
        "color": f"C{number}",
        "marker": MARKERS[number],
        "linestyle": DASHES[number],
        "markersize": 4,
    }
    properties |= style
    axes.errorbar(x, y, yerr=bars, label=label, elinewidth=0.9, capsize=1.8, **properties)


def format_brief(value: float) -> str:
    """Format a number with two significant digits, for a sentence."""
    return format_number(float(f"{value:.2g}"))


def annotate_point(
    axes: Axes, text: str, point: tuple[float, float], right: float = 0.0, up: float = 7.0, **style: Any
) -> None:
    """Write a small text near a point, offset by ``right`` and ``up`` in points (1/72 inch)."""
    options: dict[str, Any] = {"fontsize": SMALL, "color": SOFT}
    options |= style
    horizontal = _alignment(right, "left", "right")
    vertical = _alignment(up, "bottom", "top")
    axes.annotate(text, point, (right, up), textcoords="offset points", ha=horizontal, va=vertical, **options)


def _alignment(offset: float, positive: str, negative: str) -> Any:
    """Return the alignment of a text on the side of its offset."""
    if offset == 0:
        return "center"
    return positive if offset > 0 else negative


def annotate_row(axes: Axes, text: str, height: float) -> None:
    """Write a small text to the right of a row, outside the panel."""
    axes.annotate(text, (1.01, height), xycoords=("axes fraction", "data"), va="center", fontsize=SMALL)


def add_legend(figure: Sheet, *axes: Axes) -> None:
    """Place one legend above all panels.

    Parameters
    ----------
    figure : Sheet
    *axes : matplotlib.axes.Axes
        Panels whose entries the legend has, each label once. All panels if omitted.
    """
    entries: dict[str, Any] = {}
    for panel in axes or figure.axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        place_legend(figure, list(entries.values()), list(entries))
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(_ThousandsFormatter())
    _note_scales(figure)


def place_legend(figure: Sheet, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Place a legend above all panels in as many columns as fit the width of the figure, at most four."""
    for n_columns in (4, 3, 2, 1):
        legend = figure.legend(handles, labels, loc="outside upper left", ncols=n_columns)
        fits = legend.get_window_extent().width < 0.99 * figure.bbox.width
        if fits or n_columns == 1:
            return
        legend.remove()


def _note_scales(figure: Sheet) -> None:
    """Note that panels of the same quantity have different scales, if they do."""
    directions = []
    for side, direction in (("x", "horizontal"), ("y", "vertical")):
        if _scales_differ(figure, side):
            directions.append(direction)
    if directions:
        figure.note(f"The panels have different {' and '.join(directions)} scales.")


def _scales_differ(figure: Sheet, side: str) -> bool:
    """Check whether two panels of the same quantity have different limits. An unlabelled axis has the last label."""
    limits: dict[str, set[tuple[float, float]]] = {}
    quantity = ""
    for axes in figure.axes:
        quantity = getattr(axes, f"get_{side}label")() or quantity
        limits.setdefault(quantity, set()).add(getattr(axes, f"get_{side}lim")())
    return any(len(ranges) > 1 for ranges in limits.values())
