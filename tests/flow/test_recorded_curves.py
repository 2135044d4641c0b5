"""Recorded curves keep the latest value of each specification that is registered."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.flow.alternatives import GridPoint, SpecificationGrid
from reproduction.flow.curves import FACTORS, POINT_COLUMNS, Curve, CurvePoint, factor_rows, read_curves, read_factors
from reproduction.flow.recorded_curves import RECORDED_CURVES, record_curves, recorded_curves
from tests.verdict.reporting import META
from textmix.core import io
from textmix.core.errors import ConfigError, IntegrityError

FACTOR = {"smoothing": {"none": "It is the choice of the table.", "one": "It is as likely."}}
POINTS = (
    GridPoint({"smoothing": "none"}),
    GridPoint({"smoothing": "one"}, {"experiments.table1": "table1_r0"}),
)
MADE = SpecificationGrid("made", ("p.x", "p.y"), FACTOR, POINTS, 2)


def folder_of(path: Path, values: dict[str, tuple[float | None, ...]]) -> Path:
    """Write the curves of some rows as the job does; return their folder."""
    curves = [
        Curve(row, "made", "fraction", 0.8, 0.05, 0.7, 0.9, [*map(reading, POINTS, found)], 2)
        for row, found in values.items()
    ]
    with io.new_folder(path, META) as folder:
        rows = [row for curve in curves for row in curve.rows()]
        io.write_text(folder / "curves.csv", io.format_csv(rows, POINT_COLUMNS))
        io.write_text(folder / "factors.csv", io.format_csv(list(factor_rows({"made": FACTOR})), FACTORS))
    return path


def reading(point: GridPoint, value: float | None) -> CurvePoint:
    """Return a point with a value and its spread, or with the reason why the value is missing."""
    known = value is not None
    return CurvePoint(
        point.levels, value, known, "" if known else "left out", 0.01 if known else None, 4 if known else None
    )


def test_recorded_curve_survives_a_round_trip(tmp_path: Path) -> None:
    folder, file = folder_of(tmp_path / "a", {"p.x": (0.75, 0.8)}), tmp_path / RECORDED_CURVES
    assert record_curves(folder, file, [MADE], "c0") == ["p.x"]
    files = recorded_curves(file, [MADE])
    (curve,) = read_curves(files)
    assert [(one.value, one.spread) for one in curve.points] == [(0.75, 0.01), (0.8, 0.01)]
    assert curve.recorded == io.read_csv(file)[0]["date"] != ""
    assert curve.position == "inside the range of 2 specifications"
    assert read_factors(files) == {"made": FACTOR}


def test_point_without_a_value_keeps_its_previous_record(tmp_path: Path) -> None:
    file = tmp_path / RECORDED_CURVES
    record_curves(folder_of(tmp_path / "a", {"p.x": (0.75, 0.8), "p.y": (0.1, 0.2)}), file, [MADE], "c0")
    folder = folder_of(tmp_path / "b", {"p.x": (0.7, None), "p.y": (0.3, 0.4)})
    assert record_curves(folder, file, [MADE], "c1") == ["p.x", "p.y"]
    found = {curve.row: [one.value for one in curve.points] for curve in read_curves(recorded_curves(file, [MADE]))}
    assert found == {"p.x": [0.7, 0.8], "p.y": [0.3, 0.4]}
    assert [row["commit"] for row in io.read_csv(file)] == ["c1", "c0", "c1", "c1"]
    with pytest.raises(IntegrityError, match="no specification has a value"):
        record_curves(folder_of(tmp_path / "c", {"p.x": (None, None)}), file, [MADE], "c1")


def test_points_can_be_recorded_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / RECORDED_CURVES
    record_curves(folder_of(tmp_path / "a", {"p.x": (0.75, None)}), file, [MADE], "c0")
    assert recorded_curves(file, [MADE]) == {}
    record_curves(folder_of(tmp_path / "b", {"p.x": (None, 0.8)}), file, [MADE], "c1")
    (curve,) = read_curves(recorded_curves(file, [MADE]))
    assert [one.value for one in curve.points] == [0.75, 0.8]
    assert [one.standard_error for one in curve.points] == [pytest.approx(0.005)] * 2


def test_points_of_changed_alternatives_are_not_shown(tmp_path: Path) -> None:
    file = tmp_path / RECORDED_CURVES
    assert recorded_curves(file, [MADE]) == {}
    record_curves(folder_of(tmp_path / "a", {"p.x": (0.75, 0.8)}), file, [MADE], "c0")
    other = GridPoint({"smoothing": "one"}, {"experiments.table1": "table1_r1"})
    assert recorded_curves(file, [SpecificationGrid("made", ("p.x",), FACTOR, (POINTS[0], other), 2)]) == {}
    assert recorded_curves(file, [SpecificationGrid("made", ("p.y",), FACTOR, POINTS, 2)]) == {}


def test_new_factor_keeps_the_recorded_points(tmp_path: Path) -> None:
    file = tmp_path / RECORDED_CURVES
    record_curves(folder_of(tmp_path / "a", {"p.x": (0.75, 0.8)}), file, [MADE], "c0")
    seed = {"seed": {"0": "It is the choice of the table.", "1": "It is as likely."}}
    keys: dict[str, dict[str, str]] = {"0": {}, "1": {"m/a": "b"}}
    points = [GridPoint({**one.levels, "seed": number}, one.names, keys[number]) for one in POINTS for number in keys]
    later = SpecificationGrid("made", ("p.x", "p.y"), {**FACTOR, **seed}, tuple(points), 4)
    (curve,) = read_curves(recorded_curves(file, [later]))
    assert [one.value for one in curve.points] == [0.75, None, 0.8, None]
    assert [dict(one.levels) for one in curve.points] == [dict(one.levels) for one in points]
    assert (curve.product, curve.position) == (4, "inside the range of 2 specifications")


def test_curve_of_unregistered_alternatives_is_not_recorded(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "a", {"p.x": (0.75, 0.8)})
    points = (POINTS[0], GridPoint({"smoothing": "two"}, {"features.words": "words_r0"}))
    with pytest.raises(IntegrityError, match="smoothing=one"):
        record_curves(
            folder, tmp_path / RECORDED_CURVES, [SpecificationGrid("made", ("p.x",), FACTOR, points, 2)], "c0"
        )


def test_invalid_record_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "curves.csv"
    file.write_text("row,value\np.x,1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not a record of curves"):
        recorded_curves(file, [MADE])
