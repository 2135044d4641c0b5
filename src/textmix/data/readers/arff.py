"""ARFF with a MULAN label file: sparse and dense multi-label data.

Source: Weka manual, "Attribute-Relation File Format"; MULAN's label files (namespace http://mulan.sourceforge.net/labels).
liac-arff is not used because it accepts duplicate indices, nan, 1e999 and truncated files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

import numpy as np
from scipy import sparse

from textmix.core.errors import DataFormatError, extra
from textmix.data.archives import open_plain
from textmix.data.arff_nominal import read_nominal, unescape, values_of
from textmix.data.corpus import Corpus
from textmix.data.numeric_files import (
    DENSE,
    SPARSE,
    Form,
    NumberTable,
    content_of,
    matrix_corpus,
    read_numbers,
    take_labels,
)
from textmix.data.reader_utils import data_files, decode, file_of

with extra("data"):
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = dict.fromkeys(("n_labels", "labels_one_low", "label", "first_is_id"), False)

_NAME = r"""(?P<name>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{},%'"][^\s{},]*)"""
_RELATION = re.compile(rf"@relation\s+{_NAME}\s*(?:%.*)?", re.IGNORECASE)
#: MEKA's option in the relation name: the number of leading label attributes, or of trailing ones if negative.
_MEKA = re.compile(r"-C\s+([-+]?[0-9]+)", re.ASCII)
#: Attribute types of Weka that cannot be stored in a matrix.
_NO_NUMBER = re.compile(rf"@attribute\s+{_NAME}\s+(?P<kind>string|date|relational)\b.*", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    rf"@attribute\s+{_NAME}\s*(?:(?<=\s)(?P<number>numeric|real|integer)|(?P<binary>\{{\s*'?0'?\s*,\s*'?1'?\s*\}})|\{{(?P<values>.*)\}})"
    r"\s*(?:%.*)?",
    re.IGNORECASE,
)
_DATA = re.compile(rb"^[ \t]*@data[ \t]*(?:%.*)?\r?\n", re.IGNORECASE | re.MULTILINE)
_FIRST_ROW = re.compile(rb"(?:[ \t\r]*(?:%[^\n]*)?\n)*[ \t\r]*(\{)?")
_XMLNS = "{http://mulan.sourceforge.net/labels}"


class Header(NamedTuple):
    """Header of an ARFF file.

    Parameters
    ----------
    names : list of str
        Names of the A attributes.
    binary : ndarray of shape (A,), dtype bool
        Whether an attribute is the nominal ``{0,1}``.
    values : list of (list of str or None)
        Values of each other nominal attribute; None for the rest.
    end : int
        Byte offset of the first row.
    meka : int, default=0
        Number of leading label attributes according to MEKA's ``-C``, or of trailing ones if negative; 0 if absent.
    """

    names: list[str]
    binary: np.ndarray
    values: list[list[str] | None]
    end: int
    meka: int = 0


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read ARFF files with the label attributes specified by a MULAN label file or by an option.

    Parameters
    ----------
    files : mapping of str to Path
        ``train`` and ``test``, or ``data`` without a split; ``labels``, the XML file, unless the option ``n_labels``
        or ``label`` is set.
    options : mapping
        ``name``; ``n_labels``, number of trailing label attributes, or of leading ones if the relation has a positive
        MEKA ``-C``; ``label``, the nominal class attribute, with the labels as its values; ``labels_one_low``, the
        role (``train`` or ``test``) of a sparse file with label indices that are too small by 1, as in one copy of
        RCV1; ``first_is_id: true`` to skip the first attribute, which numbers the documents.

    Returns
    -------
    Corpus
        Corpus with ``features`` (int32 if all values are counts, else float64) and labels in the order of the header;
        ids as in `textmix.data.numeric_files.matrix_corpus`.

    Raises
    ------
    DataFormatError
        If a file is not valid ARFF, the files have different attributes, or the labels do not match the attributes.
    """
    matrices = dict[str, tuple[sparse.csr_array, sparse.csr_array]]()
    names = list[str]()
    label_attributes = set[str]()
    feature_names = list[str]()
    label_names = list[str]()
    for role, path in data_files(files).items():
        data = content_of(path)
        header = read_header(path, data)
        if names and names != header.names:
            raise DataFormatError(path, None, "its attributes differ from the attributes of the other file")
        names = header.names
        label_attributes = label_attributes or _labels(path, header, files, options)
        identifiers = {names[0]} if options.get("first_is_id") else set[str]()
        nominal = "label" in options or any(header.values)
        if identifiers and (nominal or names[0] in label_attributes):
            raise DataFormatError(
                path, None, "first_is_id requires numeric attributes, and a first attribute that is not a label"
            )
        if nominal:
            features, labels, feature_names, label_names = _with_nominals(path, data, header, label_attributes)
        else:
            table = read_table(path, data, header, low=options.get("labels_one_low") == role)
            features, labels, feature_names, label_names = _split_columns(table, names, label_attributes, identifiers)
        matrices[role] = features, labels
    return matrix_corpus(options, matrices, feature_names, label_names)


def read_features(path: Path, names: set[str]) -> tuple[sparse.csr_array, list[str]]:
    """Read the features of a file for a model, ignoring its label attributes.

    Parameters
    ----------
    path : Path
        The file.
    names : set of str
        Names of the features of the model.

    Returns
    -------
    features : csr_array of shape (N, V), float64
    columns : list of str
        Names of the V features.

    Raises
    ------
    DataFormatError
        If the file is not valid ARFF.
    """
    data = content_of(path)
    header = read_header(path, data)
    if not any(header.values):
        return read_table(path, data, header).matrix, header.names
    first = data.count(b"\n", 0, header.end) + 1
    lines = decode(path, data[header.end :], "utf-8").split("\n")
    allowed_values = []
    for name, values in zip(header.names, header.values, strict=True):
        is_label = values is not None and not {f"{name}={value}" for value in values} & names
        # The class of an unlabelled document is missing.
        allowed_values.append([*(values or ()), "?"] if is_label else values)
    table = read_nominal(path, (first, lines), header.names, allowed_values, set())
    return table.features, list(table.names)


def _with_nominals(
    path: Path, data: bytes, header: Header, label_attributes: set[str]
) -> tuple[sparse.csr_array, sparse.csr_array, list[str], list[str]]:
    """Read a file with nominal attributes.

    Returns the features, CSR (N, V) float64, the labels, CSR (N, L) int8, and the names of both.
    """
    columns = {column for column, name in enumerate(header.names) if name in label_attributes}
    first = data.count(b"\n", 0, header.end) + 1
    lines = decode(path, data[header.end :], "utf-8").split("\n")
    table = read_nominal(path, (first, lines), header.names, header.values, columns)
    classes = header.values[next(iter(columns))] if len(columns) == 1 else None
    if classes is not None:
        labels = np.eye(len(classes), dtype=np.int8)[table.chosen[:, 0]]
        return table.features, sparse.csr_array(labels), table.names, classes
    label_names = [header.names[column] for column in sorted(columns)]
    if not np.isin(table.chosen, (0, 1)).all() or any(header.values[column] for column in columns):
        raise DataFormatError(path, None, "has a label other than 0 and 1; name one nominal attribute as the label")
    return table.features, sparse.csr_array(table.chosen.astype(np.int8)), table.names, label_names


def _labels(path: Path, header: Header, files: Mapping[str, Path], options: Mapping[str, Any]) -> set[str]:
    names = header.names
    if "n_labels" in options or (header.meka and not {"label"} & set(options) and "labels" not in files):
        number = options.get("n_labels", abs(header.meka))
        if not 0 < number < len(names):
            raise DataFormatError(path, None, f"has {len(names)} attributes, not over n_labels={number}")
        if header.meka and number != abs(header.meka):
            problem = f"declares {abs(header.meka)} labels by -C {header.meka}, but n_labels is {number}"
            raise DataFormatError(path, None, f"{problem}; correct one of them")
        return set(names[:number] if header.meka > 0 else names[-number:])
    if "label" in options:
        if options["label"] not in names:
            raise DataFormatError(path, None, f"has no attribute {options['label']!r}; its last one is {names[-1]!r}")
        return {options["label"]}
    labels = file_of(files, "labels")
    label_attributes = set(read_label_names(labels))
    if missing := label_attributes.difference(names):
        raise DataFormatError(labels, None, f"{path.name} has no attributes for the labels {sorted(missing)[:5]}")
    return label_attributes


def _split_columns(
    table: NumberTable, names: list[str], label_attributes: set[str], identifiers: set[str]
) -> tuple[sparse.csr_array, sparse.csr_array, list[str], list[str]]:
    """Split a numeric table into features and labels like `_with_nominals`; identifier columns are dropped."""
    columns = {name: column for column, name in enumerate(names)}
    excluded = label_attributes | identifiers
    feature_names = [name for name in names if name not in excluded]
    label_names = [name for name in names if name in label_attributes]
    labels = take_labels(table, np.array([columns[name] for name in label_names], dtype=np.int64), label_names)
    return table.matrix[:, [columns[name] for name in feature_names]], labels, feature_names, label_names


def read_header(path: Path, data: bytes) -> Header:
    """Parse the header of an ARFF file.

    Parameters
    ----------
    path : Path
        The file, for messages.
    data : bytes
        Its content.

    Returns
    -------
    Header
        The attributes and the offset of the first row.

    Raises
    ------
    DataFormatError
        If the header is invalid or ``@data`` is missing.
    """
    mark = _DATA.search(data)
    if mark is None:
        end = data.count(b"\n", 0, len(data) - 1) + 1
        raise DataFormatError(path, end, "no @data line found: the file is truncated; fetch it again")
    names = list[str]()
    binary = list[bool]()
    values = list[list[str] | None]()
    related = ""
    for number, line in enumerate(decode(path, data[: mark.start()], "utf-8").split("\n"), start=1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if not related and _RELATION.fullmatch(text):
            related = text
            continue
        unsupported = _NO_NUMBER.fullmatch(text) if related else None
        if unsupported is not None:
            problem = (
                f"the attribute {_unquoted(unsupported['name'])} has the unsupported type {unsupported['kind'].lower()}"
            )
            remedy = "only numbers and values in braces are read: write texts as csv, with a column of labels"
            raise DataFormatError(path, number, f"{problem}; {remedy}")
        match = _ATTRIBUTE.fullmatch(text) if related else None
        nominal = values_of(match["values"]) if match and match["values"] is not None else None
        if match is None or (match["values"] is not None and (nominal is None or len(set(nominal)) < len(nominal))):
            expected = "@attribute NAME numeric, or {value,value} with no value twice" if related else "@relation NAME"
            raise DataFormatError(path, number, f"{text[:60]!r} does not match the format {expected}")
        names.append(_unquoted(match["name"]))
        binary.append(match["binary"] is not None)
        values.append(nominal)
    good = {name for name in names if name and name.isprintable()}
    if not related or not names or len(good) != len(names):
        end = data.count(b"\n", 0, mark.start()) + 1
        raise DataFormatError(path, end, f"the {len(names)} attributes have {len(good)} different, printable names")
    meka = _MEKA.search(related)
    return Header(names, np.array(binary, dtype=bool), values, mark.end(), int(meka[1]) if meka else 0)


def _unquoted(name: str) -> str:
    return unescape(name[1:-1]) if name[0] in "'\"" else name


def read_table(path: Path, data: bytes, header: Header, low: bool = False) -> NumberTable:
    """Parse the rows of an ARFF file; the first row determines whether all rows are sparse or dense.

    Parameters
    ----------
    path : Path
        The file, for messages.
    data : bytes
        Its content.
    header : Header
        The parsed header.
    low : bool, default=False
        Whether label indices are too small by 1.

    Returns
    -------
    NumberTable
        The rows, with a matrix of shape (N, A).

    Raises
    ------
    DataFormatError
        If a row is invalid or a binary attribute has a value other than 0 and 1.
    """
    columns = len(header.names)
    first = _FIRST_ROW.match(data, header.end)
    form = SPARSE if first and first[1] else DENSE
    if _ends_whole(data, form, header):
        data += b"\n"
    table = read_numbers(path, data, columns, form, header.end)
    if low:
        table.matrix.indices[table.matrix.indices >= np.argmax(header.binary) - 1] += 1
        if table.matrix.nnz and table.matrix.indices.max() >= columns:
            raise DataFormatError(path, None, "has the last label: remove labels_one_low from its reader's options")
    bad = np.flatnonzero(header.binary[table.matrix.indices] & (table.matrix.data != 1))
    if len(bad):
        raise table.fault(table.row_of(bad[0]), f"{table.matrix.data[bad[0]]:g} is not a value of a {{0,1}} attribute")
    return table


def _ends_whole(data: bytes, form: Form, header: Header) -> bool:
    """Check whether a file ends with a complete row without a final newline, as MULAN's files do."""
    last = data[data.rfind(b"\n") + 1 :].rstrip()
    if form is SPARSE:
        return last.endswith(b"}") and not data.endswith(b"\n")
    return bool(last.count(b",") == len(header.names) - 1 and header.binary[-1] and last[-1:] in (b"0", b"1", b"'"))


def read_label_names(path: Path) -> list[str]:
    """Read the label names of a MULAN label file, in file order.

    Parameters
    ----------
    path : Path
        The XML file.

    Returns
    -------
    list of str
        The label names.

    Raises
    ------
    DataFormatError
        If the file is not well-formed XML, contains a DTD, or the names are missing or not unique.
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
        raise DataFormatError(path, None, f"has {len(names)} labels of {len(set(filter(None, names)))} different names")
    return names
