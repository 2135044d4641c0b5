"""Locators: the grammar of the short names by which files refer to rebuilt values.

``published.csv`` and ``checks.yaml`` name a rebuilt value by a locator, for example
``score:table1/newsgroups/dcm/accuracy``.  `parse_locator` is the only reader of this grammar.  It imports no NumPy, so
the workflow can check locators while it is parsed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from textmix.core.config import suggest
from textmix.core.errors import ConfigError

_NAME = "[a-z0-9_]+"
_KEY = "[A-Za-z0-9_.=;,+-]+"


@dataclass(frozen=True)
class Locator:
    """The name of a rebuilt value; the subclasses hold its parts.

    Parameters
    ----------
    text : the locator as it is written.
    """

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class DataLocator(Locator):
    """A statistic of the data set that stands for a role, as parsed."""

    role: str
    statistic: str


@dataclass(frozen=True)
class FeaturesLocator(Locator):
    """A statistic of one feature set of the data set that stands for a role."""

    role: str
    features: str
    statistic: str


@dataclass(frozen=True)
class ScoreLocator(Locator):
    """The mean over trials of a metric; ``variant`` is one point of the method's grid, or None."""

    experiment: str
    role: str
    method: str
    metric: str
    variant: str | None


@dataclass(frozen=True)
class TimeLocator(Locator):
    """The median over trials of ``quantity``, which is fit_seconds or predict_seconds."""

    experiment: str
    role: str
    method: str
    quantity: str


@dataclass(frozen=True)
class MeasureLocator(Locator):
    """One value of a measure, which is a function of ``textmix.papers.<paper>.measures``."""

    measure: str
    key: str


@dataclass(frozen=True)
class SettingLocator(Locator):
    """A setting in ``paper.yaml``; ``path`` is the keys that lead to it, joined by dots."""

    path: str


@dataclass(frozen=True)
class CheckLocator(Locator):
    """The verdict on an entry of ``checks.yaml``."""

    check: str


_METHOD_ON_ROLE = rf"(?P<experiment>{_NAME})/(?P<role>{_NAME})/(?P<method>{_NAME})"
#: Kind -> class, pattern of the text after the colon (one group for each field of the class), form shown in messages.
_GRAMMAR: dict[str, tuple[type[Locator], str, str]] = {
    "data": (DataLocator, rf"(?P<role>{_NAME})/(?P<statistic>{_NAME})", "data:<role>/<statistic>"),
    "features": (
        FeaturesLocator,
        rf"(?P<role>{_NAME})/(?P<features>{_NAME})/(?P<statistic>{_NAME})",
        "features:<role>/<features>/<statistic>",
    ),
    "score": (
        ScoreLocator,
        rf"{_METHOD_ON_ROLE}/(?P<metric>{_NAME})(?:/(?P<variant>{_KEY}))?",
        "score:<experiment>/<role>/<method>/<metric>[/<variant>]",
    ),
    "time": (
        TimeLocator,
        rf"{_METHOD_ON_ROLE}/(?P<quantity>fit_seconds|predict_seconds)",
        "time:<experiment>/<role>/<method>/<fit_seconds|predict_seconds>",
    ),
    "measure": (MeasureLocator, rf"(?P<measure>{_NAME})/(?P<key>{_KEY})", "measure:<measure>/<key>"),
    "setting": (
        SettingLocator,
        r"(?P<path>[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)",
        "setting:<dotted path in paper.yaml>",
    ),
    "check": (CheckLocator, rf"(?P<check>{_NAME})", "check:<name>"),
}


def parse_locator(text: str, place: str = "locator") -> Locator:
    """Return a locator with its parts.

    Parameters
    ----------
    text : the locator as it is written.
    place : the file and key where it stands, for the message.

    Raises
    ------
    ConfigError : the text does not follow the grammar; the message shows the right form.
    """
    kind, _, rest = text.partition(":")
    if kind not in _GRAMMAR:
        forms = ", ".join(form for _, _, form in _GRAMMAR.values())
        raise ConfigError(f"{place}: '{text}' is no locator; {suggest(kind, _GRAMMAR)}; the forms are {forms}")
    made, pattern, form = _GRAMMAR[kind]
    found = re.fullmatch(pattern, rest)
    if found is None:
        raise ConfigError(f"{place}: '{text}' does not follow the grammar of locators; write {form}")
    return made(text, **found.groupdict())
