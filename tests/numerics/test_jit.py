"""The machine code of a kernel is found again by the code that a process holds, wherever the library stands."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

import textmix
from tests.workflow.tiny import warm
from textmix.models.common.special_kernels import log_rising
from textmix.numerics import jit
from textmix.numerics.held_code import held_digest

MODULE = "textmix.models.common.special_kernels"
PACKAGE = Path(textmix.__file__).parent


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a kernel that is compiled, also where the tests themselves run without the compiler."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    return jit.njit(getattr(log_rising, "py_func", log_rising))


def test_kernels_are_stored_in_the_folder_of_their_module(kernel: Any):
    assert kernel.stats.cache_path == str(jit.code_folder(MODULE))


#: A package of three modules of kernels: ``caller`` calls ``called``, ``apart`` calls neither.
KERNELS = {
    "called.py": "from textmix.numerics.jit import njit\n\nTWO = 2\n\n\n@njit\ndef double(x):\n    return TWO * x\n",
    "caller.py": "from textmix.numerics.jit import njit\nfrom textmix.called import double\n\n\n@njit\n"
    "def next_to(x):\n    return double(x) + 1\n",
    "apart.py": "from textmix.numerics.jit import njit\n\n\n@njit\ndef half(x):\n    return x / 2\n",
}
CALLS = """
from textmix import apart, called, caller
print(called.double(3), caller.next_to(3), apart.half(3))
print(*(sum(kernel.stats.cache_misses.values()) for kernel in (called.double, caller.next_to, apart.half)))
"""


def make_package(root: Path) -> Path:
    """Make a package named textmix with our `njit` and the three modules."""
    for folder in ("core", "numerics"):
        shutil.copytree(PACKAGE / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "__init__.py").write_text("")
    for name, text in KERNELS.items():
        (root / name).write_text(text)
    return root


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Make a package whose kernels no process has compiled."""
    return make_package(tmp_path / "textmix")


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a package and, beside it, the machine code of its kernels; use a copy."""
    made = make_package(tmp_path_factory.mktemp("compiled") / "textmix")
    assert run(made) == ([6, 7, 1.5], [1, 1, 1])
    return made.parent


@pytest.fixture
def compiled(compiled_once: Path, tmp_path: Path) -> Path:
    """Return a package whose kernels another process has compiled."""
    shutil.copytree(compiled_once, tmp_path / "compiled")
    return tmp_path / "compiled/textmix"


def printed(package: Path, program: str, *, python: Path | None = None, **environment: str) -> list[str]:
    """Return the lines that a program prints in a new process that finds the package.

    The process is a fork of one that has imported Numba and nothing of textmix, unless another Python is given.
    """
    places = {"PYTHONPATH": str(package.parent), "TEXTMIX_CACHE": str(package.parent / "cache")}
    # Compiled also where the tests run without the compiler.  That byte code hides an edit is another matter.
    places |= {"NUMBA_DISABLE_JIT": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [python or warm(unlike=False).python, "-c", program],
        env={**os.environ, **places, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def run(package: Path, **environment: str) -> tuple[list[float], list[int]]:
    """Call the three kernels in a new process; return their values and how many versions of each it compiled."""
    values, misses = (line.split() for line in printed(package, CALLS, **environment))
    return [float(value) for value in values], [int(miss) for miss in misses]


def edit(path: Path, old: str, new: str) -> None:
    """Replace text that is there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def entries(package: Path) -> list[Path]:
    """Return the files of the machine code."""
    return sorted(path for path in (package.parent / "cache").rglob("*-*") if path.is_file())


def test_an_edit_compiles_again_the_kernels_that_reach_it_and_a_comment_none(compiled: Path) -> None:
    package = compiled
    called = package / "called.py"
    called.write_text("# A comment.\n" + called.read_text())
    edit(called, "def double(x):\n", 'def double(x):\n    """Double."""\n')
    foreign = package.parent / "foreign"
    assert run(package, NUMBA_CACHE_DIR=str(foreign)) == ([6, 7, 1.5], [0, 0, 0])
    assert not foreign.exists()
    edit(called, "TWO = 2", "TWO = 4")
    assert run(package) == ([12, 13, 1.5], [1, 1, 0])
    edit(called, "TWO * x", "x * TWO * 2")
    assert run(package) == ([24, 25, 1.5], [1, 1, 0])


def test_an_edit_of_what_a_kernel_reads_through_a_module_compiles_it_again(package: Path) -> None:
    text = KERNELS["apart.py"].replace("half", "twice").replace("x / 2", "called.TWO * x")
    (package / "through.py").write_text(f"from textmix import called\n{text}")
    program = "from textmix.through import twice; print(twice(3))"
    assert printed(package, program) == ["6"]
    edit(package / "called.py", "TWO = 2", "TWO = 4")
    assert printed(package, program) == ["12"]


