"""Words as the Penn Treebank cuts them: clitics and punctuation are words of their own, hyphens stay inside."""

from __future__ import annotations

import re

_TAG = re.compile(r"<[^<>]*>")
#: Typographic marks, also those of Windows code page 1252 read as Latin-1, to plain ones; underscores only emphasise;
#: control characters part words.
_MARKS = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\x92": "'", "\x96": "-", "\x97": "-", "\x85": "...", "_": " "}
    | dict.fromkeys(map(chr, range(32)), " ")
)
_CANNOT = re.compile(r"\b(can)(not)\b", re.IGNORECASE)
_CLITIC = re.compile(r"(?<=\w)('(?:s|m|d|re|ve|ll)\b|n't\b)", re.IGNORECASE)
_WORD = re.compile(r"n't\b|'(?:s|m|d|re|ve|ll)\b|[^\W_]+(?:['-][^\W_]+|[.,](?=\d)\d+)*|\.\.+|[^\w\s]", re.IGNORECASE)


def treebank_words(document: str) -> list[str]:
    """Return the words of a document.

    Tags are left out; "don't" is "do" and "n't", "it's" is "it" and "'s", "cannot" is "can" and "not"; a run of full
    stops is one word, any other mark one each.  Unlike the Treebank's own tokenizer quotation marks stay as they are.
    """
    text = _TAG.sub(" ", document).translate(_MARKS)
    return _WORD.findall(_CLITIC.sub(r" \1", _CANNOT.sub(r"\1 \2", text)))
