"""Tokenizers by name: from text to a stream of word ids and a vocabulary in alphabetical order.

A tokenizer states which characters form words and how they are folded; every other character ends a word.

- ``letters``: runs of ASCII letters, in lower case: the default lexer of Rainbow (libbow, lex-simple.c).
- ``words``: runs of ASCII letters and digits, in lower case: Rainbow's ``--lex-alphanum``.
- ``whitespace``: runs of characters other than blanks, tabs, line ends, form feeds and NUL, unchanged: ``--lex-white``.
- ``unicode``: runs of Unicode letters, marks and digits (categories L, M, N), case-folded, in normal form C.
- ``treebank``: words, clitics and punctuation as in `textmix.text.treebank`, in their original case.
- ``scripts``: as ``unicode``, and each character of a script that sets no blanks between words (`UNSPACED`) is a word.
- ``characters``: each character is a word, punctuation too, case-folded, in normal form C; `BLANK` is one for blanks.
- ``tags``: the part-of-speech tag of each word of ``treebank``, as in `textmix.text.treebank`.

``unicode``, ``scripts`` and ``characters`` drop characters that nobody sees and that part no words (`INVISIBLE`).
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

#: A maximum length that no word exceeds.
NO_LIMIT = np.iinfo(np.int64).max
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_BLANKS = b"\0 \t\n\r\f\v"
#: The character that represents the blank between two words where characters are counted.
BLANK = "␣"
#: How the Unicode names of characters begin in the scripts that set no blanks between words.
UNSPACED = ("CJK ", "HIRAGANA ", "KATAKANA", "THAI ", "LAO ", "KHMER ", "MYANMAR ", "HALFWIDTH KATAKANA", "TAI ")


#: Soft hyphen, joiners, marks of direction and variation selectors: they stand within words and change none.
_FORMATS = ((0x180B, 0x1810), (0x200C, 0x2010), (0x202A, 0x202F), (0x2060, 0x2070), (0xFE00, 0xFE10))
INVISIBLE = dict.fromkeys([0xAD, 0x34F, 0x61C, 0xFEFF, *(code for span in _FORMATS for code in range(*span))])


def _folded(text: str) -> str:
    """Return a text case-folded, in normal form C, without invisible characters."""
    return unicodedata.normalize("NFC", text.casefold().translate(INVISIBLE))


def _fold_table(unchanged: bytes, lower: bytes = b"") -> np.ndarray:
    """Return a fold table that keeps ``unchanged`` bytes, and puts letters in ``lower`` case."""
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
    """A table for ``str.translate``: letters, marks and digits stay, every other character becomes a blank."""

    def __init__(self, apart: bool = False) -> None:
        super().__init__()
        self.apart = apart

    def __missing__(self, code: int) -> str:
        """Make the entry of a code point: its character or a blank."""
        character = chr(code)
        self[code] = character if unicodedata.category(character)[0] in "LMN" else " "
        if self.apart and is_unspaced(character):
            self[code] = f" {character} "
        return self[code]


def is_unspaced(character: str) -> bool:
    """Return whether a character is a letter of a script that sets no blanks between words."""
    return unicodedata.name(character, "").startswith(UNSPACED) and unicodedata.category(character)[0] in "LM"


def _blank_non_words(text: Ragged, apart: bool = False) -> Ragged:
    """Return text in which the documents that are not all ASCII are case-folded, with blanks around their words."""
    offsets, table, end = text.offsets, _Folding(apart), 0
    wide = np.flatnonzero(text.values >= 0x80)
    parts, lengths = list[np.ndarray](), np.diff(offsets)
    for row in np.unique(np.searchsorted(offsets, wide, side="right") - 1).tolist():
        folded = _folded(text.text(row)).translate(table).encode("utf-8")
        parts += [text.values[end : offsets[row]], np.frombuffer(folded, dtype=np.uint8)]
        lengths[row], end = len(folded), offsets[row + 1]
    if not parts:
        return text
    return Ragged(np.concatenate([*parts, text.values[end:]]), np.concatenate([[0], np.cumsum(lengths)]))


def _cut_scripts(text: Ragged) -> Ragged:
    """Return text as `_blank_non_words` does, with blanks around each character of a script that sets none."""
    return _blank_non_words(text, apart=True)


def _cut_characters(text: Ragged) -> Ragged:
    """Return case-folded text with a blank after each character, and `BLANK` in place of each run of blanks."""
    folded = (_folded(text.text(row)).split() for row in range(len(text)))
    return Ragged.from_texts(" ".join(BLANK.join(words)).encode("utf-8") for words in folded)


def _cut_as_treebank(text: Ragged) -> Ragged:
    """Return text in which blanks stand between the words of `textmix.text.treebank`."""
    return Ragged.from_texts(" ".join(treebank_words(text.text(row))).encode("utf-8") for row in range(len(text)))


def _as_tags(text: Ragged) -> Ragged:
    """Return the tags of `textmix.text.treebank` with blanks between them in place of the text."""
    return Ragged.from_texts(" ".join(document_tags(text.text(row))).encode("utf-8") for row in range(len(text)))


@dataclass(frozen=True)
class Tokenizer:
    """An optional change of the text, and then a fold table over the bytes of UTF-8, uint8 (256,)."""

    fold: np.ndarray
    prepare: Callable[[Ragged], Ragged] | None = None


_NOT_BLANK = _fold_table(bytes(set(range(256)) - set(_BLANKS)))
#: ASCII letters and digits, in lower case, and every byte of a longer character.
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
    """Return the token stream of N documents, int32 ids in the order of the text, and its vocabulary of V words.

    ``tokenizer`` is a name in `TOKENIZERS`.  Words of fewer characters than ``min_length`` or more than ``max_length``
    (Rainbow: 2 and 99; None: no limit) are dropped.  Words are in the order of their code points if ``ordered``, else
    of their first occurrence.
    """
    if tokenizer not in TOKENIZERS:
        raise ConfigError(f"features: tokenizer: {tokenizer!r} is unknown; choose one of {', '.join(TOKENIZERS)}")
    kind = TOKENIZERS[tokenizer]
    text = kind.prepare(text) if kind.prepare else text
    values, offsets = _frozen(text.values), _frozen(text.offsets)
    longest = NO_LIMIT if max_length is None else max_length
    ids, token_offsets, starts, lengths = kernels.tokenize(values, offsets, kind.fold, min_length, longest)
    words = kernels.join_words(values, kind.fold, starts, lengths).tobytes().decode("utf-8").split("\0")[:-1]
    if not ordered:
        return Ragged(ids, token_offsets), words
    order = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words), dtype=np.int32)
    rank[order] = np.arange(len(words), dtype=np.int32)
    return Ragged(rank[ids], token_offsets), [words[word] for word in order]
