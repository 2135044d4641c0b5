"""Cached machine code always matches its source, independent of install location and concurrent processes."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

import textmix
from textmix.numerics import jit

PACKAGE = Path(textmix.__file__).parent
#: A package of three modules of kernels: ``caller_kernels`` calls ``called_kernels``, ``apart_kernels`` calls neither.
KERNELS = {
    "called_kernels.py": "from textmix.numerics.jit import njit\n\nTWO = 2\n\n\n@njit\ndef double(x):\n"
    "    return TWO * x\n",
    "caller_kernels.py": "from textmix.numerics.jit import njit\nfrom textmix.called_kernels import double\n\n\n@njit\n"
    "def next_to(x):\n    return double(x) + 1\n",
    "apart_kernels.py": "from textmix.numerics.jit import njit\n\n\n@njit\ndef half(x):\n    return x / 2\n",
}
CALLS = """
from textmix import apart_kernels, called_kernels, caller_kernels
kernels = called_kernels.double, caller_kernels.next_to, apart_kernels.half
print(*(kernel(3) for kernel in kernels))
print(*(sum(kernel.stats.cache_misses.values()) for kernel in kernels))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Make a package named textmix with our `njit` and the three modules."""
    root = tmp_path / "textmix"
    for folder in ("core", "numerics"):
        shutil.copytree(PACKAGE / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "__init__.py").write_text("")
    for name, text in KERNELS.items():
        (root / name).write_text(text)
    return root


def start(package: Path, program: str, **environment: str) -> subprocess.Popen[str]:
    """Start a program in a new process that finds the package."""
    places = {"PYTHONPATH": str(package.parent), "TEXTMIX_CACHE": str(package.parent / "cache")}
    # Compiled also where the tests run without the compiler.  That byte code hides an edit is another matter.
    places |= {"NUMBA_DISABLE_JIT": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    command, pipe = [sys.executable, "-c", program], subprocess.PIPE
    return subprocess.Popen(command, env={**os.environ, **places, **environment}, stdout=pipe, stderr=pipe, text=True)


def printed(process: subprocess.Popen[str]) -> list[str]:
    """Return the lines that a process prints until it ends well."""
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out.splitlines()


def run(package: Path, **environment: str) -> tuple[list[float], list[int]]:
    """Call the three kernels in a new process; return their values and how many versions of each it compiled."""
    values, misses = (line.split() for line in printed(start(package, CALLS, **environment)))
    return [float(value) for value in values], [int(miss) for miss in misses]


def edit(path: Path, old: str, new: str) -> None:
    """Replace text that is there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def files(folder: Path) -> set[Path]:
    """Return all files below a folder."""
    return {path for path in folder.rglob("*") if path.is_file()}


def test_an_edited_kernel_is_compiled_again_and_so_are_its_callers(package: Path) -> None:
    assert run(package) == ([6, 7, 1.5], [1, 1, 1])
    foreign, before = package.parent / "foreign", files(package)
    assert run(package, NUMBA_CACHE_DIR=str(foreign)) == ([6, 7, 1.5], [0, 0, 0])
    assert not foreign.exists() and files(package) == before, "nothing is written to the source folder or elsewhere"
    edit(package / "called_kernels.py", "TWO = 2", "TWO = 4")
    assert run(package) == ([12, 13, 1.5], [1, 1, 1])
    edit(package / "called_kernels.py", "TWO = 4", "TWO = 2")
    assert run(package) == ([6, 7, 1.5], [0, 0, 0]), "the cached code is reused"


def test_a_copy_of_the_library_shares_the_machine_code(package: Path, tmp_path: Path) -> None:
    run(package)
    shutil.copytree(package, tmp_path / "elsewhere/textmix")
    cache = {"TEXTMIX_CACHE": str(package.parent / "cache")}
    assert run(tmp_path / "elsewhere/textmix", **cache) == ([6, 7, 1.5], [0, 0, 0])


def test_a_process_that_lives_across_an_edit_stores_nothing_under_the_edited_code(package: Path) -> None:
    living = f"""
from pathlib import Path
from textmix import called_kernels
path = Path({str(package / "called_kernels.py")!r})
path.write_text(path.read_text().replace("TWO = 2", "TWO = 4"))
from textmix import caller_kernels
print(called_kernels.double(3), caller_kernels.next_to(3))
"""
    assert printed(start(package, living)) == ["6 7"]
    assert run(package)[0] == [12, 13, 1.5]


@pytest.mark.parametrize("odd", ["no folder", "open to others"])
def test_without_a_folder_of_its_own_each_process_compiles_for_itself(package: Path, tmp_path: Path, odd: str) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    places = {"XDG_CACHE_HOME": str(taken), "HOME": str(taken), "TMPDIR": str(tmp_path)}
    if odd == "no folder":
        places["TEXTMIX_CACHE"] = str(taken)
    else:
        run(package)
        (folder,) = (package.parent / "cache/textmix-kernels").iterdir()
        folder.chmod(0o777)
    for _ in range(2):
        assert run(package, **places) == ([6, 7, 1.5], [1, 1, 1])


def test_processes_that_compile_one_kernel_at_once_do_not_mix_their_codes(package: Path) -> None:
    program = """
import numpy as np
from textmix.called_kernels import double
for kind in KINDS:
    found = double(np.arange(3, dtype=kind))
    print(found.dtype, *found)
print(sum(double.stats.cache_misses.values()))
"""
    kinds = ["int8", "int32", "int64", "uint8", "float32", "float64"]
    processes = [start(package, program.replace("KINDS", repr([kind]))) for kind in kinds]
    first = [printed(each)[0] for each in processes]
    *again, misses = printed(start(package, program.replace("KINDS", repr(kinds))))
    assert again == first
    assert misses == "0", "each dtype has its own code"


def test_a_disk_that_is_full_ends_no_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jit, "code_folder", lambda: tmp_path)

    def save(*code: Any) -> None:
        raise OSError(28, "No space left on device")

    jit._save_exclusively(save, "signature", "code")


def test_a_kernel_outside_the_library_has_no_cache_and_settings_of_numba_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "UserProvidedCacheLocator")

    def thrice(x: int) -> int:
        return 3 * x

    assert jit.njit(thrice).stats.cache_path is None
    thrice.__module__ = "textmix.made"
    kernel = jit.njit(nogil=True)(thrice)
    assert kernel.stats.cache_path == str(jit.code_folder() / "textmix.made") and kernel.targetoptions["nogil"]
    assert numba.config.CACHE_LOCATOR_CLASSES == "UserProvidedCacheLocator"


def test_kernels_are_such_as_the_cache_finds_again() -> None:
    for path in PACKAGE.rglob("*.py"):
        made = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
        inner = [each for outer in made for each in ast.walk(outer) if each is not outer and each in made]
        decorated = [each.name for each in inner if any("njit" in ast.unparse(one) for one in each.decorator_list)]
        assert decorated == [], f"{path}: Numba finds the code of a kernel within a function in no later process"
        imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        modules = {str(node.module) for node in imports if str(node.module).startswith("textmix.")}
        if path.name.endswith("_kernels.py"):
            assert {name for name in modules if not name.endswith(("_kernels", ".numerics.jit"))} == set(), path
        elif path.name != "jit.py":
            names = {alias.name for node in imports if node.module == "textmix.numerics.jit" for alias in node.names}
            assert "njit" not in names, f"{path}: a file with kernels must be named *_kernels.py"
