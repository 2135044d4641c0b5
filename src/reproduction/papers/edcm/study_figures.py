"""Figures of the EDCM paper: the k-NN methods, latent topics, and alternatives behind its values."""

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
    draw_labelled_line,
    draw_published_point,
    draw_trials,
    draw_with_bars,
    format_brief,
    label_rows,
    sample_sd,
    set_log_scale,
    set_ticks,
    title_with_splits,
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
#: Labels of methods and representations, as in the paper.
NAMES = {
    "multinomial": "multinomial",
    "dcm": "DCM",
    "edcm": "EDCM",
    "l0": "L₀",
    "l1": "L₁",
    "l2": "L₂",
    "bhattacharyya": "Bhattacharyya",
    "tfidf": "TF-IDF",
    "tfidf_damped": "TF-IDF, damped",
    "fisher_dcm": "Fisher-DCM",
    "fisher_multinomial": "Fisher-multinomial",
}
_VOTES = {
    "nearest": "ties to the nearest",
    "first": "ties to the first class",
    "similarity": "votes weighted by similarity",
}
_VECTORS = {"printed": "", "cosine": ", L2-normalised", "per_class": ", one per class"}
_ESTIMATORS = {"likelihood": "maximum likelihood", "mean_field": "variational mean field"}
#: Labels of the models in figures.
MODELS = {
    "multinomial": "multinomial",
    "edcm": "EDCM",
    "dcm_reciprocal_newton": "DCM, ours",
    "dcm_newton": "DCM, Newton",
    "dcm_fixed_point": "DCM, fixed point",
    "dcm_leave_one_out": "DCM, leave one out",
}
#: Models in `MODELS` without a method of the DCM.
OTHER_MODELS = ("multinomial", "edcm")
#: Statistics of one newsgroup: measure, column of its table ``groups``, title of the panel, factor of the unit.
GROUP_STATISTICS = (
    ("dcm_parameters", "mean_alpha", "mean α of a word", 1.0),
    ("dcm_parameters", "above_0.5", "words, α > 0.5", 1.0),
    ("dcm_parameters", "above_1.0", "words, α > 1", 1.0),
    ("dcm_parameters", "correlation_alpha_beta", "corr. of α, β", 1.0),
    ("gamma_ratio", "counts", "nonzero counts", 1.0),
    ("gamma_ratio", "mean_relative_error", "Γ ratio, % off", 100.0),
)
#: Number of words that describe a topic.
N_TOPIC_WORDS = 4
#: Opacity of the darkest cell of a matrix, on which text is still legible.
MAX_OPACITY = 0.55


def dcm_methods(data: FigureData) -> Sheet:
    """Draw accuracy, perplexity and training time of the DCM by each method, multinomial and EDCM."""
    splits = data.results.measure_table("dcm_methods", "splits")
    seconds = data.results.measure_table("training_time", "seconds")
    # Accuracies have longer tick labels.
    figure, panel = panels(3, height=2.9, sharey=True, width_ratios=(3, 2, 2))
    for axes, metric in zip(panel[:2], ("accuracy", "perplexity"), strict=True):
        sizes = []
        for height, model in enumerate(MODELS):
            values = _column_of(splits, model, metric)
            draw_trials(axes, height, values, method_colour(model), "split")
            sizes.append(len(values))
        add_trials_legend(axes, "split", sizes)
        axes.locator_params(axis="x", nbins=2)
    medians = [statistics.median(_column_of(seconds, _name_in_times(model), "seconds")) for model in MODELS]
    for height, (model, median) in enumerate(zip(MODELS, medians, strict=True)):
        panel[2].plot([median], [height], MARKERS[1], color=method_colour(model), markersize=5)
    panel[2].plot([], [], MARKERS[1], color=GREY, markersize=5, label="median of the training times")
    set_log_scale(panel[2].xaxis, min(medians) / 1.3, max(medians) * 1.3)
    for axes, label in zip(panel, ("accuracy (fraction)", "perplexity", "seconds (log scale)"), strict=True):
        axes.set_xlabel(label)
    label_rows(panel[0], list(MODELS.values()))
    figure.note(_describe_order(splits))
    add_legend(figure)
    return figure


