"""Lines "label, blank, text", as many collections of sentences come, and fastText's ``__label__x text``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textmix.data.corpus import Corpus
from textmix.data.readers import text_table

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = dict.fromkeys(
    ("prefix", "several", "separator", "encoding", "longest", "ratio", "detect"), False
)


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read lines of a label, blanks or tabs, and a text.

    Parameters
    ----------
    files : ``train`` and ``test``, or ``data``.
    options : ``name``; ``prefix`` of each label, such as ``__label__``, which is taken off: all words with it before
        the text are labels then (default: the first word is the label); ``several``, ``separator``, ``encoding``,
        ``longest``, ``ratio`` and ``detect`` as in `textmix.data.readers.text_table.read`.

    Returns
    -------
    a `Corpus` as that function gives it; blank lines are left out.

    Raises
    ------
    DataFormatError : with the line: it has no label or no text, or a fault that a table may have.
    """
    return text_table.read(files, {**options, "format": "labelled", "label": 1, "text": 2})
