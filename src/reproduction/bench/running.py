"""Run one suite of the bench on its inputs, join the rows of all suites, and put their verdicts into sentences."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from reproduction.bench.timing import COLUMNS, is_quick, not_installed
from reproduction.plan.suites import Suite
from textmix.core import io
from textmix.core.errors import MissingResult
from textmix.data.corpus import Corpus, Ragged
from textmix.experiment.splits import Splits


def _read(corpus: str, every: int) -> Corpus:
    """Return a corpus, or one document in ``every`` of it, without the labels that these lack."""
    whole = Corpus.load(corpus)
    if every == 1:
        return whole
    rows = np.arange(0, whole.n_documents, every)
    kept = np.flatnonzero(whole.labels[rows].sum(axis=0))
    return replace(
        whole,
        ids=[whole.ids[row] for row in rows.tolist()],
        label_names=[whole.label_names[label] for label in kept.tolist()],
        labels=sparse.csr_array(whole.labels[rows][:, kept]),
        split=None if whole.split is None else whole.split[rows],
        features=None if whole.features is None else whole.features[rows],
        text=None if whole.text is None else _rows(whole.text, rows),
        tokens=None if whole.tokens is None else _rows(whole.tokens, rows),
    )


def _rows(block: Ragged, rows: np.ndarray) -> Ragged:
    """Return some rows of a block."""
    ends = np.cumsum([0, *(len(block[row]) for row in rows)])
    return Ragged(np.concatenate([block[row] for row in rows]), ends)


def _split_parts(corpus: str, splits: str, every: int) -> tuple[Any, ...]:
    """Return X (N, V), Y (N, L), X_test and Y_test of the first trial: counts and label indicators, CSR."""
    (X, Y), first = _labels(corpus, 1), Splits.load(splits)
    train, test = (part[0][::every] for part in (first.train, first.test))
    kept = np.flatnonzero(Y[train].sum(axis=0)) if every > 1 else np.arange(Y.shape[1])
    return X[train], Y[train][:, kept], X[test], Y[test][:, kept]


def _classes(corpus: str, every: int) -> tuple[Any, ...]:
    """Return X, counts CSR (N, V), and y, class index int (N,)."""
    read = _read(corpus, every)
    return read.features, read.classes()


def _labels(corpus: str, every: int) -> tuple[Any, ...]:
    """Return X, counts CSR (N, V), and Y, label indicators CSR (N, L)."""
    read = _read(corpus, every)
    return read.features, read.labels


def _files(record: str, every: int) -> tuple[Any, ...]:
    """Return the raw files of a data set, whole: one mapping, role -> path.

    Raises
    ------
    MissingResult : the data set could not be fetched.
    """
    fetched = io.read_json(record)
    if fetched["status"] != "had":
        raise MissingResult(fetched["reason"], fetched["broken"])
    return ({role: Path(record).parent / file["name"] for role, file in fetched["files"].items()},)


#: Form of data that a suite takes (`Suite.takes`) -> reader of the suite's inputs into the arguments of its function.
READERS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "classes": _classes,
    "labels": _labels,
    "split": _split_parts,
    "corpus": lambda corpus, every: (_read(corpus, every),),
    "files": _files,
}


def run_suite(suite: Suite, inputs: Sequence[str], repeats: int) -> list[dict[str, Any]]:
    """Read the inputs of one suite and run its function on them.

    Parameters
    ----------
    suite : entry of the registry.
    inputs : paths of what `reproduction.plan.graph.read_by_suite` returns; none if its role has no data set.
    repeats : rounds; in each, every candidate and peer runs once.  A quick bench takes one document in ``suite.quick``.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`.

    Raises
    ------
    MissingResult : the configuration maps no data to the suite's role, or they could not be had; or the whole suite
        needs a package of `reproduction.plan.suites.PEERS` that is not installed.
    """
    if not inputs:
        raise MissingResult(
            f"bench {suite.name}: the configuration has no data for the role '{suite.role}'; "
            "name a mirror in TEXTMIX_MIRROR, or map the role to a data set"
        )
    function = getattr(importlib.import_module(suite.module), suite.run.split(":")[1])
    data = READERS[suite.takes](*inputs, suite.quick if is_quick(repeats) else 1)
    try:
        rows: list[dict[str, Any]] = function(*data, repeats=repeats)
    except ModuleNotFoundError as error:
        raise MissingResult(f"bench {suite.name}: {not_installed(error)}") from error
    return rows


def join(tables: Mapping[str, str | Path]) -> tuple[list[dict[str, Any]], list[str]]:
    """Join the suites' csv files.

    Parameters
    ----------
    tables : suite -> path of its csv file, with the columns `COLUMNS`.

    Returns
    -------
    rows : with the columns ``suite`` and `COLUMNS`; a suite that was left out has one row, with the reason as note.
    sentences : one for every row that has a target, and one for every suite that was left out.
    """
    rows: list[dict[str, Any]] = []
    for suite, path in tables.items():
        try:
            io.check_result(path)
            rows += [{"suite": suite, **row} for row in io.read_csv(path)]
        except MissingResult as missing:
            rows.append({"suite": suite, **dict.fromkeys(COLUMNS, ""), "note": f"left out: {missing.reason}"})
    return rows, [_sentence(row) for row in rows if row["target"] or not row["bench"]]


def _sentence(row: Mapping[str, str]) -> str:
    """Return a row of the joined table as a sentence; a target below 0.2 is given as a speed-up, 1 / target."""
    if not row["bench"]:
        return f"{row['suite']}: {row['note']}"
    if not row["ratio_to_peer"]:
        return f"{row['bench']}: {row['candidate']}: no ratio to {row['peer']}{_noted(row)}"
    ratio, target = float(row["ratio_to_peer"]), float(row["target"])
    if target < 0.2:
        measured, wanted = f"{1 / ratio:.1f} times faster than", f"at least {1 / target:.0f} times"
    else:
        measured, wanted = f"{ratio:.2f} x the {row['quantity']} of", f"at most {target:g} x"
    verdict = "met" if row["met"].lower() == "true" else "MISSED"
    return f"{row['bench']}: {row['candidate']}: {measured} {row['peer']}{_noted(row)}; wanted {wanted}: {verdict}"


def _noted(row: Mapping[str, str]) -> str:
    """Return the note of a row in brackets."""
    return f" ({row['note']})" if row["note"] else ""
