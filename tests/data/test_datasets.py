"""`textmix.datasets`: registered data as arrays, by the workflow's own fetching, checks and readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import textmix
from textmix import datasets
from textmix.core.digests import sha256_file
from textmix.core.errors import ConfigError, MissingResult


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Put a registry of one data set of text and one matrix in place, with files in a mirror."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    files = {"mail": "body,topic\nbuy now,spam\nsee you,ham\nbuy you,spam\n", "genes": "0 1:2 3:1\n0,1 2:1\n1 1:1\n"}
    entries: dict[str, Any] = {}
    for name, content in files.items():
        path = mirror / f"{name}.data"
        path.write_text(content)
        source = {"path": path.name, "sha256": sha256_file(path), "bytes": path.stat().st_size}
        entries[name] = {
            **{"title": name, "citation": "Example, 2026", "terms": "none stated", "files": {"data": path.name}},
            **{"sources": [{"mirror": {"data": source}}], "expect": {"documents": 3, "labels": 2}},
        }
    entries["mail"]["reader"] = {"name": "csv_file", "options": {"text": "body", "label": "topic"}}
    entries["genes"]["reader"] = {"name": "libsvm_multilabel", "options": {"n_labels": 2, "n_features": 3}}
    registry_path = tmp_path / "datasets.yaml"
    registry_path.write_text(yaml.safe_dump(entries, sort_keys=False))
    monkeypatch.setattr("textmix.core.config.registry_file", lambda name: registry_path)
    monkeypatch.setenv("TEXTMIX_MIRROR", str(mirror))
    monkeypatch.setenv("TEXTMIX_CACHE", str(tmp_path / "cache"))
    return entries


def test_text_with_one_label_a_document(registry: dict[str, Any], tmp_path: Path) -> None:
    assert datasets.names() == ["mail", "genes"]
    mail = datasets.load("mail")
    assert mail.data == ["buy now", "see you", "buy you"] and mail.labels == ["spam", "ham", "spam"]
    assert [mail.target_names[label] for label in mail.target] == mail.labels
    assert (mail.split, mail.feature_names) == (None, None) and "Example, 2026" in mail.DESCR
    assert (tmp_path / "cache/textmix-data/mail/fetch.json").is_file()
    model = textmix.MultinomialClassifier().fit(textmix.WordVectorizer().fit_transform(mail.data), mail.labels)
    assert model.classes_.tolist() == ["ham", "spam"]


def test_a_name_that_is_not_registered_is_answered_with_the_nearest(registry: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="did you mean 'mail'"):
        datasets.load("mial")


def test_data_that_cannot_be_had_name_the_folder(registry: dict[str, Any], monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.delenv("TEXTMIX_MIRROR")
    with pytest.raises(MissingResult, match=r"place the file mail.data .*own/mail/ by hand"):
        datasets.load("mail", tmp_path / "own")


def test_a_matrix_with_label_sets(registry: dict[str, Any]) -> None:
    genes = datasets.load("genes")
    assert genes.data.shape[0] == 3 and genes.target.tolist() == [[1, 0], [1, 1], [0, 1]]
    names = genes.target_names
    assert genes.labels == [(names[0],), (names[0], names[1]), (names[1],)]
    np.testing.assert_array_equal(textmix.PMM1().fit(genes.data, genes.labels).classes_, sorted(names))