def _column_of(rows: Rows, model: str, column: str) -> list[float]:
    """Return the values of a column for one model."""
    return [float(row[column]) for row in rows if row["model"] == model]


def _name_in_times(model: str) -> str:
    """Return the name of a model in the table of times, which omits the default method of the DCM."""
    return model.removesuffix("_reciprocal_newton")


def _describe_order(splits: Rows) -> str:
    """Describe the order of EDCM, DCM and multinomial by accuracy for each method of the DCM."""
    descriptions = []
    for dcm, label in MODELS.items():
        if dcm not in OTHER_MODELS:
            models = ("edcm", dcm, "multinomial")
            means = {model: statistics.fmean(_column_of(splits, model, "accuracy")) for model in models}
            ranked = sorted(models, key=lambda model: -means[model])
            names = [MODELS[model].split(",")[0] for model in ranked]
            descriptions.append(f"{label}: {' > '.join(names)}")
    return f"Order of the mean accuracies by method of the DCM: {'; '.join(descriptions)}."


def deviation_readings(data: FigureData) -> Sheet:
    """Draw the two deviations of each specification against each other, with the published pair.

    Options: ``published`` (``same``, ``own`` to ids, percent).
    """
    rows = data.results.measure_table("deviation_readings", "readings")
    figure, (axes,) = panels(1, height=3.2)
    for series, (label, group) in enumerate(_group_by_training(rows).items()):
        style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "linestyle": "none"}
        axes.plot([], [], markersize=5, label=f"{label} (n = {len(group)})", **style)
        axes.plot(
            _percentages(group, "same"), _percentages(group, "own"), markersize=3, alpha=0.5, markeredgewidth=0, **style
        )
    published = {key: data.published_of(key) for key in ("same", "own")}
    if published["same"] and published["own"]:
        draw_published_point(axes, 0, published["own"].value, published["same"])
    for axis, key in ((axes.xaxis, "same"), (axes.yaxis, "own")):
        values = _percentages(rows, key)
        value = published[key]
        if value:
            values.append(value.value)
        set_log_scale(axis, min(values) / 1.2, max(values) * 1.2)
    axes.set_xlabel("deviation of q by the DCM's α (percent, log scale)")
    axes.set_ylabel("deviation of q by its own β\n(percent, log scale)")
    values_of = data.results.measure("deviation_readings")
    n_both, n_same, n_own, n = (int(values_of[key].value) for key in ("with_both", "with_same", "with_own", "readings"))
    figure.note(
        f"Of {n} specifications, {n_both} are within 10 % of both published values, {n_same} of the first, and {n_own} "
        "of the second."
    )
    add_legend(figure)
    return figure


def _percentages(rows: Rows, key: str) -> list[float]:
    """Return the deviations of one type in percent."""
    return [100 * float(row[key]) for row in rows]


def _group_by_training(rows: Rows) -> dict[str, Rows]:
    """Group the specifications by the end of training: maximum of the likelihood, stopped early, leave one out."""
    names = {"maximum": "maximum of the likelihood", "leave one out": "leave one out"}
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        name = names.get(row["training"], "stopped early")
        groups.setdefault(name, []).append(row)
    return dict(groups)


