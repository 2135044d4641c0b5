"""`TopWordsDisplay`: the words that speak most for each class, as scikit-learn's ``Display`` objects draw a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from textmix.core.errors import extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

#: Columns of axes in a figure of its own.
_COLUMNS = 3


class TopWordsDisplay:
    """The top words of K classes or labels, a panel each.

    `from_estimator` finds them: the largest weights of a linear model (``coef_``); of a model with a distribution of
    words for each class the largest log p(word | class) less the log of the mean of p(word | class) over the other
    classes.

    Parameters
    ----------
    words : K sequences of words, the top one first.
    values : K sequences of as many numbers.
    titles : K names.
    label : of the horizontal axis.

    Attributes
    ----------
    figure_, axes_ : after `plot`, the figure, and its axes, object (K,).

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
        """Find the top words of a fitted classifier, and draw them.

        Parameters
        ----------
        estimator : with ``coef_``, ``feature_log_prob_``, ``theta_``, ``alpha_`` or ``beta_`` of the V features of X;
            or a pipeline that ends with one.
        feature_names : V words; by default those of the pipeline, or of the table that the estimator was fitted to.
        classes : entries of ``classes_``, for which panels are drawn; by default all.
        n_words : the most words of a panel, at least 1.
        axes : see `plot`.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : the estimator has no weights of the features, a class is unknown, ``n_words`` is below 1, or names
            or axes are missing or too few.
        ModuleNotFoundError : Matplotlib is not installed.
        """
        model, names = _model_and_names(estimator, feature_names)
        weights, label = _weights(model)
        if len(names) != weights.shape[1]:
            raise ValueError(f"feature_names has {len(names)} names, the model {weights.shape[1]} features")
        if n_words < 1:
            raise ValueError(f"n_words: {n_words} is below 1; raise it")
        titles = _titles(model, len(weights))
        chosen = titles if classes is None else [_joined(each) for each in classes]
        unknown = [each for each in chosen if each not in titles]
        if unknown:
            raise ValueError(f"classes: {unknown[0]!r} is unknown; choose among {', '.join(titles)}")
        rows = [titles.index(each) for each in chosen]
        orders = [np.argsort(-weights[row], kind="stable")[:n_words] for row in rows]
        words = [[str(names[column]) for column in order] for order in orders]
        values = [weights[row, order].tolist() for row, order in zip(rows, orders, strict=True)]
        return cls(words=words, values=values, titles=chosen, label=label).plot(axes=axes)

    def plot(self, *, axes: Sequence[Axes] | None = None) -> Self:
        """Draw the panels: horizontal bars, the top word first.

        Parameters
        ----------
        axes : K axes of Matplotlib; by default those of a new figure.

        Raises
        ------
        ValueError : there are not K axes.
        ModuleNotFoundError : Matplotlib is not installed.
        """
        given = _new_axes(len(self.titles), max(map(len, self.words), default=0)) if axes is None else list(axes)
        if len(given) != len(self.titles):
            raise ValueError(f"axes: {len(given)} for {len(self.titles)} classes; give one for each class")
        for panel, words, values, title in zip(given, self.words, self.values, self.titles, strict=True):
            places = np.arange(len(words))
            panel.barh(places, values)
            panel.set_yticks(places, words)
            panel.invert_yaxis()
            panel.set(title=title, xlabel=self.label)
        self.axes_ = np.array(given, dtype=object)
        self.figure_: Figure | SubFigure = given[0].figure
        return self


def _new_axes(number: int, n_words: int) -> list[Axes]:
    """Return the axes of a new figure."""
    with extra("plot"):
        import matplotlib.pyplot as plt
    rows = -(-number // _COLUMNS)
    size = (3.2 * min(number, _COLUMNS), rows * (1.0 + 0.22 * n_words))
    _, grid = plt.subplots(rows, min(number, _COLUMNS), squeeze=False, figsize=size, layout="constrained")
    for unused in grid.flat[number:]:
        unused.remove()
    return list(grid.flat[:number])


def _model_and_names(estimator: Any, feature_names: Sequence[str] | None) -> tuple[Any, Sequence[str]]:
    """Return the fitted classifier, the last step of a pipeline, and the names of its features."""
    check_is_fitted(estimator)
    before, model = (estimator[:-1], estimator[-1]) if hasattr(estimator, "named_steps") else (None, estimator)
    if feature_names is not None:
        return model, feature_names
    if before is not None and len(before):
        return model, before.get_feature_names_out()
    if not hasattr(model, "feature_names_in_"):
        raise ValueError("feature_names is missing; give the words of the columns, or a pipeline with its vectoriser")
    return model, model.feature_names_in_


def _weights(model: Any) -> tuple[np.ndarray, str]:
    """Return a number for each class and feature, float64 (K, V), and its name."""
    coef, n_features = getattr(model, "coef_", None), model.n_features_in_
    if coef is not None and np.ndim(coef) == 2 and np.shape(coef)[1] == n_features:
        weights = np.asarray(coef, dtype=np.float64)
        both = len(weights) == 1 and len(model.classes_) == 2
        return (np.vstack([-weights, weights]) if both else weights), "weight"
    for name in ("feature_log_prob_", "theta_", "alpha_", "beta_"):
        found = getattr(model, name, None)
        if found is None:
            continue
        share = np.exp(found) if name == "feature_log_prob_" else np.asarray(found, dtype=np.float64)
        share = share.T if name == "theta_" else share
        if share.shape == (len(model.classes_), n_features):
            return _log_ratios(share / share.sum(axis=1, keepdims=True)), "log ratio to the other classes"
    raise ValueError(f"{type(model).__name__} has no weights of words; choose a linear or a multinomial model")


def _log_ratios(share: np.ndarray) -> np.ndarray:
    """Return log p(word | class) less the log of its mean over the other classes, float64 (K, V), from shares (K, V).
    It is log p(word | class) where there is one class, and -inf for a word that no class has.
    """
    with np.errstate(divide="ignore"):
        if len(share) == 1:
            return np.log(share)
        others = (share.sum(axis=0) - share) / (len(share) - 1)
        return np.where(share > 0, np.log(share) - np.log(np.maximum(others, np.finfo(float).tiny)), -np.inf)


def _titles(model: Any, rows: int) -> list[str]:
    """Return the names of the K rows of the weights: classes, labels or label sets."""
    if getattr(model, "_rows_of_coef", "classes_") == "sets_":
        return [_joined(tuple(model.classes_[member.astype(bool)])) for member in model.sets_]
    return [_joined(each) for each in model.classes_[:rows]]


def _joined(name: Any) -> str:
    """Return a class, a label or a label set as text."""
    return ", ".join(map(str, name)) or "no label" if isinstance(name, (tuple, list, set, frozenset)) else str(name)
