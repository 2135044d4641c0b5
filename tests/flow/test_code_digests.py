"""The code digest of a script changes exactly if an edit can change its results."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from reproduction.flow import code_digests as provenance
from reproduction.flow.code_digests import reachable

PACKAGE = provenance.ROOT

FILES = {
    "__init__.py": "",
    "a.py": '"""Doc."""\nfrom textmix.b import double\n\n\ndef f(x):\n    """Doc."""\n    return double(x) + 1\n',
    "b.py": "from textmix import sub\nimport numpy as np\n\n\ndef double(x):\n    return sub.c.TWO * x\n",
    "sub/__init__.py": "from textmix.sub.c import TWO\n",
    "sub/c.py": "TWO = 2\n\n\ndef later():\n    from textmix.lazy import x\n",
    "lazy.py": "from textmix.core.errors import MissingResult\nimport textmix.a\nx = 5\n",
    "core/errors.py": "class MissingResult(Exception):\n    pass\n",
    "apart.py": "from textmix.a import f\n",
    "words.py": "def words():\n    return open('words/list.txt').read()\n",
    "words/list.txt": "the\nof\n",
}


def code_digest(modules: Iterable[str], scripts: Iterable[str | Path] = ()) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(reachable(modules, scripts).digests.items()))


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """Create a small package and take digests of it."""
    root = tmp_path / "textmix"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(provenance, "ROOT", root)
    return root


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def without_docstrings(tree: ast.Module) -> ast.Module:
    """Remove docstrings in place with the standard library."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return tree


#: Rare syntax, docstrings of every kind, and strings that are not docstrings.
SYNTAX = '''
"""Doc."""
import a.b as c
from d import (e, f)
async def g(x, /, y=1, *z, k: int = 2, **kw) -> None:
    """Doc."""
    async with x as y, z: await k
    async for i in x: yield i
    return {**kw, "a": [*z], "b": (i async for i in x)}
class H(c.d, metaclass=e):
    """Doc."""
    "no docstring"
    x: int = 0; y: str
    def only(self): """Doc."""
@e
def h():
    f"{x!r:>{y}} {None} {...} {1j} {b'a'}"; global q; del q[0], q[1:2:3]
    try: raise E from None
    except* (A, B) as error: assert x, "y"
    else: pass
    finally: nonlocal_ = lambda *a: (yield)
    while (n := 1) < 2 <= 3 != 4: break
    for i, *j in k: continue
    else: x += 1; x @= not -y
    match x:
        case {"a": 1, **rest} | [1, *_] if x: ...
        case P(q, r=True) as s: {i: j for i in k if j if i}
    return a if b else c or d and e
'''


def test_single_pass_dump_equals_that_of_the_standard_library():
    everything = {"show_empty": True} if sys.version_info >= (3, 13) else {}
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    largest = [max(folder.glob("*.py"), key=lambda path: path.stat().st_size) for folder in sorted(folders)]
    for source in (SYNTAX, *(path.read_text(encoding="utf-8") for path in largest)):
        tree = ast.parse(source)
        described = provenance._describe(tree, set())
        assert described == ast.dump(without_docstrings(tree), **everything), source[:80]


def test_digest_covers_exactly_the_imported_modules(package):
    assert sorted(reachable(["textmix.a"]).digests) == [
        *("textmix", "textmix.a", "textmix.b", "textmix.lazy", "textmix.sub", "textmix.sub.c")
    ]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.py", "+ 1", "+ 2"),
        ("b.py", "sub.c.TWO * x", "x * sub.c.TWO"),
        ("sub/c.py", "TWO = 2", "TWO = 2.0"),
        ("sub/__init__.py", "TWO", "TWO as two"),
        ("lazy.py", "x = 5", "x = 6"),
        ("b.py", "import numpy as np", "import scipy as np"),
    ],
    ids=["constant", "imported", "imported of imported", "package", "imported late", "foreign import"],
)
def test_edit_that_can_change_a_result_changes_the_digest(package, name, old, new):
    before = code_digest(["textmix.a"])
    edit(package / name, old, new)
    assert code_digest(["textmix.a"]) != before


def test_edit_of_the_same_length_is_detected_within_one_process(package):
    digests = set()
    for number in range(5):
        (package / "sub/c.py").write_text(f"TWO = {number}\n")
        os.utime(package / "sub/c.py", ns=(number, number))
        digests.add(code_digest(["textmix.a"]))
    assert len(digests) == 5


@pytest.mark.parametrize("name", ["apart.py", "core/errors.py", "words.py", "words/list.txt"])
def test_edit_of_unreachable_code_or_of_a_message_keeps_the_digest(package, name):
    before = code_digest(["textmix.a"])
    (package / name).write_text("CHANGED = 1\n")
    assert code_digest(["textmix.a"]) == before


@pytest.mark.parametrize("change", ["edited", "added", "deleted", "renamed"])
def test_data_files_of_a_package_are_part_of_its_digest(package, change):
    before = code_digest(["textmix.words"])
    path = package / "words/list.txt"
    if change == "edited":
        path.write_text("the\noff\n")
    elif change == "added":
        path.with_name("more.txt").write_text("")
    elif change == "deleted":
        path.unlink()
    else:
        path.rename(path.with_name("other.txt"))
    assert code_digest(["textmix.words"]) != before


def test_digest_of_a_script_includes_its_imports(package, tmp_path):
    script = tmp_path / "fit.py"
    script.write_text('"""Fit."""\nfrom textmix.a import f\nprint(f(1))\n')
    assert "textmix.sub.c" in reachable([], [script]).digests
    before = code_digest([], [script])
    edit(script, '"""Fit."""', '"""Fit it."""')
    assert code_digest([], [script]) == before
    edit(script, "f(1)", "f(2)")
    assert code_digest([], [script]) != before


