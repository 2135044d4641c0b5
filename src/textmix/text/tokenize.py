"""Tokenizers by name: convert text to a stream of word ids and a vocabulary in alphabetical order.

A tokenizer defines which characters form words and how they are case-folded; every other character ends a word.

- ``letters``: runs of ASCII letters, in lower case: the default lexer of Rainbow (libbow, lex-simple.c).
- ``words``: runs of ASCII letters and digits, in lower case: Rainbow's ``--lex-alphanum``.
- ``whitespace``: runs of characters other than spaces, tabs, line ends, form feeds and NUL, unchanged: ``--lex-white``.
- ``unicode``: runs of Unicode letters, marks and digits (categories L, M, N), case-folded, in normal form C.
- ``treebank``: words, clitics and punctuation as in `textmix.text.treebank`, in their original case.
- ``scripts``: like ``unicode``, but each character of a script without spaces between words (`UNSPACED`) is a word.
- ``characters``: each character, including punctuation, is a word; case-folded, normal form C; spaces become `BLANK`.
- ``tags``: the part-of-speech tag of each word of ``treebank``, as in `textmix.text.treebank`.

``unicode``, ``scripts`` and ``characters`` drop invisible characters that do not separate words (`INVISIBLE`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.text import token_kernels as kernels
from textmix.text.treebank import document_tags, treebank_words

#: A maximum length that no word can exceed.
NO_LIMIT = np.iinfo(np.int64).max
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_BLANKS = b"\0 \t\n\r\f\v"
#: Character that represents the space between two words if characters are counted.
BLANK = "␣"
#: Prefixes of the Unicode names of characters in scripts without spaces between words.
UNSPACED = ("CJK ", "HIRAGANA ", "KATAKANA", "THAI ", "LAO ", "KHMER ", "MYANMAR ", "HALFWIDTH KATAKANA", "TAI ")


#: Soft hyphen, joiners, directional marks and variation selectors: they occur within words without changing them.
_FORMATS = ((0x180B, 0x1810), (0x200C, 0x2010), (0x202A, 0x202F), (0x2060, 0x2070), (0xFE00, 0xFE10))
INVISIBLE = dict.fromkeys([0xAD, 0x34F, 0x61C, 0xFEFF, *(code for span in _FORMATS for code in range(*span))])


def _folded(text: str) -> str:
    """Case-fold a text, convert it to normal form C and remove invisible characters."""
    return unicodedata.normalize("NFC", text.casefold().translate(INVISIBLE))


def _fold_table(unchanged: bytes, lower: bytes = b"") -> np.ndarray:
    """Create a fold table that preserves ``unchanged`` bytes and converts letters in ``lower`` to lower case."""
    table = np.zeros(256, dtype=np.uint8)
    table[list(unchanged + lower)] = list(unchanged + lower)
    table[list(lower.upper())] = list(lower)
    return _frozen(table)


def _frozen(array: np.ndarray) -> np.ndarray:
    """Return a read-only view as a plain array."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


class _Folding(dict[int, str]):
    """Table for ``str.translate`` that keeps letters, marks and digits and replaces other characters by a space."""

    def __init__(self, apart: bool = False) -> None:
        super().__init__()
        self.apart = apart

    def __missing__(self, code: int) -> str:
        """Compute the entry of a code point: its character or a space."""
        character = chr(code)
        self[code] = character if unicodedata.category(character)[0] in "LMN" else " "
        if self.apart and is_unspaced(character):
            self[code] = f" {character} "
        return self[code]


def is_unspaced(character: str) -> bool:
    """Check whether a character is a letter of a script without spaces between words."""
    return unicodedata.name(character, "").startswith(UNSPACED) and unicodedata.category(character)[0] in "LM"


def _blank_non_words(text: Ragged, apart: bool = False) -> Ragged:
    """Case-fold documents that are not pure ASCII and replace their non-word characters by spaces."""
    offsets = text.offsets
    table = _Folding(apart)
    end = 0
    wide = np.flatnonzero(text.values >= 0x80)
    parts = list[np.ndarray]()
    lengths = np.diff(offsets)
    for row in np.unique(np.searchsorted(offsets, wide, side="right") - 1).tolist():
        folded = _folded(text.text(row)).translate(table).encode("utf-8")
        parts += [text.values[end : offsets[row]], np.frombuffer(folded, dtype=np.uint8)]
        lengths[row], end = len(folded), offsets[row + 1]
    if not parts:
        return text
    return Ragged(np.concatenate([*parts, text.values[end:]]), np.concatenate([[0], np.cumsum(lengths)]))