def perplexity_readings(data: FigureData) -> Sheet:
    """Draw the perplexity of multinomial and DCM against the smoothing constant, one line per set of documents.

    Options: ``published`` (model to id).
    """
    table = data.results.measure_table("perplexity_readings", "readings")
    rows = [row for row in table if row["level"] == "mean of the classes" and row["method"] != "leave_one_out"]
    figure, panel = panels(2, height=3.0)
    models = (("multinomial", "multinomial", "absolute"), ("dcm", "DCM", "smallest"))
    for axes, (model, title, unit) in zip(panel, models, strict=True):
        _draw_perplexities(axes, [row for row in rows if row["model"] == model and row["unit"] == unit])
        draw_labelled_line(axes, data.published_of(model))
        axes.set_title(title)
        axes.set_xlabel("smoothing constant (log scale)")
    panel[0].set_ylabel("perplexity")
    values = data.results.measure("perplexity_readings")
    n_pairs = int(values["with_both"].value)
    n_pairs_of_paper = int(values["with_both_at_0.01"].value)
    figure.note(
        f"{n_pairs} pairs of specifications are within 5 % of both published values, {n_pairs_of_paper} of them "
        "with the constant 0.01 for the multinomial."
    )
    add_legend(figure)
    return figure


def _draw_perplexities(axes: Axes, rows: Rows) -> None:
    """Draw perplexity against the smoothing constant, one line per set of documents."""
    for series, documents in enumerate(dict.fromkeys(row["documents"] for row in rows)):
        line = [row for row in rows if row["documents"] == documents]
        constants, values = read_columns(line, "smoothing", "perplexity")
        style: dict[str, Any] = {"color": f"C{series}", "marker": MARKERS[series], "linestyle": DASHES[series]}
        axes.plot(constants, values, markersize=4, label=f"documents: {documents}", **style)
    low, high = min(constants), max(constants)
    set_log_scale(axes.xaxis, low, high)
    set_ticks(axes.xaxis, [value for value in (0.001, 0.01, 0.1, 1.0) if low <= value <= high])


def tfidf_forms(data: FigureData) -> Sheet:
    """Draw the accuracy of k-NN with each variant of TF-IDF, with lines for the Bhattacharyya kernel."""
    rows = data.results.measure_table("tfidf_forms", "forms")
    votes = {"nearest": "unweighted votes", "similarity": "votes weighted by similarity"}
    forms = list(dict.fromkeys(_describe_form(row) for row in rows if row["word"]))
    figure, (axes,) = panels(1, height=1.0 + 0.24 * len(forms))
    colour = method_colour("tfidf")
    positions = range(len(forms))
    for series, (vote, label) in enumerate(votes.items()):
        row_of_form = {_describe_form(row): row for row in rows if row["vote"] == vote}
        accuracies = [float(row_of_form[form]["accuracy"]) for form in forms]
        deviations = [float(row_of_form[form]["spread"]) for form in forms]
        heights = [position + 0.2 * (2 * series - 1) for position in positions]
        axes.errorbar(
            accuracies,
            heights,
            xerr=deviations if any(deviations) else None,
            label=f"TF-IDF, {label}",
            marker=MARKERS[series],
            color=colour,
            markerfacecolor=PAPER if series else colour,
            linestyle="none",
            markersize=4.5,
            elinewidth=0.9,
        )
        level = float(row_of_form["bhattacharyya"]["accuracy"])
        level_label = f"Bhattacharyya, {label}"
        level_colour = method_colour("bhattacharyya")
        axes.axvline(level, color=level_colour, linestyle=DASHES[series], linewidth=1.1, label=level_label)
    label_rows(axes, forms)
    axes.set_xlabel("accuracy (fraction)")
    n_splits = int(rows[0]["splits"])
    values = "Values are those of one split, without bars."
    if n_splits > 1:
        values = f"Values are means over {n_splits} splits, with bars of one standard deviation."
    figure.note(f"Vectors are L2-normalised. {values}")
    figure.note(
        "x: count, n: length, m: mean length, d and o: documents and occurrences of the word, D: number of documents."
    )
    add_legend(figure)
    return figure


def _describe_form(row: Mapping[str, str]) -> str:
    """Describe the form of TF-IDF of a row as a product, or return "bhattacharyya"."""
    if not row["word"]:
        return row["count"]
    factors = [_format_factor(row[column]) for column in ("count", "word")]
    product = " · ".join(factor for factor in factors if factor != "1") or "1"
    suffix = ", d of all documents" if row["documents"] == "all" else ""
    return product + suffix


