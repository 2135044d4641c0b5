"""Parse label cells of a user's table: a single name, a delimited list, a printed list, a mapping, or a flag."""

from __future__ import annotations

import html
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

#: Invisible characters, which are ignored in labels; a no-break space becomes a space.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff")) | {0xA0: " "}
_QUOTES = ('""', "''", "“”", "‘’", "«»")
#: Lower-case values of indicator columns, including those of survey tools in other languages.
_YES = frozenset("1 1.0 true t yes y x ✓ ✔ ✅ ☑ ☒ checked selected ja oui sí si sim".split())
_NO = frozenset("0 0.0 false f no n ✗ ✘ ❌ ☐ unchecked nein non não nao".split()) | {"not selected"}
#: String representations of missing values.
MISSING = frozenset("NA N/A n/a NaN nan None null NULL <NA> #N/A".split())
#: Candidate label separators.
_SEPARATORS = (",", ";", "|", "/")
#: Keys under which annotation tools nest the labels of a text, or a label name.
_CHOICES_KEY = "choices"
_NAME_KEY = "label"
#: Maximum length of a cell excerpt in a message.
_MAX_EXCERPT = 40

_TOKEN = re.compile(
    r"""\s*(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<bare>[^,'"\[\](){}]+))\s*(?:,|$|(?=['"]))"""
)
_ITEM = re.compile(
    r"""\s*(?:'([^']*)'|"([^"]*)"|([^,:'"{}]+?))\s*:\s*(?:'([^']*)'|"([^"]*)"|([^,:'"{}]+?))\s*(?:,|$)"""
)
#: Wrappers that Python, NumPy and R print around lists and their items.
_WRAPPED = re.compile(r"\w+\(([\[({].*[\])}])(?:, *dtype=[^)]*)?\)", re.DOTALL)
#: Empty collections as printed by Python and R.
_EMPTY = re.compile(r"(set|frozenset|list|tuple|dict|c)\(\)|(character|integer|numeric)\(0\)")
_R_VECTOR = re.compile(r"""c\((\s*["'].*)\)""", re.DOTALL)
_SCALAR = re.compile(r"""np\.\w+\(('[^']*'|"[^"]*"|[^()]*)\)""")
#: List of numbers as printed by NumPy, separated by spaces instead of commas.
_NUMBER_LIST = re.compile(r"\[\s*[-+]?[0-9][-+0-9.,\s]*\]", re.ASCII)
_NUMBERS = re.compile(r"[-+]?[0-9]+\.?[0-9]*(\s+[-+]?[0-9]+\.?[0-9]*)+", re.ASCII)
#: Number that is printed with a decimal point although it is an integer.
_INTEGRAL = re.compile(r"([-+]?[0-9]+)\.0*")
_INDICATORS = re.compile(r"[01](\.0?)?(\s+[01](\.0?)?)+")


class LabelError(ValueError):
    """Raised if a cell cannot be parsed as labels; the message contains the reason."""


def label_name(value: Any) -> str:
    """Normalise the name of a label.

    Apply NFC normalisation and strip whitespace, invisible characters and surrounding quotes.

    Parameters
    ----------
    value : str, int, float, bool or None
        A cell or a JSON value.  ``1`` and ``1.0`` are the same label; booleans become ``true`` and ``false``.

    Returns
    -------
    str
        The normalised name; empty for a missing value.

    Raises
    ------
    LabelError
        If the value is infinite, a list or a mapping.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isinf(value):
            raise LabelError("is infinite, which cannot be a label")
        value = int(value) if value.is_integer() else value
    if isinstance(value, list) and len(value) == 3 and all(isinstance(offset, int) for offset in value[:2]):
        raise LabelError("contains spans (start, end, label); only labels of whole texts are supported")
    if isinstance(value, (list, dict)):
        raise LabelError("contains a nested list or an object; give the names of the labels")
    text = unicodedata.normalize("NFC", "" if value is None else str(value)).translate(_INVISIBLE).strip()
    if len(text) > 3 and text.startswith('="') and text.endswith('"'):  # a string formula exported by Excel
        text = text[1:]
    while len(text) > 2 and text[0] + text[-1] in _QUOTES and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text[1:] if len(text) > 1 and text[0] == "'" and "'" not in text[1:] else text


def parse_flag(value: Any, column: str | None = None) -> bool | None:
    """Parse a cell of an indicator column: whether its label applies.

    Parameters
    ----------
    value : object
        The cell: 0 or 1, true or false, yes or no, x or blank, ...
    column : str, default=None
        Column name; a cell that repeats it means yes, as in survey exports of multiple-choice questions.

    Returns
    -------
    bool or None
        None for an empty cell.

    Raises
    ------
    LabelError
        If the cell is not a recognised flag.
    """
    text = "" if value is None or value != value else str(value).strip().lower()  # noqa: PLR0124 - NaN
    if text in _YES or text in _NO:
        return text in _YES
    if not text:
        return None
    if column is not None and text == column.strip().lower():
        return True
    raise LabelError(f"is {str(value)[:_MAX_EXCERPT]!r}, neither 0 nor 1")


def parse_labels(value: Any, separator: str | None = None, printed: bool = False) -> list[str] | None:
    """Parse the labels of one text.

    Parameters
    ----------
    value : str, number, list, mapping or None
        The cell.  A mapping has labels as keys and 0 or 1 as values, or the labels under ``choices`` as in exports of
        Label Studio; items of a list may be mappings with the key ``label``, as in exports of doccano.
    separator : str, default=None
        Label separator within a string.
    printed : bool, default=False
        Whether a bracketed string is a printed list or mapping.

    Returns
    -------
    list of str or None
        Distinct labels in order of appearance; None for an empty cell.

    Raises
    ------
    LabelError
        If the value cannot be parsed.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        text = value.strip()
        if printed and is_bracketed(text):
            value = _parse_printed(text)
        elif separator is not None:
            names = [label_name(name) for name in _strip_brackets(text).split(separator)]
            return list(dict.fromkeys(filter(None, names))) or None
    if isinstance(value, Mapping):
        if not is_choices(value):
            return _parse_mapping(value)
        value = value[_CHOICES_KEY]
    if isinstance(value, list):
        names = [name for name in map(_item_name, value) if name]
        if len(set(names)) < len(names) and set(names) <= {"0", "1"}:
            raise LabelError("is a row of 0 and 1; give each label a column of its own, and name all these columns")
        return list(dict.fromkeys(names))
    name = label_name(value)
    return [name] if name else None


