"""Persisted models: a loaded model is the saved one; one that was changed or forged is refused and calls nothing."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import textmix
from tests.attacks.forms import apart
from tests.early_stops import MESSAGE
from textmix import __main__ as command
from textmix.core import digests, io
from textmix.core.errors import ConfigError, DataFormatError, IntegrityError, MissingResult
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.methods import load_methods
from textmix.models.linear.two_class import TwoClassLinear
from textmix.serve.allowed_classes import is_allowed
from textmix.serve.model import PersistedModel
from textmix.serve.terminal import EscapingStream, escape_control_characters
from textmix.text.features import build_features
from textmix.text.sequences import SequenceVectorizer, TokenSequences
from textmix.text.word_vectorizer import WordVectorizer

METHODS = load_methods()
PERSISTABLE = sorted(name for name, method in METHODS.items() if is_allowed(type(method.make({}))))
SPEC = {"tokenizer": "unicode", "stop_list": "smart", "min_count": 2}
LABELS = ["cats, dogs", 'so-called "news"', "sport/tennis", "öffentlich", "unused"]


def corpus(several: bool, n: int = 60, classes: int = 4) -> Corpus:
    """Return texts of label-specific and common words."""
    rng = np.random.default_rng(5)
    rows = [sorted(rng.choice(classes, size=1 + several * (d % 2), replace=False).tolist()) for d in range(n)]
    words = [[f"wört{label}{i}" for i in range(6)] for label in range(4)]
    texts = [" ".join(rng.choice([*(w for k in row for w in words[k]), "the", "many"], size=12)) for row in rows]
    labels = label_matrix(rows, len(LABELS))
    return Corpus("made", [str(d) for d in range(n)], LABELS, labels, text=Ragged.from_texts(t.encode() for t in texts))


def fitted(name: str) -> tuple[PersistedModel, Corpus, Corpus]:
    """Return a fitted model, its texts and their counts."""
    method = METHODS[name]
    text = corpus(method.task == "multi", classes=2 if isinstance(method.make({}), TwoClassLinear) else 4)
    ordered = method.input == "sequences"
    spec = {**SPEC, "keep_tokens": ordered}
    counts = build_features(text, spec)
    y = counts.classes() if method.task == "single" else counts.indicators()
    with warnings.catch_warnings():
        # The EM algorithm of some methods converges within the default number of iterations from some random starts.
        warnings.filterwarnings("ignore", MESSAGE, ConvergenceWarning)
        estimator = method.make({}).fit(TokenSequences.of_corpus(counts) if ordered else counts.features, y)
    words = (SequenceVectorizer if ordered else WordVectorizer)(**SPEC).fit([text.text.text(d) for d in range(60)])  # type: ignore[union-attr]
    return PersistedModel([("words", words), ("model", estimator)], method.task, LABELS, "made"), text, counts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "edcm"
    fitted("edcm")[0].save(path, {"rule": "model"})
    return path


def forge(source: Path, target: Path, change: Callable[[Path], None]) -> Path:
    """Copy a model, change it and seal it again, as an enemy would who knows the format."""
    shutil.copytree(source, target)
    change(target)
    (target / io.META).unlink()
    paths = [path for path in target.rglob("*") if path.is_file()]
    files = {path.relative_to(target).as_posix(): digests.sha256_file(path) for path in paths}
    io.write_json(target / io.META, {"files": files})
    return target


def head(**changes: Any) -> Callable[[Path], None]:
    """Return a change of model.json."""

    def change(folder: Path) -> None:
        io.write_json(folder / "model.json", {**io.read_json(folder / "model.json"), **changes})

    return change


def step(number: int = 1, **changes: Any) -> Callable[[Path], None]:
    """Return a change of one step in model.json."""

    def change(folder: Path) -> None:
        steps = io.read_json(folder / "model.json")["steps"]
        steps[number].update(changes)
        head(steps=steps)(folder)

    return change


def kind(name: str) -> Callable[[Path], None]:
    """Return a change of the estimator's class."""
    return step(**{"class": name})