def _format_factor(factor: str) -> str:
    """Add parentheses to a factor where they are needed."""
    named = re.sub(r"^(log|sqrt) (.+ / .+)$", r"\1 (\2)", factor)
    if " " in named and not named.startswith(("log", "sqrt (")):
        return f"({named})"
    return named


def one_newsgroup(data: FigureData) -> Sheet:
    """Draw the statistics that the paper publishes for one newsgroup, for each newsgroup, with the published values.

    Options: ``published`` (column to id).
    """
    tables = [data.results.measure_table(measure, "groups") for measure, *_ in GROUP_STATISTICS]
    groups = [row["group"] for row in tables[0]]
    height = 0.6 + 0.135 * len(groups)
    figure, panel = grid_of_panels(len(GROUP_STATISTICS), 3, height, sharey=True)
    for axes, rows, (_, column, title, factor) in zip(panel, tables, GROUP_STATISTICS, strict=True):
        value_of = {row["group"]: factor * float(row[column]) for row in rows}
        values = [value_of[group] for group in groups]
        label = f"one newsgroup (n = {len(groups)})"
        axes.plot(values, range(len(groups)), "o", label=label, color="C0", alpha=0.8, markersize=4, markeredgewidth=0)
        published = data.published_of(column)
        if published:
            axes.axvline(published.value, color="C1", linestyle="--", linewidth=1.1, label="published")
            _note_nearest(figure, title, published.value, value_of)
        axes.set_title(title)
        axes.locator_params(axis="x", nbins=3)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    label_rows(panel[0], groups)
    add_legend(figure, panel[0])
    return figure


def _note_nearest(figure: Sheet, title: str, published: float, values: Mapping[str, float]) -> None:
    """Add a note on the newsgroup with the value closest to the published one."""
    nearest = min(sorted(values, key=values.__getitem__), key=lambda group: abs(values[group] - published))
    reproduced = format_brief(values[nearest])
    figure.note(f"{title}: published {format_brief(published)}, closest {nearest} with {reproduced}.")


def name_of(method: str) -> str:
    """Return the name of a method or representation in the paper."""
    return NAMES.get(method.removeprefix("knn_"), method)


def table1(data: FigureData) -> Sheet:
    """Draw the accuracy of all methods on every split, one panel per data set with results.

    Options: ``experiment``, ``roles``, ``labels`` (role to title), ``methods``, ``published`` (``<role>.<method>`` to
    id).
    """
    methods = data.option("methods")

    def read_accuracies(role: str) -> list[list[float]]:
        """Return the accuracies of each method."""
        return [data.trials(role, method, "accuracy") for method in methods]

    trials_of_role = read_available(data.option("roles"), read_accuracies)
    figure, panel = panels(len(trials_of_role), height=1.0 + 0.27 * len(methods), sharey=True)
    for axes, (role, trials_of_method) in zip(panel, trials_of_role.items(), strict=True):
        for height, (method, trials) in enumerate(zip(methods, trials_of_method, strict=True)):
            draw_trials(axes, height, trials, method_colour(method), "split")
            if len(trials_of_role) == 1:
                annotate_row(axes, f"{statistics.fmean(trials):.3f}", height)
            draw_published_point(axes, 0, height - 0.3, data.published_of(f"{role}.{method}"))
        add_trials_legend(axes, "split", map(len, trials_of_method))
        axes.set_title(data.title_of(role))
        axes.set_xlabel("accuracy (fraction)")
    label_rows(panel[0], [_family_of(method) + name_of(method) for method in methods])
    add_legend(figure, *panel)
    return figure


def _family_of(method: str) -> str:
    """Return the family of a method, a prefix of its label."""
    return "k-NN, " if method.startswith("knn") else "naive Bayes, "


