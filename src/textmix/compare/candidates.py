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
from textmix.text.numeric_features import NumericFeatures
from textmix.text.table_tfidf import TableTfidf

#: View of the baseline, and the views that are column ranges of its matrix.
BASELINE_VIEW = "word + character TF-IDF"
WORDS = "word TF-IDF"
CHARACTERS = "character TF-IDF"
#: Views with a separate matrix.
WORD_COUNTS = "word counts"
WORD_PRESENCE = "word presence"
CROSS_WORD_NGRAMS = "word + cross-word character TF-IDF"
LONGER_NGRAMS = "longer word + character TF-IDF"
#: The features of the baseline without n-grams that occur in a single document.
PRUNED_NGRAMS = "pruned word + character TF-IDF"
ENCODER = "encoder vectors"
#: Views of feature vectors instead of texts: the baseline, and its alternatives.
SCALED_NUMBERS = "scaled features"
NUMBERS = "unscaled features"
TFIDF_NUMBERS = "TF-IDF of features"
SCALINGS = {SCALED_NUMBERS: "max_abs", NUMBERS: "none", TFIDF_NUMBERS: "tfidf"}
#: Time to compute the matrix of a view, relative to `BASELINE_VIEW`.
RELATIVE_SECONDS = {
    WORD_COUNTS: 0.25,
    WORD_PRESENCE: 0.3,
    CROSS_WORD_NGRAMS: 1.5,
    LONGER_NGRAMS: 2.0,
    PRUNED_NGRAMS: 1.0,
}
#: Values of C for `WORD_PRESENCE`, which has unnormalised rows.
PRESENCE_C = (0.001, 0.01, 0.1)
#: Maximum number of features; above it, features are pruned by document frequency.
MAX_FEATURES = 1_000_000
#: Word 1-2-grams without pruning, and character 3-5-grams within words as in scikit-learn's TfidfVectorizer with
#: ``analyzer="char_wb"`` and ``min_df=2``.
BASELINE_FEATURES: Mapping[str, Any] = {"words": (1, 2), "characters": (3, 5), "char_wb": True, "min_df": (1, 2)}


class LinearMethod(NamedTuple):
    """Linear method: parameters of `LinearTexts` and initial values of C."""

    params: Mapping[str, Any]
    C: tuple[float, ...]


LINEAR_METHODS = {
    "linear_svm": LinearMethod({"loss": "svm"}, (0.1, 1.0, 10.0)),
    "logistic_regression": LinearMethod({"loss": "logistic"}, (1.0, 10.0, 100.0)),
    "nbsvm": LinearMethod({"loss": "svm", "ratios": True}, (0.01, 0.1, 1.0)),
    "nb_logistic_regression": LinearMethod({"loss": "logistic", "ratios": True}, (0.1, 1.0, 10.0)),
}
BASELINE_METHODS = ("linear_svm", "logistic_regression")
#: Linear method -> baseline method with a similar fit time.
SIMILAR_METHOD = {"nbsvm": "linear_svm", "nb_logistic_regression": "logistic_regression"}
#: Methods of the registry by task, fastest first.
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
#: Methods of the registry for feature vectors by task; those of counts are skipped for other numbers.
NUMERIC_METHODS = {
    "single": ("complement", "knn_tfidf", "lsi_logistic_regression"),
    "multi": ("label_naive_bayes", "label_neighbors", "svm_power_set", "binary_relevance", "cbm"),
}
#: Registry methods that require TF-IDF features; the others use word counts.
TFIDF_METHODS = {"complement": BASELINE_VIEW, "svm_power_set": BASELINE_VIEW}

#: Display titles of the methods.
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
    "binary_relevance": "binary relevance",
    "cbm": "CBM",
}


def method_title(method: str) -> str:
    """Return the display title of a method.

    Parameters
    ----------
    method : str
        Name of the method.

    Returns
    -------
    str
        The title.
    """
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
        Fraction of the training documents of a fold to use; less than 1 for a learning curve.
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
        """Method and view; candidates that differ in either are diverse enough for an ensemble."""
        return self.method, self.view

    @property
    def matrix_view(self) -> str:
        """View of the matrix that contains the features of the candidate, possibly as a column range."""
        return BASELINE_VIEW if self.view in (WORDS, CHARACTERS) else self.view

    @property
    def is_whole(self) -> bool:
        """Whether the candidate uses all training documents of a fold; only such candidates can be chosen."""
        return self.train_fraction == 1.0

    @property
    def description(self) -> str:
        """View and parameters as text."""
        return ", ".join([self.view, *(f"{name}={value:g}" for name, value in self.params)])


