"""Create the folder of a new paper that runs without edits: ``python -m reproduction.scaffold.new_paper NAME``.

Without options, the paper is a complete example: 20 short texts in a CSV file, two methods and their published values.
Replace its files with those of the paper.  ``--table`` creates the paper from a CSV file of published values with the
columns ``artefact`` and ``method``, then one column per role (data set as named in the paper).  A third column
``features`` selects the feature set of each line if the table has several; each becomes an experiment.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from reproduction.flow.papers import FOLDER, check_name, paper_folders, read_datasets, read_methods, with_roles
from reproduction.flow.published_table import PUBLISHED_COLUMNS
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError, TextmixError
from textmix.metrics.registry import check_metrics, metrics_for

_SCHEMA = "workflow/schemas/paper.schema.yaml"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_EXAMPLE_TEXTS = Path(__file__).with_name("example_texts.csv")
_EXAMPLE_TABLE = "artefact,method,{role}\nt1,multinomial,100\nt1,linear_svm,70\n"
_EXAMPLE_FOLDS = 5
#: Margin of the example, in percentage points; one of 20 texts is 5 points.
_EXAMPLE_MARGIN = "8"
#: Columns that a file of texts must have.
_TEXT_COLUMNS = ("text", "label")
#: Default features, which ``--features`` can override.
_DEFAULT_FEATURES = {"tokenizer": "letters", "lowercase": "true", "min_count": "2"}
_HISTORY_TEXT = """# Changes made after results were seen

## Before the first run

