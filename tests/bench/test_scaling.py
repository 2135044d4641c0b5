"""The target scaling: slopes worked by hand, synthetic documents like their source, and every case at small sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import sparse, stats

from reproduction.bench.growth import COLUMNS, SLOPES, STORED, log_slope, points, slopes
from reproduction.bench.scaling import CASES, Source, label_sets, measure_case
from reproduction.pages.scaling import scaling_figure
from textmix.data.corpus import Corpus, label_matrix
from textmix.pages.style import style

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Return 60 documents of three classes with 40 words of unequal shares."""
    generator = np.random.default_rng(0)
    counts = generator.poisson(np.linspace(0.1, 2.0, 40), (60, 40)).astype(np.int32)
    labels = label_matrix([[row % 3] for row in range(60)], 3)
    words = ["word" + chr(97 + column // 26) + chr(97 + column % 26) for column in range(40)]
    ids = [str(row) for row in range(60)]
    return Corpus("few", ids, ["a", "b", "c"], labels, features=sparse.csr_array(counts), feature_names=words)


def test_the_slope_of_a_power_is_its_exponent_and_the_interval_that_of_the_regression() -> None:
    sizes = np.array([10.0, 100.0, 1000.0, 10000.0])
    exact = log_slope(np.column_stack([sizes, 3.0 * sizes**1.5]))
    assert exact["slope"] == pytest.approx(1.5) and exact["high"] - exact["low"] < 1e-6
    values = 2.0 * sizes * np.exp([0.1, -0.2, 0.15, 0.0])
    twin = stats.linregress(np.log(sizes), np.log(values))
    fitted = log_slope(np.column_stack([sizes, values]))
    half = stats.t.ppf(0.975, 2) * twin.stderr
    assert fitted == pytest.approx({"slope": twin.slope, "low": twin.slope - half, "high": twin.slope + half})


def test_values_that_were_not_measured_are_left_out() -> None:
    rows = [
        {"case": "x", "step": "fit", "axis": "documents", "size": size, "seconds": size, "bytes": nothing}
        for size, nothing in ((1, None), (10, 0), (100, 5))
    ]
    (row,) = slopes(points(rows))
    assert tuple(row) == SLOPES and row["quantity"] == "seconds" and row["slope"] == pytest.approx(1.0)


def test_the_time_of_a_step_that_makes_a_matrix_grows_by_its_stored_cells_and_its_memory_by_documents() -> None:
    rows = [
        {"case": "x", "step": "count", "axis": "documents", "size": n, "seconds": n**1.2, "bytes": n, "stored": n**1.2}
        for n in (10, 100, 1000)
    ]
    measured = points(rows)
    seconds, memory = slopes(measured)
    assert seconds["axis"] == STORED and seconds["slope"] == pytest.approx(1.0)
    assert memory["axis"] == "documents" and memory["quantity"] == "bytes" and memory["slope"] == pytest.approx(1.0)
    with style():
        assert [axes.get_xlabel() for axes in scaling_figure(measured, slopes(measured)).axes] == [STORED, "documents"]


def test_documents_have_the_lengths_classes_and_shares_of_their_source(corpus: Corpus) -> None:
    source = Source.of(corpus)
    X, y = source.counts(30_000, np.random.default_rng(1))
    assert X.shape == (30_000, 40) and X.has_canonical_format and X.dtype == np.int32
    assert set(np.asarray(X.sum(axis=1)).ravel()) <= set(source.lengths)
    np.testing.assert_allclose(np.bincount(y) / len(y), np.full(3, 1 / 3), atol=0.01)
    np.testing.assert_allclose(np.asarray(X.sum(axis=0)).ravel() / X.sum(), source.shares, atol=2e-3)
    text = source.texts(3, np.random.default_rng(2))
    assert text.text is not None and set(text.text.text(0).split()) <= set(source.words)


def test_each_label_stands_alone_in_a_document() -> None:
    sets = label_sets(50, 20, np.random.default_rng(0))
    assert set(sets.sum(axis=1)) <= {1, 2}
    np.testing.assert_array_equal(sets[:20], np.eye(20))


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_measured(case: str, corpus: Corpus) -> None:
    rows = measure_case(case, "labels" if case == "pmm1_labels" else "documents", [20, 40], corpus, repeats=1)
    assert {row["size"] for row in rows} == {20, 40}
    assert all(tuple(row) == COLUMNS and row["seconds"] >= 0 for row in rows)
    assert all((row["stored"] is not None) == (row["step"] == "count") for row in rows)


def test_the_configuration_names_the_cases() -> None:
    named = yaml.safe_load((ROOT / "config/scaling.yaml").read_text(encoding="utf-8"))
    assert set(named) == set(CASES)
    assert all(entry["sizes"] == sorted(entry["sizes"]) and len(entry["sizes"]) > 3 for entry in named.values())


def test_a_line_looks_alike_in_all_panels_and_stands_once_in_the_legend() -> None:
    rows = [
        {"case": case, "step": "fit", "axis": "documents", "size": size, "seconds": size / 10.0, "bytes": size}
        for case in ("edcm", "knn")
        for size in (10, 100)
    ]
    with style():
        figure = scaling_figure(points(rows), [])
        seconds, memory = (
            [(line.get_label(), line.get_marker(), line.get_color()) for line in axes.lines] for axes in figure.axes
        )
    assert seconds == memory and [label for label, _, _ in seconds] == ["edcm, fit", "knn, fit"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["edcm, fit", "knn, fit"]
