"""The page docs/api/index.md: every public name under the sentence of its room or family."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

HEAD = """# Reference

Every public name is imported from `textmix`. Documents are rows of an array or a sparse matrix; label sets are lists of
labels or rows of zeros and ones. A method that takes documents raises `NotFittedError` before a fit, and `ValueError`
where X has other columns than in the fit, NaN or infinity or, of counts, a negative number. Each page ends with an
example, which runs as a test. {doc}`../in-scikit-learn` says which of scikit-learn's tools were tried on each class.
`python -m reproduction.plan.reference` writes this page.
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
    "Compare methods, score, draw, keep a model, load data",
    ("compare", "scorer", "TopWordsDisplay", "save", "load", "datasets.load", "datasets.names"),
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
    return HEAD + "".join(SECTION.format(title=title, names="\n   ".join(names)) for title, names in parts)


def _title(path: Path) -> str:
    """Return the sentence of a package, without its full stop."""
    return str(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))).split("\n")[0].rstrip(".")