- The rows, tolerances and experiments as they stood before any result was seen.
"""


class Cell(NamedTuple):
    """One published value of a table; ``features`` is "" if the table has one feature set."""

    artefact: str
    method: str
    features: str
    role: str
    value: str

    @property
    def entry(self) -> str:
        """The name of the method in its experiment and in the report."""
        return f"{self.method}_{self.features}" if self.features else self.method

    @property
    def experiment(self) -> str:
        """The name of the experiment, which equals the name of the feature set."""
        return self.features or "main"


@dataclass(frozen=True)
class NewPaper:
    """Specification of a new paper.

    Parameters
    ----------
    root : Path
        Folder with ``config/`` and ``workflow/``.
    name : str
        Name of the paper and its folder.
    table : str, default=""
        Table of published values as CSV; "" for the example.
    outside : Path, default=None
        Folder for papers outside the repository; None means ``config/papers``.
    roles : mapping, default={}
        New role -> data set.
    features : mapping, default={}
        Feature set of the table -> settings that override the default ones, as YAML without braces.
    metric : str, default="accuracy"
        Metric of all values of the table.
    unit : {"percent", "fraction"}, default="percent"
        Unit of all values.
    margin : str, default="1"
        Margin of all values, in their unit.
    folds : int, default=0
        Number of cross-validation folds; 0 uses the predefined split of the data set.
    texts : Path, default=None
        CSV file with the columns ``text`` and ``label``; its data set serves the role of the table that has none.
    """

    root: Path
    name: str
    table: str = ""
    outside: Path | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, str] = field(default_factory=dict)
    metric: str = "accuracy"
    unit: str = "percent"
    margin: str = "1"
    folds: int = 0
    texts: Path | None = None

    @property
    def folder(self) -> Path:
        parent = self.root / FOLDER if self.outside is None else self.outside
        return parent / self.name

    @property
    def dataset(self) -> str:
        """Name of the data set of ``texts``, and of its role in the example."""
        return f"{self.name}_texts"


def example(root: Path, name: str, outside: Path | None = None) -> NewPaper:
    """Return the specification of the example paper."""
    paper = NewPaper(root, name, outside=outside, texts=_EXAMPLE_TEXTS, margin=_EXAMPLE_MARGIN, folds=_EXAMPLE_FOLDS)
    return replace(paper, table=_EXAMPLE_TABLE.format(role=paper.dataset))


def write_paper(paper: NewPaper) -> list[Path]:
    """Write the files of a new paper.

    Returns
    -------
    list of Path
        Paths of the created or changed files.

    Raises
    ------
    ConfigError
        If the paper already exists, or the table or an option refers to an unknown name.
    """
    external = [] if paper.outside is None else [paper.outside]
    _check_new(paper, paper_folders(paper.root, external))
    cells, roles = _read_table(paper.table)
    _check_methods(paper, cells, external)
    _check_features(paper, cells)
    added = _added_roles(paper, roles, external)
    files = {
        paper.folder / "paper.yaml": _paper_yaml(paper, cells, roles),
        paper.folder / "published.csv": _published(paper, cells),
    }
    if paper.texts is not None:
        files[paper.folder / "texts.csv"] = _read_texts(paper.texts)
        files[paper.folder / "datasets.yaml"] = _datasets_yaml(paper)
    if added:
        files[paper.folder / "roles.yaml"] = _roles_yaml(added)
    if paper.outside is None:
        files[paper.folder / "history.md"] = _HISTORY_TEXT
        files.update(_pages(paper))
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(files)


# --- checks of the specification ---


def _check_new(paper: NewPaper, folders: Mapping[str, Path]) -> None:
    """Reject an invalid or used name."""
    if not _NAME.fullmatch(paper.name):
        raise ConfigError(f"new_paper: '{paper.name}' is not a valid name of a paper; use only a-z, 0-9 and _")
    if paper.name in folders or paper.folder.exists():
        raise ConfigError(
            f"new_paper: the paper '{paper.name}' or its folder {paper.folder} exists; choose another name"
        )


def _check_methods(paper: NewPaper, cells: Sequence[Cell], external: Sequence[Path]) -> None:
    """Reject an unknown method, or a metric that a method does not have."""
    methods = read_methods(paper.root, external)
    for method in _unique(cell.method for cell in cells):
        check_name("method", method, methods, "new_paper: table")
        check_metrics([paper.metric], metrics_for(methods[method].task), "new_paper: --metric")


def _check_features(paper: NewPaper, cells: Sequence[Cell]) -> None:
    """Reject settings of an unknown feature set, and feature sets without settings that distinguish them."""
    names = _unique(cell.features for cell in cells)
    for name in paper.features:
        check_name("features", name, names, "new_paper: --features")
    first = names[0]
    undefined = [name for name in names[1:] if name not in paper.features]
    if undefined:
        raise ConfigError(
            f"new_paper: table: specify how the features {undefined[0]} differ from {first}, such as "
            f"--features '{undefined[0]}=max_n: 2' for word pairs"
        )


def _added_roles(paper: NewPaper, roles: Sequence[str], external: Sequence[Path]) -> dict[str, str]:
    """Return role -> data set of the roles that the configuration does not have."""
    config = load_yaml_strict(paper.root / "config/config.yaml")
    configured = with_roles(config, paper.root, external)["roles"]
    datasets = read_datasets(paper.root, external)
    added = {role: paper.roles[role] for role in roles if role in paper.roles and role not in configured}
    for role, dataset in added.items():
        check_name("data set", dataset, datasets, f"new_paper: --role {role}")
    undefined = [role for role in roles if role not in configured and role not in added]
    if paper.texts is not None:
        if len(undefined) != 1:
            roles_text = ", ".join(undefined) or "none"
            raise ConfigError(
                f"new_paper: --texts: exactly one role of the table must be without a data set, not {roles_text}; "
                "assign the others with --role ROLE=DATASET"
            )
        return {**added, undefined[0]: paper.dataset}
    for role in undefined:
        remedy = f"new_paper: table (add it with --role {role}=DATASET, or with --texts FILE.csv)"
        check_name("role", role, configured, remedy)
    return added


# --- the table of published values ---


def _read_table(table: str) -> tuple[list[Cell], list[str]]:
    """Parse the table; return its cells and its roles."""
    header, *lines = [line for line in csv.reader(io.StringIO(table)) if line] or [[]]
    has_features = header[2:3] == ["features"]
    n_keys = 3 if has_features else 2
    roles = header[n_keys:]
    if header[:2] != ["artefact", "method"] or not roles or not lines:
        raise ConfigError(
            "new_paper: table: write a header with artefact, method and the roles, then a line for each method"
        )
    for line in lines:
        _check_line(line, header, has_features)
    _check_unique(lines, n_keys)
    # An empty cell is a value that the paper does not report; a table without any value is a template.
    is_template = not any(cell.strip() for line in lines for cell in line[n_keys:])
    cells = []
    for line in lines:
        artefact, method, *_ = (cell.strip() for cell in line)
        features = line[2].strip() if has_features else ""
        for role, value in zip(roles, line[n_keys:], strict=True):
            if is_template or value.strip():
                cells.append(Cell(artefact, method, features, role, value.strip()))
    return cells, roles


def _check_line(line: Sequence[str], header: Sequence[str], has_features: bool) -> None:
    """Reject a line with a wrong number of cells, or with an invalid name of features."""
    text = ",".join(line)
    if len(line) != len(header):
        raise ConfigError(f"new_paper: table: the line {text} has {len(line)} cells, not {len(header)}; correct it")
    if has_features and not _NAME.fullmatch(line[2].strip()):
        raise ConfigError(f"new_paper: table: '{line[2]}' is not a valid name of features; use only a-z, 0-9 and _")


def _check_unique(lines: Iterable[Sequence[str]], n_keys: int) -> None:
    """Reject two lines of the same artefact, method and features."""
    counts = Counter(tuple(cell.strip() for cell in line[:n_keys]) for line in lines)
    key, count = counts.most_common(1)[0]
    if count > 1:
        has_features = n_keys > 2
        remedy = "remove one" if has_features else "distinguish feature sets by a column features after method"
        raise ConfigError(f"new_paper: table: the line {','.join(key)} occurs twice; {remedy}")


def _published(paper: NewPaper, cells: Sequence[Cell]) -> str:
    """Return the content of published.csv: one row per cell of the table."""
    text = io.StringIO()
    writer = csv.DictWriter(text, PUBLISHED_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for cell in cells:
        table = f"{paper.name}.{cell.artefact}"
        row_id = f"{table}.{cell.entry}.{cell.role}"
        is_numbered = re.fullmatch(r"t\d+", cell.artefact)
        where = f"Table {cell.artefact[1:]}" if is_numbered else cell.artefact
        source = f"score:{cell.experiment}/{cell.role}/{cell.entry}/{paper.metric}"
        row = {
            "id": row_id,
            "artefact": table,
            "kind": "number",
            "dataset": cell.role,
            "method": cell.entry,
            "metric": paper.metric,
            "unit": paper.unit,
            "value": cell.value,
            "where": where,
            "tolerance": "open",
            "source": source,
            "note": "no published value yet",
        }
        if cell.value:
            row["tolerance"] = "near"
            row["margin"] = paper.margin
            row["note"] = f"within {paper.margin}: the table gives no standard deviation"
        writer.writerow(row)
    return text.getvalue()


# --- the local texts ---


def _read_texts(path: Path) -> str:
    """Return the content of a CSV file of texts after checking its columns."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"new_paper: --texts: {path}: not UTF-8 text; save it as UTF-8") from error
    header = next(csv.reader(io.StringIO(text)), [])
    missing = [column for column in _TEXT_COLUMNS if column not in header]
    if missing:
        columns = ", ".join(header) or "none"
        raise ConfigError(
            f"new_paper: --texts: {path}, line 1: column '{missing[0]}' is missing (columns: {columns}); "
            "name the columns text and label"
        )
    return text if text.endswith("\n") else f"{text}\n"


