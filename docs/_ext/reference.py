"""Generate the configuration reference, the stub of the public names and the index of the API reference.

Each build writes ``docs/generated/configuration.md`` from the schemas.  ``python docs/_ext/reference.py`` updates
the two generated files under version control, ``textmix/__init__.pyi`` and ``docs/api/index.md``.
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
    """Return the Markdown table of locator forms."""
    rows = [f"| `{locator.form.replace('|', ' or ')}` | {locator.meaning} |\n" for locator in LOCATORS.values()]
    return "| locator | value |\n|---|---|\n" + "".join(rows)


HEAD = (
    """# Configuration, methods, metrics

The files in `config/` define which results are reproduced. They are validated when the workflow starts: an unknown key
ends the run with an error that lists the allowed keys and suggests the closest spelling.

- `config.yaml` contains the settings of a run. Each *role* (a data set as a paper refers to it) is assigned a data set
  and substitutes that are used if it is not available. `full.yaml` (`make full`) adds the experiments that a
  `paper.yaml` marks as expensive.
- `datasets.yaml` is the registry of data sets, and `methods.yaml` is the registry of methods.
- `papers/<paper>/` contains the files of one paper. `paper.yaml`: experiments, measures, tables and figures.
  `published.csv`: the published values and how each is judged. `checks.yaml`: the claims as named checks.
  `choices.yaml`: what the paper leaves open, the choice made here, and its alternatives. `history.md`: what was changed
  after results had been seen. `recorded/`: the recorded run, written by `snakemake record`.
- A single key can be set on the command line: `snakemake --cores all --config strict=true`.

## Locators

The column `source` of `published.csv` and the checks refer to a reproduced value by a locator:

"""
    + _locators_table()
    + """
In `checks.yaml`, the name of a list in `role_lists` of `paper.yaml` can replace a role. The locator then expands to one
locator for each role in the list.
"""
)


STUB_DOCSTRING = '"""Public names of textmix and the modules that define them, also read by `textmix.__init__`."""\n'


def render(schemas: Path) -> str:
    """Return the introduction and one table of keys per schema.

    Parameters
    ----------
    schemas : Path
        Folder of the files ``*.schema.yaml``.
    """
    parts = [HEAD]
    for path in sorted(schemas.glob("*.schema.yaml")):
        schema = load_yaml_strict(path)
        parts.append(f"\n## {schema['title']}\n\n{schema.get('description', '').strip()}\n")
        parts.append("\n| key | type | default | effect |\n|---|---|---|---|\n")
        parts.extend(_row(*entry) for entry in _entries(schema, schema, ""))
    return "".join(parts)


def methods_table(methods: Mapping[str, Method]) -> str:
    """Return the section on the registry of methods."""
    head = (
        "\n## Methods\n\nThe entries of `config/methods.yaml`. An experiment of a paper refers to an entry "
        "by the key `use`.\n"
        "\n| method | family | labels | input | paper |\n|---|---|---|---|---|\n"
    )
    rows = []
    for name, method in methods.items():
        several = {"single": "one", "multi": "several"}[method.task]
        rows.append(f"| `{name}` | {method.family} | {several} | {method.input} | {method.paper} |\n")
    return head + "".join(rows)


def metrics_table() -> str:
    """Return the section on metrics."""
    head = (
        "\n## Metrics\n\nThe rows of `src/textmix/metrics/registry.py`. By default, methods are compared by the "
        "metric marked main.\n`textmix evaluate` prints the metrics marked main or shown.\n"
        "\n| metric | labels | better | use | meaning |\n|---|---|---|---|---|\n"
    )
    rows = []
    for name, row in METRICS.items():
        labels = " or ".join({"single": "one", "multi": "several"}[task] for task in row.tasks)
        role = "main" if row.main else "shown" if row.shown else ""
        rows.append(f"| `{name}` | {labels} | {'less' if row.loss else 'more'} | {role} | {row.meaning} |\n")
    return head + "".join(rows)


def _row(name: str, schema: Mapping[str, Any]) -> str:
    """Format one key of a schema as a row of a Markdown table."""
    default = f"`{json.dumps(schema['default'])}`" if "default" in schema else ""
    effect = " ".join(str(schema.get("description", "")).split()).replace("|", "\\|")
    return f"| `{name}` | {_type(schema)} | {default} | {effect} |\n"


def _type(schema: Mapping[str, Any]) -> str:
    """Return the allowed values of a key, or its type."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _entries(
    schema: Mapping[str, Any], root: Mapping[str, Any], prefix: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield dotted name and schema of every key, depth first; ``<name>`` is any name and ``[]`` a list item."""
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
    """Resolve a reference within the same schema and merge it with its sibling keys."""
    reference = schema.get("$ref", "")
    if not reference.startswith("#/$defs/"):
        return schema
    return {**root["$defs"][reference.removeprefix("#/$defs/")], **schema}


def public_classes(package: Path) -> dict[str, str]:
    """Return the module of every public estimator and transformer without importing the package.

    A class in ``models`` or ``text`` is public if it is derived from scikit-learn's BaseEstimator and its docstring
    contains an example.
    """
    bases: dict[str, set[str]] = {}
    modules: dict[str, str] = {}
    with_example: set[str] = set()
    for path in [*sorted(package.glob("models/**/*.py")), *sorted(package.glob("text/*.py"))]:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases[node.name] = {base.id for base in node.bases if isinstance(base, ast.Name)}
                modules[node.name] = ".".join(["textmix", *path.relative_to(package).with_suffix("").parts])
                with_example |= {node.name} if ">>> " in (ast.get_docstring(node) or "") else set()

    def is_estimator(name: str) -> bool:
        """Return whether a class is derived from BaseEstimator."""
        return name == "BaseEstimator" or any(map(is_estimator, bases.get(name, ())))

    return {name: modules[name] for name in bases if name in with_example and is_estimator(name)}


#: Public names other than estimators, and their modules; for a public module, its package.
PUBLIC = {
    "compare": "textmix",
    "datasets": "textmix",
    "metrics": "textmix",
    "scorer": "textmix.experiment.scorers",
    "explain": "textmix.serve.explain",
    "load": "textmix.serve.persistence",
    "save": "textmix.serve.persistence",
    "TopWordsDisplay": "textmix.pages.top_words",
}


def stub_text(package: Path) -> str:
    """Return the text of ``__init__.pyi``, with one import statement for each public name."""
    names = {**public_classes(package), **PUBLIC}
    lines = [f"from {module} import {name} as {name}" for name, module in names.items()]
    return "\n".join([STUB_DOCSTRING, *sorted(lines, key=str.casefold), "", "__version__: str", ""])


API = """# Reference

