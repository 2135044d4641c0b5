"""Data of the user's own: from their description, my.yaml, to a study that the rules treat like a paper.

It is imported while Snakemake parses the workflow, so it imports nothing heavier than a YAML and a JSON schema library.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textmix.core.config import load_yaml_strict, validate
from textmix.core.digests import known_sha256, sha256_bytes
from textmix.core.errors import ConfigError, suggest
from textmix.data.formats import FORMATS, OWN_DATA, format_of, parts_of, without_packing
from textmix.data.registry import Reader
from textmix.experiment.budget import seconds_of
from textmix.experiment.entries import MATRIX_VIEWS, compared, views_of
from textmix.experiment.methods import Method
from textmix.metrics.table import check_metrics, metrics_for, shown_metrics

#: Name of the study, and of its features, split and experiment.
OWN = "own"
#: The split of data that come without one.  A single test part of 400 documents or more tells methods apart by itself.
RANDOM: Mapping[str, Any] = {"kind": "random", "train": 0.8, "trials": 5, "enough": 2000, "stratified": True}


@dataclass(frozen=True)
class Own:
    """A user's data, and how methods are compared on them.

    Parameters
    ----------
    name : of the data set, ``^[a-z0-9_]+$``.
    source : path of my.yaml as the user gives it.
    raw : the content of my.yaml, checked.
    format : one of `textmix.data.formats.OWN_DATA`.
    task : ``single`` or ``multi``.
    """

    name: str
    source: str
    raw: Mapping[str, Any]
    format: str
    task: str

    @property
    def files(self) -> dict[str, str]:
        """Role (``data``, ``train``, ``test``, ``labels``) -> path; of a folder that holds a split, its two parts."""
        folder = Path(self.source).parent
        found = {role: folder / name for role, name in self.raw["files"].items()}
        if self.format == "folder" and "data" in found and found["data"].is_dir():
            found = parts_of(found["data"]) or found
        return {role: str(path) for role, path in found.items()}

    @property
    def seconds(self) -> int:
        """The seconds that the comparison may take, by the key ``budget``; 0 without it."""
        try:
            return round(seconds_of(self.raw.get("budget", 0)))
        except ConfigError as error:
            raise ConfigError(f"{self.source}: budget: {error}") from error

    @property
    def reading(self) -> dict[str, Any]:
        """All that the reading of the data depends on: the argument of `textmix.data.own.read_own`."""
        keys = ("columns", "separator", "encoding", "delimiter", "unlabelled", "n_labels", "limits", "prefix")
        options = {key: self.raw[key] for key in keys if key in self.raw}
        head = {"name": self.name, "source": self.source, "format": self.format, "task": self.task}
        return {**head, "files": self.files, "options": options}

    @property
    def modules(self) -> list[str]:
        """Modules that read the data and that no import statement names, for the code digest."""
        return [Reader(FORMATS[self.format].reader).module]

    @property
    def inputs(self) -> list[str]:
        """The files that are inputs of the rule: no folder, and no path with a brace, a wildcard to Snakemake."""
        return [path for path in self.files.values() if not Path(path).is_dir() and not set("{}") & set(path)]

    def about(self) -> dict[str, str]:
        """Return facts for the card of a model: description, and columns of text and label."""
        columns = self.raw.get("columns", {})
        return {
            "description": self.source,
            **{f"{key} column": str(columns[key]) for key in ("text", "label") if columns},
        }

    def check_files(self) -> None:
        """Raise ConfigError if a file is not there."""
        for role, path in self.files.items():
            if not Path(path).exists():
                raise ConfigError(f"{self.source}: files.{role}: there is no {path}; correct the path")

    def state(self) -> str:
        """Return a digest of the paths and contents of the data that are no `inputs`; empty if there are none."""
        facts = ""
        for place in map(Path, sorted(set(self.files.values()) - set(self.inputs))):
            found = sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
            facts += "".join(f"{path.relative_to(place)}\0{known_sha256(path)}\0" for path in found if path.is_file())
        return sha256_bytes(facts.encode("utf-8", "surrogateescape"))[:16] if facts else ""

    def apart_from(self, taken: Collection[str]) -> Own:
        """Return the data under a name that no data set of the registry has, for both lie in the same folders.

        Parameters
        ----------
        taken : names of the data sets of the registry.
        """
        name = self.name
        while name in taken:
            name += f"_{OWN}"
        return replace(self, name=name)

    def spec(self, methods: Mapping[str, Method]) -> dict[str, Any]:
        """Return the study in the form of a paper.yaml.

        Parameters
        ----------
        methods : the registry of methods.

        Raises
        ------
        ConfigError : a method or metric does not exist or is not for the task.
        """
        metrics = self.raw.get("metrics", shown_metrics(self.task))
        check_metrics(metrics, metrics_for(self.task), f"{self.source}: metrics")
        entries = self._methods(methods)
        experiment = {"roles": {self.name: OWN}, "features": OWN, "metrics": metrics, "methods": entries}
        return {
            "title": self.raw.get("title", self.name),
            "roles": [self.name],
            "features": {view_features(view): spec for view, spec in self.views().items()},
            "splits": {OWN: self._split()},
            "experiments": {"methods": experiment},
        }

    def views(self) -> dict[str, dict[str, Any]]:
        """Return view -> the specification by which its features are counted (features.schema.yaml)."""
        if FORMATS[self.format].kind == "matrix":
            return MATRIX_VIEWS
        return views_of(self.raw.get("features", {}))

    def _split(self) -> dict[str, Any]:
        """Return the specification by which documents are split (split.schema.yaml)."""
        given = "train" in self.files or "split" in self.raw.get("columns", {})
        default = {"kind": "given"} if given else RANDOM
        return dict(self.raw.get("split", default))

    def _methods(self, methods: Mapping[str, Method]) -> dict[str, Any]:
        """Return name -> the experiment's entry of each method asked for; raise ConfigError for a wrong one."""
        asked = self.raw.get("methods", [name for name, method in methods.items() if method.task == self.task])
        changes: Mapping[str, Any] = {name: {} for name in asked} if isinstance(asked, list) else asked
        entries = {}
        for name, change in changes.items():
            use = change.get("use", name)
            where = f"{self.source}: methods.{name}"
            fitting = [key for key, method in methods.items() if method.task == self.task]
            if use not in methods:
                raise ConfigError(f"{where}: no method '{use}'; {suggest(use, fitting)}")
            if methods[use].task != self.task:
                several = "several labels" if self.task == "multi" else "one label"
                raise ConfigError(f"{where}: '{use}' is not for {several} a text; allowed: {', '.join(fitting)}")
            if not re.fullmatch("[a-z0-9_]+", name):
                raise ConfigError(f"{where}: '{name}' is not a valid name; it must match ^[a-z0-9_]+$")
            entry = compared(methods[use], change, self.views(), validated=True)
            entries[name] = {**entry, "features": [view_features(view) for view in entry["views"]]}
        return entries


