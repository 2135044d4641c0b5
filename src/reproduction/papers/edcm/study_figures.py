"""Figures of the EDCM paper's studies: the k-NN methods, latent topics, and every reading of its numbers."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from reproduction.figures.drawing import FigureData, read_available, read_columns
from reproduction.figures.figure_elements import (
    add_legend,
    add_trials_legend,
    annotate_point,
    annotate_row,
    draw_published_line,
    draw_published_point,
    draw_trials,
    draw_with_bars,
    format_brief,
    label_rows,
    sample_sd,
    set_log_scale,
    set_ticks,
    with_sample_size,
)
from reproduction.figures.style import (
    DASHES,
    GREY,
    INK,
    MARKERS,
    PALE,
    PAPER,
    SMALL,
    WIDTH,
    Sheet,
    grid_of_panels,
    method_colour,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Sequence[Mapping[str, str]]
#: Method or representation -> its name in the paper.
NAMES = {
    "multinomial": "multinomial",
    "dcm": "DCM",
    "edcm": "EDCM",
    "l0": "L₀",
    "l1": "L₁",
    "l2": "L₂",
    "bhattacharyya": "Bhattacharyya",
    "tfidf": "TF-IDF",
    "fisher_dcm": "Fisher-DCM",
    "fisher_multinomial": "Fisher-multinomial",
}
_VOTES = {"nearest": "tie to the nearest", "first": "tie to the first class", "similarity": "votes by similarity"}
_VECTORS = {"printed": "", "cosine": ", length 1", "per_class": ", one a class"}
#: Shares of at least this are written into their cells.
WRITTEN = 0.1
_METHODS = {"likelihood": "maximum likelihood", "mean_field": "variational mean field"}
#: Model -> its name in figures; the names of ``training_time`` lack the method of this reproduction.
MODELS = {
    "multinomial": "multinomial",
    "edcm": "EDCM",
    "dcm_reciprocal_newton": "DCM, ours",
    "dcm_newton": "DCM, Newton",
    "dcm_fixed_point": "DCM, fixed point",
    "dcm_leave_one_out": "DCM, leave one out",
}
#: Numbers of one newsgroup: measure, column of its table ``groups``, title of the panel, factor of the printed unit.
OF_ONE_GROUP = (
    ("dcm_parameters", "mean_alpha", "mean α of a word", 1.0),
    ("dcm_parameters", "above_0.5", "words with α > 0.5", 1.0),
    ("dcm_parameters", "above_1.0", "words with α > 1", 1.0),
    ("dcm_parameters", "correlation_alpha_beta", "correlation of α, β", 1.0),
    ("gamma_ratio", "counts", "non-zero counts", 1.0),
    ("gamma_ratio", "mean_relative_error", "Gamma ratio, % off", 100.0),
)


def dcm_methods(data: FigureData) -> Sheet:
    """Draw accuracy, perplexity and training time of the DCM by each method, beside multinomial and EDCM."""
    splits = data.results.measure_table("dcm_methods", "splits")
    seconds = data.results.measure_table("training_time", "seconds")
    figure, panel = panels(3, height=2.9, sharey=True)
    for axes, metric in zip(panel[:2], ("accuracy", "perplexity"), strict=True):
        groups = [_column_of(splits, name, metric) for name in MODELS]
        for height, values in enumerate(groups):
            draw_trials(axes, height, values, method_colour(list(MODELS)[height]), "split")
        add_trials_legend(axes, "split", map(len, groups))
        axes.locator_params(axis="x", nbins=2)
    times = [statistics.median(_column_of(seconds, _timed(name), "seconds")) for name in MODELS]
    for height, (name, value) in enumerate(zip(MODELS, times, strict=True)):
        panel[2].plot([value], [height], MARKERS[1], color=method_colour(name), markersize=5)
    panel[2].plot([], [], MARKERS[1], color=GREY, markersize=5, label="median of the training times")
    set_log_scale(panel[2].xaxis, min(times) / 1.3, max(times) * 1.3)
    for axes, name in zip(panel, ("accuracy (fraction)", "perplexity", "seconds (log scale)"), strict=True):
        axes.set_xlabel(name)
    label_rows(panel[0], list(MODELS.values()))
    figure.note(_order_sentence(splits))
    add_legend(figure)
    return figure


def _column_of(rows: Rows, model: str, column: str) -> list[float]:
    return [float(row[column]) for row in rows if row["model"] == model]


def _timed(model: str) -> str:
    """Return the name of a model in the table of times."""
    return model.removesuffix("_reciprocal_newton")


def _order_sentence(splits: Rows) -> str:
    """Return a sentence on the order of EDCM, DCM and multinomial for each method of the DCM."""
    parts = []
    for name in list(MODELS)[2:]:
        mean = {
            model: statistics.fmean(_column_of(splits, model, "accuracy")) for model in ("edcm", name, "multinomial")
        }
        ranked = sorted(mean, key=lambda model: -mean[model])
        parts.append(f"{MODELS[name]}: " + " > ".join(MODELS[model].split(",")[0] for model in ranked))
    return f"Order of the mean accuracies by method of the DCM: {'; '.join(parts)}."


def deviation_readings(data: FigureData) -> Sheet:
    """Draw both deviations of every reading against each other, with the printed pair.
    Options: published (``same``, ``own`` -> ids, percent).
    """
    rows = data.results.measure_table("deviation_readings", "readings")
    figure, (axes,) = panels(1, height=3.2)
    for series, (label, chosen) in enumerate(_trainings(rows).items()):
        x, y = ([100 * float(row[key]) for row in chosen] for key in ("same", "own"))
        style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "linestyle": "none"}
        axes.plot([], [], markersize=5, label=f"{label} (n = {len(chosen)})", **style)
        axes.plot(x, y, markersize=3, alpha=0.5, markeredgewidth=0, **style)
    printed = {key: data.published_of(key) for key in ("same", "own")}
    if printed["same"] and printed["own"]:
        draw_published_point(axes, 0, printed["own"].value, printed["same"])
    for axis, key in ((axes.xaxis, "same"), (axes.yaxis, "own")):
        shown = [100 * float(row[key]) for row in rows] + [number.value for number in (printed[key],) if number]
        set_log_scale(axis, min(shown) / 1.2, max(shown) * 1.2)
    axes.set_xlabel("deviation of q by the DCM's α (percent, log scale)")
    axes.set_ylabel("deviation of q by its own β\n(percent, log scale)")
    measured = data.results.measure("deviation_readings")
    both, number, other, n = (int(measured[key].value) for key in ("with_both", "with_same", "with_own", "readings"))
    figure.note(
        f"{n} readings: {both} give both printed numbers within a tenth, {number} the first, {other} the second."
    )
    add_legend(figure)
    return figure


def _trainings(rows: Rows) -> dict[str, Rows]:
    """Return the readings by the end of the training: maximum of the likelihood, stopped early, leave one out."""
    names = {"maximum": "maximum of the likelihood", "leave one out": "leave one out"}
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault(names.get(row["training"], "stopped early"), []).append(row)
    return dict(groups)


def perplexity_readings(data: FigureData) -> Sheet:
    """Draw the perplexity of multinomial and DCM against the smoothing constant, a line for each kind of documents.
    Options: published (model -> id).
    """
    rows = data.results.measure_table("perplexity_readings", "readings")
    rows = [row for row in rows if row["level"] == "mean of the classes" and row["method"] != "leave_one_out"]
    figure, panel = panels(2, height=3.0)
    units = {"multinomial": "absolute", "dcm": "smallest"}
    for axes, (model, unit) in zip(panel, units.items(), strict=True):
        chosen = [row for row in rows if row["model"] == model and row["unit"] == unit]
        _perplexity_lines(axes, chosen)
        name = {"multinomial": "multinomial", "dcm": "DCM"}[model]
        draw_published_line(axes, data.published_of(model), f"published, {name}")
        axes.set_title(name)
        axes.set_xlabel("smoothing constant (log scale)")
    panel[0].set_ylabel("perplexity")
    measured = data.results.measure("perplexity_readings")
    both, usual = (int(measured[key].value) for key in ("with_both", "with_both_at_0.01"))
    figure.note(f"Both printed numbers within 5 %: {both} pairs of readings, {usual} with 0.01 for the multinomial.")
    add_legend(figure)
    return figure


def _perplexity_lines(axes: Axes, rows: Rows) -> None:
    """Draw perplexity against the smoothing constant, a line for each kind of documents."""
    for series, documents in enumerate(dict.fromkeys(row["documents"] for row in rows)):
        line = [row for row in rows if row["documents"] == documents]
        x, y = read_columns(line, "smoothing", "perplexity")
        style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "linestyle": DASHES[series]}
        axes.plot(x, y, markersize=4, label=f"documents: {documents}", **style)
    set_log_scale(axes.xaxis, min(x), max(x))
    set_ticks(axes.xaxis, [value for value in (0.001, 0.01, 0.1, 1.0) if min(x) <= value <= max(x)])


def tfidf_forms(data: FigureData) -> Sheet:
    """Draw the accuracy of k-NN by each form of TF-IDF, with that of Bhattacharyya as lines."""
    rows = data.results.measure_table("tfidf_forms", "forms")
    names = {"nearest": "a vote a neighbour", "similarity": "votes by similarity"}
    forms = list(dict.fromkeys(_form(row) for row in rows if row["word"]))
    figure, (axes,) = panels(1, height=1.0 + 0.24 * len(forms))
    for series, (vote, label) in enumerate(names.items()):
        chosen = {_form(row): row for row in rows if row["vote"] == vote}
        values, spreads = ([float(chosen[form][key]) for form in forms] for key in ("accuracy", "spread"))
        style: dict[str, Any] = {"marker": MARKERS[series], "color": method_colour("tfidf"), "linestyle": "none"}
        style |= {"markersize": 4.5, "markerfacecolor": PAPER if series else method_colour("tfidf"), "elinewidth": 0.9}
        at = [height + 0.2 * (2 * series - 1) for height in range(len(forms))]
        axes.errorbar(values, at, xerr=spreads if any(spreads) else None, label=f"TF-IDF, {label}", **style)
        level, line = float(chosen["bhattacharyya"]["accuracy"]), DASHES[series]
        colour = method_colour("bhattacharyya")
        axes.axvline(level, color=colour, linestyle=line, linewidth=1.1, label=f"Bhattacharyya, {label}")
    label_rows(axes, forms)
    axes.set_xlabel("accuracy (fraction)")
    splits = int(rows[0]["splits"])
    over = f"means over {splits} splits with bars of one standard deviation" if splits > 1 else "one split without bars"
    figure.note(f"Vectors have length 1; {over}.")
    figure.note("x is the count, n the length, m its mean, d documents and o occurrences of the word, D all documents.")
    add_legend(figure)
    return figure


def _form(row: Mapping[str, str]) -> str:
    """Return the form of TF-IDF of a row in words; that of Bhattacharyya is its name."""
    if not row["word"]:
        return row["count"]
    named = [re.sub(r"^(log|sqrt) (.+ / .+)$", r"\1 (\2)", part) for part in (row["count"], row["word"])]
    factors = [f"({part})" if " " in part and not part.startswith(("log", "sqrt (")) else part for part in named]
    used = [part for part in factors if part != "1"] or ["1"]
    return " · ".join(used) + (", d of all documents" if row["documents"] == "all" else "")


def one_newsgroup(data: FigureData) -> Sheet:
    """Draw the numbers that the paper gives for one newsgroup, a mark for each newsgroup, with the printed number.
    Options: published (column -> id).
    """
    figure, panel = grid_of_panels(len(OF_ONE_GROUP), 3, 1.45)
    for axes, (measure, column, title, factor) in zip(panel, OF_ONE_GROUP, strict=True):
        rows = data.results.measure_table(measure, "groups")
        values = {row["group"]: factor * float(row[column]) for row in rows}
        ordered = sorted(values, key=lambda group: values[group])
        style: dict[str, Any] = {"color": "C0", "alpha": 0.6, "markersize": 4, "markeredgewidth": 0}
        label = f"one newsgroup (n = {len(ordered)})"
        axes.plot([values[group] for group in ordered], range(len(ordered)), "o", label=label, **style)
        printed = data.published_of(column)
        if printed:
            axes.axvline(printed.value, color="C1", linestyle="--", linewidth=1.1, label="published")
            nearest = min(ordered, key=lambda group: abs(values[group] - printed.value))
            note = f"{title}: {format_brief(printed.value)} in print, nearest {nearest} with "
            figure.note(note + f"{format_brief(values[nearest])}.")
        axes.set_title(title)
        axes.set_yticks([])
        axes.locator_params(axis="x", nbins=3)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    panel[-2].set_xlabel("value; the newsgroups in order, each in a row")
    add_legend(figure, panel[0])
    return figure


def name_of(method: str) -> str:
    """Return a method's or representation's name as the paper writes it."""
    return NAMES.get(method.removeprefix("knn_"), method)


def table1(data: FigureData) -> Sheet:
    """Draw the accuracy of all methods on every split, one panel a data set at hand.
    Options: experiment, roles, labels (role -> title), methods, published (``<role>.<method>`` -> id).
    """
    methods = data.option("methods")
    trials_of = read_available(
        data.option("roles"), lambda role: [data.trials(role, method, "accuracy") for method in methods]
    )
    figure, panel = panels(len(trials_of), height=1.0 + 0.27 * len(methods), sharey=True)
    for axes, (role, values) in zip(panel, trials_of.items(), strict=True):
        for height, (method, trials) in enumerate(zip(methods, values, strict=True)):
            draw_trials(axes, height, trials, method_colour(method), "split")
            if len(trials_of) == 1:
                annotate_row(axes, f"{statistics.fmean(trials):.3f}", height)
            draw_published_point(axes, 0, height - 0.3, data.published_of(f"{role}.{method}"))
        add_trials_legend(axes, "split", map(len, values))
        axes.set_title(data.title_of(role))
        axes.set_xlabel("accuracy (fraction)")
    label_rows(panel[0], [_kind(method) + name_of(method) for method in methods])
    add_legend(figure, *panel)
    return figure


def _kind(method: str) -> str:
    """Return the family of a method, which is written before its name."""
    return "k-NN, " if method.startswith("knn") else "naive Bayes, "


def knn_curves(data: FigureData) -> Sheet:
    """Draw the mean accuracy against k for each representation, one panel a data set at hand.
    Options: labels (measure -> title of its panel).  A missing measure is left out.
    """
    titles = data.option("labels")
    rows_of = read_available(titles, lambda measure: data.results.measure_table(measure, "curves"))
    figure, panel = panels(len(rows_of), height=3.0)
    for axes, (measure, rows) in zip(panel, rows_of.items(), strict=True):
        title = titles[measure]
        splits = {len(gain.repetitions) or 1 for gain in data.results.measure(measure).values()}
        _curves(axes, rows)
        axes.set_title(with_sample_size(f"{title}, splits", splits))
        axes.set_xlabel("neighbours k (log scale)")
        figure.note(f"{title}: {_trend_sentence(rows)}")
    figure.note("A bar reaches one standard deviation over the splits to each side of the mean.")
    panel[0].set_ylabel("accuracy (fraction)")
    add_legend(figure, panel[0])
    return figure


def _curves(axes: Axes, rows: Rows) -> None:
    """Draw a line a representation; the bars of the lines stand side by side."""
    for series, name in enumerate(dict.fromkeys(row["representation"] for row in rows)):
        points = [row for row in rows if row["representation"] == name]
        k, mean, spread = read_columns(points, "k", "accuracy", "spread")
        style = {"label": name_of(name), "color": method_colour(name)}
        draw_with_bars(axes, [x * 1.02 ** (series - 1.5) for x in k], mean, spread, series, **style)
    set_log_scale(axes.xaxis, min(k), max(k))
    set_ticks(axes.xaxis, [x for x in k if x in (1, 2, 3, 5, 10, 20, 30, 50, 100)])


def _trend_sentence(rows: Rows) -> str:
    """Return a sentence on the representations whose accuracy is higher at the largest k than at the smallest."""
    ends: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: float(row["k"])):
        ends.setdefault(name_of(row["representation"]), []).append(float(row["accuracy"]))
    up = [name for name, values in ends.items() if values[-1] > values[0]]
    down = [name for name in ends if name not in up]
    parts = [f"{word} for {', '.join(names)}" for word, names in (("higher", up), ("lower", down)) if names]
    low, high = (f"{end(float(row['k']) for row in rows):g}" for end in (min, max))
    return f"at k = {high} the mean is {' and '.join(parts)} than at k = {low}."


def knn_choices(data: FigureData) -> Sheet:
    """Draw the accuracy of every representation under each choice that the paper leaves open."""
    rows = data.results.measure_table("knn_variants", "variants")
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault(name_of(row["representation"]) + _VECTORS[row["vectors"]], []).append(row)
    figure, (axes,) = panels(1, height=0.9 + 0.24 * len(groups))
    for height, variants in enumerate(groups.values()):
        _plot_choices(axes, variants, height)
    for height in range(1, len(groups)):
        axes.axhline(height - 0.5, color=PALE, linewidth=0.6, zorder=0)
    label_rows(axes, list(groups))
    axes.set_xlim(0, 1)
    axes.set_xlabel("accuracy with k = 3 (fraction of test documents)")
    figure.note("One split; its accuracies have no bars.")
    add_legend(figure)
    return figure


def _plot_choices(axes: Axes, variants: Rows, height: int) -> None:
    """Draw the accuracies of one representation, a mark for each way to vote; the row at height 0 fills the legend."""
    for series, (vote, label) in enumerate(_VOTES.items()):
        values = [float(row["accuracy"]) for row in variants if row["vote"] == vote]
        style: dict[str, Any] = {"marker": MARKERS[series], "color": f"C{series}", "linestyle": "none", "markersize": 4}
        at = [height + 0.25 * (series - 1)] * len(values)
        axes.plot(values, at, label=None if height else label, **style)


def latent_topics(data: FigureData) -> Sheet:
    """Draw the distance of estimated from true topics against the number of documents."""
    rows = data.results.measure_table("latent_topics", "distances")
    figure, (of_words, of_shares) = panels(2, height=3.0, sharex=True, sharey=True)
    for series, (method, label) in enumerate(_METHODS.items()):
        topics: dict[float, list[float]] = {}
        shares: dict[float, float] = {}
        for row in (row for row in rows if row["method"] == method):
            topics.setdefault(float(row["documents"]), []).append(float(row["distance"]))
            shares[float(row["documents"])] = float(row["shares"])
        means, bars = [[of(values) for values in topics.values()] for of in (statistics.fmean, sample_sd)]
        draw_with_bars(of_words, [x * 1.04 ** (2 * series - 1) for x in topics], means, bars, series, label=label)
        style: dict[str, Any] = {"color": f"C{series}", "linestyle": DASHES[series], "marker": MARKERS[series]}
        of_shares.plot(list(shares), list(shares.values()), markersize=4, **style)
        last = f"with {max(topics):,.0f} documents the mean distance of the topics is {means[-1]:.3f}"
        figure.note(f"By {label}, {last}.")
    for axes, title in (
        (of_words, f"words of a topic (n = {len(topics[min(topics)])} topics)"),
        (of_shares, "topics of a document"),
    ):
        set_log_scale(axes.xaxis, min(topics), max(topics))
        set_ticks(axes.xaxis, list(topics))
        axes.set_ylim(bottom=0)
        axes.set_title(title)
        axes.set_xlabel("documents (log scale)")
    of_words.set_ylabel("total-variation distance to the truth")
    figure.note(
        "A bar reaches one standard deviation over the topics to each side of the mean; documents have no bars."
    )
    add_legend(figure, of_words)
    return figure


def newsgroup_topics(data: FigureData) -> Sheet:
    """Draw the topics as their most typical words, and their share in the words of every newsgroup."""
    topics = data.results.measure_table("newsgroup_topics", "topics")
    rows = data.results.measure_table("newsgroup_topics", "groups")
    groups = list(dict.fromkeys(row["group"] for row in rows))
    share = {(row["topic"], row["group"]): float(row["share"]) for row in rows}

    def home(row: dict[str, str]) -> tuple[int, float]:
        """Return the index of the newsgroup in which a topic has its largest share, and minus that share."""
        largest = max(range(len(groups)), key=lambda g: (share[row["topic"], groups[g]], -g))
        return largest, -share[row["topic"], groups[largest]]

    ordered = sorted(topics, key=home)
    figure = Sheet(figsize=(WIDTH, 1.6 + 0.2 * len(ordered)))
    axes = figure.subplots()
    shading(axes, [[share[row["topic"], group] for group in groups] for row in ordered])
    axes.set_yticks([number + 0.5 for number in range(len(ordered))], [_shortened(row["words"]) for row in ordered])
    axes.set_xticks([number + 0.5 for number in range(len(groups))], groups, rotation=90)
    axes.set_xlabel("newsgroup")
    axes.set_ylabel("topic, by its most typical words")
    return figure


def shading(axes: Axes, shares: Sequence[Sequence[float]]) -> None:
    """Draw a matrix of shares as shades from white (0) to ink (the largest); a share from `WRITTEN` on is written."""
    top = max(map(max, shares))
    for y, row in enumerate(shares):
        for x, value in enumerate(row):
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=INK, alpha=value / top, edgecolor="none"))
            if value >= WRITTEN:
                colour = PAPER if value > 0.45 * top else INK
                annotate_point(axes, f"{100 * value:.0f}", (x + 0.5, y + 0.5), up=0, color=colour)
    axes.set_xlim(0, len(shares[0]))
    axes.set_ylim(len(shares), 0)
    axes.grid(visible=False)
    axes.tick_params(length=0, labelsize=SMALL)


def _shortened(words: str, most: int = 4) -> str:
    return " ".join(words.split()[:most])
