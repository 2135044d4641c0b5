"""Dictionary forms of English words, word by word, from the tables that come inside the simplemma package."""

from __future__ import annotations

from collections.abc import Sequence

from textmix.core.extras import extra

#: Comparatives and superlatives of another stem.  They stay as they are, as Stanford CoreNLP leaves them: the tables
#: would turn "worst" into "bad" and "better" into "good", and a reader would take the one for the other.
KEPT = frozenset({"best", "better", "worse", "worst"})


def lemmas(words: Sequence[str]) -> list[str]:
    """Return the dictionary form of each word: "movies" becomes "movie", "failed" becomes "fail", "n't" becomes "not".

    The form depends on the word alone, not on its sentence.  A word that is not in the tables stays as it is, and so
    does a word of `KEPT`.
    """
    with extra("lemmas"):
        from simplemma import lemmatize

    return [word if word in KEPT else lemmatize(word, lang="en") for word in words]