def run_started() -> int:
    """Return when this run began, seconds since the epoch.

    Processes that Snakemake starts for a job read the workflow again, and inherit the time of the first.
    """
    return int(os.environ.setdefault("TEXTMIX_STARTED", str(int(time.time()))))


def view_features(view: str) -> str:
    """Return the name of the features of a view of own data; the first view has the name of the study."""
    return OWN if view in ("words", "matrix") else f"{OWN}_{view}"


def load_own(source: str, schemas: Path) -> Own:
    """Read and check a my.yaml.

    Parameters
    ----------
    source : path of the file.
    schemas : folder of the schemas.

    Raises
    ------
    ConfigError : the file is missing, is not YAML or breaks its schema, or its keys do not suit each other.
    """
    if Path(source).suffix not in (".yaml", ".yml"):
        raise ConfigError(f"configuration: data={source}: is no .yaml file; write one like config/own.example.yaml")
    raw = load_yaml_strict(source)
    validate(raw, schemas / "own.schema.yaml", source)
    name = raw.get("name", re.sub("[^a-z0-9]+", "_", Path(source).stem.lower()).strip("_"))
    files = raw["files"]
    if ("data" in files) == ("train" in files) or ("train" in files) != ("test" in files):
        raise ConfigError(f"{source}: files: has {', '.join(files)}; give either data, or train and test")
    form = raw.get("format") or _format(source, files)
    if form == "arff" and not {"labels", "n_labels", "columns"} & {*raw, *files}:
        raw = {**raw, "files": {**files, **_label_file(source, files)}}
    _check_form(source, form, raw)
    if FORMATS[form].kind == "matrix":
        several = "columns" not in raw
    else:
        several = raw.get("labels", "several" if "separator" in raw else "one") == "several"
    own = Own(name or OWN, source, raw, form, "multi" if several else "single")
    _ = own.seconds  # a wrong time is told now
    return own


