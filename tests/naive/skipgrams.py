"""Skip-grams by their definition: all choices of positions with itertools, counted in dictionaries."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

Gram = tuple[tuple[str, ...], int]


def matches(document: Sequence[str], max_n: int, max_slop: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield words and gap of every choice of positions."""
    for n in range(1, max_n + 1):
        for chosen in itertools.combinations(range(len(document)), n):
            gap = chosen[-1] - chosen[0] - (n - 1)
            if gap <= max_slop:
                yield tuple(document[place] for place in chosen), gap


def document_frequencies(documents: Sequence[Sequence[str]], max_n: int, max_slop: int) -> Counter[Gram]:
    """Return in how many documents each skip-gram is, for each slop."""
    found: Counter[Gram] = Counter()
    for document in documents:
        here = {(words, slop) for words, gap in matches(document, max_n, max_slop) for slop in range(gap, max_slop + 1)}
        found.update(here)
    return found


def features(
    documents: Sequence[Sequence[str]], max_n: int, max_slop: int, min_df: int, subsume: bool
) -> dict[Gram, int]:
    """Return the document frequencies of the skip-grams that are features."""
    df = document_frequencies(documents, max_n, max_slop)
    return {
        (words, slop): count
        for (words, slop), count in df.items()
        if count >= min_df
        and not (slop > 0 and len(words) == 1)
        and not (subsume and slop > 0 and df[words, slop - 1] == count)
    }


def name(gram: Gram) -> str:
    return " ".join(gram[0]) + (f" ~{gram[1]}" if gram[1] else "")


def counts(document: Sequence[str], kept: dict[Gram, int], max_n: int, max_slop: int) -> Counter[str]:
    """Return in how many ways a document matches each feature."""
    found: Counter[str] = Counter()
    for words, gap in matches(document, max_n, max_slop):
        found.update(name((words, slop)) for slop in range(gap, max_slop + 1) if (words, slop) in kept)
    return found


def score(document: Sequence[str], gram: Gram, documents: Sequence[Sequence[str]], max_slop: int) -> float:
    """Return Lucene's score of an ordered span query, its length norm in one byte (3 bits of mantissa)."""
    words, slop = gram
    frequency = sum(1 / (len(words) + gap + 1) for found, gap in matches(document, len(words), slop) if found == words)
    idf = sum(1 + math.log(len(documents) / (sum(w in d for d in documents) + 1)) for w in words)
    mantissa, exponent = math.frexp(1 / math.sqrt(len(document)))
    return math.sqrt(frequency) * idf * math.ldexp(math.floor(mantissa * 16) / 16, exponent)
