"""`TopWordsDisplay`: plot the most predictive words of each class, like the ``Display`` classes of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from textmix.core.errors import extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

#: Columns of axes in a new figure.
_N_COLUMNS = 3


class TopWordsDisplay:
    """Plot the most predictive words of K classes or labels, one panel each.

    `from_estimator` selects the words with the largest weights of a linear model (``coef_``), or, for a model with a
    word distribution per class, with the largest log ratio of p(word | class) to its mean over the other classes.

    Parameters
    ----------
    words : sequence of sequences of str, length K
        Words of each class, the most predictive first.
    values : sequence of sequences of float, length K
        Weight of each word.
    titles : sequence of str, length K
        Titles of the panels.
    label : str
        Label of the horizontal axis.

    Attributes
    ----------
    figure_ : Figure
        Figure, after `plot`.
    axes_ : ndarray of Axes, shape (K,)
        Axes, after `plot`.

    Examples
    --------
    >>> from textmix import MultinomialClassifier, TopWordsDisplay
    >>> model = MultinomialClassifier(smoothing=1.0).fit([[9, 0, 1], [0, 8, 1]], ["sport", "art"])
    >>> shown = TopWordsDisplay.from_estimator(model, feature_names=["goal", "stage", "the"], n_words=1)
    >>> shown.words, shown.titles, len(shown.axes_)
    ([['stage'], ['goal']], ['art', 'sport'], 2)
    """

    def __init__(
        self, *, words: Sequence[Sequence[str]], values: Sequence[Sequence[float]], titles: Sequence[str], label: str
    ) -> None:
        self.words = words
        self.values = values
        self.titles = titles
        self.label = label

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        classes: Sequence[Any] | None = None,
        n_words: int = 10,
        axes: Sequence[Axes] | None = None,
    ) -> Self:
        """Select the most predictive words of a fitted classifier, and plot them.

        Parameters
        ----------
        estimator : estimator or Pipeline
            Classifier with ``coef_``, ``feature_log_prob_``, ``theta_``, ``alpha_`` or ``beta_``, or a pipeline that
            ends with one.
        feature_names : sequence of str, length V, default=None
            Words; by default those of the pipeline, or of the table that the estimator was fitted to.
        classes : sequence, default=None
            Entries of ``classes_`` to plot; by default all.
        n_words : int, default=10
            Largest number of words per panel.
        axes : sequence of Axes, default=None
            See `plot`.

        Returns
        -------
        display : TopWordsDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the estimator has no weights of features, a class is unknown, ``n_words`` is below 1, or the number of
            names or axes is wrong.
        ModuleNotFoundError
            If Matplotlib is not installed.
        """
        model, names = _model_and_names(estimator, feature_names)
        weights, label = _weights(model)
        if len(names) != weights.shape[1]:
            raise ValueError(f"feature_names has {len(names)} names, the model {weights.shape[1]} features")
        if n_words < 1:
            raise ValueError(f"n_words: {n_words} is below 1; raise it")
        titles = _titles(model, len(weights))
        chosen = titles if classes is None else [_format_label(label) for label in classes]
        unknown = [title for title in chosen if title not in titles]
        if unknown:
            raise ValueError(f"classes: {unknown[0]!r} is unknown; choose among {', '.join(titles)}")
        rows = [titles.index(each) for each in chosen]
        orders = [np.argsort(-weights[row], kind="stable")[:n_words] for row in rows]
        words = [[str(names[column]) for column in order] for order in orders]
        values = [weights[row, order].tolist() for row, order in zip(rows, orders, strict=True)]
        return cls(words=words, values=values, titles=chosen, label=label).plot(axes=axes)

    def plot(self, *, axes: Sequence[Axes] | None = None) -> Self:
        """Plot horizontal bars, the most predictive word first.

        Parameters
        ----------
        axes : sequence of Axes, length K, default=None
            Axes of Matplotlib; by default those of a new figure.

        Returns
        -------
        self : TopWordsDisplay

        Raises
        ------
        ValueError
            If the number of axes is wrong.
        ModuleNotFoundError
            If Matplotlib is not installed.
        """
        if axes is None:
            axes = _create_axes(len(self.titles), max(map(len, self.words), default=0))
        panels = list(axes)
        if len(panels) != len(self.titles):
            raise ValueError(f"axes: {len(panels)} for {len(self.titles)} classes; give one for each class")
        for panel, words, values, title in zip(panels, self.words, self.values, self.titles, strict=True):
            positions = np.arange(len(words))
            panel.barh(positions, values)
            panel.set_yticks(positions, words)
            panel.invert_yaxis()
            panel.set(title=title, xlabel=self.label)
        self.axes_ = np.array(panels, dtype=object)
        self.figure_: Figure | SubFigure = panels[0].figure
        return self


def _create_axes(number: int, n_words: int) -> list[Axes]:
    """Create a figure and return its axes."""
    with extra("plot"):
        import matplotlib.pyplot as plt
    rows = -(-number // _N_COLUMNS)
    size = (3.2 * min(number, _N_COLUMNS), rows * (1.0 + 0.22 * n_words))
    _, grid = plt.subplots(rows, min(number, _N_COLUMNS), squeeze=False, figsize=size, layout="constrained")
    for unused in grid.flat[number:]:
        unused.remove()
    return list(grid.flat[:number])


def _model_and_names(estimator: Any, feature_names: Sequence[str] | None) -> tuple[Any, Sequence[str]]:
    """Return the fitted classifier, which may be the last step of a pipeline, and its feature names."""
    check_is_fitted(estimator)
    transformers, model = (estimator[:-1], estimator[-1]) if hasattr(estimator, "named_steps") else (None, estimator)
    if feature_names is not None:
        return model, feature_names
    if transformers is not None and len(transformers):
        return model, transformers.get_feature_names_out()
    if not hasattr(model, "feature_names_in_"):
        raise ValueError("feature_names is missing; give the words of the columns, or a pipeline with its vectoriser")
    return model, model.feature_names_in_


def _weights(model: Any) -> tuple[np.ndarray, str]:
    """Return the weight of each class and feature, float64 (K, V), and its name."""
    coef = getattr(model, "coef_", None)
    n_features = model.n_features_in_
    if coef is not None and np.ndim(coef) == 2 and np.shape(coef)[1] == n_features:
        weights = np.asarray(coef, dtype=np.float64)
        is_binary = len(weights) == 1 and len(model.classes_) == 2
        return (np.vstack([-weights, weights]) if is_binary else weights), "weight"
    for name in ("feature_log_prob_", "theta_", "alpha_", "beta_"):
        values = getattr(model, name, None)
        if values is None:
            continue
        weights = np.exp(values) if name == "feature_log_prob_" else np.asarray(values, dtype=np.float64)
        weights = weights.T if name == "theta_" else weights
        if weights.shape == (len(model.classes_), n_features):
            return _log_ratios(weights / weights.sum(axis=1, keepdims=True)), "log ratio to the other classes"
    raise ValueError(f"{type(model).__name__} has no weights of words; choose a linear or a multinomial model")


def _log_ratios(proba: np.ndarray) -> np.ndarray:
    """Compute the log ratio of p(word | class) to its mean over the other classes, float64 (K, V).

    With a single class it is log p(word | class); for words of probability 0 it is -inf.
    """
    with np.errstate(divide="ignore"):
        if len(proba) == 1:
            return np.log(proba)
        others = (proba.sum(axis=0) - proba) / (len(proba) - 1)
        log_others = np.log(np.maximum(others, np.finfo(float).tiny))
        return np.where(proba > 0, np.log(proba) - log_others, -np.inf)


def _titles(model: Any, rows: int) -> list[str]:
    """Format the classes, labels or label sets of the K rows of the weights."""
    if getattr(model, "_rows_of_coef", "classes_") == "sets_":
        return [_format_label(tuple(model.classes_[member.astype(bool)])) for member in model.sets_]
    return [_format_label(label) for label in model.classes_[:rows]]


def _format_label(name: Any) -> str:
    """Format a class, a label or a label set."""
    return ", ".join(map(str, name)) or "no label" if isinstance(name, (tuple, list, set, frozenset)) else str(name)