def test_a_copy_of_the_library_shares_the_machine_code(compiled: Path, tmp_path: Path) -> None:
    shutil.copytree(compiled, tmp_path / "elsewhere/textmix")
    cache = {"TEXTMIX_CACHE": str(compiled.parent / "cache")}
    assert run(tmp_path / "elsewhere/textmix", **cache) == ([6, 7, 1.5], [0, 0, 0])


def test_a_process_that_lives_across_an_edit_stores_nothing_under_the_edited_code(package: Path) -> None:
    living = f"""
from pathlib import Path
from textmix import called
path = Path({str(package / "called.py")!r})
path.write_text(path.read_text().replace("TWO = 2", "TWO = 4"))
from textmix import caller
print(called.double(3), caller.next_to(3))
"""
    assert printed(package, living) == ["6 7"]
    assert run(package)[0] == [12, 13, 1.5]


def test_a_reload_of_edited_code_that_is_restored_leaves_nothing_behind(package: Path) -> None:
    living = f"""
import importlib
from pathlib import Path
from textmix import called
path = Path({str(package / "called.py")!r})
text = path.read_text()
path.write_text(text.replace("TWO = 2", "TWO = 4"))
importlib.reload(called)
path.write_text(text)
print(called.double(3))
"""
    assert printed(package, living) == ["12"]
    assert run(package)[0] == [6, 7, 1.5]


