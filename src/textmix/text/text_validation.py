"""Validate texts from Python: one function in front of every vectoriser and every model of texts."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from textmix.data.corpus import Ragged


def select_documents(texts: Any) -> Iterable[Any]:
    """Validate a collection of texts, without looking at the texts.

    Parameters
    ----------
    texts : iterable of str
        A list, an iterator, an array of shape (N,) or (N, 1), a Series, or a DataFrame with a single column.

    Returns
    -------
    documents : iterable of length N

    Raises
    ------
    ValueError
        If it is a single string, a table of several columns, a mapping, a set, or not iterable.
    """
    if isinstance(texts, (str, bytes)):
        raise ValueError(f"expected a list of texts, got a single {type(texts).__name__}; pass [text]")
    if isinstance(texts, (Mapping, Set)) or not isinstance(texts, Iterable):
        raise ValueError(f"expected a list of texts, got {_describe_type(texts)}")
    table: Any = texts
    if hasattr(table, "columns"):
        columns = list(table.columns)
        if len(columns) != 1:
            names = ", ".join(map(str, columns[:10]))
            raise ValueError(f"expected a single column of texts, got {len(columns)} ({names}); select one of them")
        documents: Iterable[Any] = table[columns[0]]
        return documents
    shape: tuple[int, ...] = getattr(texts, "shape", (0,))
    if len(shape) == 2 and shape[1] == 1 and hasattr(table, "ravel"):
        raveled: Iterable[Any] = table.ravel()
        return raveled
    if len(shape) != 1:
        raise ValueError(f"expected a list of texts, got an array of shape {shape}; pass one dimension")
    return texts


def strings_of(texts: Any) -> Iterator[str]:
    """Yield validated texts.

    Raises
    ------
    ValueError
        If the texts are not a collection (`select_documents`), or one of them is missing, not a string, or contains a
        lone surrogate.
    """
    for number, text in enumerate(select_documents(texts)):
        if not isinstance(text, str):
            remedy = "decode it" if isinstance(text, bytes) else "replace missing texts by '' or drop them"
            value = f"{reprlib.repr(text)} ({type(text).__name__})"
            raise ValueError(f"text {number} is {value}, not a string; {remedy}")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(f"text {number} contains a lone surrogate at {error.start}; remove it") from error
        yield text


def texts_of(texts: Any) -> Ragged:
    """Validate texts and encode them as UTF-8; a `Ragged` is returned unchanged."""
    if isinstance(texts, Ragged):
        return texts
    return Ragged.from_texts(text.encode("utf-8") for text in strings_of(texts))


def _describe_type(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
