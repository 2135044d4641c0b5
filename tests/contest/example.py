"""A small corpus, cells of scores, and the pages that several tests read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.contest.description import describe
from textmix.contest.pages import Account, Study, data_facts, render_study, score_table
from textmix.contest.rows import COSTS, empty_row
from textmix.core.config import load_yaml_strict
from textmix.core.errors import MissingResult
from textmix.core.io import write_missing
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.compared import run_compared
from textmix.experiment.methods import load_methods
from textmix.experiment.splits import make_splits

ROOT = Path(__file__).resolve().parents[2]


METHODS = load_methods()


REGISTRY = load_yaml_strict(ROOT / "config/datasets.yaml")


def corpus(documents: int = 60, classes: int = 3, reals: bool = False, several: bool = False) -> Corpus:
    """Return documents of random counts, each class with a favourite word; the last label on one document only."""
    generator = np.random.default_rng(5)
    kinds = np.arange(documents) % classes
    counts = generator.poisson(0.4, (documents, 12)) + 3 * np.eye(12, dtype=int)[kinds]
    matrix = sparse.csr_array(counts * (0.5 if reals else 1), dtype=np.float64 if reals else np.int32)
    rows = [[kind, *([classes] if several and row == 7 else [])] for row, kind in enumerate(kinds.tolist())]
    n_labels = classes + several
    return Corpus(
        name="tiny",
        ids=[str(row) for row in range(documents)],
        label_names=[f"class {label}" for label in range(n_labels)],
        labels=label_matrix(rows, n_labels),
        text=Ragged.from_texts(b"some words" if row < 2 else f"document {row}".encode() for row in range(documents)),
        features=matrix,
        feature_names=[f"word {column}" for column in range(12)],
    )


SPLIT = {"kind": "random", "train": 0.5, "trials": 2, "stratified": True}


def fit_in_comparison(data: Corpus, method: str, **entry: Any) -> Any:
    splits = make_splits(data, SPLIT, 1, "s", None)
    entry = {"use": method, "compared": True, "views": {"words": {}}, "weightings": ["counts"], **entry}
    return run_compared([data], splits, METHODS[method], entry, 1), splits


# --- pages ------------------------------------------------------------------------------------------------------------


def cells() -> list[dict[str, Any]]:
    """Return the cells of two methods with values, the second with the better loss, and of one without."""
    head = {"dataset": "tiny", "spread": 0.01, "trials": 3, "reason": ""}
    rows = [
        {**head, "method": method, "family": "f", "metric": metric, "value": value}
        for method, values in (("edcm", (0.9, 0.5)), ("multinomial", (0.8, 0.4)))
        for metric, value in zip(("accuracy", "log_loss"), values, strict=True)
    ]
    return [*rows, empty_row("tiny", METHODS["cbm"], "cbm is for <several> labels")]


def study(title: str, table: dict[str, Any], facts: dict[str, str], account: Account | None = None) -> str:
    """Return the page of a comparison on the data set ``tiny``."""
    methods = {"single": ["edcm", "multinomial"], "multi": []}
    content = (
        ({"tiny": table, "other": table}, {"tiny": facts, "other": {**facts, "title": "Other"}})
        if account is None
        else (
            {"tiny": table},
            {"tiny": facts},
        )
    )
    tasks = dict.fromkeys(content[0], "single")
    return render_study(
        Study("k", title, "Two methods.", *content, tasks, methods, [], {"Run": {"seed": "1"}}, account)
    )


def both_pages(folder: Path) -> tuple[str, str]:
    """Return the page on own data and that on the matrix, which are written with a folder for missing data."""
    write_missing(folder / "folder", MissingResult("tiny could not be had"), {})
    cost = {**dict.fromkeys(COSTS), "dataset": "tiny", "method": "edcm", "fit_seconds": 0.0123, "fit_bytes": 5e6}
    table = score_table(cells(), "tiny", [cost, {**cost, "method": "multinomial"}])
    data = corpus()
    summary = describe(data, data, make_splits(data, SPLIT, 1, "s", None))
    facts = data_facts(folder / "folder", "Tiny & small", "A split.")
    account = Account(summary, {"edcm": {"a=1": 2}}, {"edcm": ["a"]}, None, {"edcm": 3})
    return study("<b>", table, facts, account), study("Matrix", table, facts)