def _item_name(item: Any) -> str:
    """Parse an item of a label list."""
    if isinstance(item, Mapping) and _NAME_KEY in item:
        if {"start", "end"} & set(item) or "start_offset" in item:
            raise LabelError("contains spans (start, end, label); only labels of whole texts are supported")
        item = item[_NAME_KEY]
    return label_name(item)


def _parse_mapping(value: Mapping[Any, Any]) -> list[str]:
    try:
        return [label_name(key) for key, flag in value.items() if parse_flag(flag)]
    except LabelError as error:
        raise LabelError(f"is a mapping, and one of its values {error}") from error


def is_choices(value: Any) -> bool:
    """Check whether a value contains the choices for a text, as in exports of Label Studio.

    Parameters
    ----------
    value : object
        A JSON value.

    Returns
    -------
    bool
        Whether it is an object with the key ``choices`` only.
    """
    return isinstance(value, Mapping) and set(value) == {_CHOICES_KEY} and isinstance(value[_CHOICES_KEY], list)


def is_label_mapping(value: Mapping[Any, Any]) -> bool:
    """Check whether a mapping may contain labels: names with numbers or flags, or `is_choices`.

    Parameters
    ----------
    value : mapping
        A JSON object.

    Returns
    -------
    bool
        Whether all values are flags or numbers, or the object contains choices.
    """
    return is_choices(value) or all(_may_be_flag(flag) for flag in value.values())


def _may_be_flag(value: Any) -> bool:
    if value is None or isinstance(value, (bool, int, float)):
        return True
    return isinstance(value, str) and value.strip().lower() in _YES | _NO


def is_bracketed(text: str) -> bool:
    """Check whether a string may be a printed list or mapping.

    Parameters
    ----------
    text : str
        A cell.

    Returns
    -------
    bool
        Whether the string is enclosed in brackets or a list constructor.
    """
    text = text.strip()
    if _WRAPPED.fullmatch(text) or _R_VECTOR.fullmatch(text) or _EMPTY.fullmatch(text):
        return True
    return len(text) > 1 and text[0] + text[-1] in ("[]", "()", "{}")


def is_printed_list(text: str) -> bool:
    """Check whether a string is clearly a printed list or mapping, with quoted items or numbers.

    Parameters
    ----------
    text : str
        A cell.

    Returns
    -------
    bool
        Whether the string is a printed list or mapping.
    """
    text = text.strip()
    if not is_bracketed(text):
        return False
    if any(pattern.fullmatch(text) for pattern in (_WRAPPED, _R_VECTOR, _EMPTY, _NUMBER_LIST)):
        return True
    return text[1:-1].strip()[:1] in ("", "'", '"')


def are_printed(cells: Iterable[Any]) -> bool:
    """Check whether the cells of a column are printed lists or mappings, not single bracketed names.

    Parameters
    ----------
    cells : iterable
        The cells; values that are not strings are ignored.

    Returns
    -------
    bool
        Whether the cells are printed lists or mappings.
    """
    texts = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    bracketed = [text for text in texts if is_bracketed(text)]
    if any(is_printed_list(text) for text in bracketed):
        return True
    if not bracketed or len(bracketed) < len(texts):
        return False
    return bracketed[0][0] == "[" or any("," in text or ":" in text for text in bracketed)


def _strip_brackets(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] + text[-1] == "[]" else text


