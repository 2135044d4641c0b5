"""The registry of the bench's suites, without importing any of them before it is run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError

REGISTRY_FILE = Path(__file__).with_name("suites.yaml")
TAKES = ("classes", "labels", "split", "corpus", "files")


@dataclass(frozen=True)
class Suite:
    """One entry of the registry; every key is explained in ``suites.yaml``."""

    name: str
    run: str
    role: str
    takes: str
    features: str | None = None
    split: str | None = None

    @property
    def module(self) -> str:
        """Module of the function."""
        return self.run.split(":")[0]

    def inputs(self, dataset: str | None) -> list[str]:
        """Return the results that the suite reads, for the data set that stands for its role; none without one."""
        if dataset is None:
            return []
        if self.takes == "files":
            return [f"resources/{dataset}/fetch.json"]
        corpus = f"results/features/{dataset}/{self.features}" if self.features else f"results/datasets/{dataset}"
        return [corpus, f"results/splits/{dataset}/{self.split}"] if self.split else [corpus]


def load_suites(path: Path = REGISTRY_FILE) -> dict[str, Suite]:
    """Read the registry.

    Raises
    ------
    ConfigError : an entry has a wrong or missing key, or takes what there is not.
    """
    suites = {}
    for name, entry in load_yaml_strict(path).items():
        try:
            suites[name] = suite = Suite(name=name, **entry)
        except TypeError as error:
            raise ConfigError(f"{path.name}: {name}: {error}; the keys are explained at the top of the file") from error
        if suite.takes not in TAKES or (suite.takes == "split") != (suite.split is not None):
            raise ConfigError(f"{path.name}: {name}: takes is one of {', '.join(TAKES)}; only 'split' names a split")
    return suites