def _cut_scripts(text: Ragged) -> Ragged:
    """Do as `_blank_non_words` and also separate the characters of scripts without spaces between words."""
    return _blank_non_words(text, apart=True)


def _cut_characters(text: Ragged) -> Ragged:
    """Case-fold a text, add a space after each character, and replace each run of white space by `BLANK`."""
    folded = (_folded(text.text(row)).split() for row in range(len(text)))
    return Ragged.from_texts(" ".join(BLANK.join(words)).encode("utf-8") for words in folded)


def _cut_as_treebank(text: Ragged) -> Ragged:
    """Separate the words of `textmix.text.treebank` by spaces."""
    return Ragged.from_texts(" ".join(treebank_words(text.text(row))).encode("utf-8") for row in range(len(text)))


def _as_tags(text: Ragged) -> Ragged:
    """Replace a text by its part-of-speech tags (`textmix.text.treebank`), separated by spaces."""
    return Ragged.from_texts(" ".join(document_tags(text.text(row))).encode("utf-8") for row in range(len(text)))


@dataclass(frozen=True)
class Tokenizer:
    """An optional text transformation, followed by a fold table over UTF-8 bytes, uint8 (256,)."""

    fold: np.ndarray
    prepare: Callable[[Ragged], Ragged] | None = None


_NOT_BLANK = _fold_table(bytes(set(range(256)) - set(_BLANKS)))
#: ASCII letters and digits, converted to lower case, and all bytes of multi-byte characters.
_WORDS = _fold_table(_DIGITS + bytes(range(0x80, 0x100)), _LETTERS)
TOKENIZERS = {
    "letters": Tokenizer(_fold_table(b"", _LETTERS)),
    "words": Tokenizer(_fold_table(_DIGITS, _LETTERS)),
    "whitespace": Tokenizer(_NOT_BLANK),
    "unicode": Tokenizer(_WORDS, _blank_non_words),
    "treebank": Tokenizer(_NOT_BLANK, _cut_as_treebank),
    "scripts": Tokenizer(_WORDS, _cut_scripts),
    "characters": Tokenizer(_NOT_BLANK, _cut_characters),
    "tags": Tokenizer(_NOT_BLANK, _as_tags),
}


def tokenize(
    text: Ragged, tokenizer: str, min_length: int = 1, max_length: int | None = None, ordered: bool = True
) -> tuple[Ragged, list[str]]:
    """Tokenise N documents.

    Parameters
    ----------
    text : Ragged
        UTF-8 text of the documents.
    tokenizer : str
        Key of `TOKENIZERS`.
    min_length : int, default=1
        Minimum length of a word in characters (Rainbow: 2).
    max_length : int or None, default=None
        Maximum length of a word in characters (Rainbow: 99); None means no maximum.
    ordered : bool, default=True
        Whether the vocabulary is in code-point order; otherwise words are in the order of their first occurrence.

    Returns
    -------
    tokens : Ragged
        Word ids, int32, in the order of the text.
    words : list of str
        Vocabulary of V words.
    """
    if tokenizer not in TOKENIZERS:
        raise ConfigError(f"features: tokenizer: {tokenizer!r} is unknown; choose one of {', '.join(TOKENIZERS)}")
    kind = TOKENIZERS[tokenizer]
    text = kind.prepare(text) if kind.prepare else text
    values = _frozen(text.values)
    offsets = _frozen(text.offsets)
    longest = NO_LIMIT if max_length is None else max_length
    ids, token_offsets, starts, lengths = kernels.tokenize(values, offsets, kind.fold, min_length, longest)
    words = kernels.join_words(values, kind.fold, starts, lengths).tobytes().decode("utf-8").split("\0")[:-1]
    if not ordered:
        return Ragged(ids, token_offsets), words
    order = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words), dtype=np.int32)
    rank[order] = np.arange(len(words), dtype=np.int32)
    return Ragged(rank[ids], token_offsets), [words[word] for word in order]