def _roles_yaml(datasets: Mapping[str, str]) -> str:
    """Return the entries of new roles: role -> data set."""
    lines = [f'{role}: {{dataset: {name}, comparable: fully, note: ""}}\n' for role, name in datasets.items()]
    return "".join(lines)


def _datasets_yaml(paper: NewPaper) -> str:
    """Return the registry entry of the texts."""
    return f"""\
{paper.dataset}:
  title: Texts of {paper.name}
  citation: Whom to cite for the texts.
  terms: none stated
  reader: {{name: csv_file, options: {{text: text, label: label}}}}
  files: {{data: texts.csv}}
  sources:
    - local: {{data: {{path: texts.csv}}}}
  expect: {{}}
"""


# --- paper.yaml ---


def _paper_yaml(paper: NewPaper, cells: Sequence[Cell], roles: Sequence[str]) -> str:
    """Return the content of paper.yaml: an experiment and a figure per feature set, and a table per artefact."""
    schema = os.path.relpath(paper.root / _SCHEMA, paper.folder)
    # Papers share results by the names of splits and features, so the names must be unique.
    split = f"{paper.name}_given"
    split_settings = "{kind: given}"
    if paper.folds:
        split = f"{paper.name}_folds_{paper.folds}"
        split_settings = f"{{kind: folds, folds: {paper.folds}, stratified: true}}"
    cells_of: dict[str, list[Cell]] = {}
    for cell in cells:
        cells_of.setdefault(cell.experiment, []).append(cell)
    lines = [
        f"# yaml-language-server: $schema={schema}",
        f"# Assumed: {paper.metric} in {paper.unit}, within {paper.margin}; split and words as below; methods with the",
        "# defaults of their estimators. Correct what the paper does otherwise.",
        f"title: {paper.name}",
        "citation: Authors, title, place and year.",
        "status: built",
        "order: 100",
        f"roles: [{', '.join(roles)}]",
        "features:",
    ]
    for experiment in cells_of.values():
        settings = _feature_settings(paper, experiment[0].features)
        lines.append(f"  {_features_name(paper, experiment)}: {{{settings}}}")
    lines += ["splits:", f"  {split}: {split_settings}", "experiments:"]
    for experiment in cells_of.values():
        lines += _experiment(paper, experiment, split)
    lines.append("tables:")
    for artefact in _unique(cell.artefact for cell in cells):
        name = re.sub(r"[^a-z0-9_]", "_", artefact.lower())
        caption = f"The numbers of {artefact}."
        lines.append(
            f"  {name}: {{artefact: {paper.name}.{artefact}, rows: dataset, columns: method, caption: {caption}}}"
        )
    lines.append("figures:")
    for experiment in cells_of.values():
        lines += _figure(paper, experiment)
    return "\n".join(lines) + "\n"


