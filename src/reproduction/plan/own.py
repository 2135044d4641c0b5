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
from textmix.experiment.methods import DEFAULT_WEIGHTINGS, Method
from textmix.metrics.table import check_metrics, main_metric, metrics_for, shown_metrics

#: Name of the study, and of its features, split and experiment.
OWN = "own"
#: Folds of methods that are not of low cost; those of low cost have what `textmix.experiment.search` gives them.
FOLDS = 3
#: The split of data that come without one.  A single test part of 400 documents or more tells methods apart by itself.
RANDOM: Mapping[str, Any] = {"kind": "random", "train": 0.8, "trials": 5, "enough": 2000, "stratified": True}

#: View -> how it is counted.  Counts are kept for all words, since each training part makes its own cut.
TEXT_VIEWS: dict[str, dict[str, Any]] = {
    "words": {"tokenizer": "scripts"},
    "bigrams": {"tokenizer": "scripts", "max_n": 2, "min_documents": 2},
    "skipgrams": {"tokenizer": "scripts", "max_n": 2, "max_slop": 2, "subsume": False, "min_documents": 2},
    "characters": {"tokenizer": "characters", "max_n": 4, "min_documents": 2},
    "sequences": {"tokenizer": "scripts", "keep_tokens": True, "min_documents": 2},
}
#: Keys of ``features`` by which a user describes a view of their own, which is then the only one.
_OWN_VIEW = {"tokenizer", "max_n", "max_slop", "subsume", "vectors"}
#: Keys that a training part applies to its own documents (`textmix.text.term_weighting.TermWeighting`).
_LEAST = ("min_documents", "min_count")
#: The view of data that are counted already.
MATRIX_VIEWS: dict[str, dict[str, Any]] = {"matrix": {"tokenizer": "matrix"}}


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
        number, _, unit = str(self.raw.get("budget", "0 s")).partition(" ")
        return round(float(number) * {"s": 1, "min": 60, "h": 3600}[unit])

    @property
    def reading(self) -> dict[str, Any]:
        """All that the reading of the data depends on: the argument of `textmix.data.own.read_own`."""
        keys = ("columns", "separator", "encoding", "delimiter", "unlabelled", "n_labels", "limits")
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
            entries[name] = compared(methods[use], change, self.views(), validated=True)
        return entries


def run_started() -> int:
    """Return when this run began, seconds since the epoch.

    Processes that Snakemake starts for a job read the workflow again, and inherit the time of the first.
    """
    return int(os.environ.setdefault("TEXTMIX_STARTED", str(int(time.time()))))


def view_features(view: str) -> str:
    """Return the name of the features of a view of own data; the first view has the name of the study."""
    return OWN if view in ("words", "matrix") else f"{OWN}_{view}"


def compared(
    method: Method,
    change: Mapping[str, Any] | None = None,
    views: Mapping[str, Any] | None = None,
    *,
    validated: bool = False,
) -> dict[str, Any]:
    """Return an experiment's entry of a method in a comparison, in which its grid is tuned on training documents only.

    The key ``compared`` of the entry says that a method which does not apply leaves a reason instead of an error;
    ``views``, ``weightings`` and ``features`` say among which representations it is tuned.

    Parameters
    ----------
    method : the registry entry.
    change : ``params`` and ``tune`` in place of the registry's parameters, grid and the default folds and metric;
        ``tune: null`` turns tuning off; ``views`` and ``weightings`` in place of the registry's.
    views : view -> how its features are counted; None for data whose features are the experiment's.
    validated : whether a method of which nothing is tuned gets its score on folds of the training documents, too, by
        which methods are chosen.
    """
    change = change or {}
    params = dict(change.get("params", method.params))
    entry: dict[str, Any] = {"use": method.name, "params": params, "compared": True}
    entry |= _representations(method, change, views)
    tune = change.get("tune", {})
    grid = {} if tune is None else tune.get("grid", method.grid)
    if tune is not None and (validated or grid or len(entry["views"]) * len(entry["weightings"]) > 1):
        folds = {} if method.cost == "low" else {"folds": FOLDS}
        default = {"metric": main_metric(method.task), **folds}
        entry["tune"] = {**default, **(tune or {}), "grid": {key: list(values) for key, values in grid.items()}}
    return entry


def _representations(method: Method, change: Mapping[str, Any], views: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the part of an entry on representations; a view that the data lack gives way to their first one."""
    weightings = [*(change.get("weightings") or method.weightings or DEFAULT_WEIGHTINGS[method.takes])]
    if views is None:
        return {"views": {"matrix": {}}, "weightings": weightings}
    asked = [view for view in change.get("views", method.views) if view in views] or list(views)[:1]
    found = {view: least_of(views[view]) for view in asked}
    return {"views": found, "weightings": weightings, "features": [view_features(view) for view in asked]}


def views_of(features: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return view -> how it is counted, from the key ``features`` of my.yaml, which overrides single keys.

    A key that says how text is cut makes one view of its own in place of all views.
    """
    if _OWN_VIEW & set(features):
        return {"words": {**TEXT_VIEWS["words"], **features}}
    return {view: {**spec, **features} for view, spec in TEXT_VIEWS.items()}


def least_of(spec: Mapping[str, Any]) -> dict[str, int]:
    """Return what a training part asks of a feature, from the entry by which all documents were counted.

    A feature that is too rare in all documents is too rare in each part of them, so that the first cut loses none.
    """
    return {key: spec[key] for key in _LEAST if key in spec}


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
    return Own(name or OWN, source, raw, form, "multi" if several else "single")


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
        (not table and "separator" in raw, f"separator: format {form} has none; take it out"),
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
