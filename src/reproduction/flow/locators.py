"""Locators: the grammar of short references to reproduced values.

``published.csv`` and ``checks.yaml`` refer to a reproduced value by a locator, for example
``score:table1/newsgroups/dcm/accuracy``.  The module does not import NumPy, so that the workflow can check locators
while it is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, astuple, dataclass, fields, replace
from pathlib import Path
from typing import ClassVar

from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError, suggest

_STATISTICS_OF_DATASET = (
    "documents",
    "labels",
    "label_sets",
    "labels_used",
    "multi_label_share",
    "features",
    "mean_length",
)
_SUBSETS = ("train", "test", "unused")
_SUFFIXES_OF_SUBSET = ("", "_no_label", "_one_label", "_several_labels")
#: Statistics of a data set, of its vocabulary and of its predefined split (`Corpus.statistics`).
STATISTICS = (
    *_STATISTICS_OF_DATASET,
    *(f"{subset}{suffix}" for subset in _SUBSETS for suffix in _SUFFIXES_OF_SUBSET),
)
#: Syntax of one part of a locator; references are resolved later (`reproduction.verdict.reference_check`).
_PART = re.compile(r"[A-Za-z0-9_.=;,+-]+")
#: Syntax of the path of a test file.
_TEST_FILE = re.compile(r"[a-z0-9_]+(/[a-z0-9_]+)*\.py")
#: Times of a fit that a `TimeLocator` can refer to.
_TIMES = ("fit_seconds", "predict_seconds")


@dataclass(frozen=True)
class Locator:
    """Reference to a reproduced value.  The fields of subclasses are its parts, in the order of ``form``.

    Attributes
    ----------
    form : str
        Syntax for readers: parts in angle brackets, an optional suffix in square brackets.
    meaning : str
        Description of the value.
    kind : str
        Prefix before the colon.
    separator : str, default="/"
        Separator between parts.
    """

    form: ClassVar[str]
    meaning: ClassVar[str]
    kind: ClassVar[str]
    separator: ClassVar[str] = "/"

    def __init_subclass__(cls) -> None:
        cls.kind = cls.form.partition(":")[0]

    def __str__(self) -> str:
        components = [value for value in astuple(self) if value is not None]
        return f"{self.kind}:{self.separator.join(components)}"


@dataclass(frozen=True)
class DataLocator(Locator):
    """A statistic of the parsed data set of a role."""

    form = "data:<role>/<statistic>"
    meaning = "a statistic of the parsed data set"

    role: str
    statistic: str


@dataclass(frozen=True)
class FeaturesLocator(Locator):
    """A statistic of one feature set of a role's data set."""

    form = "features:<role>/<features>/<statistic>"
    meaning = "a statistic of the data set after its words are counted"

    role: str
    features: str
    statistic: str


@dataclass(frozen=True)
class ScoreLocator(Locator):
    """A metric of a method; ``variant`` is one point of the method's grid, or None."""

    form = "score:<experiment>/<role>/<method>/<metric>[/<variant>]"
    meaning = "mean and sample standard deviation of a metric over the trials"

    experiment: str
    role: str
    method: str
    metric: str
    variant: str | None = None


@dataclass(frozen=True)
class TimeLocator(Locator):
    """The time of a method in seconds; ``quantity`` is fit_seconds or predict_seconds."""

    form = "time:<experiment>/<role>/<method>/<fit_seconds|predict_seconds>"
    meaning = "median of the seconds over the trials"

    experiment: str
    role: str
    method: str
    quantity: str


@dataclass(frozen=True)
class MeasureLocator(Locator):
    """A value of a measure, which is a function of ``reproduction.papers.<paper>.measures``."""

    form = "measure:<measure>/<key>"
    meaning = "a value of a measure"

    measure: str
    key: str


@dataclass(frozen=True)
class SettingLocator(Locator):
    """A setting in ``paper.yaml``; ``path`` consists of the nested keys, joined by dots."""

    form = "setting:<dotted path in paper.yaml>"
    meaning = "a setting that this reproduction uses"

    path: str


