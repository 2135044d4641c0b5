"""Parts that several tests of the EDCM paper share."""

from __future__ import annotations

from pathlib import Path

from textmix.core.config import load_yaml_strict

ROOT = Path(__file__).parents[3]


PAPER = ROOT / "config/papers/edcm"


SPEC = load_yaml_strict(PAPER / "paper.yaml")


CLASSES, WORDS = 3, 150
