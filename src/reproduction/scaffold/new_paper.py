"""Write the folder of a new paper, which runs without edits: ``python -m reproduction.scaffold.new_paper NAME``.

A table of published values (``--table``) has the columns ``artefact`` and ``method``, then one column per role.  A
third column ``features`` names the feature set of each line if the table has several; each becomes an experiment.
Without a table, the paper has one row: the accuracy of naive Bayes, without a published value.
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from reproduction.flow.papers import FOLDER, check_name, paper_folders, read_datasets, read_methods, with_roles
from reproduction.verdict.published import PUBLISHED_COLUMNS
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError, TextmixError
from textmix.metrics.registry import check_metrics, metrics_for

_SCHEMA = "workflow/schemas/paper.schema.yaml"
#: The default table.
_DEFAULT_TABLE = "artefact,method,newsgroups\nt1,multinomial,\n"
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
    table : str
        Table of published values as CSV.
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
    """

    root: Path
    name: str
    table: str = _DEFAULT_TABLE
    outside: Path | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, str] = field(default_factory=dict)
    metric: str = "accuracy"
    unit: str = "percent"
    margin: str = "1"
    folds: int = 0


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
    root = paper.root
    further = [] if paper.outside is None else [paper.outside]
    parent = root / FOLDER if paper.outside is None else paper.outside
    folder = parent / paper.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", paper.name):
        raise ConfigError(f"new_paper: '{paper.name}' is not a valid name of a paper; use only a-z, 0-9 and _")
    if paper.name in paper_folders(root, further) or folder.exists():
        raise ConfigError(f"new_paper: the paper '{paper.name}' or its folder {folder} exists; choose another name")
    cells, roles = _read_table(paper.table)
    methods = read_methods(root, further)
    datasets = read_datasets(root, further)
    known = with_roles(load_yaml_strict(root / "config/config.yaml"), further)["roles"]
    for method in {cell.method: None for cell in cells}:
        check_name("method", method, methods, "new_paper: table")
        check_metrics([paper.metric], metrics_for(methods[method].task), "new_paper: --metric")
    sets = list({cell.features: None for cell in cells})
    for name in paper.features:
        check_name("features", name, sets, "new_paper: --features")
    undefined = [name for name in sets[1:] if name not in paper.features]
    if undefined:
        raise ConfigError(
            f"new_paper: table: specify how the features {undefined[0]} differ from {sets[0]}, such as "
            f"--features '{undefined[0]}=max_n: 2' for word pairs"
        )
    added = {role: paper.roles[role] for role in roles if role in paper.roles and role not in known}
    for role in roles:
        check_name("role", role, [*known, *added], "new_paper: table (--role ROLE=DATASET adds one)")
    for role, dataset in added.items():
        check_name("data set", dataset, datasets, f"new_paper: --role {role}")
    files = {
        folder / "paper.yaml": _paper_yaml(paper, folder, cells, roles),
        folder / "published.csv": _published(paper, cells),
    }
    files.update(_with_roles(paper, added))
    if paper.outside is None:
        files.update(_pages(paper, folder))
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(files)


def _read_table(table: str) -> tuple[list[Cell], list[str]]:
    header, *lines = [line for line in csv.reader(io.StringIO(table)) if line] or [[]]
    has_features = header[2:3] == ["features"]
    first = 3 if has_features else 2
    if header[:2] != ["artefact", "method"] or len(header) <= first or not lines:
        raise ConfigError(
            "new_paper: table: write a header with artefact, method and the roles, then a line for each method"
        )
    for line in lines:
        if len(line) != len(header):
            raise ConfigError(
                f"new_paper: table: the line {','.join(line)} has {len(line)} cells, not {len(header)}; correct it"
            )
        if has_features and not re.fullmatch(r"[a-z][a-z0-9_]*", line[2].strip()):
            raise ConfigError(f"new_paper: table: '{line[2]}' is not a valid name of features; use only a-z, 0-9 and _")
    counts = Counter(tuple(cell.strip() for cell in line[:first]) for line in lines)
    key, count = counts.most_common(1)[0]
    if count > 1:
        remedy = "remove one" if has_features else "distinguish feature sets by a column features after method"
        raise ConfigError(f"new_paper: table: the line {','.join(key)} occurs twice; {remedy}")
    roles = header[first:]
    # An empty cell is a value that the paper does not report; a table without any value is a template.
    is_template = not any(cell.strip() for line in lines for cell in line[first:])
    cells = [
        Cell(line[0].strip(), line[1].strip(), line[2].strip() if has_features else "", role, cell.strip())
        for line in lines
        for role, cell in zip(roles, line[first:], strict=True)
        if is_template or cell.strip()
    ]
    return cells, roles


