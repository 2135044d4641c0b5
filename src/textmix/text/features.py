"""From a text corpus to a corpus of counts, by a ``features`` entry of a paper.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import compress
from typing import Any

from scipy import sparse

from textmix.data.corpus import TRAIN, Corpus, Ragged
from textmix.errors import ConfigError
from textmix.kernels.tokenize import count_words
from textmix.text.messages import clean_messages
from textmix.text.stoplists import STOP_LISTS, stop_words
from textmix.text.tokenize import TOKENIZERS, tokenize
from textmix.text.vocabulary import kept_words, restrict

#: In place of a tokenizer: the data set is a matrix already and is taken as it is.
MATRIX = "matrix"
_CHOICES = {"tokenizer": (MATRIX, *TOKENIZERS), "stop_list": STOP_LISTS, "fit_on": ("all", "train")}


@dataclass(frozen=True)
class FeatureSpec:
    """How text becomes counts; the keys of a ``features`` entry (workflow/schemas/features.schema.yaml).

    Parameters
    ----------
    tokenizer : name in `textmix.text.tokenize.TOKENIZERS`, or ``matrix`` alone.
    min_length, max_length : shorter and longer words are dropped, in characters; None is no limit.
    stop_list : name in `textmix.text.stoplists.STOP_LISTS`.
    min_count, min_documents : rarer words are dropped, see `textmix.text.vocabulary.kept_words`.
    fit_on : the documents in which words are counted for these two cuts: ``all``, or ``train`` of the given split.
    skip_header, skip_uuencoded : see `textmix.text.messages`.
    keep_tokens : keep the token stream beside the counts.
    """

    tokenizer: str
    min_length: int = 1
    max_length: int | None = None
    stop_list: str = "none"
    min_count: int = 1
    min_documents: int = 1
    fit_on: str = "all"
    skip_header: bool = False
    skip_uuencoded: bool = False
    keep_tokens: bool = False

    @classmethod
    def from_mapping(cls, spec: Mapping[str, Any]) -> FeatureSpec:
        """Return the checked form of a ``features`` entry.

        Raises
        ------
        ConfigError : a key is unknown or missing, or its value is not allowed.
        """
        known = [item.name for item in fields(cls)]
        for key, value in spec.items():
            if key not in known:
                raise ConfigError(f"features: {key!r} is unknown; the keys are {', '.join(known)}")
            _check(key, value)
        if "tokenizer" not in spec:
            raise ConfigError(f"features: tokenizer is missing; choose one of {', '.join(_CHOICES['tokenizer'])}")
        if spec["tokenizer"] == MATRIX and len(spec) > 1:
            raise ConfigError(f"features: tokenizer: {MATRIX} takes the matrix as it is; remove the other keys")
        result = cls(**spec)
        if result.max_length is not None and result.max_length < result.min_length:
            raise ConfigError(f"features: max_length: {result.max_length} is below min_length; raise it")
        return result


def _check(key: str, value: Any) -> None:
    """Raise `ConfigError` if a value of a ``features`` entry is not allowed."""
    if key in _CHOICES:
        allowed, remedy = value in _CHOICES[key], f"choose one of {', '.join(_CHOICES[key])}"
    elif isinstance(getattr(FeatureSpec, key), bool):
        allowed, remedy = isinstance(value, bool), "write true or false"
    else:
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        allowed, remedy = whole or (key == "max_length" and value is None), "give a whole number from 1"
    if not allowed:
        raise ConfigError(f"features: {key}: {value!r} is not allowed; {remedy}")


def build_features(corpus: Corpus, spec: Mapping[str, Any]) -> Corpus:
    """Return the corpus with its text replaced by counts.

    Parameters
    ----------
    corpus : N documents, as text or, for ``tokenizer: matrix``, as a matrix.
    spec : a ``features`` entry, see `FeatureSpec`.

    Returns
    -------
    a `Corpus` of the same documents, labels and split with ``features`` (CSR (N, V), int32, indices sorted) and
    ``feature_names`` in alphabetical order; ``info["features"]`` tells what was cut.

    Raises
    ------
    ConfigError : the entry is wrong or does not suit the corpus.
    """
    checked = FeatureSpec.from_mapping(spec)
    if checked.tokenizer == MATRIX:
        if corpus.features is None:
            raise ConfigError(f"features: tokenizer: {MATRIX}: {corpus.name} is text; choose a tokenizer")
        return corpus
    if corpus.text is None:
        raise ConfigError(f"features: {corpus.name} has no text to tokenise; use tokenizer: {MATRIX}")
    if checked.fit_on == "train" and corpus.split is None:
        raise ConfigError(f"features: fit_on: train: {corpus.name} comes without a split; use fit_on: all")
    return _featurize(corpus, corpus.text, checked)


def _count(tokens: Ragged, n_words: int) -> sparse.csr_array:
    """Return the counts of each word in each document, CSR (N, V)."""
    counts, ids, indptr = count_words(tokens.values, tokens.offsets, n_words)
    # SciPy widens both index arrays to the wider one, so a 64-bit indptr would double the indices.
    indptr = indptr.astype(sparse.get_index_dtype(maxval=len(ids)))
    return sparse.csr_array((counts, ids, indptr), shape=(len(tokens), n_words))


def _featurize(corpus: Corpus, text: Ragged, spec: FeatureSpec) -> Corpus:
    """Return the corpus with counts instead of its text, the entry being checked."""
    text = clean_messages(text, spec.skip_header, spec.skip_uuencoded)
    tokens, words = tokenize(text, spec.tokenizer, spec.min_length, spec.max_length)
    counts = _count(tokens, len(words))
    deciding = counts if spec.fit_on == "all" else counts[corpus.split == TRAIN]
    kept = kept_words(deciding, words, stop_words(spec.stop_list), spec.min_count, spec.min_documents)
    features = counts[:, kept]
    found = {"tokens": len(tokens.values), "words": len(words), "tokens_kept": int(features.sum())}
    return replace(
        corpus,
        text=None,
        tokens=restrict(tokens, kept) if spec.keep_tokens else None,
        features=features,
        feature_names=list(compress(words, kept)),
        info={**corpus.info, "features": {**found, "words_kept": int(kept.sum())}},
    )