@dataclass(frozen=True)
class CheckLocator(Locator):
    """Whether an entry of ``checks.yaml`` is satisfied."""

    form = "check:<name>"
    meaning = "a named check of `checks.yaml`"

    check: str


@dataclass(frozen=True)
class TestLocator(Locator):
    """The latest outcome of a test; ``file`` is relative to the folder of the tests."""

    form = "test:<file>::<function>"
    meaning = "whether a test of the folder `tests` passed when `make test` ran last"
    separator = "::"

    file: str
    function: str

    @property
    def name(self) -> str:
        """The test as ``<file>::<function>``."""
        return f"{self.file}::{self.function}"


#: Locators that refer to a role.
RoleLocator = DataLocator | FeaturesLocator | ScoreLocator | TimeLocator
#: Name of a role list of a ``paper.yaml`` -> its roles in order.
RoleLists = Mapping[str, Sequence[str]]
_LOCATOR_CLASSES: tuple[type[Locator], ...] = (
    DataLocator,
    FeaturesLocator,
    ScoreLocator,
    TimeLocator,
    MeasureLocator,
    SettingLocator,
    CheckLocator,
    TestLocator,
)
#: Kind -> class, in the order of the reference.
LOCATORS: dict[str, type[Locator]] = {locator.kind: locator for locator in _LOCATOR_CLASSES}


def parse_locator(text: str, where: str = "locator") -> Locator:
    prefix = text.partition(":")[0]
    if prefix not in LOCATORS:
        forms = ", ".join(locator.form for locator in LOCATORS.values())
        raise ConfigError(f"{where}: '{text}' is no locator; {suggest(prefix, LOCATORS)}; the forms are {forms}")
    locator_class = LOCATORS[prefix]
    components = text.removeprefix(f"{prefix}:").split(locator_class.separator)
    if not _is_valid(locator_class, components):
        raise ConfigError(f"{where}: '{text}' does not follow the grammar of locators; write {locator_class.form}")
    return locator_class(*components)


def _is_valid(locator_class: type[Locator], components: Sequence[str]) -> bool:
    """Return whether the components of a locator follow its syntax."""
    n_required = sum(component.default is MISSING for component in fields(locator_class))
    if not n_required <= len(components) <= len(fields(locator_class)):
        return False
    first = _TEST_FILE if locator_class is TestLocator else _PART
    if not first.fullmatch(components[0]) or not all(map(_PART.fullmatch, components[1:])):
        return False
    return locator_class is not TimeLocator or components[-1] in _TIMES


def expand_locators(locators: Iterable[str], lists: RoleLists, where: str) -> list[str]:
    """Replace each locator that refers to a role list by one locator per role of the list, preserving the order."""
    expanded = []
    for text in locators:
        locator = parse_locator(text, where)
        if isinstance(locator, RoleLocator) and locator.role in lists:
            expanded += [str(replace(locator, role=role)) for role in lists[locator.role]]
        else:
            expanded.append(text)
    return expanded


def read_role_lists(path: str | Path) -> RoleLists:
    """Return the role lists of a ``paper.yaml``; may be empty."""
    lists: RoleLists = load_yaml_strict(path).get("role_lists", {})
    return lists


def locators_behind(folder: Path, sources: Mapping[str, str], where: str) -> dict[str, tuple[Locator, ...]]:
    """Return row -> locators of the values that it, or its check, depends on; ``sources`` maps row -> source text."""
    path = folder / "checks.yaml"
    checks = (load_yaml_strict(path) or {}) if path.is_file() else {}
    lists = read_role_lists(folder / "paper.yaml")
    locators: dict[str, tuple[Locator, ...]] = {}
    for row, text in sources.items():
        locator = parse_locator(text, row)
        if isinstance(locator, CheckLocator):
            check = checks.get(locator.check, {})  # an unknown check is rejected later, with the line of its row
            references = [*check.get("left", ()), *check.get("right", ())]
            expanded = expand_locators(references, lists, f"{where}: {row}")
            locators[row] = tuple(parse_locator(reference, row) for reference in expanded)
        else:
            locators[row] = (locator,)
    return locators
