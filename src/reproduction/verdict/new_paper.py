"""Begin a paper: ``python -m reproduction.verdict.new_paper NAME`` writes its folder, which runs as it is.

A table of printed numbers (``--table``) gives the rows: columns ``artefact`` and ``method``, then one column a role.
Without a table there is one row, which shows the accuracy of naive Bayes beside no printed number.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reproduction.flow.papers import FOLDER, check_name, paper_folders, read_datasets, read_methods, with_roles
from reproduction.verdict.published import PUBLISHED_COLUMNS
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError, TextmixError
from textmix.metrics.table import check_metrics, metrics_for

_SCHEMA = "workflow/schemas/paper.schema.yaml"
#: The table of a paper that is begun without one.
_ONE_ROW = "artefact,method,newsgroups\nt1,multinomial,\n"
_HISTORY = """# Changes made after results were seen

## Before the first run

- The rows, tolerances and experiments as they stood before any result was seen.
"""


@dataclass(frozen=True)
class Begun:
    """A paper to begin.

    Parameters
    ----------
    root : the folder with ``config/`` and ``workflow/``.
    name : of the paper.
    table : text of the table, as csv.
    outside : the folder for papers outside the repository; None for ``config/papers``.
    roles : role -> data set, of the roles that there are not yet.
    metric, unit, margin : of all numbers of the table; the unit is percent or fraction.
    folds : parts of the cross-validation; 0 for the data set's own split.
    """

    root: Path
    name: str
    table: str = _ONE_ROW
    outside: Path | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    metric: str = "accuracy"
    unit: str = "percent"
    margin: str = "1"
    folds: int = 0


def begin(paper: Begun) -> list[Path]:
    """Write the files of a paper that is begun; return those that were written or changed.

    Raises
    ------
    ConfigError : the name is taken, or the table names a method, role, data set or metric that does not exist.
    """
    root, further = paper.root, [] if paper.outside is None else [paper.outside]
    folder = (root / FOLDER if paper.outside is None else paper.outside) / paper.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", paper.name):
        raise ConfigError(f"new_paper: '{paper.name}' is no name of a paper; use a-z, 0-9 and _ alone")
    if paper.name in paper_folders(root, further) or folder.exists():
        raise ConfigError(f"new_paper: there is a paper '{paper.name}' or its folder {folder}; take another name")
    cells, roles = _cells(paper.table)
    methods, datasets = read_methods(root, further), read_datasets(root, further)
    known = with_roles(load_yaml_strict(root / "config/config.yaml"), further)["roles"]
    for _, method, _, _ in cells:
        check_name("method", method, methods, "new_paper: table")
        check_metrics([paper.metric], metrics_for(methods[method].task), "new_paper: --metric")
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


def _cells(table: str) -> tuple[list[tuple[str, str, str, str]], list[str]]:
    """Return (artefact, method, role, printed value) of each cell of a table, and its roles."""
    header, *lines = [line for line in csv.reader(io.StringIO(table)) if line] or [[]]
    if header[:2] != ["artefact", "method"] or len(header) < 3 or not lines:
        raise ConfigError("new_paper: table: begin it with artefact,method and one column a role, then a line a method")
    if wrong := next((line for line in lines if len(line) != len(header)), None):
        raise ConfigError(f"new_paper: table: the line {','.join(wrong)} has not {len(header)} cells; correct it")
    roles = header[2:]
    # An empty cell is a number that the paper does not print; a table without any number is there to be filled in.
    empty = not any(cell.strip() for line in lines for cell in line[2:])
    cells = [
        (line[0].strip(), line[1].strip(), role, cell.strip())
        for line in lines
        for role, cell in zip(roles, line[2:], strict=True)
        if empty or cell.strip()
    ]
    return cells, roles


def _published(paper: Begun, cells: Sequence[tuple[str, str, str, str]]) -> str:
    """Return the text of published.csv: one row a cell of the table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(PUBLISHED_COLUMNS)
    for artefact, method, role, value in cells:
        table = f"{paper.name}.{artefact}"
        source = f"score:main/{role}/{method}/{paper.metric}"
        head = (f"{table}.{method}.{role}", table, "number", role, method, paper.metric, paper.unit, value, "", "")
        where = f"Table {artefact[1:]}" if re.fullmatch(r"t\d+", artefact) else artefact
        judged = ("near", paper.margin, source, f"within {paper.margin}: the table prints no spread")
        shown = ("open", "", source, "no printed number yet")
        writer.writerow([*head, where, *(judged if value else shown)])
    return text.getvalue()


