"""Sketch of the training texts of a model, small enough for its card.

References
----------
Bottom-k sketches: Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from textmix.data.corpus import Ragged

#: Key in the card of a model.
SKETCH_KEY = "seen"
MAX_DIGESTS = 1000


def sketch(text: Ragged) -> list[int]:
    """Return the `MAX_DIGESTS` smallest distinct digests of N texts in increasing order."""
    return [int(value) for value in np.unique(_digest_texts(text))[:MAX_DIGESTS]]


def training_proportion(card: Mapping[str, Any], text: Ragged) -> float:
    """Estimate the proportion of N texts that are training texts of a model; 0 without a sketch."""
    kept = np.array(card.get(SKETCH_KEY, []), dtype=np.uint64)
    digests = np.unique(_digest_texts(text))
    comparable = digests if len(kept) < MAX_DIGESTS else digests[digests <= kept[-1]]
    return float(np.isin(comparable, kept).mean()) if len(kept) and len(comparable) else 0.0


def readable_card(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card of a model without the sketch."""
    return {key: value for key, value in card.items() if key != SKETCH_KEY}


def _digest_texts(text: Ragged) -> np.ndarray:
    """Return a digest of 63 bits for each of N texts, uint64 (N,)."""
    digests = (hashlib.blake2b(bytes(text[row]), digest_size=8).digest() for row in range(len(text)))
    return np.array([int.from_bytes(digest, "big") >> 1 for digest in digests], dtype=np.uint64)
