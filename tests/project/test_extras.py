"""The estimators need four packages; importing a module that needs more raises an error with the extra to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

from textmix.core.errors import extra

#: Refuses each package that an extra brings, as if it were not installed.
BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.split(".")[0])
sys.meta_path.insert(0, Blocked())
"""
NAMES = {
    *("snakemake", "pandas", "matplotlib", "jsonschema", "yaml", "jinja2", "defusedxml", "lightgbm", "gensim"),
    *("simplemma", "textblob", "bs4", "lxml", "pooch", "openpyxl", "pyarrow"),
}
EXAMPLE = """
import tempfile, numpy as np, textmix
from sklearn.pipeline import make_pipeline
texts, labels = ["goal ball team", "paint stage", "goal stage"] * 4, [["sport"], ["art"], ["art", "sport"]] * 4
for kind in (textmix.PMM1, textmix.BinaryRelevance, textmix.CBMClassifier, textmix.LabelNeighbors):
    model = make_pipeline(textmix.WordVectorizer(), kind()).fit(texts, labels)
    with tempfile.TemporaryDirectory() as place:
        textmix.save(model, place + "/model")
        assert textmix.load(place + "/model").predict(texts).tolist() == model.predict(texts).tolist()
        assert textmix.__main__.main(["info", place + "/model"]) == 0
        with open(place + "/new.txt", "w") as new:
            new.write("\\n".join(texts))
        command = ["predict", place + "/model", place + "/new.txt", "--output", place + "/labels.csv"]
        assert textmix.__main__.main(command) == 0
"""


def without_extras(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program where no package of an extra can be imported."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKED.format(names=NAMES) + program], capture_output=True, text=True, check=False
    )


#: How people look at a package before they use it.
LOOKED = """
import pydoc, textmix
namespace = {}
exec("from textmix import *", namespace)
assert set(textmix.__all__) <= namespace.keys()
assert all(hasattr(textmix, name) for name in textmix.__all__)
pydoc.render_doc(textmix)
pydoc.render_doc(textmix.datasets)
for name in textmix.__all__:
    kind = getattr(textmix, name)
    if isinstance(kind, type):
        pydoc.render_doc(kind)
"""


def test_estimators_saving_loading_labelling_and_no_public_name_need_an_extra() -> None:
    done = without_extras(f"import textmix.__main__\n{EXAMPLE}{LOOKED}")
    assert done.returncode == 0, done.stderr


#: Programs that need an extra, with the expected error.
LACKING = {
    "import textmix; textmix.datasets.names()": "yaml is not installed; run: pip install 'textmix[data]'",
    "import numpy as np; from textmix import BoostedRelevance as B; B().fit(np.eye(2), [['a'], ['b']])": "[boost",
    "from textmix import WordVectorizer as W; W(lemmatise=True).fit(['a'])": "'textmix[lemmas]'",
    "from textmix.serve.outputs import XlsxRows; XlsxRows()": "openpyxl is not installed; run: pip install 'textmix[t",
    "from textmix.serve.outputs import ParquetRows; ParquetRows()": "pip install 'textmix[tables]'",
    "import textmix; textmix.compare.compare(['a'] * 20, ['x', 'y'] * 10)": "'textmix[compare]'",
    "import textmix.__main__ as m; m.compare(None)": "'textmix[compare]'",
    "from textmix import WordVectorizer as W; W(tokenizer='tags').fit(['a'])": "'textmix[tags]'",
    "from textmix import *; TopWordsDisplay(words=[['a']], values=[[1]], titles=['x'], label='').plot()": "[plot]'",
}


def test_an_import_and_a_command_that_lack_an_extra_say_which() -> None:
    # In one process: each would import the estimators for two seconds.
    tries = "    try: exec(program)\n    except ModuleNotFoundError as error: print(error)"
    command = "import sys, textmix.__main__ as m; sys.exit(m.main(['list', 'methods']))"
    done = without_extras(f"for program in {list(LACKING)}:\n{tries}\n{command}")
    for told, message in zip(done.stdout.splitlines(), LACKING.values(), strict=True):
        assert message in told
    assert done.returncode == 1 and done.stderr == "yaml is not installed; run: pip install 'textmix[data]'\n"


def test_an_import_that_fails_for_another_reason_names_its_module() -> None:
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name is not installed"), extra("data"):
        import nothing_of_this_name  # type: ignore[import-not-found]  # noqa: F401
