"""`TextEncoder`: embed texts with a user-supplied encoder, such as a pretrained network.

Nothing is downloaded, and a model file cannot trigger an import: an encoder runs only after `allow` has been called
with its name from the command line or from the user's own code. A model directory can refer to an encoder, not run it.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.text.text_validation import texts_of
from textmix.text.word_vectorizer import OfTexts

#: Encoders that the user has allowed in this process.
_ALLOWED: set[str] = set()
#: Methods of an encoder that accept a list of texts, in order of preference; a plain function has neither.
METHODS = ("encode", "transform")


class EncoderNotNamedError(ConfigError):
    """Raised if a model requires an encoder that the user has not allowed."""


def allow(name: str) -> None:
    """Allow an encoder to run in this process; modules in the working directory can be imported.

    Parameters
    ----------
    name : str
        ``module:name`` of an object with a method ``encode`` or ``transform``, or of a function, that maps N texts to N
        vectors.
    """
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    _ALLOWED.add(name)
    encoding_of(name)


def encoding_of(name: str) -> Callable[[list[str]], Any]:
    """Return the function of an encoder that maps texts to vectors."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise ConfigError(f"encoder: {name!r} is no name of an encoder; give module:name, such as my_encoder:model")
    if name not in _ALLOWED:
        raise EncoderNotNamedError(f"encoder: the model needs {name}; if you trust it, give --encoder {name}")
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"encoder: {name} cannot be imported ({error}); install it, or name another one") from error
    method = next((getattr(found, name) for name in METHODS if hasattr(found, name)), found)
    if not callable(method) or isinstance(found, type):
        raise ConfigError(f"encoder: {name} has neither encode nor transform and is no function; name one that has")
    encode: Callable[[list[str]], Any] = method
    return encode


class TextEncoder(OfTexts):
    """Embed texts as vectors of length ``n_vectors_`` with the encoder ``module:name``, see `allow`."""

    def __init__(self, *, encoder: str) -> None:
        self.encoder = encoder

    def fit_transform(self, raw_documents: Iterable[str] | Ragged, y: Any = None) -> sparse.csr_array:
        """Return the embeddings of N texts as float64 CSR (N, V); ``y`` is ignored. Raises as `transform` does."""
        vectors = self._vectors(raw_documents)
        self.n_vectors_ = vectors.shape[1]
        return vectors

    def transform(self, raw_documents: Iterable[str] | Ragged) -> sparse.csr_array:
        """Return the embeddings of N texts as float64 CSR (N, V); raise ConfigError for invalid encoder output."""
        vectors = self._vectors(raw_documents)
        if vectors.shape[1] != self.n_vectors_:
            fault = f"gives vectors of {vectors.shape[1]} values, and gave {self.n_vectors_} in the fit"
            raise ConfigError(f"encoder: {self.encoder} {fault}; name the same encoder")
        return vectors

    def _vectors(self, raw_documents: Iterable[str] | Ragged) -> sparse.csr_array:
        text = texts_of(raw_documents)
        texts = [text.text(row) for row in range(len(text))]
        found = np.asarray(encoding_of(self.encoder)(texts), dtype=np.float64)
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1] or not np.isfinite(found).all():
            fault = f"gives values of the shape {found.shape} for {len(texts)} texts"
            raise ConfigError(f"encoder: {self.encoder} {fault}; it has to give a finite vector for each text")
        return sparse.csr_array(found)
