"""Tables of texts and labels in any format supported by `textmix.data.user_table`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textmix.data.corpus import Corpus
from textmix.data.reader_utils import data_files
from textmix.data.user_table import read_table

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = {
    "format": True,
    **dict.fromkeys(("text", "label", "id", "split", "groups", "dates", "separator", "several"), False),
    **dict.fromkeys(("encoding", "delimiter", "unlabelled", "prefix"), False),
}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read tables of texts; the labels are in alphabetical order.

    Parameters
    ----------
    files : mapping of str to Path
        ``train`` and ``test``, or ``data``.
    options : mapping
        ``format``; ``text`` and ``label``, and optionally ``id``, ``split``, ``groups`` or ``dates``: columns by name,
        or by number from 1 for files without a header.  The others are as in `textmix.data.user_table.read_table`,
        except that ``several`` is no and ``unlabelled`` is ``refuse`` by default.

    Returns
    -------
    Corpus
        The corpus.  Without an id column the ids are ``role/row``, or ``row`` for ``data``, with 1-based row numbers.
        A split column takes precedence over the split by files.

    Raises
    ------
    DataFormatError
        If a file or a cell is invalid.
    """
    columns = {"id": "id", "split": "parts", "groups": "groups", "dates": "dates"}
    text = options.get("text")
    label = options.get("label")
    by_number = text is not None and all(
        isinstance(column, int) for column in (text if isinstance(text, list) else [text])
    )
    roles = {role: options[key] for key, role in columns.items() if key in options}
    dialect: dict[str, Any] = {key: options.get(key) for key in ("encoding", "delimiter", "prefix")}
    unlabelled = options.get("unlabelled", "refuse")
    multi_label = options.get("several", False)
    table = read_table(
        data_files(files),
        text=text,
        labels=label,
        roles=roles,
        format=options["format"],
        header=False if by_number else None,
        multi_label=multi_label,
        unlabelled=unlabelled,
        name=options["name"],
        option_names=("text", "label"),
        label_separator=options.get("separator"),
        **dialect,
    )
    return table.corpus
