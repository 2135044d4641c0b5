"""A comparison of texts and labels in Python."""

from __future__ import annotations

import csv
import html
from pathlib import Path

import numpy as np
import pytest

import textmix
from tests.compare.texts import drawn, drawn_sets, write_shop
from textmix.compare import compare
from textmix.compare.output_folder import FILES
from textmix.core.errors import ConfigError, DataFormatError


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> textmix.compare.Comparison:
    return compare(*drawn(100), output_dir=tmp_path_factory.mktemp("kept") / "all", workers=2)


def test_the_model_labels_new_texts(found: textmix.compare.Comparison) -> None:
    texts = ["the goal of the team and match", "a verdict of the court and judge"]
    assert found.predict(texts).tolist() == ["sport", "law"]
    assert found.best_.predict(texts).tolist() == ["sport", "law"]


def test_without_a_budget_the_same_texts_give_the_same_result(
    found: textmix.compare.Comparison, tmp_path: Path
) -> None:
    again = compare(*drawn(100), output_dir=tmp_path / "again", workers=1)
    assert again.choice_ == found.choice_
    rows = [[{k: v for k, v in row.items() if k != "seconds"} for row in each.leaderboard_] for each in (found, again)]
    assert rows[0] == rows[1]
    kept = [each._result.folder / "predictions.csv" for each in (found, again)]
    assert kept[0].read_bytes() == kept[1].read_bytes()


def test_the_pipeline_by_hand_stays_unless_another_candidate_is_ahead(found: textmix.compare.Comparison) -> None:
    """On words that decide alone nothing is ahead by the evidence of folds."""
    assert found.choice_["method"].startswith(("linear SVM", "logistic regression"))
    assert found.choice_["ahead"] is None


def test_all_files_are_kept_and_the_page_names_the_choice(found: textmix.compare.Comparison) -> None:
    assert {path.name for path in found._result.folder.iterdir() if not path.name.startswith(".")} >= set(FILES)
    assert found.choice_["method"].replace("_", " ") in found.report()


def test_what_is_found_is_on_the_disk_when_the_page_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(content: object) -> str:
        raise RuntimeError("no page")

    monkeypatch.setattr("textmix.compare.report.render", fail)
    with pytest.raises(RuntimeError, match="no page"):
        compare(*drawn(60), 1, output_dir=tmp_path / "kept")
    assert {path.name for path in (tmp_path / "kept").iterdir()} >= set(FILES) - {"index.html"}
    assert textmix.load(tmp_path / "kept" / "model").predict(["goal match team"]).tolist() == ["sport"]


def test_a_comparison_that_is_not_kept_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = compare(*drawn(60), 1)
    assert not list(tmp_path.iterdir())
    assert found.predict(["goal match team"]).tolist() == ["sport"] and "</html>" in found.report()


def test_columns_beside_the_texts_join_from_python(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(write_shop(tmp_path / "shop.csv", 100))
    found = compare(frame["text"], frame["label"], features=frame[["price", "shop"]], output_dir=tmp_path / "kept")
    assert found.choice_["value"] > 0.8
    new = {"price": [0.0, 2.0, None], "shop": ["south", "north", "north"]}
    assert found.predict(["the a", "the a", "the a"], new).tolist() == ["sport", "law", "law"]
    with pytest.raises(ConfigError, match="'price' is missing"):
        found.predict(["the a"])
    with pytest.raises(ConfigError, match="2 cells for 1 texts"):
        found.predict(["the a"], {"price": [1, 2], "shop": ["south"]})


@pytest.mark.parametrize("metric", [None, "micro_f", "average_precision"])
def test_several_labels_are_compared_by_any_metric(metric: str | None, tmp_path: Path) -> None:
    found = compare(*drawn_sets(100), metric=metric, output_dir=tmp_path / "kept")
    assert found.choice_["value"] > 0.8
    assert set(found.predict(["goal team court judge verdict player"])[0]) == {"law", "sport"}


@pytest.mark.parametrize("metric", ["macro_f1", "log_loss", "f:art"])
def test_two_classes_are_compared_by_any_metric(metric: str, tmp_path: Path) -> None:
    found = compare(*drawn(60, labels=2), 2, metric=metric, output_dir=tmp_path / "kept")
    assert found.choice_["metric"] == metric and np.isfinite(found.choice_["value"])


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    texts, labels = drawn(80)
    found = compare(
        texts, [{"sport": 1, "art": 2, "law": 3}[label] for label in labels], 1, output_dir=tmp_path / "kept"
    )
    assert found.predict(["goal match team"]).tolist() == [1]


@pytest.mark.parametrize(
    ("texts", "labels", "more", "message"),
    [
        (["a"] * 20, ["x", "y"] * 9, {}, "20 texts and 18 labels"),
        ([1] * 20, ["x", "y"] * 10, {}, "give strings"),
        (["a"] * 20, [1, "1"] * 10, {}, "cannot be distinguished"),
        (["a b"] * 20, ["x", "y"] * 10, {"metric": "acuracy"}, "accuracy"),
        (["a b"] * 20, ["x", "y"] * 10, {"seconds": "soon"}, "is not a time"),
        (["a text"] * 9, ["x", "y", "y"] * 3, {}, "9 documents.*10 or more"),
        ([" "] * 12, ["x", "y"] * 6, {}, "are empty"),
        (["a text"] * 12, ["x"] * 12, {}, "one label 'x'"),
        (["a text"] * 12, [f"label {row}" for row in range(12)], {}, "12 labels on 12 documents"),
    ],
)
def test_what_cannot_be_compared_is_an_error(texts: list, labels: list, more: dict, message: str) -> None:
    with pytest.raises((ConfigError, DataFormatError), match=message):
        compare(texts, labels, **more)


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not the output of a comparison"):
        compare(*drawn(40), 3, output_dir=tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize("several", [False, True])
def test_the_code_of_the_report_reproduces_the_test_score(several: bool, tmp_path: Path) -> None:
    texts, labels = drawn_sets(120) if several else drawn(120)
    metric = "micro_f" if several else None
    comparison = compare(texts, labels, metric=metric, output_dir=tmp_path / "kept")
    pre = comparison.report().split("<pre", 1)[1].split("</pre>", 1)[0]
    code = html.unescape(pre.split("<code>")[1].split("</code>")[0])
    with open(tmp_path / "kept" / "predictions.csv", encoding="utf-8", newline="") as table:
        rows = [*csv.DictReader(table)]
    test = [int(row["id"]) - 1 for row in rows]
    training = [row for row in range(len(texts)) if row not in test]
    namespace = {
        "texts": [texts[row] for row in training],
        "labels": [labels[row] for row in training],
        "new_texts": [texts[row] for row in test],
    }
    exec(code, namespace)
    predicted = namespace["predicted"]
    joined = [" | ".join(label) if several else label for label in predicted]
    assert joined == [row["predicted"] for row in rows]
    np.testing.assert_allclose(
        namespace["probability"].max(axis=1)[0], max(map(float, rows[0]["probability"].split(" | "))), rtol=1e-4
    )
