"""Begin a paper: ``python -m reproduction.scaffold.new_paper NAME`` writes its folder, which runs as it is.

A table of printed numbers (``--table``) gives the rows: columns ``artefact`` and ``method``, then one column a role.  A
column ``features`` after them names the feature set of each line, where the table has several; each is an experiment.
Without a table there is one row, which shows the accuracy of naive Bayes beside no printed number.
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
#: The table of a paper that is begun without one.
_ONE_ROW = "artefact,method,newsgroups\nt1,multinomial,\n"
#: How words are counted unless ``--features`` says otherwise.
_FEATURES = {"tokenizer": "letters", "lowercase": "true", "min_count": "2"}
_HISTORY = """# Changes made after results were seen

## Before the first run

- The rows, tolerances and experiments as they stood before any result was seen.
"""


class Cell(NamedTuple):
    """One printed number of a table; ``features`` is empty where the table has one feature set."""

    artefact: str
    method: str
    features: str
    role: str
    value: str

    @property
    def entry(self) -> str:
        """The name of its method in an experiment, and on the page."""
        return f"{self.method}_{self.features}" if self.features else self.method

    @property
    def experiment(self) -> str:
        """The name of its experiment: that of the feature set."""
        return self.features or "main"


@dataclass(frozen=True)
class Begun:
    """A paper to begin.

    Parameters
    ----------
    root : the folder with ``config/`` and ``workflow/``.
    table : text of the table, as csv.
    outside : the folder for papers outside the repository; None for ``config/papers``.
    roles : role -> data set, of the roles that there are not yet.
    features : feature set of the table -> its settings beside or in place of `_FEATURES`, as YAML without braces.
    metric, unit, margin : of all numbers of the table; the unit is percent or fraction.
    folds : parts of the cross-validation; 0 for the data set's own split.
    """

    root: Path
    name: str
    table: str = _ONE_ROW
    outside: Path | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, str] = field(default_factory=dict)
    metric: str = "accuracy"
    unit: str = "percent"
    margin: str = "1"
    folds: int = 0


def begin(paper: Begun) -> list[Path]:
    """Write the files of a paper that is begun; return those that were written or changed."""
    root, further = paper.root, [] if paper.outside is None else [paper.outside]
    folder = (root / FOLDER if paper.outside is None else paper.outside) / paper.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", paper.name):
        raise ConfigError(f"new_paper: '{paper.name}' is no name of a paper; use a-z, 0-9 and _ alone")
    if paper.name in paper_folders(root, further) or folder.exists():
        raise ConfigError(f"new_paper: there is a paper '{paper.name}' or its folder {folder}; take another name")
    cells, roles = _cells(paper.table)
    methods, datasets = read_methods(root, further), read_datasets(root, further)
    known = with_roles(load_yaml_strict(root / "config/config.yaml"), further)["roles"]
    for method in {cell.method: None for cell in cells}:
        check_name("method", method, methods, "new_paper: table")
        check_metrics([paper.metric], metrics_for(methods[method].task), "new_paper: --metric")
    sets = list({cell.features: None for cell in cells})
    for name in paper.features:
        check_name("features", name, sets, "new_paper: --features")
    if len(sets) > 1 and (unsaid := [name for name in sets[1:] if name not in paper.features]):
        raise ConfigError(
            f"new_paper: table: say how the features {unsaid[0]} differ from {sets[0]}, such as by "
            f"--features '{unsaid[0]}=max_n: 2' for pairs of words"
        )
    added = {role: paper.roles[role] for role in roles if role in paper.roles and role not in known}
    for role in roles:
        check_name("role", role, [*known, *added], "new_paper: table (--role ROLE=DATASET adds one)")
    for role, dataset in added.items():
        check_name("data set", dataset, datasets, f"new_paper: --role {role}")
    files = {
        folder / "paper.yaml": _paper_yaml(paper, folder, cells, roles),
        folder / "published.csv": _published(paper, cells),
        **_with_roles(paper, added),
        **({} if paper.outside else _pages(paper, folder)),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(files)


def _cells(table: str) -> tuple[list[Cell], list[str]]:
    header, *lines = [line for line in csv.reader(io.StringIO(table)) if line] or [[]]
    several = header[2:3] == ["features"]
    first = 3 if several else 2
    if header[:2] != ["artefact", "method"] or len(header) <= first or not lines:
        raise ConfigError("new_paper: table: write the line artefact,method and the roles, then a line for each method")
    if wrong := next((line for line in lines if len(line) != len(header)), None):
        raise ConfigError(f"new_paper: table: the line {','.join(wrong)} has not {len(header)} cells; correct it")
    if wrong := next(
        (line for line in lines if several and not re.fullmatch(r"[a-z][a-z0-9_]*", line[2].strip())), None
    ):
        raise ConfigError(f"new_paper: table: '{wrong[2]}' is no name of features; use a-z, 0-9 and _ alone")
    twice = Counter(tuple(cell.strip() for cell in line[:first]) for line in lines).most_common(1)[0]
    if twice[1] > 1:
        remedy = "correct it" if several else "tell feature sets apart by a column features after method"
        raise ConfigError(f"new_paper: table: the line {','.join(twice[0])} stands twice; {remedy}")
    roles = header[first:]
    # An empty cell is a number that the paper does not print; a table without any number is there to be filled in.
    empty = not any(cell.strip() for line in lines for cell in line[first:])
    cells = [
        Cell(line[0].strip(), line[1].strip(), line[2].strip() if several else "", role, cell.strip())
        for line in lines
        for role, cell in zip(roles, line[first:], strict=True)
        if empty or cell.strip()
    ]
    return cells, roles


def _published(paper: Begun, cells: Sequence[Cell]) -> str:
    """Return the text of published.csv: one row a cell of the table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(PUBLISHED_COLUMNS)
    for cell in cells:
        table = f"{paper.name}.{cell.artefact}"
        source = f"score:{cell.experiment}/{cell.role}/{cell.entry}/{paper.metric}"
        head = (f"{table}.{cell.entry}.{cell.role}", table, "number", cell.role, cell.entry, paper.metric, paper.unit)
        where = f"Table {cell.artefact[1:]}" if re.fullmatch(r"t\d+", cell.artefact) else cell.artefact
        judged = ("near", paper.margin, source, f"within {paper.margin}: the table prints no spread")
        shown = ("open", "", source, "no printed number yet")
        writer.writerow([*head, cell.value, "", "", where, *(judged if cell.value else shown)])
    return text.getvalue()


