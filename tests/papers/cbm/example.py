"""Parts that several tests of the CBM slides share."""

from __future__ import annotations

from pathlib import Path

from textmix.core.config import load_yaml_strict

PAPER = Path(__file__).parents[3] / "config/papers/cbm"


SPEC = load_yaml_strict(PAPER / "paper.yaml")
