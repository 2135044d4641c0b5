"""Penn Treebank tokenisation, part-of-speech tags and lemmas of English words.

Clitics and punctuation marks are separate words; hyphens do not split words.  Lemmas come from the tables of the
package simplemma.  The tagger is the one of the package textblob (MIT licence): it looks words up in the bundled
lexicon and guesses the tag of an unknown word from capitalisation, digits and suffix.  It is deterministic and
downloads nothing at run time.  On the 288 words of ``tests/fixtures/tagged.txt`` its accuracy on coarse tags is 94 %
(``tests/text/test_treebank.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from textmix.core.errors import extra

_TAG = re.compile(r"<[^<>]*>")
#: Character replacements: typographic marks, including Windows code page 1252 decoded as Latin-1, become plain marks;
#: underscores (used for emphasis) and control characters become spaces.
_MARKS = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\x92": "'", "\x96": "-", "\x97": "-", "\x85": "...", "_": " "}
    | dict.fromkeys(map(chr, range(32)), " ")
)
_CANNOT = re.compile(r"\b(can)(not)\b", re.IGNORECASE)
# Both cases are spelled out, and the text before a clitic is matched last, so that the search can skip from apostrophe
# to apostrophe, or from n to n.  The long s also matches a lower-case s.
_ENDING = r"(?:[sS\u017f]|[mM]|[dD]|[rR][eE]|[vV][eE]|[lL][lL])\b"
_CLITIC = re.compile(rf"'(?<=\w'){_ENDING}")
_NOT = re.compile(r"[nN](?<=\w[nN])'[tT]\b")
_WORD = re.compile(rf"[nN]'[tT]\b|'{_ENDING}|[^\W_]+(?:['-][^\W_]+|[.,](?=\d)\d+)*|\.\.+|[^\w\s]")


def treebank_words(document: str) -> list[str]:
    """Tokenise a document after removing HTML tags; "don't" becomes "do" and "n't", "cannot" "can" and "not".

    A run of full stops is one token; every other punctuation mark is a token of its own. Unlike in the Treebank's own
    tokenizer, quotation marks are unchanged.
    """
    text = _TAG.sub(" ", document).translate(_MARKS)
    if "cannot" in text.lower():
        text = _CANNOT.sub(r"\1 \2", text)
    return _WORD.findall(_NOT.sub(r" \g<0>", _CLITIC.sub(r" \g<0>", text)))


#: Words that end a sentence.
_ENDS = frozenset(".?!;")
#: Tag of a token without letters or digits.
MARK = "."


def tags(words: Sequence[str]) -> list[str]:
    """Return the Penn Treebank tag of each word of one sentence; a word without letters or digits gets `MARK`."""
    with extra("tags"):
        from textblob.en import parser  # type: ignore[import-untyped]

    tagged = parser.find_tags(list(words))
    return [tag if any(map(str.isalnum, word)) else MARK for word, tag in tagged]


def document_tags(document: str) -> list[str]:
    """Tokenise a document as the Treebank does and tag its words sentence by sentence."""
    return [tag for sentence in _sentences(treebank_words(document)) for tag in tags(sentence)]


def _sentences(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the sentences of a document; a sentence ends after a word in `_ENDS`."""
    start = 0
    for end, word in enumerate(words, start=1):
        if word in _ENDS:
            yield words[start:end]
            start = end
    if start < len(words):
        yield words[start:]


#: Irregular comparatives and superlatives.  They are not lemmatised, as in Stanford CoreNLP: the tables would map
#: "worst" to "bad" and "better" to "good", which would mislead readers of the features.
KEPT = frozenset({"best", "better", "worse", "worst"})


def lemmas(words: Sequence[str]) -> list[str]:
    """Lemmatise each word without context: "movies" becomes "movie", "failed" "fail", "n't" "not".

    Words that are missing from the tables or belong to `KEPT` are unchanged.
    """
    with extra("lemmas"):
        from simplemma import lemmatize

    return [word if word in KEPT else lemmatize(word, lang="en") for word in words]
