"""The machine code of a kernel is found again by its code alone, wherever the library stands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from textmix.models.common.special_kernels import log_rising
from textmix.numerics import jit
from textmix.numerics.jit import SharedCache, code_folder

MODULE = "textmix.models.common.special_kernels"
PACKAGE = Path(jit.__file__).parents[1]


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a kernel that is compiled, also where the tests themselves run without the compiler."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    return jit.njit(getattr(log_rising, "py_func", log_rising))


def test_kernels_are_stored_in_the_folder_of_their_code(kernel: Any):
    assert kernel.stats.cache_path == code_folder(MODULE)


def test_a_copy_of_the_library_with_another_comment_shares_the_machine_code(kernel: Any, tmp_path: Path):
    here = SharedCache(kernel.py_func, kernel.py_func.__code__.co_filename)
    (tmp_path / "special_kernels.py").write_text("# a comment\n", encoding="utf-8")
    copy = SharedCache(kernel.py_func, str(tmp_path / "special_kernels.py"))
    assert copy.get_cache_path() == here.get_cache_path() == code_folder(MODULE)
    assert copy.get_source_stamp() == here.get_source_stamp() == ""
    assert copy.get_disambiguator() == here.get_disambiguator() == ""


#: A package of three modules of kernels: ``caller`` calls ``called``, ``apart`` calls neither.
KERNELS = {
    "called.py": "from textmix.numerics.jit import njit\n\n\n@njit\ndef double(x):\n    return 2 * x\n",
    "caller.py": "from textmix.numerics.jit import njit\nfrom textmix.called import double\n\n\n@njit\n"
    "def next_to(x):\n    return double(x) + 1\n",
    "apart.py": "from textmix.numerics.jit import njit\n\n\n@njit\ndef half(x):\n    return x / 2\n",
}
CALLS = """
from textmix import apart, called, caller
print(called.double(3), caller.next_to(3), apart.half(3))
print(*(sum(kernel.stats.cache_misses.values()) for kernel in (called.double, caller.next_to, apart.half)))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Make a package named textmix with our `njit` and the three modules."""
    root = tmp_path / "textmix"
    for name in (
        "__init__",
        "core/__init__",
        "core/cache",
        "core/digests",
        "core/errors",
        "core/provenance",
        "numerics/__init__",
        "numerics/jit",
    ):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(PACKAGE / f"{name}.py", root / f"{name}.py")
    (root / "__init__.py").write_text("")
    for name, text in KERNELS.items():
        (root / name).write_text(text)
    return root


def run(package: Path, **environment: str) -> tuple[list[float], list[int]]:
    """Call the three kernels in a new process; return their values and how many versions of each it compiled."""
    places = {"PYTHONPATH": str(package.parent), "TEXTMIX_CACHE": str(package.parent / "cache")}
    places["NUMBA_DISABLE_JIT"] = "0"  # also where the tests themselves run without the compiler
    printed = subprocess.run(
        [sys.executable, "-c", CALLS],
        env={**os.environ, **places, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    values, misses = (line.split() for line in printed.splitlines())
    return [float(value) for value in values], [int(miss) for miss in misses]


def test_an_edit_compiles_again_the_kernels_that_reach_it_and_a_comment_none(package: Path) -> None:
    assert run(package) == ([6, 7, 1.5], [1, 1, 1])
    called = package / "called.py"
    called.write_text("# A comment.\n" + called.read_text())
    foreign = package.parent / "foreign"
    assert run(package, NUMBA_CACHE_DIR=str(foreign)) == ([6, 7, 1.5], [0, 0, 0])
    assert not foreign.exists()
    called.write_text(called.read_text().replace("2 * x", "4 * x"))
    assert run(package) == ([12, 13, 1.5], [1, 1, 0])


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

    def printed() -> str:
        """Import the module in a new process and return what it prints."""
        places = {"PYTHONPATH": str(package.parent), "TEXTMIX_CACHE": str(package.parent / "cache")}
        environment = {**os.environ, **places, "NUMBA_DISABLE_JIT": "0"}
        command = [sys.executable, "-c", "import mine"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    assert printed() == "7"
    called.write_text(called.read_text().replace("2 * x", "4 * x"))
    assert printed() == "13"
    mine.write_text(OUTSIDE.replace("+ 1", "+ 2"))
    assert printed() == "14"
