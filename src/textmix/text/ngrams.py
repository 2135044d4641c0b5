"""Runs of words as features, and the choice of features as ``CountVectorizer`` makes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.text.vocabulary import rename


def ngrams(tokens: Ragged, words: Sequence[str], smallest: int, largest: int) -> tuple[Ragged, list[str]]:
    """Return the runs of ``smallest`` to ``largest`` words of each document, int32 ids, and their distinct names.

    The ids are in the order of the first word of the run and then of its length; a name is the words joined by blanks,
    and names are in the order of their code points.
    """
    values = np.asarray(tokens.values)
    ends = np.repeat(tokens.offsets[1:], np.diff(tokens.offsets))
    starts, ids, names = np.arange(len(values)), values.astype(np.int64), list(words)
    places, runs, known = list[np.ndarray](), list[np.ndarray](), list[str]()
    for length in range(1, largest + 1):
        if length > 1:
            fits = starts + length <= ends[starts]
            starts = starts[fits]
            pairs, ids = np.unique(ids[fits] * len(words) + values[starts + length - 1], return_inverse=True)
            names = [
                f"{names[run]} {words[last]}"
                for run, last in zip(*(part.tolist() for part in np.divmod(pairs, max(len(words), 1))), strict=True)
            ]
        if length >= smallest:
            places.append(starts)
            runs.append(ids + len(known))
            known += names
    place = np.concatenate(places)
    order = np.argsort(place, kind="stable")
    offsets = np.searchsorted(place[order], tokens.offsets)
    return rename(Ragged(np.concatenate(runs)[order], offsets), known, known)


def limited(counts: sparse.csr_array, least: int, max_df: float, max_features: int | None) -> np.ndarray:
    """Return which columns of counts, CSR (N, V) without stored zeros, ``CountVectorizer`` keeps, bool (V,).

    ``max_df``, a number if an int, a share of N if a float, may not be below ``least``, to which the columns keep
    already.  ``max_features`` keeps the largest sums; of equal ones the same columns as it.
    """
    most = max_df if isinstance(max_df, Integral) else max_df * counts.shape[0]
    if most < least:
        raise ValueError(f"max_df: {max_df} is fewer documents than min_documents: {least}; raise it")
    kept: np.ndarray = np.bincount(counts.indices, minlength=counts.shape[1]) <= most
    if max_features is not None and kept.sum() > max_features:
        sums = np.bincount(counts.indices, weights=counts.data, minlength=counts.shape[1]).astype(np.int64)
        columns = np.flatnonzero(kept)
        kept[:] = False
        kept[columns[(-sums[columns]).argsort()[:max_features]]] = True  # scikit-learn's order of equal sums
    return kept


def fixed_vocabulary(vocabulary: Mapping[str, int] | Iterable[str]) -> dict[str, int]:
    """Return word -> column, in the order of the columns, of a user's mapping or words; a set is put in order."""
    if isinstance(vocabulary, Mapping):
        if sorted(vocabulary.values()) != list(range(len(vocabulary))):
            raise ValueError(
                f"vocabulary: the columns are not 0 to {len(vocabulary) - 1}, each once; give a list of words"
            )
        words = sorted(vocabulary, key=vocabulary.__getitem__)
    else:
        words = sorted(vocabulary) if isinstance(vocabulary, (set, frozenset)) else list(vocabulary)
    found = {word: column for column, word in enumerate(words)}
    if len(found) < len(words):
        twice = next(word for column, word in enumerate(words) if found[word] != column)
        raise ValueError(f"vocabulary: {twice!r} stands twice; remove one")
    if not found:
        raise ValueError("vocabulary: there is no word; give at least one")
    return found


def check_choice(params: Mapping[str, Any]) -> None:
    """Check the parameters of `textmix.text.word_vectorizer.WordVectorizer` by which features are chosen."""
    pair, most, room, stop_list = (params[key] for key in ("ngram_range", "max_df", "max_features", "stop_list"))
    lengths = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(_whole(length) for length in pair)
    share = isinstance(most, (float, np.floating)) and 0 <= most <= 1
    known = not isinstance(params["vocabulary"], str) and isinstance(params["vocabulary"], (Iterable, type(None)))
    own = isinstance(stop_list, Collection) and all(isinstance(word, str) for word in stop_list)
    for key, allowed, remedy in (
        ("ngram_range", lengths and pair[0] <= pair[1], "give the smallest and the largest number of words, as (1, 2)"),
        ("max_df", share or _whole(most), "give a whole number from 1 or a share from 0.0 to 1.0"),
        ("max_features", room is None or _whole(room), "give a whole number from 1, or None"),
        ("vocabulary", known, "give words, or word -> column"),
        ("stop_list", own, "give the name of a list, or words"),
    ):
        if not allowed:
            raise ConfigError(f"features: {key}: {params[key]!r} is not allowed; {remedy}")


def _whole(value: Any) -> bool:
    """Return whether a value is a whole number from 1."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)
