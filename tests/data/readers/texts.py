"""The documents of a corpus of texts, as rows."""

from __future__ import annotations

from textmix.data.corpus import Corpus


def rows(corpus: Corpus) -> list[tuple[str, str, str]]:
    """Return (id, label, text) of each document."""
    names = [corpus.label_names[i] for i in corpus.classes()]
    return [(doc, name, corpus.text.text(i)) for i, (doc, name) in enumerate(zip(corpus.ids, names, strict=True))]
