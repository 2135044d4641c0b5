"""Words as in the Penn Treebank: clitics and punctuation marks are separate words, hyphens stay inside words."""

from __future__ import annotations

import re

_TAG = re.compile(r"<[^<>]*>")
#: Replacements of characters: typographic marks, also of Windows code page 1252 read as Latin-1, become plain marks;
#: underscores, which mark emphasis, and control characters become blanks.
_MARKS = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\x92": "'", "\x96": "-", "\x97": "-", "\x85": "...", "_": " "}
    | dict.fromkeys(map(chr, range(32)), " ")
)
_CANNOT = re.compile(r"\b(can)(not)\b", re.IGNORECASE)
# Both cases are written out, and what stands before a clitic is looked at last: so the search jumps from apostrophe to
# apostrophe, or from n to n.  The long s is a small s too.
_ENDING = r"(?:[sS\u017f]|[mM]|[dD]|[rR][eE]|[vV][eE]|[lL][lL])\b"
_CLITIC, _NOT = re.compile(rf"'(?<=\w'){_ENDING}"), re.compile(r"[nN](?<=\w[nN])'[tT]\b")
_WORD = re.compile(rf"[nN]'[tT]\b|'{_ENDING}|[^\W_]+(?:['-][^\W_]+|[.,](?=\d)\d+)*|\.\.+|[^\w\s]")


def treebank_words(document: str) -> list[str]:
    """Return the words of a document.

    HTML tags are left out.  "don't" becomes "do" and "n't", "it's" becomes "it" and "'s", "cannot" becomes "can" and
    "not".  A run of full stops is one word; every other punctuation mark is a word of its own.  Quotation marks stay as
    they are, unlike in the Treebank's own tokenizer.
    """
    text = _TAG.sub(" ", document).translate(_MARKS)
    if "cannot" in text.lower():
        text = _CANNOT.sub(r"\1 \2", text)
    return _WORD.findall(_NOT.sub(r" \g<0>", _CLITIC.sub(r" \g<0>", text)))
