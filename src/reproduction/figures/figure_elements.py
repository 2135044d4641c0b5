"""The marks of figures: rows of trials, published values, axes with readable numbers, legends.

Each mark enters the legend and the notes of its figure when it is drawn, so that neither speaks of a mark that is not
there.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator, ScalarFormatter

from reproduction.figures.style import DASHES, GREY, INK, MARKERS, PAPER, SMALL, SOFT, Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

#: Appearance of published values, which differs from that of all rebuilt series.
DIAMOND: dict[str, Any] = {"color": INK, "linestyle": "none", "marker": "D", "markerfacecolor": PAPER, "zorder": 5}
#: Meaning of the full mark of a row of trials.
REPRODUCED = "rebuilt: mean ± standard deviation"
#: An axis over fewer powers of ten also has numbers between the powers.
_NARROW = 2.2
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class PublishedValue(NamedTuple):
    """A published number, and the standard deviation that is printed beside it, if any."""

    value: float
    spread: float | None = None


def get_sheet(axes: Axes) -> Sheet:
    """Return the figure that holds axes."""
    return cast("Sheet", axes.get_figure(root=True))


def sample_sd(values: Sequence[float]) -> float:
    """Return the sample standard deviation, 0 for a single value."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def with_sample_size(noun: str, numbers: Iterable[int]) -> str:
    """Return a noun with a sample size for the legend, such as "split (n = 10)" or "split (n = 2 to 10)"."""
    sizes = sorted(set(numbers))
    return f"{noun} (n = {sizes[0]:,}" + (f" to {sizes[-1]:,})" if sizes[1:] else ")")


def format_number(value: float, _: Any = None) -> str:
    """Return a number of an axis as text: plain from 0.001 to 10,000, else with a power of ten."""
    if value == 0 or 1e-3 <= abs(value) <= 1e4:
        return f"{value:,.12g}".replace("-", "−")
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    factor = value / 10.0**exponent
    power = "10" + str(exponent).translate(_SUPERSCRIPT)
    return power if math.isclose(factor, 1) else f"{factor:.3g}·{power}".replace("-", "−")


class _Thousands(ScalarFormatter):
    """Matplotlib's numbers of a linear axis, with commas from 1,000 on."""

    def __call__(self, value: float, position: int | None = None) -> str:
        """Return a number of the axis as text."""
        whole = abs(value) >= 1000 and float(value).is_integer()
        return f"{value:,.0f}".replace("-", "−") if whole else super().__call__(value, position)


def set_log_scale(axis: Axis, low: float, high: float, between: bool = True) -> None:
    """Make an axis logarithmic, with numbers between few powers of ten unless ``between`` forbids it."""
    axis._set_axes_scale("log")  # type: ignore[attr-defined]
    few = between and math.log10(high / low) < _NARROW
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=6))
    axis.set_major_formatter(FuncFormatter(format_number))
    axis.set_minor_formatter(NullFormatter())


def set_ticks(axis: Axis, values: Sequence[float], labels: Sequence[str] | None = None) -> None:
    """Number an axis at the given values alone."""
    axis.set_major_locator(FixedLocator(list(values)))
    axis.set_minor_locator(NullLocator())
    names = dict(zip(values, labels or map(format_number, values), strict=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: names.get(value, "")))


def label_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name rows at heights 0, 1, ..., the first at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.45, -0.55)
    for panel in axes.get_shared_y_axes().get_siblings(axes):
        panel.grid(axis="y", visible=False)
        panel.tick_params(axis="y", length=0)


def draw_trials(axes: Axes, height: float, values: Sequence[float], colour: str, noun: str) -> None:
    """Draw trials as pale marks on a row, and above them the mean with a bar of one standard deviation to each side."""
    style: dict[str, Any] = {"color": colour, "marker": "o", "linestyle": "none"}
    axes.plot(values, [height + 0.13] * len(values), alpha=0.45, markersize=3, markeredgewidth=0, **style)
    mean, spread = statistics.fmean(values), sample_sd(values)
    axes.errorbar([mean], [height - 0.13], xerr=[spread] if spread else None, markersize=5, zorder=4, **style)
    sheet = get_sheet(axes)
    if len(values) > 1:
        sheet.note(f"A bar reaches one standard deviation over the {noun}s to each side of the mean.")
    else:
        sheet.note(f"A value of a single {noun} has no bar.")