def _parse_printed(text: str) -> list[Any] | dict[str, Any]:
    """Parse a list or mapping printed by JSON, Python, NumPy, R or PostgreSQL."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict) or (isinstance(value, list) and not _are_indicators(value)):
            return value
    if _EMPTY.fullmatch(text):
        return []
    wrapped = _WRAPPED.fullmatch(text)
    vector = _R_VECTOR.fullmatch(text)
    inner = vector[1].strip() if vector else _SCALAR.sub(r"\1", wrapped[1] if wrapped else text)[1:-1].strip()
    if not inner:
        return []
    if text[0] == "{":
        mapping = _parse_items(inner)
        if mapping:
            return mapping
    names = _parse_tokens(text, inner)
    if names and all(_INDICATORS.fullmatch(name) for name in names):
        raise LabelError("is a row of 0 and 1; give each label a column of its own, and name all these columns")
    if len(names) == 1 and _NUMBERS.fullmatch(names[0]):
        names = names[0].split()
    if _NUMBER_LIST.fullmatch(text):
        names = [_INTEGRAL.sub(r"\1", name) for name in names]
    return names


def _are_indicators(values: list[Any]) -> bool:
    return len(values) > 1 and set(map(str, values)) <= {"0", "1"}


def _parse_tokens(text: str, inner: str) -> list[str]:
    """Parse the items between the brackets of a printed list; ``text`` is used for the message."""
    names = list[str]()
    position = 0
    while position < len(inner):
        token = _TOKEN.match(inner, position)
        if token is None:
            problem = f"is {text[:_MAX_EXCERPT]!r}, a list that cannot be read"
            raise LabelError(f"{problem}; put a separator between the labels")
        name = next(group for group in token.groups() if group is not None)
        position = token.end()
        if token["bare"] is None:
            names.append(re.sub(r"\\(.)", r"\1", name))
        elif name.strip() not in ("None", "null", "nan", "NaN"):
            names.append(name.strip())
    return names


def _parse_items(inner: str) -> dict[str, str]:
    """Parse the keys and values of a printed mapping; empty if it is not a mapping."""
    items = dict[str, str]()
    position = 0
    while position < len(inner):
        match = _ITEM.match(inner, position)
        if match is None:
            return {}
        key, value = (group for group in match.groups() if group is not None)
        items[key] = value
        position = match.end()
    return items


def label_notes(counts: Mapping[str, int], multi_label: bool) -> list[str]:
    """Describe suspicious labels: missing values, unsplit lists, and spelling variants.

    Parameters
    ----------
    counts : mapping of str to int
        Number of texts with each label.
    multi_label : bool
        Whether a text may have several labels.

    Returns
    -------
    list of str
        One sentence per finding.
    """
    notes = []
    for name in sorted(MISSING & set(counts)):
        problem = f"{counts[name]:,} rows have the label {name!r}"
        notes.append(f"{problem}, which is read as a label; if it stands for a missing value, leave the cell empty.")
    separator = None if multi_label else _hidden_separator(counts)
    if separator is not None:
        example = next(name for name in counts if separator in name)
        notes.append(f"Labels such as {example!r} may be lists; if so, give --separator {separator!r}.")
    variants: dict[str, list[str]] = {}
    for name in sorted(counts):
        variants.setdefault(label_key(name), []).append(name)
    for names in [names for names in variants.values() if len(names) > 1][:3]:
        notes.append(f"The labels {', '.join(map(repr, names[:5]))} are similar, but count as different labels.")
    return notes


def label_key(name: str) -> str:
    """Compute a key that is equal for all spelling variants of a label.

    Ignores case, repeated whitespace, compatibility characters, HTML entities, the script of digits, and a final
    ``.0``.

    Parameters
    ----------
    name : str
        The label.

    Returns
    -------
    str
        The key.
    """
    normalised = unicodedata.normalize("NFKC", html.unescape(name))
    digits = "".join(str(unicodedata.decimal(letter, letter)) for letter in normalised)
    text = " ".join(digits.casefold().split())
    return text.removesuffix(".0") if re.fullmatch(r"-?[0-9]+\.0", text) else text


def match_variants(names: Iterable[str], reference: Iterable[str]) -> dict[str, str]:
    """Match labels with different spellings in two tables.

    Parameters
    ----------
    names : iterable of str
        Labels of a table, such as the test table.
    reference : iterable of str
        Labels of the table to match, such as the training table.

    Returns
    -------
    dict of str to str
        For each label that does not occur in ``reference``, the only label there with the same `label_key`.
    """
    by_key: dict[str, list[str]] = {}
    reference = set(reference)
    for name in reference:
        by_key.setdefault(label_key(name), []).append(name)
    matches = {}
    for name in names:
        candidates = by_key.get(label_key(name), [])
        if name not in reference and len(candidates) == 1:
            matches[name] = candidates[0]
    return matches


def _hidden_separator(counts: Mapping[str, int]) -> str | None:
    """Return a separator that splits composite labels into labels that also occur separately, or None."""
    for separator in _SEPARATORS:
        names = Counter(name.strip() for joined in counts for name in joined.split(separator))
        recurs = [
            [names[name.strip()] > 1 for name in joined.split(separator)] for joined in counts if separator in joined
        ]
        if recurs and all(recurs[0]) and sum(map(sum, recurs)) > 0.8 * sum(map(len, recurs)):
            return separator
    return None
