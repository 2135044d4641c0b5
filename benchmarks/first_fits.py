"""CPU seconds of the first fit and prediction of every public estimator, with an empty cache of kernels.

``python benchmarks/first_fits.py [--repeats 3] [NAME ...]`` prints a Markdown table: the median over fresh processes
with an empty ``TEXTMIX_CACHE``, the same with the cache that the first process has filled, and the number of functions
that Numba compiled.  Imports are not included.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import json, sys, time, warnings
import numpy as np
from numba.core import event
from tests.models.battery import documents, target
from tests.models.public import make

class Counter(event.Listener):
    n = 0
    def on_start(self, event):
        pass
    def on_end(self, event):
        Counter.n += 1

name = sys.argv[1]
event.register("numba:compile", Counter())
warnings.simplefilter("ignore")
X, y = documents(name), target(name)
estimator = make(name)
start = time.process_time()
estimator.fit(X, y)
for method in ("predict", "transform", "score_samples"):
    if hasattr(estimator, method):
        getattr(estimator, method)(X)
        break
print(json.dumps([time.process_time() - start, Counter.n]))
"""


def measure(name: str, cache: Path) -> tuple[float, int]:
    """Fit and predict in a new process; return CPU seconds and the number of compiled functions."""
    environment = {
        **os.environ,
        "TEXTMIX_CACHE": str(cache),
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "NUMBA_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    completed = subprocess.run(
        [sys.executable, "-c", PROGRAM, name], env=environment, cwd=ROOT, check=True, capture_output=True, text=True
    )
    seconds, n_compiled = json.loads(completed.stdout.splitlines()[-1])
    return float(seconds), int(n_compiled)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="classes (default: all)")
    parser.add_argument("--repeats", type=int, default=3, help="number of fresh caches (default: %(default)s)")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests.models.public import CLASSES

    print("| class | empty cache, CPU s | filled cache, CPU s | compiled functions |")
    print("|---|---|---|---|")
    for name in options.names or sorted(CLASSES):
        empty = []
        filled = []
        for _ in range(options.repeats):
            with tempfile.TemporaryDirectory() as folder:
                seconds, n_compiled = measure(name, Path(folder))
                empty.append(seconds)
                filled.append(measure(name, Path(folder))[0])
        row = f"| `{name}` | {statistics.median(empty):.1f} | {statistics.median(filled):.2f} | {n_compiled} |"
        print(row, flush=True)


if __name__ == "__main__":
    main()
