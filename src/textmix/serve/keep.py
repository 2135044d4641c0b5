"""The recommended method of own data as a model: fitted to all documents, with its representation and a card."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from textmix.core.environment import versions
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.experiment.estimators import new_estimator
from textmix.experiment.methods import Method
from textmix.experiment.represented import CHOICE, weighting_of
from textmix.serve.fit import is_persistable
from textmix.serve.model import PersistedModel
from textmix.serve.seen import SEEN, sketch
from textmix.text.encoder import TextEncoder
from textmix.text.sequences import SequenceVectorizer
from textmix.text.skipgram_vectorizer import SkipgramVectorizer
from textmix.text.term_weighting import TermWeighting
from textmix.text.word_vectorizer import WordVectorizer

#: Packages that a model needs to label texts; further packages only help to find and to fit it.
NEEDED = ("python", "textmix", "numpy", "scipy", "numba", "scikit-learn")


def vectoriser_of(spec: Mapping[str, Any]) -> WordVectorizer | SkipgramVectorizer | TextEncoder:
    """Return an unfitted vectoriser that counts as an entry of ``features`` says.

    Raises
    ------
    ConfigError : the entry has a key that no vectoriser takes together with the others.
    """
    if "encoder" in spec:
        return TextEncoder(encoder=spec["encoder"])
    if spec.get("keep_tokens"):
        return SequenceVectorizer(**{key: value for key, value in spec.items() if key != "keep_tokens"})
    skipgrams = spec.get("max_n", 1) > 1
    made = SkipgramVectorizer(subsume=False) if skipgrams else WordVectorizer()
    names = {"min_documents": "min_df"} if skipgrams else {}
    given = {names.get(key, key): value for key, value in spec.items()}
    if skipgrams:
        given = {"max_slop": 0, **given}
    unknown = sorted(set(given) - set(made.get_params()))
    if unknown:
        raise ConfigError(f"keep: features: {', '.join(unknown)} cannot be kept in a model; leave the key out")
    made.set_params(**given)
    return made


def keep_best(
    corpus: Corpus,
    choice: Mapping[str, Any],
    method: Method,
    entry: Mapping[str, Any],
    *,
    features: Mapping[str, Any],
    about: Mapping[str, Any],
) -> PersistedModel:
    """Return the recommended method fitted to all documents of a data set, which is not saved yet.

    Parameters
    ----------
    corpus : the parsed documents.
    choice : of `textmix.contest.choice.choose`; its ``point`` says view, weighting and parameters.
    method, entry : the registry entry, and the experiment's.
    features : view -> the entry by which its features were counted.
    about : further facts for the card, among them ``seed``.

    Raises
    ------
    ConfigError : the data are numbers, or the method cannot be saved.
    """
    if corpus.text is None:
        raise ConfigError("keep: data that are numbers have no texts to be labelled; leave keep out")
    if not is_persistable(method):
        raise ConfigError(f"keep: {method.name} cannot be saved; name in methods those that can")
    point = choice["point"]
    words = vectoriser_of(features[point["view"]])
    texts = [corpus.text.text(row) for row in range(corpus.n_documents)]
    weighting = weighting_of(point, entry["views"][point["view"]])
    params = {key: value for key, value in {**entry["params"], **point}.items() if key not in CHOICE}
    estimator = new_estimator(method, params, (about["seed"], corpus.name, 0))
    y = corpus.classes() if method.task == "single" else corpus.indicators()
    estimator.fit(weighting.fit_transform(words.fit_transform(texts)), y)
    # Of words in order the vectoriser has made the same cut, among the same documents.
    kept = [("weighting", weighting)] if isinstance(weighting, TermWeighting) else []
    steps = [("words", words), *kept, ("model", estimator)]
    card = {
        **{"method": method.name, "documents": corpus.n_documents, "data digest": corpus.content_digest()},
        **{"made": datetime.now(UTC).date().isoformat(), SEEN: sketch(corpus.text)},
        **{key: choice[key] for key in ("metric", "value", "low", "high", "point")},
        **{"versions": {name: version for name, version in versions().items() if name in NEEDED}, **about},
    }
    return PersistedModel(steps, method.task, corpus.label_names, dataset=corpus.name, card=card)
