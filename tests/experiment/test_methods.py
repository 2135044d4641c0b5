"""The registry of methods."""

from __future__ import annotations

import pytest

from reproduction.plan.matrix import load_matrix
from tests.contest.example import METHODS, REGISTRY, ROOT
from textmix.core.errors import ConfigError
from textmix.experiment.methods import Method, load_methods


def test_new_method_joins_by_its_entry_alone():
    new = Method(
        "new",
        "textmix.models.dirichlet.edcm:EDCMClassifier",
        "f",
        "single",
        "counts",
        "edcm",
        grid={"smoothing": [0.1]},
    )
    matrix = load_matrix(ROOT, ["bbc_wheel"], REGISTRY, {**METHODS, "new": new})
    (experiment,) = matrix.spec["experiments"].values()
    assert experiment["methods"]["new"]["tune"]["grid"] == {"smoothing": [0.1]}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"tasks": "x"}, r"methods\.yaml: m: unknown key 'tasks'; did you mean 'task'\?"),
        ({"task": "both"}, r"methods\.yaml: m\.task: 'both' is not allowed; allowed: single, multi"),
        ({"takes": "words"}, r"methods\.yaml: m\.takes: 'words' is not allowed; allowed: counts, reals, sequences"),
    ],
)
def test_wrong_entry_of_the_method_registry_is_refused(tmp_path, entry, message):
    whole = {"estimator": "a:b", "family": "f", "task": "single", "takes": "counts", "paper": "edcm", **entry}
    (tmp_path / "methods.yaml").write_text(repr({"m": whole}), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load_methods(tmp_path / "methods.yaml", ROOT / "workflow/schemas/methods.schema.yaml")