def _unique(names: Iterable[str]) -> list[str]:
    """Return the distinct names in order of appearance."""
    return list(dict.fromkeys(names))


def _features_name(paper: NewPaper, experiment: Sequence[Cell]) -> str:
    return f"{paper.name}_{experiment[0].features or 'words'}"


def _feature_settings(paper: NewPaper, name: str) -> str:
    """Return the settings of a feature set, as YAML without braces."""
    settings = dict(_DEFAULT_FEATURES)
    for setting in paper.features.get(name, "").split(","):
        key, _, value = setting.partition(":")
        if setting.strip():
            settings[key.strip()] = value.strip()
    return ", ".join(f"{key}: {value}" for key, value in settings.items())


def _experiment(paper: NewPaper, experiment: Sequence[Cell], split: str) -> list[str]:
    """Return the lines of the experiment of a feature set."""
    roles = ", ".join(f"{role}: {split}" for role in _unique(cell.role for cell in experiment))
    methods = {cell.entry: cell.method for cell in experiment}
    lines = [
        f"  {experiment[0].experiment}:",
        f"    roles: {{{roles}}}",
        f"    features: {_features_name(paper, experiment)}",
        f"    metrics: [{paper.metric}]",
        "    methods:",
    ]
    for entry, method in methods.items():
        lines.append(f"      {entry}: {{use: {method}}}")
    return lines


