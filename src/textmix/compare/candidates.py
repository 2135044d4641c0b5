"""Candidates of a comparison: a method on a view of the texts with its parameters.

The first candidates are the baseline: TF-IDF of words and characters with a linear model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from textmix.experiment.estimator_factory import new_estimator
from textmix.experiment.methods import Method, load_methods
from textmix.models.linear.linear_texts import LinearTexts
from textmix.text.encoder import TextEncoder
from textmix.text.ngram_tfidf import MARK, NgramTfidf
from textmix.text.table_tfidf import TableTfidf

#: View of the baseline, and the views that are parts of its matrix.
BASELINE_VIEW = "word + character TF-IDF"
WORDS = "word TF-IDF"
CHARACTERS = "character TF-IDF"
#: Views with a matrix of their own.
WORD_COUNTS = "word counts"
WORD_PRESENCE = "word presence"
CROSS_WORD_NGRAMS = "word + cross-word character TF-IDF"
LONGER_NGRAMS = "longer word + character TF-IDF"
ENCODER = "encoder vectors"
#: Time to compute the matrix of a view, relative to `BASELINE_VIEW`.
RELATIVE_SECONDS = {WORD_COUNTS: 0.25, WORD_PRESENCE: 0.3, CROSS_WORD_NGRAMS: 1.5, LONGER_NGRAMS: 2.0}
#: Values of C for `WORD_PRESENCE`, whose rows are not normalised.
PRESENCE_C = (0.001, 0.01, 0.1)
#: Features are pruned by document frequency only above this number.
MAX_FEATURES = 1_000_000
#: Word 1-2-grams that occur at all and character 3-5-grams within words that occur twice, as scikit-learn's
#: TfidfVectorizer with ``analyzer="char_wb"`` and ``min_df=2`` has them.
BASELINE_FEATURES: Mapping[str, Any] = {"words": (1, 2), "characters": (3, 5), "char_wb": True, "min_df": (1, 2)}


class LinearMethod(NamedTuple):
    """A linear method: parameters of `LinearTexts`, and the values of C to try first."""

    params: Mapping[str, Any]
    C: tuple[float, ...]


LINEAR_METHODS = {
    "linear_svm": LinearMethod({"loss": "svm"}, (0.1, 1.0, 10.0)),
    "logistic_regression": LinearMethod({"loss": "logistic"}, (1.0, 10.0, 100.0)),
    "nbsvm": LinearMethod({"loss": "svm", "ratios": True}, (0.01, 0.1, 1.0)),
    "nb_logistic_regression": LinearMethod({"loss": "logistic", "ratios": True}, (0.1, 1.0, 10.0)),
}
BASELINE_METHODS = ("linear_svm", "logistic_regression")
#: Linear method -> method of the baseline whose fits take as long.
SIMILAR_METHOD = {"nbsvm": "linear_svm", "nb_logistic_regression": "logistic_regression"}
#: Methods of the registry by task, the fast ones first.
REGISTRY_METHODS = {
    "single": (
        "complement",
        "absolute_discounting",
        "dirichlet_smoothed",
        "knn_tfidf",
        "lsi_logistic_regression",
        "tfidf_network",
    ),
    "multi": ("label_naive_bayes", "pmm1", "label_neighbors", "svm_power_set"),
}
#: Methods of the registry that take TF-IDF features; the others take word counts.
TFIDF_METHODS = {"complement": BASELINE_VIEW, "svm_power_set": BASELINE_VIEW}

#: Readable names of the methods.
METHOD_TITLES = {
    "linear_svm": "linear SVM",
    "logistic_regression": "logistic regression",
    "nbsvm": "NBSVM",
    "nb_logistic_regression": "NB logistic regression",
    "complement": "complement naive Bayes",
    "absolute_discounting": "naive Bayes with absolute discounting",
    "dirichlet_smoothed": "naive Bayes with Dirichlet smoothing",
    "knn_tfidf": "k-NN",
    "lsi_logistic_regression": "LSI + logistic regression",
    "tfidf_network": "neural network",
    "label_naive_bayes": "naive Bayes per label",
    "pmm1": "PMM1",
    "label_neighbors": "k-NN per label",
    "svm_power_set": "SVM on label sets",
}


def method_title(method: str) -> str:
    """Return the readable name of a method."""
    return METHOD_TITLES.get(method, method.replace("_", " "))


@dataclass(frozen=True)
class Candidate:
    """A method on a view with its parameters.

    Parameters
    ----------
    method : str
        Name in `LINEAR_METHODS` or in the registry of methods.
    view : str
        Name of the features.
    params : tuple of (str, value)
        Parameters that differ from the method's defaults.
    train_fraction : float, default=1.0
        Fraction of the training documents of a fold that is used; less than 1 for a learning curve.
    """

    method: str
    view: str
    params: tuple[tuple[str, Any], ...] = ()
    train_fraction: float = 1.0

    def __str__(self) -> str:
        """Return a readable description."""
        return f"{method_title(self.method)} ({self.description})"

    @property
    def kind(self) -> tuple[str, str]:
        """Method and view, by which candidates are considered different enough for an ensemble."""
        return self.method, self.view

    @property
    def matrix_view(self) -> str:
        """The view whose matrix is used, of which the candidate's view may be a part."""
        return BASELINE_VIEW if self.view in (WORDS, CHARACTERS) else self.view

    @property
    def is_whole(self) -> bool:
        """Whether all training documents of a fold are used, so that the candidate may be chosen."""
        return self.train_fraction == 1.0

    @property
    def description(self) -> str:
        """View and parameters as text."""
        return ", ".join([self.view, *(f"{name}={value:g}" for name, value in self.params)])