class Group(NamedTuple):
    """Candidates with the same method and view, fitted sequentially with warm starts."""

    candidates: tuple[Candidate, ...]

    @property
    def first(self) -> Candidate:
        """First candidate to fit."""
        return self.candidates[0]

    @property
    def kind(self) -> tuple[str, str]:
        """Method and view of the candidates."""
        return self.first.kind


def group(method: str, view: str, C: Sequence[float] = (), **params: Any) -> Group:
    """Group the candidates of a method over several values of C.

    Parameters
    ----------
    method : str
        Name of the method.
    view : str
        Name of the features.
    C : sequence of float, default=()
        Values of C; by default the values in `LINEAR_METHODS`.
    **params : dict
        Additional parameters of all candidates.

    Returns
    -------
    Group
        The candidates; a single one for methods without C.
    """
    if method not in LINEAR_METHODS:
        return Group((Candidate(method, view),))
    C = C or LINEAR_METHODS[method].C
    return Group(tuple(Candidate(method, view, (("C", value), *params.items())) for value in sorted(C)))


def baseline(view: str = BASELINE_VIEW) -> list[Group]:
    """Return the groups of the baseline: linear methods on word + character TF-IDF, or on scaled features."""
    return [group(method, view) for method in BASELINE_METHODS]


def new_vectoriser(
    view: str, encoder: str = "", min_df: int = 2, column_kinds: Mapping[str, str] = MappingProxyType({})
) -> NgramTfidf | TextEncoder | NumericFeatures:
    """Create the vectoriser of a view with a separate matrix.

    Parameters
    ----------
    view : str
        Name of the features.
    encoder : str, default=""
        Name of the user-supplied encoder, for the view `ENCODER`.
    min_df : int, default=2
        Minimum document frequency of a feature; ignored for `BASELINE_VIEW`, which has a fixed value.
    column_kinds : mapping of str to {"number", "category"}, default={}
        Extra columns used as additional features by linear methods.

    Returns
    -------
    transformer
        Unfitted vectoriser.
    """
    if view in SCALINGS:
        return NumericFeatures(scaling=SCALINGS[view])
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
    elif view == PRUNED_NGRAMS:
        options |= {**BASELINE_FEATURES, "min_df": min_df}
    elif view == LONGER_NGRAMS:
        options["words"] = (1, 3)
        options["characters"] = (3, 6)
    if not column_kinds:
        return NgramTfidf(**options)
    numbers = tuple(name for name, column_kind in column_kinds.items() if column_kind == "number")
    categories = tuple(name for name, column_kind in column_kinds.items() if column_kind == "category")
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
        Column range of each view that is part of a matrix.
    axes : (int, str, int)
        Seed, name of the data and number of the fit, see `textmix.experiment.estimator_factory.new_estimator`.
    warm_start : bool, default=False
        Whether a linear method starts from the solution of the previous fit.

    Returns
    -------
    estimator
        Unfitted estimator.
    """
    params = dict(candidate.params)
    if candidate.method in LINEAR_METHODS:
        method_params = LINEAR_METHODS[candidate.method].params
        return LinearTexts(**method_params, **params, columns=columns.get(candidate.view), warm_start=warm_start)
    method = registry()[candidate.method]
    estimator = new_estimator(method, {**method.params, **params}, axes)
    # Scores are calibrated later with one slope for all folds, so that built-in calibration is redundant.
    return estimator.set_params(calibrate=False) if "calibrate" in estimator.get_params() else estimator


def column_ranges(vectoriser: NgramTfidf) -> dict[str, tuple[int, int]]:
    """Return the column range of each view in the matrix of a fitted vectoriser.

    Extra columns are placed between words and characters and are included in both ranges.

    Parameters
    ----------
    vectoriser : NgramTfidf
        Fitted vectoriser of `BASELINE_VIEW`.

    Returns
    -------
    dict of str to (int, int)
        View -> start and stop column.
    """
    n_features = len(vectoriser.vocabulary_)
    n_words = sum(not name.startswith(MARK) for name in vectoriser.vocabulary_)
    n_extra = len(vectoriser.names_) if isinstance(vectoriser, TableTfidf) else 0
    return {WORDS: (0, n_words + n_extra), CHARACTERS: (n_words, n_features + n_extra)}


def registry() -> dict[str, Method]:
    """Return the methods of the registry."""
    return load_methods()