def test_a_constant_that_changes_in_memory_has_machine_code_of_its_own(package: Path) -> None:
    assert printed(package, "from textmix import called; called.TWO = 5; print(called.double(3))") == ["15"]
    assert run(package)[0] == [6, 7, 1.5]


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "other"])
def test_a_damaged_entry_is_made_again(compiled: Path, damage: str) -> None:
    for path in entries(compiled):
        data = path.read_bytes()
        whole = {"empty": b"", "cut": data[: len(data) // 2], "flipped": data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]}
        path.write_bytes(whole.get(damage, b"no pickle"))
    assert run(compiled) == ([6, 7, 1.5], [1, 1, 1])
    assert run(compiled) == ([6, 7, 1.5], [0, 0, 0])


def test_a_disk_that_is_full_ends_no_process_and_leaves_nothing(package: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); import signal;"
    limited += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
    assert printed(package, f"{limited}\n{CALLS}") == ["6 7 1.5", "1 1 1"]
    assert not [path for path in (package.parent / "cache").rglob("*") if path.is_file()]
    assert run(package) == ([6, 7, 1.5], [1, 1, 1])


class _Planted:
    """A pickle that would write a file."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.target,)


@pytest.mark.parametrize("mode", [0o666, 0o660])
def test_an_entry_that_others_may_have_written_is_not_run(compiled: Path, mode: int, tmp_path: Path) -> None:
    planted = pickle.dumps(_Planted(tmp_path / "ran"))
    for path in entries(compiled):
        path.write_bytes(jit.hashlib.sha256(planted).digest() + planted)
        path.chmod(mode)
    assert run(compiled) == ([6, 7, 1.5], [1, 1, 1])
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_others_may_write_is_not_used(compiled: Path) -> None:
    for folder in {path.parent for path in entries(compiled)}:
        folder.chmod(0o777)
    home = str(compiled.parent / "home")
    assert run(compiled, XDG_CACHE_HOME=home) == ([6, 7, 1.5], [1, 1, 1])
    assert run(compiled, XDG_CACHE_HOME=home) == ([6, 7, 1.5], [0, 0, 0])


def test_settings_of_the_compiler_have_machine_code_of_their_own(compiled: Path) -> None:
    assert run(compiled, NUMBA_BOUNDSCHECK="1") == ([6, 7, 1.5], [1, 1, 1])


HELD = """
import importlib, json, pkgutil
import textmix
from numba.core.dispatcher import Dispatcher
from textmix.numerics.held_code import held_digest
found = {}
for module in pkgutil.walk_packages(textmix.__path__, "textmix."):
    if module.name.endswith("_kernels"):
        for name, kernel in vars(importlib.import_module(module.name)).items():
            if isinstance(kernel, Dispatcher):
                found[f"{module.name}.{name}"] = held_digest(kernel)
print(json.dumps(found))
"""


def test_the_digest_of_every_kernel_is_the_same_in_every_process() -> None:
    seeds = [
        json.loads(printed(PACKAGE, HELD, python=Path(sys.executable), PYTHONHASHSEED=seed)[-1]) for seed in ("1", "2")
    ]
    assert seeds[0] == seeds[1]
    assert len(seeds[0]) > 100


def test_a_kernel_whose_constants_cannot_be_told_is_refused() -> None:
    def reads() -> object:
        return stream

    stream = object.__new__(type("Stream", (), {"__module__": "textmix.apart"}))
    reads.__module__ = "textmix.apart"
    with pytest.raises(TypeError, match="whose content its cache cannot tell"):
        held_digest(reads)


OUTSIDE = """
from textmix.numerics.jit import njit
from textmix.called import double


@njit
def outer(x):
    return double(x) + 1


print(outer(3))
"""


def test_an_edit_reaches_a_kernel_outside_the_library(package: Path) -> None:
    mine, called = package.parent / "mine.py", package / "called.py"
    mine.write_text(OUTSIDE)
    assert printed(package, "import mine") == ["7"]
    edit(called, "TWO * x", "4 * x")
    assert printed(package, "import mine") == ["13"]
    mine.write_text(OUTSIDE.replace("+ 1", "+ 2"))
    assert printed(package, "import mine") == ["14"]


#: A kernel that raises for a negative number, one that calls it, and one that calls both and is called twice.
INNER = {
    "root.py": "import math\nfrom textmix.numerics.jit import njit\n\n\n@njit\ndef root(x):\n    if x < 0:\n"
    "        raise ValueError('negative', x)\n    return math.sqrt(x)\n",
    "roots.py": "from textmix.numerics.jit import njit\nfrom textmix.root import root\n\n\n@njit\ndef roots(x):\n"
    "    total = 0.0\n    for value in x:\n        total += root(value)\n    return total\n",
}
ROOTS = """
import numpy as np
from textmix import root, roots
from textmix.numerics.inner import InnerCode
print(roots.roots(np.array([4.0, 9.0])))
print(*(isinstance(code.library, InnerCode) for code in root.root.overloads.values()))
for call in (lambda: roots.roots(np.array([-1.0])), lambda: root.root(-1.0)):
    try:
        call()
    except ValueError as error:
        print(error)
print(root.root(16.0), roots.roots(np.array([1.0])), root.root(25))
print(*(isinstance(code.library, InnerCode) for code in root.root.overloads.values()))
"""


@pytest.fixture
def inner(package: Path) -> Path:
    """Add to the package a kernel that calls another one, which can fail."""
    for name, text in INNER.items():
        (package / name).write_text(text)
    return package


def test_a_kernel_that_another_calls_becomes_machine_code_when_python_calls_it(inner: Path) -> None:
    lines = printed(inner, ROOTS)
    assert lines == ["5.0", "True", "('negative', -1.0)", "('negative', -1.0)", "4.0 1.0 5.0", "False False"]


def test_a_kernel_of_numbas_own_decorator_may_call_ours(inner: Path) -> None:
    (inner.parent / "mine.py").write_text(
        "import numba\nfrom textmix.root import root\n\n\n@numba.njit\ndef twice(x):\n    return 2 * root(x)\n"
    )
    program = ROOTS.replace("from textmix", "import mine\nfrom textmix").replace("root.root(-1.0)", "mine.twice(-1.0)")
    lines = printed(inner, program + "print(mine.twice(4.0))")
    assert lines[2:] == ["('negative', -1.0)", "('negative', -1.0)", "4.0 1.0 5.0", "False False", "4.0"]


def test_only_kernels_that_python_calls_are_stored(inner: Path) -> None:
    called = "import numpy as np; from textmix import roots; print(roots.roots(np.ones(3)))"
    assert printed(inner, called) == ["3.0"]
    assert [path.name.partition("-")[0] for path in entries(inner)] == ["roots"]
    misses = (
        "; from textmix import root; print(*(sum(k.stats.cache_misses.values()) for k in (root.root, roots.roots)))"
    )
    assert printed(inner, called + misses) == ["3.0", "0 0"]


def test_a_stored_kernel_serves_kernels_that_call_it(inner: Path) -> None:
    printed(inner, "from textmix import root; root.root(4.0)")
    stored = "import numpy as np; from textmix import root, roots; print(roots.roots(np.ones(3)), root.root(4.0))"
    assert printed(inner, stored + "; print(sum(root.root.stats.cache_misses.values()))") == ["3.0 2.0", "0"]


def test_a_stored_kernel_is_made_again_where_one_that_it_calls_has_moved(inner: Path) -> None:
    called = "import numpy as np; from textmix import roots; print(roots.roots(np.array([4.0])))"
    assert printed(inner, called) == ["2.0"]
    (inner / "root.py").rename(inner / "moved.py")
    edit(inner / "roots.py", "textmix.root ", "textmix.moved ")
    assert printed(inner, called) == ["2.0"]


def test_a_constant_compiles_no_version_of_its_own(inner: Path) -> None:
    (inner / "fixed.py").write_text(
        "from textmix.numerics.jit import njit\nfrom textmix.root import root\n\n\n@njit\ndef fixed(n):\n"
        "    i = 0\n    while i < n:\n        i += 1 + int(root(i))\n    return root(4) + i\n"
    )
    program = "from textmix import fixed, root; print(fixed.fixed(3), *root.root.overloads)"
    assert printed(inner, program) == ["5.0 (int64,)"]
