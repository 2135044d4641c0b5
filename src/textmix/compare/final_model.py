"""Fits after the search: to the training documents for the test, and to all documents for the final model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from scipy import sparse

from textmix.compare import candidates
from textmix.compare.candidates import Candidate, Group
from textmix.compare.choice import Chosen
from textmix.compare.decisions import answer_of
from textmix.compare.documents import LabelledTexts
from textmix.compare.metrics import Answer
from textmix.compare.search import Search
from textmix.core.environment import versions
from textmix.serve.average_model import AveragedModel
from textmix.serve.model import PersistedModel
from textmix.text.ngram_tfidf import MARK

#: Packages that a model needs to predict; the others are only needed for the comparison.
PREDICTION_PACKAGES = ("python", "textmix", "numpy", "scipy", "numba", "scikit-learn")
#: Most predictive words of a label in the report.
MAX_WORDS = 8


class TrainingFits:
    """Candidates fitted to all documents of a search, each once.

    Parameters
    ----------
    search : Search
        A search that has ended.

    Attributes
    ----------
    seconds : float
        CPU seconds of all fits.
    """

    def __init__(self, search: Search) -> None:
        self.search = search
        self.seconds = 0.0
        self._fitted: dict[Candidate, Any] = {}

    def estimator(self, candidate: Candidate) -> Any:
        """Return the fitted estimator of a candidate."""
        if candidate not in self._fitted:
            start = time.process_time()
            X = self.search.features.matrix(candidate.matrix_view)
            estimator = self.search.runner.estimator_factory(Group((candidate,)))(candidate)
            self._fitted[candidate] = estimator.fit(X, self.search.documents.y)
            self.seconds += time.process_time() - start
        return self._fitted[candidate]

    def answer(self, winner: Chosen, matrices: Mapping[str, Any]) -> Answer:
        """Predict documents from their features by view."""
        scores = [
            self.search.runner.label_scores(self.estimator(member), matrices[member.matrix_view])
            for member in winner.members
        ]
        return answer_of(winner.decision, scores, self.search.metric.task)


def transform_views(search: Search, choices: Iterable[Chosen], documents: LabelledTexts) -> dict[str, Any]:
    """Return the features of documents for each view that some of the choices use."""
    views = dict.fromkeys(member.matrix_view for winner in choices for member in winner.members)
    return {view: search.features.transform(view, documents) for view in views}


def fit_final_model(
    search: Search, winner: Chosen, documents: LabelledTexts, names: Sequence[str], facts: Mapping[str, Any]
) -> tuple[AveragedModel, float]:
    """Fit the choice to documents.

    Parameters
    ----------
    search : Search
        The search that made the choice.
    winner : Chosen
        The chosen candidate or ensemble.
    documents : LabelledTexts
        Documents to fit to.
    names : sequence of str
        Names of the labels.
    facts : mapping
        Facts for the model card.

    Returns
    -------
    model : AveragedModel
    seconds : float
        CPU seconds of the fits, without the features.
    """
    seconds = 0.0
    members = []
    features: dict[str, tuple[Any, Any]] = {}
    for member in winner.members:
        view = member.matrix_view
        if view not in features:
            vectoriser = search.features.new_vectoriser(view, len(documents.y))
            X = sparse.csr_array(vectoriser.fit_transform(documents.texts), dtype=np.float32)
            features[view] = vectoriser, X
        vectoriser, X = features[view]
        columns = candidates.column_ranges(vectoriser) if view == candidates.BASELINE_VIEW else {}
        estimator = candidates.new_classifier(member, columns, (search.seed, "compare", 0))
        start = time.process_time()
        estimator.fit(X, documents.y)
        seconds += time.process_time() - start
        members.append(PersistedModel([("words", vectoriser), ("model", estimator)], documents.task, names))
    card = {
        "documents": len(documents.y),
        "made": datetime.now(UTC).date().isoformat(),
        "versions": {name: version for name, version in versions().items() if name in PREDICTION_PACKAGES},
        **facts,
    }
    decision = winner.decision
    model = AveragedModel(
        members,
        decision.slopes,
        thresholds=decision.thresholds,
        never_empty=decision.never_empty,
        card=card,
        sets=decision.label_sets,
        bonus=decision.set_weights,
        support=decision.support,
    )
    return model, seconds


def most_predictive_words(
    search: Search, fits: TrainingFits, winner: Chosen, names: Sequence[str], max_words: int = MAX_WORDS
) -> dict[str, list[str]]:
    """Return the words with the largest positive coefficients for each label.

    Parameters
    ----------
    search : Search
        The search that made the choice.
    fits : TrainingFits
        Fitted estimators.
    winner : Chosen
        The choice; its first linear member with word features is used.
    names : sequence of str
        Names of the labels.
    max_words : int, default=8
        Maximum number of words of a label.

    Returns
    -------
    dict of str to list of str
        Empty if no member is linear.
    """
    member = next((member for member in winner.members if _has_word_weights(member)), None)
    if member is None:
        return {}
    estimator = fits.estimator(member)
    features = search.features.vectorisers[member.matrix_view].get_feature_names_out()
    is_word = np.array([not name.startswith(MARK) for name in features.tolist()])
    coef = np.where(is_word, estimator.coef_, -np.inf)
    if len(coef) == 1 and not estimator.several_:
        coef = np.vstack([np.where(is_word, -estimator.coef_[0], -np.inf), coef[0]])
    n_words = min(max_words, len(features))
    words = {}
    for label, weights in zip(estimator.classes_.tolist(), coef, strict=True):
        largest = np.flatnonzero(weights >= np.partition(weights, -n_words)[-n_words])
        order = largest[np.argsort(-weights[largest], kind="stable")][:n_words]
        words[str(names[label])] = [str(features[column]) for column in order if weights[column] > 0]
    return words


def _has_word_weights(candidate: Candidate) -> bool:
    """Return whether a candidate has a coefficient for each word."""
    if candidate.method not in candidates.LINEAR_METHODS:
        return False
    return candidate.view not in (candidates.ENCODER, candidates.CHARACTERS)
