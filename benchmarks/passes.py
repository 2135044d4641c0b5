"""Measure the CPU time and the peak memory of one fit of a paper's method, with changed parameters.

    python benchmarks/passes.py RUN PAPER EXPERIMENT DATASET METHOD [max_iter=2 ...]

RUN is the folder of a run, or of a rehearsal (`rehearsal.py`), that has computed the features and the splits of the
data set.  For a method that takes hours, the difference between two and three passes (iterations, trees) gives the
time of a pass, and the number of passes is in ``paper.yaml``.  Nothing is written.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from pathlib import Path

import yaml

from textmix.data.corpus import Corpus
from textmix.experiment.methods import load_methods
from textmix.experiment.splits import Splits

#: Number of predicted test documents; the time is extrapolated to all of them.
SAMPLE = 2000


def main(run: str, paper: str, experiment: str, dataset: str, method: str, *changes: str) -> None:
    """Fit the method to the first training part, predict some test documents, and print one line."""
    folder = Path(run)
    config = yaml.safe_load((folder / f"config/papers/{paper}/paper.yaml").read_text(encoding="utf-8"))
    entry = config["experiments"][experiment]
    spec = entry["methods"][method]
    changed = {key: yaml.safe_load(value) for key, _, value in (change.partition("=") for change in changes)}
    model = load_methods()[spec["use"]].make({**spec.get("params", {}), **changed})
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    corpus = Corpus.load(folder / "results/features" / dataset / entry["features"])
    (split,) = (folder / "results/splits" / dataset).iterdir()
    splits = Splits.load(split)
    train, test = splits.train[0], splits.test[0]
    X = corpus.features
    Y = corpus.indicators()
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[train], Y[train])
    fit_seconds = time.process_time() - start
    start = time.process_time()
    model.predict(X[test[:SAMPLE]])
    predict_seconds = (time.process_time() - start) * len(test) / min(SAMPLE, len(test))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{method} {' '.join(changes)}: fit {fit_seconds:.0f} CPU s, prediction about {predict_seconds:.0f} CPU s,"
        f" {peak:.1f} GiB, {len(train)} training documents, iterations {getattr(model, 'n_iter_', None)}",
        flush=True,
    )


if __name__ == "__main__":
    if len(sys.argv) < 6:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
