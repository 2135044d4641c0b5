"""The suites of the bench, by name: ``config/bench.yaml`` and ``config/papers/<paper>/bench.yaml``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from textmix.core.config import load_entries, make_entry
from textmix.core.errors import ConfigError

#: The arguments that a suite's function may take; ``config/bench.yaml`` explains each.
TAKES = ("classes", "labels", "split", "corpus", "files")


@dataclass(frozen=True)
class Suite:
    """One suite: kernels timed beside other implementations on one data set.

    Parameters
    ----------
    name : of the suite.
    run : ``module:function``; the function returns the rows of the suite's table.
    role : the role for which its data set stands.
    takes : one of `TAKES`, the arguments of the function.
    features : name of the features by which words are counted; None for the data set as parsed.
    split : name of the split scheme where ``takes`` is ``split``, else None.
    """

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


def load_suites(root: Path, papers: Iterable[str]) -> dict[str, Suite]:
    """Read the suites of no paper, then those of each paper.

    Parameters
    ----------
    root : the folder with ``config/``.
    papers : names of the papers, in order; a paper without a ``bench.yaml`` has no suite.

    Returns
    -------
    name -> suite.

    Raises
    ------
    ConfigError : an entry has a wrong or missing key, an unknown ``takes``, or the name of another suite.
    """
    files = ["config/bench.yaml", *(f"config/papers/{paper}/bench.yaml" for paper in papers)]
    suites: dict[str, Suite] = {}
    for source in files:
        if (root / source).is_file():
            for name, entry in load_entries(root / source).items():
                if name in suites:
                    raise ConfigError(f"{source}: {name}: another suite has this name; rename one of them")
                suites[name] = _suite(source, name, entry)
    return suites


def _suite(source: str, name: str, entry: dict[str, str]) -> Suite:
    """Return one suite after checking its keys."""
    suite = make_entry(Suite, entry, f"{source}: {name}", name=name)
    if suite.takes not in TAKES or (suite.takes == "split") != (suite.split is not None):
        raise ConfigError(f"{source}: {name}: takes is one of {', '.join(TAKES)}; only 'split' names a split")
    return suite
