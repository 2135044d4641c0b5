"""Parts of class names become labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from textmix.core.errors import ConfigError
from textmix.data.readers import tab_file


def test_parts_of_class_names_become_labels(tmp_path: Path) -> None:
    data = b"c\tt\nd\tstring\nclass\t\nrec.sport.hockey\tpuck\nrec.autos\tcar\nmisc\tsale\n"
    path = tmp_path / "data.tab"
    path.write_bytes(data)
    corpus = tab_file.read({"data": path}, {"name": "made", "label_separator": "."})
    assert corpus.label_names == ["autos", "hockey", "misc", "rec", "sport"]
    assert corpus.indicators().tolist() == [[0, 1, 0, 1, 1], [1, 0, 0, 1, 0], [0, 0, 1, 0, 0]]
    path.write_bytes(data.replace(b"rec.autos", b"rec..autos"))
    with pytest.raises(ConfigError, match="empty part"):
        tab_file.read({"data": path}, {"name": "made", "label_separator": "."})