def knn_curves(data: FigureData) -> Sheet:
    """Draw the mean accuracy against k for each representation, one panel per data set with results.

    Options: ``labels`` (measure to title of its panel). Measures without results are omitted.
    """

    def read_curves(measure: str) -> Rows:
        """Return the curves of a measure."""
        return data.results.measure_table(measure, "curves")

    titles = data.option("labels")
    curves = read_available(titles, read_curves)
    figure, panel = panels(len(curves), height=3.0)
    for axes, (measure, rows) in zip(panel, curves.items(), strict=True):
        title = titles[measure]
        n_splits = {len(gain.repetitions) or 1 for gain in data.results.measure(measure).values()}
        _draw_curves(axes, rows)
        axes.set_title(title_with_splits(title, n_splits))
        axes.set_xlabel("neighbours k (log scale)")
        figure.note(f"{title}: {_describe_trends(rows)}")
    figure.note("Bars show one standard deviation over the splits.")
    panel[0].set_ylabel("accuracy (fraction)")
    add_legend(figure, panel[0])
    return figure


def _draw_curves(axes: Axes, rows: Rows) -> None:
    """Draw one line per representation. Bars of different lines are next to each other."""
    for series, name in enumerate(dict.fromkeys(row["representation"] for row in rows)):
        points = [row for row in rows if row["representation"] == name]
        k, means, deviations = read_columns(points, "k", "accuracy", "spread")
        x = [value * 1.02 ** (series - 1.5) for value in k]
        draw_with_bars(axes, x, means, deviations, series, label=name_of(name), color=method_colour(name))
    set_log_scale(axes.xaxis, min(k), max(k))
    set_ticks(axes.xaxis, [value for value in k if value in (1, 2, 3, 5, 10, 20, 30, 50, 100)])


def _describe_trends(rows: Rows) -> str:
    """Describe for which representations the accuracy is higher at the largest k than at the smallest."""
    accuracies: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: float(row["k"])):
        accuracies.setdefault(name_of(row["representation"]), []).append(float(row["accuracy"]))
    higher = [name for name, values in accuracies.items() if values[-1] > values[0]]
    lower = [name for name in accuracies if name not in higher]
    trends = []
    if higher:
        trends.append(f"higher for {', '.join(higher)}")
    if lower:
        trends.append(f"lower for {', '.join(lower)}")
    k = [float(row["k"]) for row in rows]
    return f"at k = {max(k):g} the mean is {' and '.join(trends)} than at k = {min(k):g}."


def knn_choices(data: FigureData) -> Sheet:
    """Draw the accuracy of each representation with each alternative that the paper leaves open."""
    rows = data.results.measure_table("knn_variants", "variants")
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        label = name_of(row["representation"]) + _VECTORS[row["vectors"]]
        groups.setdefault(label, []).append(row)
    figure, (axes,) = panels(1, height=0.9 + 0.24 * len(groups))
    for height, variants in enumerate(groups.values()):
        _draw_votes(axes, variants, height)
        if height:
            axes.axhline(height - 0.5, color=PALE, linewidth=0.6, zorder=0)
    label_rows(axes, list(groups))
    axes.set_xlim(0, 1)
    axes.set_xlabel("accuracy with k = 3 (fraction of test documents)")
    figure.note("Accuracies are those of one split, without bars.")
    add_legend(figure)
    return figure


def _draw_votes(axes: Axes, variants: Rows, height: int) -> None:
    """Draw the accuracies of one representation, one marker per type of vote. The first row fills the legend."""
    for series, (vote, label) in enumerate(_VOTES.items()):
        values = [float(row["accuracy"]) for row in variants if row["vote"] == vote]
        heights = [height + 0.25 * (series - 1)] * len(values)
        axes.plot(values, heights, MARKERS[series], color=f"C{series}", markersize=4, label=None if height else label)