def _paper_yaml(paper: Begun, folder: Path, cells: Sequence[tuple[str, str, str, str]], roles: Sequence[str]) -> str:
    """Return the text of paper.yaml: one experiment, a table each artefact, and the stock figure."""
    schema = os.path.relpath(paper.root / _SCHEMA, folder)
    methods = list(dict.fromkeys(method for _, method, _, _ in cells))
    artefacts = list(dict.fromkeys(artefact for artefact, _, _, _ in cells))
    split = f"{{kind: folds, folds: {paper.folds}, stratified: true}}" if paper.folds else "{kind: given}"
    scheme = f"folds_{paper.folds}" if paper.folds else "given"
    # The names of splits and features mean the same in every paper, so that their results are shared.
    name = f"{paper.name}_{scheme}"
    first = {method: next(artefact for artefact, one, _, _ in cells if one == method) for method in methods}
    lines = [
        f"# yaml-language-server: $schema={schema}",
        f"title: {paper.name}",
        "citation: Authors, title, place and year.",
        "status: built",
        "place: 100",
        f"roles: [{', '.join(roles)}]",
        "features:",
        f"  {paper.name}_words: {{tokenizer: letters, casing: lower, min_count: 2}}",
        "splits:",
        f"  {name}: {split}",
        "experiments:",
        "  main:",
        f"    roles: {{{', '.join(f'{role}: {name}' for role in roles)}}}",
        f"    features: {paper.name}_words",
        f"    metrics: [{paper.metric}]",
        "    methods:",
        *(f"      {method}: {{use: {method}}}" for method in methods),
        "tables:",
        *(
            f"  {re.sub(r'[^a-z0-9_]', '_', artefact.lower())}: {{artefact: {paper.name}.{artefact}, rows: dataset, "
            f"columns: method, caption: The numbers of {artefact}.}}"
            for artefact in artefacts
        ),
        "figures:",
        "  scores:",
        "    stock: scores",
        "    title: Each method on each data set",
        "    caption: A panel a data set and a row a method; the white diamond is the printed number.",
        "    experiment: main",
        f"    metric: {paper.metric}",
        f"    unit: {paper.unit}",
        f"    roles: [{', '.join(roles)}]",
        f"    methods: [{', '.join(methods)}]",
        f"    published: {{{', '.join(f'{one}: {paper.name}.{first[one]}.{one}' for one in methods)}}}",
    ]
    return "\n".join(lines) + "\n"


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
        raise ConfigError(f"{path}: has no line 'roles:' with a line a role below it; write the roles so")
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
    parser = argparse.ArgumentParser(prog="python -m reproduction.verdict.new_paper", description=__doc__)
    parser.add_argument("name", help="name of the paper: a-z, 0-9 and _")
    parser.add_argument("--table", type=Path, help="csv of printed numbers: artefact,method and a column a role")
    parser.add_argument("--folder", type=Path, help="folder of papers outside the repository, for papers_from")
    parser.add_argument("--role", action="append", default=[], metavar="ROLE=DATASET", help="a role that is not there")
    parser.add_argument("--metric", default="accuracy", help="metric of the numbers (accuracy)")
    parser.add_argument("--unit", default="percent", choices=("percent", "fraction"), help="their unit (percent)")
    parser.add_argument("--margin", default="1", help="how near is near, in their unit (1)")
    parser.add_argument("--folds", type=int, default=0, help="folds of cross-validation; else the given split")
    asked = parser.parse_args(arguments)
    try:
        table = asked.table.read_text(encoding="utf-8") if asked.table else _ONE_ROW
        roles = dict(each.partition("=")[::2] for each in asked.role)
        root, outside = Path.cwd(), asked.folder.absolute() if asked.folder else None
        further = (asked.metric, asked.unit, asked.margin, asked.folds)
        written = begin(Begun(root, asked.name, table, outside, roles, *further))
    except (OSError, TextmixError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.writelines(f"{os.path.relpath(path)}\n" for path in written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
