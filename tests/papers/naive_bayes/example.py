"""Parts that several tests of Zhai's lecture share."""

from __future__ import annotations

from pathlib import Path

import yaml

SPEC = yaml.safe_load((Path(__file__).parents[3] / "config/papers/naive_bayes/paper.yaml").read_text())


CLASSES, WORDS, N = 3, 120, 150