def latent_topics(data: FigureData) -> Sheet:
    """Draw the distance of estimated from true topics against the number of documents."""
    rows = data.results.measure_table("latent_topics", "distances")
    figure, (of_words, of_documents) = panels(2, height=3.0, sharex=True, sharey=True)
    for series, (method, label) in enumerate(_ESTIMATORS.items()):
        topics: dict[float, list[float]] = {}
        proportions: dict[float, float] = {}
        for row in rows:
            if row["method"] == method:
                n_documents = float(row["documents"])
                topics.setdefault(n_documents, []).append(float(row["distance"]))
                proportions[n_documents] = float(row["shares"])
        means = [statistics.fmean(values) for values in topics.values()]
        deviations = [sample_sd(values) for values in topics.values()]
        x = [n_documents * 1.04 ** (2 * series - 1) for n_documents in topics]
        draw_with_bars(of_words, x, means, deviations, series, label=label)
        style: dict[str, Any] = {"color": f"C{series}", "linestyle": DASHES[series], "marker": MARKERS[series]}
        of_documents.plot(list(proportions), list(proportions.values()), markersize=4, **style)
        result = f"with {max(topics):,.0f} documents the mean distance of the topics is {means[-1]:.3f}"
        figure.note(f"By {label}, {result}.")
    n_topics = len(topics[min(topics)])
    for axes, title in (
        (of_words, f"words of a topic (n = {n_topics} topics)"),
        (of_documents, "topics of a document"),
    ):
        set_log_scale(axes.xaxis, min(topics), max(topics))
        set_ticks(axes.xaxis, list(topics))
        axes.set_ylim(bottom=0)
        axes.set_title(title)
        axes.set_xlabel("documents (log scale)")
    of_words.set_ylabel("total-variation distance to the truth")
    figure.note("Bars show one standard deviation over the topics; values of documents have no bars.")
    add_legend(figure, of_words)
    return figure


def newsgroup_topics(data: FigureData) -> Sheet:
    """Draw the proportion of each topic in the words of every newsgroup; topics are described by typical words."""
    topics = data.results.measure_table("newsgroup_topics", "topics")
    rows = data.results.measure_table("newsgroup_topics", "groups")
    groups = list(dict.fromkeys(row["group"] for row in rows))
    proportion = {(row["topic"], row["group"]): float(row["share"]) for row in rows}
    matrix = {row["topic"]: [proportion[row["topic"], group] for group in groups] for row in topics}

    def sort_key(topic: Mapping[str, str]) -> tuple[int, float]:
        """Order topics by the newsgroup with their largest proportion, and by decreasing proportion there."""
        values = matrix[topic["topic"]]
        return values.index(max(values)), -max(values)

    ordered = sorted(topics, key=sort_key)
    figure = Sheet(figsize=(WIDTH, 1.6 + 0.2 * len(ordered)))
    axes = figure.subplots()
    draw_matrix(axes, [matrix[topic["topic"]] for topic in ordered])
    labels = [" ".join(topic["words"].split()[:N_TOPIC_WORDS]) for topic in ordered]
    axes.set_yticks([number + 0.5 for number in range(len(ordered))], labels)
    axes.set_xticks([number + 0.5 for number in range(len(groups))], groups, rotation=90)
    axes.set_xlabel("newsgroup")
    axes.set_ylabel("topic, by its most typical words")
    largest = 100 * max(proportion.values())
    figure.note(
        f"Shades range from 0 % (white) to {largest:.0f} % (darkest). The largest value of each topic is labelled."
    )
    return figure


def draw_matrix(axes: Axes, rows: Sequence[Sequence[float]]) -> None:
    """Draw proportions as shades from white (0) to dark (the largest), and label the largest of each row in percent."""
    largest = max(map(max, rows))
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            opacity = MAX_OPACITY * value / largest
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=INK, alpha=opacity, edgecolor="none"))
        x = row.index(max(row))
        annotate_point(axes, f"{100 * row[x]:.0f}", (x + 0.5, y + 0.5), up=0, color=INK)
    axes.set_xlim(0, len(rows[0]))
    axes.set_ylim(len(rows), 0)
    axes.grid(visible=False)
    axes.tick_params(length=0, labelsize=SMALL)