All public names can be imported from `textmix`. Documents are rows of an array or a sparse matrix; label sets are lists
of labels or rows of a binary indicator matrix. Before `fit`, methods raise `NotFittedError`. They raise `ValueError` if
the columns of X differ from those of the training data, or if X contains NaN, infinity or a negative count. Each page
ends with a tested example. {doc}`../in-scikit-learn` lists the tools of scikit-learn that work with each class.
This page is generated by `python docs/_ext/reference.py`.
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
#: Section of the public names other than estimators.
FUNCTIONS = (
    "Comparisons, scorers, plots, saved models, explanations and data sets",
    ("compare.compare", "scorer", "TopWordsDisplay", "save", "load", "explain", "datasets.load", "datasets.names"),
)


def api_page(package: Path, classes: Mapping[str, str]) -> str:
    """Return the text of docs/api/index.md.

    Parameters
    ----------
    package : Path
        Folder of the library.
    classes : mapping of str to str
        Module of each public class.
    """
    sections: dict[str, list[str]] = {}
    for name, module in classes.items():
        folder = Path(*module.split(".")[1:-1])
        sections.setdefault(_title(package / folder / "__init__.py"), []).append(name)
    parts = [*sorted(sections.items()), FUNCTIONS]
    return API + "".join(SECTION.format(title=title, names="\n   ".join(names)) for title, names in parts)


def _title(path: Path) -> str:
    """Return the first line of a package's docstring without its full stop."""
    return str(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))).split("\n")[0].rstrip(".")


def configuration() -> str:
    """Return the reference of configuration, methods and metrics."""
    return render(ROOT / "workflow/schemas") + methods_table(load_methods()) + metrics_table()


def main() -> None:
    """Write the stub of public names and the index of the API reference."""
    classes = public_classes(PACKAGE)
    generated = {PACKAGE / "__init__.pyi": stub_text(PACKAGE), ROOT / "docs/api/index.md": api_page(PACKAGE, classes)}
    for target, content in generated.items():
        target.write_text(content, encoding="utf-8")
        sys.stderr.write(f"wrote {target}\n")


def write(app: Any) -> None:
    """Write the configuration reference unless it is up to date."""
    target = Path(app.srcdir) / "generated/configuration.md"
    target.parent.mkdir(exist_ok=True)
    if not target.is_file() or target.read_text(encoding="utf-8") != configuration():
        target.write_text(configuration(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the page at the start of each build."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main()
