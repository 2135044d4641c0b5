"""`TextEncoder`: vectors of the encoder that the user names, which no file can run."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tests.text.synthetic_encoder import encode
from textmix.core.errors import ConfigError
from textmix.text import encoder
from textmix.text.encoder import EncoderNotNamedError, TextEncoder, allow

PLACE = "tests.text.synthetic_encoder"
TEXTS = ["a goal", "", "paint on a stage"]


@pytest.fixture(autouse=True)
def nothing_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin each test with no encoder that was named."""
    monkeypatch.setattr(encoder, "_ALLOWED", set())


@pytest.mark.parametrize("name", ["model", "encode", "model.encode"])
def test_an_object_with_encode_and_a_function_give_the_vectors_of_their_texts(name: str) -> None:
    allow(f"{PLACE}:{name}")
    made = TextEncoder(encoder=f"{PLACE}:{name}")
    np.testing.assert_allclose(made.fit_transform(TEXTS).toarray(), encode(TEXTS))
    np.testing.assert_allclose(made.transform(TEXTS[2:]).toarray(), encode(TEXTS[2:]))


def test_an_encoder_that_nobody_named_is_not_even_imported() -> None:
    code = (
        "import sys; from textmix.text.encoder import TextEncoder\n"
        "try: TextEncoder(encoder='this:s').fit_transform(['a'])\n"
        "except Exception as error: print(type(error).__name__, 'this' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["EncoderNotNamedError", "False"]
    with pytest.raises(EncoderNotNamedError, match=f"give --encoder {PLACE}:model"):
        TextEncoder(encoder=f"{PLACE}:model").fit(TEXTS)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model", "is no name of an encoder; give module:name"),
        ("no_such_module:model", "cannot be imported"),
        (f"{PLACE}:nothing", "cannot be imported"),
        (f"{PLACE}:number", "has neither encode nor transform"),
    ],
)
def test_a_wrong_name_is_one_sentence(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        allow(name)


@pytest.mark.parametrize("name", ["short", "endless"])
def test_vectors_that_are_none_are_one_sentence(name: str) -> None:
    allow(f"{PLACE}:{name}")
    with pytest.raises(ConfigError, match="it has to give a finite vector for each text"):
        TextEncoder(encoder=f"{PLACE}:{name}").fit(TEXTS)