class Group(NamedTuple):
    """Candidates of the same method and view, fitted one after the other with warm starts."""

    candidates: tuple[Candidate, ...]

    @property
    def first(self) -> Candidate:
        """The candidate that is fitted first."""
        return self.candidates[0]

    @property
    def kind(self) -> tuple[str, str]:
        """Method and view of the candidates."""
        return self.first.kind


def group(method: str, view: str, C: Sequence[float] = (), **params: Any) -> Group:
    """Group the candidates of a linear method with several values of C, or return the one of another method.

    Parameters
    ----------
    method : str
        Name of the method.
    view : str
        Name of the features.
    C : sequence of float, default=()
        Values of C; by default those of `LINEAR_METHODS`.
    **params : dict
        Further parameters of all candidates.

    Returns
    -------
    Group
    """
    if method not in LINEAR_METHODS:
        return Group((Candidate(method, view),))
    C = C or LINEAR_METHODS[method].C
    return Group(tuple(Candidate(method, view, (("C", value), *params.items())) for value in sorted(C)))


def baseline() -> list[Group]:
    """Return the groups of the baseline: linear methods on words and characters together."""
    return [group(method, BASELINE_VIEW) for method in BASELINE_METHODS]


def new_vectoriser(
    view: str, encoder: str = "", min_df: int = 2, column_kinds: Mapping[str, str] = MappingProxyType({})
) -> NgramTfidf | TextEncoder:
    """Create the vectoriser of a view that has a matrix of its own.

    Parameters
    ----------
    view : str
        Name of the features.
    encoder : str, default=""
        Name of the user's encoder, for the view `ENCODER`.
    min_df : int, default=2
        Minimum document frequency of a feature, except in the view `BASELINE_VIEW`, which has its own.
    column_kinds : mapping of str to {"number", "category"}, default={}
        Extra columns, which join the features of linear methods.

    Returns
    -------
    transformer
        Unfitted vectoriser.
    """
    if view == ENCODER:
        return TextEncoder(encoder=encoder)
    if view == WORD_COUNTS:
        return NgramTfidf(words=(1, 1), characters=None, min_df=min_df, sublinear=False, weighted=False)
    if view == WORD_PRESENCE:
        return NgramTfidf(
            words=(1, 3),
            characters=None,
            min_df=min_df,
            max_features=MAX_FEATURES,
            sublinear=False,
            weighted=False,
            binary=True,
        )
    options: dict[str, Any] = {"min_df": min_df, "max_features": MAX_FEATURES}
    if view == BASELINE_VIEW:
        options |= BASELINE_FEATURES
    elif view == LONGER_NGRAMS:
        options["words"] = (1, 3)
        options["characters"] = (3, 6)
    if not column_kinds:
        return NgramTfidf(**options)
    numbers = tuple(name for name, kind in column_kinds.items() if kind == "number")
    categories = tuple(name for name, kind in column_kinds.items() if kind == "category")
    return TableTfidf(numbers=numbers, categories=categories, **options)


def new_classifier(
    candidate: Candidate,
    columns: Mapping[str, tuple[int, int]],
    axes: tuple[int, str, int],
    *,
    warm_start: bool = False,
) -> Any:
    """Create the unfitted estimator of a candidate.

    Parameters
    ----------
    candidate : Candidate
        Method, view and parameters.
    columns : mapping of str to (int, int)
        Range of columns of the views that are part of a matrix.
    axes : (int, str, int)
        Seed, name of the data and number of the fit, see `textmix.experiment.estimator_factory.new_estimator`.
    warm_start : bool, default=False
        Whether a fit of a linear method starts from the previous one.

    Returns
    -------
    estimator
    """
    params = dict(candidate.params)
    if candidate.method in LINEAR_METHODS:
        method_params = LINEAR_METHODS[candidate.method].params
        return LinearTexts(**method_params, **params, columns=columns.get(candidate.view), warm_start=warm_start)
    method = registry()[candidate.method]
    estimator = new_estimator(method, {**method.params, **params}, axes)
    # Scores are calibrated by one slope for all folds, so that a candidate does not have to calibrate itself.
    return estimator.set_params(calibrate=False) if "calibrate" in estimator.get_params() else estimator


def column_ranges(vectoriser: NgramTfidf) -> dict[str, tuple[int, int]]:
    """Return the range of columns of each view that is part of the matrix of a fitted vectoriser.

    Extra columns stand between words and characters, and belong to both.
    """
    n_features = len(vectoriser.vocabulary_)
    n_words = sum(not name.startswith(MARK) for name in vectoriser.vocabulary_)
    n_extra = len(vectoriser.names_) if isinstance(vectoriser, TableTfidf) else 0
    return {WORDS: (0, n_words + n_extra), CHARACTERS: (n_words, n_features + n_extra)}


def registry() -> dict[str, Method]:
    """Return the methods of the registry."""
    return load_methods()