def _published(paper: NewPaper, cells: Sequence[Cell]) -> str:
    """Return the content of published.csv: one row per cell of the table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(PUBLISHED_COLUMNS)
    for cell in cells:
        table = f"{paper.name}.{cell.artefact}"
        source = f"score:{cell.experiment}/{cell.role}/{cell.entry}/{paper.metric}"
        head = (f"{table}.{cell.entry}.{cell.role}", table, "number", cell.role, cell.entry, paper.metric, paper.unit)
        where = f"Table {cell.artefact[1:]}" if re.fullmatch(r"t\d+", cell.artefact) else cell.artefact
        judged = ("near", paper.margin, source, f"within {paper.margin}: the table gives no standard deviation")
        shown = ("open", "", source, "no published value yet")
        writer.writerow([*head, cell.value, "", "", where, *(judged if cell.value else shown)])
    return text.getvalue()


def _paper_yaml(paper: NewPaper, folder: Path, cells: Sequence[Cell], roles: Sequence[str]) -> str:
    """Return the content of paper.yaml: an experiment and a figure per feature set, and a table per artefact."""
    schema = os.path.relpath(paper.root / _SCHEMA, folder)
    split = f"{{kind: folds, folds: {paper.folds}, stratified: true}}" if paper.folds else "{kind: given}"
    # Papers share results by the names of splits and features, so the names must be unique.
    name = f"{paper.name}_{f'folds_{paper.folds}' if paper.folds else 'given'}"
    parts = {cell.experiment: [one for one in cells if one.experiment == cell.experiment] for cell in cells}
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
        *(f"  {_features(paper, part)}: {{{_counted(paper, part[0].features)}}}" for part in parts.values()),
        "splits:",
        f"  {name}: {split}",
        "experiments:",
        *(line for part in parts.values() for line in _experiment(paper, part, name)),
        "tables:",
        *(
            f"  {re.sub(r'[^a-z0-9_]', '_', artefact.lower())}: {{artefact: {paper.name}.{artefact}, rows: dataset, "
            f"columns: method, caption: The numbers of {artefact}.}}"
            for artefact in _once(cell.artefact for cell in cells)
        ),
        "figures:",
        *(line for part in parts.values() for line in _figure(paper, part)),
    ]
    return "\n".join(lines) + "\n"


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _features(paper: NewPaper, part: Sequence[Cell]) -> str:
    return f"{paper.name}_{part[0].features or 'words'}"


def _counted(paper: NewPaper, name: str) -> str:
    """Return the settings of a feature set, as YAML without braces."""
    given = (part.partition(":") for part in paper.features.get(name, "").split(",") if part.strip())
    settings = {**_DEFAULT_FEATURES, **{key.strip(): value.strip() for key, _, value in given}}
    return ", ".join(f"{key}: {value}" for key, value in settings.items())


def _experiment(paper: NewPaper, part: Sequence[Cell], split: str) -> list[str]:
    return [
        f"  {part[0].experiment}:",
        f"    roles: {{{', '.join(f'{role}: {split}' for role in _once(cell.role for cell in part))}}}",
        f"    features: {_features(paper, part)}",
        f"    metrics: [{paper.metric}]",
        "    methods:",
        *(f"      {entry}: {{use: {method}}}" for entry, method in {one.entry: one.method for one in part}.items()),
    ]


def _figure(paper: NewPaper, part: Sequence[Cell]) -> list[str]:
    entries = _once(cell.entry for cell in part)
    first = {cell.entry: cell.artefact for cell in reversed(part)}
    return [
        f"  scores{f'_{part[0].features}' if part[0].features else ''}:",
        "    template: scores",
        "    title: Scores of each method on each data set",
        "    caption: One panel per data set, one row per method; the white diamond is the published value.",
        f"    experiment: {part[0].experiment}",
        f"    metric: {paper.metric}",
        f"    unit: {paper.unit}",
        f"    roles: [{', '.join(_once(cell.role for cell in part))}]",
        f"    methods: [{', '.join(entries)}]",
        f"    published: {{{', '.join(f'{one}: {paper.name}.{first[one]}.{one}' for one in entries)}}}",
    ]


def _with_roles(paper: NewPaper, added: Mapping[str, str]) -> dict[Path, str]:
    """Return path -> content of the file of roles, extended by the new ones; empty without new roles."""
    lines = [f'{role}: {{dataset: {dataset}, comparable: fully, note: ""}}\n' for role, dataset in added.items()]
    if not lines:
        return {}
    if paper.outside is not None:
        path = paper.outside / "roles.yaml"
        return {path: (path.read_text(encoding="utf-8") if path.is_file() else "") + "".join(lines)}
    path = paper.root / "config/config.yaml"
    text = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
    block = re.search(r"^roles:\n(?:(?:[ #].*)?\n)*", text, flags=re.MULTILINE)
    if block is None:
        raise ConfigError(f"{path}: the block 'roles:' is missing; add it")
    return {path: text[: block.end()] + "".join(f"  {line}" for line in lines) + text[block.end() :]}


def _pages(paper: NewPaper, folder: Path) -> dict[Path, str]:
    """Return path -> content of the paper's history, its documentation page, and the index of these pages."""
    page, index = (paper.root / "docs/papers" / f"{name}.md" for name in (paper.name, "index"))
    pages = {folder / "history.md": _HISTORY_TEXT}
    if index.is_file():
        title = paper.name.replace("_", " ").capitalize()
        pages[page] = f"# {title}\n\n```{{include}} generated/{paper.name}.md\n```\n"
        pages[index] = re.sub(r"\n```\s*$", f"\n{paper.name}\n```\n", index.read_text(encoding="utf-8"))
    return pages


def main(arguments: Sequence[str] | None = None) -> int:
    """Create the files and print their paths; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.scaffold.new_paper", description=__doc__)
    parser.add_argument("name", help="name of the paper: a-z, 0-9 and _")
    parser.add_argument("--table", type=Path, help="CSV of published values: artefact, method and a column per role")
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
    options = parser.parse_args(arguments)
    try:
        table = options.table.read_text(encoding="utf-8") if options.table else _DEFAULT_TABLE
        paper = NewPaper(
            root=Path.cwd(),
            name=options.name,
            table=table,
            outside=options.folder.absolute() if options.folder else None,
            roles=dict(text.partition("=")[::2] for text in options.role),
            features=dict(text.partition("=")[::2] for text in options.features),
            metric=options.metric,
            unit=options.unit,
            margin=options.margin,
            folds=options.folds,
        )
        written = write_paper(paper)
    except (OSError, TextmixError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.writelines(f"{os.path.relpath(path)}\n" for path in written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
