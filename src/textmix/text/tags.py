"""Part-of-speech tags of English words: the tagger of the package textblob (MIT licence).

The tagger looks a word up in the lexicon that lies in the package, and guesses an unknown word by its capital, its
digits and its ending.  It loads nothing at run time, and the same text always gets the same tags, those of the Penn
Treebank.  On the 288 words of ``tests/fixtures/tagged.txt`` 94 % of the coarse tags are right
(``tests/text/test_tags.py``).  Of the other taggers in packages HanTa keeps its model as a pickle, denckring-en-pos
(96 % there) needs a library of word games and tells no inflections; spaCy, stanza and flair load models as they
run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textmix.core.extras import extra
from textmix.text.treebank import treebank_words

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
