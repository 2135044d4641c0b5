"""The words of a text that spoke for its label: how far the odds of the label fall without each of them.

It asks the whole model, whatever its features and classes are: each word is left out wherever it stands, and the rest
is labelled again.  Source: Robnik-Sikonja and Kononenko, "Explaining classifications for individual instances", IEEE
TKDE 20 (2008), whose weight of evidence this is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from scipy.special import logit, logsumexp

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged, TableTexts
from textmix.models.common.calibration import label_scores
from textmix.serve.average_model import AveragedModel
from textmix.serve.model import PersistedModel
from textmix.text.tokenize import is_unspaced

#: Most words that are told of a text, texts that are labelled together, and the least probability that is told apart.
TOLD, TOGETHER, EDGE = 5, 1024, 1e-12
_WORD = re.compile(r"\w+")


def reasons(
    model: PersistedModel | AveragedModel, text: bytes, label: int, cells: Sequence[str] = ()
) -> list[tuple[str, float]]:
    """Return the words that spoke most for a label, at most `TOLD`, with the fall of its log-odds without each.
    ``text`` is UTF-8; ``cells``, of the columns of the model, stay.  ConfigError without probabilities.
    """
    whole = text.decode("utf-8")
    spans = list(_spans(whole))
    words = list(dict.fromkeys(whole[start:end].casefold() for start, end in spans))
    blocks = (words[first : first + TOGETHER] for first in range(0, len(words), TOGETHER))
    without = ([_cut(whole, spans, word) for word in block] for block in blocks)
    odds = np.concatenate([_odds(model, texts, label, cells) for texts in chain([[whole]], without)])
    fall = odds[0] - odds[1:]
    order = np.argsort(-fall, kind="stable")[:TOLD]
    return [(words[place], float(fall[place])) for place in order if fall[place] > 0]


def _cut(whole: str, spans: list[tuple[int, int]], word: str) -> str:
    parts, end = list[str](), 0
    for start, stop in spans:
        if whole[start:stop].casefold() == word:
            parts.append(whole[end:start])
            end = stop
    return "".join([*parts, whole[end:]])


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each word; of scripts that set no blanks each character is one."""
    for match in _WORD.finditer(text):
        if any(map(is_unspaced, match[0])):
            yield from ((place, place + 1) for place in range(*match.span()))
        else:
            yield match.span()


def _odds(model: PersistedModel | AveragedModel, texts: Sequence[str], label: int, cells: Sequence[str]) -> np.ndarray:
    """Return the log-odds of a label for N texts, float64 (N,); those of scores where a probability is 0 or 1."""
    beside = {name: [cell] * len(texts) for name, cell in zip(model.beside, cells, strict=True)}
    text = TableTexts.of(Ragged.from_texts(text.encode() for text in texts), beside)
    if isinstance(model, PersistedModel):
        scores = label_scores(model.estimator, model.counts(text), model.task)
        if scores is not None:
            place = int(np.flatnonzero(model.estimator.classes_ == label)[0])
            others = np.delete(scores, place, axis=1)
            single = model.task == "single" and others.shape[1]
            return np.asarray(scores[:, place] - (logsumexp(others, axis=1) if single else 0.0))
    _, probability = model.label(text)
    if probability is None:
        raise ConfigError("--why: the model gives no probabilities; leave it out")
    if model.task == "multi":
        return np.asarray(logit(np.clip(probability[:, label], EDGE, 1.0 - EDGE)))
    others = np.nansum(np.delete(probability, label, axis=1), axis=1)  # more exact than 1 less the probability
    return np.log(np.maximum(probability[:, label], 1e-300)) - np.log(np.maximum(others, 1e-300))
