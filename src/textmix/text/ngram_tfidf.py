"""`NgramTfidf`: TF-IDF of word and character n-grams, the standard features of linear text classifiers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.text import ngram_kernels as kernels
from textmix.text.text_validation import strings_of
from textmix.text.word_vectorizer import OfTexts

#: Bits of a key, maximum number of distinct characters, and prefix of character n-grams, which no word contains.
BITS = 62
ALPHABET = 4095
MARK = "'"
#: Maximum number of characters of text used to select features; larger collections are subsampled at regular steps.
LOOKED_AT = 40_000_000
_WORD = re.compile(r"\w\w+")
#: Kind of character n-grams within words, and the separator of padded words, which no n-gram contains.
CHAR_WB = "char_wb"
WORD_SEPARATOR = "\0"


class NoFeaturesError(ConfigError):
    """Raised if no word or character n-gram reaches the minimum document frequency."""


class NgramTfidf(OfTexts):
    """TF-IDF of word n-grams and character n-grams, concatenated, with each part L2-normalised.

    With ``words=(1, 2)``, ``characters=(3, 5)``, ``char_wb=True`` and ``min_df=(1, 2)``, the result is that of a
    `sklearn.pipeline.FeatureUnion` of two `sklearn.feature_extraction.text.TfidfVectorizer` with ``sublinear_tf=True``:
    one with ``ngram_range=(1, 2)``, and one with ``analyzer="char_wb"``, ``ngram_range=(3, 5)`` and ``min_df=2``.

    Parameters
    ----------
    words : (int, int) or None, default=(1, 2)
        Smallest and largest n of the word n-grams; None for no words. A word is a run of two or more letters, digits
        and underscores.
    characters : (int, int) or None, default=(2, 5)
        Smallest and largest n of the character n-grams; None for no characters. Whitespace is collapsed to one space.
    min_df : int or (int, int), default=2
        Minimum document frequency of all n-grams, or of word n-grams and of character n-grams.
    max_features : int, default=None
        Maximum number of features, by document frequency; None for no limit.
    sublinear : bool, default=True
        Whether a count c is replaced by 1 + log c.
    weighted : bool, default=True
        Whether features are weighted by idf = 1 + log((1 + N) / (1 + df)) and normalised; otherwise they are counts.
    binary : bool, default=False
        Whether all counts are replaced by 1.
    char_wb : bool, default=False
        Whether character n-grams stay within words, which are padded with a space on each side.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Column of each feature; character n-grams are prefixed with an apostrophe.
    idf_ : ndarray of shape (n_features,)
        Inverse document frequencies.
    """

    def __init__(
        self,
        *,
        words: tuple[int, int] | None = (1, 2),
        characters: tuple[int, int] | None = (2, 5),
        min_df: int | tuple[int, int] = 2,
        max_features: int | None = None,
        sublinear: bool = True,
        weighted: bool = True,
        binary: bool = False,
        char_wb: bool = False,
    ) -> None:
        self.words = words
        self.characters = characters
        self.min_df = min_df
        self.max_features = max_features
        self.sublinear = sublinear
        self.weighted = weighted
        self.binary = binary
        self.char_wb = char_wb

    def fit_transform(self, raw_documents: Iterable[str] | Ragged, y: Any = None) -> sparse.csr_array:
        """Learn the vocabulary and return the document-term matrix.

        Parameters
        ----------
        raw_documents : iterable of str or Ragged
            The N training texts.
        y : object, default=None
            Ignored.

        Returns
        -------
        X : csr_array of shape (N, V), float64

        Raises
        ------
        ConfigError
            If both ``words`` and ``characters`` are None.
        NoFeaturesError
            If no feature remains.
        ValueError
            If a text is not a string.
        """
        texts = _lowered(raw_documents)
        step = max(1, -(-sum(map(len, texts)) // LOOKED_AT))
        parts = [_Part.learn(kind, span, texts[::step], self._min_df_of(kind)) for kind, span in self._spans()]
        parts = [part for part in parts if len(part.names)]
        if not parts:
            raise NoFeaturesError("ngrams: no run of words or characters is in enough documents; lower min_df")
        if self.max_features is not None:
            frequencies = np.concatenate([part.documents for part in parts])
            if len(frequencies) > self.max_features:
                # Features that occur in a single document are tied in frequency and are dropped together.
                least = max(np.sort(frequencies)[-self.max_features], 2)
                parts = [part.at_least(int(least)) for part in parts]
        names = [name for part in parts for name in part.names]
        self.vocabulary_ = {name: column for column, name in enumerate(names)}
        self._parts = parts
        counts = self._counts(texts)
        n = counts.shape[0]
        found = np.bincount(counts.indices, minlength=counts.shape[1])
        self.idf_ = _idf(n, found)
        return self._weigh(counts)

    def transform(self, raw_documents: Iterable[str] | Ragged) -> sparse.csr_array:
        """Return the features of N texts as float64 CSR of shape (N, V)."""
        check_is_fitted(self)
        if not hasattr(self, "_parts"):
            self._parts = [_Part.known(kind, span, list(self.vocabulary_)) for kind, span in self._spans()]
            self._parts = [part for part in self._parts if len(part.names)]
        return self._weigh(self._counts(_lowered(raw_documents)))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features, object array of shape (V,); ``input_features`` is ignored."""
        check_is_fitted(self)
        return np.array(list(self.vocabulary_), dtype=object)

    def _spans(self) -> list[tuple[str, tuple[int, int]]]:
        """Return the type and n-gram range of each part; raise ConfigError if both are None or a range is invalid."""
        characters = CHAR_WB if self.char_wb else "characters"
        ranges = (("words", self.words), (characters, self.characters))
        spans = [(kind, (span[0], span[1])) for kind, span in ranges if span]
        if not spans or not all(1 <= least <= most <= 8 for _, (least, most) in spans):
            raise ConfigError("ngrams: words and characters are None or two lengths from 1 to 8; give at least one")
        return spans

    def _min_df_of(self, kind: str) -> int:
        """Return the minimum document frequency of word or character n-grams."""
        if isinstance(self.min_df, int):
            return self.min_df
        return self.min_df[0] if kind == "words" else self.min_df[1]

    def _counts(self, texts: Sequence[str]) -> sparse.csr_array:
        """Count the n-grams of the vocabulary; return float64 CSR of shape (N, V)."""
        found = [part.count(texts) for part in self._parts]
        if len(found) == 1:
            return found[0]
        first = found[0].shape[1]
        parts = [(each.indptr, each.indices, each.data) for each in found]
        indptr, indices, data = kernels.joined(*parts[0], *parts[1], first)
        return _csr(indptr, indices, data, (len(texts), first + found[1].shape[1]))

    def refitted(self, X: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
        """Recompute the features X of N texts as if fitted to ``rows`` only, CSR (N, V); too rare features become 0."""
        found = np.bincount(X[rows].indices, minlength=X.shape[1])
        least = np.concatenate([np.full(len(part.names), self._min_df_of(part.kind)) for part in self._parts])
        indptr, indices, data = kernels.without(X.indptr, X.indices, X.data, found >= least)
        if self.weighted:
            weights = (_idf(len(rows), found) / self.idf_).astype(X.dtype)
            kernels.weigh(indptr, indices, data, weights, self._first(X))
        return sparse.csr_array((data, indices, indptr), shape=X.shape)

    def _weigh(self, X: sparse.csr_array) -> sparse.csr_array:
        """Apply the TF-IDF weighting to counts, in place, and return them."""
        if self.binary:
            X.data[:] = 1.0
        elif self.sublinear:
            np.log(X.data, out=X.data)
            X.data += 1.0
        if self.weighted:
            kernels.weigh(X.indptr, X.indices, X.data, self.idf_, self._first(X))
        return X

    def _first(self, X: sparse.csr_array) -> int:
        """Return the first column of character n-grams if both parts are present, else the number of columns."""
        return len(self._parts[0].names) if len(self._parts) > 1 else X.shape[1]

    def _check_loaded(self) -> None:
        names = list(self.vocabulary_)
        marked = [name.startswith(MARK) for name in names]
        if marked != sorted(marked) or (self.words is None and not all(marked)):
            raise ValueError("the features are not those of words, and then those of characters")
        self._spans()


class _Part:
    """Word or character n-grams with n in ``span``; symbols are numbered from 1.

    Attributes
    ----------
    keys : ndarray of shape (V,), int64
        Integer key of each n-gram.
    documents : ndarray of shape (V,), int32
        Document frequency of each n-gram; empty if not counted.
    """

    def __init__(
        self,
        kind: str,
        span: tuple[int, int],
        symbols: dict[str, int],
        *,
        keys: np.ndarray,
        documents: np.ndarray,
        names: list[str],
    ) -> None:
        self.kind = kind
        self.span = span
        self.symbols = symbols
        self.keys = keys
        self.documents = documents
        self.names = names
        self.bits = BITS // span[1]
        self.table = kernels.table_of(keys)

    @classmethod
    def learn(cls, kind: str, span: tuple[int, int], texts: Sequence[str], least: int) -> Self:
        """Select the n-grams with document frequency >= ``least``, in decreasing order of document frequency."""
        bits = BITS // span[1]
        frequency: Counter[str] = Counter()
        for text in texts:
            frequency.update(_WORD.findall(text) if kind == "words" else text)
        if kind == CHAR_WB:
            frequency[" "] += 1  # words are padded with spaces, even if no text contains one
            del frequency[WORD_SEPARATOR]
        most = min(2**31 - 2 if kind == "words" else ALPHABET, 2**bits - 1)
        ordered = sorted(frequency, key=lambda symbol: (-frequency[symbol], symbol))[:most]
        symbols = {symbol: number for number, symbol in enumerate(ordered, start=1)}
        keys, documents = kernels.document_frequencies(*_numbered(kind, texts, symbols), bits, *span)
        kept = documents >= least
        keys = keys[kept]
        documents = documents[kept]
        order = np.lexsort((keys, -documents))
        keys = keys[order]
        documents = documents[order]
        return cls(kind, span, symbols, keys=keys, documents=documents, names=_names(kind, keys, bits, ordered))

    @classmethod
    def known(cls, kind: str, span: tuple[int, int], names: Sequence[str]) -> Self:
        """Select the n-grams of one type from a vocabulary, in its order."""
        if kind == "words":
            names = [name for name in names if not name.startswith(MARK)]
            runs: list[Sequence[str]] = [name.split(" ") for name in names]
        else:
            names = [name for name in names if name.startswith(MARK)]
            runs = [name[1:] for name in names]
        bits = BITS // span[1]
        symbols = dict[str, int]()
        keys = np.zeros(len(runs), dtype=np.int64)
        for row, run in enumerate(runs):
            key = 0
            for symbol in run:
                key = key << bits | symbols.setdefault(symbol, len(symbols) + 1)
            if len(run) > span[1] or len(symbols) >= 2**bits:
                raise ValueError(f"the feature {names[row]!r} is no run of {span[0]} to {span[1]} {kind}")
            keys[row] = key
        return cls(kind, span, symbols, keys=keys, documents=np.empty(0, np.int32), names=list(names))

    def at_least(self, documents: int) -> _Part:
        """Return the part restricted to n-grams with document frequency >= ``documents``."""
        kept = self.documents >= documents
        names = [name for name, keep in zip(self.names, kept.tolist(), strict=True) if keep]
        rest = {"keys": self.keys[kept], "documents": self.documents[kept], "names": names}
        return _Part(self.kind, self.span, self.symbols, **rest)  # type: ignore[arg-type]

    def count(self, texts: Sequence[str]) -> sparse.csr_array:
        """Count the n-grams in N texts; return float64 CSR of shape (N, V) with sorted indices."""
        numbers = _numbered(self.kind, texts, self.symbols)
        room = int(self.documents.sum())
        indptr, indices, data = kernels.count_known(
            *numbers, self.bits, *self.span, *self.table, len(self.names), room or len(numbers[0])
        )
        found = _csr(indptr, indices, data, (len(texts), len(self.names)))
        found.sort_indices()
        return found


def _csr(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, shape: tuple[int, int]) -> sparse.csr_array:
    """Create a CSR matrix from its arrays, with an int32 index pointer if it fits."""
    ends = indptr.astype(np.int32) if len(data) < 2**31 else indptr
    return sparse.csr_array((data, indices, ends), shape=shape)


def _idf(n: int, found: np.ndarray) -> np.ndarray:
    """Compute inverse document frequencies, float64 (V,), from document frequencies in N documents."""
    return np.asarray(np.log((1.0 + n) / (1.0 + found)) + 1.0)


def _lowered(raw_documents: Iterable[str] | Ragged) -> list[str]:
    """Convert texts to lower case and collapse white space."""
    if isinstance(raw_documents, Ragged):
        return [" ".join(raw_documents.text(row).lower().split()) for row in range(len(raw_documents))]
    return [" ".join(text.lower().split()) for text in strings_of(raw_documents)]


def _numbered(kind: str, texts: Sequence[str], symbols: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Encode N texts as symbol ids, int32; also return the start of each text, int64 (N + 1,)."""
    if kind == "words":
        runs = [[symbols.get(word, 0) for word in _WORD.findall(text)] for text in texts]
        values = np.array([number for run in runs for number in run], dtype=np.int32)
        return values, np.concatenate([[0], np.cumsum([len(run) for run in runs])]).astype(np.int64)
    if kind == CHAR_WB:
        texts = [WORD_SEPARATOR.join(f" {word} " for word in text.split()) for text in texts]
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    number_of = np.zeros(max(map(ord, symbols), default=0) + 2, dtype=np.int32)
    for symbol, number in symbols.items():
        number_of[ord(symbol)] = number
    values = number_of[np.minimum(codes, len(number_of) - 1)]
    return values, np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)


def _names(kind: str, keys: np.ndarray, bits: int, ordered: Sequence[str]) -> list[str]:
    """Decode keys to the names of their features."""
    mask = (1 << bits) - 1
    names = []
    between, mark = (" ", "") if kind == "words" else ("", MARK)
    for key in keys.tolist():
        run = []
        rest = key
        while rest:
            run.append(ordered[(rest & mask) - 1])
            rest >>= bits
        names.append(mark + between.join(reversed(run)))
    return names
