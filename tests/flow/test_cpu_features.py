"""NumPy and OpenBLAS compute with the same instructions on every processor, so that results have the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reproduction.flow.cpu_features import (
    COMMON,
    COMMON_INSTRUCTIONS,
    processor,
    use_all_instructions,
    use_common_instructions,
)

#: Prints the kernels of OpenBLAS and the instructions beyond the common ones with which NumPy computes.
ASK = """
import numpy, scipy.linalg, threadpoolctl
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
libraries = [one for one in threadpoolctl.threadpool_info() if one["internal_api"] == "openblas"]
print(*sorted({one["architecture"] for one in libraries}))
print(*(name for name in __cpu_dispatch__ if __cpu_features__[name] and name not in ("X86_V3", "AVX2", "FMA3")))
"""


def told(tmp_path: Path, flags: str) -> Path:
    """Write a ``cpuinfo`` file with some instructions."""
    path = tmp_path / f"cpuinfo-{len(flags)}"
    path.write_text(f"processor\t: 0\nmodel name\t: Some: Processor\nflags\t\t: fpu {flags} sse4_2\n", encoding="utf-8")
    return path


def test_instructions_are_restricted_to_the_common_ones(tmp_path: Path) -> None:
    environ: dict[str, str] = {"HOME": "/"}
    use_common_instructions(environ, told(tmp_path, "avx512f " + " ".join(COMMON)))
    assert environ == {"HOME": "/", **COMMON_INSTRUCTIONS}
    use_all_instructions(environ)
    assert environ == {"HOME": "/"}


def test_unknown_or_older_processor_is_not_restricted(tmp_path: Path) -> None:
    environ: dict[str, str] = {}
    use_common_instructions(environ, told(tmp_path, "avx2 fma"))
    use_common_instructions(environ, tmp_path / "nowhere")
    assert environ == {}


def test_variables_of_the_user_are_kept(tmp_path: Path) -> None:
    environ = {"OPENBLAS_CORETYPE": "Zen"}
    use_common_instructions(environ, told(tmp_path, " ".join(COMMON)))
    assert environ["OPENBLAS_CORETYPE"] == "Zen"
    use_all_instructions(environ)
    assert environ == {"OPENBLAS_CORETYPE": "Zen"}


@pytest.mark.skipif(
    not Path("/proc/cpuinfo").is_file() or not COMMON <= set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split()),
    reason="the processor of this machine lacks the common instructions, or does not tell them",
)
def test_libraries_follow_the_variables() -> None:
    environ = {name: value for name, value in os.environ.items() if name not in COMMON_INSTRUCTIONS}
    use_common_instructions(environ)
    done = subprocess.run([sys.executable, "-c", ASK], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["Haswell", ""]


def test_records_name_the_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    processor.cache_clear()
    try:
        assert processor()["OPENBLAS_CORETYPE"] == "Haswell"
        assert processor()["processor"]
    finally:
        processor.cache_clear()
