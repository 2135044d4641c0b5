"""The registry of methods."""

from __future__ import annotations

from pathlib import Path

import pytest

from textmix.core.errors import ConfigError
from textmix.experiment.methods import load_methods

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"tasks": "x"}, r"methods\.yaml: m: unknown key 'tasks'; did you mean 'task'\?"),
        ({"task": "both"}, r"methods\.yaml: m\.task: 'both' is not allowed; allowed: single, multi"),
        ({"input": "words"}, r"methods\.yaml: m\.input: 'words' is not allowed; allowed: counts, reals, sequences"),
    ],
)
def test_wrong_entry_of_the_method_registry_is_refused(tmp_path, entry, message):
    whole = {"estimator": "a:b", "family": "f", "task": "single", "input": "counts", "paper": "edcm", **entry}
    (tmp_path / "methods.yaml").write_text(repr({"m": whole}), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load_methods(tmp_path / "methods.yaml", ROOT / "workflow/schemas/methods.schema.yaml")