def _format(source: str, files: Mapping[str, str]) -> str:
    """Return the format by the ending of the data file; ``folder`` for a folder."""
    path = Path(source).parent / next(files[role] for role in ("data", "train") if role in files)
    if path.is_dir():
        return "folder"
    form = format_of(without_packing(path), OWN_DATA)
    if form is None:
        raise ConfigError(f"{source}: format: '{path.name}' does not tell it; add format: csv, or tab, jsonl, ...")
    return form


def _label_file(source: str, files: Mapping[str, str]) -> dict[str, str]:
    """Return the role of MULAN's label file, where it lies beside the data under their name: yeast.xml for yeast.arff.

    The two parts of a split share a file: scene.xml for scene-train.arff.
    """
    first = without_packing(next(files[role] for role in ("data", "train") if role in files))
    stem = first.stem if "data" in files else re.sub("[-_.]?train(ing)?$", "", first.stem, flags=re.IGNORECASE)
    found = first.with_name(f"{stem}.xml")
    return {"labels": str(found)} if (Path(source).parent / found).exists() else {}


def _check_form(source: str, form: str, raw: Mapping[str, Any]) -> None:
    """Check that the keys of my.yaml suit its format and each other."""
    files, columns = raw["files"], raw.get("columns", {})
    table, matrix = FORMATS[form].kind in ("table", "frame"), FORMATS[form].kind == "matrix"
    faults = (
        (table and "text" not in columns, "columns: text is missing; name the columns of the text and of the label"),
        (not table and form != "arff" and bool(columns), f"columns: format {form} has none; take it out"),
        (form == "arff" and bool(columns) and set(columns) != {"label"}, "columns: ARFF takes label alone"),
        (
            form == "arff" and ("labels" in files) + ("n_labels" in raw) + bool(columns) != 1,
            "files: give labels (MULAN's XML file), or n_labels, or columns: {label: the attribute of the class}",
        ),
        (form != "arff" and ("labels" in files or "n_labels" in raw), f"format {form} takes no labels or n_labels"),
        (form != "csv" and "delimiter" in raw, f"delimiter: format {form} has none; take it out"),
        (not table and "unlabelled" in raw, f"unlabelled: format {form} needs none; take it out"),
        (not table and form != "labelled" and "separator" in raw, f"separator: format {form} has none; take it out"),
        (form != "labelled" and "prefix" in raw, f"prefix: format {form} has none; take it out"),
        (matrix and "features" in raw, f"features: format {form} is counted already; take it out"),
        (form == "folder" and raw.get("labels") == "several", "labels: a folder is one label; write labels: one"),
        (matrix and "labels" in raw, f"labels: format {form} tells it; take it out"),
        ("separator" in raw and raw.get("labels") == "one", "separator: one label needs none; take it out"),
        ("split" in columns and "train" in files, "columns: split: train and test files are a split already"),
        (len({type(column) for column in columns.values()}) > 1, "columns: all by name, or all by number"),
        (form == "jsonl" and any(isinstance(each, int) for each in columns.values()), "columns: JSON has names only"),
        (form == "csv" and raw.get("separator") == "\n", "separator: a line end ends a row; choose another"),
    )
    for wrong, what in faults:
        if wrong:
            raise ConfigError(f"{source}: {what}")
