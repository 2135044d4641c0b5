"""Made files: ``python -m reproduction.plan.reference`` writes config/README.md and ``textmix/__init__.pyi``."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reproduction.flow.locators import LOCATORS
from reproduction.plan.api_page import api_page
from textmix.core.config import load_yaml_strict
from textmix.experiment.methods import Method, load_methods
from textmix.metrics.table import METRICS


def _locators_table() -> str:
    """Return the forms of locators as a table."""
    rows = [f"| `{made.form.replace('|', ' or ')}` | {made.meaning} |\n" for made in LOCATORS.values()]
    return "| locator | value |\n|---|---|\n" + "".join(rows)


HEAD = (
    """# config/

These files say which results are reproduced. A scientist edits only here. The keys below are checked when the workflow
starts; a wrong one ends the run within seconds, and the message gives its name, the allowed keys or values, and the
nearest right spelling.

- `config.yaml` is the run: each role names the paper's own data set and the stand-ins that are read where it is out of
  reach; `dearest`, `run_seconds` and `further_seconds` leave out what takes long, so that it ends in about 20 minutes
  on two cores, and `largest_download` what takes long to fetch.
- `full.yaml` leaves out nothing: `make full`, or `snakemake --cores all --configfile config/full.yaml`.
- `datasets.yaml` is the registry of data sets; `papers/<paper>/` holds one document each: `paper.yaml` (what is run),
  `published.csv` (the numbers as printed, and how each is judged), `checks.yaml` (the claims as named checks),
  `choices.yaml` (where the source is silent or garbled, what was chosen, and the readings that are run beside it) and
  `history.md` (what changed after results were seen); `recorded/` is made by `snakemake record` and never edited.
- One key on the command line: `snakemake --cores all --config strict=true`.
- `matrix.yaml` is the comparison of every method on every data set: `snakemake --cores all matrix`.
- `own.example.yaml` is an example for data of your own, see below.

## Data of your own