def add_trials_legend(axes: Axes, noun: str, sizes: Iterable[int]) -> None:
    """Enter the marks of `draw_trials` into the legend, with the sample size."""
    numbers = list(sizes)
    pale: dict[str, Any] = {"color": GREY, "marker": "o", "linestyle": "none"}
    axes.plot(
        [], [], alpha=0.45, markersize=3, markeredgewidth=0, label=with_sample_size(f"one {noun}", numbers), **pale
    )
    several = max(numbers) > 1
    axes.errorbar(
        [], [], xerr=[] if several else None, markersize=5, label=REPRODUCED if several else "rebuilt", **pale
    )


def draw_published_point(axes: Axes, x: float, y: float, printed: PublishedValue | None, across: bool = True) -> None:
    """Draw a published value, if any, as a white diamond, with a bar of its printed standard deviation if there is one.
    The coordinate of the value, x if ``across``, is ignored.
    """
    if printed is None:
        return
    point = (printed.value, y) if across else (x, printed.value)
    error: dict[str, Any] = {"xerr" if across else "yerr": [printed.spread]} if printed.spread else {}
    label = "published ± standard deviation" if error else "published"
    used = axes.get_legend_handles_labels()[1]
    axes.errorbar([point[0]], [point[1]], markersize=5, label=None if label in used else label, **error, **DIAMOND)


def draw_published_line(
    axes: Axes, printed: PublishedValue | None, what: str = "published", across: bool = False
) -> None:
    """Draw a published value as a dashed line over the panel, with a band of its printed standard deviation if any."""
    if printed is None:
        return
    line, band = (axes.axvline, axes.axvspan) if across else (axes.axhline, axes.axhspan)
    value, spread = printed
    label = f"{what}, {format_number(value)}" + (f" ± {format_number(spread)}" if spread else "")
    line(value, color=INK, linestyle=(0, (4, 2)), linewidth=1.1, label=label)
    if spread:
        band(value - spread, value + spread, color=INK, alpha=0.08, linewidth=0)
        get_sheet(axes).note("A grey band reaches the printed standard deviation to each side of the published value.")


def draw_with_bars(
    axes: Axes, x: Sequence[float], y: Sequence[float], bars: Any, number: int, *, label: str, **style: Any
) -> None:
    """Draw a series with a bar at each point: ``bars`` are half the lengths, or the two rows of lengths down and up.
    ``number`` gives colour, marker and dash; ``style`` replaces properties.
    """
    properties = {"color": f"C{number}", "marker": MARKERS[number], "linestyle": DASHES[number], "markersize": 4}
    axes.errorbar(x, y, yerr=bars, label=label, elinewidth=0.9, capsize=1.8, **(properties | style))


def format_brief(value: float) -> str:
    """Return a number with two significant digits for a sentence."""
    return format_number(float(f"{value:.2g}"))


def annotate_point(
    axes: Axes, text: str, point: tuple[float, float], right: float = 0.0, up: float = 7.0, **style: Any
) -> None:
    """Write a small text near a point, ``right`` and ``up`` of it in printer's points."""
    side = "left" if right > 0 else "right" if right < 0 else "center"
    height = "bottom" if up > 0 else "top" if up < 0 else "center"
    options: dict[str, Any] = {"fontsize": SMALL, "color": SOFT} | style
    axes.annotate(text, point, (right, up), textcoords="offset points", ha=side, va=height, **options)


def annotate_row(axes: Axes, text: str, height: float) -> None:
    """Write a small text at the right of a row, outside of the panel."""
    axes.annotate(text, (1.01, height), xycoords=("axes fraction", "data"), va="center", fontsize=SMALL)


def add_legend(figure: Sheet, *axes: Axes) -> None:
    """Place one legend above all panels, each label once; without axes it is that of all panels."""
    entries: dict[str, Any] = {}
    for panel in axes or figure.axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        place_legend(figure, list(entries.values()), list(entries))
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(_Thousands())
    _tell_scales(figure)


def place_legend(figure: Sheet, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Place a legend above all panels in up to four columns, as many as fit the width of the figure."""
    for columns in (4, 3, 2, 1):
        placed = figure.legend(handles, labels, loc="outside upper left", ncols=columns)
        if columns == 1 or placed.get_window_extent().width < 0.99 * figure.bbox.width:
            return
        placed.remove()


def _tell_scales(figure: Sheet) -> None:
    """Note that panels of one quantity have scales of their own, if they have; an axis without a name has the last."""
    for side, name in (("x", "horizontal"), ("y", "vertical")):
        limits: dict[str, set[tuple[float, float]]] = {}
        quantity = ""
        for axes in figure.axes:
            quantity = getattr(axes, f"get_{side}label")() or quantity
            limits.setdefault(quantity, set()).add(getattr(axes, f"get_{side}lim")())
        if any(len(ranges) > 1 for ranges in limits.values()):
            figure.note(f"Each panel has a {name} scale of its own.")
