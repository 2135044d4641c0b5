"""Tables of texts and labels in any format that `textmix.data.user_table` reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textmix.data.corpus import Corpus
from textmix.data.reader_utils import data_files
from textmix.data.user_table import read_table

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {
    "format": True,
    **dict.fromkeys(("text", "label", "id", "split", "groups", "dates", "separator", "several"), False),
    **dict.fromkeys(("encoding", "delimiter", "unlabelled", "prefix"), False),
}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read tables of texts, ``train`` and ``test`` or ``data``; the labels are in alphabetical order.

    The options are ``format``; ``text`` and ``label``, and if the table has them ``id``, ``split``, ``groups`` or
    ``dates``: columns by name, or by number from 1 for files without a header; the others are as in
    `textmix.data.user_table.read_table`, but ``several`` is no and ``unlabelled`` is ``refuse`` by default.  Without a
    column of ids they are ``role/row``, or ``row`` for ``data``; rows are counted from 1.  A split column takes
    precedence over the split by files.
    """
    columns = {"id": "id", "split": "parts", "groups": "groups", "dates": "dates"}
    text, label = options.get("text"), options.get("label")
    by_number = text is not None and all(isinstance(each, int) for each in (text if isinstance(text, list) else [text]))
    return read_table(
        data_files(files),
        text=text,
        labels=label,
        roles={role: options[key] for key, role in columns.items() if key in options},
        format=options["format"],
        header=False if by_number else None,
        multi_label=options.get("several", False),
        unlabelled=options.get("unlabelled", "refuse"),
        name=options["name"],
        option_names=("text", "label"),
        label_separator=options.get("separator"),
        encoding=options.get("encoding"),
        delimiter=options.get("delimiter"),
        prefix=options.get("prefix"),
    ).corpus
