"""The chosen candidate fitted: to the training documents for its test, and to all documents as the model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from scipy import sparse

from textmix.compare import candidates as plan
from textmix.compare.candidates import Candidate, Group
from textmix.compare.decisions import answer_of
from textmix.compare.metrics import Answer
from textmix.compare.search import Chosen, LabelledTexts, Search
from textmix.core.environment import versions
from textmix.serve.average_model import AveragedModel
from textmix.serve.model import PersistedModel

#: Packages that a model needs to label texts; further packages only help to find and to fit it.
NEEDED = ("python", "textmix", "numpy", "scipy", "numba", "scikit-learn")


class Fits:
    """Candidates fitted to all documents of a search that ended, each once."""

    def __init__(self, search: Search) -> None:
        self.search, self.fitted, self.seconds = search, dict[Candidate, Any](), 0.0

    def estimator(self, candidate: Candidate) -> Any:
        """Return a candidate fitted to the documents of the search."""
        if candidate not in self.fitted:
            start = time.process_time()
            X = self.search.matrix(candidate.base)
            self.fitted[candidate] = self.search.maker(Group((candidate,)))(candidate).fit(X, self.search.documents.y)
            self.seconds += time.process_time() - start
        return self.fitted[candidate]

    def answer(self, chosen: Chosen, test: Mapping[str, Any]) -> Answer:
        """Return the answer of what was chosen to test documents, of which each view has a matrix."""
        scores = [self.search.scores_of(self.estimator(part), test[part.base]) for part in chosen.parts]
        return answer_of(chosen.decision, scores, self.search.metric.task)


def views_of(search: Search, chosen: Sequence[Chosen], documents: LabelledTexts) -> dict[str, Any]:
    """Return view -> features of documents, of the views that some of what was chosen needs."""
    names, given = dict.fromkeys(part.base for each in chosen for part in each.parts), documents.given
    return {name: sparse.csr_array(search.vectorisers[name].transform(given), dtype=np.float32) for name in names}


def final_model(
    search: Search, chosen: Chosen, documents: LabelledTexts, names: Sequence[str], about: Mapping[str, Any]
) -> tuple[AveragedModel, float]:
    """Return the choice fitted to documents as a model, whose card has ``about``, and the fits' processor seconds."""
    seconds, parts, vectorisers = 0.0, list[PersistedModel](), dict[str, tuple[Any, Any]]()
    for part in chosen.parts:
        if part.base not in vectorisers:
            made = search.vectoriser(part.base, len(documents.y))
            vectorisers[part.base] = made, sparse.csr_array(made.fit_transform(documents.given), dtype=np.float32)
        vectoriser, X = vectorisers[part.base]
        columns = plan.columns_of(vectoriser) if part.base == plan.JOINED else {}
        estimator = plan.estimator_of(part, columns, (search.seed, "compare", 0))
        start = time.process_time()
        estimator.fit(X, documents.y)
        seconds += time.process_time() - start
        parts.append(PersistedModel([("words", vectoriser), ("model", estimator)], documents.task, names))
    card = {
        **{"documents": len(documents.y), "made": datetime.now(UTC).date().isoformat()},
        **{"versions": {name: version for name, version in versions().items() if name in NEEDED}, **about},
    }
    decision = chosen.decision
    return AveragedModel(
        *(parts, decision.slopes, decision.thresholds, search.never_empty, card),
        sets=decision.label_sets,
        bonus=decision.set_weights,
        support=decision.support,
    ), seconds


def words_of(search: Search, fits: Fits, chosen: Chosen, names: Sequence[str], most: int = 8) -> dict[str, list[str]]:
    """Return label -> words that speak most for it in the first linear part; empty where there is none."""
    for part in chosen.parts:
        if part.method not in plan.LINEAR or part.base == plan.ENCODER or part.view == plan.CHARACTERS:
            continue
        estimator, features = fits.estimator(part), search.vectorisers[part.base].get_feature_names_out()
        of_words = np.array([not name.startswith("'") for name in features.tolist()])
        coef = np.where(of_words, estimator.coef_, -np.inf)
        if len(coef) == 1 and not estimator.several_:
            coef = np.vstack([np.where(of_words, -estimator.coef_[0], -np.inf), coef[0]])
        rows, found, shown = estimator.classes_.tolist(), dict[str, list[str]](), min(most, len(features))
        for label, weights in zip(rows, coef, strict=True):
            places = np.flatnonzero(weights >= np.partition(weights, -shown)[-shown])
            order = places[np.argsort(-weights[places], kind="stable")][:shown]
            found[str(names[label])] = [str(features[at]) for at in order if weights[at] > 0]
        return found
    return {}
