"""Extract the features of a text corpus as specified by a ``features`` entry of a paper.yaml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import compress
from string import punctuation
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError
from textmix.data.corpus import TRAIN, Corpus, Ragged
from textmix.text.mail_parts import clean_messages
from textmix.text.skipgrams import (
    BOUNDARY_TOKENS,
    REAL_WEIGHTINGS,
    SCALINGS,
    WEIGHTINGS,
    Skipgrams,
    scale_to_unit,
    with_boundary_tokens,
)
from textmix.text.stoplists import STOP_LISTS, stop_words
from textmix.text.token_kernels import count_words
from textmix.text.tokenize import TOKENIZERS, tokenize
from textmix.text.treebank import lemmas
from textmix.text.vectors import VectorSpec, paragraph_vectors
from textmix.text.vocabulary import BY_FOLD, kept_words, rename, renumber, restrict

#: Value of ``tokenizer`` for a data set that already is a feature matrix, which is used unchanged.
MATRIX = "matrix"
#: Number of bytes of text that are tokenised at a time if only counts are needed.
BLOCK = 1 << 24
_CHOICES = {
    "tokenizer": (MATRIX, *TOKENIZERS),
    "edges": ("keep", "strip"),
    "stop_list": STOP_LISTS,
    "fit_on": ("all", "train", "fold"),
    "weighting": WEIGHTINGS,
    "scaling": SCALINGS,
}


@dataclass(frozen=True)
class FeatureSpec:
    """Specification of the features; the keys of a ``features`` entry (workflow/schemas/paper.schema.yaml).

    Parameters
    ----------
    tokenizer : str
        Name in `textmix.text.tokenize.TOKENIZERS`, or ``matrix`` alone.
    min_length : int, default=1
        Minimum length of a word in characters; shorter words are dropped.
    max_length : int or None, default=None
        Maximum length of a word in characters; longer words are dropped. None means no maximum.
    stop_list : str, default="none"
        Name in `textmix.text.stoplists.STOP_LISTS`.
    min_count, min_df : int, default=1
        Minimum frequency and document frequency of a word, see `textmix.text.vocabulary.kept_words`.
    fit_on : str, default="all"
        Documents used for the frequency cut-offs: ``all``, ``train`` (training documents of the fixed split) or
        ``fold`` (training documents of each trial). With ``fold``, all words are counted here, and each fit drops words
        that are missing or too rare in its training documents (`textmix.text.vocabulary.of_fold`). A word that occurs
        in none of these documents is not a feature; in skip-grams it still separates its neighbours unless
        ``min_count`` drops it.
    skip_header, skip_uuencoded : bool, default=False
        See `textmix.text.mail_parts`.
    edges : str, default="keep"
        ``strip`` removes ASCII punctuation from both ends of each word and drops words that consist of punctuation,
        after tokenisation and the length limits; ``keep`` leaves words unchanged.
    lowercase : bool, default=False
        Whether words are lower-cased after tokenising.
    lemmatise : bool, default=False
        Replace every word by its dictionary form, see `textmix.text.treebank`.
    max_n : int, default=1
        Maximum number of words of a skip-gram. If greater than 1, the features are skip-grams instead of words, see
        `textmix.text.skipgrams.Skipgrams`, and ``min_df`` applies to skip-grams instead of words.
    max_slop : int, default=0
        Maximum number of words skipped, see `textmix.text.skipgrams.Skipgrams`; used only if ``max_n`` is greater than
        1.
    subsume : bool, default=True
        Whether to drop redundant skip-grams, see `textmix.text.skipgrams.Skipgrams`; used only if ``max_n`` is greater
        than 1.
    boundary_tokens : bool, default=False
        Whether ``<s>`` and ``</s>`` are added to both ends of each document as words of skip-grams.
    weighting : str, default="count"
        Feature weighting, see `textmix.text.skipgrams.Skipgrams.transform`. Words support ``count`` and ``binary`` and
        treat real-valued weightings as ``count``.
    scaling : str, default="none"
        Whether skip-grams with a real-valued weighting are divided by their maximum in the documents of ``fit_on``:
        ``feature`` uses the maximum of each feature, ``global`` that over all features, see
        `textmix.text.skipgrams.scale_to_unit`.
    vectors : mapping of str to Any or None, default=None
        Keys of `textmix.text.vectors.VectorSpec`; if not None, paragraph vectors replace the counts.
    keep_text, keep_tokens : bool, default=False
        Whether the result also contains the text, or the token stream restricted to the vocabulary.
    """

    tokenizer: str
    min_length: int = 1
    max_length: int | None = None
    stop_list: str = "none"
    min_count: int = 1
    min_df: int = 1
    fit_on: str = "all"
    skip_header: bool = False
    skip_uuencoded: bool = False
    edges: str = "keep"
    lowercase: bool = False
    lemmatise: bool = False
    max_n: int = 1
    max_slop: int = 0
    subsume: bool = True
    boundary_tokens: bool = False
    weighting: str = "count"
    scaling: str = "none"
    vectors: Mapping[str, Any] | None = None
    keep_text: bool = False
    keep_tokens: bool = False

    @classmethod
    def from_mapping(cls, spec: Mapping[str, Any]) -> FeatureSpec:
        """Create a specification from a ``features`` entry and validate it."""
        keys = [item.name for item in fields(cls)]
        for key, value in spec.items():
            if key not in keys:
                raise ConfigError(f"features: {key!r} is unknown; the keys are {', '.join(keys)}")
            _check(key, value)
        if spec.get("vectors") is not None:
            VectorSpec.from_mapping(spec["vectors"])
        if "tokenizer" not in spec:
            raise ConfigError(f"features: tokenizer is missing; choose one of {', '.join(_CHOICES['tokenizer'])}")
        if spec["tokenizer"] == MATRIX and len(spec) > 1:
            raise ConfigError(f"features: tokenizer: {MATRIX} takes the matrix as it is; remove the other keys")
        result = cls(**spec)
        if result.max_length is not None and result.max_length < result.min_length:
            raise ConfigError(f"features: max_length: {result.max_length} is below min_length; raise it")
        if result.keep_tokens and (result.max_n > 1 or result.vectors):
            raise ConfigError("features: keep_tokens keeps words, not skip-grams or vectors; make an entry of its own")
        if result.boundary_tokens and (result.max_n == 1 or result.vectors):
            raise ConfigError("features: boundary_tokens: they are words of skip-grams; set max_n to 2 or more")
        if result.scaling != "none" and (result.max_n == 1 or result.weighting not in REAL_WEIGHTINGS):
            allowed = " or ".join(REAL_WEIGHTINGS)
            raise ConfigError(f"features: scaling: only skip-grams with weighting {allowed} are scaled")
        if result.fit_on == "fold":
            result._check_fold()
        return result

    def _check_fold(self) -> None:
        """Raise ConfigError if per-fold vocabulary pruning is not possible with these options."""
        remedy = "give another value, or fit_on: all"
        if self.vectors is not None or self.keep_tokens:
            raise ConfigError("features: fit_on: fold: it drops columns of counts; leave vectors and keep_tokens out")
        if self.max_n > 1 and (self.subsume or self.min_count > 1 or self.weighting in REAL_WEIGHTINGS):
            raise ConfigError(f"features: fit_on: fold: skip-grams take subsume: false and no min_count; {remedy}")
        if self.weighting == "binary" and self.min_count > 1:
            raise ConfigError(f"features: fit_on: fold: binary features take min_df and no min_count; {remedy}")

    @property
    def cuts(self) -> tuple[int, int]:
        """``min_count`` and ``min_df`` to apply to the whole corpus; with per-fold pruning nothing is dropped here."""
        return (1, 1) if self.fit_on == "fold" else (self.min_count, self.min_df)

    def facts(self) -> dict[str, Any]:
        """Return the metadata that a fit needs: the frequency cut-offs to apply to its training documents."""
        return {BY_FOLD: [self.min_count, self.min_df]} if self.fit_on == "fold" else {}


def _check(key: str, value: Any) -> None:
    """Raise ConfigError if a value of a ``features`` entry is invalid."""
    if key in _CHOICES:
        allowed = value in _CHOICES[key]
        remedy = f"choose one of {', '.join(_CHOICES[key])}"
    elif isinstance(getattr(FeatureSpec, key), bool):
        allowed = isinstance(value, bool)
        remedy = "write true or false"
    elif key == "vectors":
        allowed = value is None or isinstance(value, Mapping)
        remedy = "give settings by name"
    else:
        least = 0 if key == "max_slop" else 1
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= least
        allowed = whole or (key == "max_length" and value is None)
        remedy = f"give a whole number from {least}"
    if not allowed:
        raise ConfigError(f"features: {key}: {value!r} is not allowed; {remedy}")


def build_features(corpus: Corpus, spec: Mapping[str, Any]) -> Corpus:
    """Replace the text of a corpus by the features of a ``features`` entry, see `FeatureSpec`.

    Parameters
    ----------
    corpus : Corpus
        Corpus with text, or with a feature matrix if ``tokenizer`` is ``matrix``.
    spec : mapping of str to Any
        The ``features`` entry.

    Returns
    -------
    corpus : Corpus
        ``features`` is CSR of shape (N, V) with sorted indices: int32 counts of words or skip-grams, float32 scores of
        skip-grams (``weighting: score``), or float64 paragraph vectors. ``feature_names`` are words in code-point
        order, skip-grams in the order of `textmix.text.skipgrams.Skipgrams`, or ``vector 0``, ``vector 1``, ...
        ``info["features"]`` contains the numbers of tokens, distinct words and words after the cut-offs, and also the
        sum of the features (``tokens_kept``) for words, or the number of skip-grams of each length and slop.

    Notes ----- With ``tokenizer: matrix`` the corpus is returned unchanged. If a corpus was distributed as word counts
    (``counted_by`` in its `Corpus.info`), only the cut-offs ``min_count`` and ``min_df`` are applied; tokeniser and
    stop list are those of the program that produced the counts.
    """
    checked = FeatureSpec.from_mapping(spec)
    if checked.tokenizer == MATRIX:
        if corpus.features is None:
            raise ConfigError(f"features: tokenizer: {MATRIX}: {corpus.name} is text; choose a tokenizer")
        return corpus
    if corpus.features is not None and "counted_by" in corpus.info:
        return _cut_counts(corpus, corpus.features, checked)
    if corpus.text is None:
        raise ConfigError(f"features: {corpus.name} has no text to tokenise; use tokenizer: {MATRIX}")
    if checked.fit_on == "train" and corpus.split is None:
        raise ConfigError(f"features: fit_on: train: {corpus.name} comes without a split; use fit_on: all")
    return _featurize(corpus, corpus.text, checked)


def _cut_counts(corpus: Corpus, counts: sparse.csr_array, spec: FeatureSpec) -> Corpus:
    """Drop rare words from a corpus of counts, int32 CSR of shape (N, V)."""
    if spec.max_n > 1 or spec.vectors is not None or spec.keep_tokens or spec.keep_text:
        raise ConfigError(f"features: {corpus.name} holds counts without the order of words; count words alone")
    names = list(corpus.feature_names or ())
    deciding = counts[corpus.split == TRAIN] if spec.fit_on == "train" and corpus.split is not None else counts
    frequent = kept_words(deciding, names, frozenset(), *spec.cuts)
    features = counts[:, frequent]
    facts = {"tokens": int(counts.sum()), "words": len(names), "words_kept": int(frequent.sum()), **spec.facts()}
    if spec.weighting == "binary":
        features.data[:] = 1
    facts["tokens_kept"] = int(features.sum())
    return _filled(corpus, features, list(compress(names, frequent)), facts, (None, None))


def counts_of(tokens: Ragged, n_words: int, ordered: bool = True) -> sparse.csr_array:
    """Count each word in each document; return int32 CSR (N, ``n_words``), with sorted indices if ``ordered``."""
    counts, ids, indptr = count_words(tokens.values, tokens.offsets, n_words, ordered)
    # SciPy promotes both index arrays to the wider dtype, so a 64-bit indptr would double the size of the indices.
    indptr = indptr.astype(sparse.get_index_dtype(maxval=len(ids)))
    return sparse.csr_array((counts, ids, indptr), shape=(len(tokens), n_words))


def _words(text: Ragged, spec: FeatureSpec, ordered: bool = True) -> tuple[Ragged, list[str]]:
    """Tokenise and normalise words as specified; return the token stream and its vocabulary, sorted if ``ordered``."""
    tokens, words = tokenize(text, spec.tokenizer, spec.min_length, spec.max_length, ordered)
    if spec.edges == "strip":
        tokens, words = _without_empty(*rename(tokens, words, [word.strip(punctuation) for word in words]))
    if spec.lowercase:
        tokens, words = rename(tokens, words, [word.lower() for word in words])
    return rename(tokens, words, lemmas(words)) if spec.lemmatise else (tokens, words)


def _without_empty(tokens: Ragged, words: list[str]) -> tuple[Ragged, list[str]]:
    """Remove the empty word from a token stream; the words are in code-point order."""
    if not words or words[0]:
        return tokens, words
    return restrict(tokens, np.arange(len(words)) > 0), words[1:]


def _count_in_blocks(text: Ragged, spec: FeatureSpec) -> tuple[sparse.csr_array, list[str], int]:
    """Count words in blocks of text; return int32 CSR of shape (N, V), the vocabulary and the number of tokens."""
    column_of: dict[str, int] = {}
    lengths = [np.zeros(1, dtype=np.int64)]
    n_tokens = 0
    ids = np.empty(0, dtype=np.int32)
    data = np.empty(0, dtype=np.int32)
    for block in _blocks(text):
        tokens, words = _words(block, spec, ordered=False)
        counts = counts_of(tokens, len(words), ordered=False)
        columns = np.array([column_of.setdefault(word, len(column_of)) for word in words], dtype=np.int32)
        lengths.append(np.diff(counts.indptr))
        for whole, part in ((ids, columns[counts.indices]), (data, counts.data)):
            # Resize in place if possible: a second copy would dominate the memory use.
            whole.resize(len(whole) + len(part), refcheck=False)
            whole[len(whole) - len(part) :] = part
        n_tokens += len(tokens.values)
    names = sorted(column_of)
    rank = np.empty(len(names), dtype=np.int32)
    rank[[column_of[name] for name in names]] = np.arange(len(names), dtype=np.int32)
    for start in range(0, len(ids), BLOCK):
        ids[start : start + BLOCK] = rank[ids[start : start + BLOCK]]
    indptr = np.cumsum(np.concatenate(lengths)).astype(sparse.get_index_dtype(maxval=len(ids)))
    sorted_counts = sparse.csr_array((data, ids, indptr), shape=(len(text), len(names)))
    sorted_counts.sort_indices()
    return sorted_counts, names, n_tokens


def _blocks(text: Ragged) -> Iterator[Ragged]:
    """Yield the documents in blocks of at most `BLOCK` bytes; a longer document forms its own block."""
    first = 0
    while first < len(text) or first == 0:
        last = int(np.searchsorted(text.offsets, text.offsets[first] + BLOCK, side="right")) - 1
        last = min(max(last, first + 1), len(text))
        offsets = np.asarray(text.offsets[first : last + 1])
        yield Ragged(text.values[offsets[0] : offsets[-1]], offsets - offsets[0])
        first = max(last, 1)


def count_known(text: Ragged, spec: FeatureSpec, column_of: Mapping[str, int]) -> sparse.csr_array:
    """Count the words of a fitted vocabulary in new documents.

    A document gets the same counts as if it had been part of the corpus that `build_features` used to create the
    vocabulary with ``spec``. The features must be words (``max_n`` 1, no ``vectors``); cut-offs and stop list are not
    applied again.

    Returns
    -------
    X : csr_array of shape (N, V), int32
        Counts with sorted indices.
    """
    counts = counts_of(known_tokens(text, spec, column_of), len(column_of))
    if spec.weighting == "binary":
        counts.data[:] = 1
    return counts


def known_tokens(text: Ragged, spec: FeatureSpec, column_of: Mapping[str, int]) -> Ragged:
    """Return the in-vocabulary words of new documents in order, as column indices; parameters as in `count_known`."""
    tokens, words = _words(clean_messages(text, spec.skip_header, spec.skip_uuencoded), spec, ordered=False)
    return renumber(tokens, np.array([column_of.get(word, -1) for word in words], dtype=np.int32))


def _featurize(corpus: Corpus, text: Ragged, spec: FeatureSpec) -> Corpus:
    """Extract the features of a corpus for a validated specification."""
    text = clean_messages(text, spec.skip_header, spec.skip_uuencoded)
    in_order = spec.max_n > 1 or spec.vectors is not None
    if in_order or spec.keep_tokens:
        tokens, words = _words(text, spec)
        counts = counts_of(tokens, len(words))
        n_tokens = len(tokens.values)
    else:
        counts, words, n_tokens = _count_in_blocks(text, spec)
    deciding = np.ones(len(text), dtype=bool)
    if spec.fit_on == "train" and corpus.split is not None:
        deciding = corpus.split == TRAIN
    least_count, least_documents = spec.cuts
    # Copy the counts only if a subset of the documents is used: the counts of large corpora dominate the memory use.
    deciding_counts = counts if deciding.all() else counts[deciding]
    least = (least_count, least_documents if spec.max_n == 1 else 1)
    frequent = kept_words(deciding_counts, words, stop_words(spec.stop_list), *least)
    names = list(compress(words, frequent))
    kept_text = text if spec.keep_text else None
    facts = {"tokens": n_tokens, "words": len(words), "words_kept": int(frequent.sum()), **spec.facts()}
    if spec.max_n > 1 and least_count == 1:
        # Words that do not occur in the fitting documents are not features, but still separate their neighbours.
        frequent = kept_words(counts, words, stop_words(spec.stop_list), 1, 1)
        names = list(compress(words, frequent))
    if in_order:
        del counts
        features, names, more = _sequences(restrict(tokens, frequent), names, deciding, spec)
        return _filled(corpus, features, names, {**facts, **more}, (kept_text, None))
    features = counts if frequent.all() else counts[:, frequent]
    if spec.weighting == "binary":
        features.data[:] = 1
    stream = restrict(tokens, frequent) if spec.keep_tokens else None
    all_facts = {**facts, "tokens_kept": int(features.sum())}
    return _filled(corpus, features, names, all_facts, (kept_text, stream))


def _sequences(
    tokens: Ragged, words: list[str], deciding: np.ndarray, spec: FeatureSpec
) -> tuple[sparse.csr_array, list[str], dict[str, Any]]:
    """Extract features that depend on word order (skip-grams or paragraph vectors), with their names and metadata."""
    if spec.vectors is not None:
        vectors = paragraph_vectors(tokens, VectorSpec.from_mapping(spec.vectors))
        return sparse.csr_array(vectors), [f"vector {column}" for column in range(vectors.shape[1])], {}
    if spec.boundary_tokens:
        tokens, words = with_boundary_tokens(tokens, words)
    grams = Skipgrams(spec.max_n, spec.max_slop, spec.cuts[1], spec.subsume).fit(tokens, len(words), deciding)
    features = grams.transform(tokens, spec.weighting)
    names = grams.names(words)
    facts = {"skipgrams": grams.sizes()}
    scale_to_unit(features, deciding, spec.scaling)
    if not spec.boundary_tokens:
        return features, names, facts
    kept = grams.beyond(range(len(words) - len(BOUNDARY_TOKENS), len(words)))
    return features[:, kept], list(compress(names, kept)), facts


def _filled(
    corpus: Corpus,
    features: sparse.csr_array,
    names: list[str],
    facts: dict[str, Any],
    beside: tuple[Ragged | None, Ragged | None],
) -> Corpus:
    """Return the corpus with features; ``beside`` contains the text and the token stream to keep, or None."""
    info = {**corpus.info, "features": facts}
    return replace(corpus, text=beside[0], tokens=beside[1], features=features, feature_names=names, info=info)
