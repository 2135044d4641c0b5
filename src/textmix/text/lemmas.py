"""Dictionary forms of English words, word by word, from the tables that come inside the simplemma package."""

from __future__ import annotations

from collections.abc import Sequence


def lemmas(words: Sequence[str]) -> list[str]:
    """Return the dictionary form of each word: "movies" is "movie", "failed" is "fail", "n't" is "not".

    A word has the same form in every sentence; a word that is not in the tables stays as it is.
    """
    from simplemma import lemmatize

    return [lemmatize(word, lang="en") for word in words]
