"""A forged model calls nothing, waits for nothing and computes with nothing that no fit leaves."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import textmix
from tests.attacks.forms import apart
from tests.serve.test_persisted_model import fitted, forge
from textmix import __main__ as command
from textmix.core import io
from textmix.core.errors import ConfigError, DataFormatError
from textmix.serve.model import PersistedModel
from textmix.serve.terminal import VisibleStream, visible

#: Seconds by the clock after which a model that is still being loaded waits for something.
PATIENCE = 10


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name in ("edcm", "classifier_chain"):
        fitted(name)[0].save(folder / name, {})
    return folder


def headed(change: Callable[[dict], None]) -> Callable[[Path], None]:
    """Return a change of model.json."""

    def make(folder: Path) -> None:
        head = io.read_json(folder / "model.json")
        change(head)
        (folder / "model.json").write_text(json.dumps(head))

    return make


@pytest.mark.parametrize("name", ["load", "save", "datasets", "__version__", "HiddenMarkovModel"])
def test_a_name_that_is_no_class_of_a_model_is_not_called(
    models: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def called(*_: object, **__: object) -> None:
        raise AssertionError("a forged model was obeyed")

    for public in ("load", "save"):
        monkeypatch.setattr(textmix, public, called, raising=False)

    def change(head: dict) -> None:
        head["steps"][0] |= {"class": name, "parameters": {"folder": str(models / "edcm")} if name == "load" else {}}

    folder = forge(models / "edcm", tmp_path / "model", headed(change))
    with pytest.raises(DataFormatError, match=f"{name} (is no class|declares no)"):
        PersistedModel.load(folder)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_weights_that_are_not_finite_are_refused(models: Path, tmp_path: Path, value: float) -> None:
    def change(folder: Path) -> None:
        path = folder / "step1/_weights.npy"
        weights = np.load(path)
        weights.flat[1] = value
        np.save(path, weights)

    with pytest.raises(DataFormatError, match="_weights holds NaN or infinity"):
        PersistedModel.load(forge(models / "classifier_chain", tmp_path / "model", change))


def loaded(folder: Path) -> str:
    """Return how loading a model ends, in a fork that has `PATIENCE` seconds: a reader of a pipe waits for ever."""
    return apart(lambda: type(PersistedModel.load(folder)).__name__, PATIENCE)


def piped(model: Path, folder: Path, file: Path) -> Path:
    """Return a forged model in which a pipe stands for a file."""
    made = forge(model, folder, lambda folder: file.name == io.META or (folder / file).unlink())
    (made / file).unlink(missing_ok=True)
    os.mkfifo(made / file)
    return made


def test_a_pipe_in_place_of_any_file_is_refused_at_once(models: Path, tmp_path: Path) -> None:
    files = [path.relative_to(models / "edcm") for path in (models / "edcm").rglob("*") if path.is_file()]
    assert {"labels.json", "model.json", "card.json"} < {path.name for path in files}
    assert sum(path.suffix == ".npy" for path in files) > 1
    assert type(PersistedModel.load(models / "edcm")) is PersistedModel  # the forks share what it loads
    for number, file in enumerate(files):
        message = loaded(piped(models / "edcm", tmp_path / str(number), file))
        # A model needs no card, so that a pipe in its place is none.
        assert (file.name in message and "Error" in message) or (file.name, message) == ("card.json", "PersistedModel")


def test_half_of_a_pair_of_surrogates_in_a_label_is_refused(models: Path, tmp_path: Path) -> None:
    def change(folder: Path) -> None:
        names = io.read_json(folder / "labels.json")
        (folder / "labels.json").write_text(json.dumps(["\ud800", *names[1:]]))

    with pytest.raises(DataFormatError, match="surrogates not allowed"):
        PersistedModel.load(forge(models / "edcm", tmp_path / "model", change))
    made = textmix.DCMClassifier().fit([[1, 0], [0, 1]], ["\ud800", "b"])
    with pytest.raises(ConfigError, match=r"a label or word with .*ud800.* cannot be written as UTF-8"):
        textmix.save(made, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_control_characters_of_a_label_do_not_reach_the_terminal(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(folder: Path) -> None:
        names = io.read_json(folder / "labels.json")
        (folder / "labels.json").write_text(json.dumps(["\x1b[2Jgone", "\x9b1m", *names[2:]]))

    folder = forge(models / "edcm", tmp_path / "model", change)
    assert command.main(["info", str(folder)]) == 0
    message = capsys.readouterr().out
    assert "\\x1b[2Jgone, \\x9b1m" in message
    assert "\x1b" not in message and "\x9b" not in message


def test_rows_on_a_terminal_show_control_characters_as_codes(tmp_path: Path) -> None:
    with open(tmp_path / "rows", "wb") as raw:
        stream = VisibleStream(raw, encoding="utf-8", newline="")
        stream.write("id,label\r\n")
        stream.writelines(["1,\x1b[31mred\n", "2,ü\tx\u202e\n"])
        stream.flush()
        stream.detach()
    assert (tmp_path / "rows").read_bytes().decode() == "id,label\\r\n1,\\x1b[31mred\n2,ü\tx\\u202e\n"
    assert visible("a\nb") == "a\\nb"
