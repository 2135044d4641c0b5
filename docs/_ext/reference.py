"""What is made from the code and the schemas: the reference of the configuration, the list of public names, their page.

Each build of the site writes docs/generated/configuration.md.  ``python docs/_ext/reference.py`` writes the two files
that are kept: ``textmix/__init__.pyi`` and docs/api/index.md.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reproduction.flow.locators import LOCATORS
from textmix.core.config import load_yaml_strict
from textmix.experiment.methods import Method, load_methods
from textmix.metrics.registry import METRICS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src/textmix"


def _locators_table() -> str:
    """Return the forms of locators as a table."""
    rows = [f"| `{made.form.replace('|', ' or ')}` | {made.meaning} |\n" for made in LOCATORS.values()]
    return "| locator | value |\n|---|---|\n" + "".join(rows)


HEAD = (
    """# Configuration, methods, metrics

The files of `config/` say which results are reproduced. A scientist edits only these files. The workflow checks the
keys when it starts. A wrong key ends the run within seconds. The message gives the name of the key, the allowed keys or
values, and the nearest right spelling.

- `config.yaml` holds the settings of a run. Each *role*, a data set as a paper names it, has a data set, and
  substitutes for it if it is not available. `full.yaml` adds the experiments that a `paper.yaml` marks as
  expensive: `make full`.
- `datasets.yaml` is the registry of data sets, and `methods.yaml` is the registry of methods.
- `papers/<paper>/` holds the files of one paper. `paper.yaml`: experiments, measures, tables and figures.
  `published.csv`: the printed numbers, and how each is judged. `checks.yaml`: the claims as named checks.
  `choices.yaml`: where the source is silent or garbled, what was chosen, and the other readings. `history.md`: what
  changed after results had been seen. `recorded/`: the recorded run, which `snakemake record` writes.
- To set one key on the command line: `snakemake --cores all --config strict=true`.

## Locators

The column `source` of `published.csv` and the checks name a rebuilt value by a locator:

"""
    + _locators_table()
    + """
In `checks.yaml` a name of `role_lists` in `paper.yaml` may replace a role. The locator then means one locator for each
role of the list.
"""
)


FRONT_DOOR = '"""The public names of textmix and their modules: the one list, which `textmix.__init__` reads too."""\n'


def render(schemas: Path) -> str:
    """Return the page but for the tables of methods and metrics: `HEAD` and a table of keys for each schema.

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
    """Return the registry of methods as a section."""
    head = (
        "\n## Methods\n\nThe entries of the registry, `config/methods.yaml`. An experiment of a paper names an "
        "entry by `use`.\n"
        "\n| method | family | labels | input | paper |\n|---|---|---|---|---|\n"
    )
    rows = []
    for name, method in methods.items():
        several = {"single": "one", "multi": "several"}[method.task]
        rows.append(f"| `{name}` | {method.family} | {several} | {method.input} | {method.paper} |\n")
    return head + "".join(rows)


def metrics_table() -> str:
    """Return the table of metrics as a section."""
    head = (
        "\n## Metrics\n\nThe rows of `src/textmix/metrics/registry.py`. By default methods are compared by the metric "
        "marked main.\n`textmix evaluate` prints the metrics marked main or shown.\n"
        "\n| metric | labels | better | use | meaning |\n|---|---|---|---|---|\n"
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


#: Public names that are no estimators -> their modules; a public module has the name of its package.
PUBLIC = {
    **{"compare": "textmix", "datasets": "textmix", "metrics": "textmix", "scorer": "textmix.experiment.scorers"},
    **{"explain": "textmix.serve.explain", "load": "textmix.serve.persistence", "save": "textmix.serve.persistence"},
    "TopWordsDisplay": "textmix.pages.top_words",
}


def front_door(package: Path) -> str:
    """Return the text of ``__init__.pyi`` for a package folder: an import statement for each public name."""
    names = {**public_classes(package), **PUBLIC}
    lines = [f"from {module} import {name} as {name}" for name, module in names.items()]
    return "\n".join([FRONT_DOOR, *sorted(lines, key=str.casefold), "", "__version__: str", ""])


API = """# Reference

Import every public name from `textmix`. Documents are rows of an array or of a sparse matrix. Label sets are lists of
labels or rows of zeros and ones. A method that takes documents raises `NotFittedError` before a fit. It raises
`ValueError` if X has other columns than in the fit, or holds NaN, infinity, or a negative count. Each page ends with an
example, which runs as a test. {doc}`../in-scikit-learn` says which of scikit-learn's tools work with each class.
`python docs/_ext/reference.py` writes this page.
"""
SECTION = """
## {title}

```{{eval-rst}}
.. currentmodule:: textmix

.. autosummary::
   :toctree: generated

   {names}
```
"""
#: Section of the public names that are no estimators.
FUNCTIONS = (
    "Compare methods, score, draw, save and explain a model, load data",
    ("compare.compare", "scorer", "TopWordsDisplay", "save", "load", "explain", "datasets.load", "datasets.names"),
)


def api_page(package: Path, classes: Mapping[str, str]) -> str:
    """Return the text of docs/api/index.md.

    Parameters
    ----------
    package : folder of the library.
    classes : name of a public class -> its module.
    """
    sections: dict[str, list[str]] = {}
    for name, module in classes.items():
        folder = Path(*module.split(".")[1:-1])
        sections.setdefault(_title(package / folder / "__init__.py"), []).append(name)
    parts = [*sorted(sections.items()), FUNCTIONS]
    return API + "".join(SECTION.format(title=title, names="\n   ".join(names)) for title, names in parts)


def _title(path: Path) -> str:
    """Return the sentence of a package, without its full stop."""
    return str(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))).split("\n")[0].rstrip(".")


def configuration() -> str:
    """Return the page on the configuration, the methods and the metrics."""
    return render(ROOT / "workflow/schemas") + methods_table(load_methods()) + metrics_table()


def main() -> None:
    """Write the public names, and their page."""
    classes = public_classes(PACKAGE)
    made = {PACKAGE / "__init__.pyi": front_door(PACKAGE), ROOT / "docs/api/index.md": api_page(PACKAGE, classes)}
    for target, content in made.items():
        target.write_text(content, encoding="utf-8")
        sys.stderr.write(f"wrote {target}\n")


def write(app: Any) -> None:
    """Write the page on the configuration."""
    target = Path(app.srcdir) / "generated/configuration.md"
    target.parent.mkdir(exist_ok=True)
    if not target.is_file() or target.read_text(encoding="utf-8") != configuration():
        target.write_text(configuration(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Have each build write the page."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main()