1. Put the texts in a table (csv, tab-separated, JSON lines, Parquet or Excel, a text and its labels a row), or in a
   folder a class, also one with a folder for training and one for the test, as 20news-bydate and aclImdb come; numbers
   in LIBSVM or ARFF (with MULAN's XML beside it, `n_labels`, or a nominal attribute as the class). Files may be packed
   (gz, bz2, xz, zip). Delimiter and encoding are found, and said.
2. Copy `own.example.yaml` to, say, `my.yaml` beside them, and name the file and its columns. Nothing else is needed.
3. `snakemake --cores 2 own --config data=path/to/my.yaml` (or `--configfile path/to/my.yaml`).

`results/own/<name>/` then holds `index.html` (one page), `choice.json` (the recommended method with its
score on folds of the training documents, its score on test documents with an interval, the tests
against it, its confusions, errors, informative features and learning curve), `predictions.csv` (every test document
with its true and predicted labels), `summary.json` (the data as read: documents, labels, label sets,
vocabulary, lengths, examples, and remarks), `scores.csv`, `trials.csv` and `costs.csv`. The folder `first` in it holds
the same page on the methods of low cost alone, which stands while costlier methods still run. Every method of the table
at the end of this page that applies is tuned by cross-validation within each training part and scored on test documents
that it never saw; a method that does not apply gets a reason in place of scores. The search chooses the representation
too: words, pairs of words, skip-grams or n-grams of characters, as counts, as presence or as TF-IDF; vocabulary and
document frequencies are those of the training part alone. In scripts without blanks, such as Chinese, each character
counts as a word. All points of a search meet all folds, five of up to 3,000 training documents and three of more; from
6,000 on a part of 3,000 documents first tells the better half of the points. Where the best value of a parameter is an
end of its grid, the grid goes on. `snakemake --cores 1 peers --config data=my.yaml` also tunes and tests scikit-learn's
pipelines (TF-IDF of words, pairs and characters with LinearSVC and LogisticRegression; one-vs-rest, power set and chain
for label sets) on the first split: `peers.csv` holds their scores, the difference of the recommended method from each,
and processor seconds. With `budget: 10 min` a method may take half of the time left. Of the methods of low cost those
that take one kind of features always end, and any other has a quarter of the budget at least. The page shows the budget
and the time used, and `own` once more goes on with what was stopped. Data with the name of a data set of the registry
get `_own` after it. With `keep: best` the recommended method is fitted to all documents and saved in
`results/models/<name>/best`: `textmix predict` and `textmix evaluate` read it. A fault in the data ends the run with
file and line. A change of the data, of `my.yaml` or of a method runs again only the jobs that depend on it. The texts
are held in memory once: reading a csv of 1 GB takes 1.3 GB of memory, and counting its words 2.4 GB, which include the
mapped text.

## Locators

The `source` column of `published.csv` and the checks name rebuilt values like this:

"""
    + _locators_table()
    + """
In `checks.yaml` a name of `role_lists` in `paper.yaml` may stand in place of a role: the locator then stands for one
locator for each role of the list.

This file is made from `workflow/schemas/` and the registry of methods by `python -m reproduction.plan.reference`.
"""
)


FRONT_DOOR = '"""The public names of textmix and their modules: the one list, which `textmix.__init__` reads too."""\n'


def render(schemas: Path) -> str:
    """Return config/README.md, but for the tables of methods and metrics: `HEAD` and a table of keys for each schema.

    Parameters
    ----------
    schemas : folder with the files ``*.schema.yaml``.
    """
    parts = [HEAD]
    for path in sorted(schemas.glob("*.schema.yaml")):
        schema = load_yaml_strict(path)
        parts.append(f"\n## {schema['title']}\n\n{schema.get('description', '').strip()}\n")
        parts.append("\n| key | type | default | effect |\n|---|---|---|---|\n")
        parts.extend(_row(*entry) for entry in _entries(schema, schema, ""))
    return "".join(parts)


def methods_table(methods: Mapping[str, Method]) -> str:
    """Return the registry of methods as a section of config/README.md."""
    head = (
        "\n## Methods\n\nThe registry, `config/methods.yaml`: an estimator and an entry make a method join "
        "the\npapers' experiments, the matrix and own data. The grid is what the latter two tune.\n"
        "\n| method | family | labels | takes | grid | paper |\n|---|---|---|---|---|---|\n"
    )
    rows = []
    for name, method in methods.items():
        grid = "; ".join(f"{key}: {', '.join(map(str, values))}" for key, values in method.grid.items())
        several = {"single": "one", "multi": "several"}[method.task]
        rows.append(f"| `{name}` | {method.family} | {several} | {method.takes} | {grid} | {method.paper} |\n")
    return head + "".join(rows)


def metrics_table() -> str:
    """Return the table of metrics as a section of config/README.md."""
    head = (
        "\n## Metrics\n\nThe rows of `src/textmix/metrics/table.py`, each with its function. Methods for one or for "
        "several labels are tuned and\nranked by the main metric for these labels unless another is named; a "
        "comparison shows the metrics marked main or shown.\n"
        "\n| metric | labels | better | comparisons | meaning |\n|---|---|---|---|---|\n"
    )
    rows = []
    for name, row in METRICS.items():
        labels = " or ".join({"single": "one", "multi": "several"}[task] for task in row.tasks)
        place = "main" if row.main else "shown" if row.shown else ""
        rows.append(f"| `{name}` | {labels} | {'less' if row.loss else 'more'} | {place} | {row.meaning} |\n")
    return head + "".join(rows)


def _row(name: str, schema: Mapping[str, Any]) -> str:
    """Return one key of a schema as a row of a Markdown table."""
    default = f"`{json.dumps(schema['default'])}`" if "default" in schema else ""
    effect = " ".join(str(schema.get("description", "")).split()).replace("|", "\\|")
    return f"| `{name}` | {_type(schema)} | {default} | {effect} |\n"


def _type(schema: Mapping[str, Any]) -> str:
    """Return in Markdown which values a key takes."""
    if "$ref" in schema and schema["$ref"].endswith(".schema.yaml"):
        return f"see {schema['$ref'].removesuffix('.schema.yaml')}"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _entries(
    schema: Mapping[str, Any], root: Mapping[str, Any], prefix: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield dotted name and schema of every key, depth first; ``<name>`` stands for a free name, ``[]`` for items."""
    schema = _resolve(schema, root)
    for key, child in schema.get("properties", {}).items():
        yield f"{prefix}{key}", _resolve(child, root)
        yield from _entries(child, root, f"{prefix}{key}.")
    free = schema.get("additionalProperties")
    if isinstance(free, Mapping):
        yield from _entries(free, root, f"{prefix}<name>.")
    if isinstance(schema.get("items"), Mapping):
        yield from _entries(schema["items"], root, f"{prefix.removesuffix('.')}[].")


def _resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a reference within the same schema, keeping what stands beside it."""
    reference = schema.get("$ref", "")
    if not reference.startswith("#/$defs/"):
        return schema
    return {**root["$defs"][reference.removeprefix("#/$defs/")], **schema}


def public_classes(package: Path) -> dict[str, str]:
    """Return the module of every public estimator and transformer of a package folder, read without any import.

    Public are the classes below ``models`` and in ``text`` that descend from scikit-learn's BaseEstimator and whose
    docstring has an example, which no base class has.
    """
    bases: dict[str, set[str]] = {}
    modules: dict[str, str] = {}
    shown: set[str] = set()
    for path in [*sorted(package.glob("models/**/*.py")), *sorted(package.glob("text/*.py"))]:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases[node.name] = {base.id for base in node.bases if isinstance(base, ast.Name)}
                modules[node.name] = ".".join(["textmix", *path.relative_to(package).with_suffix("").parts])
                shown |= {node.name} if ">>> " in (ast.get_docstring(node) or "") else set()

    def estimator(name: str) -> bool:
        """Return whether a class descends from BaseEstimator."""
        return name == "BaseEstimator" or any(map(estimator, bases.get(name, ())))

    return {name: modules[name] for name in bases if name in shown and estimator(name)}


#: Public names that are no estimators -> their modules; a module itself stands under its package.
PUBLIC = {
    **{"datasets": "textmix", "metrics": "textmix", "scorer": "textmix.experiment.scorers"},
    "compare": "textmix.race.comparison",
    **{"load": "textmix.serve.library", "save": "textmix.serve.library"},
    "TopWordsDisplay": "textmix.pages.top_words",
}


def front_door(package: Path) -> str:
    """Return the text of ``__init__.pyi`` for a package folder: an import statement for each public name."""
    names = {**public_classes(package), **PUBLIC}
    lines = [f"from {module} import {name} as {name}" for name, module in names.items()]
    return "\n".join([FRONT_DOOR, *sorted(lines, key=str.casefold), "", "__version__: str", ""])


def main() -> None:
    """Write the files that are made from the others: config/README.md, the public names, and their page."""
    root = Path(__file__).resolve().parents[3]
    package = root / "src/textmix"
    text = render(root / "workflow/schemas") + methods_table(load_methods()) + metrics_table()
    page = api_page(package, public_classes(package))
    made = {"config/README.md": text, "src/textmix/__init__.pyi": front_door(package), "docs/api/index.md": page}
    for target, content in ((root / name, content) for name, content in made.items()):
        target.write_text(content, encoding="utf-8")
        sys.stderr.write(f"wrote {target}\n")


if __name__ == "__main__":
    main()