def array(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    """Return a change of an array."""

    def changed(folder: Path) -> None:
        io.save_arrays(folder / "step1", **{name: change(np.load(folder / f"step1/{name}.npy"))})

    return changed


@pytest.mark.parametrize("name", PERSISTABLE)
def test_a_loaded_model_is_whole_and_labels_as_before(name: str, tmp_path: Path) -> None:
    model, text, counts = fitted(name)
    model.save(tmp_path / "model", {})
    back = PersistedModel.load(tmp_path / "model")
    # The sums that partial_fit of the parametric mixtures adds to are not persisted.
    assert vars(back.estimator).keys() == vars(model.estimator).keys() - {"_sums"}
    assert back.estimator.get_params() == model.estimator.get_params()
    labels, probability = back.label(text.text)  # type: ignore[arg-type]
    X = counts.features if counts.tokens is None else TokenSequences.of_corpus(counts)
    np.testing.assert_array_equal(labels, model.estimator.predict(X))
    if hasattr(model.estimator, "predict_proba"):
        expected = model.estimator.predict_proba(X)
        np.testing.assert_array_equal(probability[:, model.estimator.classes_], expected)  # type: ignore[index]
    assert [back.label_names, list(back.steps[0][1].vocabulary_), back.dataset] == [
        *(LABELS, counts.feature_names, "made"),
    ]


def test_every_method_of_the_registry_is_allowed() -> None:
    assert sorted(METHODS) == PERSISTABLE


def test_new_words_and_empty_texts_are_labelled(folder: Path) -> None:
    model = PersistedModel.load(folder)
    text = Ragged.from_texts([b"", "nie gehört".encode(), "WÖRT20 wört20".encode(), b"the the", b""])
    labels, probability = model.label(text)
    prior = np.exp(model.estimator.class_log_prior_)
    known = model.estimator.classes_
    np.testing.assert_allclose(probability[[0, 1, 3, 4]][:, known], np.tile(prior, (4, 1)))  # type: ignore[index]
    assert labels[2] == 2 and np.isnan(probability[:, 4]).all()  # type: ignore[index]


def test_counts_of_new_texts_are_those_of_the_pipeline() -> None:
    model, text, counts = fitted("multinomial")
    again = model.counts(text.text)  # type: ignore[arg-type]
    assert again.dtype == counts.features.dtype and (again != counts.features).nnz == 0  # type: ignore[union-attr]


def test_infinite_parameters_come_back(tmp_path: Path) -> None:
    model, _, counts = fitted("dirichlet_smoothed")
    model.estimator.set_params(mu=np.inf, delta=np.float64(2.0)).fit(counts.features, counts.classes())
    model.save(tmp_path / "model", {})
    assert PersistedModel.load(tmp_path / "model").estimator.get_params() == model.estimator.get_params()


def _object_array(folder: Path) -> None:
    np.save(folder / "step1/concentration_.npy", np.array([{"a": 1}] * 4, dtype=object), allow_pickle=True)


def _false_header(folder: Path) -> None:
    path = folder / "step1/_lengths.npy"
    data = path.read_bytes()
    shape = data[data.index(b"'shape': (") + 10 :].split(b",")[0]
    old, new = b"(" + shape + b",), }" + b" " * 12, b"(" + shape + b"0" * 12 + b",), }"
    assert old in data
    path.write_bytes(data.replace(old, new))


HOSTILE: dict[str, Callable[[Path], None]] = {
    "format": head(format=99),
    "no estimator": kind("os.system"),
    "estimator without forms": kind("MultinomialMixture"),
    "estimator for several labels": kind("BinaryRelevance"),
    "task of another kind": head(task="multi"),
    "estimator of another shape": kind("MultinomialClassifier"),
    "parameter unknown": step(parameters={"evil": 1}),
    "parameter of another type": step(parameters={"smoothing": "1"}),
    "parameter negative": step(parameters={"smoothing": -1.0}),
    "values missing": step(values={}),
    "values of another type": step(values={"n_features_in_": True, "converged_": True}),
    "features matrix": step(0, parameters={"tokenizer": "matrix"}),
    "features unknown": step(0, parameters={"tokenizer": "unicode", "run": "x"}),
    "head a list": lambda folder: io.write_json(folder / "model.json", []),
    "head deep": lambda folder: io.write_text(folder / "model.json", "[" * 200_000),
    "head not text": lambda folder: io.write_bytes(folder / "model.json", b"\xff\xfe\x00"),
    "labels doubled": lambda folder: io.write_json(folder / "labels.json", ["a"] * 5),
    "labels numbers": lambda folder: io.write_json(folder / "labels.json", [[1], [2], [3], [4], [5]]),
    "labels few": lambda folder: io.write_json(folder / "labels.json", ["a"]),
    "words few": lambda folder: io.write_json(folder / "step0/vocabulary_.json", ["a"]),
    "table cut": array("_log_beta", lambda a: a[:-1]),
    "table of NaN": array("_log_beta", lambda a: a * np.nan),
    "value too large": step(values={"n_features_in_": 10**400}),
    "table of another type": array("_log_beta", lambda a: a.astype(np.float32)),
    "classes out of range": array("classes_", lambda a: a + 100),
    "classes negative": array("classes_", lambda a: a - 100),
    "classes none": array("classes_", lambda a: a[:0]),
    "object array": _object_array,
    "false header": _false_header,
    "array missing": lambda folder: (folder / "step1/_scale.npy").unlink(),
    "array of nothing": lambda folder: io.write_bytes(folder / "step1/_scale.npy", b""),
    "array with a header of nothing": lambda folder: io.write_bytes(
        folder / "step1/_scale.npy", b"\x93NUMPY\x01\x00\xff\xff{"
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_folder_with_right_digests_is_refused(folder: Path, tmp_path: Path, what: str) -> None:
    with pytest.raises(DataFormatError, match=r"model\.json: is not a model"):
        PersistedModel.load(forge(folder, tmp_path / "model", HOSTILE[what]))


def test_a_seal_that_is_no_record_is_refused(folder: Path, tmp_path: Path) -> None:
    for number, record in enumerate(({"files": [["a", "b"]]}, {"files": {}}, {"missing": 1}, [])):
        path = shutil.copytree(folder, tmp_path / str(number))
        (path / "meta.json").write_text(json.dumps(record))
        with pytest.raises(IntegrityError):
            PersistedModel.load(path)


def test_no_folder_a_file_and_a_missing_result(folder: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", folder / "model.json"):
        with pytest.raises(ConfigError, match="no model found"):
            PersistedModel.load(path)
    io.write_missing(tmp_path / "missing", MissingResult("no data"), {})
    with pytest.raises(MissingResult, match="no data"):
        PersistedModel.load(tmp_path / "missing")


def value(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """Return a change of a single value of the estimator."""

    def changed(folder: Path) -> None:
        values = io.read_json(folder / "model.json")["steps"][1]["values"]
        step(values={**values, name: change(values[name])})(folder)

    return changed


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("majority", value("_strategy", lambda _: "none")),
        ("majority", value("n_outputs_", lambda _: 2)),
        ("classifier_chain", array("order_", lambda order: order * 0)),
        ("chain_ensemble", array("order_", lambda order: order - 9)),
        ("dependency_network", value("seed_", lambda _: -1)),
        ("absolute_discounting", array("weights_.seen_by", lambda seen: seen + 9)),
        ("absolute_discounting", array("weights_.seen_by", lambda seen: seen - 9)),
        (
            "absolute_discounting",
            array("weights_.start", lambda start: np.where(np.arange(len(start)) == 1, 10**6, start)),
        ),
        ("absolute_discounting", array("weights_.group", lambda group: group + 99)),
        ("absolute_discounting", array("weights_.group", lambda group: group - 9)),
        ("knn", array("_postings.rows", lambda rows: rows + 99)),
        ("knn", array("_codes", lambda codes: codes + 9)),
        ("knn", array("_right", lambda right: np.ones((len(right), 2)))),
        ("label_neighbors", array("_pages.indices", lambda words: words + 99)),
        ("label_neighbors", value("n_neighbors_", lambda _: 0)),
        ("cbm", value("n_components_", lambda number: number + 1)),
        ("cbm", array("gate_.coef", lambda coef: coef[:, 1:])),
        ("boosted_relevance", array("_experts.grown.forest.feature", lambda feature: feature + 999)),
        ("boosted_relevance", array("_experts.grown.forest.root", lambda root: root + 9999)),
        ("boosted_relevance", array("_experts.grown.place", lambda place: place + 99)),
        ("boosted_power_set", array("_gate.trees.forest.child", lambda child: np.maximum(child, 0))),
        ("hmm", array("transmat_", np.zeros_like)),
        ("hmm_shared", array("emissionprob_", lambda shares: np.concatenate([shares, shares]))),
        ("boosted_power_set", value("_gate.trees.outputs", lambda number: number + 1)),
    ],
)
def test_indices_out_of_range_are_refused(name: str, change: Callable[[Path], None], tmp_path: Path) -> None:
    fitted(name)[0].save(tmp_path / "model", {})
    with pytest.raises(DataFormatError, match="is not a model that this version can read"):
        PersistedModel.load(forge(tmp_path / "model", tmp_path / "forged", change))


@pytest.mark.parametrize("changed", [{"n_neighbors": True}, {"calibrate": True}])
def test_parameters_that_do_not_go_with_the_state_or_the_kernels_are_refused(
    changed: dict[str, bool], tmp_path: Path
) -> None:
    fitted("knn")[0].save(tmp_path / "model", {})
    parameters = io.read_json(tmp_path / "model/model.json")["steps"][1]["parameters"]
    with pytest.raises(DataFormatError, match="is not a model that this version can read"):
        PersistedModel.load(forge(tmp_path / "model", tmp_path / "forged", step(parameters={**parameters, **changed})))


@pytest.mark.parametrize("damage", [(b"{", b"("), (b"}", b" ")])
def test_an_array_whose_header_is_no_literal_is_refused(
    folder: Path, tmp_path: Path, damage: tuple[bytes, bytes]
) -> None:
    def change(copied: Path) -> None:
        path = min(copied.rglob("*.npy"))
        path.write_bytes(path.read_bytes().replace(*damage, 1))

    with pytest.raises(DataFormatError, match="is not a model that this version can read"):
        PersistedModel.load(forge(folder, tmp_path / "model", change))


def test_a_persisted_mixture_takes_no_further_pages(tmp_path: Path) -> None:
    model, _, counts = fitted("pmm1")
    model.save(tmp_path / "model", {})
    back = PersistedModel.load(tmp_path / "model").estimator
    with pytest.raises(ValueError, match="begin a new model with partial_fit"):
        back.partial_fit(counts.features, np.ones((counts.features.shape[0], len(back.classes_))))


# --- what a forged model may not do -----------------------------------------------------------------------------------

#: Seconds by the clock after which a model that is still being loaded waits for something.
PATIENCE = 10


@pytest.mark.parametrize("name", ["load", "save", "datasets", "__version__", "HiddenMarkovModel"])
def test_a_name_that_is_no_class_of_a_model_is_not_called(
    folder: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def called(*_: object, **__: object) -> None:
        raise AssertionError("a forged model was obeyed")

    for public in ("load", "save"):
        monkeypatch.setattr(textmix, public, called, raising=False)
    change = step(0, **{"class": name, "parameters": {"folder": str(folder)} if name == "load" else {}})
    with pytest.raises(DataFormatError, match=f"{name} (is not a class|does not declare)"):
        PersistedModel.load(forge(folder, tmp_path / "model", change))


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_weights_that_are_not_finite_are_refused(tmp_path: Path, number: float) -> None:
    fitted("classifier_chain")[0].save(tmp_path / "model", {})
    change = array("_weights", lambda weights: np.where(weights == weights.flat[1], number, weights))
    with pytest.raises(DataFormatError, match="_weights contains nan or infinity"):
        PersistedModel.load(forge(tmp_path / "model", tmp_path / "forged", change))


def loaded(folder: Path) -> str:
    """Return how loading a model ends, in a fork that has `PATIENCE` seconds: a reader of a pipe waits for ever."""
    return apart(lambda: type(PersistedModel.load(folder)).__name__, PATIENCE)


def piped(model: Path, folder: Path, file: Path) -> Path:
    """Return a forged model in which a pipe stands for a file."""
    made = forge(model, folder, lambda folder: file.name == io.META or (folder / file).unlink())
    (made / file).unlink(missing_ok=True)
    os.mkfifo(made / file)
    return made


def test_a_pipe_in_place_of_any_file_is_refused_at_once(folder: Path, tmp_path: Path) -> None:
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    assert {"labels.json", "model.json", "card.json"} < {path.name for path in files}
    assert sum(path.suffix == ".npy" for path in files) > 1
    assert type(PersistedModel.load(folder)) is PersistedModel  # the forks share what it loads
    for number, file in enumerate(files):
        message = loaded(piped(folder, tmp_path / str(number), file))
        # A model needs no card, so that a pipe in its place is none.
        assert (file.name in message and "Error" in message) or (file.name, message) == ("card.json", "PersistedModel")


def renamed(*names: str) -> Callable[[Path], None]:
    """Return a change of the names of the first labels, also to what `io.write_json` refuses."""

    def change(folder: Path) -> None:
        labels = [*names, *io.read_json(folder / "labels.json")[len(names) :]]
        (folder / "labels.json").write_text(json.dumps(labels))

    return change


def test_half_of_a_pair_of_surrogates_in_a_label_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match="surrogates not allowed"):
        PersistedModel.load(forge(folder, tmp_path / "model", renamed("\ud800")))
    made = textmix.DCMClassifier().fit([[1, 0], [0, 1]], ["\ud800", "b"])
    with pytest.raises(ConfigError, match=r"a label or word with .*ud800.* cannot be encoded as UTF-8"):
        textmix.save(made, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_control_characters_of_a_label_do_not_reach_the_terminal(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forged = forge(folder, tmp_path / "model", renamed("\x1b[2Jgone", "\x9b1m"))
    assert command.main(["info", str(forged)]) == 0
    message = capsys.readouterr().out
    assert "\\x1b[2Jgone, \\x9b1m" in message
    assert "\x1b" not in message and "\x9b" not in message


def test_rows_on_a_terminal_show_control_characters_as_codes(tmp_path: Path) -> None:
    with open(tmp_path / "rows", "wb") as raw:
        stream = EscapingStream(raw, encoding="utf-8", newline="")
        stream.write("id,label\r\n")
        stream.writelines(["1,\x1b[31mred\n", "2,ü\tx\u202e\n"])
        stream.flush()
        stream.detach()
    assert (tmp_path / "rows").read_bytes().decode() == "id,label\\r\n1,\\x1b[31mred\n2,ü\tx\\u202e\n"
    assert escape_control_characters("a\nb") == "a\\nb"