def _paper_yaml(paper: Begun, folder: Path, cells: Sequence[Cell], roles: Sequence[str]) -> str:
    """Return the text of paper.yaml: an experiment and a stock figure a feature set, and a table each artefact."""
    schema = os.path.relpath(paper.root / _SCHEMA, folder)
    split = f"{{kind: folds, folds: {paper.folds}, stratified: true}}" if paper.folds else "{kind: given}"
    # The names of splits and features mean the same in every paper, so that their results are shared.
    name = f"{paper.name}_{f'folds_{paper.folds}' if paper.folds else 'given'}"
    parts = {cell.experiment: [one for one in cells if one.experiment == cell.experiment] for cell in cells}
    lines = [
        f"# yaml-language-server: $schema={schema}",
        f"# Assumed: {paper.metric} in {paper.unit}, within {paper.margin}; split and words as below; methods with the",
        "# defaults of their estimators. Correct what the paper does otherwise.",
        f"title: {paper.name}",
        "citation: Authors, title, place and year.",
        "status: built",
        "place: 100",
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


def _features(paper: Begun, part: Sequence[Cell]) -> str:
    return f"{paper.name}_{part[0].features or 'words'}"


def _counted(paper: Begun, name: str) -> str:
    """Return the settings of a feature set, as YAML without braces."""
    given = (part.partition(":") for part in paper.features.get(name, "").split(",") if part.strip())
    settings = {**_FEATURES, **{key.strip(): value.strip() for key, _, value in given}}
    return ", ".join(f"{key}: {value}" for key, value in settings.items())


def _experiment(paper: Begun, part: Sequence[Cell], split: str) -> list[str]:
    return [
        f"  {part[0].experiment}:",
        f"    roles: {{{', '.join(f'{role}: {split}' for role in _once(cell.role for cell in part))}}}",
        f"    features: {_features(paper, part)}",
        f"    metrics: [{paper.metric}]",
        "    methods:",
        *(f"      {entry}: {{use: {method}}}" for entry, method in {one.entry: one.method for one in part}.items()),
    ]


def _figure(paper: Begun, part: Sequence[Cell]) -> list[str]:
    entries = _once(cell.entry for cell in part)
    first = {cell.entry: cell.artefact for cell in reversed(part)}
    return [
        f"  scores{f'_{part[0].features}' if part[0].features else ''}:",
        "    stock: scores",
        "    title: Each method on each data set",
        "    caption: A panel a data set and a row a method; the white diamond is the printed number.",
        f"    experiment: {part[0].experiment}",
        f"    metric: {paper.metric}",
        f"    unit: {paper.unit}",
        f"    roles: [{', '.join(_once(cell.role for cell in part))}]",
        f"    methods: [{', '.join(entries)}]",
        f"    published: {{{', '.join(f'{one}: {paper.name}.{first[one]}.{one}' for one in entries)}}}",
    ]


def _with_roles(paper: Begun, added: Mapping[str, str]) -> dict[Path, str]:
    """Return the file of the roles with those that are added after the others; nothing where none is."""
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
        raise ConfigError(f"{path}: has no line 'roles:' with a line for each role below it; add them")
    return {path: text[: block.end()] + "".join(f"  {line}" for line in lines) + text[block.end() :]}


def _pages(paper: Begun, folder: Path) -> dict[Path, str]:
    """Return the history of a paper of this repository, and its page of the site with the list of these pages."""
    page, index = (paper.root / "docs/papers" / f"{name}.md" for name in (paper.name, "index"))
    pages = {folder / "history.md": _HISTORY}
    if index.is_file():
        title = paper.name.replace("_", " ").capitalize()
        pages[page] = f"# {title}\n\n```{{include}} generated/{paper.name}.md\n```\n"
        pages[index] = re.sub(r"\n```\s*$", f"\n{paper.name}\n```\n", index.read_text(encoding="utf-8"))
    return pages


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files and name them; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.scaffold.new_paper", description=__doc__)
    parser.add_argument("name", help="name of the paper: a-z, 0-9 and _")
    parser.add_argument("--table", type=Path, help="csv of printed numbers: artefact,method and a column for each role")
    parser.add_argument("--folder", type=Path, help="folder of papers outside the repository, for papers_from")
    parser.add_argument("--role", action="append", default=[], metavar="ROLE=DATASET", help="a role that is not there")
    parser.add_argument(
        "--features",
        action="append",
        default=[],
        metavar="NAME=SETTINGS",
        help="settings of a feature set of the table, such as 'pairs=max_n: 2'",
    )
    parser.add_argument("--metric", default="accuracy", help="metric of the numbers (accuracy)")
    parser.add_argument("--unit", default="percent", choices=("percent", "fraction"), help="their unit (percent)")
    parser.add_argument("--margin", default="1", help="how near is near, in their unit (1)")
    parser.add_argument("--folds", type=int, default=0, help="folds of cross-validation; else the given split")
    asked = parser.parse_args(arguments)
    try:
        table = asked.table.read_text(encoding="utf-8") if asked.table else _ONE_ROW
        roles, features = (dict(each.partition("=")[::2] for each in part) for part in (asked.role, asked.features))
        root, outside = Path.cwd(), asked.folder.absolute() if asked.folder else None
        further = (asked.metric, asked.unit, asked.margin, asked.folds)
        written = begin(Begun(root, asked.name, table, outside, roles, features, *further))
    except (OSError, TextmixError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.writelines(f"{os.path.relpath(path)}\n" for path in written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
