"""The benchmarks, which are no part of the tests, import what there is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_file_of_benchmarks_can_be_collected() -> None:
    asked = [sys.executable, "-m", "pytest", "benchmarks", "--collect-only", "-q"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    files = {path.name for path in (ROOT / "benchmarks").glob("bench_*.py")}
    assert done.returncode == 0 and files and all(name in done.stdout for name in files), done.stdout[-2000:]
