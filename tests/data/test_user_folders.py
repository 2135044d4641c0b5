"""Folders of a user's texts, and files of numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import Corpus
from textmix.data.feature_rows import FeatureRows
from textmix.data.user_data import is_numeric, read_folder, read_numeric


def write(folder: Path, *names: str, content: str = "words of a text") -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content} {name}")
    return folder


def labels_of(corpus: Corpus) -> list[str]:
    return [corpus.label_names[label] for label in corpus.classes()]


def test_the_class_is_the_uppermost_folder(tmp_path: Path) -> None:
    write(tmp_path, "tea/2023/1.txt", "tea/2024/1.txt", "tea/7.txt", "salt/2023/more/1.txt")
    corpus = read_folder(tmp_path)
    assert corpus.ids == ["salt/2023/more/1", "tea/7", "tea/2023/1", "tea/2024/1"]
    assert labels_of(corpus) == ["salt", "tea", "tea", "tea"]


def test_files_of_the_system_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, "tea/1.txt", "salt/1.txt", "README", ".git/config", "__MACOSX/tea/1.txt")
    write(tmp_path, "tea/.DS_Store", "tea/Thumbs.db", "tea/~$1.docx", "tea/desktop.ini", "tea/.hidden/1.txt")
    corpus = read_folder(tmp_path)
    assert corpus.ids == ["salt/1", "tea/1"]
    assert corpus.info["remarks"] == ["1 files next to the class folders were skipped."]


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (("train", "test"), [0, 0, 1, 1]),
        (("training", "valid", "test"), [0, 0, 0, 0, 1, 1]),
        (("train", "val"), [0, 0, 1, 1]),
        (("news-train", "news-test"), [0, 0, 1, 1]),
    ],
)
def test_folders_of_training_validation_and_test_are_the_split(
    names: tuple[str, ...], parts: list[int], tmp_path: Path
) -> None:
    for name in names:
        write(tmp_path / "corpus", f"{name}/tea/1.txt", f"{name}/salt/1.txt")
    corpus = read_folder(tmp_path)  # a folder around it does not matter
    assert corpus.split is not None and corpus.split.tolist() == parts
    assert corpus.label_names == ["salt", "tea"]


def test_a_folder_without_class_folders_is_rejected(tmp_path: Path) -> None:
    write(tmp_path, "1.txt", "2.txt")
    with pytest.raises(ConfigError, match="class folders"):
        read_folder(tmp_path)


def test_the_encoding_of_a_folder_has_to_be_given_if_it_cannot_be_detected(tmp_path: Path) -> None:
    for name in ("tea", "salt"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_bytes("\u0447\u0430\u0439 \u0441\u043e\u043b\u044c".encode("cp1251"))
    with pytest.raises(DataFormatError, match=r"the file 'salt/1.txt' is neither.*--encoding.*cp1251|'tea/1.txt'"):
        read_folder(tmp_path)
    corpus = read_folder(tmp_path, encoding="cp1251")
    assert corpus.text is not None and corpus.text.text(0) == "\u0447\u0430\u0439 \u0441\u043e\u043b\u044c"


# --- numbers -------------------------------------------------------------------------------------------------------

ARFF = "@relation r\n@attribute a numeric\n@attribute b numeric\n{labels}@data\n1,0,{cells}\n0,2,{other}\n"


def test_arff_of_mulan_has_the_labels_of_its_xml(tmp_path: Path) -> None:
    labels = "@attribute p {0,1}\n@attribute q {0,1}\n"
    (tmp_path / "a.arff").write_text(ARFF.format(labels=labels, cells="1,0", other="1,1"))
    (tmp_path / "a.xml").write_text(
        '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="p"/><label name="q"/></labels>'
    )
    corpus, task = read_numeric(tmp_path / "a.arff")
    assert is_numeric(tmp_path / "a.arff") and isinstance(corpus.text, FeatureRows)
    assert task == "multi"
    assert np.array_equal(corpus.text.matrix().toarray(), [[1, 0], [0, 2]])
    assert (corpus.label_names, corpus.indicators().tolist()) == (["p", "q"], [[1, 0], [1, 1]])


def test_arff_without_xml_has_its_last_nominal_attribute_as_class(tmp_path: Path) -> None:
    (tmp_path / "a.arff").write_text(ARFF.format(labels="@attribute c {x,y}\n", cells="x", other="y"))
    corpus, task = read_numeric(tmp_path / "a.arff")
    assert labels_of(corpus) == ["x", "y"]
    assert task == "single"
    (tmp_path / "b.arff").write_text(ARFF.format(labels="@attribute c numeric\n", cells="1", other="2"))
    with pytest.raises(DataFormatError, match=r"last attribute 'c' is not nominal.*--label"):
        read_numeric(tmp_path / "b.arff")


def test_libsvm_is_known_by_its_extension(tmp_path: Path) -> None:
    (tmp_path / "a.libsvm").write_text("1,2 1:0.5\n2 3:1\n")
    corpus, task = read_numeric(tmp_path / "a.libsvm")
    assert task == "multi"
    assert isinstance(corpus.text, FeatureRows)
    assert corpus.text.matrix().shape == (2, 3)
    assert corpus.indicators().tolist() == [[1, 1], [0, 1]]
