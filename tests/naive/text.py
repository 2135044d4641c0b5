"""Words and counts by their definition, with regular expressions and dictionaries."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence

from textmix.text.tokenize import INVISIBLE, is_unspaced
from textmix.text.treebank import document_tags, treebank_words

ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _folded(document: str) -> str:
    shown = "".join(character for character in document.casefold() if ord(character) not in INVISIBLE)
    return unicodedata.normalize("NFC", shown)


def _unicode_words(document: str) -> list[str]:
    folded = _folded(document)
    groups = itertools.groupby(folded, key=lambda character: unicodedata.category(character)[0] in "LMN")
    return ["".join(group) for is_word, group in groups if is_word]


def _script_words(document: str) -> list[str]:
    found: list[str] = []
    for word in _unicode_words(document):
        joined = False
        for character in word:
            apart = is_unspaced(character)
            if joined and not apart:
                found[-1] += character
            else:
                found.append(character)
            joined = not apart
    return found


def _characters(document: str) -> list[str]:
    folded = _folded(document)
    return [character for character in "␣".join(folded.split()) if character != "\0"]


WORDS = {
    "scripts": _script_words,
    "characters": _characters,
    "letters": lambda document: re.findall("[a-z]+", document.translate(ASCII_LOWER)),
    "words": lambda document: re.findall("[a-z0-9]+", document.translate(ASCII_LOWER)),
    "whitespace": lambda document: re.findall("[^\0 \t\n\r\f\v]+", document),
    "unicode": _unicode_words,
    # Words and tags have their own tests; here it passes through the kernel.
    "treebank": treebank_words,
    "tags": document_tags,
}


def tokens(document: str, tokenizer: str, min_length: int = 1, max_length: float = float("inf")) -> list[str]:
    return [word for word in WORDS[tokenizer](document) if min_length <= len(word) <= max_length]


def vocabulary(
    documents: Sequence[Sequence[str]], stop_words: Collection[str], min_count: int, min_df: int
) -> list[str]:
    occurrences = Counter(word for document in documents for word in document)
    frequencies = Counter(word for document in documents for word in set(document))
    return sorted(
        word
        for word in occurrences
        if occurrences[word] >= min_count and frequencies[word] >= min_df and word not in stop_words
    )


def counts(documents: Sequence[Sequence[str]], words: Sequence[str]) -> list[list[int]]:
    return [[list(document).count(word) for word in words] for document in documents]


def is_uuencoded(document: bytes) -> bool:
    probe = document[:4096]
    lines = [len(line) for line in re.findall(rb"([^\n]*)\n", probe)]
    blanks = len(re.findall(rb"[ \t\n\r\f\v]", probe))
    most = max((lines.count(length) for length in set(lines)), default=0)
    shortest = min((length for length in set(lines) if lines.count(length) == most), default=0)
    return most > len(lines) // 2 and blanks < len(probe) // 10 and 50 <= shortest <= 80
