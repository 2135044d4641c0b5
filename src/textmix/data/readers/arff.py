"""ARFF with a MULAN label file: sparse and dense multi-label data.

Source: Weka manual, "Attribute-Relation File Format"; MULAN's label files (namespace http://mulan.sourceforge.net/labels).
liac-arff reads the same files 4 to 15 times slower and lets duplicate indices, nan, 1e999 and cut files pass.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

import numpy as np
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from scipy import sparse

from textmix.core.errors import DataFormatError
from textmix.data import number_kernels as kernels
from textmix.data.archives import open_plain
from textmix.data.corpus import Corpus
from textmix.data.numbers import NumberTable, matrix_corpus, read_numbers, take_labels
from textmix.data.reading import data_files, decode, file_of

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {"n_labels": False, "labels_one_low": False}

_NAME = r"""(?P<name>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{},%'"][^\s{},]*)"""
_RELATION = re.compile(rf"@relation\s+{_NAME}\s*(?:%.*)?", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    rf"@attribute\s+{_NAME}\s*(?:(?<=\s)(?P<number>numeric|real|integer)|(?P<binary>\{{\s*'?0'?\s*,\s*'?1'?\s*\}}))"
    r"\s*(?:%.*)?",
    re.IGNORECASE,
)
_DATA = re.compile(rb"^[ \t]*@data[ \t]*(?:%.*)?\r?\n", re.IGNORECASE | re.MULTILINE)
_FIRST_ROW = re.compile(rb"(?:[ \t\r]*(?:%[^\n]*)?\n)*[ \t\r]*(\{)?")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_XMLNS = "{http://mulan.sourceforge.net/labels}"


class Header(NamedTuple):
    """Attribute names, which of them are ``{0,1}``, and where the rows start."""

    names: list[str]
    binary: np.ndarray
    end: int


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read ARFF files and the label file that says which attributes are labels.

    Parameters
    ----------
    files : ``train`` and ``test``, or ``data`` (all documents, no split given); ``labels``, the XML file.
    options : ``name``; ``n_labels`` instead of a label file: that many of the last attributes are labels;
        ``labels_one_low``: the file (``train`` or ``test``) whose rows count the labels from the attribute before the
        first label, as the rows of a known copy of RCV1 do; the reader adds 1.

    Returns
    -------
    a `Corpus` with ``features`` (counts if all values of all files are) and labels, both in the header's order.

    Raises
    ------
    DataFormatError : see `read_header`, `read_table` and `read_label_names`; or the files' attributes differ.
    """
    parts, names, chosen = {}, list[str](), set[str]()
    for role, path in data_files(files).items():
        data = open_plain(path)
        header = read_header(path, data)
        if names and names != header.names:
            raise DataFormatError(path, None, "its attributes are not those of the other file of the data set")
        names = header.names
        chosen = chosen or _labels(path, names, files, options)
        table = read_table(path, data, header, low=options.get("labels_one_low") == role)
        parts[role] = _split_columns(table, names, chosen)
    feature_names = [name for name in names if name not in chosen]
    return matrix_corpus(options, parts, feature_names, [name for name in names if name in chosen])


def _labels(path: Path, names: list[str], files: Mapping[str, Path], options: Mapping[str, Any]) -> set[str]:
    """Return which attributes of a file are labels."""
    if "n_labels" in options:
        if not 0 < options["n_labels"] < len(names):
            raise DataFormatError(path, None, f"has {len(names)} attributes, not over n_labels={options['n_labels']}")
        return set(names[-options["n_labels"] :])
    labels = file_of(files, "labels")
    chosen = set(read_label_names(labels))
    if missing := chosen.difference(names):
        raise DataFormatError(labels, None, f"{path.name} has no attributes for the labels {sorted(missing)[:5]}")
    return chosen


def _split_columns(table: NumberTable, names: list[str], chosen: set[str]) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return features and labels of a table."""
    is_label = np.array([name in chosen for name in names], dtype=bool)
    features = table.matrix[:, np.flatnonzero(~is_label)]
    return features, take_labels(table, np.flatnonzero(is_label), [name for name in names if name in chosen])


def read_header(path: Path, data: bytes) -> Header:
    """Read the part of an ARFF file before its rows.

    Raises
    ------
    DataFormatError : no ``@relation`` or ``@data`` line, a line that is none of the known ones, an attribute that is
        neither numeric nor nominal ``{0,1}`` (of any other nominal an omitted sparse value is not 0), a name twice or
        empty.
    """
    mark = _DATA.search(data)
    if mark is None:
        end = data.count(b"\n", 0, len(data) - 1) + 1
        raise DataFormatError(path, end, "no @data line before the end: the file is truncated")
    names, binary, related = list[str](), list[bool](), False
    for number, line in enumerate(decode(path, data[: mark.start()], "utf-8").split("\n"), start=1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if not related and _RELATION.fullmatch(text):
            related = True
            continue
        match = _ATTRIBUTE.fullmatch(text) if related else None
        if match is None:
            expected = "@attribute NAME numeric, or {0,1}" if related else "@relation NAME"
            raise DataFormatError(path, number, f"{text[:60]!r} is not of the form {expected}")
        names.append(_unquoted(match["name"]))
        binary.append(match["binary"] is not None)
    good = {name for name in names if name and name.isprintable()}
    if not related or not names or len(good) != len(names):
        end = data.count(b"\n", 0, mark.start()) + 1
        raise DataFormatError(path, end, f"the {len(names)} attributes have {len(good)} different, printable names")
    return Header(names, np.array(binary, dtype=bool), mark.end())


def _unquoted(name: str) -> str:
    """Return an attribute name without its quotes and escapes."""
    if name[0] not in "'\"":
        return name
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED.get(m[2], m[2]), name[1:-1])


def read_table(path: Path, data: bytes, header: Header, low: bool = False) -> NumberTable:
    """Read the rows of an ARFF file, sparse if the first one is.

    Parameters
    ----------
    path, data, header : the file.
    low : its binary attributes, the last ones, are counted from one attribute too low.

    Raises
    ------
    DataFormatError : what `textmix.data.number_kernels` refuses (an index twice or out of the header's range, rows
        too short or too long, nan, a last row without line end), a number that is not finite, a nominal value
        other than 0 and 1.
    """
    columns = len(header.names)
    first = _FIRST_ROW.match(data, header.end)
    form = kernels.SPARSE if first and first[1] else kernels.DENSE
    room = data.count(b",", header.end) + data.count(b"\n", header.end) + 1

    def fill(raw: np.ndarray, rows: kernels.Rows) -> tuple[int, int, int]:
        return kernels.table_rows(raw, header.end, columns, form, rows)

    table = read_numbers(path, data, columns, fill, room)
    if low:
        table.matrix.indices[table.matrix.indices >= np.argmax(header.binary) - 1] += 1
        if table.matrix.nnz and table.matrix.indices.max() >= columns:
            raise DataFormatError(path, None, "has the last label: remove labels_one_low from its reader's options")
    bad = np.flatnonzero(header.binary[table.matrix.indices] & (table.matrix.data != 1))
    if len(bad):
        raise table.fault(table.row_of(bad[0]), f"{table.matrix.data[bad[0]]:g} is no value of a {{0,1}} attribute")
    return table


def read_label_names(path: Path) -> list[str]:
    """Read the label names of a MULAN label file, in document order.

    Raises
    ------
    DataFormatError : not XML, with a DTD or entities, of another structure, no label, or a name twice.
    """
    try:
        root = fromstring(open_plain(path, limit=2**24), forbid_dtd=True)
    except ParseError as error:
        raise DataFormatError(path, error.position[0], f"is not well-formed XML ({error})") from error
    except (DefusedXmlException, ValueError, LookupError) as error:
        raise DataFormatError(path, None, f"has a DTD, entities or an unknown encoding ({error})") from error
    nodes = list(root.iter())
    names = [node.get("name", "") for node in nodes[1:]]
    if root.tag != f"{_XMLNS}labels" or any(node.tag != f"{_XMLNS}label" for node in nodes[1:]):
        raise DataFormatError(path, None, "is not a MULAN label file: expected <labels> of <label name=...>")
    if not names or not all(names) or len(set(names)) != len(names):
        raise DataFormatError(path, None, f"has {len(names)} labels of {len(set(filter(None, names)))} names")
    return names
