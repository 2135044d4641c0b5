"""A small study: its table, its data and its page."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from textmix.contest.decided import Stated
from textmix.contest.sizes import STUDY
from textmix.contest.study_page import Content
from textmix.data.corpus import Corpus

FAMILIES = {"bayes": "naive Bayes", "svm": "linear", "slow": "network"}


def table(gaps: dict[str, list[float]], task: str = "single") -> pd.DataFrame:
    """Return rows of a study: on data set i bayes leads svm by the i-th gap, and slow is worse and slower."""
    metrics = {"single": ("accuracy", "log_loss"), "multi": ("subset_accuracy", "set_log_loss")}[task]
    rows: list[dict[str, Any]] = []
    for size, (study, leads) in enumerate(gaps.items()):
        for number, lead in enumerate(leads):
            for method, score, seconds in (("bayes", 0.7 + lead, 1.0), ("svm", 0.7, 2.0), ("slow", 0.5, 9.0)):
                head = {"study": study, "train": 100.0 * 10**size, "dataset": f"d{number}", "task": task}
                spent = {"method": method, "family": FAMILIES[method], "seconds": seconds, "bytes": 2.0**21}
                rows += [
                    {**head, **spent, "metric": metric, "value": value}
                    for metric, value in zip(metrics, (score, 1.0 - score), strict=True)
                ]
    return pd.DataFrame(rows, columns=STUDY)


def corpus() -> Corpus:
    """Return eight documents with two labels, the second document with both."""
    labels = np.eye(2, dtype=np.int8)[np.arange(8) % 2]
    labels[1] = 1
    counts = np.tile([3, 1, 0], (8, 1))
    return Corpus(
        name="tiny",
        ids=[str(i) for i in range(8)],
        label_names=["a", "b"],
        labels=sparse.csr_array(labels),
        features=sparse.csr_array(counts),
        feature_names=["x", "y", "z"],
    )


def content() -> Content:
    """Return the content of a page on both tasks at two sizes."""
    rows = pd.concat(
        [
            table({"matrix": [0.1, 0.2], "matrix_few": [0.1, 0.1]}),
            table({"matrix": [0.1, 0.2], "matrix_few": [0.1, 0.1]}, "multi"),
        ]
    )
    extra = rows[(rows["metric"] == "accuracy")].assign(metric="perplexity", value=321.0)
    rng = np.random.default_rng(0)
    stated = [Stated("d0", name, rng.random(50), rng.random(50) < 0.5) for name in ("cbm", "power_set")]
    head = {"dataset": "d0", "method": "cbm", "metric": "sample_f"}
    decided = [{**head, "mode": 0.5, "expected_f": 0.6, "marginal": 0.4}]
    facts = {("matrix", f"d{i}"): {"train": 100.0, "words": 12.5} for i in range(2)}
    titles = {"d0": "First <data>", "d1": "Second"}
    left_out = [{"study": "matrix", "dataset": "yeast_wheel", "method": "slow", "reason": "slow takes more than 9 s"}]
    rows = pd.concat([rows, extra])
    return Content(rows, left_out, decided, stated, facts, titles, 1, {"Run": {"seed": "1"}})
