"""Explain predictions: how much the log odds of a label depend on each word of a text.

The model is treated as a black box: a word is removed wherever it occurs, and the remaining text is classified again.

References
----------
Robnik-Sikonja and Kononenko, "Explaining classifications for individual instances", IEEE TKDE 20 (2008): the
contribution of a word is their weight of evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import logit, logsumexp

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged, TableTexts
from textmix.models.common.calibration import label_scores
from textmix.serve.average_model import AveragedModel, encode_texts
from textmix.serve.model import PersistedModel
from textmix.text.tokenize import is_unspaced

#: Words that ``textmix predict --explain`` shows for each label.
MAX_WORDS = 5
#: Variants of a text that are classified together.
BATCH_TEXTS = 1024
#: Probabilities are clipped to this distance from 0 and 1.
MIN_PROBABILITY = 1e-12
_WORD = re.compile(r"\w+")

Span = tuple[int, int]
LogOdds = Callable[[Sequence[str]], np.ndarray]


@dataclass(frozen=True)
class Explanation:
    """Features of a text for and against a label.

    Parameters
    ----------
    label : object
        The explained label.
    log_odds : float
        Log odds of the label.
    supporting : list of (str, float)
        Words and pairs of adjacent words that raise the log odds, with their contributions, the largest first.
    opposing : list of (str, float)
        Words and pairs that lower the log odds, the most negative contribution first.
    """

    label: Any
    log_odds: float
    supporting: list[tuple[str, float]]
    opposing: list[tuple[str, float]]


def explain(
    model: Any,
    text: str,
    label: Any = None,
    *,
    n_features: int = 10,
    bigrams: bool = True,
    features: Mapping[str, Any] = MappingProxyType({}),
) -> Explanation:
    """Explain the prediction of a label for a text.

    The contribution of a word is the decrease of the log odds if it is removed.  The contribution of a pair of adjacent
    words is what the words contribute only together, such as a bigram feature of the model.

    Parameters
    ----------
    model : fitted classifier of texts
        What `textmix.load` or `textmix.compare` returns, or a pipeline from texts to labels that has probabilities.
    text : str
        The text.
    label : object, default=None
        One of ``classes_``; by default the most probable one.
    n_features : int, default=10
        Largest number of supporting, and of opposing, features.
    bigrams : bool, default=True
        Whether to include pairs of adjacent words.
    features : mapping of str to object, default={}
        Cells of the extra columns of the model.

    Returns
    -------
    explanation : Explanation

    Raises
    ------
    ValueError
        If the text is not a string, or the label is unknown.
    ConfigError
        If the model has no probabilities.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from textmix import MultinomialClassifier, WordVectorizer, explain
    >>> texts = ["goal ball goal", "paint stage", "ball team", "stage music"]
    >>> model = make_pipeline(WordVectorizer(), MultinomialClassifier()).fit(texts, ["sport", "art", "sport", "art"])
    >>> explain(model, "goal of the stage", "sport", bigrams=False).supporting[0][0]
    'goal'
    """
    if not isinstance(text, str):
        raise ValueError(f"text is of type {type(text).__name__}; pass a single string")
    cells = {name: [value] for name, value in features.items()}
    classes = list(np.asarray(model.classes_).tolist())
    probability = _predict_proba(model, [text], cells)
    if label is None:
        label = classes[int(np.nanargmax(probability[0]))]
    if label not in classes:
        raise ValueError(f"label: {label!r} is not one of {', '.join(map(repr, classes[:10]))}")
    column = classes.index(label)

    def log_odds(texts: Sequence[str]) -> np.ndarray:
        repeated = {name: values * len(texts) for name, values in cells.items()}
        if isinstance(model, AveragedModel):
            return _log_odds(model, encode_texts(texts, repeated), column)
        return _probability_log_odds(_predict_proba(model, texts, repeated), column, _is_multi_label(model, text))

    log_odds_of_text, contributions = _contributions(text, log_odds, bigrams=bigrams)
    supporting = sorted((pair for pair in contributions if pair[1] > 0), key=lambda pair: -pair[1])
    opposing = sorted((pair for pair in contributions if pair[1] < 0), key=lambda pair: pair[1])
    return Explanation(label, log_odds_of_text, supporting[:n_features], opposing[:n_features])


def _predict_proba(model: Any, texts: Sequence[str], cells: Mapping[str, Sequence[Any]]) -> np.ndarray:
    if not hasattr(model, "predict_proba"):
        raise ConfigError(f"explain: {type(model).__name__} has no probabilities; choose another classifier")
    return np.asarray(model.predict_proba(texts, cells) if cells else model.predict_proba(texts))


def _is_multi_label(model: Any, text: str) -> bool:
    """Check whether a model predicts a set of labels per text."""
    predicted = model.predict([text])
    return np.ndim(predicted) == 2 or isinstance(predicted[0], tuple)


def word_contributions(
    model: PersistedModel | AveragedModel, text: bytes, label: int, cells: Sequence[str] = ()
) -> list[tuple[str, float]]:
    """Return the words that support a label most, at most `MAX_WORDS`, with their contributions.

    Parameters
    ----------
    model : PersistedModel or AveragedModel
    text : bytes
        Text in UTF-8.
    label : int
        Index of the label.
    cells : sequence of str, default=()
        Cells of the extra columns of the model.

    Raises
    ------
    ConfigError
        If the model has no probabilities.
    """

    def log_odds(texts: Sequence[str]) -> np.ndarray:
        repeated = {name: [cell] * len(texts) for name, cell in zip(model.extra_columns, cells, strict=True)}
        encoded = Ragged.from_texts(text.encode() for text in texts)
        return _log_odds(model, TableTexts.of(encoded, repeated), label)

    _, contributions = _contributions(text.decode("utf-8"), log_odds, bigrams=False)
    supporting = sorted((pair for pair in contributions if pair[1] > 0), key=lambda pair: -pair[1])
    return supporting[:MAX_WORDS]


def _contributions(text: str, log_odds: LogOdds, *, bigrams: bool) -> tuple[float, list[tuple[str, float]]]:
    """Return the log odds of a text, and the contribution of each distinct word and pair of words."""
    spans = list(_word_spans(text))
    words = [text[start:end].casefold() for start, end in spans]
    variants = [text]
    occurrences = dict[str, list[int]]()
    for position, word in enumerate(words):
        occurrences.setdefault(word, []).append(position)
    variants += [_remove(text, spans, positions) for positions in occurrences.values()]
    pairs = dict[tuple[str, str], list[int]]()
    if bigrams:
        for position, pair in enumerate(pairwise(words)):
            pairs.setdefault(pair, []).append(position)
    for firsts in pairs.values():
        seconds = [position + 1 for position in firsts]
        variants += [_remove(text, spans, positions) for positions in (firsts, seconds, [*firsts, *seconds])]
    batches = [variants[start : start + BATCH_TEXTS] for start in range(0, len(variants), BATCH_TEXTS)]
    values = np.concatenate([log_odds(batch) for batch in batches])
    falls = values[0] - values[1:]
    contributions = [(word, float(fall)) for word, fall in zip(occurrences, falls, strict=False)]
    of_pairs = falls[len(occurrences) :].reshape(len(pairs), 3)
    contributions += [
        (" ".join(pair), float(first + second - together))
        for pair, (first, second, together) in zip(pairs, of_pairs, strict=True)
    ]
    return float(values[0]), contributions


def _remove(text: str, spans: Sequence[Span], positions: Sequence[int]) -> str:
    """Remove the words at some positions from a text."""
    features = []
    end = 0
    for position in sorted(positions):
        start, stop = spans[position]
        features.append(text[end:start])
        end = max(end, stop)
    return "".join([*features, text[end:]])


def _word_spans(text: str) -> Iterator[Span]:
    """Yield start and end of each word; in scripts without spaces, of each character."""
    for match in _WORD.finditer(text):
        if any(map(is_unspaced, match[0])):
            yield from ((column, column + 1) for column in range(*match.span()))
        else:
            yield match.span()


def _log_odds(model: PersistedModel | AveragedModel, text: Ragged, label: int) -> np.ndarray:
    """Compute the log odds of a label for N texts, (N,); from scores if the model has them, which never saturate."""
    if isinstance(model, PersistedModel):
        scores = label_scores(model.estimator, model.counts(text), model.task)
        if scores is not None:
            column = int(np.flatnonzero(model.estimator.classes_ == label)[0])
            other_labels = np.delete(scores, column, axis=1)
            if model.task == "multi" or not other_labels.shape[1]:
                return np.asarray(scores[:, column])
            return np.asarray(scores[:, column] - logsumexp(other_labels, axis=1))
    _, probability = model.label(text)
    if probability is None:
        raise ConfigError("--explain: requires a model with probabilities; drop the option")
    return _probability_log_odds(probability, label, model.task == "multi")


def _probability_log_odds(probability: np.ndarray, label: int, is_multi_label: bool) -> np.ndarray:
    """Compute the log odds of a label from probabilities (N, L)."""
    if is_multi_label:
        return np.asarray(logit(np.clip(probability[:, label], MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)))
    other_labels = np.nansum(np.delete(probability, label, axis=1), axis=1)  # more precise than 1 - p
    tiny = 1e-300
    return np.log(np.maximum(probability[:, label], tiny)) - np.log(np.maximum(other_labels, tiny))