def _figure(paper: NewPaper, experiment: Sequence[Cell]) -> list[str]:
    """Return the lines of the figure of a feature set."""
    features = experiment[0].features
    name = f"scores_{features}" if features else "scores"
    roles = ", ".join(_unique(cell.role for cell in experiment))
    # If several tables have a method, the figure shows the value of the first one.
    artefact_of = {cell.entry: cell.artefact for cell in reversed(experiment)}
    methods = _unique(cell.entry for cell in experiment)
    published = ", ".join(f"{entry}: {paper.name}.{artefact_of[entry]}.{entry}" for entry in methods)
    lines = [
        f"  {name}:",
        "    template: scores",
        "    title: Scores of each method on each data set",
        "    caption: One panel per data set, one row per method; the white diamond is the published value.",
    ]
    lines.append(f"    experiment: {experiment[0].experiment}")
    lines.append(f"    metric: {paper.metric}")
    lines.append(f"    unit: {paper.unit}")
    lines.append(f"    roles: [{roles}]")
    lines.append(f"    methods: [{', '.join(methods)}]")
    lines.append(f"    published: {{{published}}}")
    return lines


def _pages(paper: NewPaper) -> dict[Path, str]:
    """Return path -> content of the paper's documentation page and of the index of these pages."""
    folder = paper.root / "docs/papers"
    index = folder / "index.md"
    if not index.is_file():
        return {}
    title = paper.name.replace("_", " ").capitalize()
    page = f"# {title}\n\n```{{include}} generated/{paper.name}.md\n```\n"
    index_text = index.read_text(encoding="utf-8")
    extended_index = re.sub(r"\n```\s*$", f"\n{paper.name}\n```\n", index_text)
    return {folder / f"{paper.name}.md": page, index: extended_index}


# --- command line ---


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m reproduction.scaffold.new_paper",
        description="Create the folder of a new paper that runs without edits; without options, a complete example.",
    )
    parser.add_argument("name", help="name of the paper: a-z, 0-9 and _")
    parser.add_argument("--table", type=Path, help="CSV of published values: artefact, method and a column per role")
    parser.add_argument("--texts", type=Path, help="CSV with the columns text and label, copied to the new folder")
    parser.add_argument("--folder", type=Path, help="folder for papers outside the repository (see papers_from)")
    parser.add_argument("--role", action="append", default=[], metavar="ROLE=DATASET", help="new role and its data set")
    parser.add_argument(
        "--features",
        action="append",
        default=[],
        metavar="NAME=SETTINGS",
        help="settings of a feature set, such as 'pairs=max_n: 2'",
    )
    parser.add_argument("--metric", default="accuracy", help="metric of the values (default: %(default)s)")
    parser.add_argument(
        "--unit", default="percent", choices=("percent", "fraction"), help="unit of the values (default: %(default)s)"
    )
    parser.add_argument("--margin", default="1", help="margin of the values, in their unit (default: %(default)s)")
    parser.add_argument(
        "--folds", type=int, default=0, help="number of cross-validation folds (default: the data set's own split)"
    )
    return parser


def _specify(options: argparse.Namespace) -> NewPaper:
    """Convert the options of the command line to a specification."""
    root = Path.cwd()
    outside = options.folder.absolute() if options.folder else None
    if options.table is None and options.texts is not None:
        raise ConfigError("new_paper: --texts: requires --table FILE.csv with the published values")
    if options.table is None:
        return example(root, options.name, outside)
    table = options.table.read_text(encoding="utf-8")
    roles = _parse_assignments(options.role)
    features = _parse_assignments(options.features)
    return NewPaper(
        root=root,
        name=options.name,
        table=table,
        outside=outside,
        texts=options.texts,
        roles=roles,
        features=features,
        metric=options.metric,
        unit=options.unit,
        margin=options.margin,
        folds=options.folds,
    )


def _parse_assignments(texts: Iterable[str]) -> dict[str, str]:
    """Parse texts ``name=value``."""
    return dict(text.partition("=")[::2] for text in texts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Create the files and print their paths; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        written = write_paper(_specify(options))
    except (OSError, TextmixError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.writelines(f"{os.path.relpath(path)}\n" for path in written)
    config = f" --config 'papers_from=[{os.path.relpath(options.folder)}]'" if options.folder else ""
    sys.stdout.write(f"Next: snakemake --cores all {options.name}{config}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
