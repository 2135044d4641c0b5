"""The folders of a run; `reproduction.plan.stages` has the paths of the results in them."""

from __future__ import annotations

from pathlib import Path

RESULTS, RESOURCES = Path("results"), Path("resources")
