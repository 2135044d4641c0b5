"""English words as in the Penn Treebank, their part-of-speech tags and their dictionary forms.

Clitics and punctuation marks are separate words, hyphens stay inside words.  The dictionary forms come from the tables
inside the package simplemma.  The tagger is that of the package textblob (MIT licence): it looks a word up in the
lexicon that lies in the package, and guesses an unknown word by its capital, its digits and its ending, so that the
same text always gets the same tags and nothing is loaded at run time.  On the 288 words of
``tests/fixtures/tagged.txt`` 94 % of the coarse tags are right (``tests/text/test_treebank.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from textmix.core.errors import extra

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
    """Return the words of a document without HTML tags; "don't" becomes "do" and "n't", "cannot" "can" and "not".

    A run of full stops is one word; every other punctuation mark is a word of its own.  Quotation marks stay as they
    are, unlike in the Treebank's own tokenizer.
    """
    text = _TAG.sub(" ", document).translate(_MARKS)
    if "cannot" in text.lower():
        text = _CANNOT.sub(r"\1 \2", text)
    return _WORD.findall(_NOT.sub(r" \g<0>", _CLITIC.sub(r" \g<0>", text)))


#: Words that end a sentence.
_ENDS = frozenset(".?!;")
#: Tag of a mark without letter or digit.
MARK = "."


def tags(words: Sequence[str]) -> list[str]:
    """Return the Penn Treebank tag of each word of one sentence; a word without letter or digit gets `MARK`."""
    with extra("tags"):
        from textblob.en import parser  # type: ignore[import-untyped]

    tagged = parser.find_tags(list(words))
    return [tag if any(map(str.isalnum, word)) else MARK for word, tag in tagged]


def document_tags(document: str) -> list[str]:
    """Return the tags of all words of a document, cut into words as the Treebank does, sentence by sentence."""
    return [tag for sentence in _sentences(treebank_words(document)) for tag in tags(sentence)]


def _sentences(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the sentences of a document; each ends after a word of `_ENDS`."""
    start = 0
    for end, word in enumerate(words, start=1):
        if word in _ENDS:
            yield words[start:end]
            start = end
    if start < len(words):
        yield words[start:]


#: Comparatives and superlatives of another stem.  They stay as they are, as Stanford CoreNLP leaves them: the tables
#: would turn "worst" into "bad" and "better" into "good", and a reader would take the one for the other.
KEPT = frozenset({"best", "better", "worse", "worst"})


def lemmas(words: Sequence[str]) -> list[str]:
    """Return the dictionary form of each word alone: "movies" becomes "movie", "failed" "fail", "n't" "not".

    A word that is not in the tables stays unchanged, and so does a word of `KEPT`.
    """
    with extra("lemmas"):
        from simplemma import lemmatize

    return [word if word in KEPT else lemmatize(word, lang="en") for word in words]
