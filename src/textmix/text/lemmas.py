"""Dictionary forms of English words, word by word, from the tables that come inside the simplemma package."""

from __future__ import annotations

from collections.abc import Sequence

from textmix.core.extras import extra


def lemmas(words: Sequence[str]) -> list[str]:
    """Return the dictionary form of each word: "movies" becomes "movie", "failed" becomes "fail", "n't" becomes "not".

    The form depends on the word alone, not on its sentence.  A word that is not in the tables stays as it is.
    """
    with extra("lemmas"):
        from simplemma import lemmatize

    return [lemmatize(word, lang="en") for word in words]