def test_missing_module_error_names_the_file_to_correct(package):
    with pytest.raises(ValueError, match=r"no module textmix\.models\.edmc in textmix; correct the name in .*methods"):
        code_digest(["textmix.models.edmc"])


# --- modules of a user ------------------------------------------------------------------------------------------------

RELATIVE = {
    "own/__init__.py": "",
    "own/a.py": "from . import b\nfrom .sub.c import C\nfrom .sub import *\n",
    "own/b.py": "B = 1\n",
    "own/sub/__init__.py": "from .d import D\n",
    "own/sub/c.py": "from ..e import E\n\nC = 1\n",
    "own/sub/d.py": "D = 1\n",
    "own/e.py": "E = 1\n",
    "own/apart.py": "F = 1\n",
}


def state_of(module: str, folder: Path, cwd: Path, *further: Path) -> tuple[dict[str, str], list[str]]:
    """Return digests and packages of a module, computed in a new process with a search path and a working directory."""
    program = "import json, sys; from reproduction.flow.code_digests import reachable; found = reachable(sys.argv[1:]);"
    program += "print(json.dumps([found.short(), sorted(found.packages)]))"
    path = os.pathsep.join(map(str, [PACKAGE.parent, folder, *further]))
    done = subprocess.run(
        [sys.executable, "-c", program, module],
        env={**os.environ, "PYTHONPATH": path},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    digests, packages = json.loads(done.stdout)
    return digests, packages


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Create a folder with a package and a module of a user."""
    for name, text in {**RELATIVE, "mine.py": "import numpy\nfrom beside import X\n", "beside.py": "X = 1\n"}.items():
        (tmp_path / "own" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / name).write_text(text)
    return tmp_path / "own"


def test_module_without_a_distribution_is_digested_with_its_imports(own: Path, tmp_path: Path) -> None:
    before, packages = state_of("mine", own, tmp_path)
    assert before.keys() == {"mine", "beside"} and packages == ["numpy"]
    edit(own / "beside.py", "X = 1", "X = 2")
    after, _ = state_of("mine", own, tmp_path)
    assert {name for name in before if before[name] != after[name]} == {"beside"}


def test_relative_imports_are_followed(own: Path, tmp_path: Path) -> None:
    found, _ = state_of("own.a", own, tmp_path)
    assert sorted(found) == ["own", "own.a", "own.b", "own.e", "own.sub", "own.sub.c", "own.sub.d"]


def test_digest_of_a_user_module_is_independent_of_the_working_directory(own: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/beside.py").write_text("X = 3\n")
    assert state_of("mine", own, tmp_path / "work") == state_of("mine", own, tmp_path)


def test_module_in_the_working_directory_alone_is_not_digested(own: Path, tmp_path: Path) -> None:
    (own / "uses.py").write_text("import tests.help\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/help.py").write_text("")
    found, packages = state_of("uses", own, tmp_path)
    assert (list(found), packages) == (["uses"], ["tests"])
    with pytest.raises(subprocess.CalledProcessError) as error:
        state_of("tests.help", own, tmp_path)
    assert "no module tests.help in tests" in error.value.stderr


def test_namespace_package_is_digested_in_all_its_folders(own: Path, tmp_path: Path) -> None:
    for name, text in {"here/wide/a.py": "from wide.deep import b\n", "there/wide/deep/b.py": "B = 1\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    folders = (tmp_path / "here", tmp_path, tmp_path / "there")
    before, packages = state_of("wide.a", *folders)
    assert (sorted(before), packages) == (["wide.a", "wide.deep.b"], [])
    edit(tmp_path / "there/wide/deep/b.py", "B = 1", "B = 2")
    assert state_of("wide.a", *folders)[0]["wide.deep.b"] != before["wide.deep.b"]


@pytest.mark.parametrize("name", ["colorsys", "simplemma"], ids=["Python's own", "installed"])
def test_shadowing_module_is_digested_by_content(own: Path, tmp_path: Path, name: str) -> None:
    (own / "uses.py").write_text(f"import {name}\n")
    assert list(state_of("uses", own, tmp_path)[0]) == ["uses"]
    (own / f"{name}.py").write_text("X = 1\n")
    before, packages = state_of("uses", own, tmp_path)
    assert (sorted(before), packages) == (sorted(["uses", name]), [])
    edit(own / f"{name}.py", "X = 1", "X = 2")
    assert state_of("uses", own, tmp_path)[0][name] != before[name]


def test_extension_module_is_digested_by_its_bytes(own: Path, tmp_path: Path) -> None:
    (own / f"fast{EXTENSION_SUFFIXES[0]}").write_bytes(b"machine code")
    (own / "uses.py").write_text("import fast\n")
    before, _ = state_of("uses", own, tmp_path)
    assert before.keys() == {"uses", "fast"}
    (own / f"fast{EXTENSION_SUFFIXES[0]}").write_bytes(b"other code")
    assert state_of("uses", own, tmp_path)[0]["fast"] != before["fast"]


@pytest.mark.parametrize("editable", [True, False])
def test_editable_distribution_is_digested_by_its_files(own: Path, tmp_path: Path, editable: bool) -> None:
    info = own / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n\n")
    (info / "direct_url.json").write_text(json.dumps({"url": "file:///own", "dir_info": {"editable": editable}}))
    found, packages = state_of("own.b", own, tmp_path)
    assert (sorted(found), packages) == ((["own", "own.b"], []) if editable else ([], ["own"]))
