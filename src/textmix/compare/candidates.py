"""What is compared: candidates, each a method on a view of the texts at a point, and the views.

The first group is the pipeline that an expert writes by hand.  All other candidates have to beat it.
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

#: Views of one matrix: all of it, its words, and its characters.
JOINED, WORDS, CHARACTERS = "words and characters", "words", "characters"
#: Counts of words, the presence of words, longer n-grams, and the vectors of the user's encoder.
COUNTS, PRESENT, LONGER = "counts of words", "presence of words", "longer words and characters"
ENCODER = "encoder"
#: View -> seconds of reading it for a second of `JOINED`.
READING = {COUNTS: 0.25, PRESENT: 0.3, LONGER: 1.2}
#: Costs of `PRESENT`, whose documents are as long as they have words.
LOW = (0.001, 0.01, 0.1)
#: Most features of texts.
MOST = 1_000_000
#: Linear method -> parameters of `LinearTexts`, and its costs.
LINEAR: Mapping[str, tuple[Mapping[str, Any], tuple[float, ...]]] = {
    "linear_svm": ({"loss": "svm"}, (0.1, 1.0, 10.0)),
    "logistic_regression": ({"loss": "logistic"}, (1.0, 10.0, 100.0)),
    "nbsvm": ({"loss": "svm", "ratios": True}, (0.01, 0.1, 1.0)),
    "nb_logistic_regression": ({"loss": "logistic", "ratios": True}, (0.1, 1.0, 10.0)),
}
#: Linear method -> another one whose fits take as long.
ALIKE = {"nbsvm": "linear_svm", "nb_logistic_regression": "logistic_regression"}
#: Methods of the registry that are compared besides, by task: those that differ from linear ones, the cheap ones first.
LIBRARY = {
    "single": (
        *("complement", "absolute_discounting", "dirichlet_smoothed", "knn_tfidf"),
        *("lsi_logistic_regression", "tfidf_network"),
    ),
    "multi": ("label_naive_bayes", "pmm1", "label_neighbors", "svm_power_set"),
}
#: Methods of the registry that take weighted features of texts alone, and their view; the others take counts of words.
WEIGHTED = {"complement": JOINED, "svm_power_set": JOINED}


@dataclass(frozen=True)
class Candidate:
    """A method (of `LINEAR` or of the registry) on a view at a point, pairs of parameter and value.  ``share`` is that
    of the documents of a fold to which it is fitted: less than 1 for a learning curve, not for the choice.
    """

    method: str
    view: str
    point: tuple[tuple[str, Any], ...] = ()
    share: float = 1.0

    def __str__(self) -> str:
        """Return method, view and parameters in words."""
        return ", ".join([f"{self.method} ({self.view}", *(f"{key}={value:g}" for key, value in self.point)]) + ")"

    @property
    def kind(self) -> tuple[str, str]:
        """Method and view, in which unlike candidates differ."""
        return self.method, self.view

    @property
    def base(self) -> str:
        """The view whose matrix it takes, perhaps a part of it."""
        return JOINED if self.view in (WORDS, CHARACTERS) else self.view

    @property
    def words(self) -> str:
        """View and parameters in words."""
        return ", ".join([self.view, *(f"{key}={value:g}" for key, value in self.point)])


class Group(NamedTuple):
    """Candidates that are fitted one after the other, each from the last one."""

    candidates: tuple[Candidate, ...]

    @property
    def kind(self) -> tuple[str, str]:
        """Method and view of all of them."""
        return self.candidates[0].kind


def group(method: str, view: str, costs: Sequence[float] = (), **more: Any) -> Group:
    """Return the candidates of a linear method at some costs, by default its own, or the one of another method."""
    if method not in LINEAR:
        return Group((Candidate(method, view),))
    costs = costs or LINEAR[method][1]
    return Group(tuple(Candidate(method, view, (("C", cost), *more.items())) for cost in sorted(costs)))


def pipeline(methods: Sequence[str] = ("linear_svm", "logistic_regression")) -> list[Group]:
    """Return the groups of the pipeline by hand: linear methods on words and characters together."""
    return [group(method, JOINED) for method in methods]


def vectoriser_of(
    view: str, encoder: str = "", least: int = 2, beside: Mapping[str, str] = MappingProxyType({})
) -> NgramTfidf | TextEncoder:
    """Return the unfitted vectoriser of a view that has a matrix of its own.  ``encoder`` is the user's, of the view
    `ENCODER`; ``least`` the fewest documents of a feature; ``beside`` maps a column beside the texts to ``number`` or
    ``category``, which join the views of linear methods.
    """
    if view == ENCODER:
        return TextEncoder(encoder=encoder)
    if view == COUNTS:
        return NgramTfidf(words=(1, 1), characters=None, min_df=least, sublinear=False, weighted=False)
    if view == PRESENT:
        options: dict[str, Any] = {"sublinear": False, "weighted": False, "binary": True}
        return NgramTfidf(words=(1, 3), characters=None, min_df=least, max_features=MOST, **options)
    runs: dict[str, Any] = {"words": (1, 3), "characters": (3, 6)} if view == LONGER else {}
    if not beside:
        return NgramTfidf(**runs, min_df=least, max_features=MOST)
    numbers, categories = (tuple(name for name in beside if beside[name] == kind) for kind in ("number", "category"))
    return TableTfidf(numbers=numbers, categories=categories, **runs, min_df=least, max_features=MOST)


def estimator_of(
    candidate: Candidate, columns: Mapping[str, tuple[int, int]], axes: tuple[int, str, int], *, warm: bool = False
) -> Any:
    """Return an unfitted estimator of a candidate.  ``columns`` maps a view that is a part of a matrix to its first
    column, and that after its last one; ``axes`` are seed, name of the data and number of the fit
    (`textmix.experiment.estimator_factory.new_estimator`); ``warm`` lets a fit start from the last one.
    """
    if candidate.method in LINEAR:
        params = LINEAR[candidate.method][0]
        point = {**dict(candidate.point), "balanced": bool(dict(candidate.point).get("balanced", False))}
        return LinearTexts(**params, **point, columns=columns.get(candidate.view), warm_start=warm)
    method = registry()[candidate.method]
    made = new_estimator(method, {**method.params, **dict(candidate.point)}, axes)
    # One slope calibrates the scores of all folds, so that no candidate has to calibrate itself.
    return made.set_params(calibrate=False) if "calibrate" in made.get_params() else made


def columns_of(vectoriser: NgramTfidf) -> dict[str, tuple[int, int]]:
    """Return the views that are parts of the joined one -> first column, and that after the last one.  Cells beside the
    texts stand between words and characters, and belong to both.
    """
    words = sum(not name.startswith(MARK) for name in vectoriser.vocabulary_)
    cells = len(vectoriser.names_) if isinstance(vectoriser, TableTfidf) else 0
    return {WORDS: (0, words + cells), CHARACTERS: (words, len(vectoriser.vocabulary_) + cells)}


def registry() -> dict[str, Method]:
    """Return the methods of the registry."""
    return load_methods()
