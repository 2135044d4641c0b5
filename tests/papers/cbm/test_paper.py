"""The files of the CBM slides' paper: paper.yaml, published.csv, and the largest data set as configured."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from reproduction.papers.cbm.figures import FIGURES
from reproduction.verdict.published import read_record
from tests.papers.cbm.example import PAPER, SPEC
from textmix.core import io
from textmix.data.fetch import fetch_dataset
from textmix.data.parse import parse_dataset
from textmix.data.registry import RECORD, DatasetEntry, SourceFile, load_registry
from textmix.experiment.splits import make_splits
from textmix.models.label_sets import estimators
from textmix.models.label_sets.estimators import PairwiseCRF, PowerSet
from textmix.models.linear.problems import in_blocks


def published() -> list[Any]:
    return list(read_record(PAPER, PAPER.parents[2] / "workflow/schemas").rows)


def test_paper_yaml_names_every_figure_and_published_csv_what_measures_give(measured):
    assert set(SPEC["figures"]) == set(FIGURES)
    rows = [row for row in published() if row.source.startswith("measure:")]
    for row in rows:
        assert row.locator.key in measured[0][row.locator.measure].values
    for row in published():
        if row.source.startswith("score:"):
            experiment, method = SPEC["experiments"][row.locator.experiment], row.locator.method
            assert row.locator.role in experiment["roles"]
            assert method in experiment["methods"] or method.endswith("_gb")


def nus_wide(folder: Path, n: int) -> DatasetEntry:
    """Place a file of the form of NUS-WIDE with n images by hand; return the entry with the counts of this file."""
    generator = np.random.default_rng(6)
    X, Y = generator.normal(size=(n, 128)), (generator.random((n, 81)) < 0.02).astype(np.int8)
    names = ["Image", *(f"Feature{k}" for k in range(128)), *(f"Label{k}" for k in range(81))]
    kinds = ["numeric"] * 129 + ["{0,1}"] * 81
    head = ["@relation nus-wide", *(f"@attribute {name} {kind}" for name, kind in zip(names, kinds, strict=True))]
    rows = [
        ",".join([str(image), *(f"{x:.6f}" for x in row), *map(str, sets)])
        for image, (row, sets) in enumerate(zip(X, Y, strict=True))
    ]
    labels = "".join(f'<label name="Label{k}"></label>' for k in range(81))
    whole = load_registry(PAPER.parents[1] / "datasets.yaml")["nus_wide"]
    (folder / whole.files["data"]).write_text("\n".join([*head, "@data", *rows, ""]))
    form = f'<labels xmlns="http://mulan.sourceforge.net/labels">{labels}</labels>'
    (folder / whole.files["labels"]).write_text(form)
    files = {role: SourceFile(file.where) for role, file in whole.sources[0].files.items()}
    expect = {**whole.expect, "documents": n}
    return replace(whole, sources=(replace(whole.sources[0], files=files),), expect=expect)


def test_nus_wide_is_read_split_and_fitted_in_blocks_as_configured(tmp_path, monkeypatch):
    entry = nus_wide(tmp_path, 60)
    io.write_json(tmp_path / RECORD, fetch_dataset(entry, tmp_path, None))
    corpus = parse_dataset(entry, tmp_path)
    role, name = "nus_wide", SPEC["experiments"]["table_large"]["roles"]["nus_wide"]
    assert SPEC["measures"]["ranking"]["roles"][role] == name
    split = make_splits(corpus, {**SPEC["splits"][name], "train": 36}, 1, name, None)
    assert (split.train[0].tolist(), split.test[0].tolist()) == (list(range(36)), list(range(36, 60)))
    X, Y = corpus.features[split.train[0]], corpus.indicators()[split.train[0]]
    for model in (PowerSet(variance=1000.0, max_iter=10), PairwiseCRF(variance=1000.0, max_iter=10)):
        whole = clone(model).fit(X, Y).predict_proba(corpus.features[split.test[0]])
        with monkeypatch.context() as patch:
            patch.setattr(estimators, "in_blocks", partial(in_blocks, cells=300))
            parts = clone(model).fit(X, Y).predict_proba(corpus.features[split.test[0]])
        np.testing.assert_allclose(parts, whole, atol=1e-6)
