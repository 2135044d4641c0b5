"""Whatever stands in a model's folder, it labels texts or is refused by our own error; it never ends the process."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzzing import bounded_memory, searched, ways
from tests.serve.test_persisted_model import fitted, forge
from textmix.core import io
from textmix.core.errors import TextmixError
from textmix.data.corpus import Ragged
from textmix.serve.model import PersistedModel

__all__ = ["bounded_memory"]

#: One method of each kind of fitted state: tables, components, trees, postings and chains.
KINDS = ("edcm", "pmm1", "cbm", "knn", "boosted_relevance", "classifier_chain")
TEXTS = Ragged.from_texts([b"", "wört20 wört21 wört01".encode(), b"the many x"])
ODD = [None, True, -1, 0, 1, 10**9, 10**400, float("nan"), 1e308, "", "x", "nan", [], {}, [0], [[1]], {"a": 1}]
NUMBERS = [0, 1, -1, 7, 10**6, -(2**31), 2**31 - 1, 2**62, float("nan"), float("inf"), -float("inf"), 1e308]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    for name in KINDS:
        fitted(name)[0].save(folder / name, {})
    return {name: folder / name for name in KINDS}


def label_or_refuse(folder: Path) -> None:
    """Load a model and label texts; only our own errors may come out."""
    try:
        with np.errstate(all="ignore"):
            PersistedModel.load(folder).label(TEXTS)
    except TextmixError as error:
        assert str(error)


def change_head(data: st.DataObject) -> Callable[[Path], None]:
    """Return a change of one value of model.json."""

    def change(folder: Path) -> None:
        tree = io.read_json(folder / "model.json")
        *above, last = data.draw(st.sampled_from(list(ways(tree))))
        parent = tree
        for key in above:
            parent = parent[key]
        if data.draw(st.booleans()):
            parent[last] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
        else:
            del parent[last]
        (folder / "model.json").write_text(json.dumps(tree), encoding="utf-8")  # NaN too, which `write_json` refuses

    return change


def change_array(data: st.DataObject) -> Callable[[Path], None]:
    """Return a change of one array: of a value, the shape, the type, or the bytes of its file."""

    def change(folder: Path) -> None:
        path = data.draw(st.sampled_from(sorted(folder.rglob("*.npy"))))
        values = np.load(path)
        how = data.draw(st.sampled_from(["value", "cut", "turn", "type", "bytes"]))
        if how == "bytes":
            content = bytearray(path.read_bytes())
            content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
            path.write_bytes(bytes(content))
            return
        if how == "value" and values.size:
            with np.errstate(all="ignore"):
                place = data.draw(st.integers(0, values.size - 1))
                values.flat[place] = np.array(data.draw(st.sampled_from(NUMBERS))).astype(values.dtype)
        elif how == "cut":
            values = values[: data.draw(st.integers(0, len(values)))] if values.ndim else values
        elif how == "turn":
            values = values.T.reshape(-1, 1) if data.draw(st.booleans()) else values.T
        elif how == "type":
            with np.errstate(all="ignore"):
                values = values.astype(data.draw(st.sampled_from(["f4", "i1", "i4", "i8", "u2", "c8", "?"])))
        np.save(path, np.ascontiguousarray(values))

    return change


@pytest.mark.parametrize("name", KINDS)
@searched(15)
@given(data=st.data())
def test_a_forged_model_labels_or_is_refused(
    models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    change = data.draw(st.sampled_from([change_head, change_array, change_array]))(data)
    label_or_refuse(forge(models[name], tmp_path_factory.mktemp("forged") / "model", change))
