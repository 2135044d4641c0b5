"""An encoder of the user's in a race: its vectors join, and a model that needs it says so."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.race.judge import Results, verdict
from tests.race.test_arms import race, runner
from tests.race.test_comparison import documents
from tests.race.test_finish import ending
from textmix.core.io import write_json
from textmix.experiment.methods import load_methods
from textmix.experiment.splits import make_splits
from textmix.race.comparison import corpus_of
from textmix.race.remarks import said_of_encoder
from textmix.race.run import SPLIT
from textmix.race.runners import Job
from textmix.race.views import ENCODED, ENCODER, VIEWS, choices_of, entry_of
from textmix.race.worker import Worker
from textmix.serve.averaged import load_model
from textmix.serve.library import load
from textmix.text import encoder
from textmix.text.encoder import EncoderNotNamedError

NAME = "tests.race.synthetic_encoder:model"


def test_linear_methods_take_the_vectors_where_an_encoder_is_named_and_nothing_changes_otherwise() -> None:
    for name, method in load_methods().items():
        plain, encoded = entry_of(method), entry_of(method, NAME)
        assert ENCODER not in plain["views"]
        assert (ENCODER in encoded["views"]) == (name in ENCODED)
        assert set(plain["views"]) <= {*VIEWS}
    choices = choices_of(entry_of(load_methods()["linear_svm"], NAME), ["tfidf"])
    assert [each["weighting"] for each in choices if each["view"] == ENCODER] == ["reals", "scaled"]
    assert {each["weighting"] for each in choices if each["view"] != ENCODER} == {"tfidf"}


def test_a_model_on_vectors_is_chosen_kept_and_runs_only_where_its_encoder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "_ALLOWED", set())
    corpus, _ = corpus_of(*documents(False))
    corpus.save(tmp_path / "parsed", {})
    make_splits(corpus, SPLIT, 0, "race", None).save(tmp_path / "splits", {})
    (tmp_path / "views").mkdir()
    settings: dict[str, Any] = {"name": corpus.name, "task": "single", "metric": "accuracy", "seed": 0}
    settings |= {"never_empty": False, "encoder": NAME, "model": "", "source": "t", "title": "t", "about": {}}
    write_json(tmp_path / "race.json", settings)
    worker = Worker(tmp_path)
    assert worker.count({"view": ENCODER, "methods": ["linear_svm"]})["width"] > 0
    choice = {"view": ENCODER, "weighting": "scaled"}
    value = worker.fit({"method": "linear_svm", "choice": choice, "point": {"C": 1.0}, "part": 1})["value"]
    assert value > 0.5
    order = {"do": "finish", "method": "linear_svm", "choice": choice, "point": {"C": 1.0}, "name": "view=encoder"}
    order |= {"validation": value, "seconds": 1.0, "cpu_seconds": 1.0}
    worker.finish(order)
    worker.choose({"finished": [order], "shares": (1.0,), "where": "on one fold"})
    worker.keep({"finished": [order]})
    folder = worker.folder / "model"
    labels, _ = load_model(folder).label(corpus.text)  # type: ignore[arg-type]
    assert np.mean(labels == worker.truth) > 0.8
    encoder._ALLOWED.clear()
    with pytest.raises(EncoderNotNamedError, match=f"the model needs {NAME}; if you trust it, give --encoder {NAME}"):
        load(folder)
    assert load(folder, encoder=NAME).predict(documents(False)[0][:2]).shape == (2,)


@pytest.mark.parametrize(("vectors", "words"), [(0.9, 0.8), (0.7, 0.8)])
def test_the_page_says_whether_the_encoder_is_ahead_in_validation(vectors: float, words: float) -> None:
    made = race([runner("good", views=(ENCODER,)), runner("fair", views=("words",))])
    for name, value in (("good", vectors), ("fair", words)):
        arm = made.runners[name].rounds()[0]
        for part in (1, 2, 3):
            made.done(Job(arm, part, 9.0), value, 1.0)
    options = SimpleNamespace(seconds=100.0, workers=2, task="single", metric="accuracy", encoder="a:b")
    (said,) = said_of_encoder(ending(made, options=options).run, made)
    assert ("is ahead" in said) == (vectors > words)
    results = Results({"metric": "accuracy"}, *({"good": vectors, "fair": words}, {}, np.array([True]), [], [], [], {}))
    assert verdict(said, results) is True
    wrong = said.replace("is not ahead", "is ahead") if vectors < words else said.replace("is ahead", "is not ahead")
    assert verdict(wrong, results) is False
