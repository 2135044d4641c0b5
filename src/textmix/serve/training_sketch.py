"""Which texts a model was fitted to, as a sketch small enough for its card.

Source: bottom-k sketches, Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from textmix.data.corpus import Ragged

#: Name in the card of a model, and the most digests that it keeps.
SEEN = "seen"
KEPT = 1000


def sketch(text: Ragged) -> list[int]:
    """Return the `KEPT` smallest digests of N texts, each once, increasing; of fewer texts all of them."""
    return [int(value) for value in np.unique(_digests(text))[:KEPT]]


def share_seen(card: Mapping[str, Any], text: Ragged) -> float:
    """Return the share of N texts that the model was fitted to, by digests the sketch could hold; 0 without one."""
    kept = np.array(card.get(SEEN, []), dtype=np.uint64)
    digests = np.unique(_digests(text))
    within = digests if len(kept) < KEPT else digests[digests <= kept[-1]]
    return float(np.isin(within, kept).mean()) if len(kept) and len(within) else 0.0


def shown(card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card of a model without the sketch, which is not for people."""
    return {key: value for key, value in card.items() if key != SEEN}


def _digests(text: Ragged) -> np.ndarray:
    """Return a number of 63 bits for each of N texts, uint64 (N,)."""
    found = (hashlib.blake2b(bytes(text[row]), digest_size=8).digest() for row in range(len(text)))
    return np.array([int.from_bytes(digest, "big") >> 1 for digest in found], dtype=np.uint64)
