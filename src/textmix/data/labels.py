"""The labels in a cell of a user's table: one, several by a separator, a list, a mapping, or 0 and 1."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

#: Characters that nobody sees, and that no label differs by.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff")) | {0xA0: " "}
_QUOTES = ('""', "''", "“”", "‘’", "«»")
_YES, _NO = {"1", "1.0", "true", "yes", "x"}, {"0", "0.0", "false", "no"}
#: Words that programs write in place of a missing value.
MISSING = frozenset("NA N/A n/a NaN nan None null NULL <NA> #N/A".split())
#: Delimiters that a user may have meant as the separator of several labels.
_SEPARATORS = (",", ";", "|", "/")
_TOKEN = re.compile(
    r"""\s*(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<bare>[^,'"\[\](){}]+))\s*(?:,|$|(?=['"]))"""
)
_ITEM = re.compile(
    r"""\s*(?:'([^']*)'|"([^"]*)"|([^,:'"{}]+?))\s*:\s*(?:'([^']*)'|"([^"]*)"|([^,:'"{}]+?))\s*(?:,|$)"""
)
#: What Python and NumPy print around lists and their items.
_WRAPPED = re.compile(r"\w+\(([\[({].*[\])}])(?:, *dtype=[^)]*)?\)", re.DOTALL)
_SCALAR = re.compile(r"""np\.\w+\(('[^']*'|"[^"]*"|[^()]*)\)""")


class LabelError(ValueError):
    """A cell holds no labels; the message says why."""


def label_name(value: Any) -> str:
    """Return a label as text: composed, without blanks, invisible characters and quotes around it.

    Of numbers 1 and 1.0 are one label; of what JSON has no name for the text is that of JSON.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isinf(value):
            raise LabelError("is infinite, which is no label")
        value = int(value) if value.is_integer() else value
    if isinstance(value, (list, dict)):
        raise LabelError("holds a list within a list, or an object; give the names of the labels")
    text = unicodedata.normalize("NFC", "" if value is None else str(value)).translate(_INVISIBLE).strip()
    if len(text) > 3 and text.startswith('="') and text.endswith('"'):  # a text as a formula, as Excel exports it
        text = text[1:]
    while len(text) > 2 and text[0] + text[-1] in _QUOTES and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text[1:] if len(text) > 1 and text[0] == "'" and "'" not in text[1:] else text


def applies(value: Any) -> bool | None:
    """Return whether a cell of a column of 0 and 1 says that the label applies; None of an empty cell."""
    text = "" if value is None or value != value else str(value).strip().lower()  # noqa: PLR0124 - NaN
    if text in _YES or text in _NO:
        return text in _YES
    if text:
        raise LabelError(f"is {str(value)[:40]!r}, neither 0 nor 1")
    return None


def labels_of(value: Any, separator: str | None = None, printed: bool = False) -> list[str] | None:
    """Return the labels of a text, number, list or mapping to 0 and 1, each once; None where nothing is said of them.

    ``separator`` stands between several labels of a text; if ``printed``, texts in brackets are lists or mappings.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        text = value.strip()
        if printed and is_bracketed(text):
            value = _printed(text)
        elif separator is not None:
            names = [label_name(part) for part in _unwrapped(text).split(separator)]
            return list(dict.fromkeys(filter(None, names))) or None
    if isinstance(value, Mapping):
        try:
            return [label_name(key) for key, flag in value.items() if applies(flag)]
        except LabelError as error:
            raise LabelError(f"is a mapping, and a value of it {error}") from error
    if isinstance(value, list):
        names = [name for name in map(label_name, value) if name]
        if len(set(names)) < len(names) and set(names) <= {"0", "1"}:
            raise LabelError("is a row of 0 and 1; give each label a column of its own, and name all these columns")
        return list(dict.fromkeys(names))
    name = label_name(value)
    return [name] if name else None


def is_bracketed(text: str) -> bool:
    """Return whether a text may be a printed list or mapping."""
    text = text.strip()
    return bool(_WRAPPED.fullmatch(text)) or (len(text) > 1 and text[0] + text[-1] in ("[]", "()", "{}"))


def are_printed(cells: Iterable[Any]) -> bool:
    """Return whether the cells of a column are printed lists or mappings; one name in brackets is a name."""
    texts = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    bracketed = [text for text in texts if is_bracketed(text)]
    telling = [text for text in bracketed if text[1:-1].strip()[:1] in ("", "'", '"') or _WRAPPED.fullmatch(text)]
    several = [text for text in bracketed if "," in text or ":" in text]
    return bool(telling) or (
        bool(bracketed) and len(bracketed) == len(texts) and bool(several or bracketed[0][0] == "[")
    )


def _unwrapped(text: str) -> str:
    """Return a text without the brackets of a list around it."""
    return text[1:-1] if len(text) > 1 and text[0] + text[-1] == "[]" else text


def _printed(text: str) -> list[str] | dict[str, str]:
    """Return a printed list or mapping; raises LabelError if it cannot be read."""
    wrapped = _WRAPPED.fullmatch(text)
    inner = _SCALAR.sub(r"\1", wrapped[1] if wrapped else text)[1:-1].strip()
    if not inner:
        return []
    if text[0] == "{" and (found := _mapping(inner)):
        return found
    names, place = list[str](), 0
    while place < len(inner):
        token = _TOKEN.match(inner, place)
        if token is None:
            raise LabelError(f"is {text[:40]!r}, a list that cannot be read; put a separator between the labels")
        name = next(part for part in token.groups() if part is not None)
        place = token.end()
        if token["bare"] is not None and name.strip() in ("None", "null", "nan", "NaN"):
            continue
        names.append(re.sub(r"\\(.)", r"\1", name) if token["bare"] is None else name.strip())
    if names and all(re.fullmatch(r"[01](\.0?)?(\s+[01](\.0?)?)+", name) for name in names):
        raise LabelError("is a row of 0 and 1; give each label a column of its own, and name all these columns")
    return names


def _mapping(inner: str) -> dict[str, str]:
    """Return the names and values of a printed mapping; empty where it is none."""
    found, place = dict[str, str](), 0
    while place < len(inner):
        item = _ITEM.match(inner, place)
        if item is None:
            return {}
        key, value = (part for part in item.groups() if part is not None)
        found[key] = value
        place = item.end()
    return found


def remarks_on(counts: Mapping[str, int], several: bool) -> list[str]:
    """Return sentences on labels that may not be what they seem: missing ones, lists, and names that are alike."""
    remarks = []
    for name in sorted(MISSING & set(counts)):
        what = f"{counts[name]:,} rows have the label {name!r}"
        remarks.append(f"{what}, which is read as a label; if it stands for a missing one, leave the cell empty.")
    separator = None if several else _hidden_separator(counts)
    if separator is not None:
        example = next(name for name in counts if separator in name)
        remarks.append(f"Labels such as {example!r} may be several: if so, give --separator {separator!r}.")
    alike: dict[str, list[str]] = {}
    for name in sorted(counts):
        alike.setdefault(_core(name), []).append(name)
    for names in [names for names in alike.values() if len(names) > 1][:3]:
        remarks.append(f"The labels {', '.join(map(repr, names[:5]))} are alike and count as different ones.")
    return remarks


def _core(name: str) -> str:
    """Return what labels that are alike have in common: no case, no form of a number, one blank between words."""
    digits = "".join(str(unicodedata.decimal(letter, letter)) for letter in unicodedata.normalize("NFKC", name))
    text = " ".join(digits.casefold().split())
    return text.removesuffix(".0") if re.fullmatch(r"[0-9]+\.0", text) else text


def _hidden_separator(counts: Mapping[str, int]) -> str | None:
    """Return a character that stands between labels which occur elsewhere, too; None if there is none."""
    for separator in _SEPARATORS:
        parts = Counter(part.strip() for name in counts for part in name.split(separator))
        recurs = [[parts[part.strip()] > 1 for part in name.split(separator)] for name in counts if separator in name]
        if recurs and all(recurs[0]) and sum(map(sum, recurs)) > 0.8 * sum(map(len, recurs)):
            return separator
    return None
